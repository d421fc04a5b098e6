// A panel shows what follows from the scenario under one scheduler: the verdict, the schedule, the proofs.

class Panel {
  constructor(bench, column) {
    Object.assign(this, { bench, column, timeline: null, answered: {} });
    this.heading = element("h2", { id: `panel-${column}` });
    this.busy = element("span", { class: "busy", role: "status" });
    this.aged = element("span", { class: "aged", hidden: "" }, "older than the page");
    this.chip = element("span", { class: "answer" });
    this.reason = element("span", { class: "reason" });
    this.verdict = element("div", {});
    this.seen = element("p", { class: "seen" });
    this.drawing = element("div", { class: "timeline" });
    this.section = element("section", { class: "panel guarantee", "aria-labelledby": `panel-${column}` },
      element("div", { class: "panel-head" }, this.heading, this.chip, this.seen, this.aged, this.busy, this.reason), this.drawing);
    this.proofHead = element("h3", {});
    this.proofs = element("div", {});
    this.proofSection = element("div", { class: "guarantee proof" }, this.proofHead, this.verdict, this.proofs);
    const hears = (part, answer) => ({
      answer: (found) => { this.answered[part] = found; answer(found); bench.took(); },
      refused: (error) => { if (error.state && error.kind === "conflict") bench.takes(error.state); this.fail(part, error.message, error.kind); },
      computing: (is) => this.computing(part, is),
    });
    this.askers = {
      schedule: new Asker("schedule", hears("schedule", (found) => this.showSchedule(found))),
      proof: new Asker("proof", hears("proof", (found) => this.showProof(found))),
    };
  }

  // The scheduler of this panel; null is the scenario's own.
  get scheduler() { return this.column === 0 ? null : this.bench.view.beside; }

  ask(parts, isUrgent) {
    const { bench } = this;
    this.heading.textContent = this.proofHead.textContent = `Under ${this.scheduler ?? bench.schedulerShown()}`;
    const common = { version: bench.state.version, changes: bench.changes, window: WINDOW, column: this.column, scheduler: this.scheduler };
    if (parts.includes("schedule")) this.askers.schedule.ask({ ...common, until_ns: bench.view.until }, isUrgent);
    if (parts.includes("proof")) this.askers.proof.ask({ ...common, task: bench.view.task }, isUrgent);
  }

  // Marks what is shown as older than the numbers beside it.
  computing(part, is) {
    for (const place of part === "schedule" ? [this.seen, this.drawing] : [this.chip, this.reason, this.verdict, this.proofs]) {
      place.classList.toggle("stale", is);
      place.setAttribute("aria-busy", is);
    }
    this.waits = { ...this.waits, [part]: is };
    clearTimeout(this.telling);
    const told = Object.values(this.waits).some(Boolean) ? "computing …" : "";
    // Answers of a moment need no word.
    if (told) this.telling = setTimeout(() => { this.busy.textContent = told; }, 250); else this.busy.textContent = "";
    this.isComputing = told !== "";
    this.bench.mark();
  }

  fail(part, told, kind) {
    if (kind === "gone") return this.bench.isGone(true);
    if (part === "schedule") {
      this.drawing.hidden = true;
      this.seen.replaceChildren(element("b", {}, "no schedule: "), told);
      this.late = "no schedule";
      this.bench.sums();
      return;
    }
    this.chip.replaceChildren(element("span", { class: "chip unknown" }, "no answer"));
    this.verdict.replaceChildren(element("p", { class: "warning" }, told));
    this.reason.textContent = told;
    this.bench.sums();
    this.proofs.replaceChildren();
  }

  showSchedule(found) {
    this.drawing.hidden = false;
    const late = found.misses ? element("b", { class: "bad" }, `${found.misses} of ${found.jobs} jobs late`) : element("span", {}, `none of ${found.jobs} jobs late`);
    this.late = late.textContent;
    const facts = [`${found.preemptions} preemptions`, `${found.migrations} migrations`, ...(found.aborts ? [`${found.aborts} given up`] : [])];
    this.seen.replaceChildren(`simulated ${duration(found.horizon_ns)}: `, late, `, ${facts.join(", ")}`,
      ...found.deadlocks.map((text) => element("b", { class: "bad" }, `; ${text}`)));
    if (this.timeline) {
      this.timeline.heights = this.heights(found);
      this.timeline.show(found.trace, found);
    } else {
      const { view } = this.bench;
      const trace = { ...found.trace, mode: view.mode ?? "task" };
      this.timeline = new Timeline(this.drawing, trace, found, this.bench.timelines);
      this.timeline.heights = this.heights(found);
      this.timeline.onChoose = (task) => this.bench.chooseTask(task);
      this.handles = new Handles(this.timeline, this.bench);
    }
    this.bench.drew();
    this.bench.sums();
  }

  // Lanes of tasks have room for three handles above each other, and less room if they are many.
  heights({ trace }) { return { ...LANE_HEIGHT, task: trace.tasks.length > 8 ? 36 : 45 }; }

  showProof(found) {
    const open = new Map([...this.proofs.querySelectorAll("details")].map((one) => [one.querySelector("b")?.textContent, one.open]));
    // The server escapes names: the same templates make the page of schedlab analyze.
    this.verdict.innerHTML = found.verdict;
    this.chip.replaceChildren(this.verdict.querySelector(".chip").cloneNode(true));
    // The verdict's sentence, without its chip.
    this.reason.textContent = [...this.verdict.querySelector(".verdict").childNodes].slice(1).map((node) => node.textContent).join("").trim();
    this.bench.sums();
    this.proofs.innerHTML = found.proofs;
    for (const one of this.proofs.querySelectorAll("details")) {
      const was = open.get(one.querySelector("b")?.textContent);
      if (was !== undefined) one.open = was;
    }
  }

  close() {
    for (const asker of Object.values(this.askers)) { asker.next = null; asker.running?.abort(); asker.running = null; }
    if (this.timeline) this.bench.timelines.splice(this.bench.timelines.indexOf(this.timeline), 1);
    this.section.remove();
    this.proofSection.remove();
  }
}
