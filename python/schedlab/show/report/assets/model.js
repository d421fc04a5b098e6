// The data of one schedule, indexed for drawing: lists by lane and kind, in the order of time.

const jobKey = (task, job) => `${task}:${job}`;

// Items in the order of their starts. They may nest, so the latest end so far is kept to search by.
class Track {
  constructor(items) {
    this.items = items.sort((a, b) => a.start - b.start);
    this.reach = new Float64Array(items.length);
    let latest = -Infinity;
    items.forEach((item, nth) => { this.reach[nth] = latest = Math.max(latest, item.end); });
  }

  get length() { return this.items.length; }

  // The number of the first item by which some item has reached `at`: all items before it end before `at`.
  first(at, low = 0) {
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.reach[middle] < at) low = middle + 1; else high = middle;
    }
    return low;
  }

  // The items of which some part lies between `from` and `to`.
  visible(from, to) {
    const found = [];
    for (let nth = this.first(from); nth < this.items.length && this.items[nth].start <= to; nth += 1) {
      if (this.items[nth].end >= from) found.push(this.items[nth]);
    }
    return found;
  }

  // The items between `from` and `to`, but only the first of those that a frame could not tell apart, within `grain`.
  thinned(from, to, grain) {
    const found = [];
    let nth = this.first(from);
    while (nth < this.items.length && this.items[nth].start <= to) {
      const item = this.items[nth];
      nth += 1;
      if (item.end < from) continue;
      found.push(item);
      if (item.end - item.start < grain) nth = this.first(Math.max(item.start, from) + grain, nth);
    }
    return found;
  }
}

const MARKS = { arrival: "arrivals", deadline: "deadlines", miss: "misses", budget: "budgets", replenishment: "replenishments", handler: "handlers", abort: "aborts" };
const BARS = ["holds", "spins", "waits"];

function scheduleModel(comparison, row) {
  const given = row.schedule;
  const marks = Object.entries(MARKS).filter(([kind]) => kind !== "replenishment").flatMap(([kind, name]) => (given[name] ?? []).map(([task, job, at]) => ({ kind, task, job, start: at, end: at })));
  const segments = given.segments.map(([cpu, task, job, start, end]) => ({ cpu, task, job, start, end })).sort((a, b) => a.start - b.start);
  const overheads = (given.overheads ?? []).map(([cpu, kind, start, end]) => ({ cpu, overhead: kind, start, end }));
  const wastes = (given.wastes ?? []).map(([cpu, start, end]) => ({ cpu, wasted: true, start, end }));
  const windows = (given.subtasks ?? []).map(([task, job, start, end]) => ({ task, job, start, end }));
  const byJob = segmentsByJob(segments);
  const bars = sharing(given, byJob);
  const migrations = segments.filter((item) => item.came !== undefined);
  const misses = marks.filter((item) => item.kind === "miss");
  const model = {
    jobs: jobFacts(given), byJob, bars, barsByJob: grouped(bars, (bar) => jobKey(bar.task, bar.job)), budgetsByJob: instantsByJob(given.budgets ?? []),
    begin: comparison.drawn_from_ns ?? 0, end: Math.max(comparison.drawn_until_ns, (comparison.drawn_from_ns ?? 0) + 1),
    misses: misses.map((item) => item.start).sort((a, b) => a - b), migrations: new Track(migrations), blockings: new Track(blockingLinks(bars)),
    overheads: overheads.length > 0, wastes: wastes.length > 0, windows: windows.length > 0, budgets: (given.budgets ?? []).length > 0, handlers: (given.handlers ?? []).length > 0, aborts: (given.aborts ?? []).length > 0,
    segments: segments.length, holds: bars.some((bar) => bar.kind === "holds"),
  };
  const onCpus = byNumber([...segments, ...overheads, ...wastes], (item) => item.cpu, comparison.processors);
  const cpuBars = byNumber(bars, (bar) => bar.cpu, comparison.processors);
  const cpuBudgets = byNumber(placed(marks.filter((item) => item.kind === "budget"), byJob), (item) => item.cpu, comparison.processors);
  model.processors = onCpus.map((items, cpu) => lane(`cpu ${cpu}`, items, cpuBudgets[cpu], [], cpuBars[cpu]));
  const ofServers = serverLanes(given);
  model.processors.push(...ofServers);
  if (misses.length) model.processors.push(lane("missed", [], misses, [], []));
  const [ofSegments, ofMarks, ofWindows, ofBars] = [segments, marks, windows, bars].map((list) => byNumber(list, (item) => item.task, comparison.tasks.length));
  model.tasks = comparison.tasks.map((task) => lane(task.name, ofSegments[task.index], ofMarks[task.index], ofWindows[task.index], ofBars[task.index]));
  model.tasks.push(...ofServers);
  model.servers = ofServers.some((one) => one.levels.length > 0);
  return model;
}

// Lanes of budget servers: stretches of their budgets, and marks where they are given some or have deadlines.
function serverLanes(given) {
  const names = given.servers ?? [];
  const stretches = (given.server_budgets ?? []).map(([server, start, end, left, leftAtEnd]) => ({ server, start, end, left, leftAtEnd }));
  const returns = (given.replenishments ?? []).map(([server, at, amount]) => ({ kind: "replenishment", server, amount, start: at, end: at }));
  const deadlines = (given.server_deadlines ?? []).map(([server, at]) => ({ kind: "deadline", server, start: at, end: at }));
  const [levels, marks] = [stretches, [...returns, ...deadlines]].map((list) => byNumber(list, (item) => item.server, names.length));
  return names.map((name, server) => {
    const named = [...levels[server], ...marks[server]].map((item) => Object.assign(item, { name }));
    const full = levels[server].reduce((most, item) => Math.max(most, item.left), 1);
    return { ...lane(`server ${name}`, [], named.filter((item) => item.kind), [], []), levels: new Track(levels[server]), full };
  });
}

function lane(name, segments, marks, windows, bars) {
  windows.sort((a, b) => a.start - b.start).forEach((item, nth) => Object.assign(item, { nth }));
  const of = (list, kinds) => Object.fromEntries(kinds.map((kind) => [kind, new Track(list.filter((item) => item.kind === kind))]));
  return { name, segments: new Track(segments), levels: new Track([]), marks: of(marks, Object.keys(MARKS)), windows: new Track(windows), bars: of(bars, BARS) };
}

function byNumber(list, number, most) {
  const found = Array.from({ length: most }, () => []);
  for (const item of list) found[number(item)]?.push(item);
  return found;
}

function grouped(list, key) {
  const found = new Map();
  for (const item of list) {
    const of = found.get(key(item));
    if (of) of.push(item); else found.set(key(item), [item]);
  }
  return found;
}

function jobFacts(given) {
  const jobs = new Map();
  for (const [name, fact] of [["arrivals", "arrival"], ["deadlines", "deadline"], ["completions", "completion"], ["handlers", "handler"], ["aborts", "abort"]]) {
    for (const [task, job, at] of given[name] ?? []) {
      const key = jobKey(task, job);
      const facts = jobs.get(key);
      if (facts) facts[fact] = at; else jobs.set(key, { [fact]: at });
    }
  }
  return jobs;
}

function instantsByJob(marks) {
  const found = new Map();
  for (const [task, job, at] of marks) found.set(jobKey(task, job), [...(found.get(jobKey(task, job)) ?? []), at]);
  return found;
}

// Each job's segments in their order; `came` of a segment after a migration is the processor before it.
function segmentsByJob(segments) {
  const byJob = grouped(segments, (segment) => jobKey(segment.task, segment.job));
  for (const own of byJob.values()) {
    for (let nth = 1; nth < own.length; nth += 1) if (own[nth].cpu !== own[nth - 1].cpu) own[nth].came = own[nth - 1].cpu;
  }
  return byJob;
}

// Marks with `cpu`, the processor that the job had at the instant of the mark, or had last.
function placed(marks, byJob) {
  return marks.map((mark) => {
    const own = byJob.get(jobKey(mark.task, mark.job)) ?? [];
    return { ...mark, cpu: own.findLast((segment) => segment.start <= mark.start)?.cpu };
  });
}

// Links from the lane of a waiting job to the lane of the job for which it waits.
function blockingLinks(bars) {
  return bars.flatMap((bar) => (bar.holders ?? []).filter(({ task }) => task !== bar.task).map(({ task, at }) => ({ from: bar.task, to: task, start: at, end: at })));
}

// The end of the first window, in which a lane has about as many segments as can carry a label.
function firstWindow(model, width) {
  const perLane = Math.max(1, model.segments / model.processors.length), length = model.end - model.begin;
  return Math.min(model.end, model.begin + length * Math.max(4, width / 42) / perLane);
}

// A sentence about a stretch of a server's budget, or a mark on its lane.
function serverFact(found, exact) {
  if (found.kind === "replenishment") return `given ${duration(found.amount)} of budget at ${exact(found.start)}`;
  if (found.kind === "deadline") return `deadline ${exact(found.start)}`;
  const when = `${exact(found.start)} to ${exact(found.end)}`;
  if (found.left === found.leftAtEnd) return `budget of ${duration(found.left)}, ${when}`;
  return `budget from ${duration(found.left)} down to ${duration(found.leftAtEnd)}, ${when}`;
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
  if (found.server !== undefined) return [element("b", {}, `server ${found.name}`), element("ul", {}, element("li", {}, serverFact(found, exact)))];
  const key = jobKey(found.task, found.job);
  const facts = model.jobs.get(key) ?? {}, own = model.byJob.get(key) ?? [];
  const lines = [];
  if (found.cpu !== undefined && found.kind === undefined) lines.push(`runs on ${where(found)}`);
  for (const at of model.budgetsByJob.get(key) ?? []) lines.push(`budget used up at ${exact(at)}`);
  if (found.came !== undefined) lines.push(`migrated from cpu ${found.came}`);
  lines.push(...sharingLines(found, model.barsByJob.get(key) ?? [], comparison));
  if (facts.arrival !== undefined) lines.push(`arrival ${exact(facts.arrival)}`);
  if (facts.deadline !== undefined) lines.push(`deadline ${exact(facts.deadline)}`);
  if (facts.handler !== undefined) lines.push(`abort handler begins ${exact(facts.handler)}`);
  if (facts.abort !== undefined) lines.push(`given up ${exact(facts.abort)}`);
  else if (facts.completion !== undefined) {
    lines.push(`completion ${exact(facts.completion)}`);
    if (facts.arrival !== undefined) lines.push(`response time ${duration(facts.completion - facts.arrival)}`);
    if (facts.deadline !== undefined && facts.completion > facts.deadline) lines.push(`tardiness ${duration(facts.completion - facts.deadline)}`);
  } else lines.push("not complete within what is drawn");
  const migrations = own.filter((segment) => segment.came !== undefined).length;
  if (migrations) lines.push(`${migrations} migration${migrations > 1 ? "s" : ""} in all`);
  const heading = element("b", {}, `${comparison.tasks[found.task].name}, job ${found.job}`);
  return [heading, ` T${found.task}J${found.job}`, element("ul", {}, ...lines.map((line) => element("li", {}, line)))];
}
