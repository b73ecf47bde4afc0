// A matrix of the chosen head: a row for each word that looks, a column for each word looked at.
// Positions are the axes, so words that repeat keep rows of their own.

// Sizes in CSS pixels: of the largest cell, of the smallest with a figure and of the smallest whose
// word is written, of the longest label, and between labels and cells. Column labels start this far
// into their cell, and slant by an angle.
const MATRIX = { most: 38, figures: 17, written: 12, label: 96, gap: 7, start: 0.55, tilt: Math.PI / 3.4 };

class Matrix {
  constructor(owner, plane, holder) {
    Object.assign(this, { owner, plane, holder });
    const [rows, columns] = plane.size;
    this.node = holder.appendChild(make("div", `al-matrix al-${plane.side}-side`));
    this.node.dataset.side = plane.name;
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "application");
    this.node.setAttribute("aria-roledescription", "attention matrix");
    this.node.setAttribute("aria-label", `Attention of ${plane.name}, ${rows} rows, ` +
      `${columns} columns. Arrow keys move, Enter keeps a pair of words.`);
    this.canvas = this.node.appendChild(make("canvas"));
    this.band = this.node.appendChild(make("div", "al-band"));
    this.kept = this.node.appendChild(make("div", "al-box al-kept"));
    this.box = this.node.appendChild(make("div", "al-box"));
    this.box.hidden = this.kept.hidden = true;
    this.at = [0, 0];
    this.node.onpointermove = oncePerFrame((pointer) => this.point(pointer));
    this.node.onpointerleave = oncePerFrame(() => this.unpoint());
    this.node.onclick = (event) => {
      const place = this.find(event.clientX, event.clientY);
      if (place) this.pin(...place);
    };
    this.node.onkeydown = (event) => this.press(event);
    this.node.onblur = () => this.unpoint();
  }

  /** The room that labels need, left of the cells and above them. */
  measure() {
    const context = this.canvas.getContext("2d"), [rows, columns] = this.plane.size;
    context.font = `12px ${this.owner.theme.font}`;
    const widths = (axis, count) =>
      Array.from({ length: count }, (_, at) => labelOf(context, this.plane, axis, at, MATRIX.label).width);
    const above = widths(1, columns);
    this.left = Math.ceil(Math.max(...widths(0, rows))) + MATRIX.gap + 4;
    this.top = Math.ceil(Math.max(...above) * Math.sin(MATRIX.tilt)) + MATRIX.gap + 6;
    // How far each column's label leans to the right of where it starts.
    this.leans = above.map((width) => width * Math.cos(MATRIX.tilt) + 5);
  }

  /** The largest cell with which cells and slanted labels fit into `width` CSS pixels. */
  pitchIn(width) {
    const room = width - this.left - 1, count = this.plane.size[1];
    const fits = this.leans.map((lean, j) => (room - lean) / (j + MATRIX.start));
    const pitch = Math.min(MATRIX.most, Math.max(40 / count, Math.min(room / count, ...fits)));
    return pitch > 4 ? Math.floor(pitch * 2) / 2 : pitch; // crisp cell edges
  }

  layOut() {
    const [rows, columns] = this.plane.size;
    const room = this.holder.clientWidth, own = this.pitchIn(room);
    const least = Math.min(...Object.values(this.owner.drawings).map((one) => one.pitchIn(room)));
    this.pitch = least > 0.8 * own ? least : own; // about the same size: then the same
    const ends = this.leans.map((lean, j) => (j + MATRIX.start) * this.pitch + lean);
    const width = Math.ceil(this.left + Math.max(this.pitch * columns + 1, ...ends));
    this.draw(sharpen(this.canvas, width, Math.ceil(this.top + this.pitch * rows + 2)));
  }

  draw(context) {
    context.save();
    context.translate(this.left, this.top);
    this.drawCells(context);
    this.drawAlone(context);
    context.restore();
    this.drawLabels(context);
  }

  drawCells(context) {
    const { theme } = this.owner, { pitch, plane } = this, size = pitch - (pitch >= 10 ? 1 : 0);
    const [rows, columns] = plane.size;
    for (let i = 0; i < rows; i++) {
      if (plane.isDead(i)) {
        hatch(context, theme.line, 0, i * pitch, pitch * columns - 1, size);
        continue;
      }
      for (let j = 0; j < columns; j++) {
        if (plane.isFuture(i, j)) continue;
        const ink = plane.ink(i, j), strength = Math.abs(ink), x = j * pitch, y = i * pitch;
        context.fillStyle = theme.tile;
        context.fillRect(x, y, size, size);
        const colour = ink < 0 ? theme.a : theme.b;
        if (strength >= FAINT) {
          context.fillStyle = `rgba(${colour.join()},${strength})`;
          context.fillRect(x, y, size, size);
        }
        if (pitch < MATRIX.figures) continue;
        context.fillStyle = readableOn(colour, strength, theme);
        writeFigure(context, plane.figure(i, j), x, y, size, theme);
      }
    }
  }

  /** Rows and columns that only one sentence has. */
  drawAlone(context) {
    const { plane, pitch } = this, [rows, columns] = plane.size, { theme } = this.owner;
    for (let i = 0; i < rows; i++) {
      const side = plane.alone(0, i), end = plane.causal ? i + 1 : columns;
      if (side) hatch(context, hatchColour(side, theme), 0, i * pitch, end * pitch - 1, pitch - 1);
    }
    for (let j = 0; j < columns; j++) {
      const side = plane.alone(1, j), top = plane.causal ? j : 0, height = (rows - top) * pitch - 1;
      if (side) hatch(context, hatchColour(side, theme), j * pitch, top * pitch, pitch - 1, height);
    }
  }

  /** The words on both axes; where they would overlap, every second, third, ... is written. */
  drawLabels(context) {
    const { plane, pitch } = this, { theme } = this.owner, [rows, columns] = plane.size;
    const step = Math.max(1, Math.ceil(MATRIX.written / pitch));
    context.font = `${pitch < 14 ? 11 : 12}px ${theme.font}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const label = (axis, at) => labelOf(context, plane, axis, at, MATRIX.label);
    for (let i = 0; i < rows; i += step) {
      const written = label(0, i);
      written.draw(this.left - MATRIX.gap - written.width, this.top + (i + 0.5) * pitch, theme);
    }
    for (let j = 0; j < columns; j += step) {
      context.save();
      context.translate(this.left + (j + MATRIX.start) * pitch, this.top - MATRIX.gap + 1);
      context.rotate(-MATRIX.tilt);
      label(1, j).draw(0, 0, theme);
      context.restore();
    }
  }

  find(x, y) {
    const box = this.canvas.getBoundingClientRect(), [rows, columns] = this.plane.size;
    const i = Math.floor((y - box.top - this.top) / this.pitch);
    const j = Math.floor((x - box.left - this.left) / this.pitch);
    return i >= 0 && j >= 0 && i < rows && j < columns ? [i, j] : null;
  }

  point(pointer) {
    const place = this.find(pointer.x, pointer.y);
    if (!place) return this.unpoint();
    if (String(place) !== String(this.pointed)) {
      this.pointed = place;
      this.ring(this.box, place);
      lookFrom(this.owner, this.plane, place[0]);
    }
    const subject = [this.plane.side, ...place].join();
    this.owner.tip.show(pointer.x, pointer.y, subject, () => this.plane.describe(...place));
  }

  unpoint() {
    this.pointed = null;
    this.box.hidden = true;
    this.owner.tip.hide();
    this.owner.restore();
  }

  pin(row, column) {
    pinPlace(this.owner, this.plane, row, column);
  }

  ring(box, [row, column]) {
    const size = Math.max(this.pitch, 4);
    box.hidden = false;
    box.style.cssText = `left:${this.left + column * this.pitch - 1.5}px;` +
      `top:${this.top + row * this.pitch - 1.5}px;width:${size + 2}px;height:${size + 2}px`;
  }

  press(event) {
    let [row, column] = this.at;
    if (event.key === "ArrowDown") row += 1;
    else if (event.key === "ArrowUp") row -= 1;
    else if (event.key === "ArrowRight") column += 1;
    else if (event.key === "ArrowLeft") column -= 1;
    else if (event.key === "Escape") return this.unpoint();
    else if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (event.key === "Enter" || event.key === " ") return this.pin(row, column);
    const [rows, columns] = this.plane.size;
    this.at = [Math.max(0, Math.min(rows - 1, row)), Math.max(0, Math.min(columns - 1, column))];
    this.ring(this.box, this.at);
    lookFrom(this.owner, this.plane, this.at[0]);
    this.owner.live.textContent = spokenPlace(this.plane, ...this.at);
  }

  /** Show the row of the looked-from word. */
  look() {
    const row = this.plane.rowOf(this.owner.looked), columns = this.plane.size[1];
    this.band.style.cssText = `left:0;top:${this.top + row * this.pitch - 1.5}px;` +
      `width:${this.left + columns * this.pitch + 1}px;height:${Math.max(3, this.pitch + 2)}px`;
  }

  /** Mark the cell of the kept pair. */
  showKept() {
    const column = this.plane.columnOf(this.owner.picked);
    this.kept.hidden = true;
    if (column !== null) this.ring(this.kept, [this.plane.rowOf(this.owner.pinned), column]);
  }
}
