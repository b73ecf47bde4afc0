// One matrix of a worked example: a grid of numbers, some of which are typed.
// Arrow keys move, typing or Enter opens a cell, Enter keeps what was typed, Escape lets it go.

const placeOf = (matrix, head, row, column) => `${matrix}.${head}.${row}.${column}`;

/** A small copy of a matrix that leads to its own step; `blocks` are [head][row][column]. */
function smallCopy(title, blocks, act) {
  const copy = make("button", "al-copy");
  copy.type = "button";
  copy.setAttribute("aria-label", `Back to ${title}`);
  copy.append(make("span", "al-copy-title", title));
  for (const block of blocks) {
    const grid = copy.appendChild(make("span", "al-copy-grid"));
    grid.style.setProperty("--columns", block[0].length);
    for (const value of block.flat()) grid.append(make("span", "", compact(value, 2)));
  }
  copy.onclick = act;
  return copy;
}

class CellGrid {
  constructor(owner, view) {
    Object.assign(this, { owner, view });
    this.cells = new Map(); // place -> node
    const [rows, columns] = view.flip ? [view.columns, view.rows] : [view.rows, view.columns];
    this.node = make("figure", "al-sm");
    this.node.append(make("figcaption", "al-sm-title", view.title));
    this.grid = this.node.appendChild(make("div", "al-sm-grid"));
    this.grid.style.setProperty("--columns", columns.length);
    this.grid.setAttribute("role", "grid");
    this.grid.setAttribute("aria-label", `${view.title}, ${rows.length} rows, ${columns.length} columns`);
    const top = this.row(make("span", "al-sm-corner"));
    for (const name of columns) {
      const head = top.appendChild(make("span", "al-sm-column", name));
      head.setAttribute("role", "columnheader");
    }
    rows.forEach((name, i) => {
      const head = make("span", "al-sm-row", name);
      head.setAttribute("role", "rowheader");
      const line = this.row(head);
      columns.forEach((_, j) => line.append(this.cell(i, j)));
    });
    this.grid.onkeydown = (event) => this.press(event);
    this.grid.onclick = (event) => this.clicked(event);
    this.grid.addEventListener("focusin", (event) => { // there is no property onfocusin
      const node = event.target.closest(".al-sm-cell");
      if (node) this.owner.choose(node.dataset.place, event.target === node);
    });
  }

  row(head) {
    const line = this.grid.appendChild(make("div", "al-sm-line"));
    line.setAttribute("role", "row");
    line.append(head);
    return line;
  }

  /** The cell at row `i` and column `j` as drawn; its place is that in the whole matrix. */
  cell(i, j) {
    const { view } = this, [row, column] = view.flip ? [j, i] : [i, j];
    const node = make("span", "al-sm-cell");
    node.dataset.place = placeOf(view.matrix, view.head, row, view.start + column);
    Object.assign(node.dataset, { i, j });
    node.tabIndex = -1;
    node.setAttribute("role", "gridcell");
    if (this.owner.isTyped(view.matrix)) {
      node.dataset.typed = "";
      node.setAttribute("aria-readonly", "false");
    }
    this.cells.set(node.dataset.place, node);
    return node;
  }

  /** Write every number as it is now; nodes stay, and with them the focus. */
  fill() {
    const { owner } = this, shaded = this.view.matrix === "weights";
    for (const [place, node] of this.cells) {
      const value = owner.value(place), edited = owner.edits.has(place);
      if (node.firstElementChild) continue; // somebody is typing here
      const typed = "typed" in node.dataset, whole = numeral(value, 6);
      node.textContent = compact(value, typed ? 4 : 2, typed);
      node.title = node.textContent === whole ? "" : whole;
      node.classList.toggle("al-sm-edited", edited);
      node.classList.toggle("al-sm-hidden", value === null);
      if (shaded) this.shade(node, value);
      node.setAttribute("aria-label", owner.spoken(place) + (edited ? ", edited" : ""));
    }
  }

  shade(node, value) {
    const ink = Math.min(1, value * GAIN.weight), { theme } = this.owner;
    node.style.background = `color-mix(in srgb, var(--al-ink) ${Math.round(ink * 100)}%, var(--al-tile))`;
    node.style.color = ink > 0.45 ? theme.paper : "";
  }

  /** Mark the chosen cell and those that it was made from; one cell of the grid can be tabbed to. */
  mark(chosen, sources) {
    let stop = null;
    for (const [place, node] of this.cells) {
      const on = place === chosen;
      node.classList.toggle("al-sm-chosen", on);
      node.classList.toggle("al-sm-source", sources.has(place));
      node.setAttribute("aria-selected", String(on));
      node.tabIndex = -1;
      if (on) stop = node;
    }
    (stop ?? this.cells.values().next().value).tabIndex = 0;
  }

  clicked(event) {
    const node = event.target.closest(".al-sm-cell");
    if (!node || event.target !== node) return;
    if ("typed" in node.dataset) this.open(node);
    else node.focus();
  }

  press(event) {
    const node = event.target.closest(".al-sm-cell");
    if (!node || event.target !== node) return; // keys inside an open cell are its own
    const { i, j } = node.dataset, move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1],
      ArrowRight: [0, 1] }[event.key];
    if (move) {
      event.preventDefault();
      event.stopPropagation();
      this.grid.querySelector(`[data-i="${+i + move[0]}"][data-j="${+j + move[1]}"]`)?.focus();
    } else if ("typed" in node.dataset && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const begins = /^[\d.,+\-−]$/.test(event.key);
      if (!begins && event.key !== "Enter" && event.key !== "F2") return;
      event.preventDefault();
      this.open(node, begins ? event.key : null);
    }
  }

  /** Put a box into a cell; `first` is the key that opened it, which replaces what stood there. */
  open(node, first = null) {
    const place = node.dataset.place, box = make("input", "al-sm-box");
    box.type = "text";
    box.inputMode = "decimal";
    box.value = first ?? numeral(this.owner.value(place), 6).replace(MINUS, "-");
    box.setAttribute("aria-label", this.owner.called(place));
    node.replaceChildren(box);
    box.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Enter") this.keep(node, box, true);
      else if (event.key === "Escape") this.close(node, true);
    };
    box.oninput = () => this.owner.complain(null, box);
    box.onblur = () => box.isConnected && this.keep(node, box, false);
    box.focus();
    if (first === null) box.select();
  }

  /** Take what was typed, or say why it cannot be taken and leave it there. */
  keep(node, box, stay) {
    const value = typedNumber(box.value, this.owner.limit);
    if (value === null) {
      this.owner.complain(box.value, box);
      if (stay) box.select();
      return;
    }
    this.owner.complain(null, box);
    this.close(node, stay);
    this.owner.edit(node.dataset.place, value);
  }

  close(node, stay) {
    const box = node.firstElementChild;
    if (box) box.onblur = null;
    this.owner.complain(null);
    node.replaceChildren();
    this.fill();
    if (stay) node.focus();
  }
}
