// Every head of the model on one canvas. Hovering and moving stay here; choosing tells Python.

const LENS = 148; // CSS pixels of the enlarged map in the tooltip

class Grid {
  constructor(root) {
    this.root = root;
    this.scroller = root.appendChild(make("div", "al-scroll"));
    this.stage = this.scroller.appendChild(make("div", "al-grid"));
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "application");
    this.stage.setAttribute("aria-roledescription", "grid of attention heads");
    this.canvas = this.stage.appendChild(make("canvas"));
    for (const name of ["hover", "cursor", "chosen"]) {
      this[name] = this.stage.appendChild(make("div", `al-ring al-${name}`));
      this[name].hidden = true;
    }
    this.foot = root.appendChild(make("div", "al-legend"));
    this.live = liveRegion(root);
    this.tip = new Tip(root);
    this.lens = make("canvas", "al-lens");
    this.selected = this.at = [0, 0];
    this.serial = null;
    this.stage.onpointermove = oncePerFrame((event) => this.point(event));
    this.stage.onpointerleave = oncePerFrame(() => this.unpoint());
    this.stage.onclick = (event) => this.click(event);
    this.stage.onkeydown = (event) => this.press(event);
    this.stage.onfocus = () => this.moveCursor(this.at, false);
    this.stage.onblur = () => this.unpoint((this.cursor.hidden = true));
    this.observer = new ResizeObserver(() => this.width !== root.clientWidth && this.draw());
    this.observer.observe(root);
  }

  leave() {
    this.tip.hide();
    this.observer.disconnect();
  }

  receive({ header, arrays }) {
    Object.assign(this, { header, arrays });
    this.marks = new Map(header.marks.map(([layer, head, note]) => [`${layer},${head}`, note]));
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.selected = this.at = header.selected;
    }
    const [layers, heads] = arrays.a.shape;
    this.stage.setAttribute("aria-label",
      `${header.label}: ${layers} layers, ${heads} heads each. Arrow keys move, Enter chooses.`);
    this.draw();
  }

  draw() {
    if (!this.header || !this.root.clientWidth) return;
    this.width = this.root.clientWidth;
    this.theme = readTheme(this.root);
    const { header, arrays, theme } = this;
    this.cells = shown(header, arrays);
    this.layout = layOut(arrays.a.shape[0], arrays.a.shape[1], this.width);
    const { layout } = this;
    this.context = sharpen(this.canvas, layout.width, layout.height);
    const pixels = Math.max(1, Math.floor((layout.tile - 4) * (window.devicePixelRatio || 1)));
    this.ink = inkOf(header, arrays, this.cells);
    const rows = this.cells.rows.length, columns = this.cells.columns.length;
    const paint = (most) => paintCells({
      layers: layout.layers, heads: layout.heads, rows, columns, ink: this.ink, theme, most,
    });
    this.atlas = paint(pixels);
    this.fine = Math.max(rows, columns) <= pixels ? this.atlas : paint(LENS);
    this.drawTiles();
    this.drawLabels();
    this.writeLegend();
    this.ring(this.chosen, this.selected);
    this.reveal(this.selected);
  }

  drawTiles() {
    const { context, layout, theme } = this;
    const radius = Math.min(5, layout.tile / 7);
    for (let layer = 0; layer < layout.layers; layer++) {
      for (let head = 0; head < layout.heads; head++) {
        const [x, y] = layout.place(layer, head);
        context.fillStyle = theme.tile;
        context.beginPath();
        context.roundRect(x, y, layout.tile, layout.tile, radius);
        context.fill();
        this.drawMap(context, this.atlas, layer, head, x + 2, y + 2, layout.tile - 4);
        if (!this.marks.has(`${layer},${head}`)) continue;
        context.fillStyle = theme.ink;
        context.beginPath();
        context.arc(x + layout.tile - 4, y + 4, 2, 0, 7);
        context.fill();
      }
    }
  }

  /** One map of the atlas, enlarged or shrunk into a square. */
  drawMap(context, atlas, layer, head, x, y, size) {
    if (!atlas) return;
    context.imageSmoothingEnabled = false; // cells stay crisp
    const { canvas, width, height } = atlas;
    context.drawImage(canvas, layer * width, head * height, width, height, x, y, size, size);
  }

  drawLabels() {
    const { context, layout, theme } = this;
    context.fillStyle = theme.mute;
    context.font = `10px ${theme.font}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const every = Math.max(1, Math.ceil(13 / layout.pitch));
    for (let row = 0; row < layout.rows; row += every) {
      context.fillText(`H${row * layout.fold}`, 2, row * layout.pitch + layout.tile / 2);
    }
    context.textAlign = "center";
    const skip = Math.max(1, Math.ceil(26 / layout.step));
    for (let layer = 0; layer < layout.layers; layer += skip) {
      const centre = LEFT + layer * layout.step + (layout.fold * layout.pitch) / 2 - 1.5;
      context.fillText(`L${this.header.layers[layer]}`, centre, layout.rows * layout.pitch + 9);
    }
  }

  writeLegend() {
    const { header } = this, difference = header.view === "B-A";
    const ramp = make("span", "al-ramp");
    ramp.dataset.view = header.view;
    const full = (difference ? 1 / GAIN.change : 1 / GAIN.weight).toFixed(2);
    const ends = difference ? [`${full} more in A`, `${full} more in B`] : ["0", `${full} or more`];
    const scale = make("span", "al-scale");
    scale.append(make("span", "", ends[0]), ramp, make("span", "", ends[1]));
    const notes = [];
    if (difference) notes.push(this.differenceNote());
    if (this.layout.fold > 1) {
      notes.push(`Each layer is folded: ${this.layout.fold} heads side by side.`);
    }
    notes.push("Click a head, or arrow keys and Enter");
    this.foot.replaceChildren(scale, make("span", "al-hint", notes.join(" · ")));
  }

  /** Which rows B − A shows, and what it leaves out. */
  differenceNote() {
    const { rows, note } = this.header.difference, all = this.arrays.b.shape[2];
    const kept = rows.length && rows.length < all ? `The ${rows.length} of ${all} rows that can differ` : "";
    return [kept, note].filter(Boolean).join(". ") || "All rows";
  }

  ring(node, place) {
    node.hidden = !place;
    if (!place) return;
    const [x, y] = this.layout.place(...place);
    const size = this.layout.tile + 4;
    node.style.cssText = `left:${x - 2}px;top:${y - 2}px;width:${size}px;height:${size}px`;
  }

  /** Scroll the card so that a head lies inside it. */
  reveal([layer, head]) {
    const [x, y] = this.layout.place(layer, head), { scroller, layout } = this;
    const into = (from, view, at) =>
      at < from ? at - 8 : at + layout.tile > from + view ? at + layout.tile + 8 - view : from;
    scroller.scrollLeft = into(scroller.scrollLeft, scroller.clientWidth, x);
    scroller.scrollTop = into(scroller.scrollTop, scroller.clientHeight, y);
  }

  point(pointer) {
    const box = this.canvas.getBoundingClientRect();
    const x = pointer.x - box.left, y = pointer.y - box.top;
    const place = this.layout.find(x, y);
    if (!place) return this.unpoint();
    const [left, top] = this.layout.place(...place), size = this.layout.tile - 4;
    const within = (at, count) =>
      Math.max(0, Math.min(count - 1, Math.floor((at / size) * count)));
    const cell = [
      within(y - top - 2, this.cells.rows.length), within(x - left - 2, this.cells.columns.length),
    ];
    if (String(place) !== this.pointed) this.ring(this.hover, place);
    this.pointed = String(place);
    const subject = [...place, ...cell].join();
    this.tip.show(pointer.x, pointer.y, subject, () => this.describe(place, cell));
  }

  unpoint() {
    this.pointed = null;
    this.hover.hidden = true;
    this.tip.hide();
  }

  /** The tooltip's content: the head, enlarged, and the cell in words and figures. */
  describe([layer, head], [i, j]) {
    const title = `Layer ${this.header.layers[layer]} · Head ${head}`;
    const parts = [make("div", "al-tip-title", title)];
    const mark = this.marks.get(`${layer},${head}`);
    if (mark) parts.push(make("div", "al-tip-note", mark));
    const row = this.cells.rows[i], column = this.cells.columns[j];
    if (!row || !column) return parts;
    this.drawLens(layer, head, i, j);
    const [a, b] = weightsAt(this.arrays, layer, head, row, column);
    const side = this.header.view === "A" ? "a" : "b", at = side === "a" ? 0 : 1;
    parts.push(this.lens, this.lookFor(side, row[at], column[at]));
    parts.push(this.isFuture(side, row[at], column[at])
      ? make("div", "al-tip-note", "cannot look ahead") : this.figures(a, b));
    return parts;
  }

  /** Figures of what is drawn: both sides in B − A, where positions correspond; else one. */
  figures(a, b) {
    if (this.header.view === "B-A") return figureLine(a, b);
    return this.header.view === "A" ? figureLine(a, null) : figureLine(null, b);
  }

  isFuture(side, query, key) {
    const pooled = this.arrays[side].shape[2] < this.header.tokens[side].length;
    return this.header.causal && !this.header.sources[side] && !pooled && key > query;
  }

  lookFor(side, query, key) {
    const queries = this.header.tokens[side], keys = this.header.sources[side] || queries;
    const [, , q, s] = this.arrays[side].shape;
    if (q === queries.length && s === keys.length) return lookLine(queries[query], keys[key]);
    const span = (at, bins, length) =>
      `${Math.floor((at * length) / bins)}–${Math.ceil(((at + 1) * length) / bins) - 1}`;
    return make("div", "al-tip-look", `words ${span(query, q, queries.length)} → ` +
      `${span(key, s, keys.length)}, strongest`);
  }

  drawLens(layer, head, i, j) {
    const { theme } = this;
    this.lensContext ||= sharpen(this.lens, LENS, LENS);
    const context = this.lensContext;
    context.clearRect(0, 0, LENS, LENS);
    context.fillStyle = theme.tile;
    context.fillRect(0, 0, LENS, LENS);
    this.drawMap(context, this.fine, layer, head, 0, 0, LENS);
    const height = LENS / this.cells.rows.length, width = LENS / this.cells.columns.length;
    context.strokeStyle = theme.ink;
    context.strokeRect(j * width + 0.5, i * height + 0.5, Math.max(2, width - 1), Math.max(2, height - 1));
  }

  click(event) {
    const box = this.canvas.getBoundingClientRect();
    const place = this.layout.find(event.clientX - box.left, event.clientY - box.top);
    if (place) this.choose(place);
  }

  press(event) {
    const { fold, layers, heads } = this.layout;
    let [layer, head] = this.at;
    if (event.key === "ArrowDown") head += fold;
    else if (event.key === "ArrowUp") head -= fold;
    else if (event.key === "ArrowRight") {
      if (head % fold < fold - 1 && head + 1 < heads) head += 1;
      else [layer, head] = [layer + 1, head - (head % fold)];
    } else if (event.key === "ArrowLeft") {
      if (head % fold > 0) head -= 1;
      else [layer, head] = [layer - 1, Math.min(heads - 1, head + fold - 1)];
    } else if (event.key === "Home") layer = 0;
    else if (event.key === "End") layer = layers - 1;
    else if (event.key === "Escape") [layer, head] = this.selected;
    else if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (event.key === "Enter" || event.key === " ") return this.choose(this.at);
    if (layer >= 0 && layer < layers && head >= 0 && head < heads) this.moveCursor([layer, head], true);
  }

  moveCursor(place, speak) {
    this.at = place;
    // A pointer that clicked needs no second ring; the keyboard does.
    this.ring(this.cursor, this.stage.matches(":focus-visible") ? place : null);
    this.reveal(place);
    if (speak) this.live.textContent = this.summary(place);
  }

  /** What a head does most, in one sentence. */
  summary([layer, head]) {
    let best = null;
    this.cells.rows.forEach((row, i) => this.cells.columns.forEach((column, j) => {
      const strength = Math.abs(this.ink(layer, head, i, j));
      if (!best || strength > best.strength) best = { strength, row, column };
    }));
    const name = `Layer ${this.header.layers[layer]}, head ${head}`;
    if (!best) return name;
    const side = this.header.view === "A" ? "a" : "b", at = side === "a" ? 0 : 1;
    const look = this.lookFor(side, best.row[at], best.column[at]).textContent;
    const weights = weightsAt(this.arrays, layer, head, best.row, best.column);
    return `${name}. ${look}: ${this.figures(...weights).textContent}`;
  }

  choose(place) {
    this.selected = this.at = place;
    this.ring(this.chosen, place);
    this.live.textContent = `Chosen: layer ${this.header.layers[place[0]]}, head ${place[1]}`;
    this.send({ layer: place[0], head: place[1], serial: this.serial });
  }
}

export default function (component) {
  return mountOnce(component, Grid);
}
