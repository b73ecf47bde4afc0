// The rows of a painted mask: the words above, and for each word its cells, how many it sees, and the
// word that it is to predict.

/** The words above the columns, slanted. */
function headsOf({ keys, predicts, looks }) {
  const line = make("div", "al-paint-line");
  line.setAttribute("role", "row");
  const head = (className, text) => {
    const node = line.appendChild(make("span", className, text));
    node.setAttribute("role", "columnheader");
    return node;
  };
  head("al-paint-corner").setAttribute("aria-label", "looks from");
  for (const word of keys) writeToken(head("al-paint-head").appendChild(make("i")), word);
  head("al-paint-sees", looks ? "looks" : "sees");
  if (predicts) head("al-paint-next", "is to predict");
  return line;
}

/** The row of one word: its nodes, yet to be filled. */
function rowOf({ words, keys, predicts }, query) {
  const node = make("div", "al-paint-line");
  node.setAttribute("role", "row");
  const name = node.appendChild(make("span", "al-paint-word"));
  name.setAttribute("role", "rowheader");
  name.dataset.row = query;
  writeToken(name, words[query]);
  const part = (className) => {
    const one = node.appendChild(make("span", className));
    one.setAttribute("role", "gridcell");
    return one;
  };
  const cells = keys.map((_, key) => {
    const cell = part("al-paint-cell");
    Object.assign(cell.dataset, { q: query, k: key });
    cell.tabIndex = -1;
    return cell;
  });
  return { node, name, cells, sum: part("al-paint-sees"), next: predicts ? part("al-paint-next") : null };
}

/** The cells on the line from one cell to another, both included. */
function cellsBetween([query, key], [toQuery, toKey]) {
  const steps = Math.max(Math.abs(toQuery - query), Math.abs(toKey - key));
  const on = (from, to, step) => Math.round(from + ((to - from) * step) / (steps || 1));
  return Array.from({ length: steps + 1 }, (_, step) => [on(query, toQuery, step), on(key, toKey, step)]);
}

/** A cell of a pattern: whether it can be painted, and in a row without cells where the head looks. */
function fillLook(cell, picture, query, key) {
  const { own } = picture.arrays, left = own && !picture.seen(query).length;
  const weight = left ? own.data[query * picture.across + key] : 0;
  cell.classList.toggle("al-paint-closed", picture.closed(query, key));
  cell.style.setProperty("--own", `${Math.round(100 * Math.min(1, GAIN.weight * weight))}%`);
}
