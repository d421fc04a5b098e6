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

import pyarrow.compute as pc

from schedlab.plots import (
    Curve,
    chosen_confidence,
    draw_curves,
    draw_dotted,
    footnote,
    paper_style,
    save_figure,
    wilson_interval,
)
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Point, Results, Settings, Study, Unit, grid, judge

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
    by_reading,
    charged_name,
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
    small_impact,
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
    return of_both(results, claims_of_one)


def claims_of_one(results: Results) -> list[Claim]:
    """Section IV-C, the paragraph on figure 3, and observation i; of PIP and PCP also section V."""
    degrade, chained, worse = [], [], []
    for utilization in UTILIZATIONS:
        here = results.where(utilization=utilization)
        pip, pcp = ({n: share(here.where(resources=n), name) for n in RESOURCES} for name in ("PIP", "PCP"))
        low, high = pip[RESOURCES[0]][0], pip[RESOURCES[-1]][0]
        apart = wilson_interval(*pip[RESOURCES[-1]])[1] < wilson_interval(*pip[RESOURCES[0]])[0]
        text = f"PIP degrades significantly (99%) with the number of shared resources: {utilization}"
        degrade.append(judge(text, apart, f"all caps together, by number of resources: {say(pip)}"))
        lost = low - high, pcp[RESOURCES[0]][0] - pcp[RESOURCES[-1]][0]
        text = f"that is due to chained blocking: PIP loses more than PCP: {utilization}"
        chained.append(judge(text, lost[0] > lost[1], f"PIP {say(pip)}; PCP {say(pcp)}"))
        both = {name: share(here, name) for name in ("PIP", "PCP")}
        text = f"PIP has worse schedulability ratios than PCP: {utilization}"
        worse.append(judge(text, percent(both["PIP"]) < percent(both["PCP"]), f"all points together: {say(both)}"))
    return [
        *degrade,
        *chained,
        *worse,
        *immediate(results),
        small_impact(results, ONE),
        overhead_claim(
            results,
            f"for high utilizations (caps above {HIGH:g}) SRP's overhead degrades it more than other protocols",
            lambda: most_degraded(results, "SRP"),
        ),
        overhead_claim(
            results,
            "PIP is less sensitive to run-time overhead than PCP and IPCP",
            lambda: least_sensitive(results, "PIP", ("PCP", "IPCP")),
        ),
    ]


def immediate(results: Results) -> list[Claim]:
    """Early blocking reduces the number of context switches, which is all that tells IPCP's bound from PCP's."""
    both = {name: share(results, name) for name in map(charged_name, ("PCP", "IPCP"))}
    pcp, ipcp = map(percent, both.values())
    return [
        judge(
            "early blocking in IPCP reduces the number of context switches: with overheads no fewer sets than PCP",
            ipcp >= pcp,
            f"{say(both)}; without overheads their bounds are the same",
        ),
        judge(
            "but its benefit compared to PCP is barely discernible: at most one point", abs(ipcp - pcp) <= 1, say(both)
        ),
    ]


def most_degraded(results: Results, name: str) -> tuple[bool, str]:
    """Whether overheads take most from ``name`` at high caps."""
    high = Results(results.table.filter(pc.field("cap") > HIGH), results.provenance)
    all_lost = {one: lost(high, one) for one in ONE}
    return all_lost[name] == max(all_lost.values()) > 0, say_lost(all_lost)


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
