"""Figure 11 of chronos-scalability-2011: how many sets utility-accrual schedulers schedule on 16 processors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results, not_evaluated

from ._scheduling import REFERENCES, SMALL, UTILITY_ACCRUAL, utility_study
from ._shares import Shares, as_by_deadline, plot_shares, rests_on_overheads

SCHEDULERS = (*UTILITY_ACCRUAL, *REFERENCES)


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig11", SCHEDULERS)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.2, the paragraph on 16 processors, sentence by sentence.

    NG-GUA is gMUA by construction for tasks that share nothing, and both borrow G-EDF's costs of a decision: results
    cannot tell any of the three sentences about them from its contrary.
    """
    free = Shares(results, SCHEDULERS)
    unknown = "what either algorithm's decisions take is not in the text, so both borrow G-EDF's costs"
    return [
        as_by_deadline(free).judged(),
        not_evaluated(
            "NG-GUA and gMUA provide similar performance",
            "for tasks that share nothing, as here, NG-GUA decides as gMUA does by construction",
        ),
        not_evaluated(
            "in BLU NG-GUA and gMUA meet deadlines only up to around half the load of G-EDF", f"it cannot: {unknown}"
        ),
        rests_on_overheads(
            "on large systems NG-GUA and gMUA degrade by their overheads, and are near G-EDF for heavier sets only",
            unknown,
        ),
        rests_on_overheads(
            "gMUA consistently outperforms NG-GUA, by a load of about 2: the effect of their overheads' difference",
            unknown,
        ),
    ]


study = utility_study(SMALL, "2011-fig11", "figure 11: sets without a miss, utility accrual", plot=plot, claims=claims)
