"""The whole grid of resource-protocols-2020, section IV-C: 1,440 combinations, each with its protocols.

Processors x periods x utilizations x resources x probabilities x lengths of sections; PIP, PCP, IPCP and SRP on one
processor (1,800 cases with both bounds of PIP), MPCP and MSRP on more (2,160). The paper's "more than 2,500 cases"
may count each with and without overheads; these are unknown. Each case has twenty caps, 5% to 100% of its
processors: the paper's step of 0.05 on one processor, 0.05 m on m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from schedlab.plots import footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Study, Unit, grid, judge
from schedlab.studies.seeds import derive_seed

from ._sets import (
    LENGTHS,
    NOTE,
    ONE,
    PERIODS,
    PROBABILITIES,
    PROCESSORS,
    RESOURCES,
    SEVERAL,
    SOURCE,
    UTILIZATIONS,
    judge_unit,
    overhead_claim,
    percent,
    say,
    share,
)

SHARES = [step / 20 for step in range(1, 21)]
COLUMNS = (*ONE, *SEVERAL)


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """One row for each set and cap; protocols for other numbers of processors are unknown."""
    processors = int(unit.parameters["processors"])
    questions = ONE if processors == 1 else SEVERAL
    rows: dict[str, list[Any]] = {name: [] for name in ("set", "share", "tasks", *COLUMNS)}
    for part in SHARES:
        # Other sets at each cap, not the same ones cut short.
        own = replace(unit, seed=derive_seed(unit.seed, round(part * 20)))
        found = judge_unit(own, unit.parameters, questions, round(part * processors, 2))
        count = len(found["tasks"])
        rows["set"] += list(unit.sets)
        rows["share"] += [part] * count
        for name in ("tasks", *COLUMNS):
            rows[name] += found.get(name, [None] * count)
    return rows


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """A map for each number of processors and protocol: all cases, schedulable sets over all caps."""
    paths: list[Path] = []
    for processors in PROCESSORS:
        names = ("PIP", "PCP", "SRP") if processors == 1 else tuple(SEVERAL)
        paths += draw_map(results.where(processors=processors), names, directory / f"2020-grid-m{processors}")
    return paths


def draw_map(results: Results, names: Sequence[str], stem: Path) -> list[Path]:
    """Rows: periods, utilizations and lengths. Columns: resources, then probabilities."""
    import matplotlib.pyplot as plt

    rows = [(p, u, length) for p in PERIODS for u in UTILIZATIONS for length in LENGTHS]
    columns = [(n, p) for n in RESOURCES for p in PROBABILITIES]
    shares = by_case(results, names)
    with paper_style():
        figure, insets = plt.subplots(1, len(names), figsize=(PAGE, 3.2), sharey=True, squeeze=False)
        for axes, name in zip(insets[0], names, strict=True):
            values = [[percent(shares[name][(*row, *column)]) for column in columns] for row in rows]
            image = axes.imshow(values, vmin=0, vmax=100, aspect="auto", cmap="cividis")
            axes.set_title(name)
            axes.set_xticks(range(0, len(columns), len(PROBABILITIES)), [f"{n}" for n in RESOURCES])
            axes.set_xlabel("$n_{res}$, within each $p^{acc}$")
            axes.grid(False)
        insets[0][0].set_yticks(range(len(rows)), [f"{p[:3]}. {u}, {length}" for p, u, length in rows], fontsize=5)
        figure.colorbar(image, ax=list(insets[0]), label="schedulable sets, all caps (%)")
        footnote(
            figure,
            f"rows: periods, utilizations, sections; {NOTE}; sets per case and cap: {results.provenance['sets']}",
        )
        return list(save_figure(figure, stem))


def by_case(results: Results, names: Sequence[str]) -> dict[str, dict[tuple[Any, ...], tuple[int, int]]]:
    """By protocol and case: (schedulable, all)."""
    keys = ("periods", "utilization", "lengths", "resources", "probability")
    counted = results.table.group_by(list(keys)).aggregate([(name, how) for name in names for how in ("sum", "count")])
    rows = counted.to_pylist()
    return {
        name: {tuple(row[key] for key in keys): (row[f"{name}_sum"] or 0, row[f"{name}_count"]) for row in rows}
        for name in names
    }


def claims(results: Results) -> list[Claim]:
    """The observations i to v at the end of section IV-C."""
    return [
        overhead_claim("i: PIP is less sensitive to run-time overhead than PCP and IPCP"),
        *(medium(results, name) for name in ("PIP", "PCP", *SEVERAL, "SRP")),
        *(homogeneity(results, name) for name in ("PCP", "SRP", *SEVERAL)),
        *(sections(results, name) for name in ("PCP", "SRP", *SEVERAL)),
        overhead_claim("v: due to higher overhead, even with better schedulability, MSRP can be worse than MPCP"),
    ]


def medium(results: Results, name: str) -> Claim:
    """Observation ii."""
    shares = {u: share(results.where(utilization=u), name) for u in UTILIZATIONS}
    agrees = percent(shares["medium"]) > percent(shares["light"])
    return judge(f"ii: schedulability is higher with medium than light utilizations: {name}", agrees, say(shares))


def homogeneity(results: Results, name: str) -> Claim:
    """Observation iii."""
    shares = {p: share(results.where(periods=p), name) for p in PERIODS}
    agrees = percent(shares["homogeneous"]) > percent(shares["heterogeneous"])
    return judge(f"iii: short periods are more affected by blocking: {name}", agrees, say(shares))


def sections(results: Results, name: str) -> Claim:
    """Observation iv."""
    lost, numbers = {}, []
    for utilization in UTILIZATIONS:
        here = {length: share(results.where(utilization=utilization, lengths=length), name) for length in LENGTHS}
        lost[utilization] = percent(here["short"]) - percent(here["long"])
        numbers.append(f"{utilization}: {say(here)}")
    text = f"iv: section lengths impact light utilizations most: {name}"
    agrees = lost["light"] > max(lost["medium"], lost["heavy"]) and lost["light"] > 0
    return judge(text, agrees, "; ".join(numbers))


study = Study(
    name="2020-grid",
    title="resource-protocols-2020, the whole grid of section IV-C",
    source=SOURCE,
    points=grid(
        processors=list(PROCESSORS), periods=list(PERIODS), utilization=list(UTILIZATIONS),
        resources=list(RESOURCES), probability=list(PROBABILITIES), lengths=list(LENGTHS),
    ),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=10,
    sets_per_unit=50,
    parameters={"overheads": "unknown", "questions": {**ONE, **SEVERAL}},
)  # fmt: skip
