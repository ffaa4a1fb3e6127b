"use strict";
/* Tables: sorted and filtered rows, hidden columns. The address has all of it, so that a link shows the same rows.
   It may come from anyone: values are looked up by the columns of the page, and shown as texts. */
const MAX_ADDRESS = 20000, MAX_TEXT = 200, PAUSE = 200, FEW = 6;
const words = new Intl.Collator("en", {numeric: true});
const number = text => { const found = Number(text.replace(/^< |,|%$/g, "")); return text === "" || Number.isNaN(found) ? undefined : found; };
const COMPARE = {"<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b};

function element(name, parent, text = "") {
  const made = document.createElement(name);
  made.textContent = text;
  parent.append(made);
  return made;
}

/* Condition on a cell: a comparison with its number, the whole text after = or !=, or a part of the text. */
function condition(wanted) {
  const [, sign, rest] = /^(<=|>=|!=|<|>|=)?\s*(.*)$/s.exec(wanted.trim().toLowerCase()), value = number(rest);
  const equals = cell => value === undefined ? cell.text.toLowerCase() === rest : cell.value === value;
  if (rest === "") return () => true;
  if (sign === "=") return equals;
  if (sign === "!=") return cell => !equals(cell);
  if (sign && value !== undefined) return cell => cell.value !== undefined && COMPARE[sign](cell.value, value);
  return cell => cell.text.toLowerCase().includes(wanted.trim().toLowerCase());
}

/* Controls of a table. They have the state; `read` takes it from the address, and `write` adds it to the address. */
function view(table) {
  const section = table.closest("section"), name = section.id, title = section.querySelector("h2").textContent;
  const body = table.tBodies[0], headings = [...table.tHead.rows[0].cells], titles = headings.map(each => each.textContent);
  const columns = titles.map((each, place) => titles.indexOf(each) < place ? `${each} (${place + 1})` : each);
  const lines = [...body.rows].map(row => ({row, cells: [...row.cells].map(cell => {
    const text = cell.textContent.trim();
    return {text, value: number(text)};
  })}));

  const controls = document.querySelector("template").content.firstElementChild.cloneNode(true);
  const [text, toggle, menu, reset, count] = controls.children;
  controls.setAttribute("aria-label", `Rows and columns of ${title}`);
  text.setAttribute("aria-label", `Filter the rows of ${title} by text in any column`);
  section.querySelector(".frame").before(controls);
  const inputs = table.tHead.insertRow(), fields = columns.map(column => {
    const field = element("input", element("td", inputs));
    Object.assign(field, {type: "search", size: 1, maxLength: MAX_TEXT, autocomplete: "off", title: "Text, or a comparison: >10, <=3, =5, !=0"});
    field.setAttribute("aria-label", `Filter by ${column}: text, or a comparison such as >10`);
    return field;
  });
  const boxes = columns.map((column, place) => {
    const label = document.createElement("label"), box = element("input", label);
    Object.assign(box, {type: "checkbox", checked: true});
    label.append(` ${column}`);
    if (place) menu.lastElementChild.append(label);  // the first column names the rows: it stays
    return box;
  });
  const ends = [...table.tFoot?.rows ?? []].map(row => element("span", row.cells[0]));
  let sorted = -1, sign = 1;

  function show() {
    const rows = [...lines];
    if (sorted >= 0) rows.sort(({cells: {[sorted]: a}}, {cells: {[sorted]: b}}) => {
      if (a.value !== undefined && b.value !== undefined) return sign * (a.value - b.value);
      if (a.value !== undefined || b.value !== undefined) return a.value === undefined ? 1 : -1;
      return sign * words.compare(a.text, b.text);
    });
    body.append(...rows.map(line => line.row));
    headings.forEach((heading, place) => {
      if (place === sorted) heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      else heading.removeAttribute("aria-sort");
    });

    const part = text.value.trim().toLowerCase(), conditions = fields.map(field => condition(field.value));
    let found = 0;
    for (const {row, cells} of lines) {
      row.hidden = !cells.some(cell => cell.text.toLowerCase().includes(part)) || !cells.every((cell, place) => conditions[place](cell));
      found += !row.hidden;
    }
    for (const row of table.rows) boxes.forEach((box, place) => { row.cells[place].hidden = !box.checked; });

    const hidden = boxes.filter(box => !box.checked).length;
    const filters = fields.map((field, place) => field.value.trim() && `${columns[place]}: ${field.value.trim()}`);
    const facts = [part && `any column: ${text.value.trim()}`, ...filters, hidden && `${hidden} hidden column${hidden > 1 ? "s" : ""}`].filter(Boolean);
    const isFiltered = part !== "" || filters.some(Boolean);
    const rowsText = `${lines.length.toLocaleString("en")} row${lines.length === 1 ? "" : "s"}`;
    const news = [isFiltered ? `${found.toLocaleString("en")} of ${rowsText}` : rowsText, ...facts].join(" · ");
    if (count.textContent !== news) count.textContent = news;
    for (const end of ends) end.textContent = isFiltered ? " (all rows)" : "";
    reset.disabled = !facts.length && sorted < 0;
    controls.classList.toggle("used", facts.length > 0);
    controls.hidden = lines.length < FEW && !facts.length;
  }

  function open(isOpen) {
    inputs.hidden = !isOpen;
    toggle.setAttribute("aria-expanded", isOpen);
  }

  function changed() {
    show();
    remember(name);
  }

  function read(parameters) {
    const given = key => { const found = parameters.get(`${name}.${key}`) ?? ""; return found.length > MAX_TEXT ? "" : found; };
    const hidden = new Set(parameters.getAll(`${name}.hide`));
    text.value = given("text");
    fields.forEach((field, place) => { field.value = given(`where.${columns[place]}`); });
    boxes.forEach((box, place) => { box.checked = place === 0 || !hidden.has(columns[place]); });
    sign = columns.includes(given("up")) ? 1 : -1;
    sorted = columns.indexOf(given(sign > 0 ? "up" : "down"));
    open(fields.some(field => field.value));
    show();
  }

  function write(parameters) {
    const add = (key, value) => value && parameters.append(`${name}.${key}`, value);
    add("text", text.value.trim());
    fields.forEach((field, place) => add(`where.${columns[place]}`, field.value.trim()));
    boxes.forEach((box, place) => add("hide", box.checked ? "" : columns[place]));
    if (sorted >= 0) add(sign > 0 ? "up" : "down", columns[sorted]);
  }

  headings.forEach((heading, place) => {
    heading.textContent = "";
    element("button", heading, titles[place]).addEventListener("click", () => {
      [sorted, sign] = [place, place === sorted ? -sign : 1];
      changed();
    });
  });
  for (const input of [text, ...fields, ...boxes]) input.addEventListener("input", changed);
  toggle.addEventListener("click", () => { open(inputs.hidden); if (!inputs.hidden) fields[0].focus(); });
  reset.addEventListener("click", () => { read(new URLSearchParams()); remember(name); text.focus(); });
  menu.addEventListener("keydown", event => { if (event.key === "Escape") { menu.open = false; menu.firstElementChild.focus(); } });
  document.addEventListener("click", event => { if (!menu.contains(event.target)) menu.open = false; });
  read(new URLSearchParams());
  return {read, write};
}

const views = [...document.querySelectorAll("main table")].map(view);
let anchor = "", pending;

/* Write the state to the address after a pause, because browsers limit how often it may change. */
function remember(name) {
  anchor = name;
  clearTimeout(pending);
  pending = setTimeout(write, PAUSE);
}

function write() {
  const parameters = new URLSearchParams();
  for (const each of views) each.write(parameters);
  const query = parameters.toString(), address = `#${anchor}${query && "?"}${query}`;
  try {
    if (address !== location.hash) history.replaceState(null, "", address);
  } catch { /* a page within a notebook has no address of its own */ }
}

/* Take the state from the address `#PLACE?STATE`. After a link within the page, `#PLACE`, the tables keep theirs. */
function follow() {
  const [before, ...rest] = location.hash.slice(1).split("?");
  if (location.hash.length > MAX_ADDRESS) return;
  anchor = before;
  const place = document.getElementById(anchor);
  if (!rest.length) return write();
  const parameters = new URLSearchParams(rest.join("?"));
  for (const each of views) each.read(parameters);
  place?.scrollIntoView();
}

addEventListener("hashchange", follow);
if (location.hash) follow();
