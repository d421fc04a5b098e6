"""Figure 12 of staggered-pfair-2005: cycles lost to bus contention if each task writes to random cells of its array.

The array is a fraction alpha of the cache's size. The paper has no confidence intervals: its simulations took too long.
Each repetition here draws one order of cells for each array, the same for both models. The claim speaks of all
cases, so its intervals are right together 99 times in 100 (Bonferroni).

What the text leaves open is varied at some points; `2005-fig12-range` shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from schedlab.studies import Claim, Point, Results, Settings, Study, Unit, grid, judge, not_evaluated

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


def saved(results: Results, line_cycles: int) -> ByPoint:
    """The part of the aligned loss that staggering saves, where there is a loss: repetition by repetition."""
    rows = results.where(line_cycles=line_cycles).table.to_pylist()
    found: dict[tuple[float, int], list[float]] = {}
    for row in rows:
        if row["processors"] > 1 and row["aligned"] > 0:
            part = 1 - row["staggered"] / row["aligned"]
            found.setdefault((row["alpha"], row["processors"]), []).append(part)
    return {key: mean_interval(values, 1 - 0.01 / len(found)) for key, values in found.items()}


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
            shown = [(cycles, found[alpha, processors]) for cycles, found in there if (alpha, processors) in found]
            xs = [cycles for cycles, _ in shown]
            mids, lows, highs = zip(*([100 * part for part in interval] for _, interval in shown), strict=True)
            curves.append(Means(f"M = {processors}", list(zip(xs, mids, lows, highs, strict=True)), style))
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
    worst = min(found, key=lambda key: found[key][1])
    least = min(found, key=lambda key: found[key][0])
    half = [key for key, (mean, _, _) in found.items() if mean >= 0.5]
    all_positive = {cycles: all(low > 0 for _, low, _ in saved(results, cycles).values()) for cycles in RANGE}
    lows = {cycles: min(mean for mean, _, _ in saved(results, cycles).values()) for cycles in RANGE}
    spread = max(
        (high - low) / mean
        for model in MODELS
        for mean, low, high in means(results, model).values()
        if mean > SLOTS * QUANTUM / 100
    )
    alone = max(mean for model in MODELS for (_, m), (mean, _, _) in means(results, model).items() if m == 1)
    repeated = results.provenance["sets"] > 1

    def judge_intervals(text: str, is_true: bool, numbers: str) -> Claim:
        return judge(text, is_true, numbers) if repeated else not_evaluated(text, "one repetition has no interval")

    return [
        judge_intervals(
            "staggering produces significantly less loss in all cases (M above 1; 99% confidence for all together)",
            found[worst][1] > 0,
            f"of {len(found)} cases the lowest interval begins at {found[worst][1]:.1%} of the aligned loss "
            f"(alpha = {worst[0]}, M = {worst[1]})",
        ),
        judge(
            "it produces much less in all cases (it saves half or more)",
            len(half) == len(found),
            f"in {len(half)} of {len(found)} cases; least at alpha = {least[0]}, M = {least[1]}: {found[least][0]:.1%}",
        ),
        judge_intervals(
            "significantly less in all cases also where a line takes the bus for another time",
            all(all_positive.values()),
            "cycles for a line, and the least that is saved: "
            + ", ".join(
                f"{cycles}: {lows[cycles]:.2%}{'' if all_positive[cycles] else ' (not significant)'}"
                for cycles in RANGE
            ),
        ),
        judge_intervals(
            "repetitions produce virtually identical results (no 99% interval is wider than a tenth of its mean)",
            spread <= 0.1,
            f"the widest is {spread:.1%} of its mean, where a hundredth of the time or more is lost",
        ),
        grows(results),
        judge("one processor alone loses nothing", alone == 0, f"on average at most {alone:g} cycles"),
    ]


def grows(results: Results) -> Claim:
    """The introduction, of aligned quanta: by the cycles that a task loses, in steps of M and of alpha."""
    found = {key: mean for key, (mean, _, _) in means(results, "aligned").items() if key[1] > 1}
    falls = [
        f"alpha = {alpha}, M = {m}: {found[alpha, m]:.0f} cycles"
        for (alpha, m) in found
        for fewer in ((alpha, m - 1), (ALPHAS[max(ALPHAS.index(alpha) - 1, 0)], m))
        if fewer in found and found[alpha, m] < found[fewer]
    ]
    ends = "to".join(f" {found[key]:.0f} cycles at alpha = {key[0]}, M = {key[1]} " for key in (min(found), max(found)))
    return judge(
        "aligned: contention grows with both the processor count and working-set sizes (cycles lost, everywhere)",
        not falls,
        f"from{ends.rstrip()}{''.join(f'; less than before at {one}' for one in falls)}",
    )


study = Study(
    name="2005-fig12", title="staggered-pfair-2005, figure 12: cycles lost to the bus, random writes",
    source=SOURCE, points=points(Settings()), settable=(LINE, BETWEEN), regrid=points,
    evaluate=evaluate, plot=plot, claims=claims,
    sets=20, full_sets=100, sets_per_unit=5,
)  # fmt: skip
