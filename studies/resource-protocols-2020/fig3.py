"""Figure 3 of resource-protocols-2020: PIP, PCP, IPCP and SRP on one processor, by the cap on utilization.

Heterogeneous periods, long critical sections. The text names neither the insets' numbers of resources nor their
probability of access: here 1, 4 and 16 resources, each used with probability 0.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import Curve, draw_curves, footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Study, Unit, grid, judge
from schedlab.studies.study import Scalar

from ._sets import NOTE, ONE, SOURCE, UTILIZATIONS, judge_unit, overhead_claim, say, share

FIXED: dict[str, Scalar] = {"processors": 1, "periods": "heterogeneous", "lengths": "long", "probability": 0.5}
RESOURCES = (1, 4, 16)
CAPS = [step / 20 for step in range(1, 21)]


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """All protocols on the same sets."""
    return judge_unit(unit, {**FIXED, **unit.parameters}, ONE, float(unit.parameters["cap"]))


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure: rows of utilizations, columns of numbers of resources."""
    import matplotlib.pyplot as plt

    with paper_style():
        size = (len(UTILIZATIONS), len(RESOURCES))
        figure, insets = plt.subplots(*size, figsize=(PAGE, 5.6), sharex=True, sharey=True)
        for row, utilization in zip(insets, UTILIZATIONS, strict=True):
            for axes, resources in zip(row, RESOURCES, strict=True):
                counted = results.where(utilization=utilization, resources=resources).counts("cap", list(ONE))
                curves = [
                    Curve(name, [(cap, *counts[name]) for cap, counts in counted.items()], style)
                    for style, name in enumerate(ONE)
                ]
                draw_curves(axes, curves)
                axes.set_title(f"{utilization} utilizations, $n_{{res}}$ = {resources}")
            row[0].set_ylabel("schedulable sets (%)")
        for axes in insets[-1]:
            axes.set_xlabel("utilization cap")
        insets[0][0].legend(loc="lower left")
        footnote(
            figure,
            f"{NOTE}; {results.provenance['sets']} sets per point, bands: 99% confidence (Wilson)",
        )
        return save_figure(figure, directory / "2020-fig3")


def claims(results: Results) -> list[Claim]:
    """Section IV-C, the paragraph on figure 3."""
    degrade, chained = [], []
    for utilization in UTILIZATIONS:
        here = results.where(utilization=utilization)
        pip, pcp = ({n: share(here.where(resources=n), name) for n in RESOURCES} for name in ("PIP", "PCP"))
        low, high = pip[RESOURCES[0]][0], pip[RESOURCES[-1]][0]
        text = f"PIP degrades significantly with the number of shared resources: {utilization}"
        degrade.append(judge(text, high < low, f"all caps together, by number of resources: {say(pip)}"))
        lost = low - high, pcp[RESOURCES[0]][0] - pcp[RESOURCES[-1]][0]
        text = f"that is due to chained blocking: PIP loses more than PCP: {utilization}"
        chained.append(judge(text, lost[0] > lost[1], f"PIP {say(pip)}; PCP {say(pcp)}"))
    both = {name: share(results, name) for name in ("PCP", "IPCP")}
    text = "the benefit of IPCP compared to PCP is barely discernible"
    same = abs(both["PCP"][0] - both["IPCP"][0]) * 100 <= both["PCP"][1]
    return [
        *degrade,
        *chained,
        judge(text, same, f"{say(both)}; their bounds are the same, only overheads could tell them apart"),
        overhead_claim("early blocking in IPCP reduces the number of context switches"),
        overhead_claim("for high utilizations the overhead of SRP degrades it more than other protocols"),
        overhead_claim("PIP is less sensitive to run-time overhead than PCP and IPCP"),
    ]


study = Study(
    name="2020-fig3",
    title="resource-protocols-2020, figure 3: four protocols on one processor",
    source=SOURCE,
    points=grid(utilization=list(UTILIZATIONS), resources=list(RESOURCES), cap=CAPS),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets_per_unit=50,
    parameters={**FIXED, "overheads": "unknown", "questions": dict(ONE)},
)
