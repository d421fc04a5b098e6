"""Figure 10 of litmus-rt-2006: how many sets have bounded tardiness, by total utilization, on four processors.

P-EDF is checked as for hard deadlines. G-EDF and NG-EDF bound tardiness if the total utilization is at most the
number of processors (Devi and Anderson 2005). Without overheads the total is at most 3.9, so both schedule every set
here. With overheads NG-EDF, whose jobs are never preempted, reloads nothing; all else both are charged alike.
PD2 is checked as for hard deadlines, S-PD2 like PD2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path

from schedlab.studies import Claim, Results, sentence
from schedlab.studies.checks import Check, Every, Lies, Some, more
from schedlab.studies.estimates import shares_apart
from schedlab.studies.mutants import both, loses, wins

from ._nst import (
    DISTRIBUTIONS,
    PFAIR,
    TOTALS,
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
    "G-EDF": "G-EDF soft devi_anderson",
    "NG-EDF": "NG-EDF soft devi_anderson_np",
    "PD2": "PD2 soft",
    "S-PD2": "S-PD2 soft",
}
GLOBAL = ("G-EDF", "NG-EDF")
#: As figure 9 asks, for the sentences that compare the two.
HARD = {"PD2": "PD2 hard", "S-PD2": "S-PD2 hard"}
#: The same by the paper's rule for S-PD2, which takes a quantum from every period.
PUBLISHED = {"S-PD2": "S-PD2 hard less-a-quantum"}


def asked(measured: bool) -> dict[str, str]:
    """By column, what is asked of each set."""
    return {
        **with_overheads(SCHEDULERS, measured),
        **with_reloads(SCHEDULERS, measured),
        **{f"{name}, hard": question for name, question in with_overheads(HARD, measured).items()},
        **{f"{name}, hard, published": question for name, question in with_overheads(PUBLISHED, measured).items()},
    }


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_nst(results, directory / "2006-fig10", tuple(SCHEDULERS), "soft", ("P-EDF",))


def claims(results: Results) -> list[Claim]:
    """Section 4.2, the paragraph on figure 10, sentence by sentence.

    That the curves of P-EDF and PD2 are those of figure 9 is no claim here: both figures ask the same test.
    """
    shares = Shares(results)

    def at_3_8(name: str) -> Callable[[str], Check]:
        return lambda charged: more(shares.apart(("light", name), ("light", "P-EDF"), charged, 3.8))

    return [
        sentence(
            "the curves of S-PD2 are nearly identical to those of figure 9: less than one step of the totals apart",
            _like_figure_9(shares),
            loses("an S-PD2 that schedules no set in figure 9", "S-PD2, hard"),
        ),
        sentence(
            "light tasks: schedulability is comparable for the three EDF algorithms when the total is at most 3.5: "
            "less than one step of the totals apart",
            shares.parts(lambda charged: _comparable_when_light(shares, charged), set(GLOBAL)),
            loses("a P-EDF that schedules no set", "P-EDF"),
        ),
        sentence(
            "with the larger working set and light tasks, PD2 and S-PD2 perform poorly (below half of the sets by 3.0)",
            {name: _poor_when_light(shares, name) for name in PFAIR},
            wins("Pfair schedulers that accept every set", *PFAIR),
        ),
        _reasonable(
            shares, "light", PFAIR, "with the smaller working set and light tasks, PD2 and S-PD2 perform reasonably"
        ),
        sentence(
            "even with light tasks, G-EDF and NG-EDF schedule significantly more sets than P-EDF when the total is "
            "high (3.8)",
            named({name: shares.parts(at_3_8(name), {name}) for name in GLOBAL}),
            loses("a G-EDF that schedules no set", "G-EDF"),
        ),
        sentence(
            "at 3.8 in inset (a), G-EDF is higher than P-EDF by roughly 60%, NG-EDF by 90% (give or take 10)",
            {name: _higher_at_3_8(shares, name, points) for name, points in (("G-EDF", 60), ("NG-EDF", 90))},
            both(
                wins("a P-EDF that schedules every set, and a G-EDF and an NG-EDF that schedule none", "P-EDF"),
                loses("", *GLOBAL),
            ),
        ),
        sentence(
            "insets (b) and (e): when all tasks are heavy, schedulability drops to close to 0% (below 5%) for P-EDF",
            shares.parts(lambda charged: Lies(shares.share("heavy", "P-EDF", charged, TOTALS[-1]), high=5), {"P-EDF"}),
            wins("a P-EDF that schedules every set", "P-EDF"),
        ),
        _reasonable(shares, "heavy", (*GLOBAL, *PFAIR), "insets (b) and (e): all other algorithms perform reasonably"),
        *_of_curves(shares),
    ]


def _of_curves(shares: Shares) -> list[Claim]:
    """Which curves are above which."""

    def above(pairs: Mapping[str, tuple[Where, Where]]) -> dict[str, Check]:
        return named({
            name: shares.parts(shares.above(high, low), {high[1], low[1]}) for name, (high, low) in pairs.items()
        })  # fmt: skip

    of_edf = {f"{edf} above {one}": (("heavy", edf), ("heavy", one)) for edf in GLOBAL for one in PFAIR}
    return [
        sentence(
            "insets (b) and (e): the EDF schemes perform better than the Pfair ones",
            above(of_edf),
            loses("a G-EDF that schedules no set", "G-EDF"),
        ),
        sentence(
            "the Pfair schemes perform better when utilizations are higher: their curves if all are heavy are above",
            above({name: (("heavy", name), ("light", name)) for name in PFAIR}),
            loses("Pfair schedulers that schedule no heavy set", *PFAIR, where=lambda r: r["distribution"] == "heavy"),
        ),
        sentence(
            "at totals in [3.0, 3.4], PD2 and S-PD2 schedule close to 100% in inset (b), 0% in inset (a) (within 5%)",
            {name: _all_heavy_and_no_light_sets(shares, name) for name in PFAIR},
            loses("Pfair schedulers that schedule no heavy set", *PFAIR, where=lambda r: r["distribution"] == "heavy"),
        ),
        sentence(
            "with some light tasks, P-EDF performs better than when all are heavy",
            above({"bimodal": (("bimodal", "P-EDF"), ("heavy", "P-EDF"))}),
            loses("a P-EDF that schedules no bimodal set", "P-EDF", where=lambda row: row["distribution"] == "bimodal"),
        ),
        sentence(
            "in insets (c) and (f), P-EDF is worse than all others",
            above({f"than {name}": (("bimodal", name), ("bimodal", "P-EDF")) for name in (*GLOBAL, *PFAIR)}),
            loses("a G-EDF that schedules no set", "G-EDF"),
        ),
    ]  # fmt: skip


def _like_figure_9(shares: Shares) -> dict[str, Check]:
    """By inset, charge and rule: how many steps apart the curves for soft and for hard deadlines are."""
    rules = {"the paper's rule": ", hard, published", "our rule": ", hard"}

    def parts(inset: str) -> dict[str, Check]:
        names = [name for name in ("none", "4K", "reload") if name != "reload" or not shares.measured]
        checks: dict[str, Check] = {}
        for charged, (rule, suffix) in product(names, rules.items()):
            first, second = (
                [one for total in shares.totals for one in shares.tables[inset, total].column(where).to_pylist()]
                for where in (column("S-PD2", charged), f"{column('S-PD2', charged)}{suffix}")
            )
            apart = shares_apart(first, second, ("soft", "hard")).scaled(len(shares.totals) / 100)
            checks[f"{charged}, {rule}"] = Lies(apart.called("figure 10 less figure 9", " steps"), -1, 1)
        return checks

    return named({inset: parts(inset) for inset in DISTRIBUTIONS})


def _comparable_when_light(shares: Shares, charged: str) -> Check:
    totals = [total for total in TOTALS if total <= 3.5]
    return Every({
        f"P-EDF and {name}": Lies(shares.steps(("light", "P-EDF"), ("light", name), charged, *totals), -1, 1)
        for name in GLOBAL
    })  # fmt: skip


def _reasonable(shares: Shares, inset: str, schedulers: Sequence[str], text: str) -> Claim:
    """Reasonable: at least half of the sets up to a total of 3.0; of light tasks the text says so of 4K alone."""
    totals = [total for total in TOTALS if total <= 3.0]

    def check(scheduler: str) -> Callable[[str], Check]:
        return lambda charged: Every({
            f"at {total}": Lies(shares.share(inset, scheduler, charged, total), low=50) for total in totals
        })  # fmt: skip

    return sentence(
        f"{text} (half of the sets up to 3.0)",
        named({name: shares.parts(check(name), {name}, large=inset == "heavy") for name in schedulers}),
        loses("schedulers that schedule no set", *schedulers),
    )


def _poor_when_light(shares: Shares, scheduler: str) -> Check:
    """Poorly: not reasonably, as for the smaller working set, where all EDF schedulers do."""
    low_totals = [total for total in TOTALS if total <= 3.0]

    def check(_: str, large: str) -> Check:
        edf = {
            f"{name} at {total}": Lies(shares.share("light", name, large, total), low=50)
            for name in ("P-EDF", *GLOBAL)
            for total in low_totals
        }
        half = {f"at {total}": Lies(shares.share("light", scheduler, large, total), high=50) for total in low_totals}
        return Every({"": Some(half), **edf})

    return shares.of_128k(check, {scheduler})


def _higher_at_3_8(shares: Shares, scheduler: str, points: int) -> Check:
    """Roughly: within 10 percentage points, at one total of steep curves."""

    def check(_: str, large: str) -> Check:
        return Lies(shares.apart(("light", scheduler), ("light", "P-EDF"), large, 3.8), points - 10, points + 10)

    return shares.of_128k(check, {scheduler})


def _all_heavy_and_no_light_sets(shares: Shares, scheduler: str) -> Check:
    """Close: within 5 percentage points, at all of these totals together."""
    totals = [total for total in TOTALS if 3.0 <= total <= 3.4]

    def check(_: str, large: str) -> Check:
        heavy, light = (shares.share(inset, scheduler, large, *totals) for inset in ("heavy", "light"))
        return Every({"heavy": Lies(heavy, low=95), "light": Lies(light, high=5)})

    return shares.of_128k(check, {scheduler})


study = nst_study(
    "2006-fig10", "litmus-rt-2006, figure 10: soft real-time schedulability on 4 processors", asked,
    plot=plot, claims=claims,
)  # fmt: skip
