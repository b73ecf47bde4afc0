// Wheel, drag, pinch and tap on a picture that can be enlarged and moved.

const CLICK = 5; // CSS pixels that a pointer may move and still click
const WHEEL = 0.0016; // how much a wheel's pixel enlarges, as a power of e

/**
 * Call `on` for what is done to `node`: zoom(factor, x, y) and pan(dx, dy), which tell whether
 * anything changed, hover({x, y}), leave() and tap(x, y). Coordinates are the window's.
 */
function listen(node, on) {
  const down = new Map(); // the pointers that press
  let travelled = 0, aimed = false;
  const hover = oncePerFrame((pointer) => down.size || on.hover(pointer));
  const points = () => [...down.values()];
  const spread = () => {
    const [one, two] = points();
    return { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2, wide: Math.hypot(one.x - two.x, one.y - two.y) };
  };
  node.onpointerdown = (event) => {
    if (event.button !== 0) return;
    if (!down.size) travelled = 0;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  node.onpointermove = (event) => {
    if (event.movementX || event.movementY) aimed = true;
    const held = down.get(event.pointerId);
    if (!held) return hover(event);
    const dx = event.clientX - held.x, dy = event.clientY - held.y;
    travelled += Math.abs(dx) + Math.abs(dy);
    if (travelled <= CLICK) return;
    // From here on it is a drag, wherever the pointer goes.
    if (!node.hasPointerCapture(event.pointerId)) node.setPointerCapture(event.pointerId);
    const before = down.size === 2 ? spread() : null;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (!before) return on.pan(dx, dy, event);
    const after = spread();
    on.zoom(after.wide / Math.max(1, before.wide), after.x, after.y);
    on.pan(after.x - before.x, after.y - before.y, event);
  };
  node.onpointerup = node.onpointercancel = (event) => {
    if (!down.delete(event.pointerId)) return;
    const tapped = event.type === "pointerup" && travelled <= CLICK;
    if (tapped) on.tap(event.clientX, event.clientY);
  };
  node.onpointerleave = oncePerFrame(() => {
    aimed = false;
    if (!down.size) on.leave();
  });
  // A page that scrolls past under a resting pointer is not stopped: the pointer has to move first.
  node.addEventListener("wheel", (event) => {
    if (!aimed && !event.ctrlKey) return;
    const pixels = event.deltaY * (event.deltaMode === 1 ? 20 : 1);
    if (on.wheel(pixels, event)) event.preventDefault();
  }, { passive: false });
}
