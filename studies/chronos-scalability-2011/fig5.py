"""Figure 5 of chronos-scalability-2011: cache-miss costs of migration paths.

Section 3.5.2: a thread on the first processor writes 4 or 16 evenly spaced words to each page of a working set of 1 to
64 pages, 1,000 times; then it initializes the working set there, migrates, and makes the same writes, 1,000 times. The
difference of the means is the cost. The paper has four paths; here those that the machine has.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from schedlab.plots import PAGE, Means, chosen_confidence, draw_means, mean_interval
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge, not_evaluated
from schedlab.studies.mutants import described
from schedlab.studies.spread import kept

from ._paths import SOURCE, absent, need_two

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WRITES = [4, 16]
PAGES = [1, 2, 4, 8, 16, 32, 64]
ROUNDS = 1000


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Nanoseconds of all writes, warm and migrated, by set and path."""
    need_two()
    asked = ("--pages", unit.parameters["pages"], "--writes", unit.parameters["writes"], "--rounds", ROUNDS)
    rows = [(index, row) for index in unit.sets for row in ask("measure", "paths", *asked)]
    warm, migrated = ([fmean(kept(row[name])) for _, row in rows] for name in ("warm_ns", "migrated_ns"))
    return {
        "set": [index for index, _ in rows],
        "path": [row["path"] for _, row in rows],
        "warm_ns": warm,
        "migrated_ns": migrated,
        "cost_ns": [after - before for after, before in zip(migrated, warm, strict=True)],
    }


#: Mean cost and its 99% interval, by path, writes and pages.
Costs = dict[tuple[str, int, int], tuple[float, float, float]]


def costs(results: Results) -> Costs:
    """Over the sets."""
    found: dict[tuple[str, int, int], list[float]] = {}
    for row in results.table.to_pylist():
        found.setdefault((row["path"], row["writes"], row["pages"]), []).append(row["cost_ns"])
    return {key: mean_interval(each) for key, each in found.items()}


def draw(results: Results) -> Mapping[str, Figure]:
    """An inset for each number of writes."""
    import matplotlib.pyplot as plt

    found, paths = costs(results), results.values("path")
    figure, insets = plt.subplots(1, 2, figsize=(PAGE, 2.5))
    for axes, writes in zip(insets, WRITES, strict=True):
        curves = []
        for style, path in enumerate(paths):
            micro = ([value / 1e3 for value in found[path, writes, pages]] for pages in PAGES)
            means, lows, highs = zip(*micro, strict=True)
            curves.append(Means(path, list(zip(PAGES, means, lows, highs, strict=True)), style))
        draw_means(axes, curves)
        axes.set_xscale("log", base=2)
        axes.set_xticks(PAGES, [str(pages) for pages in PAGES])
        axes.set_xlabel("working set (pages of 4,096 bytes)")
        axes.set_title(f"{writes} writes per page")
        axes.set_ylim(bottom=0)
    insets[0].set_ylabel("cost (microseconds)")
    insets[0].legend()
    figure.supxlabel(
        f"means of {results.provenance['sets']} sets of {ROUNDS:,} migrations, the largest hundredth discarded; "
        f"bands where apart: {chosen_confidence()} (t). "
        f"This machine does not have: {absent(paths)}"
    )
    return {"2011-fig5": figure}


def claims(results: Results) -> list[Claim]:
    """Section 3.5.2."""
    found, paths = costs(results), results.values("path")
    none = f"this machine has no path {absent(paths)}"
    means = [mean for mean, _, _ in found.values()]
    some = [(path, writes) for path in paths for writes in WRITES]
    return [
        judge(
            "data that is hot in another processor's cache costs more than warm data (all 99% intervals above 0)",
            all(low > 0 for _, low, _ in found.values()),
            f"from {min(means):.0f} to {max(means):.0f} ns",
            described("hot data of another processor that costs what warm data does"),
        ),
        judge(
            "it could be a significant performance hit to a highly memory-intensive application (the cost grows "
            "with the "
            "working set: at 64 pages ten times that at 1 page or more)",
            all(found[path, writes, 64][0] >= 10 * found[path, writes, 1][0] for path, writes in some),
            ", ".join(f"{writes} writes, {path}: {found[path, writes, 1][0]:.0f} to {found[path, writes, 64][0]:.0f} ns"
                      for path, writes in some),
                      described("64 pages that cost what one page does"),
                  ),
        not_evaluated("there is a measurable difference in the various migration paths", none),
        not_evaluated("a migration between two processors costs around four times one within an L3", none),
        not_evaluated("another processor's memory costs 15% more, or the double", "one package, one memory node"),
    ]  # fmt: skip


study = RealStudy(
    name="2011-fig5",
    title="chronos-scalability-2011, figure 5: cache-miss costs of migration paths",
    source=SOURCE,
    points=grid(writes=WRITES, pages=PAGES),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=5,
    full_sets=20,
)
