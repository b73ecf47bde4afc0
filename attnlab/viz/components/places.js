// What a matrix and the view of a long text have in common: labels, figures, looking and keeping.

/** A label of a plane cut to `room` CSS pixels: {text, width, draw(x, y, theme)}, in this font. */
function labelOf(context, plane, axis, at, room) {
  const words = plane.words(axis, at), divider = " / ";
  const between = words.length > 1 ? context.measureText(divider).width : 0;
  const each = (room - between) / words.length;
  const parts = words.map(([token, side]) => ({ text: clip(context, spoken(token), each), token, side }));
  const widths = parts.map(({ text }) => context.measureText(text).width);
  const draw = (x, y, theme) => parts.forEach(({ text, token, side }, i) => {
    if (i) {
      context.fillStyle = theme.mute;
      context.fillText(divider, x, y);
      x += between;
    }
    context.fillStyle = side ? `rgb(${theme[side].join()})` : token[SPECIAL] ? theme.mute : theme.ink;
    context.fillText(text, x, y);
    x += widths[i];
  });
  const text = parts.map((part) => part.text).join(divider);
  return { text, width: widths.reduce((sum, width) => sum + width, between), draw };
}

/** A text cut to the room it has. */
function clip(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const characters = [...text];
  while (characters.length && context.measureText(characters.join("") + "…").width > room) {
    characters.pop();
  }
  return characters.join("") + "…";
}

/** A figure in the middle of a square cell; in a small one without the 0 before its point. */
function writeFigure(context, text, x, y, size, theme) {
  if (!text) return;
  const short = text === "1.00" ? "1.0" : text.replace("0.", ".");
  context.font = `${size >= 32 ? 12 : size >= 20 ? 10.5 : size >= 17 ? 9.5 : 8.5}px ${theme.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(size >= 36 ? text : short, x + size / 2, y + size / 2 + 0.5);
}

/** Look from the word, or the words, of a row. */
function lookFrom(owner, plane, row) {
  const { side, query } = rowIn(plane, row);
  owner.look(side, query);
}

/** The sentence and the position of a row: B's where it has the word. */
function rowIn(plane, row) {
  if (plane.side !== "d") return { side: plane.side, query: row };
  const [a, b] = plane.axes[0][row];
  return b === null ? { side: "a", query: a } : { side: "b", query: b };
}

/** Keep the pair of a place; where no sentence has both words, or it lies ahead, only its row. */
function pinPlace(owner, plane, row, column) {
  const cell = plane.isFuture(row, column) ? null : plane.cell(row, column);
  if (cell) return owner.pin(cell.side, cell.query, cell.key);
  const { side, query } = rowIn(plane, row);
  owner.pin(side, query);
}

/** A place as it is read out. */
function spokenPlace(plane, row, column) {
  return plane.describe(row, column).slice(0, 2).map((part) => part.textContent).join(": ");
}
