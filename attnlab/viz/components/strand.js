// A text that is being written, in lines as it is read. Ink and arcs show what the looked-from word
// takes from each word. Pointing at a word looks from there; a click keeps it and tells Python.

const SVG = "http://www.w3.org/2000/svg";
const LEAST = { arc: 0.02, ink: 0.004 }; // weights
const THICKEST = 6; // CSS pixels

class Strand extends Picture {
  constructor(root) {
    super(root);
    this.box = root.appendChild(make("div", "al-strand"));
    this.name = this.box.appendChild(make("b", "al-strand-name"));
    this.room = this.box.appendChild(make("div", "al-strand-room"));
    this.svg = this.room.appendChild(document.createElementNS(SVG, "svg"));
    this.svg.setAttribute("aria-hidden", "true");
    this.read = this.room.appendChild(make("p", "al-strand-read"));
    this.text = this.room.appendChild(make("p", "al-strand-text"));
    this.text.tabIndex = 0;
    this.text.setAttribute("role", "listbox");
    this.room.onpointerover = oncePerFrame((pointer) => this.point(pointer));
    this.room.onpointerleave = oncePerFrame(() => this.unpoint());
    this.text.onclick = (event) => this.keep(event.target.closest(".al-strand-word")?.dataset.at);
    this.text.onkeydown = (event) => this.press(event);
    this.text.onblur = () => this.unpoint();
  }

  receive({ header, arrays }) {
    Object.assign(this, { header, weights: arrays.weights });
    this.theme = readTheme(this.root);
    this.kept = header.at;
    this.box.dataset.kind = header.kind;
    this.name.textContent = header.name;
    this.name.hidden = !header.name;
    this.text.setAttribute("aria-label",
      `${header.label} Arrow keys look from another word, Enter keeps it.`);
    this.words = this.write(this.text, header.tokens);
    this.sources = header.sources ? this.write(this.read, header.sources) : null;
    this.read.hidden = !header.sources;
    this.tip.hide();
    this.draw();
  }

  /** An element for each token; a line ends after a token that ends one. */
  write(line, tokens) {
    const written = line === this.text, { given, parted } = this.header, nodes = [];
    line.replaceChildren();
    tokens.forEach((token, at) => {
      const word = make("span", "al-strand-word");
      writeToken(word, token);
      word.dataset.at = at;
      word.id = `al-strand-${written ? "word" : "source"}-${at}`;
      if (written) word.setAttribute("role", "option");
      word.classList.toggle("al-came", written && at >= given);
      word.classList.toggle("al-parted", written && at === parted);
      if (at && (token[TEXT].startsWith(" ") || token[SPECIAL])) line.append(" ");
      line.append(word);
      if (/[↵\n]$/.test(token[TEXT]) && at + 1 < tokens.length) line.append(make("br"));
      nodes.push(word);
    });
    return nodes;
  }

  /** The words have their places: measure them, and look. */
  draw() {
    if (!this.header || !this.root.clientWidth) return;
    this.width = this.root.clientWidth;
    const origin = this.room.getBoundingClientRect();
    const place = (word) => {
      const { left, right, top, bottom } = word.getBoundingClientRect();
      return { x: (left + right) / 2 - origin.left, top: top - origin.top, bottom: bottom - origin.top };
    };
    this.places = this.words.map(place);
    this.above = this.sources?.map(place);
    this.look(this.kept);
  }

  weight(query, key) {
    return this.weights.data[query * this.weights.shape[1] + key] / this.weights.top;
  }

  look(at) {
    this.words[this.at]?.classList.remove("al-on");
    this.at = at;
    this.words[at].classList.add("al-on");
    this.text.setAttribute("aria-activedescendant", this.words[at].id);
    this.words.forEach((word, i) => word.setAttribute("aria-selected", i === this.kept));
    const arcs = [];
    (this.sources || this.words).forEach((word, key) => {
      const weight = this.weight(at, key), ink = weight < LEAST.ink ? 0 : Math.min(78, 3 + 85 * weight);
      word.style.setProperty("--ink", `${ink.toFixed(1)}%`);
      word.classList.toggle("al-gone", isForgotten(this.header.forgets, at, key));
      if (weight >= LEAST.arc && (this.sources || key !== at)) arcs.push([weight, key]);
    });
    arcs.sort((one, other) => one[0] - other[0]);
    this.svg.replaceChildren(...arcs.map(([weight, key]) => this.arc(at, key, weight)));
  }

  /** From the top of a word: over its line, or up to a line before it. */
  arc(at, key, weight) {
    const from = this.places[at], to = (this.above || this.places)[key];
    const path = document.createElementNS(SVG, "path");
    const same = Math.abs(from.top - to.top) < 4;
    const rise = Math.min(17, 5 + 0.07 * Math.abs(from.x - to.x)) * 1.33;
    const middle = (from.top + to.bottom) / 2;
    path.setAttribute("d", same
      ? `M${from.x} ${from.top}C${from.x} ${from.top - rise} ${to.x} ${to.top - rise} ${to.x} ${to.top}`
      : `M${from.x} ${from.top}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.bottom}`);
    path.setAttribute("stroke-width", 0.7 + THICKEST * weight);
    path.setAttribute("opacity", Math.min(1, 0.25 + 1.5 * weight));
    return path;
  }

  point(pointer) {
    const word = pointer.target.closest?.(".al-strand-word");
    if (!word) return this.unpoint();
    const at = Number(word.dataset.at), source = word.parentElement === this.read;
    this.look(source ? this.kept : at);
    this.tip.show(pointer.x, pointer.y, word.id, () => this.describe(at, source));
  }

  unpoint() {
    this.tip.hide();
    if (this.header) this.look(this.kept);
  }

  describe(at, source) {
    const token = (source ? this.header.sources : this.header.tokens)[at];
    const told = (source ? [] : this.header.told[at]).map((line) => make("div", "", line));
    const sees = source || (!this.sources && at <= this.kept);
    const takes = make("div", "al-tip-note"), gone = isForgotten(this.header.forgets, this.kept, at);
    const share = gone ? "has forgotten this" : `takes ${figure(this.weight(this.kept, at))} from here`;
    writeToken(takes, this.header.tokens[this.kept]).append(` ${share}`);
    const title = writeToken(make("div", "al-tip-title"), token);
    return [title, ...told, ...(sees ? [takes] : []), rawLine(token, `position ${at}`)];
  }

  /** Look from a word from now on, and tell Python; the same one can be chosen again. */
  keep(at) {
    if (at === undefined) return;
    this.kept = Number(at);
    this.look(this.kept);
    this.live.textContent = this.summary();
    this.times = (this.times ?? 0) + 1;
    this.send({ at: this.kept, times: this.times });
  }

  /** What the looked-from word takes most from, to be read out. */
  summary() {
    const keys = this.header.sources || this.header.tokens;
    const most = keys.map((token, key) => [this.weight(this.at, key), spoken(token)])
      .sort((one, other) => other[0] - one[0]).slice(0, 3)
      .map(([weight, word]) => `${word} ${figure(weight)}`);
    return `${spoken(this.header.tokens[this.at])} looks at ${most.join(", ")}`;
  }

  press(event) {
    const last = this.words.length - 1;
    const moves = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: last };
    if (event.key === "Enter" || event.key === " ") this.keep(this.at);
    else if (event.key === "Escape") this.unpoint();
    else if (event.key in moves) {
      this.look(Math.max(0, Math.min(last, moves[event.key])));
      this.live.textContent = this.summary();
    } else return;
    event.preventDefault();
  }
}

export default function (component) {
  return mountOnce(component, Strand);
}
