"""Figure 3 of resource-protocols-2020: PIP, PCP, IPCP and SRP on one processor, by the cap on utilization.

Heterogeneous periods, long critical sections. The text names neither the insets' numbers of resources nor their
probability of access: here 1, 4 and 16 resources, each used with probability 0.5. Each reading of short WCETs
(`_sets.py`) has a figure of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from schedlab.plots import (
    Curve,
    chosen_confidence,
    draw_curves,
    draw_dotted,
    footnote,
    paper_style,
    save_figure,
)
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Point, Results, Settings, Study, Unit, grid
from schedlab.studies.checks import Check, Lies, more
from schedlab.studies.claims import Sentence
from schedlab.studies.estimates import less
from schedlab.studies.mutants import loses, wins

from ._sets import (
    CHARGED,
    LENGTH,
    NUMBERS,
    ONE,
    PERIODS_CHOICE,
    PROBABILITY,
    READINGS,
    SOURCE,
    UTILIZATIONS,
    after,
    apart,
    by_reading,
    charged_name,
    judge_unit,
    least_sensitive,
    lost_more,
    note,
    of_both,
    overhead_sentence,
    read_name,
    share,
    values,
)

RESOURCES = (1, 4, 16)
INSETS = replace(NUMBERS, default=RESOURCES)
FIXED = (PERIODS_CHOICE, LENGTH, PROBABILITY)
CAPS = [step / 20 for step in range(1, 21)]
#: What counts as a high utilization.
HIGH = 0.75


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """All protocols on the same sets."""
    parameters = {"processors": 1, **values(unit.settings, FIXED), **unit.parameters}
    return judge_unit(unit, parameters, ONE, float(unit.parameters["cap"]))


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure by each reading of short WCETs."""
    return [path for reading in READINGS for path in draw(results, reading, directory)]


def draw(results: Results, reading: str, directory: Path) -> Sequence[Path]:
    """Rows of utilizations, columns of numbers of resources; solid without overheads, dotted with them."""
    import matplotlib.pyplot as plt

    with paper_style():
        numbers = results.settings[INSETS]
        size = (len(UTILIZATIONS), len(numbers))
        figure, insets = plt.subplots(*size, figsize=(PAGE, 5.6), sharex=True, sharey=True, squeeze=False)
        for row, utilization in zip(insets, UTILIZATIONS, strict=True):
            for axes, resources in zip(row, numbers, strict=True):
                here = by_reading(results, reading).where(utilization=utilization, resources=resources)
                counted = here.counts("cap", [*ONE, *map(charged_name, ONE)])

                def curves(named: Callable[[str], str], counted: Any = counted) -> list[Curve]:
                    return [
                        Curve(name, [(cap, *counts[named(name)]) for cap, counts in counted.items()], style)
                        for style, name in enumerate(ONE)
                    ]

                draw_curves(axes, curves(str), solid=True, accent=("PIP",))
                draw_dotted(axes, curves(charged_name))
                axes.set_title(f"{utilization} utilizations, $n_{{res}}$ = {resources}")
            row[0].set_ylabel("schedulable sets (%)")
        for axes in insets[-1]:
            axes.set_xlabel("utilization cap")
        handles, labels = insets[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(ONE))
        footnote(
            figure,
            f"solid: without overheads, dotted: {note(results)}; {results.provenance['sets']} sets per point, "
            f"bands where apart: {chosen_confidence()} (Wilson); {READINGS[reading]}",
        )
        return save_figure(figure, directory / read_name("2020-fig3", reading).replace(", ", "-"))


def claims(results: Results) -> list[Claim]:
    """By both readings."""
    return of_both(results, sentences)


def sentences(results: Results) -> list[Sentence]:
    """Section IV-C, the paragraph on figure 3, and observation i; of PIP and PCP also section V."""
    few, many = RESOURCES[0], RESOURCES[-1]
    by_utilization = {utilization: results.where(utilization=utilization) for utilization in UTILIZATIONS}
    ends = {name: (here.where(resources=few), here.where(resources=many)) for name, here in by_utilization.items()}
    return [
        Sentence(
            "PIP degrades significantly with the number of shared resources",
            {
                name: more(less(share(first, "PIP", f"PIP, {few} resource"), share(last, "PIP", f"{many}")))
                for name, (first, last) in ends.items()
            },
            loses(f"a PIP that schedules no set with {few} resource", "PIP", where=lambda row: row["resources"] == few),
        ),
        Sentence(
            "that is due to chained blocking: PIP loses more than PCP",
            {
                name: more(less(apart(first, "PIP", "PCP"), apart(last, "PIP", "PCP")))
                for name, (first, last) in ends.items()
            },
            loses(f"a PCP that schedules no set with {many} resources", "PCP", where=lambda r: r["resources"] == many),
        ),
        Sentence(
            "PIP has worse schedulability ratios than PCP",
            {name: more(apart(here, "PCP", "PIP")) for name, here in by_utilization.items()},
            loses("a PCP that schedules no set", "PCP"),
        ),
        *immediate(results),
        overhead_sentence(
            results,
            f"for high utilizations (caps above {HIGH:g}) SRP's overhead degrades it more than other protocols",
            lambda: most_degraded(results, "SRP"),
            wins("an SRP that overheads take nothing from", "SRP, with overheads"),
        ),
        overhead_sentence(
            results,
            "PIP is less sensitive to run-time overhead than PCP and IPCP",
            lambda: least_sensitive(results, "PIP", ("PCP", "IPCP")),
            loses("a PIP that overheads take everything from", "PIP, with overheads"),
        ),
    ]


def immediate(results: Results) -> list[Sentence]:
    """Early blocking reduces the number of context switches, which is all that tells IPCP's bound from PCP's."""
    pcp, ipcp = map(charged_name, ("PCP", "IPCP"))
    mutant = loses("an IPCP that schedules no set with overheads", "IPCP, with overheads")
    return [
        Sentence(
            "early blocking in IPCP reduces the number of context switches: with overheads more sets than PCP",
            {"": more(apart(results, ipcp, pcp))},
            mutant,
        ),
        Sentence(
            "but its benefit compared to PCP is barely discernible: less than one point",
            {"": Lies(apart(results, ipcp, pcp), -1, 1)},
            mutant,
        ),
    ]


def most_degraded(results: Results, name: str) -> dict[str, Check]:
    """Whether overheads take most from ``name`` at high caps."""
    high = after(results, "cap", HIGH, above=True)
    return {f"than {other}": more(lost_more(high, name, other)) for other in ONE if other != name}


def points(settings: Settings) -> list[Point]:
    """The grid."""
    return grid(utilization=list(UTILIZATIONS), resources=settings[INSETS], cap=CAPS)


study = Study(
    name="2020-fig3",
    title="resource-protocols-2020, figure 3: four protocols on one processor",
    source=SOURCE,
    points=points(Settings()),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets_per_unit=50,
    takes_overheads=True,
    settable=(INSETS, *FIXED),
    regrid=points,
    parameters={
        "processors": 1, **values(Settings(), FIXED), "readings": list(READINGS), "questions": dict(ONE), **CHARGED,
    },
)  # fmt: skip
