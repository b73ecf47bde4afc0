// What one matrix shows: rows that look and columns looked at, of one sentence or of B − A over the
// words of both. A place is a row and a column; a cell is {side, query, key} in one sentence.

/** weight(query, key) of one side: its array is whole, or flat and without the future. */
function weightsOf({ data, shape, top }) {
  if (shape.length === 2) return (query, key) => data[query * shape[1] + key] / top;
  return (query, key) => (key > query ? 0 : data[(query * (query + 1)) / 2 + key] / top);
}

/** The weights of one sentence. */
class Plane {
  constructor(owner, side) {
    Object.assign(this, { owner, side, name: side.toUpperCase() });
    this.queries = owner.header.tokens[side];
    this.keys = owner.keys(side);
    this.size = [this.queries.length, this.keys.length];
    this.causal = owner.header.causal && !owner.header.sources[side];
    this.kept = owner.header.forgets?.[side];
    this.full = 1 / GAIN.weight;
  }

  /** Whether a row cannot see a column: it comes later, or was forgotten. */
  isFuture(row, column) {
    return (this.causal && column > row) || isForgotten(this.kept, row, column);
  }

  /** Ink in [-1, 1]: negative in A's colour, positive in B's. */
  ink(row, column) {
    const ink = Math.min(1, this.value(row, column) / this.full);
    return this.side === "a" ? -ink : ink;
  }

  value(row, column) {
    return this.owner.weight(this.side, row, column);
  }

  /** Write the ink of a row's first `until` cells, times FULL, into `out`; whether it has weight. */
  inkRow(row, until, out, offset) {
    const weight = this.owner.weights[this.side], gain = FULL / this.full;
    const most = this.side === "a" ? -FULL : FULL, sign = Math.sign(most);
    let some = false;
    for (let column = 0; column < until; column++) {
      const value = weight(row, column), ink = value * gain;
      if (value > 0) some = true;
      out[offset + column] = ink < FULL ? sign * ink : most;
    }
    return some;
  }

  /** The figure written into a cell; "" for next to nothing. */
  figure(row, column) {
    const weight = this.value(row, column);
    return weight < 0.005 ? "" : figure(weight);
  }

  /** The cell of a place. */
  cell(row, column) {
    return { side: this.side, query: row, key: column };
  }

  /** The row of what is looked from, {a: position, b: position}. */
  rowOf(looked) {
    return looked[this.side];
  }

  /** The column of a key word, {side, key}, or null where this plane has none for it. */
  columnOf(picked) {
    return this.owner.keyIn(this.side, picked);
  }

  /** "a" or "b" where a row (axis 0) or column (axis 1) is only in that sentence. */
  alone() {
    return null;
  }

  /** Whether a row sees nothing at all. */
  isDead(row) {
    return this.owner.sum(this.side, row) === 0;
  }

  /** What is written at a row (axis 0) or column (axis 1): [token, side or null]. */
  words(axis, at) {
    return [[axis ? this.keys[at] : this.queries[at], null]];
  }

  /** The tooltip of a place. */
  describe(row, column) {
    return this.owner.describe(this.side, row, column);
  }
}

/** B − A of the chosen head: words without a counterpart keep their place. */
class Change {
  constructor(owner) {
    Object.assign(this, { owner, side: "d", name: "B − A" });
    const { rows, columns, full } = owner.header.difference;
    this.axes = [rows, columns];
    this.size = [rows.length, columns.length];
    const { causal, sources } = owner.header;
    this.causal = causal && !sources.a && !sources.b;
    this.full = full;
    this.places = this.axes.map((axis) => ({
      a: new Map(axis.map(([a], at) => [a, at])), b: new Map(axis.map(([, b], at) => [b, at])),
    }));
  }

  isFuture(row, column) {
    return this.causal && column > row;
  }

  ink(row, column) {
    return Math.max(-1, Math.min(1, this.value(row, column) / this.full));
  }

  /** The change of a weight; 0 where there is nothing to compare. */
  value(row, column) {
    const [i, j] = this.axes[0][row], [k, l] = this.axes[1][column];
    if (i === null || j === null || k === null || l === null) return 0;
    return this.owner.weight("b", j, l) - this.owner.weight("a", i, k);
  }

  inkRow(row, until, out, offset) {
    const [i, j] = this.axes[0][row], { a, b } = this.owner.weights, gain = FULL / this.full;
    if (i === null || j === null) return;
    this.columns ||= this.axes[1].map(([k, l]) => (k === null || l === null ? null : [k, l]));
    for (let column = 0; column < until; column++) {
      const pair = this.columns[column];
      if (!pair) continue;
      const ink = (b(j, pair[1]) - a(i, pair[0])) * gain;
      out[offset + column] = Math.max(-FULL, Math.min(FULL, ink));
    }
  }

  figure(row, column) {
    const change = this.value(row, column);
    return Math.abs(change) < 0.005 ? "" : signed(change);
  }

  /** The cell in B, or in A where B has not both words; null where no sentence has both. */
  cell(row, column) {
    const [i, j] = this.axes[0][row], [k, l] = this.axes[1][column];
    if (j !== null && l !== null) return { side: "b", query: j, key: l };
    return i !== null && k !== null ? { side: "a", query: i, key: k } : null;
  }

  rowOf(looked) {
    return this.places[0].b.get(looked.b) ?? this.places[0].a.get(looked.a);
  }

  columnOf(picked) {
    return picked && (this.places[1][picked.side].get(picked.key) ?? null);
  }

  alone(axis, at) {
    const [a, b] = this.axes[axis][at];
    return b === null ? "a" : a === null ? "b" : null;
  }

  isDead() {
    return false;
  }

  words(axis, at) {
    const [a, b] = this.axes[axis][at];
    const token = (side, position) =>
      (axis ? this.owner.keys(side) : this.owner.header.tokens[side])[position];
    if (b === null) return [[token("a", a), "a"]];
    if (a === null) return [[token("b", b), "b"]];
    const both = [token("a", a), token("b", b)];
    const same = both[0][RAW] === both[1][RAW];
    return same ? [[both[0], null]] : [[both[0], "a"], [both[1], "b"]];
  }

  describe(row, column) {
    const cell = this.cell(row, column);
    const only = [this.alone(0, row), this.alone(1, column)];
    if (!cell) return [make("div", "al-tip-note", "One word is only in A, the other only in B.")];
    const [look, figures, raw] = this.owner.describe(cell.side, cell.query, cell.key);
    const lone = only[0] || only[1];
    if (lone) {
      const name = lone.toUpperCase();
      return [look, figures, make("div", "al-tip-note", `only in ${name}: nothing to compare`)];
    }
    const differs = this.words(0, row).length > 1 || this.words(1, column).length > 1;
    if (!differs) return [look, figures, raw];
    const [i] = this.axes[0][row], [k] = this.axes[1][column];
    const there = lookLine(this.owner.header.tokens.a[i], this.owner.keys("a")[k]);
    there.prepend(make("b", "al-a", "A "));
    look.prepend(make("b", "al-b", "B "));
    return [there, look, figures];
  }
}
