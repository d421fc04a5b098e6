"""Figure 11 of chronos-scalability-2011: how many sets utility-accrual schedulers schedule on 16 processors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from schedlab.studies import Claim, Results, judge

from ._scheduling import DISTRIBUTIONS, FREE, REFERENCES, SMALL, UTILITY_ACCRUAL, Variant, utility_study, variants
from ._shares import Shares, as_by_deadline, in_both, plot_shares, rests_on_overheads, with_decisions

SCHEDULERS = (*UTILITY_ACCRUAL, *REFERENCES)
#: In percentage points of the mean over loads: "similar".
SIMILAR = 5.0


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig11", SCHEDULERS)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.2, the paragraph on 16 processors, sentence by sentence."""
    free, deciding = (Shares(results, SCHEDULERS, variant) for variant in variants(results))

    def judged(variant: Variant) -> list[Claim]:
        gaps = _gaps(free if variant is FREE else deciding)
        similar = f"NG-GUA and gMUA provide similar performance (means over loads within {SIMILAR:.0f} points)"
        told = f"gMUA less NG-GUA: {_told(gaps)}"
        return [judge(similar, all(abs(gap) <= SIMILAR for gap in gaps.values()), told)]

    light = {name: deciding.all_up_to("BLU", name) for name in ("gMUA", "NG-GUA", "G-EDF")}
    half = judge(
        "in BLU NG-GUA and gMUA meet deadlines only up to around half the load of G-EDF (40 to 60%)",
        all(0.4 <= light[name] / light["G-EDF"] <= 0.6 for name in ("gMUA", "NG-GUA")) if light["G-EDF"] else False,
        "all sets are scheduled up to: " + ", ".join(f"{name} {load}" for name, load in light.items()),
    )
    return [
        *as_by_deadline(free),
        *in_both(results, judged),
        *with_decisions(results, [half]),
        rests_on_overheads(
            "on large systems NG-GUA and gMUA degrade by their overheads, and are near G-EDF for heavier sets only",
            "what either algorithm takes is not in the text, so they borrow G-EDF's costs; G-EDF less gMUA: "
            + _told({name: deciding.mean(name, "G-EDF") - deciding.mean(name, "gMUA") for name in DISTRIBUTIONS}),
        ),
        rests_on_overheads(
            "gMUA consistently outperforms NG-GUA, by a load of about 2: the effect of their overheads' difference",
            f"what either algorithm takes is not in the text; gMUA less NG-GUA: {_told(_gaps(deciding))}",
        ),
    ]


def _gaps(shares: Shares) -> dict[str, float]:
    """By distribution: how much larger gMUA's mean share is, in percentage points."""
    return {name: shares.mean(name, "gMUA") - shares.mean(name, "NG-GUA") for name in DISTRIBUTIONS}


def _told(gaps: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {gap:+.1f} points" for name, gap in gaps.items())


study = utility_study(SMALL, "2011-fig11", "figure 11: sets without a miss, utility accrual", plot=plot, claims=claims)
