// What one word of a painted mask sees, in words: the text with the rest faded, what it is to predict,
// and where scores are known how they become weights.

/** A word between quotation marks. */
function quoted(word) {
  const node = make("span", "al-paint-quoted", "“");
  node.append(writeToken(make("span"), word), "”");
  return node;
}

/** A score with a minus that is as wide as a plus. */
const scoreFigure = (score) => (score < 0 ? "−" : "") + Math.abs(score).toFixed(2);

/** How many it sees, in words. */
const shareOf = (words, seen) => `sees ${seen.size === words.length ? "all" : seen.size || "none"} of ${words.length}`;

/** The nodes that say what the word at `row` sees.
 *
 * `now`: its `row`, the positions `seen`, and where there are scores, `scores` and `weights` of the
 * row; `weights` is null while they are being computed. */
function toldOf(header, now) {
  const { words } = header, { row, seen } = now, title = make("div", "al-paint-sum");
  title.append(quoted(words[row]), ` ${shareOf(words, seen)}`);
  const parts = [title, textOf(words, row, seen)];
  if (header.weighed) parts.push(sharesOf(words, now));
  if (!seen.size) parts.push(make("div", "al-paint-goal", "A row that sees nothing takes nothing: all its weights are 0."));
  if (header.predicts) parts.push(goalOf(words, row, seen));
  return parts;
}

/** The same, to be read out: a sentence for each thing. */
function saidOf(header, now) {
  const { words } = header, { row, seen } = now;
  const which = [...seen].map((at) => spoken(words[at])).join(", ");
  const said = [`“${spoken(words[row])}” ${shareOf(words, seen)}${which && `: ${which}`}.`];
  if (header.weighed)
    words.forEach((word, key) => {
      const weight = seen.has(key) ? `weight ${figure(now.weights[key])}` : "hidden";
      said.push(`${spoken(word)}: score ${scoreFigure(now.scores[key])}, ${weight}.`);
    });
  if (header.predicts) said.push(goalOf(words, row, seen).textContent);
  return said.join(" ");
}

/** The text, with what is not seen faded. */
function textOf(words, row, seen) {
  const line = make("div", "al-paint-words");
  words.forEach((word, at) => {
    const item = writeToken(make("span", "al-paint-item"), word);
    item.classList.toggle("al-unseen", !seen.has(at));
    item.classList.toggle("al-looks", at === row);
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
