// Long vectors and what is made of them, section by section: strips, dials, a sum, a row of words.
// Hovering stays here; choosing a word of a row tells Python.

class Strips extends Picture {
  constructor(root) {
    super(root);
    this.body = root.appendChild(make("div", "al-sections"));
    this.body.setAttribute("role", "group");
    this.body.onclick = (event) => this.click(event);
    this.body.onkeydown = (event) => this.press(event);
  }

  receive({ header, arrays }) {
    Object.assign(this, { header, arrays, side: header.side });
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.chosen = header.chosen;
    }
    if (header.label) this.body.setAttribute("aria-label", header.label);
    if (this.drawn !== header) {
      this.drawn = header;
      this.parts = [];
      this.body.replaceChildren(...header.sections.map((section, i) => this.section(section, i)));
    }
    this.mark();
    this.draw();
  }

  draw() {
    this.width = this.root.clientWidth;
    if (!this.width || !this.header) return;
    const theme = readTheme(this.root);
    theme.edit = getComputedStyle(this.root).getPropertyValue("--al-edit").trim();
    this.root.dataset.side = this.side;
    for (const part of this.parts) part.draw(theme);
  }

  section(section, i) {
    const node = make("section", `al-section al-section-${section.kind}`);
    node.append(make("h4", "al-section-title", section.title));
    if (section.note) node.append(make("p", "al-section-note", section.note));
    const make_ = {
      strips: () => this.keep(new Group(this, i, section, this.arrays)),
      dials: () => this.keep(new Dials(this, section, this.arrays)),
      sum: () => sumOf(section),
      row: () => this.row(section),
    };
    node.append(make_[section.kind]());
    return node;
  }

  keep(part) {
    this.parts.push(part);
    return part.node;
  }

  /** The keys of a row: figures, and the weight as a bar and a figure. */
  row({ columns, words, others }) {
    const table = make("div", "al-row");
    table.style.setProperty("--figures", columns.length);
    table.setAttribute("role", "listbox");
    table.setAttribute("aria-label", "Keys: arrow keys move, Enter opens one");
    const head = table.appendChild(make("div", "al-row-head"));
    head.setAttribute("aria-hidden", "true");
    head.append(make("span"), ...columns.map((name) => make("span", "al-row-figure", name)),
      make("span"), make("span", "al-row-figure", "weight"));
    this.items = words.map((word) => table.appendChild(rowItem(word, columns)));
    if (others[0]) {
      const rest = table.appendChild(make("div", "al-row-item al-row-others"));
      rest.append(make("span", "al-row-name", `${others[0].toLocaleString("en")} other words`),
        ...columns.map(() => make("span")), barOf(others[1]), make("span", "al-row-figure al-row-weight", weight(others[1])));
    }
    return table;
  }

  mark() {
    for (const item of this.items ?? []) {
      const on = Number(item.dataset.position) === this.chosen;
      item.setAttribute("aria-selected", on);
      item.tabIndex = on ? 0 : -1;
    }
    if (this.items?.length && !this.items.some((item) => item.tabIndex === 0)) this.items[0].tabIndex = 0;
  }

  click(event) {
    const item = event.target.closest(".al-row-item[data-position]");
    if (item && item.getAttribute("aria-disabled") !== "true") this.choose(Number(item.dataset.position));
  }

  press(event) {
    const item = event.target.closest?.(".al-row-item[data-position]");
    if (!item) return;
    const at = this.items.indexOf(item), last = this.items.length - 1;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (next !== undefined) this.items[Math.max(0, Math.min(last, next))].focus();
    else if (event.key === "Enter" || event.key === " ") item.click();
    else return;
    event.preventDefault();
  }

  choose(position) {
    this.chosen = position;
    this.mark();
    this.send({ key: position, serial: this.serial });
  }
}

/** A weight as a figure of four decimals; less is written as a power. */
const weight = (value) => (value === 0 ? "0" : value < 5e-5 ? written(value) : value.toFixed(4));

function barOf(value) {
  const track = make("span", "al-row-track");
  track.appendChild(make("i")).style.width = `${100 * Math.min(1, value)}%`;
  return track;
}

function rowItem([token, position, figures, value, hidden]) {
  const item = make("div", "al-row-item");
  item.setAttribute("role", "option");
  item.dataset.position = position;
  const name = writeToken(item.appendChild(make("span", "al-row-name")), token);
  name.title = `position ${position}`;
  item.append(...figures.map((figure) => make("span", "al-row-figure", hidden && figure === null ? "−∞" : written(figure))));
  item.append(barOf(value), make("span", "al-row-figure al-row-weight", hidden ? "hidden" : weight(value)));
  if (hidden) item.setAttribute("aria-disabled", "true");
  return item;
}

/** Terms a × b = c of which the largest are written out, and their sum. */
function sumOf({ terms, others, total }) {
  const list = make("div", "al-terms");
  const full = Math.max(...terms.map(([, , , product]) => Math.abs(product)), 1e-12);
  for (const [place, a, b, product] of terms) {
    const line = list.appendChild(make("div", "al-term"));
    const track = make("span", "al-term-track"), ink = track.appendChild(make("i", product < 0 ? "al-less" : ""));
    ink.style.width = `${(50 * Math.abs(product)) / full}%`;
    line.append(make("span", "al-term-name", `dimension ${place}`),
      make("span", "al-term-factors", `${written(a)} × ${written(b)}`), track,
      make("span", "al-term-figure", written(product)));
  }
  if (others[0]) list.append(plain(`the other ${others[0]}`, others[1]));
  const sum = list.appendChild(plain("sum: the score", total));
  sum.classList.add("al-total");
  return list;
}

function plain(name, value) {
  const line = make("div", "al-term");
  line.append(make("span", "al-term-name", name), make("span"), make("span"),
    make("span", "al-term-figure", written(value)));
  return line;
}

export default function (component) {
  return mountOnce(component, Strips);
}
