"""The whole grid of resource-protocols-2020, section IV-C: 1,440 combinations, each with its protocols.

Processors x periods x utilizations x resources x probabilities x lengths of sections; PIP, PCP, IPCP and SRP on one
processor (1,800 cases with both bounds of PIP), MPCP and MSRP on more (2,160; MPCP with either ceilings), each without
overheads and with them. The paper does not say how its "more than 2,500 cases" are counted. Each case has twenty caps,
5% to 100% of its processors: the paper's step of 0.05 on one processor, 0.05 m on m. On eight processors, those of
figure 4, the step is 0.05, too. All by both readings of short WCETs (`_sets.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from schedlab.plots import footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Parameter, Results, Study, Unit, grid
from schedlab.studies.checks import Check, Every, Lies, Most, Some, more
from schedlab.studies.claims import Sentence
from schedlab.studies.estimates import less
from schedlab.studies.mutants import loses, wins
from schedlab.studies.seeds import derive_seed

from ._sets import (
    CEILINGS,
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
    Small,
    after,
    apart,
    are_measured,
    by_reading,
    charged_name,
    judge_unit,
    least_sensitive,
    lost,
    measured_loss,
    note,
    of_both,
    overhead_sentence,
    percent,
    read_name,
    share,
    small_impact,
)

SHARES = Parameter(
    "caps", tuple(step / 20 for step in range(1, 21)), "caps on the utilization, as shares of the processors", low=0.05,
    high=1,
)  # fmt: skip
#: Cases of this many processors have the paper's step of 0.05, unless a run has caps of its own.
FINE = 8
#: Caps above this part of the processors are close to theoretical bounds: Liu and Layland's for many tasks is 69%.
HIGH = 0.65
ASKED = [*ONE, *SEVERAL, *map(charged_name, [*ONE, *SEVERAL])]
COLUMNS = [read_name(name, reading) for reading in READINGS for name in ASKED]


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """One row for each set and cap; protocols for other numbers of processors are unknown."""
    processors = int(unit.parameters["processors"])
    questions = ONE if processors == 1 else SEVERAL
    rows: dict[str, list[Any]] = {name: [] for name in ("set", "share", "tasks", *COLUMNS)}
    for part in shares_of(unit.settings[SHARES], processors):
        # Other sets at each cap, not the same ones cut short; steps of a twentieth are whole numbers.
        step = round(part * 20)
        own = replace(unit, seed=derive_seed(unit.seed, step if step / 20 == part else str(part)))
        found = judge_unit(own, unit.parameters, questions, round(part * processors, 2))
        count = len(found["tasks"])
        rows["set"] += list(unit.sets)
        rows["share"] += [part] * count
        for name in ("tasks", *COLUMNS):
            rows[name] += found.get(name, [None] * count)
    return rows


def shares_of(chosen: Sequence[float], processors: int) -> Sequence[float]:
    """The caps of a case, as shares of its processors."""
    if processors != FINE or tuple(chosen) != SHARES.default:
        return chosen
    return [step / (20 * FINE) for step in range(1, 20 * FINE + 1)]


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
    return of_both(results, sentences)


def sentences(results: Results) -> list[Sentence]:
    """The observations i to v at the end of section IV-C, and what it concludes of overheads."""
    several = Results(results.table.filter(pc.field("processors") > 1), results.provenance)
    protocols, four = ("PIP", "PCP", "SRP", *SEVERAL), ("PCP", "SRP", *SEVERAL)
    return [
        overhead_sentence(
            results,
            "i: PIP is less sensitive to run-time overhead than PCP and IPCP",
            lambda: least_sensitive(results.where(processors=1), "PIP", ("PCP", "IPCP")),
            loses("a PIP that overheads take everything from", "PIP, with overheads"),
        ),
        Sentence(
            "ii: schedulability is higher with medium than light utilizations",
            {name: higher(results, name, "utilization", "medium", "light") for name in protocols},
            loses(
                "protocols that schedule no set of medium utilizations", *protocols,
                where=lambda row: row["utilization"] == "medium",
            ),
        ),
        Sentence(
            "iii: homogeneity of periods has a major effect, as short ones, which are heterogeneous, suffer more from "
            f"blocking (our reading: more than {SMALL:g} points)",
            {name: higher(results, name, "periods", "homogeneous", "heterogeneous", SMALL) for name in four},
            loses(
                "protocols that schedule no set of homogeneous periods", *four,
                where=lambda row: row["periods"] == "homogeneous",
            ),
        ),
        Sentence(
            "iv: section lengths impact light utilizations most",
            {name: Every(sections(results, name)) for name in four},
            loses(
                "protocols that schedule no set of heavy utilizations with long sections", *four,
                where=lambda row: row["utilization"] == "heavy" and row["lengths"] == "long",
            ),
        ),
        overhead_sentence(
            results,
            "v: due to higher overhead, even with better schedulability, MSRP can be worse than MPCP",
            lambda: can_be_worse(results),
            wins("an MSRP that overheads take nothing from", "MSRP, with overheads"),
        ),
        Sentence(
            "overheads are felt when the number of shared resources is high",
            {name: many_resources(results, name) for name in protocols},
            loses(
                f"overheads that take all sets with {RESOURCES[0]} resource", *map(charged_name, protocols),
                where=lambda row: row["resources"] == RESOURCES[0],
            ),
        ),
        Sentence(
            f"overheads are felt when the load is close to theoretical upper bounds (caps above {HIGH:.0%})",
            {name: close_to_bounds(results, name) for name in protocols},
            loses(
                f"overheads that take all sets up to {HIGH:.0%}", *map(charged_name, protocols),
                where=lambda row: row["share"] <= HIGH,
            ),
        ),
        great_majority(results),
        small_impact(results, {name: results.where(processors=1) for name in ONE} | dict.fromkeys(SEVERAL, several)),
    ]  # fmt: skip


def higher(results: Results, name: str, column: str, high: str, low: str, points: float = 0) -> Check:
    """Whether a protocol schedules more sets of one kind than of another, by so many percentage points at least.

    Each kind has sets of its own.
    """
    first, second = (share(results.where(**{column: kind}), name, kind) for kind in (high, low))
    return Lies(less(first, second), low=points)


def can_be_worse(results: Results) -> dict[str, Check]:
    """Whether there is a case in which MSRP is better than MPCP, and worse with overheads; of cases, over all caps."""
    found: dict[str, dict[str, Check]] = {name: {} for name in CEILINGS}
    for case, here in cases_of(Results(results.table.filter(pc.field("processors") > 1), results.provenance)):
        for name, of_name in found.items():
            free = more(apart(here, "MSRP", name))
            charged = more(apart(here, *map(charged_name, (name, "MSRP"))))
            of_name[case] = Every({"better": free, "worse with overheads": charged})
    return {CEILINGS[name]: Some(of_name) for name, of_name in found.items()}


def cases_of(results: Results) -> Iterator[tuple[str, Results]]:
    """The rows of each case, with its name."""
    keys = ["processors", "periods", "utilization", "lengths", "resources", "probability"]
    rows: dict[tuple[Any, ...], list[int]] = {}
    for at, key in enumerate(zip(*(results.table.column(key).to_pylist() for key in keys), strict=True)):
        rows.setdefault(key, []).append(at)
    for key, places in rows.items():
        yield ", ".join(map(str, key)), Results(results.table.take(places), results.provenance)


def many_resources(results: Results, name: str) -> Check:
    """The sentence after the observations."""
    few, many = (lost(results.where(resources=n), name) for n in (RESOURCES[0], RESOURCES[-1]))
    told = f"points taken with {RESOURCES[-1]} resources {many.value:.2f}, with {RESOURCES[0]} {few.value:.2f}; apart"
    return more(less(many, few, told))


def close_to_bounds(results: Results, name: str) -> Check:
    """The same sentence: theoretical bounds lie above a load of 69% under fixed priorities, at 100% under EDF."""
    high, low = (lost(after(results, "share", HIGH, above=above), name) for above in (True, False))
    return more(less(high, low, f"points taken above {high.value:.2f}, up to {HIGH:.0%} {low.value:.2f}; apart"))


def great_majority(results: Results) -> Sentence:
    """The last sentence of section IV-C; great is a majority of nine in ten."""
    small = {
        f"{case}, {name}": Lies(lost(here, name), high=SMALL)
        for case, here in cases_of(results)
        for name in (ONE if here.values("processors") == [1] else SEVERAL)
    }
    return Sentence(
        "in the great majority of cases overheads have no adverse impact (our reading: in 90% of cases they take less "
        f"than {SMALL:g} points)",
        {"": Small(Most(small, 0.9), are_measured(results))},
        measured_loss("measured overheads with which no protocol schedules a set", *ONE, *SEVERAL),
    )


def sections(results: Results, name: str) -> dict[str, Check]:
    """Observation iv: what long sections take from light utilizations is above what they take from others, and 0."""
    lost = {}
    for utilization in UTILIZATIONS:
        here = results.where(utilization=utilization)
        short, long = (share(here.where(lengths=length), name, length) for length in ("short", "long"))
        told = f"{utilization}: short {short.value:.1f}%, long {long.value:.1f}%"
        lost[utilization] = less(short, long).called(told, " points")
    others = {
        f"than {utilization}": more(less(lost["light"], lost[utilization])) for utilization in ("medium", "heavy")
    }
    return {"light": more(lost["light"]), **others}


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
