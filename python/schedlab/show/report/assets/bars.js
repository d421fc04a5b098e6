// Per task: the largest observed response time as a bar inside its bound, both as shares of the relative
// deadline, so that one line marks the deadline of all tasks.

const ROWS_AT_FIRST = matchMedia("(max-width: 46rem)").matches ? 8 : 16;
const ORDERS = {
  "scenario's order": (a, b) => a.index - b.index,
  "closest to the deadline": (a, b) => b.share - a.share || a.index - b.index,
  "closest to the bound": (a, b) => b.ofBound - a.ofBound || a.index - b.index,
};

class Bars {
  constructor(container, comparison, row, choose) {
    this.container = container;
    this.choose = choose;
    this.order = Object.keys(ORDERS)[0];
    this.all = false;
    this.rows = row.tasks.map((observed) => barOf(observed, comparison.tasks[observed.index]));
    this.end = Math.min(4, Math.max(1.1, ...this.rows.flatMap((bar) => [bar.share, bar.bound ?? 0])) * 1.03);
    this.draw();
  }

  draw() {
    const sorted = [...this.rows].sort(ORDERS[this.order]);
    const shown = this.all ? sorted : sorted.slice(0, ROWS_AT_FIRST);
    const order = element("select", { "aria-label": "order of the tasks", onchange: (event) => { this.order = event.target.value; this.draw(); } });
    for (const name of Object.keys(ORDERS)) {
      const option = element("option", { value: name }, name);
      option.selected = name === this.order;
      order.append(option);
    }
    const children = [element("div", { class: "tools" }, element("label", {}, "order: ", order)), this.axis(), ...shown.map((bar) => this.row(bar))];
    if (shown.length < sorted.length) {
      children.push(element("p", {}, element("button", { type: "button", onclick: () => { this.all = true; this.draw(); } }, `Show all ${sorted.length} tasks`)));
    }
    this.container.replaceChildren(...children, barLegend());
    this.mark(this.chosen);
  }

  axis() {
    const picture = svg("svg", { "aria-hidden": "true" });
    const marks = this.end > 2.2 ? [0, 1, 2, 3, 4] : [0, 0.5, 1, 1.5, 2];
    for (const share of marks.filter((mark) => mark <= this.end)) {
      const anchor = share === 0 ? "start" : share > 0.93 * this.end ? "end" : "middle";
      picture.append(svg("text", { x: this.percent(share), y: 15, "text-anchor": anchor }, share === 1 ? "deadline" : share === 0 ? "0" : `${share}×`));
    }
    return element("div", { class: "row axis" }, element("span", {}, "task"), picture, element("span", { class: "numbers" }, "observed max and bound"));
  }

  row(bar) {
    const picture = svg("svg", { role: "img", "aria-label": bar.words });
    if (bar.bound !== null) {
      picture.append(svg("rect", { x: 0, y: "12%", width: this.percent(bar.bound), height: "76%", fill: "var(--bound-soft)", class: "within" }));
    }
    picture.append(svg("rect", { x: 0, y: "30%", width: this.percent(bar.share), height: "40%", fill: bar.misses ? "var(--bad)" : "var(--bar)", class: "observed" }));
    if (bar.mean !== null && bar.mean <= this.end) picture.append(this.line(bar.mean, "30%", "70%", { stroke: "var(--paper)", "stroke-width": 2 }));
    picture.append(this.line(1, 0, "100%", { stroke: "var(--deadline)", "stroke-dasharray": "3 3", "stroke-width": 1.5 }));
    if (bar.bound !== null) picture.append(this.line(bar.bound, "8%", "92%", { stroke: "var(--bound)", "stroke-width": 3, class: "bound" }));
    if (Math.max(bar.share, bar.bound ?? 0) > this.end) picture.append(svg("text", { class: "beyond", x: "99%", y: "66%", "text-anchor": "end" }, "»"));
    const made = element("div", { class: "row task", "data-task": bar.index, tabindex: 0, role: "button", "aria-label": `distribution of ${bar.name}` },
      element("span", { class: "name" }, bar.name, element("small", {}, bar.parameters)), picture, element("span", { class: "numbers" }, ...bar.numbers));
    made.addEventListener("click", () => this.choose(bar.index, true));
    made.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.choose(bar.index, true); } });
    return made;
  }

  line(share, y1, y2, attributes) {
    const x = this.percent(share);
    return svg("line", { x1: x, x2: x, y1, y2, ...attributes });
  }

  percent(share) {
    return `${(100 * Math.min(share, this.end) / this.end).toFixed(3)}%`;
  }

  mark(index) {
    this.chosen = index;
    for (const made of this.container.querySelectorAll(".row.task")) made.classList.toggle("chosen", Number(made.dataset.task) === index);
  }
}

function barOf(observed, task) {
  const times = observed.response_time_ns;
  const bound = observed.response_time_bound_ns;
  const max = times ? times.max : 0;
  const relation = bound === null ? ", no bound" : ` ${max <= bound ? "≤" : ">"} ${duration(bound)}`;
  const words = (times ? duration(max) : "no job completed") + relation;
  const numbers = [element("span", {}, words)];
  if (observed.misses) numbers.push(" ", element("b", { class: "bad" }, `${observed.misses} missed`));
  return {
    index: observed.index, name: task.name, misses: observed.misses, words: `${task.name}: observed ${words}`, numbers,
    parameters: `${duration(task.wcet_ns)} every ${duration(task.period_ns)}` + (task.relative_deadline_ns === task.period_ns || deadlineOf(task) === null ? "" : `, within ${duration(task.relative_deadline_ns)}`),
    share: max / task.relative_deadline_ns,
    mean: times ? times.mean / task.relative_deadline_ns : null,
    bound: bound === null ? null : bound / task.relative_deadline_ns,
    ofBound: bound ? max / bound : -1,
  };
}

function barLegend() {
  const item = (words, ...shapes) => element("span", {}, svg("svg", { viewBox: "0 0 18 16", "aria-hidden": "true" }, ...shapes), words);
  return element("p", { class: "legend" },
    item("largest observed", svg("rect", { y: 4, width: 18, height: 8, fill: "var(--bar)" })),
    item("with a missed deadline", svg("rect", { y: 4, width: 18, height: 8, fill: "var(--bad)" })),
    item("mean", svg("rect", { y: 4, width: 18, height: 8, fill: "var(--bar)" }), svg("line", { x1: 9, x2: 9, y1: 4, y2: 12, stroke: "var(--paper)", "stroke-width": 2 })),
    item("proved bound", svg("rect", { y: 1, width: 15, height: 14, fill: "var(--bound-soft)" }), svg("line", { x1: 15, x2: 15, y1: 0, y2: 16, stroke: "var(--bound)", "stroke-width": 3 })),
    item("deadline", svg("line", { x1: 9, x2: 9, y1: 0, y2: 16, stroke: "var(--deadline)", "stroke-dasharray": "3 3", "stroke-width": 1.5 })));
}
