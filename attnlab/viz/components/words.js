// One side of the chosen head in words: where one word looks, as arcs, bars and figures.

const SVG = "http://www.w3.org/2000/svg";
const ARC_LEAST = 0.01, FAINT_ARC_LEAST = 0.03; // weights

/** Height of one word's row for `count` rows: comfortable up to a sentence, tight beyond. */
const rowHeight = (count) => (count <= 26 ? 25 : count <= 40 ? 21 : 18);

/** The curve from height y0 on the left to y1 on the right. */
function arc(y0, y1, width) {
  return `M0 ${y0}C${width * 0.45} ${y0} ${width * 0.55} ${y1} ${width} ${y1}`;
}

class Words {
  constructor(owner, plane, holder) {
    Object.assign(this, { owner, plane, side: plane.side });
    [this.queries, this.keys] = [plane.queries, plane.keys];
    this.row = rowHeight(Math.max(...plane.size));
    this.node = holder.appendChild(make("div", `al-words al-${this.side}-side`));
    this.node.style.setProperty("--row", `${this.row}px`);
    this.node.classList.toggle("al-tight", this.row < 20);
    this.from = this.node.appendChild(this.makeFrom());
    this.arcs = this.node.appendChild(make("div", "al-arcs"));
    this.canvas = this.arcs.appendChild(make("canvas"));
    this.svg = this.arcs.appendChild(document.createElementNS(SVG, "svg"));
    this.svg.setAttribute("aria-hidden", "true");
    this.to = this.node.appendChild(this.makeTo());
    this.drawn = this.keys.map(() => "");
  }

  makeFrom() {
    const list = this.makeList("al-from", "arrow keys look from a word, Enter keeps it");
    this.words = this.fill(list, this.queries, "al-word");
    this.words.forEach((item, i) => {
      writeToken(item.appendChild(make("span", "al-clip")), this.queries[i]);
    });
    const position = (event) => event.target.closest(".al-word")?.dataset.position;
    list.onpointerover = oncePerFrame((pointer) => {
      const at = position(pointer);
      if (at !== undefined) this.owner.look(this.side, Number(at));
    });
    list.onpointerleave = oncePerFrame(() => this.owner.restore());
    list.onclick = (event) => {
      const at = position(event);
      if (at !== undefined) this.owner.pin(this.side, Number(at));
    };
    list.onkeydown = (event) => this.pressFrom(event);
    list.onblur = () => this.owner.restore();
    return list;
  }

  makeTo() {
    const list = this.makeList("al-to", "arrow keys move, Enter keeps the pair");
    this.items = this.fill(list, this.keys, "al-key").map((item, i) => {
      const ink = item.appendChild(make("i", "al-ink"));
      writeToken(item.appendChild(make("span", "al-clip")), this.keys[i]);
      return { item, ink, figure: item.appendChild(make("span", "al-fig")) };
    });
    list.onpointermove = oncePerFrame((pointer) => this.tell(pointer));
    list.onpointerleave = oncePerFrame(() => this.owner.tip.hide());
    list.onclick = (event) => {
      const at = event.target.closest(".al-key")?.dataset.position;
      if (at !== undefined) this.pick(Number(at));
    };
    list.onkeydown = (event) => this.pressTo(event);
    list.onfocus = () => this.moveTo(this.plane.columnOf(this.owner.picked) ?? 0);
    list.onblur = () => this.moveTo(null);
    return list;
  }

  makeList(className, keys) {
    const list = make("div", className), which = className === "al-from" ? "" : " looked at";
    list.tabIndex = 0;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", `Words of ${this.plane.name}${which}: ${keys}`);
    return list;
  }

  /** An element for each token. */
  fill(list, tokens, className) {
    return tokens.map((_, i) => {
      const item = list.appendChild(make("div", className));
      item.setAttribute("role", "option");
      item.id = `${className}-${this.side}-${i}`;
      item.dataset.side = this.plane.name;
      item.dataset.position = i;
      return item;
    });
  }

  pressFrom(event) {
    const at = this.owner.looked[this.side], next = step(event.key, at, this.queries.length);
    if (next !== null) this.owner.look(this.side, next, true);
    else if (event.key === "Enter" || event.key === " ") this.owner.pin(this.side, at);
    else if (event.key === "Escape") this.owner.restore();
    else return;
    if (next !== null) this.words[next].scrollIntoView({ block: "nearest" });
    event.preventDefault();
  }

  pressTo(event) {
    const next = step(event.key, this.cursor ?? 0, this.keys.length);
    if (next !== null) this.moveTo(next, true);
    else if (event.key === "Enter" || event.key === " ") this.pick(this.cursor ?? 0);
    else return;
    event.preventDefault();
  }

  /** The keyboard's place among the words looked at. */
  moveTo(key, speak = false) {
    this.items[this.cursor]?.item.classList.remove("al-cursor-key");
    this.cursor = key;
    if (key === null) return this.to.removeAttribute("aria-activedescendant");
    const { item } = this.items[key];
    if (this.to.matches(":focus-visible")) item.classList.add("al-cursor-key");
    this.to.setAttribute("aria-activedescendant", item.id);
    if (!speak) return;
    item.scrollIntoView({ block: "nearest" });
    const [look, weights] = this.owner.describe(this.side, this.at, key);
    this.owner.live.textContent = `${look.textContent}: ${weights.textContent}`;
  }

  /** Keep a pair: the looked-from word and `key`, unless that word cannot be seen from there. */
  pick(key) {
    const row = this.owner.pinned[this.side];
    if (!this.plane.isFuture(row, key)) this.owner.pin(this.side, row, key);
  }

  tell(pointer) {
    const at = pointer.target.closest(".al-key")?.dataset.position;
    if (at === undefined) return this.owner.tip.hide();
    const subject = [this.side, this.at, at].join();
    this.owner.tip.show(pointer.x, pointer.y, subject,
      () => this.owner.describe(this.side, this.at, Number(at)));
  }

  measure() {
    // The style sheet gives words their room.
  }

  /** Sizes are known: draw every arc faintly once, behind the looked-from word's own. */
  layOut() {
    this.width = this.arcs.clientWidth;
    const height = this.row * Math.max(...this.plane.size);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.svg.style.height = `${height}px`;
    this.drawFaint(sharpen(this.canvas, this.width, height));
  }

  middle(at) {
    return (at + 0.5) * this.row;
  }

  arc(query, key) {
    return arc(this.middle(query), this.middle(key), this.width);
  }

  drawFaint(context) {
    const { theme } = this.owner;
    context.strokeStyle = `rgb(${theme[this.side].join()})`;
    context.globalAlpha = theme.dark ? 0.09 : 0.07;
    this.queries.forEach((_, i) => this.keys.forEach((__, j) => {
      const weight = this.plane.value(i, j);
      if (weight < FAINT_ARC_LEAST) return;
      context.lineWidth = 0.5 + 5 * weight;
      context.stroke(new Path2D(this.arc(i, j)));
    }));
  }

  /** Show where the looked-from word looks: only rows whose drawing changes are touched. */
  look() {
    const query = this.plane.rowOf(this.owner.looked), now = this.words[query];
    this.words[this.at]?.classList.remove("al-on");
    now.classList.add("al-on");
    this.from.setAttribute("aria-activedescendant", now.id);
    this.at = query;
    this.to.classList.toggle("al-dead", this.plane.isDead(query));
    this.drawArcs();
    this.keys.forEach((_, key) => this.drawKey(key));
  }

  /** The column of the kept pair while its own row is looked from, else null. */
  get picked() {
    const kept = this.at === this.owner.pinned[this.side];
    return kept ? this.plane.columnOf(this.owner.picked) : null;
  }

  drawArcs() {
    const { picked } = this;
    const drawn = this.keys.map((_, key) => [key, this.plane.value(this.at, key)])
      .filter(([key, weight]) => weight >= ARC_LEAST || key === picked);
    this.svg.replaceChildren(...drawn.map(([key, weight]) => {
      const path = document.createElementNS(SVG, "path"), bold = key === picked;
      path.setAttribute("d", this.arc(this.at, key));
      path.setAttribute("stroke-width", bold ? 2.5 + 4 * weight : 1 + 5 * weight);
      path.setAttribute("opacity", bold ? 1 : Math.min(1, 0.14 + 1.6 * weight));
      return path;
    }));
  }

  drawKey(key) {
    const { item, ink, figure: text } = this.items[key];
    const weight = this.plane.value(this.at, key), future = this.plane.isFuture(this.at, key);
    const drawn = future ? "future" : String(weight);
    if (drawn === this.drawn[key]) return;
    this.drawn[key] = drawn;
    item.classList.toggle("al-future", future);
    item.classList.toggle("al-strong", weight > 0.3);
    ink.style.width = `${100 * weight}%`;
    ink.style.marginRight = `-${100 * weight}%`;
    text.textContent = this.plane.figure(this.at, key);
  }

  /** Mark the kept word and the word of the kept pair. */
  showKept() {
    const row = this.owner.pinned[this.side], column = this.plane.columnOf(this.owner.picked);
    this.words.forEach((item, i) => item.setAttribute("aria-selected", i === row));
    this.items.forEach(({ item }, j) => {
      item.setAttribute("aria-selected", j === column);
      item.classList.toggle("al-picked", j === column);
    });
    this.drawArcs();
  }
}

/** Where an arrow key, Home or End leads from `at` among `count`; null for other keys. */
function step(key, at, count) {
  const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 };
  return key in moves ? Math.max(0, Math.min(count - 1, moves[key])) : null;
}
