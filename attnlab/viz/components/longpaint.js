// A large matrix as pixels, at any size. Of cells that share a pixel the strongest is drawn, so that
// a single line of attention never fades away: each level of a pyramid halves the one before it.

const STEPS = 4096; // shades from most in A to most in B
const FULL = 32767; // full ink in a level
let scratch = null; // pixels on their way to a canvas

/**
 * The levels of a plane, the finest first: {data, rows, columns, unit}. Ink is negative in A's
 * colour, positive in B's. `dead` of the first level are the rows that see nothing.
 */
function pyramidOf(plane) {
  const [rows, columns] = plane.size, data = new Int16Array(rows * columns), dead = [];
  for (let row = 0; row < rows; row++) {
    const until = plane.causal ? Math.min(columns, row + 1) : columns;
    if (!plane.inkRow(row, until, data, row * columns) && plane.side !== "d") dead.push(row);
  }
  const levels = [{ data, rows, columns, unit: 1, dead }];
  while (levels.at(-1).rows > 1 || levels.at(-1).columns > 1) levels.push(halve(levels.at(-1)));
  return levels;
}

/** The strongest of every 2 x 2 cells. */
function halve({ data, rows, columns, unit }) {
  const height = Math.ceil(rows / 2), width = Math.ceil(columns / 2);
  const next = new Int16Array(height * width);
  for (let i = 0; i < rows; i++) {
    const from = i * columns, to = (i >> 1) * width;
    for (let j = 0; j < columns; j++) {
      const value = data[from + j], at = to + (j >> 1), held = next[at];
      if ((value < 0 ? -value : value) > (held < 0 ? -held : held)) next[at] = value;
    }
  }
  return { data: next, rows: height, columns: width, unit: 2 * unit };
}

/** The strongest place among `unit` x `unit` cells from a place on. */
function strongestAt({ data, rows, columns }, [row, column], unit) {
  let best = [row, column], most = -1;
  for (let i = row; i < Math.min(rows, row + unit); i++) {
    for (let j = column; j < Math.min(columns, column + unit); j++) {
      const strength = Math.abs(data[i * columns + j]);
      if (strength > most) [best, most] = [[i, j], strength];
    }
  }
  return best;
}

/** The colour of every shade over a tile, as pixels are stored. */
function shadesOf(theme) {
  const shades = new Uint32Array(STEPS), bytes = new Uint8Array(shades.buffer);
  for (let step = 0; step < STEPS; step++) {
    const ink = (step + 0.5) / (STEPS / 2) - 1, strength = Math.abs(ink) < FAINT ? 0 : Math.abs(ink);
    const colour = ink < 0 ? theme.a : theme.b;
    colour.forEach((part, i) => {
      bytes[4 * step + i] = Math.round(theme.ground[i] * (1 - strength) + part * strength);
    });
    bytes[4 * step + 3] = 255;
  }
  return shades;
}

/** Paint what `view` has in sight; the future of a causal plane and what it forgot stay blank. */
function paintInSight(context, { view, levels, shades, plane }) {
  const level = levels[Math.min(levels.length - 1, Math.log2(view.unit))], { unit } = level;
  const [top, bottom] = view.range(0).map((at, i) => (i ? Math.ceil(at / unit) : Math.floor(at / unit)));
  const [left, right] = view.range(1).map((at, i) => (i ? Math.ceil(at / unit) : Math.floor(at / unit)));
  const width = right - left, height = bottom - top;
  if (width < 1 || height < 1) return;
  const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer);
  const shift = Math.log2((2 * (FULL + 1)) / STEPS);
  for (let i = top; i < bottom; i++) {
    const until = plane.causal ? Math.min(right, i + 1) : right;
    const from = i * level.columns, to = (i - top) * width - left;
    const gone = (column) => isForgotten(plane.kept, i * unit, column);
    for (let j = left; j < until; j++) {
      if (gone(j * unit) && gone((j + 1) * unit - 1)) continue; // all cells that share the pixel
      pixels[to + j] = shades[(level.data[from + j] + FULL + 1) >> shift];
    }
  }
  scratch ||= new OffscreenCanvas(1, 1);
  if (scratch.width < width) scratch.width = width; // setting a size makes a new bitmap
  if (scratch.height < height) scratch.height = height;
  scratch.getContext("2d").putImageData(image, 0, 0);
  const [x, y, size] = view.box([top * unit, left * unit], unit);
  context.imageSmoothingEnabled = false; // cells stay crisp
  context.drawImage(scratch, 0, 0, width, height, x, y, width * size, height * size);
}

/** Lines between cells that are large enough for them. */
function drawGaps(context, view, paper) {
  if (view.scale < 10) return;
  const [top, bottom] = view.range(0), [left, right] = view.range(1);
  context.fillStyle = paper;
  for (let i = top; i <= bottom; i++) {
    context.fillRect(0, view.box([i, 0])[1] - 1, view.width, 1);
  }
  for (let j = left; j <= right; j++) {
    context.fillRect(view.box([0, j])[0] - 1, 0, 1, view.height);
  }
}

/** Stretches of rows (axis 0) and columns (axis 1) that only one sentence has. */
function stretchesAlone(plane) {
  const found = [];
  for (const axis of [0, 1]) {
    for (let at = 0; at < plane.size[axis]; at++) {
      const side = plane.alone(axis, at), last = found.at(-1);
      if (!side) continue;
      if (last?.axis === axis && last.side === side && last.to === at) last.to = at + 1;
      else found.push({ axis, side, from: at, to: at + 1 });
    }
  }
  return found;
}

/** Hatch what cannot be compared and the rows that see nothing, as far as they are in sight. */
function hatchInSight(context, { view, levels, alone, theme, plane }) {
  const [top, bottom] = view.range(0), [left, right] = view.range(1);
  const fill = (colour, rows, columns) => {
    const [x, y] = view.box([Math.max(top, rows[0]), Math.max(left, columns[0])]);
    const [endX, endY] = [view.box([0, Math.min(right, columns[1])])[0], view.box([Math.min(bottom, rows[1]), 0])[1]];
    if (endX > x && endY > y) hatch(context, colour, x, y, endX - x, Math.max(1, endY - y));
  };
  const [rows, columns] = plane.size;
  for (const { axis, side, from, to } of alone) {
    const colour = hatchColour(side, theme);
    if (axis) fill(colour, [plane.causal ? from : 0, rows], [from, to]);
    else fill(colour, [from, to], [0, plane.causal ? to : columns]);
  }
  for (const row of levels[0].dead) fill(theme.line, [row, row + 1], [0, columns]);
}
