// Every head of the model on one canvas. Hovering and moving stay here; choosing tells Python.

const LENS = 148; // CSS pixels of the enlarged map in the tooltip

class Grid extends Picture {
  constructor(root) {
    super(root);
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
    this.lens = make("canvas", "al-lens");
    this.selected = this.at = [0, 0];
    this.stage.onpointermove = oncePerFrame((pointer) => this.point(pointer));
    this.stage.onpointerleave = oncePerFrame(() => this.unpoint());
    this.stage.onclick = (event) => this.click(event);
    this.stage.onkeydown = (event) => this.press(event);
    this.stage.onfocus = () => this.moveCursor(this.at, false);
    this.stage.onblur = () => this.unpoint((this.cursor.hidden = true));
    this.scroller.onscroll = () => this.fadeEdges();
  }

  receive({ header, arrays }) {
    Object.assign(this, { header, arrays });
    this.ranks = new Map(header.ranks.map(([layer, head, rank]) => [`${layer},${head}`, rank]));
    this.badges = new Map(header.badges.map(([layer, head, ...badge]) => [`${layer},${head}`, badge]));
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
    colourEdited(this.root, this.header.edited);
    this.theme = readTheme(this.root);
    const { header, arrays, theme } = this;
    this.cells = shown(header, arrays);
    this.layout = layOut(arrays.a.shape[0], arrays.a.shape[1], this.width);
    const { layout } = this;
    const context = sharpen(this.canvas, layout.width, layout.height);
    const pixels = Math.max(1, Math.floor(layout.map * (window.devicePixelRatio || 1)));
    this.ink = inkOf(header, arrays, this.cells);
    const rows = this.cells.rows.length, columns = this.cells.columns.length;
    const { layers, heads } = layout, { ink } = this;
    const paint = (most) => paintCells({ layers, heads, rows, columns, ink, theme, most });
    this.atlas = paint(pixels);
    this.fine = Math.max(rows, columns) <= pixels ? this.atlas : paint(LENS);
    this.drawTiles(context);
    this.drawLabels(context);
    const hidden = layout.width > this.scroller.clientWidth;
    this.foot.replaceChildren(rampOf(header), hintOf(header, arrays, layout, hidden));
    this.ring(this.chosen, this.selected);
    this.reveal(this.selected);
    this.fadeEdges();
  }

  /** The grid fades out towards an edge beyond which there is more. */
  fadeEdges() {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight, style } =
      this.scroller;
    const beyond = {
      left: scrollLeft, right: scrollWidth - clientWidth - scrollLeft,
      top: scrollTop, bottom: scrollHeight - clientHeight - scrollTop,
    };
    for (const [edge, more] of Object.entries(beyond)) {
      style.setProperty(`--${edge}`, more > 1 ? "36px" : "0px");
    }
  }

  drawTiles(context) {
    const { layout, theme } = this, radius = Math.min(5, layout.tile / 7);
    for (let layer = 0; layer < layout.layers; layer++) {
      for (let head = 0; head < layout.heads; head++) {
        const [x, y] = layout.place(layer, head);
        context.fillStyle = theme.tile;
        context.beginPath();
        context.roundRect(x, y, layout.tile, layout.tile, radius);
        context.fill();
        const { inset, map } = layout;
        this.drawMap(context, this.atlas, layer, head, x + inset, y + inset, map);
        if (this.roomForHatch) {
          context.globalAlpha = 0.5; // the hatch stands behind what can be compared
          hatchAlone(context, this.cells, theme, x + inset, y + inset, map);
          context.globalAlpha = 1;
        }
        this.drawBadge(context, `${layer},${head}`, x, y);
        this.drawRank(context, `${layer},${head}`, x, y);
      }
    }
  }

  /** A dot in the upper right corner of a head that is known for something. */
  drawBadge(context, head, x, y) {
    const badge = this.badges.get(head), { layout, theme } = this;
    if (!badge) return;
    const radius = Math.max(2, Math.min(4, layout.tile / 8));
    context.beginPath();
    context.arc(x + layout.tile - radius - 1, y + radius + 1, radius, 0, 7);
    context.fillStyle = badge[theme.dark ? 2 : 1];
    context.fill();
    context.strokeStyle = theme.paper;
    context.lineWidth = 1;
    context.stroke();
  }

  /** The rank of a head that has one. */
  drawRank(context, head, x, y) {
    const { layout, theme } = this, rank = this.ranks.get(head);
    if (rank === undefined) return;
    const radius = Math.min(9, layout.tile / 2);
    context.fillStyle = theme.ink;
    context.beginPath();
    context.arc(x + radius - 1, y + radius - 1, radius, 0, 7);
    context.fill();
    context.strokeStyle = context.fillStyle = theme.paper;
    context.lineWidth = 1;
    context.stroke();
    context.font = `700 ${Math.min(13, 1.5 * radius)}px ${theme.font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(rank, x + radius - 1, y + radius - 0.5);
  }

  /** Whether a single row or column of a tile is wide enough to be hatched. */
  get roomForHatch() {
    const most = Math.max(this.cells.rows.length, this.cells.columns.length);
    return this.header.view === "B-A" && this.layout.map / most >= 3;
  }

  /** One map of the atlas, enlarged or shrunk into a square. */
  drawMap(context, atlas, layer, head, x, y, size) {
    if (!atlas) return;
    context.imageSmoothingEnabled = false; // cells stay crisp
    const { canvas, width, height } = atlas;
    context.drawImage(canvas, layer * width, head * height, width, height, x, y, size, size);
  }

  drawLabels(context) {
    const { layout, theme } = this;
    context.fillStyle = theme.mute;
    context.font = `12px ${theme.font}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const every = Math.max(1, Math.ceil(14 / layout.pitch));
    for (let row = 0; row < layout.rows; row += every) {
      context.fillText(`H${row * layout.fold}`, 2, row * layout.pitch + layout.tile / 2);
    }
    context.textAlign = "center";
    const skip = Math.max(1, Math.ceil(30 / layout.step));
    for (let layer = 0; layer < layout.layers; layer += skip) {
      const centre = LEFT + layer * layout.step + (layout.fold * layout.pitch) / 2 - 1.5;
      context.fillText(`L${this.header.layers[layer]}`, centre, layout.rows * layout.pitch + 9);
    }
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
    const [left, top] = this.layout.place(...place), { inset, map } = this.layout;
    const within = (at, count) =>
      Math.max(0, Math.min(count - 1, Math.floor(((at - inset) / map) * count)));
    const cell = [
      within(y - top, this.cells.rows.length), within(x - left, this.cells.columns.length),
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
    const parts = [make("div", "al-tip-title", title)], badge = this.badges.get(`${layer},${head}`);
    if (badge) parts.push(make("div", "al-tip-note", badge[0]));
    const row = this.cells.rows[i], column = this.cells.columns[j];
    if (!row || !column) return parts;
    this.drawLens(layer, head, i, j);
    const { header, arrays } = this, side = sideOf(header, row, column), at = side === "a" ? 0 : 1;
    parts.push(this.lens);
    if (!side) return [...parts, make("div", "al-tip-note", "One word is only in A, the other only in B.")];
    parts.push(lookFor(header, arrays, side, row[at], column[at]));
    parts.push(isAhead(header, arrays, side, row[at], column[at])
      ? make("div", "al-tip-note", "cannot look ahead")
      : figuresFor(header, ...weightsAt(arrays, layer, head, row, column)));
    const alone = aloneIn(row) || aloneIn(column);
    if (alone) parts.push(make("div", "al-tip-note", `only in ${alone.toUpperCase()}: nothing to compare`));
    return parts;
  }

  drawLens(layer, head, i, j) {
    const { theme } = this;
    this.lensContext ||= sharpen(this.lens, LENS, LENS);
    const context = this.lensContext;
    context.clearRect(0, 0, LENS, LENS);
    context.fillStyle = theme.tile;
    context.fillRect(0, 0, LENS, LENS);
    this.drawMap(context, this.fine, layer, head, 0, 0, LENS);
    hatchAlone(context, this.cells, theme, 0, 0, LENS);
    const height = LENS / this.cells.rows.length, width = LENS / this.cells.columns.length;
    context.strokeStyle = theme.ink;
    const box = [Math.max(2, width - 1), Math.max(2, height - 1)];
    context.strokeRect(j * width + 0.5, i * height + 0.5, ...box);
  }

  click(event) {
    const box = this.canvas.getBoundingClientRect();
    const place = this.layout.find(event.clientX - box.left, event.clientY - box.top);
    if (place) this.choose(place);
  }

  press(event) {
    const { key } = event;
    const next = key === "Escape" ? this.selected : this.layout.neighbour(this.at, key);
    const chosen = key === "Enter" || key === " ";
    if (!next && !chosen) return;
    event.preventDefault();
    if (chosen) this.choose(this.at);
    else this.moveCursor(next, true);
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
    const rank = this.ranks.get(`${layer},${head}`), place = rank === undefined ? "" : `, number ${rank}`;
    const badge = this.badges.get(`${layer},${head}`), known = badge ? `, ${badge[0]}` : "";
    const name = `Layer ${this.header.layers[layer]}, head ${head}${place}${known}`;
    if (!best) return name;
    const { header, arrays } = this, side = sideOf(header, best.row, best.column);
    if (!side) return name;
    const at = side === "a" ? 0 : 1;
    const look = lookFor(header, arrays, side, best.row[at], best.column[at]).textContent;
    const weights = weightsAt(arrays, layer, head, best.row, best.column);
    return `${name}. ${look}: ${figuresFor(header, ...weights).textContent}`;
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
