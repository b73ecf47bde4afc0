// How far back a word can hear: its words at the bottom, a row of dots for each layer above, and the
// cone of all that reaches the word at the top. Layers are added one by one; nothing asks Python.

const SPACE = "http://www.w3.org/2000/svg", PACE = 900, PATIENCE = 350; // ms a layer; before it is told
const STEP = 38, SIDE = 66, BELOW = 74; // CSS pixels between layers, beside and below the dots

function drawn(tag, attributes, text) {
  const node = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

class Cone extends Picture {
  constructor(root) {
    super(root);
    const bar = root.appendChild(make("div", "al-cone-bar"));
    this.player = bar.appendChild(this.button("▶", "Play", () => this.play(!this.timer)));
    this.slider = bar.appendChild(make("input", "al-cone-slider"));
    Object.assign(this.slider, { type: "range", min: 1, step: 1 });
    this.slider.setAttribute("aria-label", "Layers");
    this.slider.oninput = () => {
      this.play(false);
      this.go(Number(this.slider.value));
    };
    this.count = bar.appendChild(make("span", "al-cone-count"));
    this.svg = root.appendChild(drawn("svg", { class: "al-cone", role: "application", tabindex: 0 }));
    this.told = root.appendChild(make("div", "al-cone-told"));
    this.svg.onpointermove = oncePerFrame((pointer) => {
      const at = pointer.target.dataset?.at;
      if (at !== undefined) this.look(Number(at));
    });
    this.svg.onpointerleave = oncePerFrame(() => this.look(this.kept));
    this.svg.onclick = (event) => event.target.dataset?.at !== undefined && this.keep(Number(event.target.dataset.at));
    this.svg.onkeydown = (event) => this.key(event);
  }

  button(words, name, act) {
    const node = make("button", "al-button al-cone-button", words);
    node.type = "button";
    node.setAttribute("aria-label", name);
    node.onclick = act;
    return node;
  }

  leave() {
    super.leave();
    this.play(false);
    clearTimeout(this.waiting);
  }

  receive({ header, arrays }) {
    Object.assign(this, { header, arrays, words: header.words.length });
    this.most = arrays.held.shape[0] - 1;
    readTheme(this.root);
    if (header.serial !== this.serial) {
      this.serial = header.serial;
      this.kept = this.row = header.row;
      this.layers = header.layers;
    }
    this.slider.max = this.most;
    this.draw();
  }

  sees(query, key) {
    return this.arrays.visible.data[query * this.words + key] === 1;
  }

  /** Whether what stands at `key` reaches `query` through so many layers. */
  holds(layers, query, key) {
    return this.arrays.held.data[(layers * this.words + query) * this.words + key] === 1;
  }

  draw() {
    if (!this.header || !this.root.clientWidth) return;
    this.width = this.root.clientWidth;
    const { words, most } = this, wide = Math.min(this.width, SIDE + words * 64), high = most * STEP + BELOW + 12;
    this.pitch = (wide - SIDE - 8) / words;
    this.svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
    this.svg.style.width = `${wide}px`;
    this.svg.setAttribute("aria-label", `${this.header.label}. Left and right choose the word at the top, up and down the layers.`);
    this.lines = drawn("g", { class: "al-cone-lines" });
    this.dots = drawn("g", {});
    this.names = drawn("g", {});
    const strips = this.header.words.map((_, at) => drawn("rect", {
      x: this.x(at) - this.pitch / 2, y: 0, width: this.pitch, height: high, class: "al-cone-strip", "data-at": at,
    }));
    this.svg.replaceChildren(this.lines, this.dots, this.names, ...strips);
    this.show();
  }

  x(at) {
    return SIDE + (at + 0.5) * this.pitch;
  }

  y(layer) {
    return 12 + (this.most - layer) * STEP;
  }

  show() {
    const { layers, row, most } = this, paths = [], dots = [], names = [];
    for (let layer = 0; layer <= most; layer++) {
      names.push(drawn("text", {
        x: SIDE - 14, y: this.y(layer) + 4, class: layer > layers ? "al-cone-off" : "al-cone-layer",
      }, layer ? `layer ${layer}` : "words"));
      for (let at = 0; at < this.words; at++) {
        const lit = layer <= layers && this.holds(layers - layer, row, at);
        const top = lit && layer === layers;
        dots.push(drawn("circle", {
          cx: this.x(at), cy: this.y(layer), r: top ? 7 : lit ? 5 : 2.5,
          class: lit ? "al-cone-lit" : layer > layers ? "al-cone-off" : "al-cone-dot",
        }));
        if (!lit || layer === 0) continue;
        for (let key = 0; key < this.words; key++) {
          if (key === at || this.sees(at, key)) paths.push(`M${this.x(at)} ${this.y(layer)}L${this.x(key)} ${this.y(layer - 1)}`);
        }
      }
    }
    this.lines.replaceChildren(drawn("path", { d: paths.join("") || "M0 0" }));
    this.dots.replaceChildren(...dots);
    this.header.words.forEach((word, at) => names.push(this.name(word, at)));
    this.names.replaceChildren(...names);
    this.slider.value = layers;
    this.count.textContent = layers === 1 ? "1 layer" : `${layers} layers`;
    this.tell();
  }

  /** A word below its column, slanted; long ones are cut. */
  name(word, at) {
    const heard = this.holds(this.layers, this.row, at), text = spoken(word);
    const node = drawn("text", {
      class: at === this.row ? "al-cone-word al-cone-top" : heard ? "al-cone-word" : "al-cone-word al-cone-unheard",
      transform: `translate(${this.x(at) + 4} ${this.y(0) + 20}) rotate(-42)`,
    }, text.length > 12 ? `${text.slice(0, 11)}…` : text);
    return node;
  }

  tell() {
    const { words } = this.header, { layers, row } = this;
    const heard = words.map((_, at) => at).filter((at) => this.holds(layers, row, at));
    const node = make("div", "al-cone-sum");
    node.append("After ", layers === 1 ? "1 layer" : `${layers} layers`, " “", writeToken(make("span"), words[row]), "” can hold something of ",
      heard.length === words.length ? "all" : String(heard.length), ` of ${words.length} ${words.length === 1 ? "word" : "words"}`);
    const back = row - Math.min(...heard), formula = this.header.formulas[layers - 1];
    node.append(back > 0 ? `, ${back} back.` : ".");
    const parts = [node];
    if (formula) parts.push(make("div", "al-cone-formula", formula));
    this.told.replaceChildren(...parts);
  }

  // --- acting

  go(layers) {
    const to = Math.max(1, Math.min(this.most, layers));
    if (to === this.layers) return;
    this.layers = to;
    this.show();
    this.say();
    if (!this.timer) this.later();
  }

  play(on) {
    if (!on && !this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
    if (on) {
      if (this.layers === this.most) {
        this.layers = 1;
        this.show();
      } else this.go(this.layers + 1);
      this.timer = setInterval(() => {
        this.go(this.layers + 1);
        if (this.layers === this.most) this.play(false);
      }, PACE);
    } else this.later();
    this.player.textContent = on ? "❚❚" : "▶";
    this.player.setAttribute("aria-label", on ? "Pause" : "Play");
  }

  look(row) {
    if (row === this.row) return;
    this.row = row;
    this.show();
  }

  keep(row) {
    this.kept = row;
    this.look(row);
    this.say();
    this.later();
  }

  key(event) {
    const [across, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
    if (!across && !up) return;
    event.preventDefault();
    this.play(false);
    if (up) this.go(this.layers + up);
    else this.keep(Math.max(0, Math.min(this.words - 1, this.row + across)));
  }

  say() {
    this.live.textContent = this.told.textContent;
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.send({ row: this.kept, layers: this.layers, serial: this.serial }), PATIENCE);
  }
}

export default function (component) {
  return mountOnce(component, Cone);
}
