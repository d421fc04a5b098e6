"""Figure 7 of litmus-rt-2006: how many processors soft real-time task sets of total utilization 4 need (RNP).

Soft: tardiness is bounded. P-EDF and PD2 are checked as for hard deadlines, S-PD2 like PD2. G-EDF and NG-EDF bound
tardiness if the total utilization is at most the number of processors (Devi and Anderson 2005). NG-EDF, whose jobs are
never preempted, reloads nothing. PD2 and G-EDF are also asked as in figure 6, for the sentences that compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results, sentence
from schedlab.studies.mutants import Mutant, by_row

from ._rnp import DISTRIBUTIONS, Judge, needs_more, plot_rnp, rnp_study

SCHEDULERS = {
    "P-EDF": "P-EDF hard first_fit_decreasing",
    "G-EDF": "G-EDF soft devi_anderson",
    "NG-EDF": "NG-EDF soft devi_anderson_np",
    "PD2": "PD2 soft",
    "S-PD2": "S-PD2 soft",
}
#: As figure 6 asks.
HARD = {"G-EDF, hard": "G-EDF hard gfb baker one_processor_each", "PD2, hard": "PD2 hard"}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_rnp(results, directory / "2006-fig7", tuple(SCHEDULERS), "soft", ("NG-EDF",))


def claims(results: Results) -> list[Claim]:
    """Section 4.2, the paragraph on figure 7, sentence by sentence.

    That P-EDF and PD2 perform about the same as for hard deadlines is no claim here: the test is the same.
    """
    found = Judge(results)
    every = list(DISTRIBUTIONS)
    return [
        sentence(
            "NG-EDF outperforms every other method",
            {
                f"{other}, {size}": check
                for other in ("P-EDF", "G-EDF", "PD2", "S-PD2")
                for size, check in found.sizes(found.fewer(every, "NG-EDF", other)).items()
            },
            needs_more("an NG-EDF that needs 20 processors more", "NG-EDF"),
        ),
        sentence(
            "G-EDF is substantially better than for hard deadlines (by half a processor over all)",
            found.sizes(found.fewer_overall("G-EDF", "G-EDF, hard", by=0.5)),
            _soft("a G-EDF that needs 20 processors more for soft deadlines", found),
        ),
        found.staggered_is_better(),
    ]


def _soft(words: str, found: Judge) -> Mutant:
    columns = [found.axis.column("G-EDF", at) for at in found.axis.values]
    return by_row(words, lambda row: {name: row[name] + 20 for name in columns if row.get(name) is not None})


study = rnp_study(
    "2006-fig7", "litmus-rt-2006, figure 7: processors that soft real-time sets need", SCHEDULERS | HARD,
    plot=plot, claims=claims,
)  # fmt: skip
