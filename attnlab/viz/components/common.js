// Shared by every component: the payload, the theme, tokens, the tooltip, the live region.
// Token text is whatever somebody typed. It reaches the page through textContent and fillText only.

const VIEWS_OF = { uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array };
const LABEL = 0, TEXT = 1, RAW = 2, ID = 3, PIECE = 4, PIECES = 5, SPECIAL = 6; // a token row
const instances = new WeakMap(); // one per mounted component; Streamlit calls us again on new data

/** The twin of pack in attnlab/viz/payload.py: {header, arrays: {name: {data, shape}}}. */
function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const start = Math.ceil((4 + length) / 8) * 8;
  const arrays = {};
  for (const [name, { dtype, shape, offset }] of Object.entries(header.arrays)) {
    const Type = VIEWS_OF[dtype];
    const count = shape.reduce((product, size) => product * size, 1);
    const from = start + offset;
    // A copy, because the payload may start at any byte and the views need alignment.
    const data = new Type(bytes.slice(from, from + count * Type.BYTES_PER_ELEMENT).buffer);
    arrays[name] = { data, shape, top: { uint8: 255, uint16: 65535, float32: 1 }[dtype] };
  }
  return { header, arrays };
}

/** A new element with a class and, optionally, text. */
function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/** [r, g, b, alpha] of any CSS colour, painted to find out. */
function rgba(colour) {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data];
}

/** Give the sides, such as "b", that an edited model has read the colour of edits. */
function colourEdited(root, edited) {
  for (const side of ["a", "b"]) {
    const colour = edited?.includes(side) ? "var(--al-edit)" : "";
    root.style.setProperty(`--al-${side}`, colour); // "" takes it away again
  }
}

/** Mark the root as light or dark by Streamlit's background, and read the colours in force. */
function readTheme(root) {
  const style = getComputedStyle(root);
  const [r, g, b] = rgba(style.getPropertyValue("--st-background-color").trim() || "#fff");
  root.dataset.theme = 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
  const probe = root.appendChild(make("i"));
  const colour = (name) => {
    probe.style.color = `var(--al-${name})`;
    return getComputedStyle(probe).color;
  };
  const theme = { dark: root.dataset.theme === "dark", font: style.fontFamily };
  for (const name of ["ink", "mute", "line", "tile", "paper"]) theme[name] = colour(name);
  theme.a = rgba(colour("a")).slice(0, 3);
  theme.b = rgba(colour("b")).slice(0, 3);
  theme.ground = rgba(theme.tile).slice(0, 3);
  probe.remove();
  return theme;
}

/**
 * Whether a cache dropped a word before another came; `kept` are how many of the last and of the
 * first words stay, undefined for all. The twin of forgotten in attnlab/viz/forgotten.py.
 */
const isForgotten = (kept, query, key) => Boolean(kept) && key >= kept[1] && key <= query - kept[0];

/** A weight as a figure. Zero is written short: it is nothing, not a small number. */
const figure = (weight) => (weight === 0 ? "0" : weight.toFixed(2));
const signed = (change) => {
  const size = Math.abs(change).toFixed(2);
  return size === "0.00" ? size : (change < 0 ? "−" : "+") + size;
};

/** Write a token into node: its label, "1/3" where a character is split, boxed when special. */
function writeToken(node, token) {
  node.textContent = "";
  node.append(make("bdi", token[SPECIAL] ? "al-token al-special" : "al-token", token[LABEL]));
  if (token[PIECES] > 1) node.append(make("sup", "al-piece", `${token[PIECE]}/${token[PIECES]}`));
  return node;
}

/** The same as plain text, for labels that are read out and for canvases. */
function spoken(token) {
  return token[PIECES] > 1 ? `${token[LABEL]} ${token[PIECE]}/${token[PIECES]}` : token[LABEL];
}

/** What the tokenizer really has, for a token at `place`: raw string and id. */
function rawLine(token, place) {
  const line = make("div", "al-tip-raw", `${place} · `);
  line.title = "The token as the tokenizer spells it, and its number in the vocabulary. " +
    "Ġ or ▁ stands for a space before the word, Ċ for a new line, ## for a word that goes on.";
  line.append(make("code", "", token[RAW]));
  if (token[ID] !== null) line.append(` · id ${token[ID]}`);
  return line;
}

/** A tooltip in the top layer, so that no card clips it. */
class Tip {
  constructor(root) {
    this.node = make("div", "al-tip");
    this.node.setAttribute("role", "tooltip");
    this.node.popover = "manual";
    root.append(this.node);
    this.subject = null; // what is being told; null while hidden
  }

  /** Show what `describe` returns beside the pointer at (x, y); the same `subject` is kept. */
  show(x, y, subject, describe) {
    if (subject !== this.subject) {
      this.node.replaceChildren(...describe());
      if (this.subject === null) this.node.showPopover();
      this.size = [this.node.offsetWidth, this.node.offsetHeight]; // measured once per subject
      this.subject = subject;
    }
    const [width, height] = this.size;
    const left = x + 16 + width < innerWidth ? x + 16 : x - width - 12;
    const top = y + 16 + height < innerHeight ? y + 16 : y - height - 12;
    this.node.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
  }

  hide() {
    if (this.subject === null) return;
    this.subject = null;
    this.node.hidePopover();
  }
}

/** How many positions a side of a cell covers, of a map of [q, s] cells; the twin of viz/pooling.py. */
const cellSide = ([q, s], queries, keys) => Math.max(Math.ceil(queries / q), Math.ceil(keys / s));

/** The positions of a row or column of cells, written "16–23". */
const spanOf = (at, side, length) => `${at * side}–${Math.min(length, (at + 1) * side) - 1}`;

/** How much text a cell of a reduced map covers, in words; "" where it is not reduced. */
function sharedBy(cells, queries, keys) {
  const side = cellSide(cells, queries, keys);
  return side > 1 ? `${Math.min(side, queries)} × ${Math.min(side, keys)} tokens` : "";
}

/** "from → to" with both tokens written out. */
function lookLine(query, key) {
  const line = make("div", "al-tip-look");
  line.append(writeToken(make("span"), query), " → ", writeToken(make("span"), key));
  return line;
}

/** Figures of A, B and their difference in their colours; a side that is missing is left out. */
function figureLine(a, b) {
  const line = make("div", "al-tip-figures");
  if (a !== null) line.append(make("span", "al-a", `A ${figure(a)}`), " ");
  if (b !== null) line.append(make("span", "al-b", `B ${figure(b)}`), " ");
  if (a !== null && b !== null) line.append(make("span", "al-d", `B − A ${signed(b - a)}`));
  return line;
}

/** `act` on the last pointer event of a frame: moves come faster than the screen is drawn. */
function oncePerFrame(act) {
  let last = null;
  return (event) => {
    if (last === null) {
      requestAnimationFrame(() => {
        const latest = last;
        last = null;
        act(latest);
      });
    }
    last = { x: event.clientX, y: event.clientY, target: event.target };
  };
}

/** Whether this screen is touched rather than pointed at. */
const byFinger = () => matchMedia("(pointer: coarse)").matches;

/** A visually hidden element that screen readers announce. */
function liveRegion(root) {
  const node = make("div", "al-live");
  node.setAttribute("aria-live", "polite");
  root.append(node);
  return node;
}

/** A drawing that follows the width of its card: `draw()` is called whenever that changes. */
class Picture {
  constructor(root) {
    this.root = root;
    this.live = liveRegion(root);
    this.tip = new Tip(root);
    this.serial = null;
    this.observer = new ResizeObserver(() => this.width !== root.clientWidth && this.draw());
    this.observer.observe(root);
  }

  leave() {
    this.tip.hide();
    this.observer.disconnect();
  }
}

/** Set a canvas to (width, height) CSS pixels at the screen's own sharpness; returns its context. */
function sharpen(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

function sameBytes(one, other) {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** The instance of this mount, made on its first call, then given the data; returns clean-up. */
function mountOnce(component, Type) {
  const { parentElement, data, setStateValue } = component;
  let instance = instances.get(parentElement);
  if (!instance) {
    const root = parentElement.querySelector(".al-root");
    root.replaceChildren(); // pages that run fast are mounted again where they were
    instance = new Type(root);
    instances.set(parentElement, instance);
  }
  instance.send = (value) => setStateValue("chosen", value);
  // Every rerun of the page comes here; the same payload stays the same content, so that what was
  // made of it can stay too.
  const payload = data instanceof Uint8Array ? data : new Uint8Array(data);
  if (!instance.payload || !sameBytes(instance.payload, payload)) {
    instance.payload = payload;
    instance.content = unpack(payload);
  }
  instance.receive(instance.content);
  return () => {
    instance.leave();
    instances.delete(parentElement);
  };
}
