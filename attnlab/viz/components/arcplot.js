// One head, small, as arcs from the words that look to the words looked at. Shared by all heads that
// are compared, as the plot of maps is.

const ARCS = { least: 215, words: 0.31, gap: 5, figure: 30, faint: 0.03, drawn: 0.01 };

class ArcPlot {
  constructor(owner) {
    this.owner = owner;
  }

  measure(context) {
    context.font = `12px ${this.owner.theme.font}`;
    const width = (word) => context.measureText(spoken(word)).width;
    const widest = (words) => Math.ceil(Math.max(...words.map(width)));
    this.widest = [widest(this.owner.queries), widest(this.owner.keys)];
  }

  /** Arcs need room to be told apart; given that, any number of them stands in a row. */
  pitchIn(width) {
    return width >= ARCS.least ? Infinity : 0;
  }

  layOut(width) {
    const count = Math.max(...this.owner.size), most = ARCS.words * width;
    this.row = count <= 20 ? 20 : count <= 40 ? 16 : 13;
    this.left = Math.min(this.widest[0], most) + ARCS.gap;
    this.right = width - ARCS.figure - Math.min(this.widest[1], most - ARCS.figure / 2) - ARCS.gap;
    this.width = width;
    this.height = count * this.row + 2;
    this.font = this.row < 16 ? 11 : 12;
  }

  path(query, key) {
    const { left, right, row } = this, bend = (right - left) * 0.45;
    const y0 = (query + 0.5) * row, y1 = (key + 0.5) * row;
    const path = new Path2D();
    path.moveTo(left, y0);
    path.bezierCurveTo(left + bend, y0, right - bend, y1, right, y1);
    return path;
  }

  strokeRow(context, head, query, least, opacity) {
    const { owner } = this;
    context.strokeStyle = `rgb(${owner.theme[owner.side].join()})`;
    for (let key = 0; key < owner.size[1]; key++) {
      const weight = owner.weight(owner.side, head, query, key);
      if (weight < least) continue;
      context.globalAlpha = opacity(weight);
      context.lineWidth = 0.7 + 4 * weight;
      context.stroke(this.path(query, key));
    }
    context.globalAlpha = 1;
  }

  /** Every word's arcs: faint once a word is pointed at, see mark. */
  draw(context, head) {
    for (let query = 0; query < this.owner.size[0]; query++) {
      this.strokeRow(context, head, query, ARCS.faint, (weight) => 0.06 + 0.3 * weight);
    }
  }

  /** The words; of the word that is pointed at its arcs, and its weights as figures. */
  mark(context, head, cell) {
    const { owner, row } = this, { theme } = owner, [query, key] = cell || [null, null];
    const strong = (weight) => Math.min(1, 0.2 + 1.6 * weight);
    if (query !== null) this.strokeRow(context, head, query, ARCS.drawn, strong);
    context.textBaseline = "middle";
    const write = (text, x, at, align, room, on) => {
      context.font = `${on ? 700 : 400} ${this.font}px ${theme.font}`;
      context.textAlign = align;
      context.fillText(shorten(context, text, room), x, (at + 0.5) * row);
    };
    const colour = `rgb(${theme[owner.side].join()})`;
    owner.queries.forEach((word, i) => {
      context.fillStyle = i === query ? colour : theme.ink;
      write(spoken(word), this.left - ARCS.gap, i, "right", this.left - ARCS.gap, i === query);
    });
    owner.keys.forEach((word, j) => {
      context.globalAlpha = query !== null && owner.isFuture(query, j) ? 0.3 : 1;
      context.fillStyle = j === key ? colour : theme.ink;
      const room = this.width - this.right - ARCS.gap - ARCS.figure;
      write(spoken(word), this.right + ARCS.gap, j, "left", room, j === key);
      context.fillStyle = theme.mute;
      const weight = query === null ? 0 : owner.weight(owner.side, head, query, j);
      if (weight >= 0.005) write(figure(weight), this.width - 1, j, "right", ARCS.figure, j === key);
      context.globalAlpha = 1;
    });
  }

  /** [query, key] at a place: words at the left look, words at the right are looked at. */
  find(x, y) {
    const at = Math.floor(y / this.row), [rows, columns] = this.owner.size;
    if (x < (this.left + this.right) / 2) return at >= 0 && at < rows ? [at, null] : null;
    const query = this.owner.lastQuery;
    return at >= 0 && at < columns && query !== null ? [query, at] : null;
  }
}
