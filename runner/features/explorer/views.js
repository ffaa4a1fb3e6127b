"use strict";
const BUCKETS = 48, MOST_EDGES = 6000, LEAST_FONT = 7, MOST_FONT = 15, GAP = 16, CHARACTER = 0.61, LINE = 1.2;
const MARKS = {over: "#d4281c", inconsistent: "#e07b00", reopened: "#c0148c"};

/* Nodes on a canvas, by place or as a tree. Positions are shares of the canvas, from 0 to 1. */
class View {
  constructor(canvas, player, content, picture, over) {
    Object.assign(this, {canvas, player, picture, over, zoom: 1, left: 0, top: 0, hovered: -1, layer: document.createElement("canvas")});
    this.scene = content.scene;
    if (this.scene) {
      const [xs, ys] = player.places.map(number => content.arrays[number]);
      const {scale, offset} = this.scene;
      this.placeX = xs.map(x => scale[0] * x + offset[0]);
      this.placeY = ys.map(y => scale[1] * y + offset[1]);
      this.side = Math.abs(scale[0]);
      this.nodesAt = grouped(player.place, player.placeCount);
    }
    const {leaves, levels, treeX, level} = player;
    this.tree = {x: treeX.map(x => x / leaves), y: Float32Array.from(level, each => (each + 0.5) / levels), leaves, levels};
    this.colours = Array.from({length: BUCKETS}, (_, index) => {
      const {ramp} = content, at = index / (BUCKETS - 1) * (ramp.length - 1), low = Math.min(ramp.length - 2, Math.floor(at));
      return `rgb(${ramp[low].map((c, i) => Math.round(c + (at - low) * (ramp[low + 1][i] - c))).join()})`;
    });
    this.lines = Array.from(player.text, number => number < 0 ? [] : content.texts[number].split("\n"));
    this.columns = this.lines.reduce((most, lines) => lines.reduce((most, line) => Math.max(most, line.length), most), 1);
    this.rows = this.lines.reduce((most, lines) => Math.max(most, lines.length), 1);
  }
  /* Size of the canvas in pixels of the page. */
  resize() {
    const ratio = window.devicePixelRatio || 1, width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.width = width; this.height = height; this.ratio = ratio;
  }
  x(share) { return (share - this.left) * this.zoom * this.width; }
  y(share) { return (share - this.top) * this.down * this.height; }
  /* Vertical zoom: levels of a tree get no farther apart than their texts need. */
  get down() {
    if (this.isMap) return this.zoom;
    return Math.min(this.zoom, Math.max(1, (LINE * MOST_FONT * this.rows + GAP) * this.tree.levels / this.height));
  }
  nodeX(node, isMap) { return this.x(isMap ? this.placeX[this.player.place[node]] : this.tree.x[node]); }
  nodeY(node, isMap) { return this.y(isMap ? this.placeY[this.player.place[node]] : this.tree.y[node]); }
  zoomBy(factor, x, y) {
    const {zoom, down} = this;
    this.zoom = Math.min(200, Math.max(1, zoom * factor));
    this.left += x / this.width * (1 / zoom - 1 / this.zoom);
    this.top += y / this.height * (1 / down - 1 / this.down);
    this.pan(0, 0);
  }
  pan(x, y) {
    this.left = Math.min(1 - 1 / this.zoom, Math.max(0, this.left - x / this.width / this.zoom));
    this.top = Math.min(1 - 1 / this.down, Math.max(0, this.top - y / this.height / this.down));
  }
  /* Number from 0 to 1 for the colour of a node; -1 for none. */
  shade(node, colour, times) {
    const p = this.player;
    if (colour === "order") return p.firstStep[node] / Math.max(1, p.expanded.length - 1);
    if (colour === "times") return Math.min(1, Math.log2(times) / 6);
    if (colour === "g") return p.g[node] / Math.max(1, p.maxG);
    if (colour === "f" && !p.formula) return -1;
    if (p.value[node] === DEAD_END) return 1;
    if (colour === "learned") return (p.value[node] - p.h[node]) / Math.max(1, p.maxLearned);
    if (colour === "h") return p.value[node] / Math.max(1, p.maxH);
    if (colour === "f") return Math.min(1, p.f(node) / Math.max(1, p.maxG + p.maxH));
    const exact = p.hStar ? p.hStar[node] : UNKNOWN;
    return exact < 0 ? -1 : Math.min(1, Math.max(0, exact - p.value[node]) / Math.max(1, exact));
  }
  /* Draw everything. Nodes and places are painted on a layer, again only where something has changed. */
  draw(settings, theme) {
    this.resize();
    const {player: p, canvas} = this, context = this.context = canvas.getContext("2d"), isMap = this.isMap = settings.view === "map";
    this.theme = theme;
    const key = [settings.view, settings.colour, this.zoom, this.left, this.top, canvas.width, canvas.height, theme.text, p.nextStart].join();
    if (key !== this.key) this.box = isMap ? null : this.findBox();
    if (key !== this.key || p.done < this.painted) this.paintAll(settings, isMap);
    else if (p.done > this.painted) this.paintSince(this.painted, settings, isMap);
    this.key = key;
    this.painted = p.done;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    if (isMap) this.drawPicture(this.picture);
    if (isMap) context.globalAlpha = 0.75;
    if (!this.box) context.drawImage(this.layer, 0, 0, this.width, this.height);
    context.globalAlpha = 1;
    if (isMap) this.drawPicture(this.over);
    if (isMap && settings.never) this.drawUnseen();
    if (settings.path) this.line(p.path(p.current), theme.path, 1.5, isMap);
    if (p.isAtEnd && p.plan.length) this.line(p.plan.filter(node => node >= 0), theme.plan, 3, isMap);
    if (this.box) context.drawImage(this.layer, 0, 0, this.width, this.height);
    this.drawMarks(settings, isMap);
    if (p.current >= 0) this.ring(p.current, isMap, theme.text, 2.5);
    if (this.hovered >= 0) this.ring(this.hovered, isMap, theme.accent, 2);
  }
  drawPicture(picture) {
    if (picture) this.context.drawImage(picture, this.x(0), this.y(0), this.zoom * this.width, this.zoom * this.height);
  }
  /* Size of the texts of states in the part of the tree on the screen; null if they are not legible side by side. */
  findBox() {
    const {x, y, levels} = this.tree;
    this.byLevel ??= Int32Array.from(x.keys()).sort((a, b) => y[a] - y[b] || x[a] - x[b]);
    const down = this.down * this.height / levels, isNear = (at, side) => at > -down / 2 && at < side + down / 2;
    let across = this.width, before = -1;
    for (const node of this.byLevel) {
      if (!isNear(this.x(x[node]), this.width) || !isNear(this.y(y[node]), this.height)) continue;
      if (before >= 0 && y[before] === y[node]) across = Math.min(across, this.x(x[node]) - this.x(x[before]));
      before = node;
    }
    const font = Math.min(MOST_FONT, (across - GAP) / (CHARACTER * this.columns), (down - GAP) / (LINE * this.rows));
    return font < LEAST_FONT ? null : {font, width: CHARACTER * font * this.columns + 8, height: LINE * font * this.rows + 6};
  }
  get cell() { return Math.max(3, this.side * this.zoom * this.width); }
  get radius() {
    const distance = Math.min(this.zoom * this.width / this.tree.leaves, this.down * this.height / this.tree.levels);
    return distance < 1.5 ? 1 : Math.max(2, Math.min(7, distance / 2.4));
  }
  paintAll(settings, isMap) {
    this.layer.width = this.canvas.width;
    this.layer.height = this.canvas.height;
    const {player: p} = this;
    this.layer.getContext("2d").setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (isMap) {
      for (let place = 0; place < p.placeCount; place++) if (p.placeTimes[place] || p.placeOpen[place] > 0) this.paintPlace(place, settings);
      return;
    }
    const nodes = [];
    for (let node = 0; node < p.count; node++) if (p.seen[node]) nodes.push(node);
    this.paintEdges(nodes);
    const expanded = this.onePerPixel(nodes.filter(node => p.last[node] >= 0)), others = this.onePerPixel(nodes.filter(node => p.last[node] < 0));
    for (const node of [...others, ...expanded]) this.paintNode(node, settings);
  }
  paintSince(step, settings, isMap) {
    const {player: p} = this, nodes = new Set();
    for (let i = p.first[step]; i < p.first[p.done]; i++) nodes.add(p.node[i]);
    for (let i = step; i < p.done; i++) nodes.add(p.expanded[i]);
    for (let i = p.learnedFirst[step]; i < p.learnedFirst[p.done]; i++) nodes.add(p.learnedNode[i]);
    if (isMap) for (const place of new Set([...nodes].map(node => p.place[node]))) this.paintPlace(place, settings);
    else {
      this.paintEdges([...nodes]);
      for (const node of nodes) this.paintNode(node, settings);
    }
  }
  /* The last of the nodes at each pixel. */
  onePerPixel(nodes) {
    if (this.radius >= 2) return nodes;
    const columns = Math.ceil(this.width) + 1, last = new Map();
    for (const node of nodes) {
      const x = this.x(this.tree.x[node]), y = this.y(this.tree.y[node]);
      if (x >= 0 && y >= 0 && x <= this.width && y <= this.height) last.set((y | 0) * columns + (x | 0), node);
    }
    return last.values();
  }
  colour(shade) { return shade < 0 ? this.theme.muted : this.colours[Math.round(shade * (BUCKETS - 1))]; }
  paintPlace(place, settings) {
    const {player: p} = this, context = this.layer.getContext("2d"), size = this.cell;
    const x = this.x(this.placeX[place]) - size / 2, y = this.y(this.placeY[place]) - size / 2;
    context.clearRect(x, y, size, size);
    if (p.placeTimes[place]) {
      context.fillStyle = this.colour(this.shade(p.placeFirst[place], settings.colour, p.placeTimes[place]));
      context.fillRect(x + size * 0.04, y + size * 0.04, size * 0.92, size * 0.92);
    }
    if (p.placeOpen[place] > 0) {
      context.strokeStyle = this.theme.open;
      context.lineWidth = Math.min(3, Math.max(1, size / 14));
      context.strokeRect(x + size * 0.12, y + size * 0.12, size * 0.76, size * 0.76);
    }
  }
  paintEdges(nodes) {
    const {player: p, tree} = this, context = this.layer.getContext("2d");
    if (p.seenStates > MOST_EDGES * this.zoom) return;
    context.strokeStyle = this.theme.muted;
    context.lineWidth = this.radius < 2 ? 0.4 : 0.8;
    context.beginPath();
    for (const node of nodes) {
      const parent = p.firstParent[node];
      if (parent < 0) continue;
      context.moveTo(this.x(tree.x[parent]), this.y(tree.y[parent]));
      context.lineTo(this.x(tree.x[node]), this.y(tree.y[node]));
    }
    context.stroke();
  }
  paintNode(node, settings) {
    const {player: p, radius, box} = this, context = this.layer.getContext("2d"), reach = box ? Math.max(box.width, box.height) : radius;
    const x = this.x(this.tree.x[node]), y = this.y(this.tree.y[node]), isExpanded = p.last[node] >= 0;
    if (x < -reach || y < -reach || x > this.width + reach || y > this.height + reach) return;
    const r = isExpanded ? radius : radius * 0.7;
    if (isExpanded) context.fillStyle = this.colour(this.shade(node, settings.colour, p.times[node]));
    else context.fillStyle = p.status[node] === OPEN ? this.theme.open : this.theme.muted;
    if (box) { this.paintText(node, x, y, isExpanded, context); return; }
    if (r < 2 || p.flags[node] & BACKWARD) { context.fillRect(x - r, y - r, 2 * r, 2 * r); return; }
    context.beginPath();
    context.arc(x, y, r, 0, 7);
    context.fill();
  }
  /* The text of a state in a frame of the present colour. */
  paintText(node, x, y, isExpanded, context) {
    const {font, width, height} = this.box, lines = this.lines[node], corner = [x - width / 2, y - height / 2, width, height];
    const colour = context.strokeStyle = context.fillStyle;
    context.fillStyle = this.theme.back;
    context.fillRect(...corner);
    context.fillStyle = colour;
    context.globalAlpha = isExpanded ? 0.4 : 0;
    context.fillRect(...corner);
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.setLineDash(this.player.flags[node] & BACKWARD ? [4, 3] : []);
    context.strokeRect(...corner);
    context.setLineDash([]);
    context.fillStyle = this.theme.text;
    context.font = `${font}px ui-monospace, monospace`;
    context.textBaseline = "middle";
    const left = x - CHARACTER * font * Math.max(0, ...lines.map(line => line.length)) / 2;
    lines.forEach((line, i) => context.fillText(line, left, y + (i - (lines.length - 1) / 2) * LINE * font));
  }
  drawUnseen() {
    const {context, player: p} = this, r = this.cell * 0.3;
    context.strokeStyle = this.theme.muted;
    context.lineWidth = 1;
    context.beginPath();
    for (const place of p.unseenPlaces) {
      const x = this.x(this.placeX[place]), y = this.y(this.placeY[place]);
      context.moveTo(x - r, y + r);
      context.lineTo(x + r, y - r);
    }
    context.stroke();
  }
  line(nodes, colour, width, isMap) {
    const {context} = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.beginPath();
    const [across, down] = isMap && this.scene.torus || [Infinity, Infinity];
    const shorter = (step, size) => Math.abs(step) > size / 2 ? step - Math.sign(step) * size : step;
    let lastX, lastY;
    nodes.forEach((node, i) => {
      const x = this.nodeX(node, isMap), y = this.nodeY(node, isMap);
      const stepX = shorter(x - lastX, across * this.zoom * this.width), stepY = shorter(y - lastY, down * this.zoom * this.height);
      if (!i) context.moveTo(x, y);
      else if (stepX !== x - lastX || stepY !== y - lastY) {  // across an edge of a torus
        context.lineTo(lastX + stepX / 2, lastY + stepY / 2);
        context.moveTo(x - stepX / 2, y - stepY / 2);
      }
      context.lineTo(x, y);
      [lastX, lastY] = [x, y];
    });
    context.stroke();
  }
  ring(node, isMap, colour, width) {
    const {context, box} = this, r = isMap ? this.cell / 2 : this.radius + 3;
    const across = box ? box.width / 2 + 3 : r, down = box ? box.height / 2 + 3 : r;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(this.nodeX(node, isMap) - across, this.nodeY(node, isMap) - down, 2 * across, 2 * down);
  }
  drawMarks(settings, isMap) {
    const {context, player: p, box} = this, size = isMap ? Math.min(9, this.cell / 4) : Math.max(2.5, Math.min(5, this.radius));
    const shift = isMap ? this.cell / 3 : box ? box.width / 3 : 0, up = isMap ? shift : box ? box.height / 2 : 0;
    Object.keys(MARKS).forEach((mark, index) => {
      if (!settings[mark]) return;
      context.fillStyle = context.strokeStyle = MARKS[mark];
      context.lineWidth = 2;
      context.beginPath();
      for (const node of p.marked[mark]) {
        if (!p.isMarked(node, mark)) continue;
        const x = this.nodeX(node, isMap) + (index - 1) * shift, y = this.nodeY(node, isMap) - up;
        context.moveTo(x + (mark === "inconsistent" ? 0 : mark === "over" ? -size : size), y - (mark === "reopened" ? 0 : size));
        if (mark === "reopened") context.arc(x, y, size, 0, 7);
        else context.lineTo(x + size, y + size);
        if (mark === "inconsistent") { context.lineTo(x - size, y + size); context.closePath(); }
        if (mark === "over") { context.moveTo(x + size, y - size); context.lineTo(x - size, y + size); }
      }
      if (mark === "inconsistent") context.fill(); else context.stroke();
    });
  }
  /* Nodes at a point of the canvas, the newest first. */
  nodesNear(x, y, isMap) {
    const p = this.player;
    let best = -1, least = Infinity;
    const count = isMap ? p.placeCount : p.count;
    for (let i = 0; i < count; i++) {
      if (!isMap && !p.seen[i]) continue;
      const dx = (isMap ? this.x(this.placeX[i]) : this.x(this.tree.x[i])) - x;
      const dy = (isMap ? this.y(this.placeY[i]) : this.y(this.tree.y[i])) - y;
      const distance = dx * dx + dy * dy;
      if (distance < least) { least = distance; best = i; }
    }
    const {box} = this, reach = isMap ? Math.max(8, this.cell * 0.71) : box ? Math.hypot(box.width, box.height) / 2 : 14;
    if (best < 0 || least > reach * reach) return [];
    const nodes = isMap ? this.nodesAt(best).filter(node => p.seen[node]) : [best];
    return nodes.sort((a, b) => p.last[b] - p.last[a] || a - b);
  }
}

/* Function that returns the nodes of each group. */
function grouped(group, count) {
  const first = new Int32Array(count + 1), nodes = new Int32Array(group.length);
  for (const each of group) first[each + 1]++;
  for (let i = 0; i < count; i++) first[i + 1] += first[i];
  const next = first.slice();
  group.forEach((each, node) => { nodes[next[each]++] = node; });
  return each => [...nodes.subarray(first[each], first[each + 1])];
}
