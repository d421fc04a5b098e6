"""Figure 11 of chronos-scalability-2011: how many sets utility-accrual schedulers schedule on 16 processors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results, not_evaluated, sentence
from schedlab.studies.checks import more
from schedlab.studies.estimates import less

from ._scheduling import DISTRIBUTIONS, REFERENCES, SMALL, UTILITY_ACCRUAL, utility_study, variants
from ._shares import Shares, as_by_deadline, meets, misses, plot_shares, rests_on_overheads

SCHEDULERS = (*UTILITY_ACCRUAL, *REFERENCES)


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig11", SCHEDULERS)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.2, the paragraph on 16 processors, sentence by sentence.

    For tasks that share nothing, as here, NG-GUA decides as gMUA does: they differ by what choosing takes alone.
    """
    free, shares = (Shares(results, SCHEDULERS, variant) for variant in variants(results))
    globally = ("NG-GUA", "gMUA")
    limit = shares.last("BLU", "G-EDF")
    loads = {one: shares.last("BLU", one) for one in globally}
    return [
        as_by_deadline(free).judged(),
        not_evaluated(
            "NG-GUA and gMUA provide similar performance",
            "for tasks that share nothing, as here, NG-GUA decides as gMUA does by construction",
        ),
        sentence(
            "in BLU NG-GUA and gMUA meet deadlines only up to around half the load of G-EDF (3/8 to 5/8)",
            {
                **{f"{one}, not more": more(less(limit.scaled(5 / 8), loads[one])) for one in globally},
                **{f"{one}, not less": more(less(loads[one], limit.scaled(3 / 8))) for one in globally},
            },
            meets("an NG-GUA and a gMUA that meet all deadlines", *globally),
        ),
        rests_on_overheads(
            "on large systems NG-GUA and gMUA degrade by their overheads, and are near G-EDF for heavier sets only",
            "what their decisions take on the paper's machine is not in the text",
        ),
        sentence(
            "gMUA consistently outperforms NG-GUA by a small margin: the effect of their overheads' difference",
            {name: shares.better(name, "gMUA", "NG-GUA") for name in DISTRIBUTIONS},
            misses("a gMUA that misses a deadline in every set", "gMUA"),
        ),
    ]


study = utility_study(SMALL, "2011-fig11", "figure 11: sets without a miss, utility accrual", plot=plot, claims=claims)
