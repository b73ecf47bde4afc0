// Ranked lists of heads beside each other, on one scale. A head that is pointed at in one list is
// marked in all; choosing it tells Python.

class Ranks {
  constructor(root) {
    this.root = root;
    this.live = liveRegion(root);
    this.body = root.appendChild(make("div", "al-ranks"));
    this.body.setAttribute("role", "group");
    this.foot = root.appendChild(make("div", "al-ranks-foot"));
    this.serial = null;
    this.body.onpointerover = (event) => this.point(event.target.closest(".al-rank")?.dataset.name);
    this.body.onpointerleave = () => this.point(undefined);
    this.body.addEventListener("focusin", (event) => this.point(event.target.dataset.name));
    this.body.addEventListener("focusout", () => this.point(undefined));
    this.body.onkeydown = (event) => this.press(event);
    this.body.onclick = (event) => {
      const row = event.target.closest(".al-rank");
      if (row) this.choose(row);
    };
  }

  leave() {
    this.point(undefined);
  }

  receive({ header }) {
    this.header = header;
    readTheme(this.root);
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.selected = header.selected;
    }
    if (header.label) this.body.setAttribute("aria-label", header.label);
    // A list with negative values needs room on both sides of zero; all lists keep one scale.
    const lows = header.columns.flatMap(({ rows }) => rows.map(([, , value]) => -value));
    this.unit = 1 / (header.full + Math.max(0, ...lows) || 1); // of a track, for a value of 1
    const held = this.root.getRootNode().activeElement?.dataset?.name;
    this.body.replaceChildren(...header.columns.map((column, i) => this.column(column, i)));
    this.foot.textContent = header.full
      ? `One scale: the longest bar is ${this.write(header.full)}. Click a head to open it.` : "";
    this.mark();
    if (held) this.body.querySelector(`[data-name="${CSS.escape(held)}"]`)?.focus();
  }

  write(value, sign = false) {
    const text = Math.abs(value).toFixed(this.header.digits), zero = Number(text) === 0;
    return zero ? "0" : (value < 0 ? "−" : sign ? "+" : "") + text;
  }

  column({ title, colour, rows }, at) {
    const section = make("section", "al-ranks-column");
    section.dataset.colour = colour;
    const head = writeToken(section.appendChild(make("div", "al-ranks-title")), title);
    head.id = `al-ranks-${at}`;
    const list = section.appendChild(make("ol", "al-ranks-list"));
    list.setAttribute("aria-labelledby", head.id);
    list.append(...rows.map((row, i) => this.row(row, i, colour, rows)));
    if (!rows.length) section.append(make("div", "al-note", "No head"));
    return section;
  }

  row([layer, head, value], place, colour, rows) {
    const item = make("li"), row = item.appendChild(make("button", "al-rank"));
    row.type = "button";
    row.tabIndex = place ? -1 : 0; // one stop in each list, arrow keys within
    Object.assign(row.dataset, { name: `L${layer} H${head}`, layer, head });
    const said = this.write(value, colour === "d");
    row.setAttribute("aria-label", `${place + 1}. Layer ${layer}, head ${head}: ${said}`);
    const track = make("span", "al-rank-track");
    const ink = track.appendChild(make("i", value < 0 ? "al-less" : ""));
    const lowest = Math.min(...rows.map(([, , other]) => other), 0); // zero has this room at its left
    ink.style.left = `${100 * this.unit * (Math.min(value, 0) - lowest)}%`;
    ink.style.width = `${100 * this.unit * Math.abs(value)}%`;
    row.append(
      make("span", "al-rank-place", String(place + 1)), make("span", "al-rank-name", row.dataset.name),
      track, make("span", "al-rank-figure", said),
    );
    return item;
  }

  /** Mark what is chosen, in every list. */
  mark() {
    const name = this.selected ? `L${this.selected[0]} H${this.selected[1]}` : null;
    for (const row of this.body.querySelectorAll(".al-rank")) {
      if (row.dataset.name === name) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  point(name) {
    if (name === this.pointed) return;
    this.pointed = name;
    for (const row of this.body.querySelectorAll(".al-rank")) {
      row.classList.toggle("al-on", row.dataset.name === name);
    }
  }

  press(event) {
    const row = event.target.closest(".al-rank");
    if (!row) return;
    const all = (node, name) => [...node.querySelectorAll(name)];
    const lists = all(this.body, ".al-ranks-list").map((list) => all(list, ".al-rank"));
    const column = lists.findIndex((list) => list.includes(row)), place = lists[column].indexOf(row);
    const at = (list, i) => list?.[Math.max(0, Math.min(list.length - 1, i))];
    const next = {
      ArrowDown: at(lists[column], place + 1), ArrowUp: at(lists[column], place - 1),
      ArrowRight: at(lists[column + 1], place), ArrowLeft: at(lists[column - 1], place),
      Home: at(lists[column], 0), End: at(lists[column], Infinity),
    };
    if (!(event.key in next)) return;
    event.preventDefault();
    next[event.key]?.focus();
  }

  choose(row) {
    this.selected = [Number(row.dataset.layer), Number(row.dataset.head)];
    this.mark();
    this.live.textContent = `Chosen: layer ${this.selected[0]}, head ${this.selected[1]}`;
    this.send({ layer: this.selected[0], head: this.selected[1], serial: this.serial });
  }
}

export default function (component) {
  return mountOnce(component, Ranks);
}
