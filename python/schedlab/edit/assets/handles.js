// Handles in the drawn schedule: sliders at the marks of a job that change what its task states.

// Pixels that a handle moves for one step of its value.
const PIXELS = 4;

class Handles {
  constructor(timeline, bench) {
    Object.assign(this, { timeline, bench, made: new Map(), dragged: null });
    this.layer = element("div", { class: "handles" });
    timeline.lanes.append(this.layer);
    timeline.afterDrawing = () => this.place();
  }

  // Places the handles of the tasks whose lanes are drawn; those of the chosen task can be reached by the keyboard.
  place() {
    const { timeline } = this, seen = new Set();
    if (timeline.mode === "task") {
      timeline.rows.forEach((lane, task) => {
        for (const spot of this.spots(lane, task)) {
          const handle = this.handle(task, spot.kind);
          seen.add(handle);
          this.put(handle, spot, task);
        }
      });
    }
    for (const handle of this.made.values()) handle.hidden = !seen.has(handle) && handle !== document.activeElement;
  }

  // The marks of the first job in view: where each is, and how often it counts the value on its way.
  spots(lane, task) {
    const { timeline } = this, row = this.bench.rowOf(task), arrivals = lane.marks.arrival, first = arrivals.first(timeline.from);
    const job = this.dragged?.task === task ? this.dragged.job : arrivals.items[first]?.job;
    if (!row || job === undefined) return [];
    const facts = timeline.model.jobs.get(jobKey(task, job)) ?? {}, next = timeline.model.jobs.get(jobKey(task, job + 1));
    const end = timeline.model.byJob.get(jobKey(task, job))?.at(-1)?.end;
    const found = [
      { kind: "wcet", at: row.fields.wcet.fixed ? undefined : end, times: 1 },
      { kind: "deadline", at: facts.deadline, times: 1 },
      { kind: "period", at: next?.arrival, times: job + 1 },
      { kind: "offset", at: job === 0 ? facts.arrival : undefined, times: 1 },
    ];
    return found.filter(({ at }) => at !== undefined && at <= timeline.to + timeline.grain(8)).map((spot) => ({ ...spot, job }));
  }

  handle(task, kind) {
    const key = `${task}/${kind}`;
    if (!this.made.has(key)) {
      const handle = element("div", { class: `handle ${kind}`, role: "slider", "aria-orientation": "horizontal", "aria-valuemin": 0 });
      handle.addEventListener("pointerdown", (event) => this.press(event, task, kind));
      handle.addEventListener("pointermove", (event) => this.move(event));
      for (const name of ["pointerup", "pointercancel"]) handle.addEventListener(name, (event) => this.lift(event));
      handle.addEventListener("keydown", (event) => this.key(event, task, kind));
      handle.addEventListener("focus", () => this.bench.chooseTask(task));
      this.made.set(key, handle);
      this.layer.append(handle);
    }
    return this.made.get(key);
  }

  put(handle, spot, task) {
    const { timeline } = this, ns = this.value(task, spot.kind), word = this.bench.words[spot.kind];
    const isChosen = this.bench.isChosen(task);
    const tall = timeline.boxesHeight(), top = task * timeline.laneHeight();
    handle.spot = spot;
    handle.style.left = `${Math.min(Math.max(timeline.x(spot.at), timeline.gutter), timeline.width)}px`;
    handle.style.top = `${top + { deadline: 0, wcet: tall / 3, period: tall * 2 / 3, offset: tall * 2 / 3 }[spot.kind]}px`;
    handle.style.height = `${tall / 3}px`;
    handle.tabIndex = isChosen ? 0 : -1;
    handle.classList.toggle("chosen", isChosen);
    const name = timeline.comparison.tasks[task].name;
    const told = { "aria-label": `${word} of ${name}`, "aria-valuenow": ns / 1e6, "aria-valuemax": Math.max(1, 10 * ns / 1e6), "aria-valuetext": exactDuration(ns), title: `${word} of ${name}: ${exactDuration(ns)}` };
    for (const [attribute, value] of Object.entries(told)) if (handle.getAttribute(attribute) !== String(value)) handle.setAttribute(attribute, value);
  }

  // The value that a handle stands for: the one that is on its way to the server, else the scenario's.
  value(task, kind) {
    return this.bench.wanted(task, kind) ?? this.bench.rowOf(task).fields[kind].ns;
  }

  // The step of values, in nanoseconds: a round one for the zoom; Shift is ten times finer.
  step(event) { return roundStep(this.timeline.grain(PIXELS / (event.shiftKey ? 10 : 1))); }

  // ---- pointer ----

  press(event, task, kind) {
    if (event.button) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    handle.focus({ preventScroll: true });
    const { job, times } = handle.spot;
    this.dragged = { task, kind, job, times, handle, x: event.clientX, from: this.value(task, kind), to: null };
    handle.classList.add("dragged");
  }

  move(event) {
    const { dragged, timeline } = this;
    if (!dragged) return;
    const by = timeline.grain(event.clientX - dragged.x) / dragged.times;
    const to = moved(dragged.from, by, this.step(event), dragged.kind);
    if (to === dragged.to || (dragged.to === null && Math.abs(event.clientX - dragged.x) < PIXELS / 2)) return;
    dragged.to = to;
    this.bench.preview(dragged.task, dragged.kind, to);
    timeline.redraw();
  }

  lift(event) {
    const { dragged } = this;
    if (!dragged) return;
    this.dragged = null;
    dragged.handle.classList.remove("dragged");
    if (event.type === "pointerup" && dragged.to !== null && dragged.to !== dragged.from) this.bench.set(dragged.task, dragged.kind, dragged.to);
    else this.bench.dropPreview();
  }

  // ---- keyboard ----

  key(event, task, kind) {
    if (event.key === "Escape" && this.dragged) return this.lift(event);
    const step = this.step(event), from = this.value(task, kind);
    const by = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step, PageUp: 10 * step, PageDown: -10 * step }[event.key];
    if ((by === undefined && event.key !== "Home") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const value = event.key === "Home" ? Math.min(from, kind === "offset" ? 0 : step) : moved(from, by, step, kind);
    if (value !== from) this.bench.set(task, kind, value, `keys ${this.bench.rowOf(task).path} ${kind}`);
  }
}
