"use strict";
// Values as text for people, and short functions that make elements.

function duration(ns) {
  if (ns === null || ns === undefined) return "-";
  const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]].find(([s]) => Math.abs(ns) >= s) ?? [1, "ns"];
  const value = ns / size;
  const digits = Math.max(0, 4 - String(Math.trunc(Math.abs(value))).length);
  const text = value.toFixed(digits);
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text} ${unit}`;
}

// Relative deadline of a task whose jobs have none, such as a client of a budget server: a second more than a year.
const NO_DEADLINE = (365 * 24 * 3600 + 1) * 1e9;

// The relative deadline of a task; null if its jobs have none.
function deadlineOf(task) {
  return task.relative_deadline_ns < NO_DEADLINE ? task.relative_deadline_ns : null;
}

// An instant, exact to the nanosecond, in the unit that suits the shown window.
function instant(ns, unit) {
  const text = (ns / unit.size).toFixed(unit.digits);
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text} ${unit.name}`;
}

const MILLISECONDS = { size: 1e6, name: "ms", digits: 6 };

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Ticks of an axis at round steps: 1, 2 or 5 times a power of ten, at least `pixels` apart.
function ticks(from, to, width, pixels) {
  const rough = (to - from) / Math.max(1, width / pixels);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((candidate) => candidate >= rough);
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
  return { step, found };
}

// Light fills on which dark text can be read, in both colour schemes; tasks with equal fills differ by their labels.
const FILLS = ["#8cc8ea", "#e0cf7a", "#7fc6ac", "#eda58f", "#bfb2e6", "#b9c95f", "#f0bd74", "#94b3ee", "#e3a9d2", "#9fd48a", "#cdb79a", "#a9bccb"];
const fillOf = (task) => FILLS[task % FILLS.length];
