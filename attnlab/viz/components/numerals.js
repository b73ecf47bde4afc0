// Numbers of a worked example, as they are written and as they are typed.

const MINUS = "−", HIDDEN = "−∞";
const FIGURES = 5; // digits that a cell has room for

const trimmed = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
const signedAs = (value, text) => (value < 0 && Number(text) ? MINUS : "") + text;

/** `value` in at most `digits` decimals, without idle zeros, with a minus as wide as a plus. */
function numeral(value, digits) {
  if (value === null) return HIDDEN;
  const size = Math.abs(value);
  if (size >= 1e15) return value.toExponential(6).replace("-", MINUS).replace("+", "");
  return signedAs(value, trimmed(size.toFixed(digits)));
}

/** The same for a cell, which has room for five digits: 0.1235, 12.346, 12346, 1.2e5. */
function compact(value, digits, trim = true) {
  if (value === null) return HIDDEN;
  const size = Math.abs(value);
  if (size >= 10 ** FIGURES) return value.toExponential(1).replace("-", MINUS).replace("+", "");
  const before = String(Math.floor(size)).length;
  const text = size.toFixed(Math.min(digits, FIGURES - before));
  return signedAs(value, trim ? trimmed(text) : text);
}

/** What somebody typed as a number, or null: a comma counts as a point. */
function typedNumber(text, limit) {
  const plain = text.trim().replace(MINUS, "-").replace(",", ".");
  if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(plain)) return null;
  const value = Number(plain);
  return Math.abs(value) <= limit ? Math.round(value * 1e6) / 1e6 + 0 : null;
}
