// What cells and one word of a painted mask see, in words: the text with the rest faded, what the word
// is to predict, and where scores are known how they become weights. Of a pattern, where it looks.

/** A word between quotation marks. */
function quoted(word) {
  const node = make("span", "al-paint-quoted", "“");
  node.append(writeToken(make("span"), word), "”");
  return node;
}

/** A score with a minus that is as wide as a plus. */
const scoreFigure = (score) => (score < 0 ? "−" : "") + Math.abs(score).toFixed(2);

/** How many it sees, in words; of a pattern, at how many it looks. */
function shareOf({ keys, looks }, seen) {
  const many = `${seen.size === keys.length ? "all" : seen.size || "none"} of ${keys.length}`;
  if (!looks) return `sees ${many}`;
  const each = seen.size > 1 ? `, ${figure(1 / seen.size)} each` : "";
  return seen.size ? `looks at ${many}${each}` : "is not painted: every head looks where it would";
}

/** One cell, to be read out. */
function spokenOf(picture, query, key) {
  const { words, keys, looks } = picture.header;
  const not = picture.closed(query, key) ? "cannot look at" : looks ? "does not look at" : "does not see";
  const verb = picture.sees(query, key) ? "looks at" : not;
  const by = picture.edits.has(placed(query, key)) ? ", painted" : "";
  return `${spoken(words[query])} ${verb} ${spoken(keys[key])}${by}`;
}

/** One cell, for a pointer: who looks at whom, and whether it may or with which weight. */
function describedOf(picture, query, key) {
  const { words, keys, looks } = picture.header;
  const by = picture.edits.has(placed(query, key)) ? "painted by hand" : "by the pattern";
  const may = picture.sees(query, key) ? "may look" : "may not look";
  const said = looks ? weightOf(picture, query, key) : `${may}, ${by}`;
  return [lookLine(words[query], keys[key]), make("div", "al-tip-note", said)];
}

/** The weight of one cell of a pattern, in words. */
function weightOf(picture, query, key) {
  if (picture.closed(query, key)) return "lies ahead, where this model cannot look";
  const seen = picture.seen(query), own = picture.arrays.own?.data[query * picture.across + key];
  if (seen.length) return `weight ${figure(picture.sees(query, key) ? 1 / seen.length : 0)}`;
  return own === undefined ? "left to the head" : `left to the head: ${figure(own)}`;
}

/** The nodes that say what the word at `row` sees.
 *
 * `now`: its `row`, the positions `seen`, and where there are scores, `scores` and `weights` of the
 * row; `weights` is null while they are being computed. */
function toldOf(header, now) {
  const { words, looks } = header, { row, seen } = now, title = make("div", "al-paint-sum");
  title.append(quoted(words[row]), ` ${shareOf(header, seen)}`);
  const parts = [title, textOf(header, row, seen)];
  if (header.weighed) parts.push(sharesOf(words, now));
  if (!seen.size && !looks) parts.push(make("div", "al-paint-goal", "A row that sees nothing takes nothing: all its weights are 0."));
  if (header.predicts) parts.push(goalOf(words, row, seen));
  return parts;
}

/** The same, to be read out: a sentence for each thing. */
function saidOf(header, now) {
  const { words, keys } = header, { row, seen } = now;
  const which = [...seen].map((at) => spoken(keys[at])).join(", ");
  const said = [`“${spoken(words[row])}” ${shareOf(header, seen)}${which && `: ${which}`}.`];
  if (header.weighed)
    words.forEach((word, key) => {
      const weight = seen.has(key) ? `weight ${figure(now.weights[key])}` : "hidden";
      said.push(`${spoken(word)}: score ${scoreFigure(now.scores[key])}, ${weight}.`);
    });
  if (header.predicts) said.push(goalOf(words, row, seen).textContent);
  return said.join(" ");
}

/** The text, with what is not seen faded. */
function textOf({ words, keys, looks }, row, seen) {
  const line = make("div", "al-paint-words"), left = looks && !seen.size;
  keys.forEach((word, at) => {
    const item = writeToken(make("span", "al-paint-item"), word);
    item.classList.toggle("al-unseen", !left && !seen.has(at));
    item.classList.toggle("al-looks", keys === words && at === row);
    line.append(item, " ");
  });
  return line;
}

/** What the word is to predict, and whether it can see the answer. */
function goalOf(words, row, seen) {
  const node = make("div", "al-paint-goal"), answer = words[row + 1];
  if (!answer) node.append("It predicts what comes after the text.");
  else if (seen.has(row + 1)) node.append("It is to predict ", quoted(answer), ", and sees it: there is nothing left to learn.");
  else node.append("It is to predict the word after it, ", quoted(answer), ", which it cannot see.");
  return node;
}

/** From scores to weights, key by key. */
function sharesOf(words, { seen, scores, weights }) {
  const node = make("div", "al-paint-shares");
  node.setAttribute("role", "table");
  const line = (role, ...parts) => {
    const row = node.appendChild(make("div", "al-paint-share"));
    row.setAttribute("role", "row");
    parts.forEach((part) => row.appendChild(part).setAttribute("role", role));
  };
  line("columnheader", ...["key", "score", "weight"].map((name) => make("span", "al-paint-of", name)));
  words.forEach((word, key) => {
    const weight = weights ? figure(weights[key]) : "…";
    line(
      "cell", writeToken(make("span", "al-paint-of"), word), make("span", "", scoreFigure(scores[key])),
      make("span", "", seen.has(key) ? weight : "hidden"),
    );
  });
  return node;
}
