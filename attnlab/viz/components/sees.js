// Who may see whom in several kinds of transformer: a table for each, over the same words. The word
// that looks is one for all of them; it moves here, and a click keeps it and tells Python.

const SEEN = -0.55; // ink of a cell that is seen, in A's colour: a mask has no shades
const NARROWEST = 200, APART = 26; // CSS pixels of a table with its words, and between two

/** The mask of one kind, as a matrix draws it. */
class Sight {
  constructor(view, { read, written }, array) {
    const count = array.shape[0];
    Object.assign(this, { view, side: "a", name: view.title, data: array.data, causal: false });
    this.tokens = count > read.length ? [...read, ...written] : read;
    this.read = read.length;
    this.size = [count, count];
  }

  sees(row, column) {
    return this.data[row * this.size[1] + column] > 0;
  }

  /** What is not seen is left blank, as the future of a causal model is elsewhere. */
  isFuture(row, column) {
    return !this.sees(row, column);
  }

  isDead(row) {
    return this.count(row, 0, this.size[1]) === 0;
  }

  /** How many of the words from `start` to `end` are seen from a row. */
  count(row, start, end) {
    let seen = 0;
    for (let column = start; column < end; column++) if (this.sees(row, column)) seen++;
    return seen;
  }

  ink() {
    return SEEN;
  }

  figure() {
    return "";
  }

  alone() {
    return null;
  }

  words(axis, at) {
    return [[this.tokens[at], null]];
  }

  cell(row, column) {
    return { side: this.side, query: row, key: column };
  }

  rowOf(looked) {
    return looked;
  }

  columnOf() {
    return null;
  }

  /** The two words of a place, and why the one may see the other or not. */
  describe(row, column) {
    return [lookLine(this.tokens[row], this.tokens[column]), make("div", "al-tip-note", this.reason(row, column))];
  }

  reason(row, column) {
    const writes = row >= this.read, written = column >= this.read;
    if (this.sees(row, column)) return writes && !written ? "may look: cross-attention" : "may look";
    if (written && !writes) return "may not look: it is written, and this is read";
    return column > row ? "may not look: it comes later" : "may not look: too far back";
  }
}

/** A matrix with a line between what is read and what is written. */
class Table extends Matrix {
  /** The room, in CSS pixels, in which every word of both sides can be written. */
  get least() {
    const ends = this.leans.map((lean, j) => (j + MATRIX.start) * MATRIX.written + lean);
    const cells = this.plane.size[1] * MATRIX.written + 2;
    return Math.max(NARROWEST, Math.ceil(this.left + Math.max(cells, ...ends)) + 1);
  }

  drawCells(context) {
    super.drawCells(context);
    const { plane, pitch } = this, [count] = plane.size, at = plane.read * pitch - 1;
    if (count === plane.read) return;
    context.fillStyle = this.owner.theme.mute;
    context.fillRect(-this.left + 4, at, this.left + count * pitch - 4, 1);
    context.fillRect(at, -4, 1, count * pitch + 4);
  }
}

/** One kind: its name, the words with those unseen faded, its table, and how many are seen. */
class View {
  constructor(owner, at, holder) {
    Object.assign(this, { owner, at, title: owner.header.sights[at].title });
    this.plane = new Sight(this, owner.header, owner.arrays[at]);
    const node = holder.appendChild(make("section", "al-sight al-a-side"));
    node.append(make("b", "al-sight-title", this.title), make("div", "al-sight-about", owner.header.sights[at].about));
    this.line = node.appendChild(make("div", "al-sight-words"));
    this.items = this.plane.tokens.map((token, i) => this.item(token, i));
    this.sum = node.appendChild(make("div", "al-sight-sum"));
    this.drawing = new Table(this, this.plane, node.appendChild(make("div", "al-side-room")));
    this.drawing.node.setAttribute("aria-label", `${this.title}: ${this.plane.size[0]} words that look, ` +
      "as many to be seen. Arrow keys move, Enter keeps a word.");
  }

  item(token, i) {
    if (i === this.plane.read) this.line.append(make("span", "al-sight-arrow", " → "));
    else if (i) this.line.append(" ");
    const item = writeToken(this.line.appendChild(make("span", "al-sight-word")), token);
    item.dataset.position = i;
    item.onpointerenter = () => this.look("a", i);
    item.onpointerleave = () => this.restore();
    item.onclick = () => this.pin("a", i);
    return item;
  }

  // What a matrix asks of its owner.
  get theme() { return this.owner.theme; }
  get drawings() { return this.owner.drawings; }
  get tip() { return this.owner.tip; }
  get live() { return this.owner.live; }
  get looked() { return this.row; }
  get pinned() { return this.row; }
  get picked() { return null; }

  look(side, row) {
    this.owner.look(this.plane, row);
  }

  restore() {
    this.owner.restore();
  }

  pin(side, row) {
    this.owner.pin(this, row);
  }

  show(row) {
    if (row === this.row) return;
    this.row = row;
    this.items.forEach((item, i) => {
      item.classList.toggle("al-unseen", !this.plane.sees(row, i));
      item.classList.toggle("al-looks", i === row);
    });
    this.sum.replaceChildren(writeToken(make("span", "al-sum-word"), this.plane.tokens[row]), ` ${this.told(row)}`);
    this.drawing.look();
  }

  /** How many words a row may see, in words. */
  told(row) {
    const { read, size: [all] } = this.plane;
    const share = (seen, of) => (seen === of ? `all ${of}` : seen === 0 ? `none of ${of}` : `${seen} of ${of}`);
    const seen = this.plane.count(row, 0, read);
    if (all === read) return `may see ${share(seen, read)} words`;
    const written = this.plane.count(row, read, all);
    return `may see ${share(seen, read)} read, ${share(written, all - read)} written`;
  }
}

class Sees extends Picture {
  constructor(root) {
    super(root);
    this.body = root.appendChild(make("div", "al-sees"));
    this.body.setAttribute("role", "group");
  }

  receive({ header, arrays }) {
    Object.assign(this, { header, arrays });
    this.theme = readTheme(this.root);
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.kept = this.row = header.row;
    }
    this.body.setAttribute("aria-label", header.label);
    this.body.replaceChildren();
    this.views = header.sights.map((_, at) => new View(this, at, this.body));
    this.drawings = this.views.map((view) => view.drawing);
    this.draw();
  }

  draw() {
    if (!this.header || !this.root.clientWidth) return;
    this.width = this.root.clientWidth;
    for (const drawing of this.drawings) drawing.measure();
    this.body.style.gridTemplateColumns = this.columns();
    for (const drawing of this.drawings) drawing.layOut();
    for (const view of this.views) view.row = undefined;
    this.showRow(this.row);
  }

  /**
   * All tables beside each other, each as wide as its words need, where there is room for that; else
   * as many in a row as can write theirs, and rows of about the same length.
   */
  columns() {
    const needs = this.drawings.map(({ least }) => least), count = needs.length;
    const sum = needs.reduce((all, one) => all + one + APART, -APART);
    if (sum <= this.width) return needs.map((one) => `minmax(${one}px, ${one}fr)`).join(" ");
    const fit = Math.max(1, Math.floor((this.width + APART) / (Math.max(...needs) + APART)));
    return `repeat(${Math.ceil(count / Math.ceil(count / fit))}, minmax(0, 1fr))`;
  }

  /** A word that is read looks in every table, one that is written in those that have it. */
  showRow(row) {
    for (const view of this.views) {
      const has = row < view.plane.size[0];
      view.show(has ? row : Math.min(this.keptRead, view.plane.size[0] - 1));
    }
  }

  get keptRead() {
    return this.kept < this.header.read.length ? this.kept : this.header.row;
  }

  look(plane, row) {
    this.row = row;
    this.showRow(row);
  }

  restore() {
    this.row = this.kept;
    this.showRow(this.kept);
  }

  pin(view, row) {
    this.kept = this.row = row;
    this.showRow(row);
    const told = this.views.map((one) => `${one.title}: ${spoken(one.plane.tokens[one.row])} ${one.told(one.row)}`);
    this.live.textContent = told.join(". ");
    if (row < this.header.read.length) this.send({ position: row, serial: this.serial });
  }
}

export default function (component) {
  return mountOnce(component, Sees);
}
