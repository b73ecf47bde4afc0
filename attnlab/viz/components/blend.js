// A dictionary that is looked up softly: a slider from an even blend to a single match, the share of
// each key as a bar, and the values blended by these shares. Every stop came with the payload.

class Blend {
  constructor(root) {
    this.root = root;
    this.live = liveRegion(root);
    this.serial = null;
    const dial = root.appendChild(make("label", "al-dial"));
    dial.append(make("span", "", "even blend"));
    this.dial = dial.appendChild(make("input"));
    this.dial.type = "range";
    this.dial.min = 0;
    this.dial.step = 1;
    dial.append(make("span", "", "single match"));
    this.now = root.appendChild(make("div", "al-dial-now"));
    this.table = root.appendChild(make("div", "al-blend"));
    this.table.setAttribute("role", "table");
    this.dial.oninput = () => this.turn(Number(this.dial.value));
    // Told once the slider is let go: moving it asks nobody.
    this.dial.onchange = () => this.send({ stop: this.stop, serial: this.serial });
  }

  leave() {}

  receive({ header }) {
    this.header = header;
    readTheme(this.root);
    this.dial.max = header.stops.length - 1;
    this.dial.setAttribute("aria-label", "Sharpness, from an even blend to a single match");
    if (header.label) this.table.setAttribute("aria-label", header.label);
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.stop = header.stop;
      this.dial.value = header.stop;
    }
    this.draw();
  }

  draw() {
    const { keys, values, columns, hidden } = this.header;
    this.table.style.setProperty("--columns", columns.length);
    const head = this.row("al-blend-head", "", make("span"), make("span", "", "share"), columns);
    const lines = keys.map((key, i) => {
      const track = make("span", "al-track");
      track.append(make("i", "al-before"));
      const line = this.row("", key, track, make("span", "al-blend-share"), values[i].map((value) => compact(value, 2, false)));
      line.classList.toggle("al-blend-hidden", hidden[i]);
      return line;
    });
    this.sum = this.row("al-blend-sum", "blended", make("span"), make("span"), columns.map(() => ""));
    this.lines = lines;
    this.table.replaceChildren(head, ...lines, this.sum);
    this.turn(this.stop, false);
  }

  row(kind, name, track, share, cells) {
    const line = make("div", `al-blend-row ${kind}`);
    line.setAttribute("role", "row");
    const title = make("span", "al-blend-name", name);
    title.setAttribute("role", "rowheader");
    line.append(title, track, share, ...cells.map((cell) => make("span", "al-blend-cell", cell)));
    for (const node of [track, share, ...line.querySelectorAll(".al-blend-cell")]) node.setAttribute("role", "cell");
    return line;
  }

  /** Show the shares at a stop. */
  turn(stop, aloud = true) {
    const { stops, weights, blends, hidden } = this.header;
    this.stop = stop;
    this.now.textContent = stops[stop];
    this.dial.setAttribute("aria-valuetext", stops[stop]);
    this.lines.forEach((line, i) => {
      line.querySelector(".al-track i").style.width = `${100 * weights[stop][i]}%`;
      line.querySelector(".al-blend-share").textContent = hidden[i] ? "hidden" : weights[stop][i].toFixed(4);
    });
    const cells = this.sum.querySelectorAll(".al-blend-cell");
    blends[stop].forEach((value, j) => { cells[j].textContent = compact(value, 2, false); });
    if (aloud) this.live.textContent = `Shares: ${weights[stop].map((share) => share.toFixed(2)).join(", ")}`;
  }
}

export default function (component) {
  return mountOnce(component, Blend);
}
