// Which part of a large matrix is in sight: how large a cell is, and what lies at the top left.

const CELL = { most: 40, written: 22, named: 13 }; // CSS pixels: at most, with a figure, with its words
const TICKS = [1, 2, 5]; // steps of a ruler, times a power of ten

class View {
  /** `counts` are rows and columns. */
  constructor(counts) {
    this.counts = counts;
    this.scale = 0; // CSS pixels of a cell; 0 until there is room
    this.x = this.y = 0; // the column and row at the top left, with fractions
  }

  /** Set the room to width x height CSS pixels; what was in the middle stays there. */
  resize(width, height) {
    const centre = this.scale ? this.centre : null, fitted = !this.scale || this.fitted;
    [this.width, this.height] = [width, height];
    this.fit = Math.min(width / this.counts[1], height / this.counts[0], CELL.most);
    if (fitted) this.show(this.fit, [0, 0]);
    else this.show(this.scale, centre);
  }

  get fitted() {
    return this.scale <= this.fit * 1.001;
  }

  /** [row, column] in the middle. */
  get centre() {
    return [this.y + this.height / this.scale / 2, this.x + this.width / this.scale / 2];
  }

  /** Show cells of `scale` pixels with [row, column] in the middle, as far as there are cells. */
  show(scale, [row, column]) {
    this.scale = Math.max(this.fit, Math.min(Math.max(CELL.most, this.fit), scale));
    this.x = column - this.width / this.scale / 2;
    this.y = row - this.height / this.scale / 2;
    this.clamp();
  }

  clamp() {
    const within = (at, count, room) => Math.max(0, Math.min(at, count - room / this.scale));
    this.x = within(this.x, this.counts[1], this.width);
    this.y = within(this.y, this.counts[0], this.height);
  }

  /** Enlarge by `factor`, keeping what lies under the pixel (x, y); whether anything changed. */
  zoom(factor, x, y) {
    const before = this.scale, column = this.x + x / before, row = this.y + y / before;
    this.scale = Math.max(this.fit, Math.min(Math.max(CELL.most, this.fit), before * factor));
    this.x = column - x / this.scale;
    this.y = row - y / this.scale;
    this.clamp();
    return this.scale !== before;
  }

  /** Move by pixels; whether anything changed. */
  pan(x, y) {
    const before = [this.x, this.y];
    this.x -= x / this.scale;
    this.y -= y / this.scale;
    this.clamp();
    return this.x !== before[0] || this.y !== before[1];
  }

  /** Move as little as brings a place into sight. */
  reveal([row, column]) {
    const into = (from, at, room) => {
      const edge = Math.min(1, room / 4);
      return at < from + edge ? at - edge : at + 1 > from + room - edge ? at + 1 + edge - room : from;
    };
    this.x = into(this.x, column, this.width / this.scale);
    this.y = into(this.y, row, this.height / this.scale);
    this.clamp();
  }

  /** Rows (axis 0) or columns (axis 1) in sight, as [first, one past the last]. */
  range(axis) {
    const from = axis ? this.x : this.y, room = (axis ? this.width : this.height) / this.scale;
    return [Math.floor(from), Math.min(this.counts[axis], Math.ceil(from + room - 1e-6))];
  }

  /** The [row, column] at a pixel, or null outside. */
  find(x, y) {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return null;
    const row = Math.floor(this.y + y / this.scale), column = Math.floor(this.x + x / this.scale);
    return row < this.counts[0] && column < this.counts[1] ? [row, column] : null;
  }

  /** The pixel rectangle [x, y, size] of `unit` x `unit` cells from a place on. */
  box([row, column], unit = 1) {
    return [(column - this.x) * this.scale, (row - this.y) * this.scale, unit * this.scale];
  }

  /** Cells a side that share a pixel of the screen: a power of two. */
  get unit() {
    const pixel = this.scale * (window.devicePixelRatio || 1);
    return pixel >= 1 ? 1 : 2 ** Math.ceil(Math.log2(1 / pixel) - 1e-9);
  }
}

/** Round positions in [from, to), at least `room` pixels of `pitch` apart. */
function ticks([from, to], pitch, room) {
  const least = room / pitch, power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = Math.max(1, [...TICKS, 10].map((one) => one * power).find((one) => one >= least));
  const found = [];
  for (let at = Math.ceil(from / step) * step; at < to; at += step) found.push(at);
  return found;
}
