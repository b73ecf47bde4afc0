// One long vector as bars up and down from a middle line, on a canvas.

const STRIP = { height: 42, least: 1.5, gap: 1, figures: 46 };

/** A number in four figures, with a real minus; small ones keep theirs. */
function written(value) {
  if (value === null || !Number.isFinite(value)) return value === -Infinity ? "−∞" : "–";
  const size = Math.abs(value);
  const text = size >= 1e5 || (size > 0 && size < 1e-4) ? size.toExponential(2)
    : size.toPrecision(4).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return (value < 0 ? "−" : "") + text;
}

/** `count` values in as many columns as fit: [first, last] of each, at least one value a column. */
function columnsOf(count, width) {
  const each = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / STRIP.least))));
  return Array.from({ length: Math.ceil(count / each) },
    (_, i) => [i * each, Math.min(count, (i + 1) * each) - 1]);
}

/** The place of the value farthest from 0 between two places. */
function farthest(values, [first, last]) {
  let best = first;
  for (let at = first; at <= last; at++) {
    if (Math.abs(values[at]) > Math.abs(values[best])) best = at;
  }
  return best;
}

class Strip {
  constructor(owner, { name, word, colour, marked, full, upward }, values, group) {
    Object.assign(this, { owner, values, full, colour, upward, marked: new Set(marked), group });
    this.name = name;
    this.node = make("div", "al-strip");
    const title = this.node.appendChild(make("div", "al-strip-name"));
    title.append(make("b", `al-strip-${colour}`, name));
    if (word) title.append(" ", writeToken(make("span", "al-strip-word"), word));
    this.said = word ? `${name} ${spoken(word)}` : name;
    this.room = this.node.appendChild(make("div", "al-strip-room"));
    this.canvas = this.room.appendChild(make("canvas"));
    this.band = this.room.appendChild(make("div", "al-strip-band"));
    this.band.hidden = true;
    this.room.tabIndex = 0;
    this.room.setAttribute("role", "group");
    this.room.setAttribute("aria-label", `${this.said}: ${values.length} numbers, arrow keys read them`);
    this.room.onpointermove = oncePerFrame((pointer) => this.point(pointer));
    this.room.onpointerleave = oncePerFrame(() => this.group.point(null));
    this.room.onkeydown = (event) => this.press(event);
    this.room.onblur = () => this.group.point(null);
    if (values.length <= 24) this.writeFigures();
  }

  draw(theme) {
    const width = this.room.clientWidth, height = STRIP.height;
    if (!width) return;
    this.columns = columnsOf(this.values.length, width);
    this.step = width / this.columns.length;
    const context = sharpen(this.canvas, width, height);
    const zero = this.upward ? height - 1 : height / 2, room = this.upward ? height - 2 : zero - 1;
    const colours = { side: `rgb(${theme[this.owner.side].join()})`, ink: theme.ink, edit: theme.edit };
    const gap = this.step >= 5 ? STRIP.gap : 0, wide = Math.min(this.step - gap, 44);
    context.fillStyle = theme.line;
    context.fillRect(0, zero - 0.5, width, 1);
    context.fillStyle = colours[this.colour];
    this.columns.forEach((span, i) => {
      const at = farthest(this.values, span), value = this.values[at];
      if (!Number.isFinite(value) || !this.full) return;
      const tall = Math.max(0.5, (Math.abs(value) / this.full) * room);
      const shown = !this.marked.size || [...this.marked].some((m) => m >= span[0] && m <= span[1]);
      context.globalAlpha = shown ? 1 : 0.4;
      context.fillRect(i * this.step + (this.step - wide) / 2, value < 0 ? zero : zero - tall, wide, tall);
    });
    context.globalAlpha = 1;
    if (this.figures) this.figures.hidden = this.step < STRIP.figures;
  }

  /** Few values have room for their figures below them. */
  writeFigures() {
    this.figures = this.node.appendChild(make("div", "al-strip-figures"));
    this.figures.setAttribute("aria-hidden", "true");
    this.figures.append(...Array.from(this.values, (value) => make("span", "", short(value))));
  }

  point(pointer) {
    const box = this.room.getBoundingClientRect();
    const at = Math.floor((pointer.x - box.left) / this.step);
    if (!this.columns?.[at]) return this.group.point(null);
    const place = farthest(this.values, this.columns[at]);
    this.group.point(place);
    this.owner.tip.show(pointer.x, pointer.y, `${this.group.id} ${place}`, () => this.group.describe(place));
  }

  /** Mark the column of a place, or nothing. */
  mark(place) {
    this.band.hidden = place === null || place >= this.values.length || !this.columns;
    if (this.band.hidden) return;
    const at = this.columns.findIndex(([first, last]) => first <= place && place <= last);
    const wide = Math.max(3, this.step);
    this.band.style.width = `${wide}px`;
    this.band.style.left = `${(at + 0.5) * this.step - wide / 2}px`;
  }

  press(event) {
    const last = this.values.length - 1, now = this.group.at ?? -1;
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const place = Math.max(0, Math.min(last, next));
    this.group.point(place, true);
    this.owner.live.textContent = this.group.say(place, this);
  }
}

/** A value where there is little room. */
function short(value) {
  if (!Number.isFinite(value)) return written(value);
  const size = Math.abs(value), text = size >= 100 ? size.toFixed(0) : size >= 10 ? size.toFixed(1) : size.toFixed(2);
  return (value < 0 && Number(text) ? "−" : "") + text;
}

/** Strips that share their columns. */
class Group {
  constructor(owner, id, header, arrays) {
    Object.assign(this, { owner, id, header, at: null });
    this.node = make("div", "al-strips");
    this.strips = header.strips.map((strip) => new Strip(owner, strip, arrays[strip.values].data, this));
    this.node.append(...this.strips.map((strip) => strip.node));
  }

  draw(theme) {
    for (const strip of this.strips) strip.draw(theme);
  }

  /** The name of a column. */
  column(place) {
    const { names, places } = this.header;
    return names[place] ?? `${places} ${place}`;
  }

  point(place) {
    if (place === this.at) return;
    this.at = place;
    if (place === null) this.owner.tip.hide();
    for (const strip of this.strips) strip.mark(place);
  }

  say(place, strip) {
    return `${this.column(place)}: ${written(strip.values[place])}`;
  }

  describe(place) {
    const lines = this.strips.map((strip) => {
      const line = make("div", "al-tip-line");
      line.append(make("span", "", strip.said), make("b", "", written(strip.values[place])));
      return line;
    });
    return [make("div", "al-tip-title", this.column(place)), ...lines];
  }
}
