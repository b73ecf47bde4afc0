// One head's map, small: cells on one canvas, and above them words and what is pointed at. All heads
// that are compared share one plot, since they share the words and the scale.

// CSS pixels: the largest cell, the least with a figure, the longest label, between labels and cells.
const PLOT = { most: 24, figures: 19, label: 78, gap: 6, start: 0.55, tilt: Math.PI / 3.4 };

class MapPlot {
  constructor(owner) {
    this.owner = owner;
  }

  /** The room that labels need, left of the cells and above them. */
  measure(context) {
    const { owner } = this;
    context.font = `11.5px ${owner.theme.font}`;
    const width = (word) => Math.min(PLOT.label, context.measureText(spoken(word)).width);
    const widths = (words) => words.map(width);
    const columns = owner.pooled ? [] : widths(owner.keys);
    this.left = owner.pooled ? 2 : Math.ceil(Math.max(...widths(owner.queries))) + PLOT.gap;
    this.top = owner.pooled ? 2 : Math.ceil(Math.max(...columns) * Math.sin(PLOT.tilt)) + PLOT.gap + 6;
    this.leans = columns.map((column) => column * Math.cos(PLOT.tilt) + 5);
  }

  /** The largest cell with which everything fits into `width` CSS pixels. */
  pitchIn(width) {
    const room = width - this.left - 2, [, columns] = this.owner.size;
    const fits = this.leans.map((lean, j) => (room - lean) / (j + PLOT.start));
    return Math.min(PLOT.most, Math.max(1, Math.min(room / columns, ...fits)));
  }

  layOut(width) {
    const pitch = this.pitchIn(width), [rows, columns] = this.owner.size;
    this.pitch = pitch > 4 ? Math.floor(pitch * 2) / 2 : pitch; // crisp cell edges
    const ends = this.leans.map((lean, j) => (j + PLOT.start) * this.pitch + lean);
    this.width = Math.ceil(this.left + Math.max(columns * this.pitch + 2, ...ends));
    this.height = Math.ceil(this.top + rows * this.pitch + 2);
  }

  draw(context, head) {
    const { owner, pitch } = this, [rows, columns] = owner.size;
    const size = pitch >= 8 ? pitch - 1 : pitch, colour = owner.theme[owner.side].join();
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        if (owner.isFuture(i, j)) continue;
        const x = this.left + j * pitch, y = this.top + i * pitch;
        const weight = owner.weight(owner.side, head, i, j);
        const ink = Math.min(1, weight * GAIN.weight);
        context.fillStyle = owner.theme.tile;
        context.fillRect(x, y, size, size);
        if (ink >= FAINT) {
          context.fillStyle = `rgba(${colour},${ink})`;
          context.fillRect(x, y, size, size);
        }
        if (pitch >= PLOT.figures && weight >= 0.005) this.write(context, weight, ink, x, y, size);
      }
    }
  }

  write(context, weight, ink, x, y, size) {
    const { theme, side } = this.owner;
    context.fillStyle = readableOn(theme[side], ink, theme);
    context.font = `${size >= 20 ? 10 : 9}px ${theme.font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const short = figure(weight).replace(/^0(?=\.)/, "").replace("1.00", "1");
    context.fillText(short, x + size / 2, y + size / 2 + 0.5);
  }

  /** The words, and the row, the column and the cell of [query, key] if there is one. */
  mark(context, head, cell) {
    const { owner, pitch, left, top } = this, [rows, columns] = owner.size;
    if (cell) {
      // Lines, and no tint: ink means attention.
      const x = left + cell[1] * pitch - 1, y = top + cell[0] * pitch - 1;
      context.strokeStyle = owner.theme.mute;
      context.lineWidth = 1;
      context.strokeRect(left - 1, y, columns * pitch + 1, pitch + 1);
      if (cell[1] !== null) context.strokeRect(x, top - 1, pitch + 1, rows * pitch + 1);
    }
    if (!owner.pooled) this.label(context, cell);
    if (!cell || cell[1] === null) return;
    const size = Math.max(pitch, 4);
    context.strokeStyle = owner.theme.ink;
    context.lineWidth = 2;
    context.strokeRect(left + cell[1] * pitch - 0.5, top + cell[0] * pitch - 0.5, size, size);
  }

  /** Where labels would overlap, every second, third, … is written, and always the one pointed at. */
  label(context, cell) {
    const { owner, pitch, left, top } = this, { theme } = owner;
    const step = Math.max(1, Math.ceil(11 / pitch)), strong = `rgb(${theme[owner.side].join()})`;
    const shown = (count, on) => Array.from({ length: count }, (_, i) => i).filter((i) =>
      i === on || (i % step === 0 && !(on !== null && Math.abs(i - on) < step)));
    const write = (word, on, x, y) => {
      context.fillStyle = on ? strong : word[SPECIAL] ? theme.mute : theme.ink;
      context.font = `${on ? 700 : 400} ${pitch < 13 ? 10.5 : 11.5}px ${theme.font}`;
      context.fillText(shorten(context, spoken(word), PLOT.label), x, y);
    };
    const [query, key] = cell || [null, null];
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const i of shown(owner.size[0], query)) {
      write(owner.queries[i], i === query, left - PLOT.gap, top + (i + 0.5) * pitch);
    }
    context.textAlign = "left";
    for (const j of shown(owner.size[1], key)) {
      context.save();
      context.translate(left + (j + PLOT.start) * pitch, top - PLOT.gap + 1);
      context.rotate(-PLOT.tilt);
      write(owner.keys[j], j === key, 0, 0);
      context.restore();
    }
  }

  /** The [query, key] at a place of the canvas; a place among the labels is a whole row. */
  find(x, y) {
    const i = Math.floor((y - this.top) / this.pitch), j = Math.floor((x - this.left) / this.pitch);
    const [rows, columns] = this.owner.size;
    if (i < 0 || i >= rows || j >= columns) return null;
    return j < 0 ? [i, null] : [i, j];
  }
}

/** `text` cut to the room it has. */
function shorten(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const characters = [...text];
  while (characters.length && context.measureText(characters.join("") + "…").width > room) {
    characters.pop();
  }
  return characters.join("") + "…";
}
