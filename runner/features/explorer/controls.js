"use strict";
const $ = id => document.getElementById(id);
const LABELS_LISTED = 6, LISTED = 10, PLACE_LISTED = 8;
const OPEN_FIRST = {f: "the first by f, then h", newest: "the newest first", oldest: "the oldest first", layers: "by layers, in each the first by f, then h"};
const ONLY_OVER = '<style>g { visibility: hidden } g[id^="over"], g[id^="over"] g { visibility: visible }</style>';
let content, players, views, panels, last, moment = 0, playing = false, pinned = null, shownAt = 0, waiting = 0, isQueued = false;

const number = value => value.toLocaleString("en");
const cost = value => number(Math.round(value / content.scale * 1e6) / 1e6);
const settings = () => ({view: $("view").value, colour: $("colour").value, path: $("path").checked, never: $("never").checked, over: $("over").checked, inconsistent: $("inconsistent").checked, reopened: $("reopened").checked});
const rate = () => Math.round(10 ** (Number($("speed").value) / 100 * 5) * 10) / 10;  // expansions in a second

function theme() {
  const style = getComputedStyle(document.querySelector(".stage")), colour = name => style.getPropertyValue(`--${name}`).trim();
  return {back: colour("back"), text: colour("text"), accent: colour("accent"), open: colour("open"), path: colour("path"), plan: colour("plan"), muted: colour("muted")};
}

function element(name, text, parent) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

/* Table of nodes with their values. */
function table(player, nodes) {
  const made = document.createElement("table"), head = element("tr", undefined, element("thead", undefined, made));
  const isByDepth = player.openOrder !== "f";
  const names = [player.hasH ? "state" : "node", "", isByDepth ? "depth" : null, player.hasH ? "g" : "cost", player.hasH ? "h" : null, player.hasLearned ? "learned h" : null, player.hStar ? "h*" : null, player.formula && player.hasH ? "f" : null, "expanded", player.labels ? player.labelName : null];
  for (const name of names) if (name !== null) element("th", name, head);
  const body = element("tbody", undefined, made);
  for (const node of nodes) {
    const row = element("tr", undefined, body), state = element("td", undefined, row);
    element("pre", player.details[node] < 0 ? `node ${number(node)} (its text is left out)` : content.texts[player.details[node]], state);
    if (player.flags[node] & GOAL) element("b", "goal", state);
    const facts = [player.status[node] === OPEN ? "open" : player.status[node] === CLOSED ? "closed" : "of an earlier iteration"];
    if (player.flags[node] & BACKWARD) facts.push("from a goal");
    element("td", facts.join(", "), row);
    if (isByDepth) element("td", number(player.depth[node]), row);
    element("td", cost(player.g[node]), row);
    if (player.hasH) {
      const h = element("td", undefined, row);
      element("span", player.h[node] === DEAD_END ? "∞" : cost(player.h[node]), h);
      if (player.flags[node] & OVERESTIMATED) { h.firstChild.className = "mark"; h.firstChild.title = "h is greater than h*"; }
    }
    if (player.hasLearned) element("td", player.value[node] === DEAD_END ? "∞" : cost(player.value[node]), row);
    if (player.hStar) element("td", player.hStar[node] === DEAD_END ? "∞" : player.hStar[node] === UNKNOWN ? "" : cost(player.hStar[node]), row);
    if (player.formula && player.hasH) element("td", player.f(node) === Infinity ? "∞" : cost(player.f(node)), row);
    const times = player.times[node] > 1 ? ` (${number(player.times[node])} times)` : "";
    element("td", player.last[node] < 0 ? "" : `${number(player.last[node] + 1)}${times}`, row);
    if (player.labels) {
      const labels = player.labelsOf(node, content.texts), more = labels.length - LABELS_LISTED;
      element("td", labels.length ? `${number(labels.length)}: ${labels.slice(0, LABELS_LISTED).join(", ")}${more > 0 ? ` and ${number(more)} more` : ""}` : "", row);
    }
  }
  return made;
}

function facts(run) {
  if (!run.watchesSearch) return `${run.order}.`;
  const found = [];
  const marked = (count, one, many) => found.push(`${number(count)} ${count === 1 ? one : many}`);
  if (run.hasHeuristic && run.overestimates === null) found.push("h* is not known: too many reachable states");
  else if (run.hasHeuristic) marked(run.overestimates, "state where h overestimates", "states where h overestimates");
  if (run.hasHeuristic) marked(run.inconsistent, "expanded state where h is inconsistent", "expanded states where h is inconsistent");
  if (run.labels) found.push(`${number(run.expansions)} ${run.labelName} expanded, at most ${number(run.mostLabels)} at a state`);
  else marked(run.reopenedNodes, "node reopened", "nodes reopened");
  marked(run.neverExpanded, "node generated, but never expanded", "nodes generated, but never expanded");
  if (run.reachable !== null) found.push(`${number(run.neverGenerated)} of ${number(run.reachable)} reachable states never generated`);
  if (run.isCut) found.push(`the first ${number(run.expanded.length)} of ${number(run.expansions)} expansions and ${number(run.count)} of ${number(run.states)} nodes are shown; all counts are of the whole search`);
  return `${run.order}${run.hasLearned ? ", with the learned h" : ""}. ${found.join("; ")}.`;
}

function counts(player) {
  const shown = !player.watchesSearch ? [`step ${number(player.done)} of ${number(player.expansions)}`] : [`expanded ${number(player.done)}`, `open ${number(player.open)}`, `closed ${number(player.closed)}`, `nodes ${number(player.seenStates)}`];
  if (player.starts.length > 1) shown.push(`iteration ${number(player.nextStart)}`);
  if (!player.isAtEnd) return shown.join(" · ");
  const solution = player.cost === null || player.cost === undefined ? "" : `, cost ${number(player.cost)}, ${number(player.length)} actions${player.labels ? `, the first of ${number(player.solutions.length)} plans` : ""}`;
  const all = Object.entries(player.counts).map(([name, value]) => `${name.replace("_", " ")} ${number(value)}`);
  if (player.isCut) shown.push(`the first ${number(player.done)} of ${number(player.expansions)} expansions`);
  const inAll = all.length ? `. In all: ${all.join(", ")}` : "";
  return `${shown.join(" · ")} — ${player.status_}${solution}${player.reason ? ` (${player.reason})` : ""}${inAll}`;
}

function legend() {
  const texts = {order: ["first expansion", "last"], times: ["1 expansion", "64 or more"], g: ["g: 0", "largest"], h: ["h: 0", "largest"], f: ["f: 0", "largest"], learned: ["learned h − h: 0", "largest"], error: ["h* − h: 0 (exact)", "h*"]};
  [$("low").textContent, $("high").textContent] = texts[$("colour").value];
}

function draw() {
  isQueued = false;
  const chosen = settings(), isTree = chosen.view === "tree";
  for (const each of document.querySelectorAll(".stage, .legend")) each.classList.toggle("tree", isTree);
  const colours = theme();
  players.forEach((player, index) => {
    player.seek(moment);
    const panel = panels[index];
    const stage = panel.querySelector(".stage");
    stage.style.aspectRatio = isTree ? "auto" : String(1 / content.scene.shape);
    views[index].draw(chosen, colours);
    panel.querySelector(".counts").textContent = counts(player);
  });
  $("moment").textContent = `${number(moment)} of ${number(last)}`;
  $("slider").value = moment;
  $("slider").setAttribute("aria-valuetext", `${number(moment)} of ${number(last)} expansions`);
  if (!playing || performance.now() > shownAt + 250) lists();
}

/* Tables below the pictures; while playing, four times in a second. */
function lists() {
  shownAt = performance.now();
  players.forEach((player, index) => {
    const panel = panels[index];
    const put = (name, title, nodes) => {
      panel.querySelector(`.${name} summary`).textContent = title;
      const details = panel.querySelector(`.${name}`);
      if (details.open) details.lastElementChild.replaceChildren(table(player, nodes));
    };
    const kept = pinned && pinned.index === index ? pinned.nodes.filter(node => player.seen[node]) : [];
    put("selected", kept.length ? "Selected (click elsewhere to release)" : "Expanded last", kept.length ? kept : player.current < 0 ? [] : [player.current]);
    put("open-list", `Open: ${number(player.open)}, ${player.depthFirst ? "generated in this iteration and not expanded yet; " : ""}${player.hasH ? OPEN_FIRST[player.openOrder] : "the cheapest first"}`, player.best(LISTED));
    put("closed-list", `Closed: ${number(player.closed)}, the newest first`, player.newest(LISTED));
    panel.querySelector("canvas").setAttribute("aria-label", `${player.name}: ${counts(player)}`);
  });
}

function redraw() {
  if (!isQueued) { isQueued = true; requestAnimationFrame(draw); }
}

function go(to) {
  moment = Math.max(0, Math.min(last, to));
  redraw();
}

function step(forward) {
  pause();
  go(moment + (forward ? 1 : -1));
}

function pause() {
  playing = false;
  $("play").textContent = "▶ Play";
  $("play").setAttribute("aria-label", "Play");
}

function play() {
  if (playing) { pause(); lists(); return; }
  if (moment >= last) moment = 0;
  playing = true;
  $("play").textContent = "⏸ Pause";
  $("play").setAttribute("aria-label", "Pause");
  let before = performance.now();
  waiting = 0;
  const frame = () => {
    if (!playing) return;
    const now = performance.now();
    waiting += Math.max(0, now - before) / 1000 * rate();
    before = now;
    const steps = Math.floor(waiting);
    waiting -= steps;
    moment = Math.min(last, moment + steps);
    if (moment >= last) pause();
    if (steps) draw();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

function changeSpeed(by) {
  if (by) $("speed").value = Number($("speed").value) + by;
  $("rate").textContent = `${number(rate() < 10 ? rate() : Math.round(rate()))}/s`;
}

function keydown(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
  const isSlider = event.target.type === "range", isControl = ["BUTTON", "SUMMARY"].includes(event.target.tagName) || event.target.type === "checkbox";
  const hundredth = Math.max(1, Math.round(last / 100));
  const actions = {"+": () => changeSpeed(5), "=": () => changeSpeed(5), "-": () => changeSpeed(-5)};
  if (!isControl) actions[" "] = play;
  if (!isSlider || event.target.id === "slider") {
    Object.assign(actions, {
      ArrowRight: () => event.shiftKey ? go(moment + hundredth) : step(true),
      ArrowLeft: () => event.shiftKey ? go(moment - hundredth) : step(false),
      Home: () => { pause(); go(0); }, End: () => { pause(); go(last); },
    });
  }
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

function listen(canvas, index) {
  const view = views[index], player = players[index];
  let from = null;
  const near = event => view.nodesNear(event.offsetX, event.offsetY, $("view").value === "map");
  canvas.addEventListener("pointermove", event => {
    if (from && event.buttons) {
      view.pan(event.clientX - from[0], event.clientY - from[1]);
      from = [event.clientX, event.clientY, true];
      redraw();
      return;
    }
    const nodes = near(event), tooltip = $("tooltip");
    view.hovered = nodes.length ? nodes[0] : -1;
    tooltip.hidden = !nodes.length;
    if (nodes.length) {
      tooltip.replaceChildren(table(player, nodes.slice(0, PLACE_LISTED)));
      if (nodes.length > PLACE_LISTED) element("div", `and ${number(nodes.length - PLACE_LISTED)} more states here`, tooltip);
      const {width, height} = tooltip.getBoundingClientRect();
      tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 14, document.documentElement.clientWidth - width - 4))}px`;
      tooltip.style.top = `${event.clientY + height + 18 > innerHeight ? Math.max(4, event.clientY - height - 12) : event.clientY + 14}px`;
    }
    redraw();
  });
  canvas.addEventListener("pointerleave", () => { view.hovered = -1; $("tooltip").hidden = true; from = null; redraw(); });
  canvas.addEventListener("pointerdown", event => { from = [event.clientX, event.clientY, false]; });
  canvas.addEventListener("pointerup", event => {
    if (from && !from[2]) {
      const nodes = near(event);
      pinned = nodes.length ? {index, nodes: nodes.slice(0, PLACE_LISTED)} : null;
      redraw();
    }
    from = null;
  });
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    view.zoomBy(event.deltaY < 0 ? 1.25 : 0.8, event.offsetX, event.offsetY);
    redraw();
  }, {passive: false});
  canvas.addEventListener("dblclick", () => { Object.assign(view, {zoom: 1, left: 0, top: 0}); redraw(); });
}

async function picture(svg) {
  if (!svg) return null;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  return image;
}

async function begin() {
  content = await decoded($("data").textContent);
  players = content.runs.map(run => new Player({...run, status_: run.status}, content.arrays));
  const svg = content.scene && content.scene.svg;
  const image = await picture(svg), over = await picture(svg && svg.replace(">", `>${ONLY_OVER}`));
  document.querySelector(".ramp").style.background = `linear-gradient(90deg, ${content.ramp.map(colour => `rgb(${colour})`)})`;
  moment = last = Math.max(...players.map(player => player.expanded.length));
  $("panels").className = players.length > 1 ? "two" : "one";
  panels = players.map(player => {
    const panel = $("panel").content.firstElementChild.cloneNode(true);
    panel.querySelector("h2").textContent = player.name;
    panel.querySelector(".facts").textContent = facts(player);
    $("panels").append(panel);
    return panel;
  });
  views = players.map((player, index) => new View(panels[index].querySelector("canvas"), player, content, image, over));
  panels.forEach((panel, index) => listen(panel.querySelector("canvas"), index));
  if (!content.scene) { $("view").value = "tree"; $("view-label").hidden = true; }
  const some = name => players.some(player => player[name]);
  $("never-label").hidden = !content.scene || !some("neverGenerated");
  $("over-label").hidden = !some("overestimates");
  $("inconsistent-label").hidden = !some("inconsistent");
  $("reopened-label").hidden = !some("reopenedNodes");
  for (const [colour, name] of [["h", "hasH"], ["f", "formula"], ["learned", "hasLearned"], ["error", "hStar"]]) {
    const option = $("colour").querySelector(`[value=${colour}]`);
    option.hidden = option.disabled = !some(name);
  }
  $("slider").max = last;
  $("speed").value = Math.round(20 * Math.log10(Math.max(4, last / 12)));
  $("slider").addEventListener("input", () => { pause(); go(Number($("slider").value)); });
  $("speed").addEventListener("input", () => changeSpeed(0));
  for (const name of ["view", "path", "never", "over", "inconsistent", "reopened"]) $(name).addEventListener("change", redraw);
  $("colour").addEventListener("change", () => { legend(); redraw(); });
  $("home").addEventListener("click", () => { pause(); go(0); });
  $("end").addEventListener("click", () => { pause(); go(last); });
  $("back").addEventListener("click", () => step(false));
  $("forward").addEventListener("click", () => step(true));
  $("play").addEventListener("click", play);
  document.addEventListener("keydown", keydown);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new ResizeObserver(redraw).observe($("panels"));
  changeSpeed(0);
  legend();
  $("message").textContent = last ? "" : `Nothing was expanded: ${players.map(player => `${player.status_}${player.reason ? ` (${player.reason})` : ""}`).join(", ")}.`;
  draw();
}

begin().catch(error => { $("message").textContent = `This page needs a newer browser: ${error.message}`; throw error; });
