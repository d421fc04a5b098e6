"""Figure 6 of litmus-rt-2006: how many processors hard real-time task sets of total utilization 4 need (RNP).

P-EDF: first fit by decreasing utilization. G-EDF: Goossens, Funk and Baruah 2003 or Baker 2003. PD2: the total, costs
rounded up to quanta of 1 ms, is at most the number of processors; S-PD2: the same of weights that make up for
staggered quanta (see figure 9). NG-EDF has no test in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results, not_evaluated

from ._rnp import DISTRIBUTIONS, HEAVY, LIGHT, MEDIUM, Judge, plot_rnp, rnp_study

SCHEDULERS = {
    "P-EDF": "P-EDF hard first_fit_decreasing",
    "G-EDF": "G-EDF hard gfb baker one_processor_each",
    "PD2": "PD2 hard",
    "S-PD2": "S-PD2 hard",
}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_rnp(results, directory / "2006-fig6", tuple(SCHEDULERS), "hard", ("PD2",))


def claims(results: Results) -> list[Claim]:
    """Section 4.2, the paragraph on figure 6, sentence by sentence."""
    found = Judge(results)
    return [
        *(found.grows_more("PD2", edf) for edf in ("P-EDF", "G-EDF")),
        found.about_equal(
            "M, 4K: PD2 has approximately the same RNP as P-EDF (within half a processor)",
            MEDIUM, "PD2", "P-EDF", found.small, 0.5,
        ),
        found.fewer(
            "M, 4K: PD2 has a substantially lower RNP than G-EDF (by half a processor)",
            MEDIUM, "PD2", "G-EDF", found.small, by=0.5,
        ),
        *(
            found.fewer(
                f"M, the largest working set: PD2 has a substantially larger RNP than {edf} (by half a processor)",
                MEDIUM, edf, "PD2", found.large, by=0.5,
            )
            for edf in ("P-EDF", "G-EDF")
        ),
        *(
            found.fewer(f"very light tasks: {edf} always outperforms PD2", LIGHT, edf, "PD2", found.both)
            for edf in ("P-EDF", "G-EDF")
        ),
        *(
            found.fewer(f"heavy tasks, {size}: PD2 outperforms {edf}", HEAVY, "PD2", edf, at)
            for size, at in (("4K", found.small), ("128K", found.middle))
            for edf in ("P-EDF", "G-EDF")
        ),
        found.about_equal(
            "heavy tasks, 256K: PD2's RNP is approximately that of G-EDF (within half a processor)",
            HEAVY, "PD2", "G-EDF", found.large, 0.5,
        ),
        found.never_more(
            "P-EDF outperforms G-EDF for every task set", list(DISTRIBUTIONS), "P-EDF", "G-EDF", found.both
        ),
        *(
            found.fewer(
                f"light tasks, large working sets: P-EDF substantially outperforms {other} (by half a processor)",
                LIGHT, "P-EDF", other, found.large, by=0.5,
            )
            for other in ("G-EDF", "PD2")
        ),
        found.staggered_is_better(),
        found.never_more(
            "small working sets: PD2 slightly outperforms S-PD2", list(DISTRIBUTIONS), "PD2", "S-PD2", found.small
        ),
        found.finer_is_worse("PD2"),
        not_evaluated(
            "the 32K and 64K cases show similar trends to the 4K case",
            "what they take stood in figure 4; reloads between 42 and 100 us are between the two in the figure",
        ),
    ]  # fmt: skip


study = rnp_study(
    "2006-fig6", "litmus-rt-2006, figure 6: processors that hard real-time sets need", SCHEDULERS,
    plot=plot, claims=claims, finest="PD2",
)  # fmt: skip
