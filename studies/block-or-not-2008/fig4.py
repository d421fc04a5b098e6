"""Figure 4 of block-or-not-2008: schedulability by access frequency, in the cases of figure 3 that are not all at 100%.

Soft sets under G-EDF and P-EDF on four processors, alpha = 1: (a) heaps with low utilizations, (b) buffers and (c)
heaps with high ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.plots import Curve, chosen_confidence, draw_curves, footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Settings, Study, sentence
from schedlab.studies.checks import Check, Every, Never, more
from schedlab.studies.estimates import shares_apart
from schedlab.studies.mutants import loses

from ._figures34 import KINDS, LOADS, SETTABLE, footnote_of, inset, overheads_of, points
from ._objects import FREQUENCIES, PROFILE, SCHEDULERS, SCHEMES, column, evaluate, shares
from ._sets import SOURCE

#: By the paper's caption: insets (a) to (c) are those of figure 3 that are (d), (c) and (f).
INSETS = {"a": ("heap", "low"), "b": ("buffer", "high"), "c": ("heap", "high")}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Three insets, as in the paper."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(1, len(INSETS), figsize=(PAGE, 2.8), sharey=True)
        for axes, (letter, (kind, load)) in zip(insets, INSETS.items(), strict=True):
            here = inset(results, kind, load)
            lines = [(scheduler, scheme) for scheduler in SCHEDULERS for scheme in SCHEMES]
            curves = [
                Curve(f"{scheduler} {scheme}", [(at, *counts) for at, counts in found.items()], style)
                for style, (scheduler, scheme) in enumerate(lines)
                for found in [shares(here, ("soft", scheduler), scheme, overheads_of(results))]
            ]
            draw_curves(axes, curves, accent=("G-EDF LF",))
            axes.set_title(f"({letter}) {kind}s, {load} utilizations")
            axes.set_xlabel("K: accesses a task")
            axes.set_xticks(FREQUENCIES)
        insets[0].set_ylabel("schedulable sets (%)")
        insets[0].legend()
        footnote(
            figure,
            f"{footnote_of(results)}; {results.provenance['sets']} sets per point, "
            f"bands where apart: {chosen_confidence()} (Wilson)",
        )
        return save_figure(figure, directory / "2008-fig4")


def claims(results: Results) -> list[Claim]:
    """The caption of figure 4, and what its insets tell of retries."""
    overheads = overheads_of(results)

    def answers(kind: str, load: str, scheduler: str, scheme: str) -> list[bool | None]:
        found = inset(results, kind, load).table.column(column("soft", scheduler, scheme, overheads))
        answered: list[bool | None] = found.to_pylist()
        return answered

    def all_of(kind: str, load: str) -> Check:
        found = {f"{one} {scheme}": answers(kind, load, one, scheme) for one in SCHEDULERS for scheme in SCHEMES}
        return Every({
            name: Never(of.count(False), len(of), "schedulable") for name, of in found.items()
        })  # fmt: skip

    def apart(scheme: str) -> Check:
        own, lock_free = (answers("heap", "low", "G-EDF", one) for one in (scheme, "LF"))
        return more(shares_apart(own, lock_free, (scheme, "LF"), len(FREQUENCIES)))

    whole = [(kind, load) for kind in KINDS for load in LOADS if (kind, load) not in INSETS.values()]
    lost = [column("soft", scheduler, "LF", overheads) for scheduler in SCHEDULERS]
    return [
        sentence(
            "in the cases of figure 3 that are not drawn, schedulability under each scheme is 100%",
            {f"{kind}s, {load} utilizations": all_of(kind, load) for kind, load in whole},
            loses("an LF that schedules no set", *lost),
        ),
        sentence(
            "(a): complex objects, low utilizations: wait-free is better than lock-free, for excessive retries (G-EDF)",
            {"": apart("WF")},
            loses("a WF that schedules no set", column("soft", "G-EDF", "WF", overheads)),
        ),
    ]


study = Study(
    name="2008-fig4",
    title="block-or-not-2008, figure 4: schedulability by access frequency",
    source=SOURCE,
    points=points(Settings()),
    settable=SETTABLE,
    regrid=points,
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=50,
    full_sets=50,
    sets_per_unit=10,
    takes_overheads=True,
    parameters={"overheads": PROFILE},
    family="2008-objects",
)
