// One of the compared heads: its name, which opens it, a cross that takes it away, its figures, its plot.

/**
 * As many columns, in rows about as long, as keep cells of 12 pixels or more; at least two where
 * there is room for them.
 */
function columnsFor(count, width, pitchIn) {
  const least = Math.min(count, width >= 420 ? 2 : 1);
  for (let most = Math.min(4, Math.floor(width / 175)); most > least; most--) {
    const columns = Math.ceil(count / Math.ceil(count / most));
    if (pitchIn(columns) >= 12) return columns;
  }
  return least;
}

class Tile {
  constructor(owner, index) {
    Object.assign(this, { owner, index });
    const [layer, head] = owner.header.heads[index], name = owner.names[index];
    this.node = make("section", "al-tile");
    const top = this.node.appendChild(make("div", "al-tile-top"));
    top.append(
      this.button("al-tile-name", name, `Open layer ${layer}, head ${head}`, "open"),
      make("span", "al-tile-note", owner.header.notes[index]),
      this.button("al-tile-remove", "×", `Remove ${name}`, "remove"),
    );
    top.children[1].title = owner.header.notes[index];
    this.figures = this.node.appendChild(make("div", "al-tile-figures"));
    this.stage = this.node.appendChild(make("div", "al-tile-stage"));
    this.canvas = this.stage.appendChild(make("canvas"));
    this.above = this.stage.appendChild(make("canvas"));
    this.stage.onpointermove = oncePerFrame((pointer) => owner.point(this.find(pointer.x, pointer.y)));
    this.stage.onpointerleave = oncePerFrame(() => owner.point(null));
    this.stage.onclick = (event) => {
      const cell = this.find(event.clientX, event.clientY);
      if (cell) owner.keep(cell);
    };
    this.describe(name);
  }

  /** What is pointed at is the same in all heads, so one of them takes the keyboard. */
  describe(name) {
    if (this.index) {
      this.stage.setAttribute("role", "img");
      this.stage.setAttribute("aria-label", `Attention of ${name}`);
      return;
    }
    this.stage.tabIndex = 0;
    this.stage.dataset.act = "plot";
    this.stage.setAttribute("role", "application");
    this.stage.setAttribute("aria-roledescription", "attention of several heads");
    this.stage.setAttribute("aria-label",
      `${this.owner.names.join(", ")}. Arrow keys move through words in all heads, Enter keeps a pair.`);
    this.stage.onkeydown = (event) => this.owner.press(event);
    this.stage.onblur = () => this.owner.point(null);
  }

  button(className, text, label, act) {
    const button = make("button", className, text), [layer, head] = this.owner.header.heads[this.index];
    button.type = "button";
    button.title = label;
    button.setAttribute("aria-label", label);
    button.dataset.act = `${act} ${this.index}`;
    // The time makes a second click on the same head news.
    button.onclick = () =>
      this.owner.send({ layer, head, remove: act === "remove", time: Math.round(performance.now()) });
    return button;
  }

  draw() {
    const { plot } = this.owner;
    plot.draw(sharpen(this.canvas, plot.width, plot.height), this.index);
    this.marks = sharpen(this.above, plot.width, plot.height);
  }

  mark(cell) {
    const { owner, marks } = this, { plot } = owner;
    marks.clearRect(0, 0, plot.width, plot.height);
    plot.mark(marks, this.index, cell);
    this.canvas.style.opacity = cell && plot instanceof ArcPlot ? 0.4 : 1;
    const told = cell && cell[1] !== null && !owner.isFuture(...cell);
    this.figures.replaceChildren(...(told ? [figureLine(...owner.both(this.index, ...cell))] : []));
  }

  find(x, y) {
    const box = this.canvas.getBoundingClientRect();
    return this.owner.plot.find(x - box.left, y - box.top);
  }
}
