"""Figure 7 of litmus-rt-2006: how many processors soft real-time task sets of total utilization 4 need (RNP).

Soft: tardiness is bounded. P-EDF and PD2 are checked as for hard deadlines, S-PD2 like PD2. G-EDF and NG-EDF bound
tardiness if the total utilization is at most the number of processors (Devi and Anderson 2005). NG-EDF, whose jobs are
never preempted, reloads nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results

from ._rnp import DISTRIBUTIONS, HEAVY, Judge, plot_rnp, rnp_study

SCHEDULERS = {
    "P-EDF": "P-EDF hard",
    "G-EDF": "G-EDF soft devi_anderson",
    "NG-EDF": "NG-EDF soft devi_anderson_np",
    "PD2": "PD2 soft",
    "S-PD2": "S-PD2 soft",
}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_rnp(results, directory / "2006-fig7", tuple(SCHEDULERS), "soft", ("NG-EDF",))


def claims(results: Results) -> list[Claim]:
    """Section 4.2, the paragraph on figure 7, sentence by sentence."""
    found = Judge(results)
    every = list(DISTRIBUTIONS)
    return [
        *(
            found.never_more(f"NG-EDF outperforms every other method: {other}", every, "NG-EDF", other, found.both)
            for other in ("P-EDF", "G-EDF", "PD2", "S-PD2")
        ),
        found.fewer(
            "G-EDF is substantially better than for hard deadlines: heavy tasks need fewer processors than under P-EDF",
            HEAVY, "G-EDF", "P-EDF", found.small,
        ),
        found.staggered_is_better(),
    ]  # fmt: skip


study = rnp_study(
    "2006-fig7", "litmus-rt-2006, figure 7: processors that soft real-time sets need", SCHEDULERS,
    plot=plot, claims=claims,
)  # fmt: skip
