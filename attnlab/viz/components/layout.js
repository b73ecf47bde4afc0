// Where each head lies on the canvas of all heads.

const LEFT = 30, FOOT = 20, BLOCK_GAP = 7; // row labels, layer labels, between folded layers
const PITCH = { least: 13, folded: 17, touch: 26, most: 120 }; // CSS pixels
const PHONE = 440; // CSS pixels: up to here a finger chooses, and tiles are large enough to hit
const TALLEST = { plain: 460, folded: 360 };

/**
 * Where each head lies. Layers run left to right and heads down; where that would leave a thin
 * strip (few layers, or very many heads), each layer is folded into `fold` columns.
 */
function layOut(layers, heads, room) {
  const option = (fold) => {
    const gaps = fold > 1 ? (layers - 1) * BLOCK_GAP : 0;
    const rows = Math.ceil(heads / fold);
    const tallest = fold > 1 ? TALLEST.folded : TALLEST.plain;
    const fit = Math.min((room - LEFT - gaps) / (layers * fold), tallest / rows, PITCH.most);
    const least = room <= PHONE || byFinger() ? PITCH.touch : fold > 1 ? PITCH.folded : PITCH.least;
    // Whole pixels keep the edges of tiles crisp.
    return { fold, rows, gaps, pitch: Math.max(least, Math.floor(fit)), fit };
  };
  let best = option(1);
  const thin = layers * best.pitch < 0.5 * room;
  for (let fold = 2; fold <= heads; fold++) {
    const next = option(fold);
    const least = best.fold > 1 ? best.fit : best.fit * (thin ? 1 : 1.25);
    if (next.fit >= least && next.fit >= PITCH.folded) best = next;
  }
  const { fold, rows, gaps, pitch } = best;
  const tile = pitch - (pitch < 24 ? 2 : 3), step = fold * pitch + (fold > 1 ? BLOCK_GAP : 0);
  const inset = pitch < 17 ? 1 : 2; // between the edge of a tile and its map
  return {
    fold, rows, pitch, tile, inset, map: tile - 2 * inset, step, layers, heads,
    width: LEFT + layers * fold * pitch + gaps, height: rows * pitch + FOOT,
    place: (layer, head) => [
      LEFT + layer * step + (head % fold) * pitch, Math.floor(head / fold) * pitch,
    ],
    find(x, y) {
      const layer = Math.floor((x - LEFT) / step);
      const column = Math.floor((x - LEFT - layer * step) / pitch);
      const head = Math.floor(y / pitch) * fold + column;
      const inside = x >= LEFT && layer < layers && column < fold && y >= 0 && head < heads;
      return inside && y < rows * pitch ? [layer, head] : null;
    },
    /** The head that an arrow key leads to: the same one at an edge, null for other keys. */
    neighbour([layer, head], key) {
      const column = head % fold, last = Math.min(fold - 1, heads - 1 - head + column);
      const moves = {
        ArrowDown: [layer, head + fold],
        ArrowUp: [layer, head - fold],
        ArrowRight: column < last ? [layer, head + 1] : [layer + 1, head - column],
        ArrowLeft: column > 0 ? [layer, head - 1] : [layer - 1, Math.min(heads - 1, head + fold - 1)],
        Home: [0, head],
        End: [layers - 1, head],
      };
      if (!(key in moves)) return null;
      const [to, at] = moves[key];
      return to >= 0 && to < layers && at >= 0 && at < heads ? [to, at] : [layer, head];
    },
  };
}
