// Tabs, and the pictures of a tab when it is first shown.

const comparison = JSON.parse(document.getElementById("comparison").textContent);
const tabs = [...document.querySelectorAll("[role=tab]")];
const panels = [...document.querySelectorAll("[role=tabpanel]")];

function fill(panel) {
  const row = comparison.schedulers[Number(panel.dataset.scheduler)];
  if (row.error || panel.dataset.filled) return;
  panel.dataset.filled = "yes";
  const place = panel.querySelector("[data-timeline]");
  const timeline = new Timeline(place, { ...comparison, resources: row.resources }, row);
  place.prepend(timeline.tools());
  const choose = (index, look) => {
    bars.mark(index);
    histogram.show(index);
    if (look) panel.querySelector("[data-histogram]").scrollIntoView({ block: "nearest" });
  };
  const bars = new Bars(panel.querySelector("[data-bars]"), comparison, row, choose);
  const histogram = new Histogram(panel.querySelector("[data-histogram]"), comparison, row, choose);
  const tightest = [...bars.rows].sort(ORDERS["closest to the deadline"])[0];
  if (tightest) choose(tightest.index, false);
}

function select(number, focus) {
  tabs.forEach((tab, other) => {
    tab.setAttribute("aria-selected", other === number);
    tab.tabIndex = other === number ? 0 : -1;
  });
  panels.forEach((panel, other) => { panel.hidden = other !== number; });
  if (focus) tabs[number].focus();
  tabs[number].scrollIntoView({ block: "nearest", inline: "nearest" });
  fill(panels[number]);
}

tabs.forEach((tab, number) => {
  tab.addEventListener("click", () => select(number, false));
  tab.addEventListener("keydown", (event) => {
    const next = { ArrowRight: number + 1, ArrowLeft: number - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    select((next + tabs.length) % tabs.length, true);
  });
});

for (const link of document.querySelectorAll("[data-select]")) {
  link.addEventListener("click", () => select(Number(link.dataset.select), false));
}

document.getElementById("save").addEventListener("click", () => {
  const url = URL.createObjectURL(new Blob([JSON.stringify(comparison)], { type: "application/json" }));
  element("a", { href: url, download: "comparison.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
});

if (location.hash === "#print") {
  // On paper nothing can be selected, so that each scheduler has its place.
  for (const panel of panels) {
    panel.hidden = false;
    fill(panel);
  }
} else if (panels.length) fill(panels[0]);
