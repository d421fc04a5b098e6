// The drawn schedule: lanes by processor or by task, zoomed and panned with mouse, fingers or keys.
// A canvas, because a schedule has tens of thousands of segments; each frame draws the visible ones only.

const AXIS_HEIGHT = 26, OVERVIEW_HEIGHT = 16;
const SHORTEST_WINDOW_NS = 1000;
const LANE_HEIGHT = { processor: 38, task: 26 };
// Below a task's lane, for the windows of its subtasks: two rows, since windows in succession may overlap.
const WINDOWS_HEIGHT = 14;

class Timeline {
  constructor(container, comparison, row) {
    this.comparison = comparison;
    this.model = scheduleModel(comparison, row);
    this.mode = "processor";
    this.selected = null;
    this.pointers = new Map();
    this.build(container);
    this.fitted = false;
    new ResizeObserver(() => this.resize()).observe(this.frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  build(container) {
    const button = (label, words, act) => element("button", { type: "button", "aria-label": words, title: words, onclick: act }, label);
    this.modes = ["processor", "task"].map((mode) => element("button", { type: "button", "data-mode": mode, onclick: () => this.setMode(mode) }, `by ${mode}`));
    const tools = element("div", { class: "tools" },
      element("span", { class: "group" }, ...this.modes),
      element("span", { class: "group" }, button("−", "zoom out", () => this.zoom(2)), button("+", "zoom in", () => this.zoom(0.5)), button("fit", "show all", () => this.setWindow(0, this.model.end))),
      element("span", { class: "group" }, button("◀", "earlier", () => this.pan(-0.5)), button("▶", "later", () => this.pan(0.5))),
      element("span", { class: "hint" }, matchMedia("(pointer: coarse)").matches ? "swipe to move, pinch to zoom, tap a job" : "drag to move, Ctrl + wheel to zoom, click a job"));
    this.axis = element("canvas", { "aria-hidden": "true" });
    this.canvas = element("canvas", { tabindex: 0, role: "img" });
    this.lanes = element("div", { class: "lanes" }, this.canvas);
    this.overview = element("canvas", { class: "overview", "aria-hidden": "true" });
    this.tip = element("div", { class: "tip", hidden: "" });
    this.picked = element("div", { class: "picked", role: "status", hidden: "" });
    this.frame = element("div", { class: "frame" }, this.axis, this.lanes, this.overview, this.tip);
    this.legend = element("p", { class: "legend" });
    container.replaceChildren(tools, this.frame, this.picked, this.legend);
    this.listen();
    this.setMode(this.mode);
  }

  // ---- the visible window ----

  resize() {
    const width = this.frame.clientWidth;
    if (!width) return;
    this.width = width;
    this.measureGutter();
    if (!this.fitted) {
      this.fitted = true;
      this.setWindow(0, firstWindow(this.model, width - this.gutter));
    } else this.redraw();
  }

  // As wide as the longest label, but never at the cost of the schedule.
  measureGutter() {
    const pen = prepare(this.axis, this.width, AXIS_HEIGHT);
    const longest = Math.max(...this.rows.map((lane) => pen.measureText(lane.name).width));
    this.gutter = Math.ceil(Math.min(longest + 16, 0.26 * this.width, 190));
  }

  setWindow(from, to) {
    const span = Math.min(this.model.end, Math.max(SHORTEST_WINDOW_NS, to - from));
    this.from = Math.min(Math.max(0, from), this.model.end - span);
    this.to = this.from + span;
    this.redraw();
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    const span = Math.min(this.model.end, Math.max(SHORTEST_WINDOW_NS, (this.to - this.from) * factor));
    const share = (around - this.from) / (this.to - this.from);
    this.setWindow(around - share * span, around + (1 - share) * span);
  }

  pan(share) {
    const shift = share * (this.to - this.from);
    this.setWindow(this.from + shift, this.to + shift);
  }

  setMode(mode) {
    this.mode = mode;
    this.rows = mode === "processor" ? this.model.processors : this.model.tasks;
    for (const button of this.modes) button.setAttribute("aria-pressed", button.dataset.mode === mode);
    this.canvas.setAttribute("aria-label", `schedule of ${this.model.jobs.size} jobs by ${mode}; arrow keys move, plus and minus zoom, 0 shows all`);
    this.legend.replaceChildren(...timelineLegend(mode, this.model));
    this.hideTip();
    if (this.width) this.measureGutter();
    this.reveal = true;
    this.redraw();
  }

  // After a change of lanes, scroll to the chosen job.
  revealSelected() {
    this.reveal = false;
    const lane = this.rows.findIndex((row) => row.segments.some((item) => jobKey(item.task, item.job) === this.selected));
    if (lane >= 0) this.lanes.scrollTop = (lane - 2) * this.laneHeight();
  }

  x(ns) { return this.gutter + (ns - this.from) / (this.to - this.from) * (this.width - this.gutter); }
  at(x) { return this.from + (x - this.gutter) / (this.width - this.gutter) * (this.to - this.from); }

  // ---- hands ----

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.lift(event));
    canvas.addEventListener("pointerleave", () => this.hideTip());
    canvas.addEventListener("keydown", (event) => this.key(event));
    const seek = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const span = this.to - this.from;
      const middle = (event.offsetX - this.gutter) / (this.width - this.gutter) * this.model.end;
      this.setWindow(middle - span / 2, middle + span / 2);
    };
    this.overview.addEventListener("pointerdown", seek);
    this.overview.addEventListener("pointermove", seek);
  }

  wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 100), this.at(event.offsetX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan((event.deltaX || event.deltaY) / (this.width - this.gutter));
    }
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event.offsetX);
    if (this.pointers.size === 1) this.pressed = { x: event.clientX, y: event.clientY, moved: false };
    else this.pressed.moved = true;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType === "mouse") this.showTip(this.find(event.offsetX, event.offsetY), event);
      return;
    }
    if (Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) > 5) this.pressed.moved = true;
    if (!this.pressed.moved) return;
    this.hideTip();
    this.canvas.classList.add("dragging");
    if (this.pointers.size === 1) this.pan((before - event.offsetX) / (this.width - this.gutter));
    else this.pinch(event, before);
    this.pointers.set(event.pointerId, event.offsetX);
  }

  pinch(event, before) {
    const [, other] = [...this.pointers].find(([id]) => id !== event.pointerId);
    const was = Math.max(8, Math.abs(before - other)), is = Math.max(8, Math.abs(event.offsetX - other));
    this.zoom(was / is, this.at(other));
  }

  lift(event) {
    const pressed = this.pressed;
    this.pointers.delete(event.pointerId);
    if (!this.pointers.size) this.canvas.classList.remove("dragging");
    if (event.type === "pointerup" && pressed && !pressed.moved) this.choose(this.find(event.offsetX, event.offsetY));
  }

  key(event) {
    const acts = { ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      0: () => this.setWindow(0, this.model.end), Escape: () => this.choose(null) };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  }

  // A chosen job is highlighted wherever it runs, and described below the picture, where a finger hides nothing.
  choose(found) {
    this.selected = found && found.task !== undefined ? jobKey(found.task, found.job) : null;
    this.picked.hidden = !found;
    if (found) this.picked.replaceChildren(...description(found, this.model, this.comparison));
    this.redraw();
  }

  // The segment or miss under a point, with some tolerance for fingers and hair-thin segments.
  find(x, y) {
    const lane = this.rows[Math.floor(y / this.laneHeight())];
    if (!lane || x < this.gutter) return null;
    const at = this.at(x), slack = 3 * (this.to - this.from) / (this.width - this.gutter);
    const near = (list) => list.filter((item) => item.start - slack <= at && at <= item.end + slack);
    const distance = (item) => Math.max(item.start - at, at - item.end, 0);
    return [...near(lane.segments), ...near(lane.marks)].sort((a, b) => distance(a) - distance(b))[0] ?? null;
  }

  showTip(found, event) {
    if (!found) return this.hideTip();
    this.tip.replaceChildren(...description(found, this.model, this.comparison));
    this.tip.hidden = false;
    const frame = this.frame.getBoundingClientRect();
    const x = event.clientX - frame.left, y = event.clientY - frame.top;
    this.tip.style.left = `${Math.max(4, Math.min(x + 14, frame.width - this.tip.offsetWidth - 6))}px`;
    const below = y + 18;
    this.tip.style.top = `${below + this.tip.offsetHeight < frame.height ? below : Math.max(4, y - this.tip.offsetHeight - 12)}px`;
  }

  hideTip() { this.tip.hidden = true; }

  // ---- drawing ----

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
    });
  }

  drawAxis() {
    const pen = prepare(this.axis, this.width, AXIS_HEIGHT);
    const span = this.to - this.from;
    const unit = [{ size: 1e9, name: "s" }, { size: 1e6, name: "ms" }, { size: 1e3, name: "µs" }].find(({ size }) => span >= 2 * size) ?? { size: 1e3, name: "µs" };
    const { step, found } = ticks(this.from, this.to, this.width - this.gutter, 78);
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

  laneHeight() { return LANE_HEIGHT[this.mode] + (this.hasWindows() ? WINDOWS_HEIGHT : 0); }

  drawLanes() {
    const whole = this.laneHeight(), height = LANE_HEIGHT[this.mode];
    const pen = prepare(this.canvas, this.width, whole * this.rows.length);
    this.rows.forEach((lane, number) => {
      const top = number * whole;
      pen.save();
      pen.beginPath();
      pen.rect(this.gutter, top, this.width - this.gutter, whole);
      pen.clip();
      if (number % 2) this.box(pen, this.gutter, top, this.width, whole, this.colours.panel);
      pen.fillStyle = this.colours.line;
      for (const at of this.grid) pen.fillRect(Math.round(this.x(at)), top, 1, whole);
      for (const segment of visible(lane.segments, this.from, this.to)) this.drawSegment(pen, segment, lane, top, height);
      this.drawBars(pen, lane, top, height);
      visible(lane.windows, this.from, this.to).forEach((item) => this.drawWindow(pen, item, top + height));
      this.drawMarks(pen, lane, top, height);
      pen.restore();
      this.drawLabel(pen, lane, top, whole, number);
    });
  }

  drawBars(pen, lane, top, height) {
    for (const bar of visibleBars(lane.bars, this.from, this.to)) {
      pen.globalAlpha = this.selected && this.selected !== jobKey(bar.task, bar.job) ? 0.25 : 1;
      drawBar(pen, bar, this.x(bar.start), this.x(bar.end), top + height - 3, height - 11, this.colours);
    }
    pen.globalAlpha = 1;
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
    const x = this.x(segment.start), width = Math.max(0.7, this.x(segment.end) - x);
    const inset = this.mode === "task" ? 8 : 5;
    const y = top + inset, tall = height - inset - 3;
    if (segment.overhead) return this.box(pen, x, y, width, tall, this.colours.dim);
    if (segment.wasted) return this.box(pen, x, y + tall / 3, width, tall / 3, this.colours.line);
    const other = this.selected && this.selected !== jobKey(segment.task, segment.job);
    pen.globalAlpha = other ? 0.25 : 1;
    this.box(pen, x, y, width, tall, fillOf(segment.task));
    this.drawLate(pen, segment, y, tall);
    if (width > 6) {
      pen.strokeStyle = this.selected && !other ? this.colours.ink : "rgb(0 0 0 / .45)";
      pen.lineWidth = this.selected && !other ? 2 : 1;
      pen.strokeRect(x + 0.5, y + 0.5, width - 1, tall - 1);
    }
    if (width > 26) this.drawSegmentText(pen, segment, x, y, width, tall);
    pen.globalAlpha = 1;
  }

  drawSegmentText(pen, segment, x, y, width, tall) {
    const label = this.mode === "task" ? `${segment.job}` : `${this.comparison.tasks[segment.task].name} ${segment.job}`;
    const from = Math.max(x, this.gutter), to = Math.min(x + width, this.width);
    if (to - from < 24) return;
    pen.fillStyle = "#14171b";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(shorten(pen, label, to - from - 6), (from + to) / 2, y + tall / 2 + 0.5);
  }

  // The window of a subtask, a pale bar with an upright at each end; those in succession stand in two rows.
  drawWindow(pen, item, top) {
    const y = top + (item.nth % 2 ? 6 : 0), tall = 5;
    const from = this.x(item.start), to = Math.max(from + 2, this.x(item.end));
    pen.globalAlpha = 0.45;
    this.box(pen, from, y, to - from, tall, fillOf(item.task));
    pen.globalAlpha = 1;
    for (const x of [from, to - 1]) this.box(pen, Math.round(x), y, 1, tall, this.colours.ink);
  }

  // What runs past the absolute deadline is hatched.
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
    const marks = visible(lane.marks, this.from, this.to);
    const crowded = marks.length > (this.width - this.gutter) / 5;
    for (const mark of marks) {
      const x = Math.round(this.x(mark.start)) + 0.5;
      pen.strokeStyle = pen.fillStyle = mark.kind === "miss" ? this.colours.bad : this.colours.ink;
      if (mark.kind === "arrival") this.arrow(pen, x, top + height - 3, top + 2, crowded);
      if (mark.kind === "deadline") this.arrow(pen, x, top + 2, top + height - 2, crowded);
      if (mark.kind === "miss") this.cross(pen, x, this.mode === "task" ? top + 6 : top + height / 2);
    }
  }

  arrow(pen, x, tail, head, crowded) {
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, tail);
    pen.lineTo(x, head);
    pen.stroke();
    if (crowded) return;
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
    const pen = prepare(this.overview, this.width, OVERVIEW_HEIGHT);
    const wide = this.width - this.gutter;
    const place = (ns) => this.gutter + ns / this.model.end * wide;
    this.box(pen, this.gutter, 0, wide, OVERVIEW_HEIGHT, this.colours.panel);
    pen.globalAlpha = 0.45;
    this.box(pen, place(this.from), 0, Math.max(4, place(this.to) - place(this.from)), OVERVIEW_HEIGHT, this.colours.accent);
    pen.globalAlpha = 1;
    pen.fillStyle = this.colours.bad;
    for (const at of this.model.misses) pen.fillRect(place(at) - 0.75, 2, 1.5, OVERVIEW_HEIGHT - 4);
  }
}

// ---- the data of one schedule, indexed for drawing ----

const jobKey = (task, job) => `${task}:${job}`;

function scheduleModel(comparison, row) {
  const given = row.schedule;
  const jobs = new Map();
  const note = (task, job, facts) => jobs.set(jobKey(task, job), Object.assign(jobs.get(jobKey(task, job)) ?? {}, facts));
  for (const [task, job, at] of given.arrivals) note(task, job, { arrival: at });
  for (const [task, job, at] of given.deadlines) note(task, job, { deadline: at });
  for (const [task, job, at] of given.completions) note(task, job, { completion: at });
  const mark = (kind) => ([task, job, at]) => ({ kind, task, job, start: at, end: at });
  const marks = [...given.arrivals.map(mark("arrival")), ...given.deadlines.map(mark("deadline")), ...given.misses.map(mark("miss"))];
  const segments = given.segments.map(([cpu, task, job, start, end]) => ({ cpu, task, job, start, end }));
  const overheads = (given.overheads ?? []).map(([cpu, kind, start, end]) => ({ cpu, overhead: kind, start, end }));
  const wastes = (given.wastes ?? []).map(([cpu, start, end]) => ({ cpu, wasted: true, start, end }));
  const windows = (given.subtasks ?? []).map(([task, job, start, end]) => ({ task, job, start, end }));
  const bars = sharing(given, segments);
  const onCpus = [...segments, ...overheads, ...wastes];
  const processors = Array.from({ length: comparison.processors }, (_, cpu) => lane(`cpu ${cpu}`, onCpus.filter((item) => item.cpu === cpu), [], [], bars.filter((bar) => bar.cpu === cpu)));
  const misses = marks.filter((item) => item.kind === "miss");
  if (misses.length) processors.push(lane("missed", [], misses));
  const tasks = comparison.tasks.map((task) => {
    const own = (list) => list.filter((item) => item.task === task.index);
    return lane(task.name, own(segments), own(marks), own(windows), own(bars));
  });
  const end = Math.max(comparison.drawn_until_ns, 1);
  return { jobs, processors, tasks, end, bars, misses: misses.map((item) => item.start), overheads: overheads.length > 0, wastes: wastes.length > 0, windows: windows.length > 0, segments: segments.length };
}

function lane(name, segments, marks, windows = [], bars = []) {
  const byTime = (a, b) => a.start - b.start;
  windows.sort(byTime).forEach((item, nth) => Object.assign(item, { nth }));
  return { name, segments: segments.sort(byTime), marks: marks.sort(byTime), windows, bars };
}

// Segments of a lane do not overlap, so both their starts and their ends are in order.
function visible(list, from, to) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].end < from) low = middle + 1; else high = middle;
  }
  let stop = low;
  while (stop < list.length && list[stop].start <= to) stop += 1;
  return list.slice(low, stop);
}

// At first, show about as many segments per lane as can carry a label.
function firstWindow(model, width) {
  const perLane = Math.max(1, model.segments / model.processors.length);
  return Math.min(model.end, model.end * Math.max(4, width / 42) / perLane);
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

// A text cut to a width; less than three letters say nothing.
function shorten(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let cut = text.length;
  while (cut > 0 && pen.measureText(`${text.slice(0, cut)}…`).width > width) cut -= 1;
  return cut < 3 ? "" : `${text.slice(0, cut)}…`;
}

// A heading and a list of facts about a segment or a mark.
function description(found, model, comparison) {
  const exact = (ns) => instant(ns, MILLISECONDS);
  const where = (item) => `cpu ${item.cpu}, ${exact(item.start)} to ${exact(item.end)} (${duration(item.end - item.start)})`;
  if (found.overhead) {
    return [element("b", {}, `overhead: ${found.overhead.replaceAll("_", " ")}`), element("ul", {}, element("li", {}, where(found)))];
  }
  if (found.wasted) {
    return [element("b", {}, "wasted: the rest of a quantum"), element("ul", {}, element("li", {}, where(found)))];
  }
  const facts = model.jobs.get(jobKey(found.task, found.job)) ?? {};
  const lines = [];
  if (found.cpu !== undefined) lines.push(`runs on ${where(found)}`);
  lines.push(...sharingLines(found, model.bars, comparison));
  if (facts.arrival !== undefined) lines.push(`arrival ${exact(facts.arrival)}`);
  if (facts.deadline !== undefined) lines.push(`deadline ${exact(facts.deadline)}`);
  if (facts.completion !== undefined) {
    lines.push(`completion ${exact(facts.completion)}`);
    if (facts.arrival !== undefined) lines.push(`response time ${duration(facts.completion - facts.arrival)}`);
    if (facts.deadline !== undefined && facts.completion > facts.deadline) lines.push(`tardiness ${duration(facts.completion - facts.deadline)}`);
  } else lines.push("not complete within what is drawn");
  const heading = element("b", {}, `${comparison.tasks[found.task].name}, job ${found.job}`);
  return [heading, ` T${found.task}J${found.job}`, element("ul", {}, ...lines.map((line) => element("li", {}, line)))];
}

function timelineLegend(mode, model) {
  const item = (words, ...shapes) => element("span", {}, svg("svg", { viewBox: "0 0 18 16", "aria-hidden": "true" }, ...shapes), words);
  const late = item("runs past its deadline", svg("rect", { y: 2, width: 18, height: 12, fill: FILLS[0] }), svg("path", { d: "M0 14 L12 2 M6 14 L18 2", stroke: "#b02a10", "stroke-width": 2 }));
  const miss = item("missed deadline", svg("path", { d: "M4 3 L14 13 M14 3 L4 13", stroke: "var(--bad)", "stroke-width": 2.5 }));
  const up = item("arrival", svg("path", { d: "M9 15 V5", stroke: "var(--ink)" }), svg("path", { d: "M9 1 L6 6 H12 Z", fill: "var(--ink)" }));
  const down = item("deadline", svg("path", { d: "M9 1 V11", stroke: "var(--ink)" }), svg("path", { d: "M9 15 L6 10 H12 Z", fill: "var(--ink)" }));
  const overhead = item("overhead", svg("rect", { y: 2, width: 18, height: 12, fill: "var(--dim)" }));
  const wasted = item("wasted", svg("rect", { y: 6, width: 18, height: 4, fill: "var(--line)" }));
  const window = item("window of a subtask", svg("rect", { y: 6, width: 18, height: 5, fill: FILLS[0], opacity: 0.45 }), svg("path", { d: "M0.5 6 V11 M17.5 6 V11", stroke: "var(--ink)" }));
  const ofTasks = [up, down, ...(model.windows ? [window] : [])];
  const ofProcessors = [...(model.overheads ? [overhead] : []), ...(model.wastes ? [wasted] : [])];
  const bars = mode === "task" ? model.bars : model.bars.filter((bar) => bar.cpu !== undefined);
  const shown = [...(mode === "task" ? ofTasks : ofProcessors), ...sharingLegend(bars, item)];
  return model.misses.length ? [...shown, miss, late] : shown;
}
