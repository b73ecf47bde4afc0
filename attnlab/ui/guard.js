// A script can type half of a character: a lone surrogate. The connection to the server carries
// whole characters only and would break, so it is replaced before anyone sees it.
const whole = (text) => text.toWellFormed();

export default function (component) {
  const { setTriggerValue } = component;
  const check = (event) => {
    const box = event.target;
    const typed = box?.value;
    if (typeof typed !== "string" || !typed.isWellFormed || typed.isWellFormed()) return;
    // The setter of the class, not of the element: React watches the latter, and would then
    // believe that nothing was typed.
    const kind = box instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(box, whole(typed));
    setTriggerValue("replaced", true);
  };
  document.addEventListener("input", check, true);
  return () => document.removeEventListener("input", check, true);
}
