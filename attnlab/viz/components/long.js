// A text of many tokens: its matrix at full resolution, to be enlarged and moved, with the words of
// the part in sight; in words mode also the arcs between them.

const LONG_SIDE = 64; // tokens; beyond, a matrix is drawn here
const START = 20; // CSS pixels of a cell at first in words mode, so that words are written
const ROOM = { tallest: 440, beside: 560, labels: [96, 66], ruler: [46, 22] }; // CSS pixels
const ZOOM = 1.6; // what a button or a key enlarges by

class Long {
  constructor(owner, plane, holder) {
    Object.assign(this, { owner, plane, holder, withArcs: owner.header.mode === "words" });
    const [rows, columns] = plane.size;
    this.view = new View(plane.size);
    this.node = holder.appendChild(make("div", `al-long al-${plane.side}-side`));
    this.node.dataset.side = plane.name;
    this.bar = this.node.appendChild(this.makeBar());
    this.body = this.node.appendChild(make("div", "al-long-body"));
    this.map = this.body.appendChild(make("div", "al-map"));
    this.map.tabIndex = 0;
    this.map.setAttribute("role", "application");
    this.map.setAttribute("aria-roledescription", "attention matrix");
    this.map.setAttribute("aria-label", `Attention of ${plane.name}, ${rows} rows, ${columns} columns. ` +
      "Arrow keys move, plus and minus enlarge and reduce, 0 shows all, Enter keeps a pair of words.");
    this.canvas = this.map.appendChild(make("canvas"));
    this.window = this.map.appendChild(make("div", "al-window"));
    for (const name of ["band", "kept", "box"]) {
      const kind = name === "band" ? "al-band" : name === "kept" ? "al-box al-kept" : "al-box";
      this[name] = this.window.appendChild(make("div", kind));
      this[name].hidden = true;
    }
    this.at = null; // the keyboard's place
    this.map.onkeydown = (event) => this.press(event);
    this.map.onblur = () => this.unpoint();
    listen(this.map, {
      hover: (pointer) => this.hover(pointer),
      leave: () => this.unpoint(),
      tap: (x, y) => this.tap(x, y),
      pan: (dx, dy) => this.moved(this.view.pan(dx, dy)),
      zoom: (factor, x, y) => this.moved(this.view.zoom(factor, ...this.inside(x, y))),
      wheel: (pixels, event) =>
        this.moved(this.view.zoom(Math.exp(-pixels * WHEEL), ...this.inside(event.clientX, event.clientY))),
    });
    if (!this.withArcs) return;
    this.arcs = new LongArcs(this);
    this.body.append(this.arcs.canvas);
  }

  makeBar() {
    const bar = make("div", "al-long-bar");
    bar.append(make("b", `al-${this.plane.side}`, this.plane.name));
    const button = (text, label, act) => {
      const one = bar.appendChild(make("button", "al-button", text));
      one.type = "button";
      one.setAttribute("aria-label", label);
      one.title = label;
      one.onclick = act;
    };
    const middle = () => [this.view.width / 2, this.view.height / 2];
    button("−", "Reduce", () => this.moved(this.view.zoom(1 / ZOOM, ...middle())));
    button("+", "Enlarge", () => this.moved(this.view.zoom(ZOOM, ...middle())));
    button("Fit", "Show all", () => this.moved(this.view.zoom(0, 0, 0)));
    this.note = bar.appendChild(make("span", "al-long-note"));
    return bar;
  }

  measure() {
    // The view has the room that there is.
  }

  layOut() {
    const { theme } = this.owner, width = this.holder.clientWidth, beside = width >= ROOM.beside;
    if (this.weights !== this.owner.weights) {
      this.weights = this.owner.weights;
      this.levels = pyramidOf(this.plane);
      this.alone = stretchesAlone(this.plane);
    }
    this.shades = shadesOf(theme);
    [this.left, this.top] = this.withArcs ? ROOM.ruler : ROOM.labels;
    if (width < ROOM.beside) this.left = Math.min(this.left, 64);
    const [rows, columns] = this.plane.size, share = this.withArcs && beside ? 0.46 : 1;
    const room = Math.floor(width * share) - this.left - 1;
    const wide = this.withArcs ? Math.min(room, beside ? ROOM.tallest : 280) : room;
    const tall = this.withArcs ? wide : Math.min(ROOM.tallest, Math.ceil((wide * rows) / columns));
    const first = !this.view.scale;
    this.view.resize(wide, Math.max(120, tall));
    this.size = [this.left + this.view.width + 1, this.top + this.view.height + 1];
    this.context = sharpen(this.canvas, ...this.size);
    this.window.style.cssText =
      `left:${this.left}px;top:${this.top}px;width:${this.view.width}px;height:${this.view.height}px`;
    this.body.classList.toggle("al-beside", beside);
    this.arcs?.layOut(beside ? width - this.size[0] - 12 : width, beside ? this.size[1] : 380);
    if (first && this.withArcs) this.start();
    this.schedule();
  }

  /** In words mode: the kept word and the word past the first at which it looks most. */
  start() {
    const row = this.plane.rowOf(this.owner.pinned), columns = this.plane.size[1];
    let most = 1;
    for (let column = 2; column < columns; column++) {
      if (this.plane.value(row, column) > this.plane.value(row, most)) most = column;
    }
    this.view.show(START, [row, this.picked ?? most]);
  }

  /** The column of the kept pair, or null. */
  get picked() {
    return this.plane.columnOf(this.owner.picked);
  }

  /** After the view may have changed: draw it, and the other side's with it; passes `changed` on. */
  moved(changed) {
    if (!changed) return false;
    this.owner.tip.hide();
    this.box.hidden = true;
    this.schedule();
    for (const other of Object.values(this.owner.drawings)) if (other !== this) other.follow(this);
    return true;
  }

  /** Show what corresponds to the middle of another side's view, as large. */
  follow({ view, plane }) {
    const [row, column] = view.centre, { owner } = this;
    const there = [owner.nearest(plane.side, 0, row), owner.nearest(plane.side, 1, column)];
    this.view.show(view.scale <= view.fit * 1.001 ? this.view.fit : view.scale, there);
    this.schedule();
  }

  /** Draw in the next frame, however often it is asked for until then; with `map` the matrix too. */
  schedule(map = true) {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.render());
    this.stale ||= map;
  }

  render() {
    this.frame = null;
    if (!this.node.isConnected) return;
    if (this.stale) this.draw(this.context);
    this.stale = false;
    this.arcs?.draw();
    this.place();
    this.note.textContent = this.reduced();
    this.map.classList.toggle("al-whole", this.view.fitted);
  }

  draw(context) {
    const { theme } = this.owner, { view, plane } = this;
    context.clearRect(0, 0, ...this.size);
    context.save();
    context.translate(this.left, this.top);
    context.beginPath();
    context.rect(0, 0, view.width, view.height);
    context.clip();
    paintInSight(context, this);
    drawGaps(context, view, theme.paper);
    hatchInSight(context, { ...this, theme });
    if (view.scale >= CELL.written) drawFigures(context, view, plane, theme);
    context.restore();
    drawAxes(context, this, this.withArcs);
  }

  /** What is in sight and what was reduced to show it, in one line. */
  reduced() {
    const [rows, columns] = this.plane.size, { unit } = this.view, count = (n) => n.toLocaleString("en");
    const parts = [`${count(rows)} × ${count(columns)} weights`];
    parts.push(unit > 1 ? `a point shows the strongest of ${unit} × ${unit}` : "every weight in sight is drawn");
    const arcs = this.arcs?.drawn;
    if (arcs?.unit > 1) parts.push(`arcs join ${arcs.unit} × ${arcs.unit} words`);
    if (arcs && arcs.shown < arcs.all) parts.push(`the ${arcs.shown} strongest arcs`);
    return parts.join(" · ");
  }

  inside(x, y) {
    const box = this.window.getBoundingClientRect();
    return [x - box.left, y - box.top];
  }

  /** The block of cells under a point of the window, and the strongest place in it. */
  find(x, y) {
    const place = this.view.find(...this.inside(x, y)), { unit } = this.view;
    if (!place) return null;
    const block = place.map((at) => Math.floor(at / unit) * unit);
    return { block, place: strongestAt(this.levels[0], block, unit) };
  }

  hover({ x, y }) {
    const found = this.find(x, y);
    if (!found) return this.unpoint();
    this.point(found);
    const subject = [this.plane.side, this.view.unit, ...found.place].join();
    this.owner.tip.show(x, y, subject, () => this.describe(found.place));
  }

  describe(place) {
    const { unit } = this.view, told = this.plane.describe(...place);
    if (unit > 1 && !this.plane.isFuture(...place)) told.push(make("div", "al-tip-note", `the strongest of ${unit} × ${unit} here`));
    return told;
  }

  point({ block, place }) {
    this.put(this.box, block, this.view.unit);
    lookFrom(this.owner, this.plane, place[0]);
  }

  unpoint() {
    this.box.hidden = true;
    this.owner.tip.hide();
    this.owner.restore();
  }

  tap(x, y) {
    const found = this.find(x, y);
    if (!found) return;
    pinPlace(this.owner, this.plane, ...found.place);
    this.hover({ x, y });
  }

  /** Lay a box over `unit` x `unit` cells. */
  put(box, place, unit = 1) {
    const [x, y, size] = this.view.box(place, unit), least = Math.max(5, size + 2);
    box.hidden = false;
    box.style.cssText = `left:${x - 1.5}px;top:${y - 1.5}px;width:${least}px;height:${least}px`;
  }

  /** Lay band and box where the looked-from row and the kept pair are now. */
  place() {
    const [, y, size] = this.view.box([this.plane.rowOf(this.owner.looked), 0]);
    this.band.hidden = false;
    this.band.style.cssText = `left:0;top:${y - 1}px;width:100%;height:${Math.max(3, size + 1)}px`;
    const row = this.plane.rowOf(this.owner.pinned), { picked } = this;
    this.kept.hidden = picked === null;
    if (picked !== null) this.put(this.kept, [row, picked]);
  }

  press(event) {
    const { key } = event, { unit, width, height } = this.view, far = event.shiftKey ? 0.5 : 0;
    const ways = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
    const middle = [width / 2, height / 2];
    if (key in ways) this.step(ways[key].map((way, axis) =>
      way * Math.max(unit, far && ((axis ? width : height) / this.view.scale) * far)));
    else if (key === "+" || key === "=") this.moved(this.view.zoom(ZOOM, ...middle));
    else if (key === "-" || key === "_") this.moved(this.view.zoom(1 / ZOOM, ...middle));
    else if (key === "0") this.moved(this.view.zoom(0, 0, 0));
    else if (key === "Enter" || key === " ") this.at && pinPlace(this.owner, this.plane, ...this.at);
    else if (key === "Escape") this.unpoint();
    else return;
    event.preventDefault();
  }

  /** Move the keyboard's place by rows and columns, and the view where it would leave it. */
  step(by) {
    const from = this.at ?? [this.plane.rowOf(this.owner.looked), this.picked ?? Math.round(this.view.x)];
    const { unit } = this.view, { size } = this.plane;
    const next = from.map((at, axis) => Math.max(0, Math.min(size[axis] - 1, Math.round(at + by[axis]))));
    const before = [this.view.x, this.view.y];
    this.view.reveal(next);
    this.moved(before[0] !== this.view.x || before[1] !== this.view.y);
    const block = next.map((at) => Math.floor(at / unit) * unit);
    this.at = unit > 1 ? strongestAt(this.levels[0], block, unit) : next;
    this.point({ block, place: this.at });
    this.owner.live.textContent = spokenPlace(this.plane, ...this.at);
  }

  look() {
    this.schedule(false);
  }

  /** Mark the kept pair, and bring it into sight where it has changed. */
  showKept() {
    const kept = [this.plane.rowOf(this.owner.pinned), this.picked];
    if (this.shown && String(kept) !== String(this.shown)) {
      this.view.reveal([kept[0], kept[1] ?? Math.floor(this.view.centre[1])]);
      this.schedule();
    }
    this.shown = kept;
    this.look();
  }
}
