"""Figure 10 of chronos-scalability-2011: mean maximum tardiness on 16 processors. The text says nothing of it.

G-NP-HVDF is left out: it gives late jobs up, so that none of them completes late.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Results

from ._scheduling import LARGE, SMALL, schedules_study
from ._tardiness import plot_tardiness


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_tardiness(results, directory / "2011-fig10", LARGE.schedulers, 1)


study = schedules_study(SMALL, "2011-fig10", "figure 10: mean maximum tardiness", plot=plot)
