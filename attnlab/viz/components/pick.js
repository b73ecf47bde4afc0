// Running words of one or two texts: the first click says which word looks, the second what it
// looks at. Only a complete pair is told to Python; all before it stays here.

const ASIDE = { a: "b", b: "a" };

class Pick {
  constructor(root) {
    this.root = root;
    this.live = liveRegion(root);
    this.tip = new Tip(root);
    this.say = root.appendChild(make("div", "al-pick-say"));
    this.body = root.appendChild(make("div", "al-pick"));
    this.body.setAttribute("role", "group");
    this.serial = null;
  }

  leave() {
    this.tip.hide();
  }

  receive({ header }) {
    this.header = header;
    readTheme(this.root);
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.chosen = { ...header.chosen };
    }
    this.over = { a: new Map(header.pairs), b: new Map(header.pairs.map(([i, j]) => [j, i])) };
    const frame = JSON.stringify([header.tokens, header.sources, header.label, header.causal]);
    if (frame !== this.frame) this.build();
    this.frame = frame;
    this.show();
  }

  build() {
    const { tokens, sources, label } = this.header;
    if (label) this.body.setAttribute("aria-label", label);
    this.lines = [];
    this.body.replaceChildren();
    for (const side of Object.keys(tokens)) {
      const row = this.body.appendChild(make("div", `al-pick-side al-${side}-side`));
      row.append(make("span", "al-pick-letter", side.toUpperCase()));
      const texts = row.appendChild(make("div", "al-pick-texts"));
      const parts = sources[side] ? [["query", tokens[side]], ["key", sources[side]]]
        : [["both", tokens[side]]];
      for (const [part, words] of parts) this.lines.push(new Line(this, side, part, words, texts));
    }
  }

  /** The line of `side` on which a query or a key lies. */
  line(side, part) {
    return this.lines.find((line) => line.side === side && [part, "both"].includes(line.part));
  }

  /** Whether the word that looks is chosen and the one looked at is not. */
  get waiting() {
    return this.chosen.query !== null && this.chosen.key === null;
  }

  isFuture(side, key) {
    const { causal, sources } = this.header, { query } = this.chosen;
    return causal && !sources[side] && query !== null && side === this.chosen.side && key > query;
  }

  take(line, position) {
    const { side, query } = this.chosen;
    if (this.waiting && line.side === side && line.part !== "query") {
      if (this.isFuture(side, position)) {
        return this.speak("Comes later: it cannot be looked at from there.");
      }
      this.chosen.key = position;
      this.send({ side: side.toUpperCase(), query, key: position, serial: this.serial });
    } else if (line.part === "key") {
      return this.speak("First choose the word that looks.");
    } else this.chosen = { side: line.side, query: position, key: null };
    this.show();
    this.speak(this.say.textContent);
  }

  startOver() {
    this.chosen = { side: this.chosen.side, query: null, key: null };
    this.show();
    this.speak(this.say.textContent);
  }

  speak(text) {
    this.live.textContent = text;
  }

  show() {
    for (const line of this.lines) line.mark();
    const { side, query, key } = this.chosen;
    const word = (part, at) => {
      const text = writeToken(make("b", `al-${side}`), this.line(side, part).words[at]);
      return at === null ? null : text;
    };
    this.say.replaceChildren();
    if (query === null) return this.say.append("Click the word that looks.");
    const then = key === null ? " looks. Click the word it looks at." : " looks at ";
    this.say.append(word("query", query), then);
    if (key !== null) return this.say.append(word("key", key));
    const over = this.say.appendChild(make("button", "al-pick-over", "Start over"));
    over.type = "button";
    over.onclick = () => this.startOver();
  }
}

/** The words of one text, in running order. */
class Line {
  constructor(owner, side, part, words, holder) {
    Object.assign(this, { owner, side, part, words, at: words.length - 1, states: words.map(() => "") });
    const name = { query: "words that look", key: "words looked at", both: "words" }[part];
    if (part !== "both") holder.append(make("div", "al-pick-part", name));
    this.node = holder.appendChild(make("div", "al-pick-line"));
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "listbox");
    this.node.setAttribute("aria-orientation", "horizontal");
    this.node.setAttribute("aria-label", `${side.toUpperCase()}, ${name}: arrow keys move, Enter chooses`);
    // Tokenizers that keep the space before a word glue the pieces of one word; others part all.
    const spaced = words.some((word) => word[TEXT].startsWith(" "));
    this.items = words.map((word, i) => {
      const item = make("span", "al-pick-word");
      item.id = `al-pick-${side}-${part}-${i}`;
      item.setAttribute("role", "option");
      item.dataset.side = side.toUpperCase();
      item.dataset.position = i;
      item.classList.toggle("al-glued", spaced && i > 0 && !word[TEXT].startsWith(" "));
      return writeToken(item, word);
    });
    // A space between words lets the line break there; between the pieces of one it may not.
    const glued = (item) => item.classList.contains("al-glued");
    this.node.append(...this.items.flatMap((item) => (glued(item) ? [item] : [" ", item])));
    this.node.onclick = (event) => {
      const at = event.target.closest(".al-pick-word")?.dataset.position;
      if (at === undefined) return;
      this.move(Number(at));
      owner.take(this, Number(at));
    };
    this.node.onpointermove = oncePerFrame((pointer) => this.tell(pointer));
    this.node.onpointerleave = oncePerFrame(() => owner.tip.hide());
    this.node.onkeydown = (event) => this.press(event);
    this.move(this.at);
  }

  /** What is chosen, what corresponds to it in the other text, and what comes too late to be seen. */
  mark() {
    const { owner, side, part } = this, { chosen } = owner;
    const at = (name) => {
      if (part !== "both" && part !== name) return undefined;
      return side === chosen.side ? chosen[name] : owner.over[ASIDE[side]].get(chosen[name]);
    };
    const query = at("query"), key = at("key"), here = side === chosen.side;
    const dims = here && part !== "query" && owner.isFuture(side, this.words.length);
    const first = dims ? chosen.query + 1 : this.words.length; // of the words that come too late
    this.items.forEach((item, i) => {
      const role = [i === query && "from", i === key && "at"].filter(Boolean).join(" · ");
      const late = i < first ? "" : owner.waiting ? " barred" : " late";
      const state = role + (role && !here ? " aside" : "") + late;
      if (state !== this.states[i]) this.dress(item, role, here, i >= first);
      this.states[i] = state; // of a long text only the words that change are touched
    });
  }

  dress(item, role, here, late) {
    item.className = item.className.replace(/ al-(query|key|aside|future)/g, "");
    if (role.includes("from")) item.classList.add("al-query");
    if (role.includes("at")) item.classList.add("al-key");
    if (role && !here) item.classList.add("al-aside");
    if (late) item.classList.add("al-future");
    if (late && this.owner.waiting) item.setAttribute("aria-disabled", "true");
    else item.removeAttribute("aria-disabled");
    if (role && here) item.setAttribute("aria-selected", "true");
    else item.removeAttribute("aria-selected");
    if (role && here) item.dataset.role = role;
    else delete item.dataset.role;
  }

  tell(pointer) {
    const at = pointer.target.closest(".al-pick-word")?.dataset.position;
    if (at === undefined) return this.owner.tip.hide();
    const future = this.items[at].getAttribute("aria-disabled") === "true";
    this.owner.tip.show(pointer.x, pointer.y, [this.side, this.part, at, future].join(), () => [
      writeToken(make("div", "al-tip-title"), this.words[at]),
      ...(future ? [make("div", "al-tip-note", "comes later: cannot be looked at")] : []),
      rawLine(this.words[at], `position ${at}`),
    ]);
  }

  move(position) {
    this.items[this.at]?.classList.remove("al-cursor");
    this.at = position;
    const item = this.items[position];
    if (!item) return;
    item.classList.add("al-cursor");
    this.node.setAttribute("aria-activedescendant", item.id);
  }

  press(event) {
    const last = this.items.length - 1;
    const moves = {
      ArrowRight: () => this.at + 1, ArrowLeft: () => this.at - 1, Home: () => 0, End: () => last,
      ArrowDown: () => this.across(1), ArrowUp: () => this.across(-1),
    };
    if (event.key in moves) {
      this.move(Math.max(0, Math.min(last, moves[event.key]())));
      this.items[this.at].scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" || event.key === " ") this.owner.take(this, this.at);
    else if (event.key === "Escape") this.owner.startOver();
    else return;
    event.preventDefault();
  }

  /** The word above or below. */
  across(step) {
    const boxes = this.items.map((item) => item.getBoundingClientRect()), from = boxes[this.at];
    let row = null, best = this.at;
    for (let i = this.at; i >= 0 && i < boxes.length; i += step) {
      if ((boxes[i].top - from.top) * step < 4) continue;
      row ??= boxes[i].top;
      if (Math.abs(boxes[i].top - row) > 4) break;
      const off = (j) => Math.abs(boxes[j].left - from.left);
      if (best === this.at || off(i) < off(best)) best = i;
    }
    return best;
  }
}

export default function (component) {
  return mountOnce(component, Pick);
}
