// The drawn schedule: lanes by processor or by task, zoomed and panned with mouse, fingers or keys.
// The painter draws it; this file handles the input.

const SHORTEST_WINDOW_NS = 1000;

class Timeline extends Painter {
  // Timelines with the same list `beside` change together: the window, the lanes and the chosen job. The first of them
  // has the controls for all.
  constructor(container, comparison, row, beside = []) {
    super();
    this.beside = beside;
    beside.push(this);
    this.comparison = comparison;
    this.model = scheduleModel(comparison, row);
    this.mode = comparison.mode ?? "processor";
    this.selected = null;
    this.pointers = new Map();
    this.build(container);
    this.fitted = false;
    new ResizeObserver(() => this.resize()).observe(this.frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  // Returns the controls of this timeline and those beside it.
  tools() {
    const button = (label, words, act) => element("button", { type: "button", "aria-label": words, title: words, onclick: act }, label);
    this.modes = ["processor", "task"].map((mode) => element("button", { type: "button", "data-mode": mode, onclick: () => this.setMode(mode) }, `by ${mode}`));
    this.toMisses = element("span", { class: "group" }, button("next miss", "the next missed deadline", () => this.nextMiss()));
    const tools = element("div", { class: "tools" },
      element("span", { class: "group" }, ...this.modes),
      element("span", { class: "group" }, button("−", "zoom out", () => this.zoom(2)), button("+", "zoom in", () => this.zoom(0.5)), button("fit", "show all", () => this.setWindow(this.model.begin, this.model.end))),
      element("span", { class: "group" }, button("◀", "earlier", () => this.pan(-0.5)), button("▶", "later", () => this.pan(0.5))),
      this.toMisses,
      element("span", { class: "hint" }, matchMedia("(pointer: coarse)").matches ? "swipe to move, pinch to zoom, tap a job" : "drag to move, Ctrl + wheel to zoom, click a job"));
    this.markMode();
    return tools;
  }

  markMode() {
    for (const button of this.modes ?? []) button.setAttribute("aria-pressed", button.dataset.mode === this.mode);
    if (this.toMisses) this.toMisses.hidden = !this.beside.some(({ model }) => model.misses.length);
  }

  build(container) {
    this.axis = element("canvas", { "aria-hidden": "true" });
    this.canvas = element("canvas", { tabindex: 0, role: "img" });
    this.rest = element("div");
    this.lanes = element("div", { class: "lanes" }, this.canvas, this.rest);
    this.lanes.addEventListener("scroll", () => this.redraw());
    this.overview = element("canvas", { class: "overview", "aria-hidden": "true" });
    this.tip = element("div", { class: "tip", hidden: "" });
    this.picked = element("div", { class: "picked", role: "status", hidden: "" });
    this.frame = element("div", { class: "frame" }, this.axis, this.lanes, this.overview, this.tip);
    this.legend = element("p", { class: "legend" });
    container.replaceChildren(this.frame, this.picked, this.legend);
    this.listen();
    this.placeLanes(this.mode);
  }

  // Shows another schedule, in the same window and lanes, with the same job chosen; of all, if all was shown.
  show(comparison, row) {
    const all = this.fitted && this.from <= this.model.begin && this.to >= this.model.end;
    this.comparison = comparison;
    this.model = scheduleModel(comparison, row);
    this.placeLanes(this.mode);
    this.reveal = false;
    for (const timeline of this.beside) timeline.markMode();
    if (this.fitted) this.placeWindow(...(all ? [this.model.begin, this.model.end] : [this.from, this.to]));
  }

  // ---- the visible window ----

  resize() {
    const width = this.frame.clientWidth;
    if (!width) return;
    this.width = width;
    this.measureGutter();
    if (!this.fitted) {
      this.fitted = true;
      // Timelines beside each other begin with one window, so that instants stand below each other.
      const other = this.beside.find((timeline) => timeline.fitted && timeline !== this);
      const [from, to] = this.wanted ?? (other ? [other.from, other.to] : [this.model.begin, firstWindow(this.model, this.wide)]);
      this.placeWindow(from, to);
    } else this.redraw();
  }

  // Makes the margin as wide as the longest label, up to a limit that leaves room for the schedule.
  measureGutter() {
    const pen = prepare(this.axis, this.width, AXIS_HEIGHT);
    const labels = this.beside.flatMap((timeline) => timeline.rows.map((lane) => lane.name));
    const longest = labels.reduce((most, label) => Math.max(most, pen.measureText(label).width), 0);
    this.gutter = Math.ceil(Math.min(longest + 16, 0.26 * this.width, 190));
  }

  setWindow(from, to) {
    for (const timeline of this.beside) timeline.placeWindow(from, to);
  }

  placeWindow(from, to) {
    if (!this.fitted) this.wanted = [from, to];
    const { begin, end } = this.model;
    const span = Math.min(end - begin, Math.max(SHORTEST_WINDOW_NS, to - from));
    this.from = Math.min(Math.max(begin, from), end - span);
    this.to = this.from + span;
    this.redraw();
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    const { begin, end } = this.model;
    const span = Math.min(end - begin, Math.max(SHORTEST_WINDOW_NS, (this.to - this.from) * factor));
    const share = (around - this.from) / (this.to - this.from);
    this.setWindow(around - share * span, around + (1 - share) * span);
  }

  // Moves to the first miss after the middle of the window, or else to the first of all.
  nextMiss() {
    const misses = this.beside.flatMap(({ model }) => model.misses).sort((a, b) => a - b);
    const middle = (this.from + this.to) / 2, half = (this.to - this.from) / 2;
    const at = misses.find((miss) => miss > middle + 1) ?? misses[0];
    this.setWindow(at - half, at + half);
  }

  // Shows an instant and the time around it, in a window as long as the first one of a page.
  showAround(at) {
    const half = (firstWindow(this.model, 1000) - this.model.begin) / 2;
    this.setWindow(at - half, at + half);
  }

  // Shows a job from its arrival to its end, with as much around it, and chooses it; false if it is not drawn.
  goTo(task, job) {
    const facts = this.model.jobs.get(jobKey(task, job));
    const [segment] = this.model.byJob.get(jobKey(task, job)) ?? [];
    if (!facts && !segment) return false;
    const ends = [facts?.arrival, facts?.completion ?? facts?.deadline, segment?.start, segment?.end].filter((at) => at !== undefined);
    const from = Math.min(...ends), to = Math.max(...ends), margin = Math.max(to - from, SHORTEST_WINDOW_NS) / 2;
    this.setWindow(from - margin, to + margin);
    this.choose(segment ?? { kind: "arrival", task, job, start: from, end: from });
    this.reveal = true;
    return true;
  }

  pan(share) {
    const shift = share * (this.to - this.from);
    this.setWindow(this.from + shift, this.to + shift);
  }

  setMode(mode) {
    for (const timeline of this.beside) timeline.placeLanes(mode);
  }

  placeLanes(mode) {
    this.mode = mode;
    this.rows = mode === "processor" ? this.model.processors : this.model.tasks;
    this.markMode();
    this.canvas.setAttribute("aria-label", `schedule of ${this.model.jobs.size} jobs by ${mode}; arrow keys move, plus and minus zoom, 0 shows all`);
    this.legend.replaceChildren(...timelineLegend(mode, this.model, this.comparison));
    this.hideTip();
    if (this.width) this.measureGutter();
    this.reveal = true;
    this.redraw();
  }

  // Scrolls to the chosen job after a change of lanes.
  revealSelected() {
    this.reveal = false;
    const [segment] = this.model.byJob.get(this.selected) ?? [];
    if (segment) this.lanes.scrollTop = ((this.mode === "task" ? segment.task : segment.cpu) - 2) * this.laneHeight();
  }

  // ---- input ----

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
      const { begin, end } = this.model;
      const middle = begin + (event.offsetX - this.gutter) / (this.width - this.gutter) * (end - begin);
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
      this.pan((event.deltaX || event.deltaY) / this.wide);
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
    if (this.pointers.size === 1) this.pan((before - event.offsetX) / this.wide);
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
      0: () => this.setWindow(this.model.begin, this.model.end), Escape: () => this.choose(null) };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  }

  // Highlights a job wherever it runs, and describes it below the picture, where a finger hides nothing.
  choose(found) {
    const selected = found && found.task !== undefined ? jobKey(found.task, found.job) : null;
    for (const timeline of this.beside) {
      timeline.selected = selected;
      timeline.redraw();
    }
    if (selected) this.onChoose?.(found.task);
    this.picked.hidden = !found;
    if (found) this.picked.replaceChildren(...description(found, this.model, this.comparison));
  }

  // The segment or miss under a point, with some tolerance for fingers and hair-thin segments.
  find(x, y) {
    const lane = this.rows[Math.floor((y + this.lanes.scrollTop) / this.laneHeight())];
    if (!lane || x < this.gutter) return null;
    const at = this.at(x), slack = this.grain(3);
    const distance = (item) => Math.max(item.start - at, at - item.end, 0);
    const near = [lane.segments, lane.levels, ...Object.values(lane.marks)].flatMap((track) => track.visible(at - slack, at + slack));
    return near.sort((a, b) => distance(a) - distance(b))[0] ?? null;
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
}
