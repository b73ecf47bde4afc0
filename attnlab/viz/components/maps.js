// What the grid's maps say at a cell: weights, their difference, and how much ink that is.

/**
 * Which positions of A and B one picture shows: rows and columns as [position in A, in B], null
 * where only the other has the word.
 */
function shown(header, arrays) {
  const drop = (pairs) => pairs.filter(([i, j]) => !(header.dropFirst && (i === 0 || j === 0)));
  if (header.view === "B-A") {
    return { rows: header.difference.rows, columns: drop(header.difference.columns) };
  }
  const [, , queries, keys] = arrays[header.view.toLowerCase()].shape;
  const same = (size) => Array.from({ length: size }, (_, i) => [i, i]);
  return { rows: same(queries), columns: drop(same(keys)) };
}

/** One weight of an array of shape [L, H, q, s]; null outside it, without it or without a place. */
function weightOf(array, layer, head, query, key) {
  if (!array || query === null || key === null) return null;
  const [, heads, queries, keys] = array.shape;
  if (query >= queries || key >= keys) return null;
  return array.data[((layer * heads + head) * queries + query) * keys + key] / array.top;
}

/** The weights of A and B at a row and column, each given as [position in A, position in B]. */
function weightsAt({ a, b }, layer, head, row, column) {
  return [
    weightOf(a, layer, head, row[0], column[0]), weightOf(b, layer, head, row[1], column[1]),
  ];
}

/** Ink of a cell in [-1, 1]: negative is drawn in A's colour, positive in B's. */
function inkOf(header, arrays, cells) {
  const { rows, columns } = cells;
  if (header.view !== "B-A") {
    const array = arrays[header.view.toLowerCase()];
    const gain = header.view === "A" ? -GAIN.weight : GAIN.weight;
    return (layer, head, i, j) =>
      gain * weightOf(array, layer, head, rows[i][0], columns[j][0]);
  }
  return (layer, head, i, j) => {
    const [a, b] = weightsAt(arrays, layer, head, rows[i], columns[j]);
    return a === null || b === null ? 0 : (b - a) / header.difference.full;
  };
}

/** "a" or "b" where a pair of positions is in that sentence only. */
const aloneIn = ([a, b]) => (b === null ? "a" : a === null ? "b" : null);

/** Hatch the rows and columns of `cells` that only one sentence has, in a map drawn at (x, y). */
function hatchAlone(context, cells, theme, x, y, size) {
  const height = size / cells.rows.length, width = size / cells.columns.length;
  cells.rows.forEach((row, i) => {
    const side = aloneIn(row);
    if (side) hatch(context, hatchColour(side, theme), x, y + i * height, size, height);
  });
  cells.columns.forEach((column, j) => {
    const side = aloneIn(column);
    if (side) hatch(context, hatchColour(side, theme), x + j * width, y, width, size);
  });
}

/** The sentence in which a cell is told: B's in B − A, where B has both words; null for none. */
function sideOf({ view }, row, column) {
  const has = (at) => row[at] !== null && column[at] !== null;
  const order = view === "A" ? ["a"] : view === "B" ? ["b"] : ["b", "a"];
  return order.find((side) => has(side === "a" ? 0 : 1)) ?? null;
}

/** Figures of what is drawn: both sides in B − A, where positions correspond; else one. */
function figuresFor({ view }, a, b) {
  return figureLine(view === "B" ? null : a, view === "A" ? null : b);
}

/** Whether a cell lies in the future of its row. */
function isAhead(header, arrays, side, query, key) {
  const pooled = arrays[side].shape[2] < header.tokens[side].length;
  return header.causal && !header.sources[side] && !pooled && key > query;
}

/** "from → to" of a cell; where cells are pooled, the tokens that share it. */
function lookFor(header, arrays, side, query, key) {
  const queries = header.tokens[side], keys = header.sources[side] || queries;
  const [, , q, s] = arrays[side].shape;
  if (q === queries.length && s === keys.length) return lookLine(queries[query], keys[key]);
  const cell = cellSide([q, s], queries.length, keys.length);
  return make("div", "al-tip-look", `tokens ${spanOf(query, cell, queries.length)} → ` +
    `${spanOf(key, cell, keys.length)}, strongest`);
}
