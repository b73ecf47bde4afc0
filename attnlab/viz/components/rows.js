// A small table of weights: ink means attention, NaN is shown as what it is.

class Rows {
  constructor(root) {
    this.root = root;
    this.table = root.appendChild(make("div", "al-rows"));
    this.table.setAttribute("role", "table");
  }

  leave() {}

  receive({ header }) {
    this.theme = readTheme(this.root);
    if (header.label) this.table.setAttribute("aria-label", header.label);
    this.table.style.setProperty("--columns", header.columns.length);
    const top = this.line([make("span", "", ""), ...header.columns.map((name) => make("span", "al-rows-column", name))]);
    this.table.replaceChildren(top, ...header.rows.map((row) => this.row(row)));
  }

  line(cells) {
    const line = make("div", "al-rows-line");
    line.setAttribute("role", "row");
    cells.forEach((cell, i) => cell.setAttribute("role", i ? "cell" : "rowheader"));
    line.append(...cells);
    return line;
  }

  row({ name, weights, remark }) {
    const line = this.line([make("span", "al-rows-name", name), ...weights.map((weight) => this.cell(weight))]);
    const said = line.appendChild(make("span", "al-rows-remark", remark));
    said.setAttribute("role", "cell");
    return line;
  }

  cell(weight) {
    const node = make("span", "al-rows-cell", weight === null ? "NaN" : figure(weight));
    const ink = Math.min(1, (weight ?? 0) * GAIN.weight);
    node.style.background = `color-mix(in srgb, var(--al-ink) ${Math.round(ink * 100)}%, var(--al-tile))`;
    if (ink > 0.45) node.style.color = this.theme.paper;
    node.classList.toggle("al-rows-nothing", weight === null);
    return node;
  }
}

export default function (component) {
  return mountOnce(component, Rows);
}
