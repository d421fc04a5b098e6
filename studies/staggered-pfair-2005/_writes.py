"""Cycles per write in aligned and in staggered quanta: what figures 13 and 14 of staggered-pfair-2005 are drawn from.

Section V-B measured on four 200 MHz processors with caches of 512 KB, in a prototype kernel. Here threads at real-time
priority, one on each processor, write to an array during each quantum of 1 ms, and to another one, which is in no
cache, when the next begins: line after line, or anywhere. A third way, one thread alone, says what there is to gain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from schedlab.plots import chosen_confidence, mean_interval
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid
from schedlab.studies.spread import spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOURCE = "Holman, Anderson: Adapting Pfair scheduling for symmetric multiprocessors, JEC 1(4), 2005"
PATTERNS = {"linear": "linear access", "random": "random access"}
KIB = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384]
WAYS = {"aligned": "aligned", "staggered": "staggered", "alone": "one thread alone"}
QUANTA = 20


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Cycles per write by set and way: percentiles over the quanta of all processors."""
    asked = ("--bytes", int(unit.parameters["kib"]) * 1024, "--pattern", unit.parameters["pattern"])
    found = ask("measure", "writes", *asked, "--quanta", QUANTA, "--rounds", len(unit.sets))
    rows = [
        {"set": index, "way": way, **spread([cycles for quanta in of_round for cycles in quanta])}
        for way in WAYS
        for index, of_round in zip(unit.sets, found[way], strict=True)
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


#: By pattern, way and KiB: the sets' medians, in the order of the sets.
Medians = dict[tuple[str, str, int], list[float]]


def medians(results: Results) -> Medians:
    """A quantum that the host takes away may count for any number of cycles: so medians of quanta."""
    found: Medians = {}
    for row in results.table.to_pylist():
        found.setdefault((row["pattern"], row["way"], row["kib"]), []).append(row["median"])
    return found


#: Mean and the ends of its interval, by pattern and KiB.
Ratios = dict[tuple[str, int], tuple[float, float, float]]


#: Of each of all sizes' intervals, so that 99 in 100 times all are right (Bonferroni): one of eleven is easily off.
ALL_SIZES = 1 - 0.01 / len(KIB)


def ratios(results: Results, way: str = "staggered", confidence: float | None = None) -> Ratios:
    """How many times more writes than in aligned quanta, set by set: ways take turns within one."""
    found = medians(results)
    each = {
        (pattern, kib): [aligned / other for aligned, other in zip(values, found[pattern, way, kib], strict=True)]
        for (pattern, of, kib), values in found.items()
        if of == "aligned"
    }
    return {key: mean_interval(values, confidence) for key, values in each.items()}


def conditions(results: Results) -> str:
    """What to say below a figure."""
    sets, threads = results.provenance["sets"], results.provenance["surroundings"]["processors"]
    return (
        f"{threads} threads, quanta of 1 ms; {sets} sets of {QUANTA} quanta each way, in turn; "
        f"bands: {chosen_confidence()} (t) of sets' medians. "
        "The paper: four processors, caches of 512 KB"
    )


def study_of_writes(
    name: str,
    title: str,
    draw: Callable[[Results], Mapping[str, Figure]],
    claims: Callable[[Results], list[Claim]],
) -> RealStudy:
    """A figure drawn from these measurements."""
    return RealStudy(
        name=name, title=title, source=SOURCE, points=grid(pattern=list(PATTERNS), kib=KIB), evaluate=evaluate,
        draw=draw, claims=claims, sets=6, full_sets=100,
    )  # fmt: skip
