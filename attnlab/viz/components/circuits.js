// CircuitsVis' own picture of all heads of a layer. The library is mounted beside this component
// and may come later. It finds its place by an id, which is why nothing here is in a shadow root.

const COLOURS = { A: "#2f6db3", B: "#d9741a" }; // on white, which the library draws on in any theme
const LONGEST = 18; // characters of a token on its axes
let places = 0;

class Circuits {
  constructor(root) {
    this.root = root;
    this.node = root.appendChild(make("div", "al-circuits"));
    this.node.setAttribute("role", "group");
    this.arrived = () => this.draw();
    addEventListener("attnlab-circuitsvis", this.arrived);
    this.observer = new MutationObserver(() => this.openToKeys());
    this.observer.observe(this.node, { childList: true, subtree: true });
  }

  leave() {
    removeEventListener("attnlab-circuitsvis", this.arrived);
    this.observer.disconnect();
  }

  receive({ header, arrays }) {
    Object.assign(this, { header, arrays, drawn: false });
    this.node.setAttribute("aria-label", header.label || "CircuitsVis");
    this.draw();
  }

  draw() {
    const library = globalThis.attnlabCircuitsVis;
    if (!library || this.drawn) return;
    this.drawn = true;
    const { header, arrays: { weights: { data, shape: [heads, queries, keys] } } } = this;
    // Four figures, as many as anybody reads in its tooltips.
    const value = (head, i, j) => Math.round(1e4 * data[(head * queries + i) * keys + j]) / 1e4;
    const list = (count, of) => Array.from({ length: count }, (_, at) => of(at));
    const place = make("div");
    place.id = `al-circuits-${Date.now()}-${places++}`;
    this.node.replaceChildren(place);
    library.render(place.id, library.AttentionHeads, {
      attention: list(heads, (head) => list(queries, (i) => list(keys, (j) => value(head, i, j)))),
      tokens: header.tokens.map((token) => this.cut(spoken(token))),
      attentionHeadNames: header.names,
      positiveColor: COLOURS[header.side],
      maskUpperTri: header.causal,
    });
  }

  cut(text) {
    const characters = [...text];
    return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join("")}…` : text;
  }

  /** Its small maps are chosen by pointing; the keyboard may choose them too, and the page one. */
  openToKeys() {
    for (const [at, name] of this.node.querySelectorAll("h4").entries()) {
      const map = name.parentElement.parentElement;
      if (map.tabIndex === 0) continue;
      map.tabIndex = 0;
      map.setAttribute("role", "button");
      map.setAttribute("aria-label", `Enlarge ${name.textContent}`);
      map.onkeydown = (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        map.click();
      };
      if (at === this.header.selected) map.click();
    }
  }
}

export default function (component) {
  return mountOnce(component, Circuits);
}
