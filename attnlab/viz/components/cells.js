// Cells of attention maps as pixels: ink means attention, in the colour of its sentence.

const GAIN = { weight: 1.3 }; // full ink at a weight of 0.77; of a change, at the largest one shown
const FAINT = 0.03; // less ink than this can hardly be seen and is left blank

/** Black or white, whichever can be read on `ink` of `colour` over a tile. */
function readableOn(colour, ink, theme) {
  const share = [0.2126, 0.7152, 0.0722]; // of red, green and blue in luminance
  const light = share.reduce((sum, part, i) =>
    sum + part * ((ink * colour[i] + (1 - ink) * theme.ground[i]) / 255) ** 2.2, 0);
  return light > 0.25 ? "#10141a" : "#fff";
}

/**
 * A canvas of `layers` x `heads` maps, each of at most `most` x `most` pixels. ink(layer, head, i, j)
 * is in [-1, 1]: negative in A's colour, positive in B's. Several cells that share a pixel are drawn
 * as the strongest of them, so that a single line of attention never fades away. Null if empty.
 */
function paintCells({ layers, heads, rows, columns, ink, theme, most }) {
  const width = Math.min(columns, most), height = Math.min(rows, most);
  if (!width || !height) return null;
  const canvas = new OffscreenCanvas(layers * width, heads * height);
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height), pixels = image.data;
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) {
      for (let i = 0; i < rows; i++) {
        const y = head * height + Math.floor((i * height) / rows);
        for (let j = 0; j < columns; j++) {
          const value = ink(layer, head, i, j), strength = Math.abs(value);
          if (strength < FAINT) continue;
          const x = layer * width + Math.floor((j * width) / columns);
          const at = 4 * (y * canvas.width + x), alpha = Math.min(255, Math.round(strength * 255));
          if (alpha <= pixels[at + 3]) continue;
          const colour = value < 0 ? theme.a : theme.b;
          pixels[at] = colour[0];
          pixels[at + 1] = colour[1];
          pixels[at + 2] = colour[2];
          pixels[at + 3] = alpha;
        }
      }
    }
  }
  context.putImageData(image, 0, 0);
  return { canvas, width, height };
}

const hatches = new Map(); // one pattern for each colour

/** Slanted lines over a rectangle: nothing to compare, or nothing to see. */
function hatch(context, colour, x, y, width, height) {
  if (!hatches.has(colour)) {
    const tile = new OffscreenCanvas(6, 6), lines = tile.getContext("2d");
    lines.strokeStyle = colour;
    lines.lineWidth = 1.2;
    lines.beginPath();
    for (const from of [-6, 0, 6]) {
      lines.moveTo(from - 1, 7);
      lines.lineTo(from + 7, -1);
    }
    lines.stroke();
    hatches.set(colour, lines.createPattern(tile, "repeat"));
  }
  context.fillStyle = hatches.get(colour);
  context.fillRect(x, y, width, height);
}

/** The colour in which what is only in `side` is hatched. */
const hatchColour = (side, theme) => `rgba(${theme[side].join()},${theme.dark ? 0.6 : 0.5})`;
