"""Figure 4 of resource-protocols-2020: MPCP under P-RM and MSRP under P-EDF on eight processors.

Medium utilizations, heterogeneous periods, short critical sections, each resource used with probability 0.75.
Each reading of short WCETs (`_sets.py`) has a figure of its own. MPCP has the paper's ceilings (`mpcp-all`) beside
Rajkumar's (`mpcp`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from schedlab.plots import Curve, chosen_confidence, draw_curves, draw_dotted, footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Parameter, Point, Results, Settings, Study, Unit, grid
from schedlab.studies.checks import Check, Every, Some, more
from schedlab.studies.claims import Sentence
from schedlab.studies.estimates import less
from schedlab.studies.mutants import loses, wins

from ._sets import (
    CEILINGS,
    CHARGED,
    FREE,
    LENGTH,
    NUMBERS,
    PERIODS_CHOICE,
    PROBABILITY,
    READINGS,
    RESOURCES,
    SEVERAL,
    SOURCE,
    UTILIZATION,
    apart,
    by_reading,
    charged_name,
    judge_unit,
    note,
    of_both,
    overhead_sentence,
    read_name,
    share,
    values,
)

PROCESSORS = Parameter("processors", 8, "processors, and the largest cap on the utilization", low=2, high=64)
FIXED = (
    PROCESSORS, PERIODS_CHOICE, UTILIZATION, replace(LENGTH, default="short"), replace(PROBABILITY, default=0.75),
)  # fmt: skip
QUESTIONS = {**SEVERAL, **FREE}


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Both protocols, and the same sets without sharing."""
    parameters = {**values(unit.settings, FIXED), **unit.parameters}
    return judge_unit(unit, parameters, QUESTIONS, float(unit.parameters["cap"]))


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure by each reading of short WCETs."""
    return [path for reading in READINGS for path in draw(results, reading, directory)]


def draw(results: Results, reading: str, directory: Path) -> Sequence[Path]:
    """One inset for each number of resources; solid without overheads, dotted with them."""
    import matplotlib.pyplot as plt

    with paper_style():
        numbers = results.settings[NUMBERS]
        figure, rows = plt.subplots(1, len(numbers), figsize=(PAGE, 2.6), sharey=True, squeeze=False)
        insets = rows[0]
        for axes, resources in zip(insets, numbers, strict=True):
            here = by_reading(results, reading).where(resources=resources)
            counted = here.counts("cap", [*QUESTIONS, *map(charged_name, SEVERAL)])
            coarse = [cap for cap in counted if round(cap * 20) % 4 == 0]

            def curves(names: Iterable[str], counted: Any = counted, coarse: Any = coarse) -> list[Curve]:
                return [
                    Curve(name, [(cap, *counted[cap][name]) for cap in coarse], style)
                    for style, name in enumerate(names)
                ]

            draw_curves(axes, curves(QUESTIONS), solid=True, accent=("MSRP",))
            draw_dotted(axes, curves(map(charged_name, SEVERAL)))
            axes.set_xlim(0, results.settings[PROCESSORS] * 1.025)
            axes.set_title(f"$n_{{res}}$ = {resources}")
            axes.set_xlabel("utilization cap")
        insets[0].set_ylabel("schedulable sets (%)")
        handles, labels = insets[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=4)
        footnote(
            figure,
            f"solid: without overheads, dotted: {note(results)}; {results.provenance['sets']} sets per point, every "
            f"fourth cap drawn; bands where apart: {chosen_confidence()}; {READINGS[reading]}",
        )
        return save_figure(figure, directory / read_name("2020-fig4", reading).replace(", ", "-"))


def claims(results: Results) -> list[Claim]:
    """By both readings."""
    return of_both(results, sentences)


def sentences(results: Results) -> list[Sentence]:
    """Section IV-C, the paragraph on figure 4, and observation v."""
    by_number = {n: results.where(resources=n) for n in RESOURCES}
    most = RESOURCES[-1]

    def steps(name: str) -> dict[str, Check]:
        shares = {n: share(here, name, f"{n} resources") for n, here in by_number.items()}
        return {f"{a} and {b}": more(less(shares[a], shares[b])) for a, b in pairwise(RESOURCES)}

    return [
        Sentence(
            "having more shared resources leads to lower schedulability, from each number to the next",
            {name: Every(steps(name)) for name in SEVERAL},
            wins(f"a protocol that schedules all sets with {most} resources", *SEVERAL,
                 where=lambda row: row["resources"] == most),
        ),
        Sentence(
            "v: without overheads MSRP can have the better schedulability: with some number of resources",
            {
                ceilings: Some({f"{n} resources": more(apart(here, "MSRP", name)) for n, here in by_number.items()})
                for name, ceilings in CEILINGS.items()
            },
            wins("an MPCP that schedules all sets", "MPCP"),
        ),
        overhead_sentence(
            results,
            "MSRP performance is degraded and worse than MPCP, by the management of its ceilings: with overheads",
            lambda: {
                f"{n} resources, {ceilings}": more(apart(here, charged_name(name), charged_name("MSRP")))
                for n, here in by_number.items()
                for name, ceilings in CEILINGS.items()
            },
            loses("an MPCP that schedules no set with overheads", *map(charged_name, CEILINGS)),
        ),
    ]  # fmt: skip


def points(settings: Settings) -> list[Point]:
    """The grid: caps up to the number of processors."""
    return grid(resources=settings[NUMBERS], cap=[step / 20 for step in range(1, 20 * settings[PROCESSORS] + 1)])


study = Study(
    name="2020-fig4",
    title="resource-protocols-2020, figure 4: MPCP and MSRP on eight processors",
    source=SOURCE,
    points=points(Settings()),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets_per_unit=50,
    takes_overheads=True,
    settable=(*FIXED, NUMBERS),
    regrid=points,
    parameters={**values(Settings(), FIXED), "readings": list(READINGS), "questions": dict(QUESTIONS), **CHARGED},
)
