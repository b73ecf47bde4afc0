// How alike the compared heads are: a small table of figures, tinted by them.

const ALIKE = "1: both look in the same way from every word. 0: they never look at the same words. " +
  "It is 1 − the Jensen–Shannon divergence of their weights, in bits, averaged over the words that look.";

/** A table of `values` [n][n] for the heads `names`; point(i, j) is told which pair is pointed at. */
function alikeTable(names, values, point) {
  const table = make("table", "al-alike");
  const caption = table.appendChild(make("caption", "", "How alike they look"));
  caption.title = ALIKE;
  const head = table.appendChild(make("thead")).appendChild(make("tr"));
  head.append(make("td"));
  for (const name of names.slice(0, -1)) head.appendChild(make("th", "", name)).scope = "col";
  const body = table.appendChild(make("tbody"));
  names.forEach((name, i) => {
    if (!i) return; // each pair once
    const line = body.appendChild(make("tr"));
    line.appendChild(make("th", "", name)).scope = "row";
    for (let j = 0; j < names.length - 1; j++) {
      const cell = line.appendChild(make("td"));
      if (j >= i) continue;
      cell.textContent = figure(Math.max(0, values[i][j]));
      cell.style.setProperty("--alike", `${Math.round(50 * Math.max(0, values[i][j]) ** 2)}%`);
      cell.className = "al-alike-pair";
      cell.onpointerenter = () => point([i, j]);
      cell.onpointerleave = () => point([]);
    }
  });
  return table;
}
