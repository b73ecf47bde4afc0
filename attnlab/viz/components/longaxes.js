// Around and inside the part of a long text's matrix that is in sight: words, positions, figures.

/** The words of rows and columns, or with `ruler` only positions; `at` is a Long. */
function drawAxes(context, { view, plane, owner: { theme }, left, top }, ruler) {
  const rows = view.range(0), columns = view.range(1), named = !ruler && view.scale >= CELL.named;
  const middle = (at, axis) => (at + 0.5 - (axis ? view.x : view.y)) * view.scale;
  const inside = (at, axis) => middle(at, axis) >= 0 && middle(at, axis) <= (axis ? view.width : view.height);
  context.font = `12px ${theme.font}`;
  context.fillStyle = theme.mute;
  context.textBaseline = "middle";
  if (named) {
    context.textAlign = "left";
    for (let row = rows[0]; row < rows[1]; row++) {
      if (!inside(row, 0)) continue;
      const label = labelOf(context, plane, 0, row, left - 10);
      label.draw(left - 7 - label.width, top + middle(row, 0), theme);
    }
    for (let column = columns[0]; column < columns[1]; column++) {
      if (inside(column, 1)) drawSlanted(context, plane, column, left + middle(column, 1), top, theme);
    }
    return;
  }
  context.textAlign = "right";
  for (const at of ticks(rows, view.scale, 32)) {
    if (inside(at, 0)) context.fillText(at.toLocaleString("en"), left - 7, top + middle(at, 0));
  }
  context.textAlign = "center";
  for (const at of ticks(columns, view.scale, 56)) {
    const x = Math.min(middle(at, 1), view.width - 16); // the last one is not cut
    if (inside(at, 1)) context.fillText(at.toLocaleString("en"), left + x, top - 9);
  }
}

/** A column's word above it, slanted; at the right edge cut to what the canvas holds. */
function drawSlanted(context, plane, column, x, top, theme) {
  context.save();
  context.translate(x + 2, top - 6);
  context.rotate(-MATRIX.tilt);
  labelOf(context, plane, 1, column, (top - 12) / Math.sin(MATRIX.tilt)).draw(0, 0, theme);
  context.restore();
}

/** The figures of the cells in sight. */
function drawFigures(context, view, plane, theme) {
  const [top, bottom] = view.range(0), [left, right] = view.range(1), size = view.scale - 1;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const text = plane.isFuture(row, column) ? "" : plane.figure(row, column);
      if (!text) continue;
      const ink = plane.ink(row, column), [x, y] = view.box([row, column]);
      context.fillStyle = readableOn(ink < 0 ? theme.a : theme.b, Math.abs(ink), theme);
      writeFigure(context, text, x, y, size, theme);
    }
  }
}
