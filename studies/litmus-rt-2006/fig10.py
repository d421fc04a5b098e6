"""Figure 10 of litmus-rt-2006: how many sets have bounded tardiness, by total utilization, on four processors.

P-EDF is checked as for hard deadlines. G-EDF and NG-EDF bound tardiness if the total utilization is at most the
number of processors (Devi and Anderson 2005). Without overheads the total is at most 3.9, so both schedule every set
here. With overheads NG-EDF, whose jobs are never preempted, reloads nothing; all else both are charged alike.
PD2 is checked as for hard deadlines, S-PD2 like PD2.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results, holds, judge

from ._nst import DISTRIBUTIONS, PFAIR, TOTALS, Shares, is_measured, nst_study, plot_nst, with_overheads, with_reloads

SCHEDULERS = {
    "P-EDF": "P-EDF hard first_fit_decreasing",
    "G-EDF": "G-EDF soft devi_anderson",
    "NG-EDF": "NG-EDF soft devi_anderson_np",
    "PD2": "PD2 soft",
    "S-PD2": "S-PD2 soft",
}
GLOBAL = ("G-EDF", "NG-EDF")
#: As figure 9 asks, for the sentences that compare the two.
HARD = {"PD2": "PD2 hard", "S-PD2": "S-PD2 hard"}


def asked(measured: bool) -> dict[str, str]:
    """By column, what is asked of each set."""
    return {
        **with_overheads(SCHEDULERS, measured),
        **with_reloads(SCHEDULERS, measured),
        **{f"{name}, hard": question for name, question in with_overheads(HARD, measured).items()},
    }


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_nst(results, directory / "2006-fig10", tuple(SCHEDULERS), "soft", ("P-EDF",))


def claims(results: Results) -> list[Claim]:
    """Section 4.2, the paragraph on figure 10, sentence by sentence."""
    shares = Shares(results, tuple(SCHEDULERS))
    worse_in_bimodal = [
        shares.never_more(
            f"in insets (c) and (f), P-EDF is worse than {name}: never better", ("bimodal", "P-EDF"), ("bimodal", name)
        )
        for name in (*GLOBAL, *PFAIR)
    ]
    better_than_pfair = [
        shares.never_more(
            f"insets (b) and (e): the EDF schemes perform better than Pfair: {edf} never worse than {pfair}",
            ("heavy", pfair),
            ("heavy", edf),
        )
        for edf in GLOBAL
        for pfair in PFAIR
    ]
    better_when_heavy = [
        shares.never_more(
            f"the Pfair schemes perform better when utilizations are higher: {name} never worse if all are heavy",
            ("light", name),
            ("heavy", name),
        )
        for name in PFAIR
    ]
    return [
        holds("the curves of P-EDF are identical to those of figure 9", "the same test on the same task sets"),
        *(_like_figure_9(results, name, most) for name, most in (("PD2", 0.0), ("S-PD2", 5.0))),
        _comparable_when_light(shares),
        *(_poor_when_light(shares, name) for name in PFAIR),
        *(_reasonable(shares, "light", name) for name in PFAIR),
        *(_better_when_full(shares, name) for name in GLOBAL),
        *(_higher_at_3_8(shares, name, points) for name, points in (("G-EDF", 60), ("NG-EDF", 90))),
        _close_to_zero_when_heavy(shares),
        *(_reasonable(shares, "heavy", name) for name in (*GLOBAL, *PFAIR)),
        *better_than_pfair,
        *better_when_heavy,
        *(_all_heavy_and_no_light_sets(shares, name) for name in PFAIR),
        shares.never_more(
            "with some light tasks, P-EDF performs better than when all are heavy: never worse in bimodal",
            ("heavy", "P-EDF"),
            ("bimodal", "P-EDF"),
        ),
        *worse_in_bimodal,
    ]


def _like_figure_9(results: Results, scheduler: str, most: float) -> Claim:
    """Identical: the same sets. Nearly identical: shares that differ by at most so many percentage points."""
    names = list(with_overheads({scheduler: ""}, is_measured(results)))
    worst, where = 0.0, ""
    for distribution in DISTRIBUTIONS:
        rows = results.where(distribution=distribution)
        counts = rows.counts("total", [*names, *(f"{name}, hard" for name in names)])
        for total, name in itertools.product(counts, names):
            soft, hard = (
                100 * counts[total][column][0] / counts[total][column][1] for column in (name, f"{name}, hard")
            )
            if abs(soft - hard) > worst:
                worst, where = abs(soft - hard), f" ({name} in {distribution} at {total})"
    text = f"the curves of {scheduler} are {'nearly ' if most else ''}identical to those of figure 9"
    if most:
        text += f" (at most {most:g} percentage points apart)"
    return judge(text, worst <= most, f"the largest difference is {worst:.1f} points{where}")


def _comparable_when_light(shares: Shares) -> Claim:
    """Comparable: the 99% intervals of all three overlap at each total."""
    text = "light tasks: schedulability is comparable for the three EDF algorithms when the total is at most 3.5"
    low_totals = [total for total in TOTALS if total <= 3.5]

    def judged(charged: str) -> tuple[bool, str]:
        apart = []
        for total in low_totals:
            intervals = [shares.interval("light", total, name, charged) for name in ("P-EDF", *GLOBAL)]
            if max(low for low, _ in intervals) > min(high for _, high in intervals):
                apart.append(total)
        least = [
            f"{name} {min(shares.percent('light', total, name, charged) for total in low_totals):.1f}%"
            for name in ("P-EDF", *GLOBAL)
        ]
        where = f"the 99% intervals are apart at {', '.join(map(str, apart))}" if apart else "intervals overlap"
        return not apart, f"at least {', '.join(least)}; {where}"

    return shares.whatever_is_charged(text, judged, set(GLOBAL))


def _reasonable(shares: Shares, inset: str, scheduler: str) -> Claim:
    """Reasonable: at least half of the sets up to a total of 3.0; of light tasks the text says so of 4K alone."""
    where = {"light": "with the smaller working set and light tasks", "heavy": "insets (b) and (e): of heavy tasks"}
    text = f"{where[inset]}, {scheduler} performs reasonably (half of the sets up to 3.0)"

    def judged(charged: str) -> tuple[bool, str]:
        least = min((shares.percent(inset, total, scheduler, charged), total) for total in TOTALS if total <= 3.0)
        half = next((t for t in TOTALS if shares.percent(inset, t, scheduler, charged) < 50), None)
        below = "never below half" if half is None else f"below half from {half} on"
        return least[0] >= 50, f"at least {least[0]:.1f}% (at {least[1]}), {below}"

    return shares.whatever_is_charged(text, judged, {scheduler}, large=inset == "heavy")


def _poor_when_light(shares: Shares, scheduler: str) -> Claim:
    """Poorly: not reasonably, as for the smaller working set, where all EDF schedulers do."""
    text = (
        f"with the larger working set and light tasks, {scheduler} performs poorly (below half of the sets up to 3.0)"
    )
    low_totals = [total for total in TOTALS if total <= 3.0]

    def judged(_: str, large: str) -> tuple[bool, str]:
        least, edf = (
            min(shares.percent("light", total, name, large) for total in low_totals for name in names)
            for names in ([scheduler], ["P-EDF", *GLOBAL])
        )
        return least < 50 <= edf, f"{least:.1f}%, EDF {edf:.1f}%"

    return shares.whatever_a_reload_takes(text, judged, {scheduler})


def _higher_at_3_8(shares: Shares, scheduler: str, points: int) -> Claim:
    """Roughly: within 10 percentage points."""
    text = f"at 3.8 in inset (a), {scheduler} is higher than P-EDF by roughly {points}%"

    def judged(_: str, large: str) -> tuple[bool, str]:
        higher, lower = (shares.percent("light", 3.8, name, large) for name in (scheduler, "P-EDF"))
        return abs(higher - lower - points) <= 10, f"{higher:.1f}% and {lower:.1f}%"

    return shares.whatever_a_reload_takes(text, judged, {scheduler})


def _all_heavy_and_no_light_sets(shares: Shares, scheduler: str) -> Claim:
    """Close: within 5 percentage points."""
    text = f"at totals in [3.0, 3.4], {scheduler} schedules close to 100% in inset (b), 0% in inset (a)"
    totals = [total for total in TOTALS if 3.0 <= total <= 3.4]

    def judged(_: str, large: str) -> tuple[bool, str]:
        heavy = min(shares.percent("heavy", total, scheduler, large) for total in totals)
        light = max(shares.percent("light", total, scheduler, large) for total in totals)
        return heavy >= 95 and light <= 5, f"heavy at least {heavy:.1f}%, light at most {light:.1f}%"

    return shares.whatever_a_reload_takes(text, judged, {scheduler})


def _better_when_full(shares: Shares, scheduler: str) -> Claim:
    """Significantly: the 99% intervals are apart at a total of 3.8, the paper's own instance."""
    text = f"even with light tasks, {scheduler} schedules significantly more sets than P-EDF when the total is high"

    def judged(charged: str) -> tuple[bool, str]:
        low = shares.interval("light", 3.8, scheduler, charged)[0]
        high = shares.interval("light", 3.8, "P-EDF", charged)[1]
        percents = [f"{name} {shares.percent('light', 3.8, name, charged):.1f}%" for name in (scheduler, "P-EDF")]
        return low > high, f"at 3.8 {', '.join(percents)}"

    return shares.whatever_is_charged(text, judged, {scheduler})


def _close_to_zero_when_heavy(shares: Shares) -> Claim:
    """Close to 0%: below 5% at the highest total."""
    text = "insets (b) and (e): when all tasks are heavy, schedulability drops to close to 0% (below 5%) for P-EDF"

    def judged(charged: str) -> tuple[bool, str]:
        half = next((t for t in TOTALS if shares.percent("heavy", t, "P-EDF", charged) < 50), None)
        last = shares.percent("heavy", TOTALS[-1], "P-EDF", charged)
        below = "never below half" if half is None else f"below half from {half} on"
        return last < 5, f"{last:.1f}% at {TOTALS[-1]}; {below}"

    return shares.whatever_is_charged(text, judged, {"P-EDF"})


study = nst_study(
    "2006-fig10", "litmus-rt-2006, figure 10: soft real-time schedulability on 4 processors", asked,
    plot=plot, claims=claims,
)  # fmt: skip
