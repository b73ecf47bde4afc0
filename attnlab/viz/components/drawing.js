// Boxes, lines and words, laid out by attnlab/viz/diagram.py, as SVG. What can be pointed at can be
// reached with the arrow keys too.

const SVG = "http://www.w3.org/2000/svg";
const LEVELS = 24; // strengths of a heat map, as in diagram.py

/** A new SVG element with its attributes; undefined ones are left out. */
function shape(tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(name, value);
  }
  if (text !== undefined) node.textContent = text;
  return node;
}

const paint = (kind) => (kind ? `var(--al-${kind})` : "none");

const DRAW = {
  box([x, y, width, height, fill, edge, radius]) {
    const rx = Math.min(radius, width / 2, height / 2);
    return [shape("rect", { x, y, width, height, rx, fill: paint(fill), stroke: paint(edge), "stroke-width": 1.25 })];
  },
  line([flat, kind, width, arrow, dashed]) {
    const points = flat.reduce((text, value, at) => `${text}${at ? (at % 2 ? " " : "L") : "M"}${value}`, "");
    const drawn = [shape("path", {
      d: points, fill: "none", stroke: paint(kind), "stroke-width": width,
      "stroke-dasharray": dashed ? "5 4" : undefined,
    })];
    if (arrow) {
      const [x0, y0, x1, y1] = flat.slice(-4);
      const turn = (Math.atan2(y1 - y0, x1 - x0) * 180) / Math.PI;
      const transform = `translate(${x1} ${y1}) rotate(${turn})`;
      drawn.push(shape("path", { d: "M0 0L-7 -3.5L-7 3.5Z", fill: paint(kind), transform }));
    }
    return drawn;
  },
  area([flat, kind, strength]) {
    const points = flat.reduce((text, value, at) => `${text}${at ? (at % 2 ? " " : "L") : "M"}${value}`, "");
    return [shape("path", { d: `${points}Z`, fill: paint(kind), "fill-opacity": strength })];
  },
  cells([x, y, width, height, rows, columns, levels, more, less]) {
    // One path for each strength: neighbours alike are one piece of it.
    const paths = new Map();
    const wide = width / columns, high = height / rows;
    for (let row = 0; row < rows; row++) {
      for (let start = 0, end = 0; start < columns; start = end) {
        const level = levels[row * columns + start];
        for (end = start + 1; end < columns && levels[row * columns + end] === level;) end++;
        if (!level) continue;
        const piece = `M${x + start * wide} ${y + row * high}h${(end - start) * wide}v${high}h${(start - end) * wide}z`;
        paths.set(level, (paths.get(level) ?? "") + piece);
      }
    }
    return [...paths].map(([level, d]) => shape("path", {
      d, fill: paint(level > 0 ? more : less), "fill-opacity": Math.abs(level) / LEVELS,
      "shape-rendering": "crispEdges",
    }));
  },
  words([x, y, text, size, kind, bold, anchor]) {
    return [shape("text", {
      x, y: y + 0.35 * size, "font-size": size, fill: paint(kind),
      "font-weight": bold ? 650 : undefined, "text-anchor": anchor,
    }, text)];
  },
};

class Drawing {
  constructor(root) {
    this.root = root;
    this.live = liveRegion(root);
    this.tip = new Tip(root);
    this.svg = root.appendChild(shape("svg", { class: "al-diagram", role: "img", tabindex: 0 }));
    this.at = -1;
    this.svg.onpointermove = oncePerFrame((pointer) => this.point(pointer));
    this.svg.onpointerleave = oncePerFrame(() => this.leave());
    this.svg.onclick = (event) => this.choose(event.target.dataset?.spot);
    this.svg.onkeydown = (event) => this.press(event);
    this.svg.addEventListener("blur", () => this.leave());
  }

  leave() {
    this.tip.hide();
    this.mark(-1);
  }

  receive({ header }) {
    this.header = header;
    readTheme(this.root);
    const { width, height, shapes, spots } = header;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.maxWidth = `${width * 1.15}px`;
    // It must not shrink until it cannot be hit, or read: on a narrow page it scrolls instead.
    this.svg.style.minWidth = header.scrolls ? `${Math.min(width, 0.68 * width + 60)}px` : "";
    this.root.classList.toggle("al-scrolls", Boolean(header.scrolls));
    const keys = header.clickable ? " Arrow keys go from part to part, Enter chooses." :
      spots.length ? " Arrow keys go from part to part." : "";
    this.svg.setAttribute("aria-label", header.label + keys);
    this.svg.setAttribute("role", header.clickable ? "application" : "img");
    this.svg.classList.toggle("al-clickable", Boolean(header.clickable));
    this.spots = spots.map(([x, y, w, h], at) =>
      shape("rect", { x, y, width: w, height: h, rx: 6, class: "al-spot", "data-spot": at }));
    const drawn = shapes.flatMap(([kind, ...rest]) => DRAW[kind](rest));
    this.svg.replaceChildren(...drawn, ...this.spots);
    // Chosen with the keys, it is drawn anew while the cursor stays where it is.
    const held = this.at;
    this.at = -1;
    if (this.root.getRootNode().activeElement === this.svg && held < spots.length) this.mark(held);
  }

  mark(at) {
    this.spots?.[this.at]?.classList.remove("al-on");
    this.at = at;
    this.spots?.[at]?.classList.add("al-on");
  }

  point(pointer) {
    const at = pointer.target.dataset?.spot;
    if (at === undefined) return this.leave();
    this.mark(Number(at));
    this.tip.show(pointer.x, pointer.y, at, () => this.describe(at));
  }

  describe(at) {
    const [, , , , title, lines] = this.header.spots[at];
    return [make("div", "al-tip-title", title), ...lines.map((line) => make("div", "", line))];
  }

  /** Tell Python which spot was chosen; the same one can be chosen again. */
  choose(at) {
    if (!this.header.clickable || at === undefined || Number(at) < 0) return;
    const [, , , , title] = this.header.spots[at];
    this.live.textContent = `Chosen: ${title}`;
    this.times = (this.times ?? 0) + 1;
    this.send({ spot: Number(at), times: this.times });
  }

  press(event) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.choose(this.at);
    }
    const last = this.spots.length - 1;
    const moves = {
      ArrowRight: this.at + 1, ArrowDown: this.at + 1, Home: 0, End: last,
      ArrowLeft: this.at < 0 ? last : this.at - 1, ArrowUp: this.at < 0 ? last : this.at - 1,
    };
    if (event.key === "Escape") return this.leave();
    if (!(event.key in moves) || last < 0) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(last, moves[event.key]));
    this.mark(at);
    const place = this.spots[at].getBoundingClientRect();
    this.tip.show(place.right - 12, place.top + place.height / 2, String(at), () => this.describe(at));
    const [, , , , title, lines] = this.header.spots[at];
    this.live.textContent = [title, ...lines].join(". ");
  }
}
