// Shared resources: sections and spinning as bars below the boxes of the drawn schedule, waits beside them.

// Least width in pixels: bars of microseconds would not be seen in a picture of milliseconds.
const SHORTEST_BAR = 3;

// Makes bars of sections and spinning, cut to the segments in which they happen, and of waits for a resource or
// because a protocol holds the job back ("gate").
function sharing(given, byJob) {
  const bars = [];
  const cut = (kind, task, job, start, end, resource) => {
    for (const segment of byJob.get(jobKey(task, job)) ?? []) {
      const from = Math.max(start, segment.start), to = Math.min(end, segment.end);
      if (from < to) bars.push({ kind, cpu: segment.cpu, task, job, resource, start: from, end: to });
    }
  };
  for (const [task, job, resource, start, end] of given.critical_sections ?? []) cut("holds", task, job, start, end, resource);
  for (const [, task, job, start, end] of given.spinning ?? []) cut("spins", task, job, start, end);
  for (const [task, job, reason, start, end] of given.waits ?? []) {
    if (reason === "resource" || reason === "gate") bars.push({ kind: "waits", task, job, start, end });
  }
  const blockings = grouped(given.blockings ?? [], ([task, job]) => jobKey(task, job));
  for (const bar of bars) {
    if (bar.kind === "holds") continue;
    bar.holders = (blockings.get(jobKey(bar.task, bar.job)) ?? []).filter(([, , , , from]) => bar.start <= from && from < bar.end)
      .map(([, , task, job, at]) => ({ task, job, at }));
  }
  return bars;
}

function nameOf(bar, comparison) { return comparison.resources?.[bar.resource] ?? `R${bar.resource}`; }

// Draws the bar of a section below its box, with the resource's name if there is room for it before `free`.
function drawHolds(pen, from, to, free, top, tall, name, colours) {
  const width = Math.max(SHORTEST_BAR, to - from), left = (from + to - width) / 2;
  pen.fillStyle = colours.paper;
  pen.fillRect(left - 0.5, top, width + 1, tall);
  pen.fillStyle = colours.ink;
  pen.fillRect(left, top, width, tall);
  const font = pen.font;
  pen.font = font.replace("12px", "10px");
  const begin = Math.max(left, 0) + 3;
  if (pen.measureText(name).width <= Math.min(free, left + width) - begin - 2) {
    pen.fillStyle = colours.paper;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(name, begin, top + tall / 2 + 0.5);
  }
  pen.font = font;
}

// Draws a bar on the line `bottom`; a wait is a dashed line at half the height of the boxes.
function drawBar(pen, bar, from, to, bottom, height, colours) {
  const width = Math.max(SHORTEST_BAR, to - from), left = (from + to - width) / 2;
  if (bar.kind !== "waits") {
    pen.fillStyle = colours.paper;
    pen.fillRect(left - 0.5, bottom - 6, width + 1, 6);
    pen.fillStyle = bar.kind === "spins" ? colours.bad : colours.ink;
    pen.fillRect(left, bottom - 5, width, 5);
    return;
  }
  pen.strokeStyle = colours.bad;
  pen.lineWidth = width < 8 ? 6 : 2;
  pen.setLineDash([5, 3]);
  pen.beginPath();
  pen.moveTo(left, bottom - height / 2);
  pen.lineTo(left + width, bottom - height / 2);
  pen.stroke();
  pen.setLineDash([]);
}

// The bars of the chosen job within a segment, and its waits, in words; `own` are the job's bars.
function sharingLines(found, own, comparison) {
  const here = own.filter((bar) => bar.kind === "waits" || found.start <= bar.start && bar.end <= found.end);
  const who = (holders) => holders.map(({ task, job }) => `${comparison.tasks[task].name}, job ${job}`).join("; ");
  const words = { holds: (bar) => `holds ${nameOf(bar, comparison)}`, spins: () => "spins", waits: () => "waits" };
  return here.sort((a, b) => a.start - b.start).map((bar) => {
    const cause = bar.holders?.length ? ` for ${who(bar.holders)}` : "";
    return `${words[bar.kind](bar)}${cause} from ${instant(bar.start, MILLISECONDS)} on, for ${duration(bar.end - bar.start)}`;
  });
}

// The meaning of the bar of a section: the resources by name if they are few, since bars are often too short for names.
function holdsInWords(bars, comparison) {
  const names = [...new Set(bars.filter(({ kind }) => kind === "holds").map((bar) => nameOf(bar, comparison)))];
  return names.length > 4 ? "holds a resource" : `holds ${names.join(" or ")}`;
}

function sharingLegend(bars, item, comparison) {
  const bar = (fill) => svg("rect", { y: 9, width: 18, height: 5, fill });
  const signs = [
    ["holds", item(holdsInWords(bars, comparison), bar("var(--ink)"))],
    ["spins", item("spins for a resource", bar("var(--bad)"))],
    ["waits", item("waits for a resource", svg("path", { d: "M0 8 H18", stroke: "var(--bad)", "stroke-width": 2, "stroke-dasharray": "5 3" }))],
  ];
  return signs.filter(([kind]) => bars.some((found) => found.kind === kind)).map(([, sign]) => sign);
}
