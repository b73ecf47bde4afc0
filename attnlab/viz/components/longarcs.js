// Beside a long text's matrix: the words of the rows and columns in sight, with arcs between them.

// CSS pixels: room for the words that look and for those looked at with their figures, the room of a
// figure, and the least row in which a word is written.
const PANEL = { from: 104, to: 168, figure: 44, named: 13 };
const MOST_ARCS = 240, ARC_CELLS = 64; // faint arcs, from at most so many rows and columns
const PALE_FROM = 40; // faint arcs; where there are more, each is paler, so that the bold ones stand out
const SHOWN_ARC = 0.04; // ink

class LongArcs {
  constructor(long) {
    Object.assign(this, { long, owner: long.owner, plane: long.plane });
    this.canvas = make("canvas", "al-panel");
    listen(this.canvas, {
      hover: (pointer) => this.hover(pointer),
      leave: () => this.long.unpoint(),
      tap: (x, y) => this.tap(x, y),
      pan: (dx, dy, event) => this.turn(-dy, event),
      zoom: () => false,
      wheel: (pixels, event) => this.turn(pixels, event),
    });
  }

  layOut(width, height) {
    Object.assign(this, { width, height });
    const narrow = Math.min(1, width / 420);
    [this.left, this.right] = [PANEL.from * narrow, width - PANEL.to * narrow];
    this.context = sharpen(this.canvas, width, height);
  }

  /** Height of a row (axis 0) or of a column's word (axis 1). */
  pitch(axis) {
    const { view } = this.long;
    return (this.height * view.scale) / (axis ? view.width : view.height);
  }

  /** The middle of a row or of a column's word. */
  middle(axis, at) {
    const { view } = this.long;
    return (at + 0.5 - (axis ? view.x : view.y)) * this.pitch(axis);
  }

  /** A height at which a word is not cut. */
  inside(y) {
    return Math.max(8, Math.min(this.height - 8, y));
  }

  draw() {
    const { context } = this;
    context.clearRect(0, 0, this.width, this.height);
    context.save();
    context.beginPath();
    context.rect(0, 0, this.width, this.height);
    context.clip();
    this.row = this.plane.rowOf(this.owner.looked);
    this.drawn = this.drawFaint(context);
    this.drawArcs(context);
    this.drawFrom(context);
    this.drawTo(context);
    context.restore();
  }

  arc(row, column) {
    return new Path2D(arc(this.middle(0, row), this.middle(1, column), this.right - this.left));
  }

  /** Arcs of everything in sight, the strongest of each block; how many there are, and of what. */
  drawFaint(context) {
    const { view, levels } = this.long, { theme } = this.owner;
    const [top, bottom] = view.range(0), [left, right] = view.range(1);
    const level = levels.find(({ unit }) => Math.max(bottom - top, right - left) / unit <= ARC_CELLS);
    const { unit } = level, found = [];
    for (let i = Math.floor(top / unit); i * unit < bottom; i++) {
      for (let j = Math.floor(left / unit); j * unit < right; j++) {
        const ink = level.data[i * level.columns + j] / FULL;
        if (Math.abs(ink) >= SHOWN_ARC) found.push([Math.abs(ink), i, j]);
      }
    }
    found.sort((one, other) => other[0] - one[0]);
    context.save();
    context.translate(this.left, 0);
    context.strokeStyle = `rgb(${theme[this.plane.side].join()})`;
    const middle = (unit - 1) / 2, shown = Math.min(MOST_ARCS, found.length);
    const pale = Math.min(1, (PALE_FROM / shown) ** 0.5) * (theme.dark ? 1.25 : 1);
    for (const [ink, i, j] of found.slice(0, shown)) {
      context.globalAlpha = pale * (0.06 + 0.14 * ink);
      context.lineWidth = 0.5 + 3 * ink;
      context.stroke(this.arc(i * unit + middle, j * unit + middle));
    }
    context.restore();
    return { unit, all: found.length, shown };
  }

  /** The arcs of the looked-from word to the words in sight. */
  drawArcs(context) {
    const { view } = this.long, { theme } = this.owner, [left, right] = view.range(1);
    const [top, bottom] = view.range(0), picked = this.long.picked;
    if (this.row < top || this.row >= bottom) return;
    context.save();
    context.translate(this.left, 0);
    context.strokeStyle = `rgb(${theme[this.plane.side].join()})`;
    for (let column = left; column < right; column++) {
      const weight = this.plane.value(this.row, column), bold = column === picked;
      if (weight < ARC_LEAST && !bold) continue;
      context.globalAlpha = bold ? 1 : Math.min(1, 0.14 + 1.6 * weight);
      context.lineWidth = (bold ? 2.5 : 1) + 5 * weight;
      context.stroke(this.arc(this.row, column));
    }
    context.restore();
  }

  drawFrom(context) {
    const { view } = this.long, { theme } = this.owner, pitch = this.pitch(0);
    const [top, bottom] = view.range(0), colour = `rgb(${theme[this.plane.side].join()})`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const write = (row, y, before = "") => {
      const label = labelOf(context, this.plane, 0, row, this.left - 12 - context.measureText(before).width);
      const chosen = row === this.row;
      const start = this.left - 8 - label.width - context.measureText(before).width;
      context.fillStyle = colour;
      context.fillText(before, start, y);
      if (chosen) context.fillText(label.text, start + context.measureText(before).width, y);
      else label.draw(start, y, theme);
    };
    context.font = `400 13px ${theme.font}`;
    if (pitch >= PANEL.named) {
      for (let row = top; row < bottom; row++) if (row !== this.row) write(row, this.middle(0, row));
    } else {
      context.fillStyle = theme.mute;
      context.textAlign = "right";
      for (const at of ticks([top, bottom], pitch, 28)) {
        const y = this.inside(this.middle(0, at));
        if (Math.abs(y - this.middle(0, this.row)) > 14) {
          context.fillText(at.toLocaleString("en"), this.left - 8, y);
        }
      }
      context.textAlign = "left";
    }
    context.font = `700 13px ${theme.font}`;
    write(this.row, this.inside(this.middle(0, this.row)),
      this.row < top ? "↑ " : this.row >= bottom ? "↓ " : "");
  }

  drawTo(context) {
    const { view } = this.long, { theme } = this.owner, pitch = this.pitch(1);
    const [left, right] = view.range(1), room = this.width - this.right, { picked } = this.long;
    const full = room - PANEL.figure, named = pitch >= PANEL.named;
    for (let column = left; column < right; column++) {
      const weight = this.plane.value(this.row, column), y = this.middle(1, column);
      const height = Math.max(1, pitch - (pitch > 8 ? 4 : 0));
      if (weight >= 0.005) {
        context.globalAlpha = theme.dark ? 0.34 : 0.28;
        context.fillStyle = `rgb(${theme[this.plane.side].join()})`;
        context.fillRect(this.right, y - height / 2, full * weight, height);
      }
      context.globalAlpha = this.plane.isFuture(this.row, column) ? 0.3 : 1;
      if (named) this.writeTo(context, column, weight, y, full);
      if (column === picked) {
        context.strokeStyle = `rgb(${theme[this.plane.side].join()})`;
        context.lineWidth = 2;
        context.strokeRect(this.right + 1, y - Math.max(pitch, 6) / 2, room - 2, Math.max(pitch, 6));
      }
    }
    context.globalAlpha = 1;
    if (named) return;
    context.font = `400 13px ${theme.font}`;
    context.fillStyle = theme.mute;
    context.textAlign = "left";
    for (const at of ticks([left, right], pitch, 28)) {
      context.fillText(at.toLocaleString("en"), this.right + 8, this.inside(this.middle(1, at)));
    }
  }

  writeTo(context, column, weight, y, full) {
    const { theme } = this.owner;
    context.font = `${weight > 0.3 ? 700 : 400} 13px ${theme.font}`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    labelOf(context, this.plane, 1, column, full - 12).draw(this.right + 8, y, theme);
    context.font = `400 12px ${theme.font}`;
    context.textAlign = "right";
    context.fillStyle = theme.mute;
    context.fillText(this.plane.figure(this.row, column), this.width - 6, y);
  }

  /** What lies at a point of the window: {row} among the words that look, {column} of the others. */
  find(x, y) {
    const box = this.canvas.getBoundingClientRect(), { view } = this.long;
    const axis = x - box.left >= (this.left + this.right) / 2 ? 1 : 0;
    const at = Math.floor((y - box.top) / this.pitch(axis) + (axis ? view.x : view.y));
    if (at < 0 || at >= this.plane.size[axis]) return null;
    return axis ? { column: at } : { row: at };
  }

  hover({ x, y }) {
    const found = this.find(x, y);
    if (!found) return this.long.unpoint();
    if (found.column === undefined) {
      this.owner.tip.hide();
      return lookFrom(this.owner, this.plane, found.row);
    }
    const subject = ["panel", this.plane.side, this.row, found.column].join();
    this.owner.tip.show(x, y, subject, () => this.plane.describe(this.row, found.column));
  }

  tap(x, y) {
    const found = this.find(x, y), kept = this.plane.rowOf(this.owner.pinned);
    if (!found) return;
    if (found.column === undefined) this.owner.pin(this.plane.side, found.row);
    else pinPlace(this.owner, this.plane, kept, found.column);
  }

  /** Move the words at the left or at the right; whether there were more. */
  turn(pixels, event) {
    const box = this.canvas.getBoundingClientRect();
    const axis = event.clientX - box.left >= (this.left + this.right) / 2 ? 1 : 0;
    const cells = pixels / this.pitch(axis), { view } = this.long, moved = -cells * view.scale;
    return this.long.moved(axis ? view.pan(moved, 0) : view.pan(0, moved));
  }
}
