"""`schedlab measure objects`: what operations on shared buffers, queues and heaps cost on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import median

from schedlab._native import overheads_of_objects
from schedlab.base.files import expect_folder
from schedlab.cli.shared.rows import Rows
from schedlab.cli.shared.screen import say
from schedlab.errors import BadInput
from schedlab.runtime import ask
from schedlab.studies.lines import line
from schedlab.studies.real import Noise
from schedlab.studies.spread import spread

#: Numbers of tasks that the objects are made for: block-or-not-2008, section 4.4. Two are on a line in any case, and
#: three may be by chance.
QUICK, ALL = (2, 12, 20, 32), (2, 4, 8, 12, 16, 20, 24, 28, 32)
#: Number of rounds in which each size is measured, in turns, and the rank of the trusted value. Other work can only add
#: to a value, so small ones are trusted; the smallest may have been lucky, so the second one is taken.
ROUNDS, TRUSTED = 5, 2
#: The schemes that an overheads file contains, by what is measured; others are measured for comparison. An operation
#: under a lock costs what the object takes without it, as the protocol's lock is charged apart.
SCHEMES = {"sequential": "locked", "lock-free": "lock-free", "wait-free": "wait-free"}
#: A written value is far from a measured one if it is this many times as large, and this many nanoseconds larger: two
#: steps of a clock with steps of ten.
FAR, STEPS = 1.5, 20
#: Share of the processors from which on other work is mentioned.
BUSY = 0.1
TITLE = "Operations on shared objects, measured on this machine"
SOURCE = "schedlab measure objects: one task of N operates 10,000 times, as in block-or-not-2008, section 4.4"
NOTES = """The largest hundredth of all values was dropped. Of five rounds, the second least is taken.
What rises clearly with N is a line above all values, all else the largest value.
Of objects, N is the number of tasks that share one: {fewest} to {most} were measured.
A lock-free access is one iteration of its loop. A locked one is the sequential object's alone.
Its queue lock is charged apart, as `lock_acquire` and `lock_release` of a protocol, and is not in this file.
Nothing else was measured: with a line `extends = "overheads.toml"` the rest is as there."""
WHY = "Other work disturbed the measurement, perhaps that of a virtual machine's host; or the cost is no line in N."
ADVICE = "Measure again on an idle machine."


@dataclass
class Costs:
    """Costs of an operation by the number of tasks that the object is made for, in nanoseconds for each round."""

    peer: str | None
    mean: dict[int, list[float]] = field(default_factory=dict)
    largest: dict[int, list[float]] = field(default_factory=dict)
    attempts: dict[int, int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Far:
    """A factor by which a written value exceeds a round's value, and the number of tasks for which it does."""

    times: float
    tasks: int


@dataclass(frozen=True)
class Charged:
    """The cost that is written for an operation: a line in N."""

    base_ns: int
    slope_ps: int
    #: The largest deviation, if the line is far from a measured value.
    far: Far | None = None

    def at(self, tasks: int) -> float:
        """Returns the cost in nanoseconds with this many tasks."""
        return self.base_ns + self.slope_ps * tasks / 1_000


def measure_objects(quick: bool, out: Path | None, others: Sequence[str]) -> int:
    """Measures and prints a row for each object, scheme and number of tasks; writes an overheads file if asked."""
    if others:
        name = others[0].removeprefix("as_")
        raise BadInput(f"measure objects: --{name} does not go with it; allowed: --quick and --out")
    if out is not None:
        expect_folder(out)
    sizes = QUICK if quick else ALL
    noise = Noise.begin()
    found = measured(sizes)
    shares = noise.end()
    meanwhile = (
        f"Other processes used {shares['others']:.0%} of the processors meanwhile, the host took "
        f"{shares['stolen']:.0%}."
    )
    table(found).print()
    lines = {key: (charged(costs.largest), charged(costs.mean)) for key, costs in found.items() if key[1] in SCHEMES}
    doubts = [words for (thing, scheme), both in lines.items() for words in doubt(thing, scheme, *both)]
    if doubts:
        doubts.append(WHY)
    advice = [ADVICE] if doubts or shares["others"] + shares["stolen"] >= BUSY else []
    if advice:
        for words in (*doubts, meanwhile, *advice):
            say(words)
    if out is not None:
        notes = NOTES.format(fewest=sizes[0], most=sizes[-1])
        written = [
            (thing, SCHEMES[scheme], (largest.base_ns, largest.slope_ps), (mean.base_ns, mean.slope_ps))
            for (thing, scheme), (largest, mean) in lines.items()
        ]
        text = overheads_of_objects(TITLE, SOURCE, "\n".join([notes, *doubts, meanwhile, *advice]), written)
        out.write_text(text, encoding="utf-8")
        print(out)
    return 0


def measured(sizes: Sequence[int]) -> dict[tuple[str, str], Costs]:
    """Measures one of N tasks that operates 10,000 times, without the largest hundredth (block-or-not-2008).

    Sizes take turns, so that a disturbance falls on one round of several sizes, not on all rounds of one.
    """
    found: dict[tuple[str, str], Costs] = {}
    for tasks in [*sizes] * ROUNDS:
        for row in ask("measure", "objects", "--tasks", tasks):
            costs = found.setdefault((row["object"], row["scheme"]), Costs(row.get("peer")))
            values = spread(row["ns"])
            costs.mean.setdefault(tasks, []).append(values["mean"])
            costs.largest.setdefault(tasks, []).append(values["max"])
            costs.attempts[tasks] = row["bound"].get("attempts")
    return found


def trusted(rounds: Iterable[float]) -> float:
    """Returns the trusted value of several rounds."""
    return sorted(rounds)[TRUSTED - 1]


def charged(rounds: Mapping[int, Sequence[float]]) -> Charged:
    """Returns a line above all trusted values if these rise clearly with N, else the largest of them."""
    # One value for each size, because with two rounds the peculiarities of a size would count twice.
    of = line(list(rounds), [trusted(costs) for costs in rounds.values()])
    # Ten picoseconds are exact enough, and short to read.
    slope = round(of.slope * 100) * 10 if of.rises(min(rounds), max(rounds)) else 0
    # A line that would begin below zero begins at zero, and is above the values.
    base = max(0, *(ceil(trusted(costs) - slope * tasks / 1_000) for tasks, costs in rounds.items()))
    found = Charged(base, slope)
    times = {
        tasks: found.at(tasks) / max(min(costs), 1.0)
        for tasks, costs in rounds.items()
        if found.at(tasks) > min(costs) + STEPS
    }
    most = max(times, key=times.__getitem__, default=None)
    far = Far(times[most], most) if most is not None and times[most] >= FAR else None
    return Charged(base, slope, far)


def doubt(thing: str, scheme: str, largest: Charged, mean: Charged) -> list[str]:
    """Returns the sentence about an object whose written costs are far from measured ones."""
    far = {name: of.far for name, of in (("max", largest), ("mean", mean)) if of.far is not None}
    if not far:
        return []
    most = max(far.values(), key=lambda one: one.times)
    verb = "is" if len(far) == 1 else "are"
    return [
        f"{thing} {scheme}: {' and '.join(far)} {verb} up to {most.times:.2g} times what one round took for "
        f"N = {most.tasks}."
    ]


def table(found: Mapping[tuple[str, str], Costs]) -> Rows:
    """Makes a row for each object, scheme and number of tasks, and for each peer, which has no such number."""
    columns = ["object", "scheme", "tasks", "mean ns", "largest but 1%", "attempts", "peer"]
    rows = Rows("", columns, ["scheme", "peer"])
    for (thing, scheme), costs in found.items():
        if costs.peer is None:
            mean, largest = (median(map(trusted, of.values())) for of in (costs.mean, costs.largest))
            rows.row(thing, scheme, "-", f"{mean:.1f}", f"{largest:.0f}", "-", "what people use")
            continue
        for tasks, values in costs.mean.items():
            mean, largest = trusted(values), trusted(costs.largest[tasks])
            attempts = costs.attempts[tasks]
            most = "-" if attempts is None else str(attempts)
            beside = f"{mean / trusted(found[thing, costs.peer].mean[tasks]):.1f} x {costs.peer}"
            rows.row(thing, scheme, str(tasks), f"{mean:.1f}", f"{largest:.0f}", most, beside)
    return rows
