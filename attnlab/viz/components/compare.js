// Several heads beside each other, on one scale: what is pointed at in one is shown in all. Heads are
// told apart by their place and their name.

class Compare extends Picture {
  constructor(root) {
    super(root);
    this.say = root.appendChild(make("div", "al-compare-say"));
    this.body = root.appendChild(make("div", "al-compare"));
    this.body.setAttribute("role", "group");
    this.foot = root.appendChild(make("div", "al-legend"));
    this.table = root.appendChild(make("div", "al-alike-holder"));
    this.kept = this.pointed = null;
    this.lastQuery = null;
  }

  receive({ header, arrays }) {
    Object.assign(this, { header, arrays, side: header.side });
    this.queries = header.tokens[this.side];
    this.keys = header.sources[this.side] || this.queries;
    this.size = arrays[this.side].shape.slice(1);
    this.pooled = this.size[0] < this.queries.length || this.size[1] < this.keys.length;
    this.over = new Map(this.side === "a" ? header.pairs : header.pairs.map(([i, j]) => [j, i]));
    const words = JSON.stringify([this.side, header.tokens, header.sources]);
    if (words !== this.words) this.kept = this.pointed = this.lastQuery = null;
    this.words = words;
    this.theme = readTheme(this.root);
    this.build();
    this.draw();
  }

  build() {
    const { header } = this, focus = this.root.getRootNode().activeElement?.dataset?.act;
    const arcs = header.drawn === "arcs" && !this.pooled;
    this.plot = arcs ? new ArcPlot(this) : new MapPlot(this);
    if (header.label) this.body.setAttribute("aria-label", header.label);
    this.names = header.heads.map(([layer, head]) => `L${layer} H${head}`);
    this.tiles = header.heads.map((_, i) => new Tile(this, i));
    this.body.replaceChildren(...this.tiles.map(({ node }) => node));
    const alike = header.alike[this.side];
    this.table.replaceChildren(...(alike && this.names.length > 1
      ? [alikeTable(this.names, alike, (pair) => this.outline(pair))] : []));
    this.foot.replaceChildren(...(arcs ? [] : [rampOf({ view: this.side.toUpperCase() })]),
      make("span", "al-hint", this.reduced() || "All heads have one scale"));
    if (focus) this.root.querySelector(`[data-act="${CSS.escape(focus)}"]`)?.focus();
  }

  /** What a long text loses in this picture. */
  reduced() {
    if (!this.pooled) return "";
    const size = sharedBy(this.size, this.queries.length, this.keys.length);
    return `Long text: a cell shows the strongest of ${size}; words are written up to 64 tokens`;
  }

  draw() {
    if (!this.header || !this.root.clientWidth) return;
    this.width = this.root.clientWidth;
    this.plot.measure(new OffscreenCanvas(1, 1).getContext("2d"));
    const gap = 22, room = (columns) => (this.width - (columns - 1) * gap) / columns;
    const columns = columnsFor(this.tiles.length, this.width, (count) => this.plot.pitchIn(room(count)));
    this.body.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    this.plot.layOut(Math.floor(room(columns)));
    for (const tile of this.tiles) tile.draw();
    this.show();
  }

  weight(side, head, query, key) {
    const { data, shape: [, queries, keys], top } = this.arrays[side];
    return data[(head * queries + query) * keys + key] / top;
  }

  isFuture(query, key) {
    return this.header.causal && !this.header.sources[this.side] && key > query;
  }

  /** [A, B] at a cell of what is drawn: the other text's where the words correspond, else null. */
  both(head, query, key) {
    const other = this.side === "a" ? "b" : "a", here = this.weight(this.side, head, query, key);
    const i = this.over.get(query), j = this.over.get(key);
    const apart = this.pooled || this.header.sources.a || this.header.sources.b;
    const known = this.arrays[other] && !apart && i !== undefined && j !== undefined;
    const there = known ? this.weight(other, head, i, j) : null;
    return this.side === "a" ? [here, there] : [there, here];
  }

  /** What is shown in all: what is pointed at, else what was kept. */
  get cell() {
    return this.pointed || this.kept;
  }

  point(cell) {
    if (String(cell) === String(this.pointed)) return;
    this.pointed = cell;
    if (cell) this.lastQuery = cell[0];
    this.show();
  }

  keep(cell) {
    this.kept = cell && String(cell) !== String(this.kept) ? cell : null;
    this.pointed = this.kept;
    this.lastQuery = this.kept ? this.kept[0] : this.lastQuery;
    this.show();
    this.live.textContent = this.kept ? `Kept: ${this.spell()}` : "Nothing kept";
  }

  /** The words at a cell, or the tokens that share it. */
  look([query, key]) {
    const side = cellSide(this.size, this.queries.length, this.keys.length);
    const span = (at, words) => side === 1 ? spoken(words[at])
      : `tokens ${spanOf(at, side, words.length)}`;
    const line = make("span");
    if (key === null) line.append("from ");
    line.append(make("bdi", `al-${this.side}`, span(query, this.queries)));
    if (key !== null) line.append(" → ", make("bdi", `al-${this.side}`, span(key, this.keys)));
    return line;
  }

  show() {
    const { cell } = this;
    for (const tile of this.tiles) tile.mark(cell);
    if (!cell) {
      this.say.textContent = this.plot instanceof ArcPlot
        ? "Point at a word to see where it looks in every head; click to keep it."
        : "Point at a cell to read it in every head; click to keep it.";
    } else {
      const future = cell[1] !== null && this.isFuture(...cell);
      this.say.replaceChildren(this.look(cell), future ? ": cannot look ahead" : "");
    }
  }

  /** The pair and every head's figure, to be read out. */
  spell() {
    const [query, key] = this.cell, name = this.look(this.cell).textContent;
    if (key === null) return name;
    if (this.isFuture(query, key)) return `${name}: cannot look ahead`;
    const weight = (head) => figure(this.weight(this.side, head, query, key));
    const figures = this.names.map((head, i) => `${head} ${weight(i)}`);
    return `${name}: ${figures.join(", ")}`;
  }

  outline(pair) {
    this.tiles.forEach(({ node }, i) => node.classList.toggle("al-on", pair.includes(i)));
  }

  press(event) {
    const [rows, columns] = this.size, at = this.cell || [rows - 1, null], [query, key] = at;
    const column = key ?? -1;
    const moves = {
      ArrowDown: [query + 1, key], ArrowUp: [query - 1, key],
      ArrowRight: [query, column + 1], ArrowLeft: [query, column - 1],
    };
    if (event.key === "Escape") this.keep(null);
    else if (event.key === "Enter" || event.key === " ") this.keep(at);
    else if (event.key in moves) {
      const [i, j] = moves[event.key], within = (to, count) => Math.max(0, Math.min(count - 1, to));
      this.point([within(i, rows), j === null ? null : within(j, columns)]);
      this.live.textContent = this.spell();
    } else return;
    event.preventDefault();
  }
}

export default function (component) {
  return mountOnce(component, Compare);
}
