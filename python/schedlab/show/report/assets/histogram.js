// One task's observed response times, with its deadline, its bound, and three percentiles; real ones beside simulated ones.

class Histogram {
  constructor(container, comparison, row, choose) {
    this.comparison = comparison;
    this.row = row;
    this.select = element("select", { "aria-label": "task", onchange: (event) => choose(Number(event.target.value), false) });
    for (const observed of row.tasks) this.select.append(element("option", { value: observed.index }, comparison.tasks[observed.index].name));
    this.picture = element("div");
    this.caption = element("p", { class: "caption" });
    container.replaceChildren(element("div", { class: "tools" }, element("label", {}, "task: ", this.select)), this.picture, this.caption);
    new ResizeObserver(() => this.draw()).observe(this.picture);
  }

  show(index) {
    this.index = index;
    this.select.value = index;
    this.draw();
  }

  draw() {
    const observed = this.row.tasks.find((task) => task.index === this.index);
    const width = this.picture.clientWidth;
    if (!observed || !width) return;
    const times = observed.response_time_ns;
    if (!times || !observed.histogram.counts.length) {
      this.picture.replaceChildren();
      this.caption.textContent = "No job of this task completed.";
      return;
    }
    const task = this.comparison.tasks[this.index];
    const bound = observed.response_time_bound_ns;
    const real = this.row.real?.tasks?.find((ran) => ran.index === this.index);
    const pictures = [histogramPicture(observed, real, deadlineOf(task), width)];
    if (real) pictures.push(histogramLegend());
    this.picture.replaceChildren(...pictures);
    const words = [percentiles(observed), deadlineOf(task) === null ? "no deadline" : `deadline ${duration(deadlineOf(task))}`, bound === null ? "no bound proved" : `bound ${duration(bound)}`];
    if (real) words.splice(0, 1, `simulated: ${percentiles(observed)}`, `real: ${percentiles(real)}`);
    this.caption.textContent = `${words.join("; ")}.`;
  }
}

function percentiles({ jobs, response_time_ns: times }) {
  if (!times) return `${jobs} jobs, none complete`;
  return `${jobs} jobs, median ${duration(times.p50)}, 95th percentile ${duration(times.p95)}, 99th ${duration(times.p99)}, largest ${duration(times.max)}`;
}

function histogramLegend() {
  const item = (words, shape) => element("span", {}, svg("svg", { viewBox: "0 0 18 16", "aria-hidden": "true" }, shape), words);
  return element("p", { class: "legend" },
    item("simulated", svg("rect", { y: 2, width: 18, height: 12, fill: "var(--bar)" })),
    item("real", svg("path", { d: "M0 14V4H18V14", fill: "none", stroke: "var(--real)", "stroke-width": 3 })));
}

// Draws the real distribution as an outline over the simulated one; both count jobs in the same bins.
function histogramOutline(edges, counts, x, y) {
  const steps = counts.map((count, bin) => `V${y(count)}H${x(edges[bin + 1])}`);
  const outline = svg("path", { d: `M${x(edges[0])} ${y(0)}${steps.join("")}V${y(0)}`, fill: "none", stroke: "var(--real)", "stroke-width": 2, class: "real" });
  outline.append(svg("title", {}, "real response times"));
  return outline;
}

function histogramPicture(observed, real, relativeDeadline, width) {
  const height = 230, top = 46, bottom = 26, left = 44, right = 10;
  const { edges_ns: edges, counts } = observed.histogram;
  const reach = edges[edges.length - 1];
  const bound = observed.response_time_bound_ns;
  // A bound far beyond the observed response times is named at the margin rather than drawn to scale.
  const marks = [["deadline", relativeDeadline, "var(--deadline)", "4 3"], ["bound", bound, "var(--bound)", ""]].filter(([, at]) => at !== null);
  const end = Math.max(reach, ...marks.map(([, at]) => at).filter((at) => at <= 4 * reach)) * 1.02;
  const x = (ns) => left + (width - left - right) * ns / end;
  const most = Math.max(...counts, ...(real ? real.histogram.counts : []));
  const y = (count) => height - bottom - (height - top - bottom) * count / most;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "histogram of observed response times" });
  for (const share of [0, 0.5, 1]) {
    const count = Math.round(most * share);
    picture.append(svg("line", { x1: left, x2: width - right, y1: y(count), y2: y(count), stroke: "var(--line)" }));
    picture.append(svg("text", { x: left - 6, y: y(count) + 4, "text-anchor": "end" }, String(count)));
  }
  picture.append(svg("text", { x: left - 6, y: 14, "text-anchor": "end" }, "jobs"));
  counts.forEach((count, bin) => {
    if (!count) return;
    const from = x(edges[bin]), to = x(edges[bin + 1]);
    const bar = svg("rect", { x: from, y: y(count), width: Math.max(3, to - from - 1), height: y(0) - y(count), fill: "var(--bar)" });
    bar.append(svg("title", {}, `${duration(edges[bin])} to ${duration(edges[bin + 1])}: ${count} jobs`));
    picture.append(bar);
  });
  if (real) picture.append(histogramOutline(edges, real.histogram.counts, x, y));
  for (const at of ticks(0, end, width - left - right, 90).found) {
    picture.append(svg("text", { x: x(at), y: height - 8, "text-anchor": at === 0 ? "start" : "middle" }, duration(at)));
  }
  marks.forEach(([name, at, stroke, dashes], line) => histogramMark(picture, { name, at, stroke, dashes, line, x, end, width, right, bottom: height - bottom }));
  return picture;
}

function histogramMark(picture, { name, at, stroke, dashes, line, x, end, width, right, bottom }) {
  const beyond = at > end;
  const place = beyond ? width - right : x(at);
  const y = 14 + 16 * line;
  if (!beyond) picture.append(svg("line", { x1: place, x2: place, y1: y + 4, y2: bottom, stroke, "stroke-width": 2, "stroke-dasharray": dashes }));
  const anchor = place > 0.5 * width ? "end" : "start";
  picture.append(svg("text", { class: "label", x: place + (anchor === "end" ? 2 : -2), y, "text-anchor": anchor }, `${name} ${duration(at)}${beyond ? " →" : ""}`));
}
