// Paired bars: each probability before and after an edit, with both figures.

class Bars {
  constructor(root) {
    this.root = root;
    this.table = root.appendChild(make("div", "al-bars"));
    this.table.setAttribute("role", "table");
    this.foot = root.appendChild(make("div", "al-bars-legend"));
    this.tip = new Tip(root);
    this.table.onpointermove = oncePerFrame((pointer) => {
      const at = pointer.target.closest(".al-bar")?.dataset.row;
      if (at === undefined) return this.tip.hide();
      this.tip.show(pointer.x, pointer.y, at, () => this.describe(this.header.rows[at]));
    });
    this.table.onpointerleave = oncePerFrame(() => this.tip.hide());
  }

  leave() {
    this.tip.hide();
  }

  receive({ header }) {
    this.header = header;
    readTheme(this.root);
    if (header.label) this.table.setAttribute("aria-label", header.label);
    this.table.replaceChildren(...header.rows.map((row, i) => this.line(row, i)));
    const keys = header.names.map((name, i) => {
      const key = make("span", "al-bars-key");
      key.append(make("i", i ? "al-after" : "al-before"), name);
      return key;
    });
    this.foot.replaceChildren(...keys, make("span", "", "bars run from 0 to 1"));
  }

  line([token, before, after], i) {
    const line = make("div", "al-bar");
    line.setAttribute("role", "row");
    line.dataset.row = i;
    const name = line.appendChild(make("span", "al-bar-name"));
    name.setAttribute("role", "rowheader");
    writeToken(name, token);
    const tracks = line.appendChild(make("span", "al-tracks"));
    for (const [value, kind] of [[before, "al-before"], [after, "al-after"]]) {
      const ink = tracks.appendChild(make("span", "al-track")).appendChild(make("i", kind));
      ink.style.width = `${Math.min(100, 100 * value)}%`;
    }
    const figures = line.appendChild(make("span", "al-bar-figures"));
    figures.setAttribute("role", "cell");
    figures.textContent = `${this.write(before)} → ${this.write(after)}`;
    return line;
  }

  write(value) {
    return value.toFixed(this.header.digits);
  }

  describe([token, before, after]) {
    const title = writeToken(make("div", "al-tip-title"), token);
    const values = this.header.names.map((name, i) =>
      make("div", "", `${name}: ${(i ? after : before).toPrecision(4)}`));
    return token[ID] === null ? [title, ...values] : [title, ...values, rawLine(token, "raw")];
  }
}

export default function (component) {
  return mountOnce(component, Bars);
}
