// The chosen head for one or two sentences, as words with arcs or as matrices. The looked-from
// word moves here; a click pins it and tells Python.

const LONG = 40; // tokens; beyond, not every word is in sight and the strongest are also written
const MOST_WORDS = 512; // beyond, arcs between words cannot be read and the matrix is drawn

class Head extends Picture {
  constructor(root) {
    super(root);
    this.body = root.appendChild(make("div", "al-head"));
    this.note = root.appendChild(make("p", "al-note"));
    root.appendChild(make("div", "al-foot")).append(saveButton(() => this.picture()));
    this.pinned = {};
    this.looked = {};
    this.sides = {};
  }

  receive({ header, arrays }) {
    Object.assign(this, { header, arrays });
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.pinned = { ...header.rows };
    }
    this.looked = { ...this.pinned };
    this.theme = readTheme(this.root);
    this.over = { a: new Map(header.pairs), b: new Map(header.pairs.map(([i, j]) => [j, i])) };
    // Another head of the same words needs no new elements: scroll and focus stay where they are.
    const { mode, causal, tokens, sources, label } = header;
    const frame = JSON.stringify([mode, causal, tokens, sources, label]);
    if (frame !== this.frame) this.build();
    this.frame = frame;
    this.draw();
  }

  /** How many positions the longest side has. */
  get length() {
    return Math.max(...Object.values(this.arrays).flatMap(({ shape }) => shape));
  }

  build() {
    // What a side has put off until the pointer rests is about weights that may be gone by then.
    for (const replaced of Object.values(this.sides)) clearTimeout(replaced.rest);
    const { header } = this, tooLong = header.mode === "words" && this.length > MOST_WORDS;
    const Type = header.mode === "words" && !tooLong ? Words : Matrix;
    this.note.textContent = tooLong
      ? `Words are drawn up to ${MOST_WORDS} tokens; this is the matrix.` : "";
    this.note.hidden = !tooLong;
    this.body.replaceChildren();
    this.body.dataset.sides = Object.keys(this.arrays).length;
    this.body.setAttribute("role", "group");
    if (header.label) this.body.setAttribute("aria-label", header.label);
    this.sides = {};
    this.sums = {};
    for (const side of Object.keys(this.arrays)) {
      const holder = this.body.appendChild(make("section", "al-side"));
      const scroller = holder.appendChild(make("div", "al-side-scroll"));
      scroller.classList.toggle("al-long", Type === Words && this.length > 64);
      this.sides[side] = new Type(this, side, scroller);
      this.sums[side] = holder.appendChild(make("div", "al-sum"));
      this.sums[side].style.setProperty("--lines", this.length > LONG ? 2 : 1);
    }
  }

  draw() {
    if (!this.header || !this.root.clientWidth) return;
    this.width = this.root.clientWidth;
    for (const drawing of Object.values(this.sides)) drawing.measure();
    this.body.classList.toggle("al-stacked", this.stacksForFigures());
    for (const [side, drawing] of Object.entries(this.sides)) {
      drawing.layOut();
      drawing.look(this.looked[side]);
      drawing.showPinned(this.pinned[side]);
      this.writeSum(side);
    }
  }

  /** Two matrices go below each other only where that makes room for the figures in their cells. */
  stacksForFigures() {
    const sides = Object.values(this.sides);
    if (sides.length < 2 || this.header.mode !== "matrix") return false;
    const gap = parseFloat(getComputedStyle(this.body).columnGap);
    const figures = (width) => sides.every((side) => side.pitchIn(width) >= MATRIX.figures);
    return !figures((this.width - gap) / 2) && figures(this.width);
  }

  /** All sides beside each other, for saving. */
  picture() {
    const sides = Object.values(this.sides);
    const draw = (context) => {
      for (const side of sides) {
        side.draw(context);
        context.translate(side.size[0] + SAVED_EDGE, 0);
      }
    };
    const width = sides.reduce((sum, side) => sum + side.size[0] + SAVED_EDGE, -SAVED_EDGE);
    const height = Math.max(...sides.map((side) => side.size[1]));
    return { name: this.header.label || "Head", width, height, paper: this.theme.paper, draw };
  }

  weight(side, query, key) {
    const { data, shape, top } = this.arrays[side];
    return data[query * shape[1] + key] / top;
  }

  /** [A, B] at a cell of `side`: the other side's where the positions correspond, else null. */
  bothWeights(side, query, key) {
    const other = side === "a" ? "b" : "a", here = this.weight(side, query, key);
    const to = this.over[side], apart = this.header.sources.a || this.header.sources.b;
    const known = this.arrays[other] && !apart && to.has(query) && to.has(key);
    const there = known ? this.weight(other, to.get(query), to.get(key)) : null;
    return side === "a" ? [here, there] : [there, here];
  }

  isFuture(side, query, key) {
    return this.header.causal && !this.header.sources[side] && key > query;
  }

  /** The tooltip of a cell: its two words, its weights on both sides, what the tokenizer has. */
  describe(side, query, key) {
    const queries = this.header.tokens[side], keys = this.keys(side);
    const weights = this.isFuture(side, query, key)
      ? make("div", "al-tip-note", "cannot look ahead")
      : figureLine(...this.bothWeights(side, query, key));
    return [lookLine(queries[query], keys[key]), weights, rawLine(keys[key], `position ${key}`)];
  }

  /** The words that can be looked at. */
  keys(side) {
    return this.header.sources[side] || this.header.tokens[side];
  }

  sum(side, query) {
    const keys = this.arrays[side].shape[1];
    let total = 0;
    for (let key = 0; key < keys; key++) total += this.weight(side, query, key);
    return total;
  }

  /** What the looked-from word really is, and what its row adds up to. */
  writeSum(side) {
    const row = this.looked[side], token = this.header.tokens[side][row], line = this.sums[side];
    const total = this.sum(side, row), rest = 1 - total;
    const first = make("div");
    first.append(make("b", `al-${side}`, side.toUpperCase()), " from ");
    first.append(writeToken(make("span", "al-sum-word"), token));
    if (total === 0) first.append(" sees nothing: every word is masked");
    else if (rest > 0.005) {
      first.append(` adds up to ${total.toFixed(2)}`);
      if (this.header.sink) first.append(`; the sink takes ${rest.toFixed(2)}`);
    } else first.append(" adds up to 1");
    first.append(rawLine(token, `position ${row}`));
    line.replaceChildren(first);
    if (this.length > LONG) line.append(make("div", "", this.summary(side, row)));
  }

  look(side, row, speak = false) {
    const other = side === "a" ? "b" : "a", follows = this.over[side].get(row);
    this.show(side, row);
    if (this.sides[other] && follows !== undefined) this.show(other, follows);
    if (speak) this.live.textContent = this.summary(side, row);
  }

  show(side, row) {
    if (this.looked[side] === row) return;
    this.looked[side] = row;
    this.sides[side].look(row);
    this.writeSum(side);
  }

  restore() {
    for (const side of Object.keys(this.sides)) this.show(side, this.pinned[side]);
  }

  pin(side, position) {
    this.look(side, position);
    this.pinned = { ...this.looked };
    for (const [name, drawing] of Object.entries(this.sides)) drawing.showPinned(this.pinned[name]);
    this.live.textContent = `Kept: ${this.summary(side, position)}`;
    this.send({
      side: side.toUpperCase(), position, row_a: this.pinned.a, row_b: this.pinned.b ?? null,
      serial: this.serial,
    });
  }

  /** The three words that a word looks at most. */
  summary(side, row) {
    const place = (key) => (this.length > LONG ? ` (position ${key})` : "");
    const best = this.keys(side).map((token, key) => [this.weight(side, row, key), token, key])
      .sort((x, y) => y[0] - x[0]).slice(0, 3)
      .map(([weight, token, key]) => `${spoken(token)}${place(key)} ${figure(weight)}`);
    return `${side.toUpperCase()}, ${spoken(this.header.tokens[side][row])} looks at ${best.join(", ")}`;
  }
}

export default function (component) {
  return mountOnce(component, Head);
}
