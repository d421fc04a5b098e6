"""Figure 9 of litmus-rt-2006: how many sets meet all deadlines, by total utilization, on four processors.

P-EDF: first fit by decreasing utilization. G-EDF: "the sufficient schedulability test in [4, 12]", that is of
Goossens, Funk and Baruah 2003 and of Baker 2003: a set counts if either accepts it. NG-EDF has no test in the paper.
PD2: the total utilization, costs rounded up to quanta of 1 ms, is at most four. S-PD2: the same of weights that
make up for staggered quanta. The paper shortens every period by a quantum for that; here each task is given the
smallest weight that its own cost, period and processors demand, which is at most the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from schedlab.studies import Claim, Results, sentence
from schedlab.studies.checks import Check, Every, more
from schedlab.studies.estimates import less
from schedlab.studies.mutants import Mutant, loses, wins

from ._nst import (
    DISTRIBUTIONS,
    LARGE,
    PFAIR,
    Shares,
    Where,
    column,
    named,
    nst_study,
    plot_nst,
    with_overheads,
    with_reloads,
)

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
    shares = Shares(results)
    others = ("heavy", "bimodal")

    def parts(pairs: Mapping[str, tuple[Where, Where]]) -> dict[str, Check]:
        return named({
            name: shares.parts(shares.above(high, low), {high[1], low[1]}) for name, (high, low) in pairs.items()
        })  # fmt: skip

    poor = {name: ((name, "P-EDF"), (name, "G-EDF")) for name in DISTRIBUTIONS}
    well = {f"than in {name}": (("light", "P-EDF"), (name, "P-EDF")) for name in others}
    pfair = {f"{one} in {name}": ((name, one), (name, "P-EDF")) for one in PFAIR for name in others}
    return [
        sentence(
            "the performance of G-EDF is poor: its curve is below P-EDF's",
            parts(poor),
            wins("a G-EDF test that accepts every set", "G-EDF"),
        ),
        sentence(
            "no dramatic improvement of G-EDF and P-EDF as the working-set size decreases, unlike PD2's and S-PD2's",
            {name: _no_dramatic_improvement(shares, name) for name in ("G-EDF", "P-EDF")},
            _with_128k("a PD2 and an S-PD2 that accept every set of 128K", wins, *PFAIR),
        ),
        sentence(
            "P-EDF performs remarkably well when all tasks are light: its curve is above those of the other insets",
            parts(well),
            loses("a P-EDF that schedules no light set", "P-EDF", where=lambda row: row["distribution"] == "light"),
        ),
        sentence(
            "PD2 and S-PD2 perform significantly better than P-EDF where tasks are not all light",
            parts(pfair),
            loses("Pfair schedulers that schedule no set", *PFAIR),
        ),
        sentence(
            "smaller working sets help light tasks more than heavy ones: PD2 and S-PD2",
            {name: _light_tasks_gain_more(shares, name) for name in PFAIR},
            _with_128k(
                "Pfair schedulers that accept all light sets of 128K", wins, *PFAIR,
                where=lambda row: row["distribution"] == "light",
            ),
        ),
    ]  # fmt: skip


def _with_128k(words: str, kind: Callable[..., Mutant], *schedulers: str, **parts: Any) -> Mutant:
    """The mutant of the columns with 128K alone."""
    return kind(words, *(column(name, charged) for name in schedulers for charged in ("128K", *LARGE)), **parts)


def _no_dramatic_improvement(shares: Shares, scheduler: str) -> Check:
    """Not dramatic, unlike Pfair: in every inset, less than that of PD2 and of S-PD2 if tasks are light."""

    def check(small: str, large: str) -> Check:
        pfair = {name: shares.gain("light", name, small, large) for name in PFAIR}
        return Every({
            f"in {inset}, {name}'s in light": more(less(gain, shares.gain(inset, scheduler, small, large)))
            for inset in DISTRIBUTIONS for name, gain in pfair.items()
        })  # fmt: skip

    return shares.of_128k(check, {scheduler, *PFAIR})


def _light_tasks_gain_more(shares: Shares, scheduler: str) -> Check:
    def check(small: str, large: str) -> Check:
        light, heavy = (shares.gain(inset, scheduler, small, large) for inset in ("light", "heavy"))
        return more(less(light, heavy))

    return shares.of_128k(check, {scheduler})


study = nst_study(
    "2006-fig9", "litmus-rt-2006, figure 9: hard real-time schedulability on 4 processors", asked,
    plot=plot, claims=claims,
)  # fmt: skip
