"""The whole grid of resource-protocols-2020, section IV-C: 1,440 combinations, each with its protocols.

Processors x periods x utilizations x resources x probabilities x lengths of sections; PIP, PCP, IPCP and SRP on one
processor (1,800 cases with both bounds of PIP), MPCP and MSRP on more (2,160), each without overheads and with
them. The paper does not say how its "more than 2,500 cases" are counted. Each case has twenty caps, 5% to 100% of its
processors: the paper's step of 0.05 on one processor, 0.05 m on m. All by both readings of short WCETs (`_sets.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from schedlab.plots import footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Parameter, Results, Study, Unit, grid, judge
from schedlab.studies.seeds import derive_seed

from ._sets import (
    CHARGED,
    LENGTHS,
    ONE,
    PERIODS,
    PROBABILITIES,
    PROCESSORS,
    READINGS,
    RESOURCES,
    SEVERAL,
    SMALL,
    SOURCE,
    UTILIZATIONS,
    by_reading,
    charged_name,
    judge_small,
    judge_unit,
    least_sensitive,
    lost,
    note,
    of_both,
    overhead_claim,
    percent,
    read_name,
    say,
    say_lost,
    share,
)

SHARES = Parameter(
    "caps", tuple(step / 20 for step in range(1, 21)), "caps on the utilization, as shares of the processors", low=0.05,
    high=1,
)  # fmt: skip
#: Caps above this part of the processors are close to theoretical bounds: Liu and Layland's for many tasks is 69%.
HIGH = 0.65
ASKED = [*ONE, *SEVERAL, *map(charged_name, [*ONE, *SEVERAL])]
COLUMNS = [read_name(name, reading) for reading in READINGS for name in ASKED]


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """One row for each set and cap; protocols for other numbers of processors are unknown."""
    processors = int(unit.parameters["processors"])
    questions = ONE if processors == 1 else SEVERAL
    rows: dict[str, list[Any]] = {name: [] for name in ("set", "share", "tasks", *COLUMNS)}
    for part in unit.settings[SHARES]:
        # Other sets at each cap, not the same ones cut short; the paper's steps of a twentieth are whole numbers.
        step = round(part * 20)
        own = replace(unit, seed=derive_seed(unit.seed, step if step / 20 == part else str(part)))
        found = judge_unit(own, unit.parameters, questions, round(part * processors, 2))
        count = len(found["tasks"])
        rows["set"] += list(unit.sets)
        rows["share"] += [part] * count
        for name in ("tasks", *COLUMNS):
            rows[name] += found.get(name, [None] * count)
    return rows


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The maps by each reading of short WCETs."""
    return [path for reading in READINGS for path in draw_maps(results, reading, directory)]


def draw_maps(results: Results, reading: str, directory: Path) -> Sequence[Path]:
    """Maps for each number of processors: schedulable sets of all cases, over all caps; what overheads take of them."""
    paths: list[Path] = []
    read = by_reading(results, reading)
    for processors in PROCESSORS:
        names = ("PIP", "PCP", "SRP") if processors == 1 else tuple(SEVERAL)
        stem = read_name(f"2020-grid-m{processors}", reading).replace(", ", "-")
        here = read.where(processors=processors)
        paths += draw_map(here, names, "schedulable sets, all caps (%)", case_shares, directory / stem, reading)
        label = "taken by overheads (points)"
        paths += draw_map(here, names, label, case_losses, directory / f"{stem}-overheads", reading)
    return paths


#: By case: a number.
Cases = dict[tuple[Any, ...], float]


def case_shares(results: Results, name: str) -> Cases:
    """The percentage of schedulable sets."""
    return {case: percent(counted) for case, counted in by_case(results, [name])[name].items()}


def case_losses(results: Results, name: str) -> Cases:
    """The percentage points that overheads take away."""
    charged = case_shares(results, charged_name(name))
    return {case: value - charged[case] for case, value in case_shares(results, name).items()}


def draw_map(
    results: Results,
    names: Sequence[str],
    label: str,
    values: Callable[[Results, str], Cases],
    stem: Path,
    reading: str,
) -> list[Path]:
    """Rows: periods, utilizations and lengths. Columns: resources, then probabilities."""
    import matplotlib.pyplot as plt

    rows = [(p, u, length) for p in PERIODS for u in UTILIZATIONS for length in LENGTHS]
    columns = [(n, p) for n in RESOURCES for p in PROBABILITIES]
    found = {name: values(results, name) for name in names}
    most = 100 if values is case_shares else max(1.0, *(max(cases.values()) for cases in found.values()))
    with paper_style():
        figure, insets = plt.subplots(1, len(names), figsize=(PAGE, 3.2), sharey=True, squeeze=False)
        for axes, name in zip(insets[0], names, strict=True):
            cells = [[found[name][(*row, *column)] for column in columns] for row in rows]
            image = axes.imshow(cells, vmin=0, vmax=most, aspect="auto", cmap="cividis")
            axes.set_title(name)
            axes.set_xticks(range(0, len(columns), len(PROBABILITIES)), [f"{n}" for n in RESOURCES])
            axes.set_xlabel("$n_{res}$, within each $p^{acc}$")
            axes.grid(False)
        insets[0][0].set_yticks(range(len(rows)), [f"{p[:3]}. {u}, {length}" for p, u, length in rows], fontsize=5)
        figure.colorbar(image, ax=list(insets[0]), label=label)
        footnote(
            figure,
            f"rows: periods, utilizations, sections; sets per case and cap: {results.provenance['sets']}",
            f"{'without overheads' if values is case_shares else note(results)}; {READINGS[reading]}",
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
    """By both readings."""
    return of_both(results, claims_of_one)


def claims_of_one(results: Results) -> list[Claim]:
    """The observations i to v at the end of section IV-C, and what it concludes of overheads."""
    return [
        overhead_claim(
            results,
            "i: PIP is less sensitive to run-time overhead than PCP and IPCP",
            lambda: least_sensitive(results.where(processors=1), "PIP", ("PCP", "IPCP")),
        ),
        *(medium(results, name) for name in ("PIP", "PCP", *SEVERAL, "SRP")),
        *(homogeneity(results, name) for name in ("PCP", "SRP", *SEVERAL)),
        *(sections(results, name) for name in ("PCP", "SRP", *SEVERAL)),
        overhead_claim(
            results,
            "v: due to higher overhead, even with better schedulability, MSRP can be worse than MPCP",
            lambda: can_be_worse(results),
        ),
        *(many_resources(results, name) for name in ("PIP", "PCP", "SRP", *SEVERAL)),
        *(close_to_bounds(results, name) for name in ("PIP", "PCP", "SRP", *SEVERAL)),
        great_majority(results),
    ]


def can_be_worse(results: Results) -> tuple[bool, str]:
    """Whether MSRP is better than MPCP in some case, and worse with overheads; of cases, over all caps."""
    several = Results(results.table.filter(pc.field("processors") > 1), results.provenance)
    free: Cases = {}
    charged: Cases = {}
    for processors in several.values("processors"):
        here = several.where(processors=processors)
        for found, named in ((free, str), (charged, charged_name)):
            shares = {name: case_shares(here, named(name)) for name in SEVERAL}
            found |= {(processors, *case): shares["MSRP"][case] - shares["MPCP"][case] for case in shares["MSRP"]}
    better = [case for case, points in free.items() if points > 0]
    turned = [case for case in better if charged[case] < 0]
    numbers = f"MSRP is better in {len(better)} of {len(free)} cases, with overheads worse in {len(turned)} of these"
    return bool(turned), numbers


def many_resources(results: Results, name: str) -> Claim:
    """The sentence after the observations."""
    few, many = min(results.values("resources")), max(results.values("resources"))
    all_lost = {f"with {n} resources": lost(results.where(resources=n), name) for n in (few, many)}
    agrees = all_lost[f"with {many} resources"] > all_lost[f"with {few} resources"]
    return judge(f"overheads are felt when the number of shared resources is high: {name}", agrees, say_lost(all_lost))


def close_to_bounds(results: Results, name: str) -> Claim:
    """The same sentence: theoretical bounds lie above a load of 69% under fixed priorities, at 100% under EDF."""
    high = Results(results.table.filter(pc.field("share") > HIGH), results.provenance)
    low = Results(results.table.filter(pc.field("share") <= HIGH), results.provenance)
    all_lost = {f"up to {HIGH:.0%}": lost(low, name), "above it": lost(high, name)}
    agrees = all_lost["above it"] > all_lost[f"up to {HIGH:.0%}"]
    text = f"overheads are felt when the load is close to theoretical upper bounds (caps above {HIGH:.0%}): {name}"
    return judge(text, agrees, say_lost(all_lost))


def great_majority(results: Results) -> Claim:
    """The last sentence of section IV-C; great is a majority of nine in ten."""
    cases = [
        points
        for processors in results.values("processors")
        for name in (ONE if processors == 1 else SEVERAL)
        for points in case_losses(results.where(processors=processors), name).values()
    ]
    small = sum(points < SMALL for points in cases)
    text = (
        f"in the great majority of cases (90%) overheads have no adverse impact: they take less than {SMALL:g} points"
    )
    agrees = small >= 0.9 * len(cases)
    return judge_small(results, text, agrees, f"{100 * small / len(cases):.1f}% of {len(cases)} cases")


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
    settable=(SHARES,),
    plot=plot,
    claims=claims,
    sets=10,
    sets_per_unit=50,
    takes_overheads=True,
    parameters={"readings": list(READINGS), "questions": {**ONE, **SEVERAL}, **CHARGED},
)  # fmt: skip
