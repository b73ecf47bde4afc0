// Attention step by step: a row of steps, the matrices of the one that is shown, the sum behind the
// chosen cell, and what came before. Which step and cell are shown and what was typed live here;
// every computed number comes from Python.

const TOKEN_BY_TOKEN = ["scores", "scaled", "masked", "weights"];
const PACE = 2200, PATIENCE = 350; // ms that Play shows a step, and that a choice waits to be told

class Steps {
  constructor(root) {
    this.root = root;
    this.live = liveRegion(root);
    this.edits = new Map(); // place -> number
    this.grids = [];
    this.serial = null;
    const bar = root.appendChild(make("div", "al-steps-bar"));
    this.back = bar.appendChild(this.button("‹", "Step back", () => this.go(this.at - 1)));
    this.player = bar.appendChild(this.button("", "Play", () => this.play(!this.timer)));
    this.on = bar.appendChild(this.button("›", "Step on", () => this.go(this.at + 1)));
    this.ribbon = bar.appendChild(make("ol", "al-ribbon"));
    this.ribbon.setAttribute("aria-label", "Steps; arrow keys go from one to the next");
    this.says = root.appendChild(make("p", "al-says"));
    this.scene = root.appendChild(make("div", "al-scene"));
    this.trouble = root.appendChild(make("p", "al-trouble"));
    this.trouble.setAttribute("role", "alert");
    this.why = root.appendChild(make("section", "al-why"));
    this.so = root.appendChild(make("section", "al-so-far"));
    root.onkeydown = (event) => this.press(event);
  }

  button(words, name, act) {
    const node = make("button", "al-button al-step-button", words);
    node.type = "button";
    node.setAttribute("aria-label", name);
    node.title = name;
    node.onclick = act;
    return node;
  }

  leave() {
    this.play(false);
    clearTimeout(this.told);
  }

  receive({ header }) {
    const fresh = header.serial !== this.serial;
    this.header = header;
    this.limit = header.limit;
    this.theme = readTheme(this.root);
    if (header.label) this.root.setAttribute("aria-label", header.label);
    this.root.setAttribute("role", "group");
    if (fresh) {
      this.serial = header.serial;
      clearTimeout(this.told);
      const { step, cell, cells } = header.start;
      this.at = Math.max(0, header.steps.findIndex(({ name }) => name === step));
      this.chosen = cell ? placeOf(...cell) : null;
      this.edits = new Map(cells.map(([matrix, row, column, value]) =>
        [placeOf(matrix, 0, row, column), value]));
      this.complain(null);
    }
    this.drawRibbon();
    const lines = JSON.stringify([header.steps[this.at].lines, header.tokens]);
    if (fresh || lines !== this.lines) this.draw();
    else this.refresh();
  }

  // --- numbers and names

  isTyped(matrix) {
    return matrix in this.header.plain;
  }

  /** The number at a place; null where a key is hidden. What was typed counts at once. */
  value(place) {
    if (this.edits.has(place)) return this.edits.get(place);
    const [matrix, head, row, column] = place.split(".");
    return (this.header.plain[matrix] ?? this.header.matrices[matrix])[head][row][column];
  }

  /** What a place that is drawn is called: the matrix, the row and the column. */
  called(place) {
    const { view } = this.grids.find((grid) => grid.cells.has(place)), [, , i, j] = place.split(".");
    const row = view.rows[i], column = view.columns[j - view.start], title = view.title.replace("ᵀ", "");
    if (TOKEN_BY_TOKEN.includes(view.matrix)) return `${title}: “${row}” looks at “${column}”`;
    const quoted = (name) => (/^\d+$/.test(name) ? name : `“${name}”`);
    return `${title}: row ${quoted(row)}, column ${quoted(column)}`;
  }

  spoken(place) {
    const value = this.value(place);
    return `${this.called(place)}: ${value === null ? "hidden" : exact(value)}`;
  }

  reason(place) {
    const [matrix, head, row, column] = place.split(".");
    return this.header.why[matrix]?.[head][row][column] ?? { kind: "typed", terms: [] };
  }

  // --- drawing

  drawRibbon() {
    const held = this.root.getRootNode().activeElement?.dataset?.step;
    this.ribbon.replaceChildren(...this.header.steps.map(({ name, title }, i) => {
      const item = make("li"), step = item.appendChild(make("button", "al-step", title));
      step.type = "button";
      step.dataset.step = name;
      step.tabIndex = i === this.at ? 0 : -1;
      if (i === this.at) step.setAttribute("aria-current", "step");
      if (i < this.at) step.classList.add("al-step-done");
      step.onclick = () => this.go(i);
      return item;
    }));
    if (held) this.ribbon.querySelector(`[data-step="${held}"]`)?.focus();
    this.back.disabled = this.at === 0;
    this.on.disabled = this.at === this.header.steps.length - 1;
    this.player.textContent = this.timer ? "❚❚" : "▶";
    this.player.setAttribute("aria-label", this.timer ? "Pause" : "Play");
    this.player.title = this.timer ? "Pause" : "Play";
  }

  /** The whole step anew. */
  draw() {
    const { header } = this, step = header.steps[this.at];
    const held = this.root.getRootNode().activeElement?.dataset?.place;
    this.lines = JSON.stringify([step.lines, header.tokens]);
    this.says.replaceChildren(step.says, " ", make("span", "al-counts", step.counts));
    this.grids = [];
    const long = step.lines.flat().some(({ columns }) => columns?.some((name) => name.length > 8));
    this.scene.style.setProperty("--names", long ? "32px" : "0"); // the same for all, so rows align
    this.scene.replaceChildren(...(step.lines.length ? step.lines.map((line) => this.line(line)) : [this.words()]));
    this.refresh();
    if (held) this.root.querySelector(`.al-sm-cell[data-place="${held}"]`)?.focus();
  }

  words() {
    const row = make("div", "al-sm-words");
    row.append(...this.header.tokens.map((token, i) => {
      const word = make("span", "al-sm-word");
      word.append(make("bdi", "", token), make("small", "", String(i)));
      return word;
    }));
    return row;
  }

  line(parts) {
    const row = make("div", "al-sm-equation");
    for (const part of parts) {
      if (typeof part === "string") {
        row.append(make("span", part === "beside" ? "al-sm-beside" : "al-sm-sign", part === "beside" ? "" : part));
        continue;
      }
      const grid = new CellGrid(this, part);
      this.grids.push(grid);
      row.append(grid.node);
    }
    return row;
  }

  /** The same step with other numbers. */
  refresh() {
    const step = this.header.steps[this.at];
    this.says.replaceChildren(step.says, " ", make("span", "al-counts", step.counts));
    for (const grid of this.grids) grid.fill();
    this.drawSoFar();
    this.mark();
  }

  /** Small copies of the matrices before this step; each leads to its own. */
  drawSoFar() {
    const here = new Set(this.grids.map(({ view }) => view.matrix));
    const before = this.header.steps.slice(1, this.at).filter(({ name }) => !here.has(name));
    this.so.hidden = before.length === 0;
    this.so.replaceChildren(make("div", "al-so-title", "Before this"), ...before.map(({ name, title }) => {
      const now = (block, head) => block.map((row, i) => row.map((_, j) => this.value(placeOf(name, head, i, j))));
      return smallCopy(title, this.header.matrices[name].map(now),
        () => this.go(this.header.steps.findIndex((step) => step.name === name)));
    }));
  }

  /** The place that is explained: the chosen one where it is drawn, else the last row's first. */
  get shown() {
    if (this.chosen && this.grids.some((grid) => grid.cells.has(this.chosen))) return this.chosen;
    const result = this.grids.at(-1);
    if (!result) return null;
    const { view } = result;
    const hidden = placeOf(view.matrix, view.head, 0, view.start + view.columns.length - 1);
    if (view.matrix === "masked" && this.value(hidden) === null) return hidden; // what the mask does
    return placeOf(view.matrix, view.head, view.rows.length - 1, view.start);
  }

  /** The chosen cell, the cells that made it, and the sum. */
  mark() {
    const place = this.shown;
    this.why.hidden = place === null;
    if (place === null) return;
    const reason = this.reason(place);
    const sources = new Set(reason.terms.flatMap(({ cells }) => cells.map((cell) => placeOf(...cell))));
    for (const grid of this.grids) grid.mark(place, sources);
    const [, , row, column] = place.split("."), { tokens } = this.header;
    const about = {
      size: this.header.size, spoken: (other) => this.spoken(other),
      queryName: tokens[row], keyName: tokens[column],
    };
    const value = this.value(place);
    this.why.replaceChildren(
      make("div", "al-why-title", this.called(place)),
      ...workings({ ...reason, value }, about),
    );
  }

  // --- acting

  go(at) {
    const to = Math.max(0, Math.min(this.header.steps.length - 1, at));
    if (to === this.at || this.unfinished()) return;
    this.at = to;
    this.chosen = null;
    this.complain(null);
    const inRibbon = this.root.getRootNode().activeElement?.dataset?.step;
    this.drawRibbon();
    this.draw();
    const { title, says } = this.header.steps[to];
    if (inRibbon) this.ribbon.querySelector("[aria-current]").focus();
    this.live.textContent = `${title}. ${says}`;
    if (to === this.header.steps.length - 1) this.play(false);
    this.tell();
  }

  /** Whether a cell holds what is no number: then nothing else is shown until that is put right. */
  unfinished() {
    const box = this.scene.querySelector(".al-sm-box[aria-invalid=true]");
    box?.focus();
    if (box) this.play(false);
    return box !== null;
  }

  play(on) {
    if (!on && !this.timer) return;
    clearInterval(this.timer);
    this.timer = on ? setInterval(() => this.go(this.at + 1), PACE) : null;
    if (on) this.go(this.at === this.header.steps.length - 1 ? 0 : this.at + 1);
    this.drawRibbon();
  }

  press(event) {
    if (event.target.closest(".al-sm-grid") || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: Infinity }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.play(false);
    this.go(to);
  }

  choose(place, aloud) {
    if (place === this.shown && place === this.chosen) return;
    this.chosen = place;
    this.play(false);
    this.mark();
    if (aloud) this.live.textContent = this.why.textContent;
    this.tell();
  }

  edit(place, value) {
    const [matrix, head, row, column] = place.split(".");
    if (value === this.value(place)) return;
    if (value === this.header.plain[matrix][head][row][column]) this.edits.delete(place);
    else this.edits.set(place, value);
    this.refresh();
    this.live.textContent = this.spoken(place);
    this.tell(0);
  }

  /** One sentence on what was typed and is no number; null takes it back. */
  complain(typed, box) {
    const words = typed?.length > 20 ? `${typed.slice(0, 20)}…` : typed;
    this.trouble.textContent = typed === null ? ""
      : `“${words}” is no number that fits here: type one from ${MINUS}${this.limit} to ${this.limit}.`;
    box?.setAttribute("aria-invalid", String(typed !== null));
  }

  /** Tell Python what is shown, after a moment in which nothing else was done. */
  tell(wait = PATIENCE) {
    clearTimeout(this.told);
    this.told = setTimeout(() => {
      const numbers = (place) => place.split(".").map((part, i) => (i ? Number(part) : part));
      const cells = [...this.edits].map(([place, value]) => {
        const [matrix, , row, column] = numbers(place);
        return [matrix, row, column, value];
      });
      this.send({
        step: this.header.steps[this.at].name, cell: this.chosen ? numbers(this.chosen) : null, cells,
        serial: this.serial,
      });
    }, wait);
  }
}

export default function (component) {
  return mountOnce(component, Steps);
}
