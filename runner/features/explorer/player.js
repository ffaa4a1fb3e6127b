"use strict";
const UNSEEN = 0, OPEN = 1, CLOSED = 2, DEAD_END = -2, UNKNOWN = -1;
const GOAL = 1, BACKWARD = 2, INCONSISTENT = 4, OVERESTIMATED = 8;

/* One search: its nodes as they are after a number of expansions. */
class Player {
  constructor(run, arrays) {
    Object.assign(this, run);
    for (const name of ["expanded", "first", "node", "parentOf", "gOf", "starts", "isOpen", "isClosed", "isSeen",
      "isReopened", "firstParent", "treeX", "level", "h", "learnedFirst", "learnedNode", "learnedH", "flags", "text", "details"]) this[name] = arrays[run[name.replace("Of", "")]];
    this.hStar = run.hStar === null ? null : arrays[run.hStar];
    this.labels = run.labels === undefined ? null : arrays[run.labels];
    this.place = run.place === undefined ? null : arrays[run.place];
    this.unseenPlaces = run.place === undefined ? null : arrays[run.unseenPlaces];
    this.count = this.h.length;
    this.placeCount = this.place ? arrays[run.places[0]].length : 0;
    this.status = new Uint8Array(this.count);
    this.seen = new Uint8Array(this.count);
    this.value = new Int32Array(this.count);  // h, or what the search has learned instead
    this.again = new Uint8Array(this.count);
    for (const name of ["g", "parent", "depth", "last", "times", "reached", "arrival"]) this[name] = new Int32Array(this.count);
    this.firstStep = new Int32Array(this.count).fill(-1);  // of the whole search
    this.placeFirst = new Int32Array(this.placeCount).fill(-1);  // node of a place that is expanded first
    for (let step = this.expanded.length; step--;) {
      const node = this.expanded[step];
      this.firstStep[node] = step;
      if (this.place) this.placeFirst[this.place[node]] = node;
    }
    this.placeTimes = new Int32Array(this.placeCount);
    this.placeOpen = new Int32Array(this.placeCount);
    this.maxG = this.gOf.reduce((a, b) => Math.max(a, b), 0);
    this.maxH = this.learnedH.reduce((a, b) => Math.max(a, b), this.h.reduce((a, b) => Math.max(a, b), 0));
    this.maxLearned = this.learnedH.reduce((most, h, i) => Math.max(most, h - this.h[this.learnedNode[i]]), 0);
    const having = flag => [...this.flags.keys()].filter(node => this.flags[node] & flag);
    this.marked = {over: having(OVERESTIMATED), inconsistent: having(INCONSISTENT), reopened: [...new Set(this.expanded.filter((_, step) => this.isReopened[step]))]};
    this.reset();
  }
  reset() {
    this.done = this.nextStart = 0;
    for (const array of [this.status, this.seen, this.again, this.g, this.depth, this.times, this.reached, this.arrival]) array.fill(0);
    for (const array of [this.parent, this.last]) array.fill(-1);
    this.value.set(this.h);
    this.placeTimes.fill(0);
    this.placeOpen.fill(0);
    if (this.count) { this.seen[0] = 1; this.set(0, OPEN); }
  }
  set(node, status) {
    if (this.place) this.placeOpen[this.place[node]] += (status === OPEN) - (this.status[node] === OPEN);
    this.status[node] = status;
  }
  /* Go to the moment after so many expansions, or to the end. */
  seek(expansions) {
    const step = Math.min(expansions, this.expanded.length);
    if (step < this.done) this.reset();
    while (this.done < step) this.advance();
  }
  advance() {
    const step = this.done++, node = this.expanded[step];
    if (this.starts[this.nextStart] === step) {
      this.nextStart++;
      this.status.fill(UNSEEN);
      this.placeOpen.fill(0);
    }
    for (let i = this.first[step]; i < this.first[step + 1]; i++) {
      const changed = this.node[i], parent = this.parentOf[i];
      this.g[changed] = this.gOf[i];
      this.parent[changed] = parent;
      this.depth[changed] = parent < 0 ? 0 : this.depth[parent] + 1;
      this.reached[changed] = step;
      this.arrival[changed] = i;
      this.seen[changed] = 1;
      if (changed !== node) this.set(changed, OPEN);
    }
    this.set(node, CLOSED);
    this.times[node]++;
    this.again[node] |= this.isReopened[step];
    this.last[node] = step;
    for (let i = this.learnedFirst[step]; i < this.learnedFirst[step + 1]; i++) this.value[this.learnedNode[i]] = this.learnedH[i];
    if (this.place) this.placeTimes[this.place[node]]++;
  }
  /* Costs of the labels of a node that were expanded so far; of a goal at the end, those of the plans. */
  labelsOf(node, texts) {
    if (this.flags[node] & GOAL) return this.isAtEnd ? this.solutions : [];
    const found = [];
    for (let step = 0; step < this.done; step++) if (this.expanded[step] === node) found.push(texts[this.labels[step]] || "…");
    return found;
  }
  get isAtEnd() { return this.done === this.expanded.length; }
  /* Whether only the beginning of the search is shown. */
  get isCut() { return this.expanded.length < this.expansions; }
  get current() { return this.done ? this.expanded[this.done - 1] : this.count ? 0 : -1; }
  get open() { return this.done ? this.isOpen[this.done - 1] : Math.min(1, this.count); }
  get closed() { return this.done ? this.isClosed[this.done - 1] : 0; }
  get seenStates() { return this.done ? this.isSeen[this.done - 1] : Math.min(1, this.count); }
  weight(node) {
    const {weights, excess, horizon} = this.formula;
    let weight = weights[0][1];
    for (const [from, w] of weights) { if (from > this.reached[node]) break; weight = w; }
    return weight + excess * Math.max(0, 1 - this.depth[node] / horizon);
  }
  /* Only for searches with a formula. */
  f(node) {
    return this.value[node] === DEAD_END ? Infinity : this.formula.of_g * this.g[node] + this.weight(node) * this.value[node];
  }
  isMarked(node, mark) {
    return mark === "over" ? this.seen[node] : mark === "inconsistent" ? this.times[node] > 0 : this.again[node] > 0;
  }
  /* Nodes from a root to a node. */
  path(node) {
    const found = [];
    while (node >= 0 && found.length <= this.count) { found.push(node); node = this.parent[node]; }
    return found.reverse();
  }
  /* Numbers by which open nodes are ordered. Of successors generated together, the first one comes first. */
  rank(node) {
    if (this.openOrder === "newest") return [-this.reached[node], this.arrival[node]];
    if (this.openOrder === "oldest") return [this.arrival[node]];
    const rank = [this.f(node), this.value[node], node];
    if (this.openOrder === "layers") {  // what is left of earlier layers is pruned
      const layer = this.depth[this.current];
      rank.unshift(this.depth[node] < layer ? Infinity : this.depth[node]);
    }
    return rank;
  }
  /* The first open nodes in the order of the search. */
  best(most) {
    const found = [];
    for (let node = 0; node < this.count; node++) {
      if (this.status[node] !== OPEN) continue;
      const entry = [...this.rank(node), node];
      if (found.length === most && compare(entry, found[most - 1]) >= 0) continue;
      found.push(entry);
      found.sort(compare);
      if (found.length > most) found.pop();
    }
    return found.map(entry => entry[entry.length - 1]);
  }
  /* The nodes that were expanded last, the newest first. */
  newest(most) {
    const found = [];
    for (let step = this.done - 1; step >= 0 && found.length < most; step--) {
      if (!found.includes(this.expanded[step])) found.push(this.expanded[step]);
    }
    return found;
  }
}

function compare(a, b) {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

async function decoded(text) {
  const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(data.buffer).getUint32(0, true);
  const content = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  let at = 4 + length;
  content.arrays = content.arrays.map(([kind, count]) => {
    const shuffled = data.subarray(at, at += 4 * count), plain = new Uint8Array(4 * count);
    for (let byte = 0; byte < 4; byte++) for (let i = 0; i < count; i++) plain[4 * i + byte] = shuffled[byte * count + i];
    return kind === "int32" ? new Int32Array(plain.buffer) : new Float32Array(plain.buffer);
  });
  return content;
}
