// Notes, for a benchmark, when each part of the page was last drawn, in ms since the page began.
// A part is anything with a Streamlit key: window.drawn = {key: time}. Enter in a box clears it and
// sets window.entered. window.tasks holds the main thread's tasks of 50 ms and more.
(() => {
  window.drawn = {};
  window.entered = 0;
  window.tasks = [];
  const known = new WeakMap();

  function keysAbove(node) {
    const keys = [];
    while (node) {
      for (const name of node.classList ?? []) {
        if (name.startsWith("st-key-")) keys.push(name.slice(7));
      }
      node = node.parentNode ?? node.host;
    }
    return keys;
  }

  function note(node, remember) {
    let keys = known.get(node);
    if (!keys) {
      keys = keysAbove(node);
      if (remember && node.isConnected) known.set(node, keys);
    }
    const now = performance.now();
    for (const key of keys) window.drawn[key] = now;
  }

  for (const name of ["fillRect", "drawImage", "putImageData", "fill", "stroke"]) {
    const plain = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...given) {
      note(this.canvas, true);
      return plain.apply(this, given);
    };
  }

  const options = { childList: true, characterData: true, subtree: true };
  const watch = (root) =>
    new MutationObserver((changes) => changes.forEach((change) => note(change.target, false)))
      .observe(root, options);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (given) {
    const root = attach.call(this, given);
    watch(root);
    return root;
  };
  watch(document);

  window.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    window.drawn = {};
    window.entered = performance.now();
  }, true);

  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.tasks.push(entry.duration);
  }).observe({ type: "longtask" });
})();
