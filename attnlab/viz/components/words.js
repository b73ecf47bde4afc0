// One side of the chosen head in words: where one word looks, as arcs, bars and figures.

const SVG = "http://www.w3.org/2000/svg";
const GROUP = 16; // rows that the browser leaves out together while none of them is in sight
const REST = 250; // ms without another look, then the words out of sight are written too
const ARC_LEAST = 0.01, FAINT_ARC_LEAST = 0.03, FAINT_ARCS_UP_TO = 96; // weights; tokens

/** Height of one word's row for `count` rows: comfortable up to a sentence, tight beyond. */
const rowHeight = (count) => (count <= 26 ? 25 : count <= 40 ? 21 : count <= 50 ? 18 : 16);

/** The curve from word i on the left to word j on the right. */
function arc(i, j, row, width) {
  const y0 = (i + 0.5) * row, y1 = (j + 0.5) * row;
  return `M0 ${y0}C${width * 0.45} ${y0} ${width * 0.55} ${y1} ${width} ${y1}`;
}

class Words {
  constructor(owner, side, holder) {
    Object.assign(this, { owner, side, holder });
    this.queries = owner.header.tokens[side];
    this.keys = owner.keys(side);
    this.row = rowHeight(Math.max(this.queries.length, this.keys.length));
    this.node = holder.appendChild(make("div", `al-words al-${side}-side`));
    this.node.style.setProperty("--row", `${this.row}px`);
    this.node.classList.toggle("al-tight", this.row < 20);
    this.from = this.node.appendChild(this.makeFrom());
    this.arcs = this.node.appendChild(make("div", "al-arcs"));
    this.canvas = this.arcs.appendChild(make("canvas"));
    this.svg = this.arcs.appendChild(document.createElementNS(SVG, "svg"));
    this.svg.setAttribute("aria-hidden", "true");
    this.to = this.node.appendChild(this.makeTo());
    this.drawn = this.keys.map(() => "");
    this.to.addEventListener("contentvisibilityautostatechange", (event) => {
      event.target.hiding = event.skipped;
      if (!event.skipped) this.drawKeys();
    }, true);
  }

  makeFrom() {
    const list = make("div", "al-from"), name = this.side.toUpperCase();
    list.tabIndex = 0;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", `Words of ${name}: arrow keys look from a word, Enter keeps it`);
    this.words = this.fill(list, this.queries, "al-word", "option");
    this.words.forEach((item, i) => {
      item.id = `al-${this.side}-${i}`;
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
    list.onkeydown = (event) => this.press(event);
    list.onblur = () => this.owner.restore();
    return list;
  }

  makeTo() {
    const list = make("div", "al-to");
    list.setAttribute("role", "list");
    list.setAttribute("aria-label", `Words looked at in ${this.side.toUpperCase()}`);
    this.items = this.fill(list, this.keys, "al-key", "listitem").map((item, i) => {
      const ink = item.appendChild(make("i", "al-ink"));
      writeToken(item.appendChild(make("span", "al-clip")), this.keys[i]);
      return { item, ink, figure: item.appendChild(make("span", "al-fig")) };
    });
    list.onpointermove = oncePerFrame((pointer) => this.tell(pointer));
    list.onpointerleave = oncePerFrame(() => this.owner.tip.hide());
    return list;
  }

  /** An element for each token, in groups. */
  fill(list, tokens, className, role) {
    let group;
    return tokens.map((_, i) => {
      if (i % GROUP === 0) {
        group = list.appendChild(make("div", "al-group"));
        group.setAttribute("role", "presentation");
        group.style.height = `${this.row * Math.min(GROUP, tokens.length - i)}px`;
      }
      const item = group.appendChild(make("div", className));
      item.setAttribute("role", role);
      item.dataset.side = this.side.toUpperCase();
      item.dataset.position = i;
      return item;
    });
  }

  press(event) {
    const at = this.owner.looked[this.side], last = this.queries.length - 1;
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last };
    if (event.key in moves) {
      const next = Math.max(0, Math.min(last, moves[event.key]));
      this.owner.look(this.side, next, true);
      this.words[next].scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" || event.key === " ") this.owner.pin(this.side, at);
    else if (event.key === "Escape") this.owner.restore();
    else return;
    event.preventDefault();
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
    const count = Math.max(this.queries.length, this.keys.length), height = this.row * count;
    this.size = [this.node.clientWidth, height];
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.svg.style.height = `${height}px`;
    if (count <= FAINT_ARCS_UP_TO) this.drawFaint(sharpen(this.canvas, this.width, height));
    this.look(this.at ?? this.owner.looked[this.side]);
  }

  drawFaint(context) {
    const { theme } = this.owner;
    context.strokeStyle = `rgb(${theme[this.side].join()})`;
    context.globalAlpha = theme.dark ? 0.09 : 0.07;
    this.queries.forEach((_, i) => this.keys.forEach((__, j) => {
      const weight = this.owner.weight(this.side, i, j);
      if (weight < FAINT_ARC_LEAST) return;
      context.lineWidth = 0.5 + 5 * weight;
      context.stroke(new Path2D(arc(i, j, this.row, this.width)));
    }));
  }

  /** Look from word `query`: only rows whose drawing changes are touched. */
  look(query) {
    const before = this.words[this.at], now = this.words[query];
    before?.classList.remove("al-on");
    now.classList.add("al-on");
    this.from.setAttribute("aria-activedescendant", now.id);
    this.at = query;
    const dead = this.owner.sum(this.side, query) === 0;
    this.to.classList.toggle("al-dead", dead);
    const paths = [];
    this.keys.forEach((_, key) => {
      const weight = this.owner.weight(this.side, query, key);
      if (weight >= ARC_LEAST) paths.push(this.path(query, key, weight));
    });
    this.svg.replaceChildren(...paths);
    this.drawKeys();
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.drawRest(0), REST);
  }

  /** The weights of the looked-from word, beside every word in sight. */
  drawKeys() {
    this.items.forEach(({ item }, key) => item.parentNode.hiding || this.drawKey(key));
  }

  /** The same beside the others, a group at a time, so that no task is long. */
  drawRest(first) {
    const end = Math.min(first + GROUP, this.keys.length);
    for (let key = first; key < end; key++) this.drawKey(key);
    if (end < this.keys.length) this.rest = setTimeout(() => this.drawRest(end));
  }

  drawKey(key) {
    const { item, ink, figure: text } = this.items[key];
    const weight = this.owner.weight(this.side, this.at, key);
    const future = this.owner.isFuture(this.side, this.at, key);
    const drawn = future ? "future" : String(weight);
    if (drawn === this.drawn[key]) return;
    this.drawn[key] = drawn;
    item.classList.toggle("al-future", future);
    item.classList.toggle("al-strong", weight > 0.3);
    ink.style.width = `${100 * weight}%`;
    ink.style.marginRight = `-${100 * weight}%`;
    text.textContent = weight >= 0.005 ? figure(weight) : "";
  }

  path(query, key, weight) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", arc(query, key, this.row, this.width));
    path.setAttribute("stroke-width", 1 + 5 * weight);
    path.setAttribute("opacity", Math.min(1, 0.14 + 1.6 * weight));
    return path;
  }

  /** The same picture on a canvas, for saving. */
  draw(context) {
    const { theme } = this.owner, colour = `rgb(${theme[this.side].join()})`;
    const left = this.from.clientWidth, right = left + this.width, room = this.to.clientWidth;
    const full = room - parseFloat(getComputedStyle(this.items[0].item).paddingRight);
    const write = (text, x, i, align, weight = 400) => {
      context.font = `${weight} ${this.row < 20 ? 12 : 14}px ${theme.font}`;
      context.textAlign = align;
      context.textBaseline = "middle";
      context.fillText(text, x, (i + 0.5) * this.row);
    };
    context.save();
    context.translate(left, 0);
    if (this.queries.length <= FAINT_ARCS_UP_TO) this.drawFaint(context);
    context.restore();
    this.queries.forEach((token, i) => {
      context.fillStyle = i === this.at ? colour : theme.ink;
      write(spoken(token), left - 8, i, "right", i === this.at ? 700 : 400);
    });
    this.keys.forEach((token, j) => {
      const weight = this.owner.weight(this.side, this.at, j);
      context.strokeStyle = context.fillStyle = colour;
      context.globalAlpha = theme.dark ? 0.3 : 0.24;
      context.fillRect(right, j * this.row + 2, full * weight, this.row - 4);
      context.save();
      context.translate(left, 0);
      context.globalAlpha = Math.min(1, 0.14 + 1.6 * weight);
      context.lineWidth = 1 + 5 * weight;
      if (weight >= ARC_LEAST) context.stroke(new Path2D(arc(this.at, j, this.row, this.width)));
      context.restore();
      context.globalAlpha = this.owner.isFuture(this.side, this.at, j) ? 0.3 : 1;
      context.fillStyle = theme.ink;
      write(spoken(token), right + 8, j, "left", weight > 0.3 ? 700 : 400);
      context.fillStyle = theme.mute;
      if (weight >= 0.005) write(figure(weight), right + room - 6, j, "right");
      context.globalAlpha = 1;
    });
  }

  showPinned(query) {
    this.from.querySelector('[aria-selected="true"]')?.removeAttribute("aria-selected");
    const item = this.words[query];
    item.setAttribute("aria-selected", "true");
    // Only a long text scrolls inside its card; then the kept word is brought to its middle.
    const spare = this.holder.clientHeight - this.row;
    if (this.holder.scrollHeight > this.holder.clientHeight + 1 && !this.shown) {
      this.holder.scrollTop = query * this.row - spare / 2;
    }
    this.shown = true;
  }
}
