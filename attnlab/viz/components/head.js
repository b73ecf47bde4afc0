// The chosen head for one or two sentences: as words with arcs, as matrices, or as B − A. The
// looked-from word moves here; a click keeps it, or a pair of words, and tells Python.

const LONG = 40; // tokens; beyond, not every word is in sight and the strongest are also written
const BESIDE = 1000; // CSS pixels in which two long texts have room side by side

class Head extends Picture {
  constructor(root) {
    super(root);
    this.body = root.appendChild(make("div", "al-head"));
    this.foot = root.appendChild(make("div", "al-legend"));
    this.pinned = {};
    this.looked = {};
    this.picked = null; // the kept key word, {side, key}
    this.drawings = {};
  }

  receive({ header, arrays }) {
    if (arrays !== this.arrays) {
      this.weights = {};
      for (const [side, array] of Object.entries(arrays)) this.weights[side] = weightsOf(array);
    }
    Object.assign(this, { header, arrays });
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.pinned = { ...header.rows };
      this.picked = header.key;
    }
    this.looked = { ...this.pinned };
    colourEdited(this.root, header.edited);
    this.theme = readTheme(this.root);
    const both = (pairs) => ({ a: new Map(pairs), b: new Map(pairs.map(([i, j]) => [j, i])) });
    this.over = both(header.pairs);
    this.overKeys = both(header.keyPairs);
    // Another head of the same words needs no new elements: scroll and focus stay where they are.
    const { mode, causal, tokens, sources, label, forgets } = header;
    const frame = JSON.stringify([mode, causal, tokens, sources, label, forgets]);
    if (frame !== this.frame) this.build();
    this.frame = frame;
    this.draw();
  }

  /** The longest axis there is, in tokens. */
  get length() {
    return Math.max(...Object.keys(this.arrays).flatMap((side) =>
      [this.header.tokens[side].length, this.keys(side).length]));
  }

  build() {
    const { header } = this, sides = Object.keys(this.arrays);
    const change = header.mode === "difference";
    const Type = this.length > LONG_SIDE ? Long : header.mode === "words" ? Words : Matrix;
    this.body.replaceChildren();
    this.body.dataset.sides = change ? 1 : sides.length;
    this.body.setAttribute("role", "group");
    if (header.label) this.body.setAttribute("aria-label", header.label);
    this.drawings = {};
    this.sums = {};
    for (const side of change ? ["d"] : sides) {
      const holder = this.body.appendChild(make("section", "al-side"));
      const plane = change ? new Change(this) : new Plane(this, side);
      this.drawings[side] = new Type(this, plane, holder.appendChild(make("div", "al-side-room")));
      for (const told of change ? sides : [side]) {
        this.sums[told] = holder.appendChild(make("div", "al-sum"));
        this.sums[told].style.setProperty("--lines", this.length > LONG ? 2 : 1);
      }
    }
  }

  draw() {
    if (!this.header || !this.root.clientWidth) return;
    this.width = this.root.clientWidth;
    for (const drawing of Object.values(this.drawings)) drawing.measure();
    this.body.classList.toggle("al-stacked", this.stacks());
    this.level();
    for (const drawing of Object.values(this.drawings)) {
      drawing.layOut();
      drawing.look();
      drawing.showKept();
    }
    this.foot.replaceChildren(...legendOfHead(this));
    for (const side of Object.keys(this.sums)) this.writeSum(side);
  }

  /** Whether two sides go below each other: long ones, and matrices that then hold figures. */
  stacks() {
    const drawings = Object.values(this.drawings);
    if (this.length > LONG_SIDE) return this.width < BESIDE;
    if (drawings.length < 2 || this.header.mode !== "matrix") return false;
    const gap = parseFloat(getComputedStyle(this.body).columnGap);
    const figures = (width) => drawings.every((side) => side.pitchIn(width) >= MATRIX.figures);
    return !figures((this.width - gap) / 2) && figures(this.width);
  }

  /** Beside each other, two matrices begin at one height, whatever words stand above them. */
  level() {
    const drawings = Object.values(this.drawings);
    const columns = getComputedStyle(this.body).gridTemplateColumns.split(" ").length;
    if (drawings.length < 2 || columns < 2 || !(drawings[0] instanceof Matrix)) return;
    const top = Math.max(...drawings.map((drawing) => drawing.top));
    for (const drawing of drawings) drawing.top = top;
  }

  weight(side, query, key) {
    return this.weights[side](query, key);
  }

  /** [A, B] at a cell of `side`: the other side's where the positions correspond, else null. */
  bothWeights(side, query, key) {
    const other = side === "a" ? "b" : "a", here = this.weight(side, query, key);
    const row = this.over[side].get(query), column = this.overKeys[side].get(key);
    const known = this.arrays[other] && row !== undefined && column !== undefined;
    const there = known ? this.weight(other, row, column) : null;
    return side === "a" ? [here, there] : [there, here];
  }

  isFuture(side, query, key) {
    return this.header.causal && !this.header.sources[side] && key > query;
  }

  /** Whether the cache had dropped `key`. */
  isForgotten(side, query, key) {
    return isForgotten(this.header.forgets?.[side], query, key);
  }

  /** The figures of a cell, or why it has none. */
  told(side, query, key) {
    if (this.isFuture(side, query, key)) return make("div", "al-tip-note", "cannot look ahead");
    if (this.header.lead) return make("div", "al-tip-figures", figure(this.weight(side, query, key)));
    const figures = figureLine(...this.bothWeights(side, query, key));
    if (!this.isForgotten(side, query, key)) return figures;
    const note = make("div", "al-tip-note", "forgotten: the cache has dropped it");
    figures.append(note);
    return figures;
  }

  /** The tooltip of a cell: its two words, its weights on both sides, what the tokenizer has. */
  describe(side, query, key) {
    const queries = this.header.tokens[side], keys = this.keys(side);
    const look = lookLine(queries[query], keys[key]), told = this.told(side, query, key);
    return [look, told, rawLine(keys[key], `position ${key}`)];
  }

  /** The words that can be looked at. */
  keys(side) {
    return this.header.sources[side] || this.header.tokens[side];
  }

  /** The position in `side` of a key word {side, key}: itself, its counterpart, or null. */
  keyIn(side, picked) {
    if (!picked) return null;
    return picked.side === side ? picked.key : this.overKeys[picked.side].get(picked.key) ?? null;
  }

  /** The position on the other side nearest to one of `side`; axis 0 are queries, 1 keys. */
  nearest(side, axis, position) {
    const pairs = axis ? this.header.keyPairs : this.header.pairs, here = side === "b" ? 1 : 0;
    let low = 0, high = pairs.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (pairs[middle][here] <= position) low = middle;
      else high = middle - 1;
    }
    return pairs.length ? position + pairs[low][1 - here] - pairs[low][here] : position;
  }

  sum(side, query) {
    const count = this.keys(side).length;
    let total = 0;
    for (let key = 0; key < count; key++) total += this.weight(side, query, key);
    return total;
  }

  /** What the looked-from word really is, what its row adds up to, and the kept pair's weight. */
  writeSum(side) {
    const row = this.looked[side], token = this.header.tokens[side][row], line = this.sums[side];
    const total = this.sum(side, row), rest = 1 - total;
    const first = make("div");
    if (this.header.lead) first.append(`${this.header.lead} `);
    else first.append(make("b", `al-${side}`, side.toUpperCase()), " from ");
    first.append(writeToken(make("span", "al-sum-word"), token));
    const adds = this.header.lead ? ", its row adds" : " adds";
    const key = row === this.pinned[side] ? this.keyIn(side, this.picked) : null;
    if (key !== null) {
      first.append(" to ", writeToken(make("span", "al-sum-word"), this.keys(side)[key]));
      first.append(make("b", `al-sum-pair al-${side}`, ` ${figure(this.weight(side, row, key))}`));
    } else if (total === 0) first.append(" sees nothing: every word is masked");
    else if (rest > 0.005) {
      first.append(`${adds} up to ${total.toFixed(2)}`);
      if (this.header.sink) first.append(`; the sink takes ${rest.toFixed(2)}`);
    } else first.append(`${adds} up to 1`);
    first.append(rawLine(token, `position ${row}`));
    line.replaceChildren(first);
    if (this.length > LONG && total > 0) line.append(this.strongestLine(side, row));
  }

  /** Look from a word, and from the one that corresponds to it. */
  look(side, row, speak = false) {
    const other = side === "a" ? "b" : "a", follows = this.over[side].get(row);
    this.lookFrom({ ...this.looked, [side]: row, ...(follows !== undefined && { [other]: follows }) });
    if (speak) this.live.textContent = this.summary(side, row);
  }

  lookFrom(rows) {
    const moved = Object.keys(rows).filter((side) => rows[side] !== this.looked[side]);
    if (!moved.length) return;
    this.looked = rows;
    for (const drawing of Object.values(this.drawings)) drawing.look();
    for (const side of moved) this.writeSum(side);
  }

  restore() {
    this.lookFrom({ ...this.pinned });
  }

  /** Keep a looked-from word and, unless it is null, a word looked at; the same again lets go. */
  pin(side, position, key = null) {
    const again = key !== null && this.picked?.side === side && this.picked.key === key &&
      this.pinned[side] === position;
    this.look(side, position);
    this.pinned = { ...this.looked };
    this.picked = key === null || again ? null : { side, key };
    for (const drawing of Object.values(this.drawings)) drawing.showKept();
    for (const name of Object.keys(this.sums)) this.writeSum(name);
    const pair = this.picked && `${spoken(this.keys(side)[key])} ${figure(this.weight(side, position, key))}`;
    this.live.textContent = pair
      ? `Kept: ${this.leading(side)} ${spoken(this.header.tokens[side][position])} to ${pair}`
      : `Kept: ${this.summary(side, position)}`;
    this.send({
      side: side.toUpperCase(), position, row_a: this.pinned.a, row_b: this.pinned.b ?? null,
      key: this.picked && key, serial: this.serial,
    });
  }

  /** The three words that a word looks at most, as buttons that keep the pair and lead to it. */
  strongestLine(side, row) {
    const line = make("div", "", "looks most at ");
    this.strongest(side, row).forEach(([weight, key], i) => {
      const button = make("button", "al-link");
      button.type = "button";
      writeToken(button, this.keys(side)[key]).append(` (position ${key})`);
      button.onclick = () => this.pin(side, row, key);
      line.append(i ? ", " : "", button, ` ${figure(weight)}`);
    });
    return line;
  }

  /** The three words that a word looks at most, to be read out. */
  summary(side, row) {
    const place = (key) => (this.length > LONG ? ` (position ${key})` : "");
    const told = this.strongest(side, row).map(([weight, key]) =>
      `${spoken(this.keys(side)[key])}${place(key)} ${figure(weight)}`);
    return `${this.leading(side)} ${spoken(this.header.tokens[side][row])} looks at ${told.join(", ")}`;
  }

  /** What is read out before a word that looks. */
  leading(side) {
    return this.header.lead || `${side.toUpperCase()},`;
  }

  /** [weight, key] of the three words that a word looks at most. */
  strongest(side, row) {
    const keys = this.keys(side), best = [];
    for (let key = 0; key < keys.length; key++) {
      const weight = this.weight(side, row, key);
      if (best.length && (weight < 0.005 || (best.length === 3 && weight <= best[2][0]))) continue;
      best.push([weight, key]);
      best.sort((x, y) => y[0] - x[0]).splice(3);
    }
    return best;
  }
}

export default function (component) {
  return mountOnce(component, Head);
}
