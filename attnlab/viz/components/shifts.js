// How far each token's vector moved, as bars in the order of the text; those that moved most are named.

const NAMED = 3; // how many of those that moved most are named below

class Shifts {
  constructor(root) {
    this.root = root;
    this.live = liveRegion(root);
    this.tip = new Tip(root);
    this.list = root.appendChild(make("div", "al-shifts"));
    this.list.tabIndex = 0;
    this.list.setAttribute("role", "listbox");
    this.foot = root.appendChild(make("div", "al-note"));
    this.at = 0;
    this.list.onpointermove = oncePerFrame((pointer) => {
      const at = pointer.target.closest(".al-shift")?.dataset.position;
      if (at === undefined) return this.tip.hide();
      this.tip.show(pointer.x, pointer.y, at, () => this.describe(Number(at)));
    });
    this.list.onpointerleave = oncePerFrame(() => this.tip.hide());
    this.list.onkeydown = (event) => this.press(event);
  }

  leave() {
    this.tip.hide();
  }

  receive({ header }) {
    this.header = header;
    readTheme(this.root);
    this.list.setAttribute("aria-label", `${header.label || "How far each token moved"}: arrow keys move`);
    this.items = header.rows.map((row, i) => this.line(row, i));
    this.list.replaceChildren(...this.items);
    this.move(Math.min(this.at, this.items.length - 1));
    this.writeFoot();
  }

  line([token, distance], position) {
    const line = make("div", "al-shift");
    line.id = `al-shift-${position}`;
    line.setAttribute("role", "option");
    line.setAttribute("aria-label", this.say(position));
    line.dataset.position = position;
    writeToken(line.appendChild(make("span", "al-shift-name")), token);
    const ink = line.appendChild(make("span", "al-shift-track")).appendChild(make("i"));
    ink.style.width = `${this.header.full ? (100 * distance) / this.header.full : 0}%`;
    line.append(make("span", "al-shift-figure", this.write(distance)));
    return line;
  }

  write(distance) {
    return distance === 0 ? "0" : distance.toFixed(this.header.digits);
  }

  say(position) {
    const [token, distance] = this.header.rows[position];
    return `${spoken(token)} ${this.write(distance)}`;
  }

  writeFoot() {
    const { rows, full } = this.header;
    if (!full) return this.foot.replaceChildren(rows.length ? "No token moved." : "");
    const most = rows.map(([, distance], at) => [distance, at])
      .sort((x, y) => y[0] - x[0]).slice(0, NAMED);
    const scale = `The longest bar is ${this.write(full)}. `;
    // Between isolating marks a word that runs from right to left moves no other.
    const names = most.filter(([distance]) => distance > 0).map(([, at]) => make("bdi", "", this.say(at)));
    const listed = names.flatMap((name, i) => (i ? [", ", name] : [name]));
    this.foot.replaceChildren(scale, "Moved most: ", ...listed);
  }

  describe(position) {
    const [token, distance] = this.header.rows[position];
    return [
      writeToken(make("div", "al-tip-title"), token),
      make("div", "", `cosine distance ${distance.toPrecision(4)}`),
      rawLine(token, `position ${position}`),
    ];
  }

  move(position) {
    this.list.querySelector(".al-cursor")?.classList.remove("al-cursor");
    this.at = Math.max(0, position);
    const item = this.items[this.at];
    if (!item) return this.list.removeAttribute("aria-activedescendant");
    item.classList.add("al-cursor");
    this.list.setAttribute("aria-activedescendant", item.id);
  }

  press(event) {
    const last = this.items.length - 1;
    const moves = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, Home: 0, End: last };
    if (!(event.key in moves) || last < 0) return;
    event.preventDefault();
    this.move(Math.max(0, Math.min(last, moves[event.key])));
    this.items[this.at].scrollIntoView({ block: "nearest" });
    this.live.textContent = this.say(this.at);
  }
}

export default function (component) {
  return mountOnce(component, Shifts);
}
