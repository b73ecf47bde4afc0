// How the chosen cell was made, in numbers: a sum of products, a quotient, or shares.

const exact = (value) => numeral(value, 4);
const enclosed = (value) => (value < 0 ? `(${exact(value)})` : exact(value));

/** Numbers added up: "0.12 + 0.3 − 0.5". */
function summed(values) {
  return values.map((value, i) =>
    i === 0 ? exact(value) : `${value < 0 ? MINUS : "+"} ${exact(Math.abs(value))}`).join(" ");
}

/** A line of the working, of strings and nodes. */
function working(...parts) {
  const line = make("div", "al-why-line");
  line.append(...parts);
  return line;
}

/** e to a power. */
function power(exponent) {
  const node = make("span", "", "e");
  node.append(make("sup", "", exact(exponent)));
  return node;
}

const WHY = {
  typed: () => [working("Typed by hand. Click it, or press Enter, to change it.")],

  sum({ value, terms }) {
    const products = terms.map(({ factors: [a, b] }) => `${enclosed(a)} × ${enclosed(b)}`).join(" + ");
    const lines = [working(products)];
    if (terms.length > 1) lines.push(working(`= ${summed(terms.map((term) => term.value))}`));
    return [...lines, working("= ", make("strong", "", exact(value)))];
  },

  divided({ value, terms: [score] }, { size }) {
    const root = exact(Math.sqrt(size));
    return [
      working(`${exact(score.value)} ÷ √${size}`),
      working(`= ${exact(score.value)} ÷ ${root} = `, make("strong", "", exact(value))),
    ];
  },

  same({ value, terms: [before] }, { spoken }) {
    const [[matrix, head, row, column]] = before.cells;
    return [
      working("Taken over as it is: ", make("strong", "", exact(value))),
      working(spoken(placeOf(matrix, head, row, column))),
    ];
  },

  hidden({ terms: [score] }, { keyName, queryName }) {
    return [
      working(`“${keyName}” comes after “${queryName}”, so its score of ${exact(score.value)} is taken out.`),
      working(`${HIDDEN} stands for a score that no share can come from.`),
    ];
  },

  shares({ value, terms, own, shift }, { keyName }) {
    if (own === null) {
      return [working(`“${keyName}” is hidden, so its share is `, make("strong", "", "0"))];
    }
    const total = terms.reduce((sum, term) => sum + term.value, 0);
    const all = terms.flatMap(({ factors: [score] }, i) => [i ? " + " : "", power(score)]);
    const lines = [
      working(power(terms[own].factors[0]), " ÷ (", ...all, ")"),
      working(`= ${exact(terms[own].value)} ÷ (${summed(terms.map((term) => term.value))})`),
      working(`= ${exact(terms[own].value)} ÷ ${exact(total)} = `, make("strong", "", exact(value))),
    ];
    if (shift) {
      lines.push(working(`The largest score, ${exact(shift)}, is taken off each first; the shares stay the same.`));
    }
    return lines;
  },
};

/** The lines that say how a cell was made; `about` holds names and sizes. */
const workings = (reason, about) => WHY[reason.kind](reason, about);
