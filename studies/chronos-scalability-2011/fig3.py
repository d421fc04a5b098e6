"""Figure 3 of chronos-scalability-2011: how many sets utility-accrual schedulers schedule on 48 processors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results

from ._scheduling import DISTRIBUTIONS, LARGE, REFERENCES, UTILITY_ACCRUAL, utility_study
from ._shares import Shares, as_by_deadline, plot_shares, rests_on_overheads

SCHEDULERS = (*UTILITY_ACCRUAL, *REFERENCES)


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig3", SCHEDULERS)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.2, the paragraph on 48 processors, sentence by sentence."""
    shares = Shares(results, SCHEDULERS)

    def up_to(schedulers: Sequence[str], where: Sequence[str]) -> str:
        found = (f"{name} in {one} {shares.all_up_to(one, name)}" for name in schedulers for one in where)
        return "all sets are scheduled up to: " + ", ".join(found)

    globally = ("gMUA", "G-GUA", "NG-GUA")
    return [
        *as_by_deadline(shares),
        rests_on_overheads(
            "no global utility-accrual algorithm provides full schedulability above a load of 19",
            up_to(globally, [name for name in DISTRIBUTIONS if name != "BLU"]),
        ),
        rests_on_overheads("in BLU none provides it above a load of 7", up_to(globally, ["BLU"])),
        rests_on_overheads(
            "in BLU neither P-LBESA nor P-DASA-ND provides it above a load of 19",
            up_to(("P-LBESA", "P-DASA-ND"), ["BLU"]),
        ),
        rests_on_overheads(
            "P-DASA-ND fails at a lower load than P-LBESA, whose overheads in underload are lower",
            up_to(("P-DASA-ND", "P-LBESA"), ["BLU"]),
        ),
    ]


study = utility_study(LARGE, "2011-fig3", "figure 3: sets without a miss, utility accrual", plot=plot, claims=claims)
