"""Figure 11 of chronos-scalability-2011: how many sets utility-accrual schedulers schedule on 16 processors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results, judge

from ._scheduling import DISTRIBUTIONS, REFERENCES, SMALL, UTILITY_ACCRUAL, utility_study
from ._shares import Shares, as_by_deadline, plot_shares, rests_on_overheads

SCHEDULERS = (*UTILITY_ACCRUAL, *REFERENCES)
#: In percentage points of the mean over loads: "similar".
SIMILAR = 5.0


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig11", SCHEDULERS)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.2, the paragraph on 16 processors, sentence by sentence."""
    shares = Shares(results, SCHEDULERS)
    gaps = {name: shares.mean(name, "gMUA") - shares.mean(name, "NG-GUA") for name in DISTRIBUTIONS}
    told = ", ".join(f"{name} {gap:+.1f} points" for name, gap in gaps.items())
    light = ", ".join(f"{name} {shares.all_up_to('BLU', name)}" for name in ("gMUA", "NG-GUA", "G-EDF"))
    return [
        *as_by_deadline(shares),
        judge(
            f"NG-GUA and gMUA provide similar performance (means over loads within {SIMILAR:.0f} points)",
            all(abs(gap) <= SIMILAR for gap in gaps.values()),
            f"gMUA less NG-GUA: {told}",
        ),
        rests_on_overheads("gMUA consistently outperforms NG-GUA, by a load of about 2", f"gMUA less NG-GUA: {told}"),
        rests_on_overheads(
            "in BLU NG-GUA and gMUA meet deadlines only up to around half the load of G-EDF",
            f"all sets are scheduled up to: {light}",
        ),
    ]


study = utility_study(SMALL, "2011-fig11", "figure 11: sets without a miss, utility accrual", plot=plot, claims=claims)
