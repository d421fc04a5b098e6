// Lengths of time as texts of a scenario, exact to the nanosecond.

const SIZES = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12 };
const WRITTEN = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];

function exactDuration(ns) {
  const [unit, size] = WRITTEN.find(([, size]) => Math.abs(ns) >= size) ?? ["ms", 1e6];
  return `${Number((ns / size).toPrecision(15))} ${unit}`;
}

// The parts of a text such as "2.5 ms"; null if it is no length of time.
function durationParts(text) {
  const found = /^\s*(\d+(?:\.(\d+))?)\s*([a-zµ]*)\s*$/.exec(text);
  return found && { number: Number(found[1]), digits: found[2]?.length ?? 0, unit: found[3] };
}

// A text with the unit of `other` if it is a number alone.
function withUnit(text, other) {
  const parts = durationParts(text), unit = durationParts(other)?.unit;
  return parts && !parts.unit && unit && parts.number !== 0 ? `${text.trim()} ${unit}` : text.trim();
}

// The text with its last digit changed by `by`, but not below one of that digit, or 0 where that `isAllowed`.
function stepped(text, by, isAllowed) {
  const parts = durationParts(text);
  if (!parts || !SIZES[parts.unit]) return null;
  const digit = 10 ** -parts.digits, least = isAllowed ? 0 : digit;
  return `${Math.max(least, parts.number + by * digit).toFixed(parts.digits)} ${parts.unit}`;
}

// The least of 1, 2, 5, 10, ... nanoseconds that is at least `ns`.
function roundStep(ns) {
  const power = 10 ** Math.floor(Math.log10(Math.max(ns, 1)));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= ns * 0.999);
}

// The value `by` nanoseconds from another one, in whole steps from there: never against the hand, and at least a step
// of the value's own last digit, except for an offset, which may be 0.
function moved(from, by, step, kind) {
  const steps = Math.round(by / step);
  if (!steps) return from;
  const to = from + steps * step;
  if (kind === "offset") return Math.max(0, to);
  return to > 0 ? to : Math.min(from, leastBelow(from, step));
}

// The least positive value that steps of `step`, made smaller by tens, reach from `from`: 10 us of 30 us, 1 ns of 7 ns.
function leastBelow(from, step) {
  let size = step;
  while (size >= from && size > 1) size = Math.max(1, size / 10);
  return Math.max(1, from - Math.floor((from - 1) / size) * size);
}
