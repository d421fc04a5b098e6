"""Figures 1, 3, 9 and 11 of chronos-scalability-2011: how many sets miss no deadline, by load; their claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from schedlab.plots import CURVES, PAGE, chosen_confidence, footnote, paper_style, save_figure, wilson_interval
from schedlab.show.plots.intervals import at_most
from schedlab.studies import Claim, Results, not_evaluated
from schedlab.studies import estimates as estimated
from schedlab.studies.checks import VISIBLE_POINTS, Check, Curve, Every, Lies, Never, more
from schedlab.studies.claims import Sentence, in_variants
from schedlab.studies.estimates import Estimate, Interval
from schedlab.studies.mutants import Mutant, loses, wins

from ._scheduling import (
    DECIDING_EVERY,
    DISTRIBUTIONS,
    FREE,
    PAPER_NAMES,
    Variant,
    charges_of,
    horizon,
    met,
    sets_with,
    variants,
)

#: What a claim of the paper's machine rests on.
ON_OVERHEADS = "it rests on what no variant models; "


def paper_name(scheduler: str) -> str:
    """What the paper calls it."""
    return PAPER_NAMES.get(scheduler, scheduler)


def insets(results: Results, rows: Any) -> list[tuple[Any, str, Variant]]:
    """Of six rows: each inset's axes, with its heading, its distribution and its variant. Variants stand abreast."""
    found = []
    for row, (name, (_, heading)) in zip(rows, DISTRIBUTIONS.items(), strict=True):
        for axes, variant in zip(row, variants(results), strict=True):
            axes.set_title(f"{heading} ({name}), {variant.heading}")
            found.append((axes, name, variant))
    for axes in rows[-1]:
        axes.set_xlabel("load")
    return found


def plot_shares(results: Results, stem: Path, schedulers: Sequence[str]) -> list[Path]:
    """Six rows of two insets: the share of sets without a miss. The place in the list is a scheduler's style."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, rows = plt.subplots(6, 2, figsize=(PAGE, 10.2), sharex=True, sharey=True)
        for axes, name, variant in insets(results, rows):
            columns = {scheduler: met(scheduler, variant) for scheduler in variant.of(schedulers)}
            counted = results.where(distribution=name).counts("load", list(columns.values()))
            every = max(4, len(counted) // 6)
            for scheduler, column in columns.items():
                place = schedulers.index(scheduler)
                shares = [percent(row[column]) for row in counted.values()]
                # Markers at other loads for each curve: many coincide.
                axes.plot(
                    list(counted), shares, label=paper_name(scheduler), markevery=(place % every, every),
                    markerfacecolor="white", **CURVES[place],
                )  # fmt: skip
        for axes in rows[:, 0]:
            axes.set_ylabel("sets without a miss (%)")
        # Above all insets: nine names are more than one inset is high.
        figure.legend(*rows[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=5)
        sets = results.provenance["sets"]
        few = -(-sets // DECIDING_EVERY)
        footnote(
            figure,
            f"simulated until {horizon(results.settings)}; {sets} sets per point, {sets_with(results)}: a share is "
            f"known to within {within(sets):.0f} and {within(few):.0f} "
            f"points ({chosen_confidence()}, Wilson); {charges_of(results)}",
        )
        return save_figure(figure, stem)


def percent(counted: tuple[int, int]) -> float:
    """Of those that are known; NaN of none."""
    successes, trials = counted
    return 100 * successes / trials if trials else float("nan")


def within(sets: int) -> float:
    """How well a share of so many is known, in percentage points."""
    low, high = wilson_interval(sets // 2, sets)
    return 50 * (high - low)


def with_decisions(results: Results, claims: Sequence[Claim]) -> list[Claim]:
    """What is claimed of the paper's machine alone: judged with decisions, or with the overheads of a file."""
    return _under(variants(results)[1], claims)


def without_overheads(claims: Sequence[Claim]) -> list[Claim]:
    """What is claimed of the rules alone."""
    return _under(FREE, claims)


def _under(variant: Variant, claims: Sequence[Claim]) -> list[Claim]:
    return [replace(claim, text=f"{claim.text} [{variant.heading}]") for claim in claims]


def by_variant(results: Results, sentences: Callable[[Variant], list[Sentence]]) -> list[Sentence]:
    """What is claimed without a word of the machine: a part has an answer if it has it with overheads and without."""
    found = {variant.heading: sentences(variant) for variant in variants(results)}
    return in_variants(found, "what scheduling takes on the paper's machine")


def misses(words: str, *schedulers: str, **parts: Any) -> Mutant:
    """The mutant of schedulers that miss a deadline in every set."""
    return loses(words, *map(met, schedulers), **parts)


def meets(words: str, *schedulers: str, **parts: Any) -> Mutant:
    """The mutant of schedulers that meet all deadlines of every set."""
    return wins(words, *map(met, schedulers), **parts)


def of_distributions(*names: str) -> Callable[[Mapping[str, Any]], bool]:
    """Whether a row is of one of these distributions."""
    return lambda row: row["distribution"] in names


#: "All sets" are scheduled where less than one in so many fails.
ONE_IN = 100


def last_load(loads: Sequence[int], counts: Sequence[tuple[int, int]], words: str = "") -> Estimate:
    """The largest load up to which the share of failures is at most one in `ONE_IN`, of every load; 0 if of none.

    ``counts`` are the failures and the sets of each load. The number itself is by the shares seen. Its interval is by
    the exact ends of each share (Clopper and Pearson), with half of the error for each end:

    * It begins with the last load up to which the upper ends are at most one in `ONE_IN`. For this to be too high, the
      upper end must be wrong at one load, the first at which the share is larger: that is one comparison. With fewer
      than about 500 sets a load no upper end is so low, even if no set fails.
    * It ends with the last load up to which no lower end is above one in `ONE_IN`. Each of the loads may be wrong, so
      that they share the error (Bonferroni).
    """

    def before(is_beyond: Callable[[int, int], bool]) -> int:
        reached = 0
        for load, count in zip(loads, counts, strict=True):
            if is_beyond(*count):
                break
            reached = load
        return reached

    def ends(confidence: float) -> Interval:
        # An end is beyond a share if what was seen, or more of it, is less likely than the error with that share.
        error = (1 - confidence) / 2
        low = before(lambda bad, of: at_most(bad, of, 1 / ONE_IN) > error)
        return low, before(lambda bad, of: at_most(of - bad, of, 1 - 1 / ONE_IN) < error / len(loads))

    seen = before(lambda bad, of: of == 0 or bad / of > 1 / ONE_IN)
    return Estimate(seen, ends, sum(of for _, of in counts), words)


class Shares:
    """Which sets miss no deadline, by distribution and load."""

    def __init__(self, results: Results, schedulers: Sequence[str], variant: Variant = FREE) -> None:
        self.schedulers = variant.of(schedulers)
        self.variant = variant
        self.loads: list[int] = results.values("load")
        self._answers: dict[tuple[str, str], dict[int, list[bool | None]]] = {}
        for name in DISTRIBUTIONS:
            table = results.where(distribution=name).table
            loads = table.column("load").to_pylist()
            for scheduler in self.schedulers:
                found: dict[int, list[bool | None]] = {load: [] for load in self.loads}
                for load, answer in zip(loads, table.column(met(scheduler, variant)).to_pylist(), strict=True):
                    found[load].append(answer)
                self._answers[name, scheduler] = found

    def answers(self, distribution: str, scheduler: str, loads: Sequence[int] = ()) -> list[bool | None]:
        """By set of these loads, or of all: whether it misses no deadline."""
        found = self._answers[distribution, scheduler]
        return [answer for load in loads or self.loads for answer in found[load]]

    def share(self, distribution: str, scheduler: str) -> Estimate:
        """The percentage of sets without a miss, over all loads."""
        name = f"{paper_name(scheduler)} in {distribution}"
        return estimated.share(self.answers(distribution, scheduler), name)

    def apart(self, distribution: str, high: str, low: str, *loads: int) -> Estimate:
        """By how many points the first has more sets without a miss, on the same sets of these loads, or of all."""
        first, second = (self.answers(distribution, name, loads) for name in (high, low))
        points = 0 if len(loads) == 1 else len(loads or self.loads)
        return estimated.shares_apart(first, second, (paper_name(high), paper_name(low)), points)

    def above(self, distribution: str, high: str, low: str) -> Check:
        """Whether the first has the higher curve, and the lower one at no load."""
        points = {f"load {load}": self.apart(distribution, high, low, load) for load in self.loads}
        return Curve(self.apart(distribution, high, low), points, VISIBLE_POINTS)

    def better(self, distribution: str, high: str, low: str) -> Check:
        """Whether the first has more sets without a miss, over all loads."""
        return more(self.apart(distribution, high, low))

    def best(self, distribution: str, scheduler: str, others: Sequence[str]) -> Check:
        """Whether it has more sets without a miss than each of these others, over all loads."""
        rivals = [other for other in others if other in self.schedulers and other != scheduler]
        return Every({f"than {paper_name(other)}": self.better(distribution, scheduler, other) for other in rivals})

    def beyond(self, distribution: str, scheduler: str, others: Sequence[str]) -> Estimate:
        """By how many points it has more than the mean of these others, on the same sets of all loads."""
        names = [name for name in others if name in self.schedulers]
        rows = zip(*(self.answers(distribution, name) for name in (scheduler, *names)), strict=True)
        pairs = [(100.0 * row[0], 100.0 * fmean(map(bool, row[1:]))) for row in rows if None not in row]
        own, rest = zip(*pairs, strict=True) if pairs else ((), ())
        return estimated.percents_apart(own, rest, (paper_name(scheduler), "mean of the others"))

    def well(self, distribution: str, scheduler: str, besides: Sequence[str] = ()) -> Check:
        """Whether it has more than the mean of all others, but for those ``besides``."""
        others = [name for name in self.schedulers if name != scheduler and name not in besides]
        return more(self.beyond(distribution, scheduler, others))

    def last(self, distribution: str, scheduler: str) -> Estimate:
        """The largest load up to which less than one set in `ONE_IN` fails, of every load.

        How many sets a load has does not change it, unlike the first failure that is seen.
        """
        of_loads = (self._answers[distribution, scheduler][load] for load in self.loads)
        counts = [(sum(one is False for one in of), sum(one is not None for one in of)) for of in of_loads]
        return last_load(self.loads, counts, f"{paper_name(scheduler)} in {distribution}: all sets up to load")

    def up_to(self, distribution: str, scheduler: str, load: float) -> Check:
        """Whether all sets are scheduled up to this load at least."""
        return Lies(self.last(distribution, scheduler), low=load - 0.5)

    def not_above(self, distribution: str, scheduler: str, load: float) -> Check:
        """Whether all sets are scheduled up to this load at most."""
        return Lies(self.last(distribution, scheduler), high=load + 0.5)

    def proved(self, distribution: str, scheduler: str, bound: float) -> Check:
        """Whether no set of a load up to a bound that is proved misses a deadline."""
        answers = [one for load in self.loads if load <= bound for one in self.answers(distribution, scheduler, [load])]
        known = [one for one in answers if one is not None]
        return Never(known.count(False), len(known), f"loads up to {bound:.1f} miss nothing")


def rests_on_overheads(text: str, numbers: str) -> Claim:
    """A claim about the paper's machine that neither variant can judge, with what came out."""
    return not_evaluated(text, ON_OVERHEADS + numbers)


def as_by_deadline(shares: Shares) -> Sentence:
    """In underload these schedulers are EDF (theorems of their papers): what EDF schedules, so do they."""
    pairs = {"P-LBESA": "P-EDF", "P-DASA-ND": "P-EDF", "gMUA": "G-EDF"}
    checks = {}
    for scheduler, edf in pairs.items():
        both = [
            pair
            for name in DISTRIBUTIONS
            for pair in zip(shares.answers(name, scheduler), shares.answers(name, edf), strict=True)
            if pair[1] and pair[0] is not None
        ]
        what = f"sets that {edf} schedules have no miss under {scheduler}"
        checks[f"{scheduler} as {edf}"] = Never(both.count((False, True)), len(both), what)
    return Sentence(
        "in underload P-LBESA and P-DASA-ND are P-EDF, and gMUA is G-EDF",
        checks,
        misses("a gMUA, P-LBESA and P-DASA-ND that miss a deadline in every set", *pairs),
    )
