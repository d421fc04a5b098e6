"""Figure 12 of staggered-pfair-2005: cycles lost to bus contention if each task writes to random cells of its array.

The array is a fraction alpha of the cache's size. The paper has no confidence intervals: its simulations took too long.
Each repetition here draws one order of cells for each array, the same for both models. The claim speaks of all
cases, so its intervals are right together 99 times in 100 (Bonferroni).

What the text leaves open is varied at some points; `2005-fig12-range` shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import (
    ORANGE,
    PAGE,
    Means,
    chosen_confidence,
    draw_means,
    footnote,
    mean_interval,
    paper_style,
    save_figure,
)
from schedlab.studies import Claim, Point, Results, Settings, Study, Unit, grid, judge, sentence
from schedlab.studies.checks import Check, Every, Fact, Lies, Open, more
from schedlab.studies.estimates import Estimate, less, mean
from schedlab.studies.mutants import by_row, scaled

from ._bus import (
    BETWEEN,
    LINE,
    LINE_CYCLES,
    MODELS,
    QUANTUM,
    SLOTS,
    SOURCE,
    conditions,
    line_of,
    lost_per_task,
    random_cells,
    see,
)

ALPHAS = [0.2, 0.4, 0.6, 0.8, 1.0]
PROCESSORS = list(range(1, 17))
RANGE = [12, 16, 20, 24, 32, 48]
RANGE_ALPHAS = [0.2, 0.6, 1.0]
RANGE_PROCESSORS = [2, 8, 12, 16]


def points(settings: Settings) -> list[Point]:
    """The figure's, and by default some of other buses."""
    gap = [settings[BETWEEN]]
    figure = grid(line_cycles=[settings[LINE]], gap=gap, alpha=ALPHAS, processors=PROCESSORS)
    if settings.changed:
        return figure
    others = [cycles for cycles in RANGE if cycles != LINE_CYCLES]
    return figure + grid(line_cycles=others, gap=gap, alpha=RANGE_ALPHAS, processors=RANGE_PROCESSORS)


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Cycles lost per task under both models, by repetition."""
    at = unit.parameters
    machine = {"gap": int(at["gap"]), **line_of(int(at["line_cycles"]))}
    cells = [random_cells(float(at["alpha"]), unit.set_seed(index)) for index in unit.sets]
    return {
        model: [lost_per_task(see(model, int(at["processors"]), **machine, **drawn)) for drawn in cells]
        for model in MODELS
    }


#: Mean and the ends of its interval, by alpha and M.
ByPoint = dict[tuple[float, int], tuple[float, float, float]]


def means(results: Results, model: str) -> ByPoint:
    """At the point of the figure."""
    rows = results.where(line_cycles=results.settings[LINE]).table.to_pylist()
    found: dict[tuple[float, int], list[float]] = {}
    for row in rows:
        found.setdefault((row["alpha"], row["processors"]), []).append(row[model])
    return {key: mean_interval(values) for key, values in found.items()}


def point(alpha: float, processors: int) -> str:
    """What a point is called."""
    return f"alpha = {alpha}, M = {processors}"


def saved(results: Results, line_cycles: int) -> dict[str, Estimate]:
    """By point: the percentage of the aligned loss that staggering saves, where there is a loss, by repetition."""
    found: dict[str, list[float]] = {}
    for row in results.where(line_cycles=line_cycles).table.to_pylist():
        if row["processors"] > 1 and row["aligned"] > 0:
            part = 100 * (1 - row["staggered"] / row["aligned"])
            found.setdefault(point(row["alpha"], row["processors"]), []).append(part)
    return {key: mean(values, "saved", "%") for key, values in found.items()}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure, and the range, which belongs to the default."""
    with paper_style():
        drawn = _draw(results, directory)
        return drawn if results.settings.changed else [*drawn, *_draw_range(results, directory)]


def _draw(results: Results, directory: Path) -> Sequence[Path]:
    import matplotlib.pyplot as plt

    figure, insets = plt.subplots(1, 2, figsize=(PAGE, 2.8), sharey=True)
    for axes, letter, (model, title) in zip(insets, "ab", MODELS.items(), strict=True):
        found = means(results, model)
        curves = []
        for style, alpha in enumerate(ALPHAS):
            mids, lows, highs = zip(*([value / 1e6 for value in found[alpha, m]] for m in PROCESSORS), strict=True)
            curves.append(Means(rf"$\alpha$ = {alpha}", list(zip(PROCESSORS, mids, lows, highs, strict=True)), style))
        draw_means(axes, curves)
        axes.set_title(f"({letter}) {title}")
        axes.set_xlabel("processors M")
        axes.set_xlim(1, 16)
        axes.set_ylim(0, SLOTS * QUANTUM / 1e6)
        axes.set_xticks([1, 4, 8, 12, 16])
    insets[0].set_ylabel("million cycles lost per task")
    handles, labels = insets[0].get_legend_handles_labels()
    insets[1].legend(reversed(handles), reversed(labels), loc="upper left")
    sets = results.provenance["sets"]
    footnote(
        figure,
        conditions(results.where(line_cycles=results.settings[LINE])),
        f"{sets} repetitions for each point, bands where apart: {chosen_confidence()} (t)."
        if sets > 1
        else "One repetition for each point: its confidence is unknown.",
    )
    return save_figure(figure, directory / "2005-fig12")


def _draw_range(results: Results, directory: Path) -> Sequence[Path]:
    import matplotlib.pyplot as plt

    figure, insets = plt.subplots(1, len(RANGE_ALPHAS), figsize=(PAGE, 2.4), sharey=True)
    for axes, alpha in zip(insets, RANGE_ALPHAS, strict=True):
        curves = []
        for style, processors in enumerate(RANGE_PROCESSORS):
            there = [(cycles, saved(results, cycles)) for cycles in RANGE]
            here = point(alpha, processors)
            shown = [(cycles, found[here], 1 - 0.01 / len(found)) for cycles, found in there if here in found]
            points = [(cycles, one.value, *one.ends(confidence)) for cycles, one, confidence in shown]
            curves.append(Means(f"M = {processors}", points, style))
        draw_means(axes, curves)
        axes.axvline(LINE_CYCLES, color=ORANGE, linewidth=3, alpha=0.4)
        axes.set_title(rf"$\alpha$ = {alpha}")
        axes.set_xlabel("cycles of the bus for a line")
        axes.set_ylim(-3, 103)
    insets[0].set_ylabel("saved by staggering (%)")
    insets[0].legend(loc="center right")
    told = "Yellow: the default. Bands: 99% confidence for all points of it."
    footnote(figure, conditions(results, ranged=True), told)
    return save_figure(figure, directory / "2005-fig12-range")


def claims(results: Results) -> list[Claim]:
    """Section V-A."""
    found = saved(results, LINE_CYCLES)
    spread = max(
        (high - low) / value
        for model in MODELS
        for value, low, high in means(results, model).values()
        if value > SLOTS * QUANTUM / 100
    )
    alone = max(value for model in MODELS for (_, m), (value, _, _) in means(results, model).items() if m == 1)
    worse = scaled("staggered quanta that lose a hundred times as much", 100, "staggered")
    return [
        sentence(
            "staggering produces significantly less loss in all cases (M above 1)",
            {
                f"a line takes the bus for {cycles} cycles": Every({
                    name: more(one) for name, one in saved(results, cycles).items()
                })
                for cycles in RANGE
            },
            worse,
        ),
        sentence(
            "significantly less means much less in all cases (our reading: it saves half or more)",
            Every({name: Lies(one, low=50) for name, one in found.items()}),
            worse,
        ),
        sentence(
            "repetitions produce virtually identical results (no 99% interval is wider than a tenth of its mean)",
            Fact(spread <= 0.1, f"the widest is {spread:.1%} of its mean, where 1% of the time or more is lost")
            if results.provenance["sets"] > 1
            else Open("one repetition has no interval"),
            scaled("half of repetitions with ten times the loss", 10, *MODELS, where=lambda row: row["set"] % 2 == 0),
        ),
        grows(results),
        judge(
            "one processor alone loses nothing", alone == 0, f"on average at most {alone:g} cycles",
            by_row("a bus that delays one processor, too", lambda row: {model: row[model] + 1 for model in MODELS}),
        ),
    ]  # fmt: skip


def grows(results: Results) -> Claim:
    """The introduction, of aligned quanta: by the cycles that a task loses, in steps of M and of alpha."""
    values: dict[tuple[float, int], list[float]] = {}
    for row in results.where(line_cycles=LINE_CYCLES).table.to_pylist():
        if row["processors"] > 1:
            values.setdefault((row["alpha"], row["processors"]), []).append(row["aligned"])
    found = {key: mean(of, f"alpha = {key[0]}, M = {key[1]}", " cycles") for key, of in values.items()}
    ordered = sorted({alpha for alpha, _ in found})

    def steps(fewer: Callable[[float, int], tuple[float, int]]) -> Check:
        pairs = {key: fewer(*key) for key in found}
        return Every({
            f"{other} to {key}": more(less(found[key], found[other]))
            for key, other in pairs.items() if other in found and other != key
        })  # fmt: skip

    return sentence(
        "aligned: contention grows with both the processor count and working-set sizes (cycles lost, everywhere)",
        {
            "with the processor count": steps(lambda alpha, m: (alpha, m - 1)),
            "with working-set sizes": steps(lambda alpha, m: (ordered[max(ordered.index(alpha) - 1, 0)], m)),
        },
        scaled("aligned quanta that lose nothing at M = 16", 0, "aligned", where=lambda row: row["processors"] == 16),
    )


study = Study(
    name="2005-fig12", title="staggered-pfair-2005, figure 12: cycles lost to the bus, random writes",
    source=SOURCE, points=points(Settings()), settable=(LINE, BETWEEN), regrid=points,
    evaluate=evaluate, plot=plot, claims=claims,
    sets=20, full_sets=100, sets_per_unit=5,
)  # fmt: skip
