"""Figures 5 and 6 of block-or-not-2008 (appendix A): overheads by the number of tasks under P-EDF and G-EDF, really.

Each mark is one task set: its maximum and its mean; the lines are their averages over all sets of a size, and a
least-squares line through the maxima. The paper traced 80 sets of each size for 60 s, as --full does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from schedlab.plots import CURVES, GREY, PAGE
from schedlab.studies import Claim, Results, Unit, judge, listed, sentence
from schedlab.studies.checks import Check, Fact, Open
from schedlab.studies.lines import Line, line
from schedlab.studies.mutants import described

from ._overheads import OVERHEADS, SCHEDULERS, as_columns, by_size, rises, set_points, set_rows, study_of_sets, told

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = dict(zip(SCHEDULERS, ("figure 5", "figure 6"), strict=True))
#: "Similar".
ALIKE = 0.25
COLUMNS = {"max_ns": "maximum of a set", "mean_ns": "mean of a set"}


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """One run for each set."""
    return as_columns([row for index in unit.sets for row in set_rows(unit.parameters, index)])


def draw(results: Results) -> Mapping[str, Figure]:
    """A figure with six insets for each scheduler."""
    return {f"2008-appendix-a-{scheduler}": _draw(results, scheduler) for scheduler in SCHEDULERS}


def _draw(results: Results, scheduler: str) -> Figure:
    import matplotlib.pyplot as plt

    figure, insets = plt.subplots(2, 3, figsize=(PAGE, 4.2), sharex=True)
    for axes, (what, name), letter in zip(insets.flat, OVERHEADS.items(), "abcdef", strict=True):
        axes.set_title(f"({letter}) {name}")
        for at, (column, label) in enumerate(COLUMNS.items()):
            sizes, values = by_size(results, what, scheduler, column)
            style = {**CURVES[at], "linestyle": ""}
            axes.plot(sizes, values, label=label, alpha=0.5, **{**style, "markersize": 3})
            levels = sorted(set(sizes))
            axes.plot(levels, [values[sizes == one].mean() for one in levels], color=style["color"], linewidth=0.9)
            if column == "max_ns" and len(sizes) > 2:
                fit = line(sizes, values)
                ends = [min(levels), max(levels)]
                drawn = [fit.intercept + fit.slope * one for one in ends]
                axes.plot(ends, drawn, color=GREY, linewidth=0.9, linestyle=":", label="fit of maxima")
        axes.set_ylim(bottom=0)
    for axes in insets[1]:
        axes.set_xlabel("number of tasks N")
    for axes in insets[:, 0]:
        axes.set_ylabel("microseconds")
    # Above all insets: there is no place for it in one, whatever is measured.
    figure.legend(*insets[0][0].get_legend_handles_labels(), loc="outside upper right", ncols=len(COLUMNS) + 1)
    figure.suptitle(f"{FIGURES[scheduler]}: {scheduler}", x=0.02, ha="left")
    length = results.values("length")[0]
    sets = results.provenance["sets"]
    figure.supxlabel(
        f"{sets} task sets of each size, {length} each; the largest hundredth of all values dropped; lines: "
        "averages over the sets of a size"
    )
    return figure


def claims(results: Results) -> list[Claim]:
    """Appendix A, paragraph by paragraph."""
    lines = {
        (what, scheduler): line(*by_size(results, what, scheduler, "max_ns"))
        for what in OVERHEADS for scheduler in SCHEDULERS
    }  # fmt: skip
    means = {
        (what, scheduler): line(*by_size(results, what, scheduler, "mean_ns"))
        for what in OVERHEADS for scheduler in SCHEDULERS
    }  # fmt: skip

    def trend(what: str, scheduler: str, expected: bool, text: str) -> Claim:
        fit = lines[what, scheduler]
        other = described("a cost that no number of tasks changes" if expected else "a cost that rises with each task")
        return judge(text, rises(fit) == expected, f"maxima {told(fit)}", other)

    flat = [key for key, fit in lines.items() if not rises(fit) and key[0] not in ("scheduling", "release")]
    others = [key for key in lines if key[0] not in ("scheduling", "release")]
    rising = [f"{OVERHEADS[what]} under {scheduler}: {told(lines[what, scheduler])}" for what, scheduler in others
              if (what, scheduler) not in flat]  # fmt: skip
    rising_means = [
        f"{OVERHEADS[what]} under {scheduler}: {told(fit)}" for (what, scheduler), fit in means.items() if rises(fit)
    ]
    switches = {one: by_size(results, "context_switch", one, "max_ns")[1].mean() for one in SCHEDULERS}
    decisions = {one: by_size(results, "scheduling", one, "mean_ns")[1].mean() for one in SCHEDULERS}
    return [
        trend("scheduling", "G-EDF", True, "the worst-case scheduling overhead rises linearly with N under G-EDF"),
        trend("scheduling", "P-EDF", False, "the worst-case scheduling overhead is constant under P-EDF"),
        trend("release", "G-EDF", True, "the worst-case tick (here: release) rises linearly with N under G-EDF"),
        trend("release", "P-EDF", False, "the worst-case tick (here: release) is almost constant under P-EDF"),
        judge(
            "all other worst-case overheads are constant", len(flat) == len(others),
            "; ".join(rising) or "none of them rises clearly",
            described("a semaphore whose acquisition gets longer with each task"),
        ),
        judge(
            "all average overheads are constant", not rising_means,
            "; ".join(rising_means) or "none of them rises clearly",
            described("decisions whose mean gets longer with each task"),
        ),
        judge(
            "worst-case context switches cost less under G-EDF, as the scheduler's lock keeps them apart",
            switches["G-EDF"] < switches["P-EDF"], listed(switches, ".1f", " us"),
            described("context switches that take twice as long under G-EDF"),
        ),
        judge(
            "scheduling costs more under G-EDF on average",
            decisions["G-EDF"] > decisions["P-EDF"], listed(decisions, ".1f", " us"),
            described("decisions that take twice as long under P-EDF"),
        ),
        _falls(lines["context_switch", "G-EDF"]),
        _alike(results),
        sentence(
            "worst-case semaphore releases vary much more than any other overhead (1.5 times)",
            {scheduler: _varies_most(results, scheduler) for scheduler in SCHEDULERS},
            described("semaphore releases whose maxima never vary"),
        ),
    ]  # fmt: skip


def _falls(fit: Line) -> Claim:
    text = "worst-case context switches show a decreasing trend under G-EDF (the slope's 99% interval is below 0)"
    return judge(
        text,
        fit.slope < -fit.margin,
        f"maxima {told(fit)}",
        described("context switches that get longer with each task"),
    )


def _alike(results: Results) -> Claim:
    costs = {one: float(by_size(results, "leaving_np_section", one, "mean_ns")[1].mean()) for one in SCHEDULERS}
    text = f"delayed preemptions behave alike under both (means within {ALIKE:.0%})"
    return judge(
        text,
        max(costs.values()) <= (1 + ALIKE) * min(costs.values()),
        listed(costs, ".2f", " us"),
        described("delayed preemptions that take twice as long under G-EDF"),
    )


def _varies_most(results: Results, scheduler: str) -> Check:
    """By the coefficient of variation: their standard deviation over sets, by their mean."""
    maxima = {what: by_size(results, what, scheduler, "max_ns")[1] for what in OVERHEADS}
    varies = {name: float(maxima[what].std() / maxima[what].mean()) for what, name in OVERHEADS.items()}
    own = varies.pop(OVERHEADS["lock_release"])
    told = f"standard deviation by mean: {OVERHEADS['lock_release']} {own:.2f}, {listed(varies)}"
    if not any((own, *varies.values())):
        return Open("no maximum differs between sets")
    return Fact(own >= 1.5 * max(varies.values()), told)


study = study_of_sets(
    "2008-appendix-a", "block-or-not-2008, appendix A: overheads by the number of tasks, measured",
    set_points, 3, evaluate, draw, claims,
)  # fmt: skip
