// Draws the visible part of a schedule: a canvas, because a schedule has up to millions of segments.
// Each frame draws no more items than can be told apart, in the lanes that are in view.

const AXIS_HEIGHT = 26, OVERVIEW_HEIGHT = 16;
const LANE_HEIGHT = { processor: 38, task: 26 };
// Height of the windows of subtasks below a task's lane: two rows, because windows in succession may overlap.
const WINDOWS_HEIGHT = 14;
// Pixels: the width below which an item stands for its neighbours, and the least distances of links and of arrows.
const GRAIN = 1, CLOSEST_LINKS = 5, CLOSEST_ARROWS = 6;
// Height of the bars below the boxes where jobs hold resources, with room for a resource's name.
const HOLDS_HEIGHT = 11;
// Pixels at both ends of the visible window, so that arrows there are whole.
const MARGIN = 5;
// Pixels between pieces of a job below which the pieces read as one box, with the overhead as a line in it.
const TICK = 8;

class Painter {
  // Heights of the boxes of a lane, which a page may change.
  heights = LANE_HEIGHT;
  // The pixels that the visible window is wide.
  get wide() { return this.width - this.gutter - 2 * MARGIN; }
  x(ns) { return this.gutter + MARGIN + (ns - this.from) / (this.to - this.from) * this.wide; }
  at(x) { return this.from + (x - this.gutter - MARGIN) / this.wide * (this.to - this.from); }
  // The nanoseconds that a number of pixels is wide.
  grain(pixels) { return pixels * (this.to - this.from) / this.wide; }

  // The items of a track that a frame draws; counts them.
  seen(track, pixels) {
    const found = track.thinned(this.from, this.to, this.grain(pixels));
    this.drawn += found.length;
    return found;
  }

  redraw() {
    if (!this.width || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      Object.assign(this.frame.dataset, { from: Math.round(this.from), to: Math.round(this.to), mode: this.mode, selected: this.selected ?? "" });
      this.colours = Object.fromEntries(["ink", "dim", "line", "paper", "panel", "bad", "accent"].map((name) => [name, colour(name)]));
      this.drawAxis();
      this.drawLanes();
      this.drawOverview();
      if (this.reveal) this.revealSelected();
      this.afterDrawing?.();
    });
  }

  drawAxis() {
    const pen = prepare(this.axis, this.width, AXIS_HEIGHT);
    const span = this.to - this.from;
    const unit = [{ size: 1e9, name: "s" }, { size: 1e6, name: "ms" }, { size: 1e3, name: "us" }].find(({ size }) => span >= 2 * size) ?? { size: 1e3, name: "us" };
    const { step, found } = ticks(this.from, this.to, this.wide, 78);
    unit.digits = Math.max(0, Math.ceil(-Math.log10(step / unit.size) - 1e-9));
    this.grid = found;
    pen.fillStyle = this.colours.dim;
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    for (const at of found) {
      const x = this.x(at);
      if (x > this.gutter + 8 && x < this.width - 22) pen.fillText(instant(at, unit), x, AXIS_HEIGHT / 2);
    }
  }

  hasWindows() { return this.mode === "task" && this.model.windows; }

  // The height of a lane's boxes, and that of the whole lane.
  boxesHeight() { return this.heights[this.mode]; }

  holdsHeight() { return this.model.holds ? HOLDS_HEIGHT : 0; }

  laneHeight() { return this.boxesHeight() + this.holdsHeight() + (this.hasWindows() ? WINDOWS_HEIGHT : 0); }

  // Draws the lanes in view. The canvas is as high as that view, and stays in place while the lanes are scrolled.
  drawLanes() {
    const whole = this.laneHeight(), height = this.boxesHeight(), all = whole * this.rows.length;
    const seen = Math.min(all, Math.max(whole, Math.ceil(parseFloat(getComputedStyle(this.lanes).maxHeight)) || all));
    this.rest.style.height = `${all - seen}px`;
    const pen = prepare(this.canvas, this.width, seen), scrolled = this.lanes.scrollTop;
    pen.translate(0, -scrolled);
    this.drawn = 0;
    const first = Math.max(0, Math.floor(scrolled / whole)), last = Math.min(this.rows.length, Math.ceil((scrolled + seen) / whole));
    for (let number = first; number < last; number += 1) {
      const lane = this.rows[number], top = number * whole;
      pen.save();
      pen.beginPath();
      pen.rect(this.gutter, top, this.width - this.gutter, whole);
      pen.clip();
      if (number % 2) this.box(pen, this.gutter, top, this.width, whole, this.colours.panel);
      pen.fillStyle = this.colours.line;
      for (const at of this.grid) pen.fillRect(Math.round(this.x(at)), top, 1, whole);
      const seen = this.seen(lane.segments, GRAIN);
      for (const segment of seen) this.drawSegment(pen, segment, lane, top, height);
      for (const level of this.seen(lane.levels, GRAIN)) this.drawLevel(pen, level, lane, top, height);
      for (const run of this.runs(seen)) this.drawText(pen, run, top, height);
      this.drawBars(pen, lane, top, height);
      this.seen(lane.windows, GRAIN).forEach((item) => this.drawWindow(pen, item, top + height + this.holdsHeight()));
      this.drawMarks(pen, lane, top, height);
      pen.restore();
      this.drawLabel(pen, lane, top, whole, number);
    }
    this.drawLinks(pen, all);
    this.drawDifference(pen, all);
  }

  drawBars(pen, lane, top, height) {
    for (const kind of BARS) {
      const seen = this.seen(lane.bars[kind], SHORTEST_BAR);
      seen.forEach((bar, number) => {
        pen.globalAlpha = this.selected && this.selected !== jobKey(bar.task, bar.job) ? 0.25 : 1;
        const from = this.x(bar.start), to = this.x(bar.end);
        if (kind !== "holds") return drawBar(pen, bar, from, to, top + height - 3, height - 11, this.colours);
        // A section within another one covers the end of the outer one's bar, so that this is where its name has to end.
        const next = seen.slice(number + 1, number + 4).find((other) => other.start > bar.start && other.start < bar.end);
        drawHolds(pen, from, to, next ? this.x(next.start) : to, top + height - 2, HOLDS_HEIGHT - 1, nameOf(bar, this.comparison), this.colours);
      });
    }
    pen.globalAlpha = 1;
  }

  // Draws links between lanes: by processor, migrations; by task, from a waiting job to the one that blocks it.
  drawLinks(pen, all) {
    pen.save();
    pen.beginPath();
    pen.rect(this.gutter, 0, this.width - this.gutter, all);
    pen.clip();
    const whole = this.laneHeight(), middle = (lane) => lane * whole + this.boxesHeight() / 2 + 2;
    const links = this.mode === "task" ? this.model.blockings : this.model.migrations;
    for (const link of this.seen(links, CLOSEST_LINKS)) {
      const x = Math.round(this.x(link.start)) + 0.5;
      if (this.mode === "task") this.link(pen, x, middle(link.from), middle(link.to), this.colours.bad);
      else this.link(pen, x, middle(link.came), middle(link.cpu), this.colours.ink);
    }
    pen.restore();
  }

  link(pen, x, from, to, stroke) {
    pen.strokeStyle = pen.fillStyle = stroke;
    pen.lineWidth = 1;
    pen.setLineDash([2, 2]);
    pen.beginPath();
    pen.moveTo(x, from);
    pen.lineTo(x, to);
    pen.stroke();
    pen.setLineDash([]);
    pen.beginPath();
    pen.arc(x, to, 2.5, 0, 2 * Math.PI);
    pen.fill();
  }

  // Draws a line at the instant from which the schedule differs from another one.
  drawDifference(pen, all) {
    const at = this.comparison.differs_at_ns;
    if (at === undefined || at === null || at < this.from || at > this.to) return;
    pen.strokeStyle = this.colours.bad;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(this.x(at), 0);
    pen.lineTo(this.x(at), all);
    pen.stroke();
  }

  box(pen, x, y, width, height, fill) {
    pen.fillStyle = fill;
    pen.fillRect(x, y, width, height);
  }

  drawLabel(pen, lane, top, height, number) {
    this.box(pen, 0, top, this.gutter, height, number % 2 ? this.colours.panel : this.colours.paper);
    pen.fillStyle = this.colours.ink;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillText(shorten(pen, lane.name, this.gutter - 12), this.gutter - 7, top + height / 2);
    pen.fillStyle = this.colours.line;
    pen.fillRect(this.gutter - 1, top, 1, height);
  }

  drawSegment(pen, segment, lane, top, height) {
    const x = this.x(segment.start), width = Math.max(GRAIN, this.x(segment.end) - x);
    const inset = this.mode === "task" ? 8 : 5;
    const y = top + inset, tall = height - inset - 3;
    if (segment.overhead) return this.box(pen, x, y, width, tall, this.colours.dim);
    if (segment.wasted) return this.box(pen, x, y + tall / 3, width, tall / 3, this.colours.line);
    const other = this.selected && this.selected !== jobKey(segment.task, segment.job);
    pen.globalAlpha = other ? 0.25 : 1;
    this.box(pen, x, y, width, tall, fillOf(segment.task));
    if (width > 1.5) this.drawLate(pen, segment, y, tall);
    if (width > 6) {
      pen.strokeStyle = this.selected && !other ? this.colours.ink : "rgb(0 0 0 / .45)";
      pen.lineWidth = this.selected && !other ? 2 : 1;
      pen.strokeRect(x + 0.5, y + 0.5, width - 1, tall - 1);
    }
    if (segment.came !== undefined && width > 4) this.drawMigration(pen, x, y + tall / 2);
    pen.globalAlpha = 1;
  }

  // Draws a stretch of a server's budget: a line, and its filling below.
  drawLevel(pen, level, lane, top, height) {
    const from = this.x(level.start), to = Math.max(from + 1, this.x(level.end)), base = top + height - 3;
    const y = (left) => base - (height - 11) * left / lane.full;
    pen.beginPath();
    for (const point of [[from, base], [from, y(level.left)], [to, y(level.leftAtEnd)], [to, base]]) pen.lineTo(...point);
    pen.globalAlpha = 0.25;
    pen.fillStyle = this.colours.accent;
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = this.colours.accent;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(from, y(level.left));
    pen.lineTo(to, y(level.leftAtEnd));
    pen.stroke();
  }

  // Joins pieces of a job on one processor that are less than TICK apart, because they read as one box.
  runs(seen) {
    const runs = [];
    for (const segment of seen) {
      if (segment.overhead || segment.wasted) continue;
      const from = this.x(segment.start), to = this.x(segment.end), last = runs.at(-1);
      const goesOn = last && jobKey(last.segment.task, last.segment.job) === jobKey(segment.task, segment.job);
      if (goesOn && last.segment.cpu === segment.cpu && from - last.to < TICK) last.to = to;
      else runs.push({ segment, from, to });
    }
    return runs;
  }

  // Draws a wedge at the beginning of a segment after a migration.
  drawMigration(pen, x, y) {
    pen.fillStyle = "#14171b";
    pen.beginPath();
    pen.moveTo(x, y - 4);
    pen.lineTo(x + 5, y);
    pen.lineTo(x, y + 4);
    pen.fill();
  }

  drawText(pen, run, top, height) {
    const segment = run.segment, inset = this.mode === "task" ? 8 : 5;
    const onCpu = segment.came === undefined ? "" : ` on cpu ${segment.cpu}`;
    const name = this.comparison.tasks[segment.task].name;
    const labels = this.mode === "task" ? [`${segment.job}${onCpu}`, segment.job] : [`${name} ${segment.job}`, name];
    const from = Math.max(run.from, this.gutter), to = Math.min(run.to, this.width);
    if (to - from < 26) return;
    // If the whole label has no room, one whole word says more than parts of two.
    const fits = labels.find((label) => pen.measureText(label).width <= to - from - 6);
    const label = fits ?? shorten(pen, labels.at(-1), to - from - 6);
    pen.globalAlpha = this.selected && this.selected !== jobKey(segment.task, segment.job) ? 0.25 : 1;
    pen.fillStyle = "#14171b";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(label, (from + to) / 2, top + inset + (height - inset - 3) / 2 + 0.5);
    pen.globalAlpha = 1;
  }

  // Draws the window of a subtask as a pale bar with an upright at each end; successive windows alternate two rows.
  drawWindow(pen, item, top) {
    const y = top + (item.nth % 2 ? 6 : 0), tall = 5;
    const from = this.x(item.start), to = Math.max(from + 2, this.x(item.end));
    pen.globalAlpha = 0.45;
    this.box(pen, from, y, to - from, tall, fillOf(item.task));
    pen.globalAlpha = 1;
    for (const x of [from, to - 1]) this.box(pen, Math.round(x), y, 1, tall, this.colours.ink);
  }

  // Hatches the part of a segment after the absolute deadline.
  drawLate(pen, segment, y, tall) {
    const facts = this.model.jobs.get(jobKey(segment.task, segment.job));
    if (facts?.deadline === undefined || segment.end <= facts.deadline) return;
    const from = Math.max(this.x(Math.max(segment.start, facts.deadline)), this.gutter - 2);
    const to = Math.min(this.x(segment.end), this.width + 2);
    pen.save();
    pen.beginPath();
    pen.rect(from, y, Math.max(1, to - from), tall);
    pen.clip();
    pen.strokeStyle = "#b02a10";
    pen.lineWidth = 2;
    pen.beginPath();
    for (let x = from - tall; x < to; x += 6) { pen.moveTo(x, y + tall); pen.lineTo(x + tall, y); }
    pen.stroke();
    pen.restore();
  }

  drawMarks(pen, lane, top, height) {
    for (const [kind, track] of Object.entries(lane.marks)) {
      const marks = this.seen(track, 1);
      // Arrows that stand too close would hide the boxes; other marks are always shown.
      if ((kind === "arrival" || kind === "deadline") && marks.length > this.wide / CLOSEST_ARROWS) continue;
      pen.strokeStyle = pen.fillStyle = kind === "miss" || kind === "abort" ? this.colours.bad : kind === "budget" ? this.colours.accent : this.colours.ink;
      const y = this.mode === "task" ? top + 6 : top + height / 2;
      const draw = {
        arrival: (x) => this.arrow(pen, x, top + height - 3, top + 2),
        deadline: (x) => this.arrow(pen, x, top + 2, top + height - 2),
        miss: (x) => this.cross(pen, x, y),
        replenishment: (x) => { pen.lineWidth = 1.5; pen.strokeRect(x, top + 2, 0, 6); pen.strokeRect(x - 3, top + 5, 6, 0); },
        budget: (x) => this.diamond(pen, x, top + height / 2 + 2),
        handler: (x) => this.triangle(pen, x, y),
        abort: (x) => { pen.lineWidth = 2; pen.strokeRect(x - 3.5, y - 4.5, 7, 9); },
      }[kind];
      for (const mark of marks) draw(Math.round(this.x(mark.start)) + 0.5);
    }
  }

  diamond(pen, x, y) {
    pen.beginPath();
    for (const [dx, dy] of [[0, -5], [5, 0], [0, 5], [-5, 0]]) pen.lineTo(x + dx, y + dy);
    pen.fill();
  }

  triangle(pen, x, y) {
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const [dx, dy] of [[-4, -3], [4, -3], [0, 4], [-4, -3]]) pen.lineTo(x + dx, y + dy);
    pen.stroke();
  }

  arrow(pen, x, tail, head) {
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, tail);
    pen.lineTo(x, head);
    pen.stroke();
    const back = head > tail ? -5 : 5;
    pen.beginPath();
    pen.moveTo(x, head);
    pen.lineTo(x - 3, head + back);
    pen.lineTo(x + 3, head + back);
    pen.fill();
  }

  cross(pen, x, y) {
    pen.lineWidth = 2.5;
    pen.beginPath();
    for (const side of [-1, 1]) { pen.moveTo(x - 4.5, y - 4.5 * side); pen.lineTo(x + 4.5, y + 4.5 * side); }
    pen.stroke();
  }

  drawOverview() {
    const pen = prepare(this.overview, this.width, OVERVIEW_HEIGHT), { begin, end } = this.model;
    const wide = this.width - this.gutter;
    const place = (ns) => this.gutter + (ns - begin) / (end - begin) * wide;
    this.box(pen, this.gutter, 0, wide, OVERVIEW_HEIGHT, this.colours.panel);
    pen.globalAlpha = 0.45;
    this.box(pen, place(this.from), 0, Math.max(4, place(this.to) - place(this.from)), OVERVIEW_HEIGHT, this.colours.accent);
    pen.globalAlpha = 1;
    pen.fillStyle = this.colours.bad;
    let last = -1;
    for (const at of this.model.misses) {
      if (place(at) - last < 0.5) continue;
      last = place(at);
      pen.fillRect(last - 0.75, 2, 1.5, OVERVIEW_HEIGHT - 4);
    }
    const differs = this.comparison.differs_at_ns;
    if (differs !== undefined && differs !== null) this.box(pen, place(differs) - 1.5, 0, 3, OVERVIEW_HEIGHT, this.colours.ink);
  }
}

function prepare(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "12px system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif";
  return pen;
}

// Cuts a text to a width; a text that would have less than three letters becomes empty.
function shorten(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let cut = text.length;
  while (cut > 0 && pen.measureText(`${text.slice(0, cut)}…`).width > width) cut -= 1;
  return cut < 3 ? "" : `${text.slice(0, cut)}…`;
}
