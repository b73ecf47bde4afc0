// The offline page: mounts the components where no Streamlit is, with the payloads in the page.
// `mounts` (kind → mounting function) comes from the scripts before this one.

/** The bytes of a payload that lies in the page as base64. */
function bytesOf(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** The header of a payload, and where its arrays begin; see attnlab/viz/payload.py. */
function openPayload(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { header, start: Math.ceil((4 + length) / 8) * 8 };
}

/** A payload of a header and raw arrays: {name: {dtype, shape, bytes}}. */
function packPayload(header, arrays) {
  let offset = 0;
  const placed = {}, parts = [];
  for (const [name, { dtype, shape, bytes }] of Object.entries(arrays)) {
    placed[name] = { dtype, shape, offset };
    parts.push([offset, bytes]);
    offset += Math.ceil(bytes.length / 8) * 8;
  }
  const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: placed }));
  const start = Math.ceil((4 + text.length) / 8) * 8;
  const packed = new Uint8Array(start + offset);
  new DataView(packed.buffer).setUint32(0, text.length, true);
  packed.set(text, 4);
  for (const [at, bytes] of parts) packed.set(bytes, start + at);
  return packed;
}

const LEAST_CHANGE = 0.05; // as in attnlab/viz/difference.py

/** The change that gets full ink in B − A of one head: the largest of the cells both have. */
function fullChange({ rows, columns }, arrays) {
  const both = (pairs) => pairs.filter(([i, j]) => i !== null && j !== null);
  const [a, b] = ["a", "b"].map((side) => new Uint16Array(arrays[side].bytes.slice().buffer));
  const width = { a: arrays.a.shape[1], b: arrays.b.shape[1] };
  let full = LEAST_CHANGE;
  for (const [i, j] of both(rows)) {
    for (const [k, l] of both(columns)) {
      full = Math.max(full, Math.abs(b[j * width.b + l] - a[i * width.a + k]) / 65535);
    }
  }
  return full;
}

/** One head out of the grid's payload, for the part that shows a head; null where it is not whole. */
function headOf(grid, head, layer, number) {
  const all = openPayload(grid), one = openPayload(head);
  const arrays = {};
  for (const side of Object.keys(one.header.arrays)) {
    const place = all.header.arrays[side];
    const [, heads, queries, keys] = place.shape;
    const words = (all.header.sources[side] || all.header.tokens[side]).length;
    if (queries !== all.header.tokens[side].length || keys !== words) return null;
    if (place.dtype !== "uint16") return null; // too coarse for figures of two decimals
    const size = queries * keys * 2, from = all.start + place.offset + (layer * heads + number) * size;
    arrays[side] = { dtype: "uint16", shape: [queries, keys], bytes: grid.slice(from, from + size) };
  }
  const label = `Layer ${all.header.layers[layer]} · Head ${number}`;
  const { arrays: _, ...header } = { ...one.header, label };
  if (header.difference) {
    header.difference = { ...header.difference, full: fullChange(header.difference, arrays) };
  }
  return { bytes: packPayload(header, arrays), label };
}

class Part {
  constructor(node) {
    this.node = node;
    this.kind = node.dataset.kind;
    this.title = node.querySelector("h2");
    this.bytes = bytesOf(node.querySelector("script[type='text/plain']").textContent);
    this.shown = this.bytes;
    // What stands before the head's own name in the title, such as "Cross-attention: ".
    const { label } = openPayload(this.bytes).header;
    const title = this.title ? this.title.textContent : "";
    this.prefix = label && title.endsWith(label) ? title.slice(0, -label.length) : "";
  }

  mount(chosen) {
    this.leave = mounts[this.kind]({
      parentElement: this.node,
      data: this.shown,
      setStateValue: (_, value) => chosen(this, value),
    });
  }
}

function start() {
  const parts = [...document.querySelectorAll("[data-kind]")].map((node) => new Part(node));
  const chosen = (part, value) => {
    if (part.kind !== "grid") return;
    const next = parts[parts.indexOf(part) + 1];
    if (!next || next.kind !== "head") return;
    const found = headOf(part.bytes, next.bytes, value.layer, value.head);
    if (!found) return;
    next.shown = found.bytes;
    if (next.title) next.title.textContent = next.prefix + found.label;
    next.mount(chosen);
  };
  for (const part of parts) part.mount(chosen);
  // The colours are read when a picture is drawn.
  matchMedia("(prefers-color-scheme: dark)").onchange = () => parts.forEach((part) => {
    part.leave();
    part.node.querySelector(".al-root").replaceChildren();
    part.mount(chosen);
  });
}

start();
