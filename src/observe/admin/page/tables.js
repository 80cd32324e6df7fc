// Tables that change in place, so that the row that is read or focused stays where it is.

/** Makes a table: `columns` are names, or `[name, class]`; a class holds `n` for numbers and `w` for wide screens only. */
function table(caption, columns, empty) {
  const heads = columns.map((column) => [column].flat()).map(([name, kind]) => h("th", { scope: "col", role: "columnheader", class: kind }, name));
  const body = h("tbody", { role: "rowgroup", "data-empty": empty });
  body.columns = columns.map((column) => [column].flat());
  return [h("div", { class: "scroll" }, h("table", { role: "table" }, h("caption", {}, caption), h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...heads)), body)), body];
}

/** The rows of a part that is one table, and the elements below it. */
function rowsOf(part, caption, columns, empty, ...below) {
  show(part, "table", () => {
    const [box, body] = table(caption, columns, empty);
    part.rows = body;
    return [box, ...below];
  });
  return part.rows;
}

/** The content of a cell: text, or `{text, note, link, act, tone, of}`. */
function content(cell) {
  if (typeof cell !== "object" || cell === null) return [cell ?? ""].map(String);
  if (cell.link) return [h("a", { href: cell.link, class: cell.tone }, cell.text)];
  if (cell.of !== undefined) return [h("span", {}, h("meter", { min: 0, max: Math.max(cell.of, 1), value: cell.value, "aria-label": cell.label }), ` ${cell.text}`)];
  return [h("span", { class: cell.tone }, cell.text, cell.note ? h("span", { class: "note small soft" }, ...rich(cell.note)) : null)];
}

/** Narrow screens show a row as a card, so a cell has the name of its column, and roles replace the layout. */
function made([name, kind], column) {
  return h(column ? "td" : "th", { scope: column ? null : "row", role: column ? "cell" : "rowheader", class: kind, "data-name": name });
}

/** Shows a list: `key(item)` distinguishes rows, `cells(item)` has the content of each column. */
function fill(body, list, key, cells) {
  const rows = new Map([...body.rows].map((row) => [row.key, row]));
  list.forEach((item, index) => {
    const name = key(item);
    const row = rows.get(name) ?? Object.assign(h("tr", { role: "row" }), { key: name });
    rows.delete(name);
    cells(item).forEach((cell, column) => {
      const shown = JSON.stringify(cell);
      const place = row.cells[column] ?? row.appendChild(made(body.columns[column], column));
      if (place.shown === shown) return;
      place.shown = shown;
      place.replaceChildren(...content(cell));
    });
    if (body.rows[index] !== row) body.insertBefore(row, body.rows[index] ?? null);
  });
  for (const row of rows.values()) row.remove();
}

/** Shows names and values; a value has the form of a cell. */
function pairs(list, values) {
  const shown = JSON.stringify(values);
  if (list.shown === shown) return;
  list.shown = shown;
  list.replaceChildren(...values.filter(([, value]) => value !== null && value !== undefined).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, ...content(value))]));
}

/** Replaces the content of a part, unless it is the same. */
function show(part, key, make) {
  if (part.shown === key) return;
  part.shown = key;
  part.replaceChildren(...filtered([make()]));
}
