"""Figure 9 of litmus-rt-2006: how many sets meet all deadlines, by total utilization, on four processors.

P-EDF: first fit by decreasing utilization. G-EDF: "the sufficient schedulability test in [4, 12]", that is of
Goossens, Funk and Baruah 2003 and of Baker 2003: a set counts if either accepts it. NG-EDF has no test in the paper.
PD2: the total utilization, costs rounded up to quanta of 1 ms, is at most four. S-PD2: the same of weights that
make up for staggered quanta. The paper shortens every period by a quantum for that; here each task is given the
smallest weight that its own cost, period and processors demand, which is at most the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results

from ._nst import DISTRIBUTIONS, PFAIR, Shares, nst_study, plot_nst, with_overheads, with_reloads

SCHEDULERS = {
    "P-EDF": "P-EDF hard first_fit_decreasing",
    "G-EDF": "G-EDF hard gfb baker",
    "PD2": "PD2 hard",
    "S-PD2": "S-PD2 hard",
}


def asked(measured: bool) -> dict[str, str]:
    """By column, what is asked of each set."""
    return {
        **with_overheads(SCHEDULERS, measured),
        **with_reloads(SCHEDULERS, measured),
        "G-EDF by GFB": "G-EDF hard gfb",
        "G-EDF by Baker": "G-EDF hard baker",
    }


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_nst(results, directory / "2006-fig9", tuple(SCHEDULERS), "hard", ("PD2",))


def claims(results: Results) -> list[Claim]:
    """Section 4.2, the paragraph on figure 9, sentence by sentence."""
    shares = Shares(results, tuple(SCHEDULERS))
    never_better = [
        shares.never_more(
            f"the performance of G-EDF is poor: in inset {name} it never schedules more sets than P-EDF",
            (name, "G-EDF"),
            (name, "P-EDF"),
        )
        for name in DISTRIBUTIONS
    ]
    remarkably_well = [
        shares.never_more(
            f"P-EDF performs remarkably well when all tasks are light: never worse than in inset {name}",
            (name, "P-EDF"),
            ("light", "P-EDF"),
        )
        for name in ("heavy", "bimodal")
    ]
    pfair = [
        shares.significantly_more(
            f"{scheduler} performs significantly better than P-EDF where tasks are not all light: in inset {name}",
            (name, scheduler),
            (name, "P-EDF"),
        )
        for scheduler in PFAIR
        for name in ("heavy", "bimodal")
    ]
    return [
        *never_better,
        *(_no_dramatic_improvement(shares, name) for name in ("G-EDF", "P-EDF")),
        *remarkably_well,
        *pfair,
        *(_light_tasks_gain_more(shares, name) for name in PFAIR),
    ]


def _no_dramatic_improvement(shares: Shares, scheduler: str) -> Claim:
    """Not dramatic, unlike Pfair: in every inset, less than that of PD2 and of S-PD2 if tasks are light."""
    text = f"no dramatic improvement of {scheduler} as the working-set size decreases, unlike PD2's and S-PD2's"

    def judged(small: str, large: str) -> tuple[bool, str]:
        own = max(shares.gain(name, scheduler, small, large) for name in DISTRIBUTIONS)
        pfair = [shares.gain("light", name, small, large) for name in PFAIR]
        return own < min(pfair), f"{own:.1f} points at most, {' and '.join(f'{gain:.1f}' for gain in pfair)}"

    return shares.whatever_a_reload_takes(text, judged, {scheduler, *PFAIR})


def _light_tasks_gain_more(shares: Shares, scheduler: str) -> Claim:
    text = f"smaller working sets help light tasks more than heavy ones: {scheduler} (mean over all totals)"

    def judged(small: str, large: str) -> tuple[bool, str]:
        light, heavy = (shares.gain(name, scheduler, small, large) for name in ("light", "heavy"))
        return light > heavy, f"{light:.1f} and {heavy:.1f} points"

    return shares.whatever_a_reload_takes(text, judged, {scheduler})


study = nst_study(
    "2006-fig9", "litmus-rt-2006, figure 9: hard real-time schedulability on 4 processors", asked,
    plot=plot, claims=claims,
)  # fmt: skip
