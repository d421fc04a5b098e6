// The meanings of the signs of the drawn schedule, only of those that are in it.

function timelineLegend(mode, model, comparison) {
  const item = (words, ...shapes) => element("span", {}, svg("svg", { viewBox: "0 0 18 16", "aria-hidden": "true" }, ...shapes), words);
  const late = item("runs past its deadline", svg("rect", { y: 2, width: 18, height: 12, fill: FILLS[0] }), svg("path", { d: "M0 14 L12 2 M6 14 L18 2", stroke: "#b02a10", "stroke-width": 2 }));
  const miss = item("missed deadline", svg("path", { d: "M4 3 L14 13 M14 3 L4 13", stroke: "var(--bad)", "stroke-width": 2.5 }));
  const up = item("arrival", svg("path", { d: "M9 15 V5", stroke: "var(--ink)" }), svg("path", { d: "M9 1 L6 6 H12 Z", fill: "var(--ink)" }));
  const down = item("deadline", svg("path", { d: "M9 1 V11", stroke: "var(--ink)" }), svg("path", { d: "M9 15 L6 10 H12 Z", fill: "var(--ink)" }));
  const abort = item("given up", svg("path", { d: "M5 3 H13 V13 H5 Z", fill: "none", stroke: "var(--bad)", "stroke-width": 2 }));
  const handler = item("abort handler begins", svg("path", { d: "M5 5 H13 L9 12 Z", fill: "none", stroke: "var(--ink)", "stroke-width": 1.5 }));
  const budget = item("budget used up", svg("path", { d: "M9 3 L14 8 L9 13 L4 8 Z", fill: "var(--accent)" }));
  const level = item("budget of a server", svg("path", { d: "M0 14 V3 H8 L18 10 V14 Z", fill: "var(--accent)", opacity: 0.25 }), svg("path", { d: "M0 3 H8 L18 10", fill: "none", stroke: "var(--accent)", "stroke-width": 1.5 }));
  const returned = item("replenishment", svg("path", { d: "M9 4 V12 M5 8 H13", stroke: "var(--ink)", "stroke-width": 1.5 }));
  const overhead = item("overhead", svg("rect", { y: 2, width: 18, height: 12, fill: "var(--dim)" }));
  const wasted = item("wasted", svg("rect", { y: 6, width: 18, height: 4, fill: "var(--line)" }));
  const window = item("window of a subtask", svg("rect", { y: 6, width: 18, height: 5, fill: FILLS[0], opacity: 0.45 }), svg("path", { d: "M0.5 6 V11 M17.5 6 V11", stroke: "var(--ink)" }));
  const migration = item("migration", svg("path", { d: "M2 3 L9 8 L2 13 Z", fill: "var(--ink)" }));
  const blocking = item("blocked by", svg("path", { d: "M9 1 V15", stroke: "var(--bad)", "stroke-dasharray": "2 2" }), svg("circle", { cx: 9, cy: 13, r: 2.5, fill: "var(--bad)" }));
  const ofTasks = [up, down, ...(model.windows ? [window] : []), ...(model.handlers ? [handler] : []), ...(model.aborts ? [abort] : []), ...(model.blockings.length ? [blocking] : [])];
  const ofProcessors = [...(model.overheads ? [overhead] : []), ...(model.wastes ? [wasted] : [])];
  const ofBoth = [...(model.migrations.length ? [migration] : []), ...(model.budgets ? [budget] : []), ...(model.servers ? [level, returned] : [])];
  const bars = mode === "task" ? model.bars : model.bars.filter((bar) => bar.cpu !== undefined);
  const shown = [...(mode === "task" ? ofTasks : ofProcessors), ...ofBoth, ...sharingLegend(bars, item, comparison)];
  return model.misses.length ? [...shown, miss, late] : shown;
}
