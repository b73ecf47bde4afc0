// A mask over words that is painted by hand: a row for each word that looks, a column for each that
// is looked at. Or, where the header says `looks`, a pattern of attention: where each word looks, its
// weight evenly on its cells; a row without cells is left to the head. A click or a drag shows or hides
// cells; arrow keys move, Enter or Space paints, with Shift it paints on the way. What was painted lives
// here; Python hears of it when it is done.

const BESIDE = 40; // columns up to which what a row comes to stands beside the cells, not below
const PATIENCE = 450; // ms without a further key before painting by keys is told

const placed = (query, key) => `${query}.${key}`;

class Paint extends Picture {
  constructor(root) {
    super(root);
    this.edits = new Map(); // place -> whether it is shown
    this.body = root.appendChild(make("div", "al-paint"));
    this.grid = this.body.appendChild(make("div", "al-paint-grid"));
    this.grid.setAttribute("role", "grid");
    this.told = this.body.appendChild(make("div", "al-paint-told"));
    this.grid.onpointerdown = (event) => this.press(event);
    this.grid.onpointermove = oncePerFrame((pointer) => this.point(pointer));
    this.grid.onpointerleave = oncePerFrame(() => this.unpoint());
    this.grid.onkeydown = (event) => this.key(event);
    this.grid.onclick = (event) => this.click(event);
    this.release = (event) => this.let(event);
    addEventListener("pointerup", this.release);
    addEventListener("pointercancel", this.release);
  }

  leave() {
    super.leave();
    clearTimeout(this.waiting);
    removeEventListener("pointerup", this.release);
    removeEventListener("pointercancel", this.release);
  }

  receive({ header, arrays }) {
    const same = arrays === this.arrays; // a rerun that changed nothing here
    header.keys ??= header.words; // those that are looked at, where they are others
    Object.assign(this, { header, arrays, count: header.words.length, across: header.keys.length });
    this.theme = readTheme(this.root);
    if (same) return;
    this.counted = new Map(header.cells.map(([query, key, shown]) => [placed(query, key), shown === 1]));
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.edits = new Map(this.counted);
      this.kept = this.row = header.row;
      this.cursor = [header.row, Math.min(header.row, this.across - 1)];
      clearTimeout(this.waiting);
    }
    this.draw();
    if (this.unsaid) this.say();
  }

  sees(query, key) {
    return this.edits.get(placed(query, key)) ?? this.pattern(query, key);
  }

  pattern(query, key) {
    return this.arrays.base.data[query * this.across + key] === 1;
  }

  seen(query) {
    return this.header.keys.map((_, key) => key).filter((key) => this.sees(query, key));
  }

  /** Whether nothing can be painted here: it lies ahead of a word of a pattern that cannot look there. */
  closed(query, key) {
    return this.header.looks?.ahead === false && key > query;
  }

  /** Whether the weights of this row are those of cells that have been painted over since. */
  stale(query) {
    if (!this.header.weighed) return false;
    const counted = (key) => this.counted.get(placed(query, key)) ?? this.pattern(query, key);
    return this.header.keys.some((_, key) => counted(key) !== this.sees(query, key));
  }

  // --- drawing

  draw() {
    if (!this.header || !this.root.clientWidth) return;
    this.width = this.root.clientWidth;
    const held = this.grid.contains(this.root.getRootNode().activeElement);
    this.layOut();
    const { words, keys, label, looks } = this.header;
    const others = keys === words ? "as many" : this.across;
    this.grid.setAttribute("aria-label", `${label}: ${this.count} words that look, ${others} ` +
      `to be seen. Arrow keys move, Enter or Space ${looks ? "paints or clears" : "shows or hides"}.`);
    this.lines = words.map((_, at) => rowOf(this.header, at));
    this.cells = this.lines.map(({ cells }) => cells);
    this.grid.replaceChildren(headsOf(this.header), ...this.lines.map(({ node }) => node));
    this.refresh();
    if (held) this.cellAt(...this.cursor).focus();
  }

  /** Cells as large as the room allows, so that words stay readable beside them. */
  layOut() {
    const { across, header } = this, wide = this.width >= 760 && across <= BESIDE;
    this.body.classList.toggle("al-paint-wide", wide);
    this.body.classList.toggle("al-paint-pattern", Boolean(header.looks));
    const room = (wide ? 0.6 * this.width : this.width) - 150 - (wide && header.predicts ? 110 : 0);
    const most = header.weighed ? 64 : across > 8 ? 30 : 44;
    const pitch = Math.max(9, Math.min(most, Math.floor(room / across)));
    this.grid.style.setProperty("--pitch", `${pitch}px`);
    this.grid.style.setProperty("--count", across);
    this.grid.classList.toggle("al-paint-small", pitch < 16);
    this.grid.classList.toggle("al-paint-flat", header.keys.every((word) => 8 * spoken(word).length < pitch));
  }

  cellAt(query, key) {
    return this.cells[query][key];
  }

  /** Every cell as it is now; the nodes stay, and with them the focus. */
  refresh() {
    for (let query = 0; query < this.count; query++) this.refreshRow(query);
    this.mark();
  }

  refreshRow(query) {
    this.cells[query].forEach((cell, key) => this.fill(cell, query, key));
    const { sum, next } = this.lines[query], seen = this.seen(query).length;
    sum.textContent = seen || (this.header.looks ? "own" : "none");
    if (!next) return;
    const answer = this.header.words[query + 1];
    next.replaceChildren("→ ");
    if (answer) writeToken(next.appendChild(make("span")), answer);
    else next.append("what comes next");
    const given = query + 1 < this.count && this.sees(query, query + 1);
    next.classList.toggle("al-paint-given", given);
    if (given) next.append(" (sees it)");
  }

  fill(cell, query, key) {
    const seen = this.sees(query, key), { weighed } = this.header;
    cell.classList.toggle("al-paint-seen", seen);
    cell.classList.toggle("al-paint-edited", this.edits.has(placed(query, key)));
    cell.setAttribute("aria-label", spokenOf(this, query, key));
    if (this.header.looks) fillLook(cell, this, query, key);
    if (!weighed) return;
    const stale = this.stale(query); // then an even tint, until the weights are there
    const weight = stale ? 0.4 : this.arrays.weights.data[query * this.count + key];
    cell.textContent = !seen ? "" : stale ? "…" : figure(weight);
    cell.style.setProperty("--ink", seen ? `${Math.round(18 + 70 * weight)}%` : "0%");
    cell.style.color = seen && weight > 0.55 ? readableOn(this.theme.a, 0.18 + 0.7 * weight, this.theme) : "";
  }

  /** The row that is looked from, in the grid and in words. */
  mark() {
    this.lines.forEach(({ node }, at) => node.classList.toggle("al-paint-looks", at === this.row));
    for (const row of this.cells) for (const cell of row) cell.tabIndex = -1;
    this.cellAt(...this.cursor).tabIndex = 0;
    this.told.replaceChildren(...toldOf(this.header, this.now(this.row)));
  }

  /** What a row comes to: what it sees, its scores, and its weights once they are there. */
  now(row) {
    const part = (table) => table?.data.subarray(row * this.count, (row + 1) * this.count);
    const weights = this.stale(row) ? null : part(this.arrays.weights);
    return { row, seen: new Set(this.seen(row)), scores: part(this.arrays.scores), weights };
  }

  // --- painting

  press(event) {
    const cell = event.target.closest?.(".al-paint-cell");
    if (!cell || event.button || event.pointerType === "touch") return; // a finger scrolls; it taps
    event.preventDefault();
    cell.focus();
    const [query, key] = this.place(cell);
    this.brush = !this.sees(query, key);
    this.changed = false;
    this.tip.hide();
    this.last = null;
    this.stroke(query, key);
  }

  place(cell) {
    return [Number(cell.dataset.q), Number(cell.dataset.k)];
  }

  point(pointer) {
    const target = this.root.getRootNode().elementFromPoint(pointer.x, pointer.y) ?? pointer.target;
    const cell = target.closest?.(".al-paint-cell"), word = target.closest?.(".al-paint-word");
    if (this.brush !== undefined) return cell && this.stroke(...this.place(cell));
    if (cell) {
      const [query, key] = this.place(cell);
      this.look(query);
      this.tip.show(pointer.x, pointer.y, placed(query, key), () => describedOf(this, query, key));
    } else if (word) {
      this.look(Number(word.dataset.row));
      this.tip.hide();
    }
  }

  unpoint() {
    this.tip.hide();
    this.last = null;
    if (this.brush === undefined) this.look(this.kept);
  }

  look(query) {
    if (query === this.row) return;
    this.row = query;
    this.mark();
  }

  /** Paints up to here: a fast pointer is told of only here and there, so all cells between too. */
  stroke(query, key) {
    for (const cell of cellsBetween(this.last ?? [query, key], [query, key])) this.paint(...cell);
    this.last = [query, key];
  }

  paint(query, key) {
    this.cursor = [query, key];
    const place = placed(query, key);
    if (this.sees(query, key) !== this.brush && !this.closed(query, key)) {
      if (this.pattern(query, key) === this.brush) this.edits.delete(place);
      else this.edits.set(place, this.brush);
      this.changed = true;
      this.refreshRow(query);
    }
    this.kept = this.row = query;
    this.mark();
  }

  let(event) {
    if (this.brush === undefined) return;
    // The last move may not have been drawn yet.
    if (event?.type === "pointerup" && this.last) this.point({ x: event.clientX, y: event.clientY, target: event.target });
    this.brush = undefined;
    this.say();
    this.send(this.value());
  }

  /** A tap of a finger paints one cell; a click on a word of a row keeps it. */
  click(event) {
    const cell = event.target.closest(".al-paint-cell"), word = event.target.closest(".al-paint-word");
    if (cell && event.pointerType === "touch") {
      const [query, key] = this.place(cell);
      this.brush = !this.sees(query, key);
      this.paint(query, key);
      this.let();
    } else if (word) {
      this.kept = Number(word.dataset.row);
      this.look(this.kept);
      this.say();
      this.send(this.value());
    }
  }

  key(event) {
    const cell = event.target.closest(".al-paint-cell");
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    const [query, key] = this.place(cell), last = this.across - 1;
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      Home: [0, -key], End: [0, last - key] }[event.key];
    const paints = event.key === "Enter" || event.key === " ";
    if (!move && !paints) return;
    event.preventDefault();
    if (paints) return this.byKey(query, key, !this.sees(query, key));
    const state = this.sees(query, key);
    const inside = (at, most) => Math.max(0, Math.min(most, at));
    this.cursor = [inside(query + move[0], this.count - 1), inside(key + move[1], last)];
    if (event.shiftKey) this.byKey(...this.cursor, state);
    this.kept = this.row = this.cursor[0];
    this.mark();
    this.cellAt(...this.cursor).focus();
    this.live.textContent = spokenOf(this, ...this.cursor);
  }

  byKey(query, key, shown) {
    this.brush = shown;
    this.paint(query, key);
    this.brush = undefined;
    this.say();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.send(this.value()), PATIENCE);
  }

  /** Tells a screen reader of the row, once its numbers are there. */
  say() {
    this.unsaid = this.stale(this.row);
    if (!this.unsaid) this.live.textContent = saidOf(this.header, this.now(this.row));
  }

  value() {
    clearTimeout(this.waiting);
    const cells = [...this.edits].map(([place, shown]) => [...place.split(".").map(Number), Number(shown)]);
    return { row: this.kept, cells, serial: this.serial };
  }
}

export default function (component) {
  return mountOnce(component, Paint);
}
