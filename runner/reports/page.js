"use strict";
const words = new Intl.Collator("en", {numeric: true});
const number = text => { const found = Number(text.replace(/,|%$/g, "")); return text === "" || Number.isNaN(found) ? undefined : found; };
for (const table of document.querySelectorAll("table")) {
  const headings = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  headings.forEach((heading, column) => heading.firstChild.addEventListener("click", () => {
    const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of headings) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    const keyed = [...body.rows].map(row => { const text = row.cells[column].textContent.trim(); return {row, text, value: number(text)}; });
    keyed.sort((a, b) => {
      if (a.value !== undefined && b.value !== undefined) return sign * (a.value - b.value);
      if (a.value !== undefined || b.value !== undefined) return a.value === undefined ? 1 : -1;
      return sign * words.compare(a.text, b.text);
    });
    body.append(...keyed.map(each => each.row));
  }));
  const filter = table.closest("section").querySelector("input");
  if (filter) filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
  });
}
