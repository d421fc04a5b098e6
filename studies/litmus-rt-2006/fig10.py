"""Figure 10 of litmus-rt-2006: how many sets have bounded tardiness, by total utilization, on four processors.

P-EDF is checked as for hard deadlines. G-EDF and NG-EDF bound tardiness if the total utilization is at most the
number of processors (Devi and Anderson 2005). Without overheads the total is at most 3.9, so both schedule every set
here; what tells them apart in the paper is overheads.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.plots import wilson_interval
from schedlab.studies import Claim, Results, holds, judge

from ._nst import TOTALS, Shares, nst_study, overhead_claim, pfair_claim, plot_nst

QUESTIONS = {
    "P-EDF": "P-EDF hard",
    "G-EDF": "G-EDF soft devi_anderson",
    "NG-EDF": "NG-EDF soft devi_anderson_np",
}
GLOBAL = ("G-EDF", "NG-EDF")


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_nst(results, directory / "2006-fig10", tuple(QUESTIONS), "soft")


def claims(results: Results) -> list[Claim]:
    """Section 4.2, the paragraph on figure 10, sentence by sentence."""
    shares = Shares(results, tuple(QUESTIONS))
    return [
        holds("the curves of P-EDF are identical to those of figure 9", "the same test on the same task sets"),
        _comparable_when_light(shares),
        *_better_when_full(shares),
        overhead_claim("at 3.8 in inset (a), G-EDF is higher than P-EDF by roughly 60%, NG-EDF by roughly 90%"),
        _close_to_zero_when_heavy(shares),
        shares.never_more(
            "with some light tasks, P-EDF performs better than when all are heavy: never worse in bimodal",
            ("heavy", "P-EDF"),
            ("bimodal", "P-EDF"),
        ),
        *(
            shares.never_more(
                f"in insets (c) and (f), P-EDF is worse than {name}: never better",
                ("bimodal", "P-EDF"),
                ("bimodal", name),
            )
            for name in GLOBAL
        ),
        overhead_claim("in insets (b) and (e), the EDF schemes perform better than the Pfair schemes"),
        pfair_claim("with the larger working set and light tasks, PD2 and S-PD2 perform poorly"),
        pfair_claim("the Pfair schemes perform better when task utilizations are higher"),
    ]


def _comparable_when_light(shares: Shares) -> Claim:
    """Comparable: the 99% intervals of all three overlap at each total."""
    text = "light tasks: schedulability is comparable for the three EDF algorithms when the total is at most 3.5"
    apart = []
    for total in (total for total in TOTALS if total <= 3.5):
        intervals = [wilson_interval(*shares.at("light", total, name)) for name in QUESTIONS]
        if max(low for low, _ in intervals) > min(high for _, high in intervals):
            apart.append(total)
    least = min((shares.percent("light", total, "P-EDF"), total) for total in TOTALS if total <= 3.5)
    numbers = f"P-EDF schedules at least {least[0]:.1f}% (at {least[1]}), G-EDF and NG-EDF 100% without overheads"
    if apart:
        numbers += f"; the 99% intervals are apart at {', '.join(map(str, apart))}"
    return judge(text, not apart, numbers)


def _better_when_full(shares: Shares) -> list[Claim]:
    """Significantly: the 99% intervals are apart at a total of 3.8, the paper's own instance."""
    found = []
    for name in GLOBAL:
        low = wilson_interval(*shares.at("light", 3.8, name))[0]
        high = wilson_interval(*shares.at("light", 3.8, "P-EDF"))[1]
        numbers = (
            f"at 3.8: {shares.percent('light', 3.8, name):.1f}%, P-EDF {shares.percent('light', 3.8, 'P-EDF'):.1f}%"
        )
        text = f"even with light tasks, {name} schedules significantly more sets than P-EDF when the total is high"
        found.append(judge(text, low > high, f"{numbers}, without overheads"))
    return found


def _close_to_zero_when_heavy(shares: Shares) -> Claim:
    """Close to 0%: below 5% at the highest total."""
    text = "insets (b) and (e): when all tasks are heavy, schedulability drops to close to 0% (below 5%) for P-EDF"
    half = next((total for total in TOTALS if shares.percent("heavy", total, "P-EDF") < 50), None)
    last = shares.percent("heavy", TOTALS[-1], "P-EDF")
    return judge(text, last < 5, f"{last:.1f}% at {TOTALS[-1]}; below half from {half} on")


study = nst_study(
    "2006-fig10", "litmus-rt-2006, figure 10: soft real-time schedulability on 4 processors", QUESTIONS,
    plot=plot, claims=claims,
)  # fmt: skip
