// One side of the chosen head as a matrix: a row for each position that looks, a column for each
// position looked at. Positions are the axes, so words that repeat keep rows of their own.

// Sizes in CSS pixels: of the largest cell, of the smallest with a figure, of the longest label, and
// between labels and cells. Column labels start this far into their cell, and slant by an angle.
const MATRIX = { most: 38, figures: 17, label: 92, gap: 7, start: 0.55, tilt: Math.PI / 3.4 };

class Matrix {
  constructor(owner, side, holder) {
    Object.assign(this, { owner, side, holder });
    this.queries = owner.header.tokens[side];
    this.keys = owner.keys(side);
    this.node = holder.appendChild(make("div", `al-matrix al-${side}-side`));
    this.node.dataset.side = side.toUpperCase();
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "application");
    this.node.setAttribute("aria-roledescription", "attention matrix");
    this.node.setAttribute("aria-label", `Attention of ${side.toUpperCase()}, ` +
      `${this.queries.length} rows, ${this.keys.length} columns. Arrow keys move, Enter keeps a row.`);
    this.canvas = this.node.appendChild(make("canvas"));
    this.band = this.node.appendChild(make("div", "al-band"));
    this.box = this.node.appendChild(make("div", "al-box"));
    this.box.hidden = true;
    this.cell = [0, 0];
    this.node.onpointermove = oncePerFrame((pointer) => this.point(pointer));
    this.node.onpointerleave = oncePerFrame(() => this.unpoint());
    this.node.onclick = (event) => {
      const cell = this.find(event.clientX, event.clientY);
      if (cell) this.owner.pin(this.side, cell[0]);
    };
    this.node.onkeydown = (event) => this.press(event);
    this.node.onblur = () => this.unpoint();
  }

  /** The room that labels need, left of the cells and above them. */
  measure() {
    const context = this.canvas.getContext("2d");
    context.font = `12px ${this.owner.theme.font}`;
    const width = (token) => Math.min(MATRIX.label, context.measureText(spoken(token)).width);
    const columns = this.keys.map(width);
    this.left = Math.ceil(Math.max(...this.queries.map(width))) + MATRIX.gap + 4;
    this.top = Math.ceil(Math.max(...columns) * Math.sin(MATRIX.tilt)) + MATRIX.gap + 6;
    // How far each column's label leans to the right of where it starts.
    this.leans = columns.map((column) => column * Math.cos(MATRIX.tilt) + 5);
  }

  /** The largest cell with which cells and slanted labels fit into `width` CSS pixels. */
  pitchIn(width) {
    const room = width - this.left - 1, count = this.keys.length;
    const fits = this.leans.map((lean, j) => (room - lean) / (j + MATRIX.start));
    const pitch = Math.min(MATRIX.most, Math.max(40 / count, Math.min(room / count, ...fits)));
    return pitch > 4 ? Math.floor(pitch * 2) / 2 : pitch; // crisp cell edges
  }

  layOut() {
    const room = this.holder.clientWidth, own = this.pitchIn(room);
    const least = Math.min(...Object.values(this.owner.sides).map((side) => side.pitchIn(room)));
    this.pitch = least > 0.8 * own ? least : own; // about the same size: then the same
    const ends = this.leans.map((lean, j) => (j + MATRIX.start) * this.pitch + lean);
    this.size = [
      Math.ceil(this.left + Math.max(this.pitch * this.keys.length + 1, ...ends)),
      Math.ceil(this.top + this.pitch * this.queries.length + 2),
    ];
    this.draw(sharpen(this.canvas, ...this.size));
    this.showPinned(this.owner.pinned[this.side]);
  }

  draw(context) {
    if (this.pitch < 4) this.drawPixels(context);
    else this.drawCells(context);
    this.drawLabels(context);
  }

  /** Long texts: cells smaller than a few pixels, the strongest of each pixel. */
  drawPixels(context) {
    const sign = this.side === "a" ? -GAIN.weight : GAIN.weight;
    const width = this.pitch * this.keys.length, height = this.pitch * this.queries.length;
    context.fillStyle = this.owner.theme.tile;
    context.beginPath();
    context.moveTo(this.left, this.top);
    if (!this.owner.isFuture(this.side, 0, 1)) context.lineTo(this.left + width, this.top);
    context.lineTo(this.left + width, this.top + height);
    context.lineTo(this.left, this.top + height);
    context.fill();
    const painted = paintCells({
      layers: 1, heads: 1, rows: this.queries.length, columns: this.keys.length,
      ink: (_, __, i, j) => sign * this.owner.weight(this.side, i, j), theme: this.owner.theme,
      most: Math.max(1, Math.floor(Math.max(width, height) * (window.devicePixelRatio || 1))),
    });
    context.imageSmoothingEnabled = false;
    context.drawImage(painted.canvas, this.left, this.top, width, height);
  }

  drawCells(context) {
    const { theme } = this.owner, gap = this.pitch >= 10 ? 1 : 0, size = this.pitch - gap;
    const colour = theme[this.side].join();
    this.queries.forEach((_, i) => {
      if (this.owner.sum(this.side, i) === 0) return this.hatch(context, i);
      this.keys.forEach((__, j) => {
        if (this.owner.isFuture(this.side, i, j)) return;
        const weight = this.owner.weight(this.side, i, j);
        const x = this.left + j * this.pitch, y = this.top + i * this.pitch;
        const ink = Math.min(1, weight * GAIN.weight);
        context.fillStyle = theme.tile;
        context.fillRect(x, y, size, size);
        if (ink >= FAINT) {
          context.fillStyle = `rgba(${colour},${ink})`;
          context.fillRect(x, y, size, size);
        }
        if (this.pitch >= MATRIX.figures && weight >= 0.005) this.write(context, weight, ink, x, y, size);
      });
    });
  }

  write(context, weight, ink, x, y, size) {
    const { theme } = this.owner;
    context.fillStyle = readableOn(theme[this.side], ink, theme);
    context.font = `${size >= 32 ? 11.5 : size >= 20 ? 10 : size >= 17 ? 9 : 8.5}px ${theme.font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(size >= 32 ? figure(weight) : shortFigure(weight), x + size / 2, y + size / 2 + 0.5);
  }

  /** A row that sees nothing. */
  hatch(context, row) {
    const width = this.pitch * this.keys.length, y = this.top + row * this.pitch;
    context.save();
    context.beginPath();
    context.rect(this.left, y, width - 1, this.pitch - 1);
    context.clip();
    context.strokeStyle = this.owner.theme.line;
    for (let x = -this.pitch; x < width; x += 6) {
      context.beginPath();
      context.moveTo(this.left + x, y + this.pitch);
      context.lineTo(this.left + x + this.pitch, y);
      context.stroke();
    }
    context.restore();
  }

  /** The words on both axes; where they would overlap, every second, third, ... is written. */
  drawLabels(context) {
    const { theme } = this.owner, step = Math.max(1, Math.ceil(12 / this.pitch));
    context.font = `${this.pitch < 14 ? 10.5 : 12}px ${theme.font}`;
    context.textBaseline = "middle";
    const colour = (token) => (token[SPECIAL] ? theme.mute : theme.ink);
    context.textAlign = "right";
    for (let i = 0; i < this.queries.length; i += step) {
      context.fillStyle = colour(this.queries[i]);
      const y = this.top + (i + 0.5) * this.pitch;
      context.fillText(clip(context, spoken(this.queries[i])), this.left - MATRIX.gap, y);
    }
    context.textAlign = "left";
    for (let j = 0; j < this.keys.length; j += step) {
      context.save();
      context.translate(this.left + (j + MATRIX.start) * this.pitch, this.top - MATRIX.gap + 1);
      context.rotate(-MATRIX.tilt);
      context.fillStyle = colour(this.keys[j]);
      context.fillText(clip(context, spoken(this.keys[j])), 0, 0);
      context.restore();
    }
  }

  find(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const i = Math.floor((y - box.top - this.top) / this.pitch);
    const j = Math.floor((x - box.left - this.left) / this.pitch);
    const inside = i >= 0 && j >= 0 && i < this.queries.length && j < this.keys.length;
    return inside ? [i, j] : null;
  }

  point(pointer) {
    const cell = this.find(pointer.x, pointer.y);
    if (!cell) return this.unpoint();
    if (String(cell) !== String(this.pointed)) {
      this.pointed = cell;
      this.ring(cell);
      this.owner.look(this.side, cell[0]);
    }
    const subject = [this.side, ...cell].join();
    this.owner.tip.show(pointer.x, pointer.y, subject,
      () => this.owner.describe(this.side, ...cell));
  }

  unpoint() {
    this.pointed = null;
    this.box.hidden = true;
    this.owner.tip.hide();
    this.owner.restore();
  }

  ring([query, key]) {
    const size = Math.max(this.pitch, 4);
    this.box.hidden = false;
    this.box.style.cssText = `left:${this.left + key * this.pitch - 1.5}px;` +
      `top:${this.top + query * this.pitch - 1.5}px;width:${size + 2}px;height:${size + 2}px`;
  }

  press(event) {
    let [query, key] = this.cell;
    if (event.key === "ArrowDown") query += 1;
    else if (event.key === "ArrowUp") query -= 1;
    else if (event.key === "ArrowRight") key += 1;
    else if (event.key === "ArrowLeft") key -= 1;
    else if (event.key === "Escape") return this.unpoint();
    else if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (event.key === "Enter" || event.key === " ") return this.owner.pin(this.side, query);
    query = Math.max(0, Math.min(this.queries.length - 1, query));
    key = Math.max(0, Math.min(this.keys.length - 1, key));
    this.cell = [query, key];
    this.ring(this.cell);
    this.owner.look(this.side, query);
    const [look, value] = this.owner.describe(this.side, query, key);
    this.owner.live.textContent = `${look.textContent}: ${value.textContent}`;
  }

  look(query) {
    this.at = query;
    this.band.style.cssText = `left:0;top:${this.top + query * this.pitch - 1.5}px;` +
      `width:${this.left + this.keys.length * this.pitch + 1}px;height:${Math.max(3, this.pitch + 2)}px`;
  }

  showPinned(query) {
    this.look(query);
  }
}

/** A figure for a small cell: no 0 before the point. */
function shortFigure(weight) {
  const text = figure(weight);
  return text === "1.00" ? "1.0" : text.replace(/^0/, "");
}

/** A label cut to the room it has. */
function clip(context, text) {
  if (context.measureText(text).width <= MATRIX.label) return text;
  const characters = [...text];
  while (characters.length && context.measureText(characters.join("") + "…").width > MATRIX.label) {
    characters.pop();
  }
  return characters.join("") + "…";
}
