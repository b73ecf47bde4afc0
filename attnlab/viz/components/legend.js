// Below a picture: what ink means, what is left out or reduced, and how to choose.

/** The scale of ink of a view, with the values at its ends: in B − A the largest change shown. */
function rampOf({ view, difference }) {
  const full = (view === "B-A" ? difference.full : 1 / GAIN.weight).toFixed(2);
  const ends = view === "B-A" ? [`${full} more in A`, `${full} more in B`] : ["0", `${full} or more`];
  const ramp = make("span", "al-ramp"), scale = make("span", "al-scale");
  ramp.dataset.view = view;
  scale.append(make("span", "", ends[0]), ramp, make("span", "", ends[1]));
  return scale;
}

/** What is hatched, as its colours mean it. */
function hatchKeys(axes, theme) {
  const only = (missing) => axes.some((axis) => axis.some((pair) => pair[missing] === null));
  return ["a", "b"].filter((_, i) => only(1 - i)).map((side) => {
    const key = make("span", "al-scale"), sample = make("canvas");
    hatch(sharpen(sample, 22, 12), hatchColour(side, theme), 0, 0, 22, 12);
    key.append(sample, make("span", "", `only in ${side.toUpperCase()}`));
    return key;
  });
}

/** The legend of the chosen head, where its cells say less than figures would. */
function legendOfHead({ header, theme, drawings }) {
  const { mode, difference } = header;
  if (mode === "difference") {
    const axes = [difference.rows, difference.columns];
    return [rampOf({ view: "B-A", difference }), ...hatchKeys(axes, theme)];
  }
  const written = ({ pitch, view }) => !view && (mode === "words" || pitch >= MATRIX.figures);
  if (Object.values(drawings).every(written)) return [];
  return Object.keys(drawings).map((side) => rampOf({ view: side.toUpperCase() }));
}

/** Which rows B − A shows, and what it could not align. */
function differenceNote({ difference }, { b }) {
  const kept = difference.compared, all = b.shape[2];
  const rows = kept && kept < all ? `The ${kept} of ${all} rows that can differ` : "";
  return [rows, difference.note].filter(Boolean).join(" · ");
}

/** How many tokens share a cell of a long text, and what leaving out the first column then hides. */
function poolNote(header, arrays) {
  const side = header.view === "A" ? "a" : "b", [, , queries, keys] = arrays[side].shape;
  const length = header.tokens[side].length, width = (header.sources[side] || header.tokens[side]).length;
  const size = sharedBy([queries, keys], length, width);
  if (!size) return "";
  const first = Math.min(width, cellSide([queries, keys], length, width));
  const hidden = header.dropFirst ? `; the first column, ${first} tokens, is left out` : "";
  return `Long text: a cell shows the strongest of ${size}${hidden}`;
}

/** Notes on the picture; `hidden` says that some layers lie beyond its right edge. */
function hintOf(header, arrays, layout, hidden) {
  const fold = layout.fold > 1 ? `Each layer is folded: ${layout.fold} heads side by side` : "";
  const change = header.view === "B-A" ? differenceNote(header, arrays) : "";
  const scroll = hidden ? "Scroll sideways for all layers" : "";
  const keys = byFinger() ? "" : "Or use arrow keys and Enter";
  const dots = header.badges?.length ? header.badgeNote : "";
  const notes = [change, poolNote(header, arrays), fold, scroll, dots, keys];
  return make("span", "al-hint", notes.filter(Boolean).join(" · "));
}
