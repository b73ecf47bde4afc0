// A rotation as dials, one for each pair of dimensions: how far the query's position turns it, and
// how far the key's does. Only the angle between the two hands reaches the score.

const DIAL = { most: 34, least: 18 };
const TURN = 2 * Math.PI;

/** Degrees within one turn, for people. */
const degrees = (angle) => `${Math.round(((((angle % TURN) + TURN) % TURN) * 360) / TURN) % 360}°`;

class Dials {
  constructor(owner, header, arrays) {
    Object.assign(this, { owner, header, pairs: header.pairs });
    const { data } = arrays[header.angles], count = this.pairs.length;
    [this.query, this.key, this.each] = [0, 1, 2].map((i) => data.subarray(i * count, (i + 1) * count));
    this.node = make("div", "al-dials");
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "group");
    this.node.setAttribute("aria-label", `${count} pairs of dimensions and their angles, arrow keys read them`);
    this.canvas = this.node.appendChild(make("canvas"));
    this.at = null;
    this.node.onpointermove = oncePerFrame((pointer) => this.point(pointer));
    this.node.onpointerleave = oncePerFrame(() => owner.tip.hide());
    this.node.onkeydown = (event) => this.press(event);
  }

  draw(theme) {
    const width = this.node.clientWidth, count = this.pairs.length;
    if (!width) return;
    this.size = Math.max(DIAL.least, Math.min(DIAL.most, Math.floor(width / count)));
    this.across = Math.max(1, Math.floor(width / this.size));
    const rows = Math.ceil(count / this.across);
    const context = sharpen(this.canvas, Math.min(count, this.across) * this.size, rows * this.size);
    this.pairs.forEach((_, i) => this.dial(context, theme, i));
  }

  /** One dial; angle 0 points to the right and turning goes against the clock, as in a plane. */
  dial(context, theme, i) {
    const radius = this.size / 2 - 2;
    const x = ((i % this.across) + 0.5) * this.size, y = (Math.floor(i / this.across) + 0.5) * this.size;
    const [query, key] = [-this.query[i], -this.key[i]];
    const side = `rgb(${theme[this.owner.side].join()})`;
    context.beginPath();
    context.arc(x, y, radius, 0, TURN);
    context.fillStyle = theme.tile;
    context.fill();
    context.beginPath();
    context.moveTo(x, y);
    const apart = (((this.query[i] - this.key[i]) % TURN) + TURN) % TURN;
    context.arc(x, y, radius, key, key - apart, true);
    context.fillStyle = side;
    context.globalAlpha = 0.22;
    context.fill();
    context.globalAlpha = 1;
    for (const [angle, colour] of [[key, theme.ink], [query, side]]) {
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
      context.strokeStyle = colour;
      context.lineWidth = this.size > 24 ? 2 : 1.5;
      context.stroke();
    }
  }

  point(pointer) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((pointer.x - box.left) / this.size);
    const at = Math.floor((pointer.y - box.top) / this.size) * this.across + column;
    if (column < 0 || column >= this.across || !this.pairs[at]) return this.owner.tip.hide();
    this.owner.tip.show(pointer.x, pointer.y, `dial ${at}`, () => this.describe(at));
  }

  lines(at) {
    const [a, b] = this.pairs[at], [query, key] = this.header.positions;
    const around = TURN / this.each[at];
    return [
      `Pair ${at}: dimensions ${a} and ${b}`,
      `${written(this.each[at])} rad a position, once around every ${short(around)}`,
      `q at position ${query}: ${written(this.query[at])} rad (${degrees(this.query[at])})`,
      `k at position ${key}: ${written(this.key[at])} rad (${degrees(this.key[at])})`,
      `apart: ${written(this.query[at] - this.key[at])} rad`,
    ];
  }

  describe(at) {
    return this.lines(at).map((line, i) => make("div", i ? "" : "al-tip-title", line));
  }

  press(event) {
    const last = this.pairs.length - 1, now = this.at ?? -1;
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.at = Math.max(0, Math.min(last, next));
    this.owner.live.textContent = this.lines(this.at).join(". ");
  }
}
