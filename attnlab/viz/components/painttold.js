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

/** The nodes that say what the word at `row` sees: `seen` holds the positions. */
function toldOf(header, arrays, row, seen) {
  const { words } = header, title = make("div", "al-paint-sum");
  const share = seen.size === words.length ? "all" : seen.size || "none";
  title.append(quoted(words[row]), ` sees ${share} of ${words.length}`);
  const parts = [title, textOf(words, row, seen)];
  if (header.weighed) parts.push(sharesOf(words, arrays, row, seen));
  if (!seen.size) parts.push(make("div", "al-paint-goal", "A row that sees nothing takes nothing: all its weights are 0."));
  if (header.predicts) parts.push(goalOf(words, row, seen));
  return parts;
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
function sharesOf(words, { scores, weights }, row, seen) {
  const node = make("div", "al-paint-shares");
  for (const name of ["key", "score", "weight"]) node.append(make("span", "al-paint-of", name));
  words.forEach((word, key) => {
    const at = row * words.length + key;
    node.append(
      writeToken(make("span", "al-paint-of"), word), make("span", "", scoreFigure(scores.data[at])),
      make("span", "", seen.has(key) ? figure(weights.data[at]) : "hidden"),
    );
  });
  return node;
}
