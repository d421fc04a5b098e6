"""What figures 6 to 8 of litmus-rt-2006 share: task sets of total utilization 4, and how many processors they need.

Section 4.2: periods uniform in [10, 100] ms; utilizations uniform or exponential in three ranges, light (L), medium (M)
and heavy (H), or bimodal; tasks are added until the total is at least four, the last one reduced so that it is four.
The cap on the number of tasks is not stated; here there is none. Each experiment has 100 sets. Overheads are those of
four processors, however many a set needs.

RNP is the least number of processors, from four up, for which a set is proved; a point is the mean over its sets. As
many processors as tasks are enough for every scheduler that gives each task one: without that, a test of G-EDF might
ask for more processors than tasks.

Insets of the paper differ in working sets of 4K, 128K and 256K, hence in the time of a reload, which figure 4 had and
the text lacks. Reloads are the x axis here: 4K takes 42 us (table 1 of block-or-not-2008, the same machine two years
later), 128K and 256K lie between that and a quantum of 1 ms (see `_nst`). All other overheads are those of that table.
It has neither PD2 nor S-PD2: they are charged like G-EDF, which costs more than they did, or reloads alone. Claims
about them are judged in both ways: a part is not evaluated where the two disagree. Claims about large working sets are
judged for each reload: a part is not evaluated where reloads disagree.

With a file of measured overheads (`--overheads FILE`) the x axis is the working set, 4K, 128K and 256K as in the paper,
and each scheduler is charged what the file says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

from schedlab.plots import PAGE, Means, chosen_confidence, draw_means, footnote, mean_interval, paper_style, save_figure
from schedlab.studies import Claim, Parameter, Results, Study, Unit, grid, not_evaluated, sentence
from schedlab.studies.batch import Batch, required_processors
from schedlab.studies.checks import Check, Every, Lies, Whatever, more
from schedlab.studies.estimates import Estimate, mean, means_apart
from schedlab.studies.mutants import Mutant, Row, by_row, is_named
from schedlab.studies.settings import periods_parameter

PROCESSORS = Parameter(
    "processors", 4, "total utilization of the sets, and the processors to begin with; overheads stay those of four",
    low=1, high=32,
)  # fmt: skip
#: Where the search ends. PD2 charged a reload of almost a quantum needs 20 for light tasks.
MOST = Parameter("most", 40, "processors at which the search ends", low=1, high=320)
PERIODS = periods_parameter("uniform 10ms 100ms step 1ms", "PD2 needs whole quanta")

#: By name: how utilizations are drawn, and the heading of the inset.
DISTRIBUTIONS = {
    "L": ("uniform 0.001 0.1", "L: uniform in [0.001, 0.1]"),
    "M": ("uniform 0.1 0.4", "M: uniform in [0.1, 0.4]"),
    "H": ("uniform 0.5 0.9", "H: uniform in [0.5, 0.9]"),
    "bimodal": ("bimodal 0.001 0.5 0.5 0.999 8:1", "bimodal, 8/9 and 1/9"),
    "exponential L": ("exponential 0.05 0.001 0.1", "L: exponential, mean 0.05"),
    "exponential M": ("exponential 0.25 0.1 0.4", "M: exponential, mean 0.25"),
    "exponential H": ("exponential 0.7 0.5 0.9", "H: exponential, mean 0.7"),
}
LIGHT, MEDIUM, HEAVY = (tuple(name for name in DISTRIBUTIONS if name.endswith(letter)) for letter in "LMH")

#: The same look as in figures 9 and 10.
STYLES = {"P-EDF": 0, "G-EDF": 1, "NG-EDF": 2, "PD2": 3, "S-PD2": 4}
PFAIR = ("PD2", "S-PD2")

#: What a reload takes, in microseconds: of 4K, then of larger working sets.
SMALL = 42
RELOADS = (SMALL, 100, 200, 300, 500, 700, 900)
#: One of 128K takes not much more than half of a quantum (see `_nst`).
MOST_128K = 500
#: How Pfair schedulers are charged for all but reloads: by name, the overheads of the question.
ACCOUNTS = {"": "paper-2008-4k:G-EDF", " alone": "paper-2008-4k"}


def is_pfair(scheduler: str) -> bool:
    """Whether overheads of G-EDF stand for those of what a column is about."""
    return scheduler.removesuffix(", hard") in PFAIR


@dataclass(frozen=True)
class Axis:
    """The x axis: what a reload takes, or what a file says of a working set."""

    values: tuple[int, ...]
    unit: str
    label: str
    accounts: tuple[str, ...]

    @property
    def small(self) -> tuple[int, ...]:
        """What stands for 4K."""
        return self.values[:1]

    @property
    def middle(self) -> tuple[int, ...]:
        """What 128K is, or may take."""
        return self.values[1:2] if self is WORKING_SETS else tuple(at for at in self.values[1:] if at <= MOST_128K)

    @property
    def large(self) -> tuple[int, ...]:
        """What 128K and 256K are, or may take."""
        return self.values[1:] if self is WORKING_SETS else self.values[2:]

    def column(self, scheduler: str, at: int, account: str = "") -> str:
        """Where the answers about a scheduler stand."""
        return f"{scheduler}, {at} {self.unit}{account if is_pfair(scheduler) else ''}"


BY_RELOAD = Axis(RELOADS, "us", "reload (us)", tuple(ACCOUNTS))
WORKING_SETS = Axis((4, 128, 256), "KiB", "working set (KiB)", ("",))


def axis_of(results: Results) -> Axis:
    """The working sets of a file of overheads, if one was given."""
    return BY_RELOAD if results.provenance.get("overheads") is None else WORKING_SETS


def questions_of(schedulers: Mapping[str, str], axis: Axis) -> dict[str, str]:
    """By column, what is asked of each set."""
    asked = dict(schedulers)
    for scheduler, question in schedulers.items():
        for at in axis.values:
            if axis is WORKING_SETS:
                asked[axis.column(scheduler, at)] = f"{question} given wss={at}KiB"
                continue
            accounts = ACCOUNTS if is_pfair(scheduler) else {"": "paper-2008-4k"}
            for account, overheads in accounts.items():
                asked[axis.column(scheduler, at, account)] = f"{question} {overheads} reload={at}us"
    return asked


def finer(column: str) -> str:
    """Where the answers stand about the same with quanta of 250 us."""
    return f"{column}, quanta of 250 us"


def with_finer_quanta(asked: Mapping[str, str], scheduler: str, axis: Axis) -> dict[str, str]:
    """The questions about a Pfair scheduler and the smallest working set, asked with quanta of 250 us, too."""
    columns = [axis.column(scheduler, at, account) for at in axis.small for account in axis.accounts]
    return {**asked, **{finer(column): f"{asked[column]} quantum=250us" for column in columns}}


def rnp_study(name: str, title: str, schedulers: Mapping[str, str], *, finest: str = "", **parts: Any) -> Study:
    """A study that asks how many processors each set needs, under each scheduler, by what a reload takes.

    Of the scheduler ``finest`` it asks with finer quanta, too.
    """

    def evaluate(unit: Unit) -> dict[str, list[Any]]:
        axis = WORKING_SETS if unit.overheads else BY_RELOAD
        questions = questions_of(schedulers, axis)
        if finest:
            questions = with_finer_quanta(questions, finest, axis)
        batch = Batch(
            utilizations=DISTRIBUTIONS[str(unit.parameters["distribution"])][0],
            periods=unit.settings[PERIODS],
            deadlines="implicit",
            stop=f"trim {unit.settings[PROCESSORS]}",
            seed=unit.seed,
            sets=unit.sets,
            processors=unit.settings[PROCESSORS],
            questions=list(questions.values()),
            overheads=unit.overheads or None,
        )
        return dict(zip(questions, required_processors(batch, unit.settings[MOST]), strict=True))

    return Study(
        name=name,
        title=title,
        source="Calandrino, Leontyev, Block, Devi, Anderson: LITMUS^RT, RTSS 2006",
        points=grid(distribution=list(DISTRIBUTIONS)),
        evaluate=evaluate,
        sets_per_unit=10,
        sets=100,
        # Figures 6 to 8 look at the same task sets.
        stream="2006-rnp",
        parameters={
            "processors": PROCESSORS.default,
            "most": MOST.default,
            "periods": PERIODS.default,
            "schedulers": dict(schedulers),
            "overheads": "paper-2008-4k, with reloads as the x axis says",
        },
        settable=(PROCESSORS, MOST, PERIODS),
        takes_overheads=True,
        **parts,
    )


def plot_rnp(results: Results, stem: Path, schedulers: Sequence[str], kind: str, accent: Sequence[str]) -> list[Path]:
    """An inset for each distribution: the mean RNP by what a reload takes, or by working set."""
    import matplotlib.pyplot as plt

    axis = axis_of(results)
    with paper_style():
        figure, rows = plt.subplots(2, 4, figsize=(PAGE, 4.4), sharex=True)
        insets = list(rows.flat)
        for axes, (name, (_, heading)) in zip(insets, DISTRIBUTIONS.items(), strict=False):
            needs = Needs(results, name)
            at = [needs.of(*(axis.column(scheduler, value) for scheduler in schedulers)) for value in axis.values]
            curves = []
            for place, scheduler in enumerate(schedulers):
                found = [mean_interval([row[place] for row in rows]) if rows else (nan, nan, nan) for rows in at]
                points = [(value, *interval) for value, interval in zip(axis.values, found, strict=True)]
                curves.append(Means(scheduler, points, STYLES[scheduler]))
            draw_means(axes, curves, accent=accent)
            axes.set_title(heading)
            axes.set_ylim(bottom=results.settings[PROCESSORS] - 0.2)
        insets[0].set_ylabel(f"mean number of\nprocessors, {kind}")
        insets[4].set_ylabel(f"mean number of\nprocessors, {kind}")
        for axes in (insets[3], *insets[4:7]):
            axes.set_xlabel(axis.label)
            axes.tick_params(labelbottom=True)
        insets[7].axis("off")
        insets[7].legend(*insets[0].get_legend_handles_labels(), loc="center")
        charged = (
            f'overheads of "{results.provenance["overheads"]}"'
            if axis is WORKING_SETS
            else "4K takes 42 us, 128K and 256K an unknown time below 1 ms; other overheads: table 1 of "
            "block-or-not-2008, Pfair's taken from G-EDF"
        )
        footnote(
            figure,
            f"{charged}; {results.provenance['sets']} sets per point, "
            f"bands where apart: {chosen_confidence()} (Student); "
            f"over the sets for which some number up to {results.settings[MOST]} is enough under all schedulers",
        )
        return save_figure(figure, stem)


#: Why staggering brings nothing here, unless each was measured.
ALIKE = "staggering makes reloads shorter, by how much figure 4 had; here both are charged the same reload"


class Needs:
    """How many processors the sets of a distribution need."""

    def __init__(self, results: Results, distribution: str) -> None:
        self.table = results.where(distribution=distribution).table

    def of(self, *columns: str) -> list[tuple[int, ...]]:
        """By set that has an RNP in each of ``columns``: what it needs there.

        A task of utilization 0.99 leaves no room for overheads, on whatever many processors.
        """
        rows = zip(*(self.table.column(name).to_pylist() for name in columns), strict=True)
        return [row for row in rows if None not in row]


#: Of what 128K and 256K, or Pfair's own scheduling, take: it turns on.
UNKNOWN = "unknown overheads"


class Judge:
    """Makes the checks of sentences, for each way in which Pfair schedulers may be charged, and each reload."""

    def __init__(self, results: Results) -> None:
        self.axis = axis_of(results)
        self.small, self.middle, self.large = self.axis.small, self.axis.middle, self.axis.large
        self.needs = {name: Needs(results, name) for name in DISTRIBUTIONS}

    def whatever_is_charged(self, reloads: Sequence[int], check: Callable[[int, str], Check]) -> Check:
        """``check`` is told the reload, or the working set, and the account of Pfair's scheduling."""
        unit = self.axis.unit
        if self.axis is WORKING_SETS:
            return Every({f"{at} {unit}": check(at, "") for at in reloads})
        cases = {f"reload {at} {unit}{account}": check(at, account) for at in reloads for account in self.axis.accounts}
        return Whatever(cases, UNKNOWN)

    def sizes(self, check: Callable[[int, str], Check], *, middle: bool = False) -> dict[str, Check]:
        """The parts of a sentence about all working sets: small ones, and large ones."""
        large = {"128K": self.middle} if middle else {"larger": self.large}
        return {
            name: self.whatever_is_charged(reloads, check) for name, reloads in ({"4K": self.small} | large).items()
        }

    def apart(self, name: str, high: str, low: str, at: int, account: str) -> Estimate:
        """By how many processors the first needs more than the second, on the same sets of a distribution."""
        rows = self.needs[name].of(*(self.axis.column(one, at, account) for one in (high, low)))
        first, second = zip(*rows, strict=True) if rows else ((), ())
        return means_apart(first, second, (high, low), " processors")

    def fewer(self, names: Sequence[str], low: str, high: str, *, by: float = 0.0) -> Callable[[int, str], Check]:
        """Whether ``low`` needs fewer than ``high`` on average, by more than ``by``, in each of ``names``."""
        return lambda at, account: Every(
            {name: Lies(self.apart(name, high, low, at, account), low=by) for name in names}
        )

    def about_equal(self, names: Sequence[str], one: str, other: str, within: float) -> Callable[[int, str], Check]:
        """Whether the two need the same on average, up to ``within`` processors, in each of ``names``."""
        return lambda at, account: Every(
            {name: Lies(self.apart(name, one, other, at, account), -within, within) for name in names}
        )

    def fewer_overall(self, low: str, high: str, *, by: float) -> Callable[[int, str], Check]:
        """Whether ``low`` needs fewer than ``high``, by more than ``by`` over the sets of all distributions."""

        def check(at: int, account: str) -> Check:
            columns = [self.axis.column(one, at, account) for one in (high, low)]
            pairs = [row for name in DISTRIBUTIONS for row in self.needs[name].of(*columns)]
            first, second = zip(*pairs, strict=True) if pairs else ((), ())
            return Lies(means_apart(first, second, (high, low), " processors"), low=by)

        return check

    def grows_more(self, high: str, low: str) -> Check:
        """Whether ``high`` needs more with large working sets than with 4K, and more so than ``low``, everywhere."""
        [small] = self.small

        def check(at: int, account: str) -> Check:
            columns = [self.axis.column(name, size, account) for name in (high, low) for size in (small, at)]
            checks: dict[str, Check] = {}
            for name in DISTRIBUTIONS:
                rows = self.needs[name].of(*columns)
                own, other = ([row[one + 1] - row[one] for row in rows] for one in (0, 2))
                checks[f"{name}, it grows"] = more(mean(own, high, " processors"))
                checks[f"{name}, it grows more"] = more(means_apart(own, other, (high, low), " processors"))
            return Every(checks)

        return self.whatever_is_charged(self.large, check)

    def finer_is_worse(self, scheduler: str) -> Check:
        """Whether quanta of 250 us need more processors than those of 1 ms, over all distributions, with 4K."""

        def check(at: int, account: str) -> Check:
            column = self.axis.column(scheduler, at, account)
            pairs = [row for name in DISTRIBUTIONS for row in self.needs[name].of(finer(column), column)]
            fine, coarse = zip(*pairs, strict=True) if pairs else ((), ())
            return more(means_apart(fine, coarse, ("quanta of 250 us", "1 ms"), " processors"))

        return self.whatever_is_charged(self.small, check)

    def staggered_is_better(self) -> Claim:
        """Whether S-PD2 beats PD2 at large working sets: only a file says what staggering saves."""
        text = "large working sets: S-PD2 outperforms PD2"
        if self.axis is BY_RELOAD:
            return not_evaluated(text, ALIKE)
        check = self.whatever_is_charged(self.large, self.fewer(list(DISTRIBUTIONS), "S-PD2", "PD2"))
        return sentence(text, check, needs_more("an S-PD2 that needs 20 processors more", "S-PD2"))


def needs_more(words: str, *names: str, where: Callable[[Row], bool] = lambda _: True, by: int = 20) -> Mutant:
    """The mutant in which each set needs more processors under these schedulers."""

    def changed(row: Row) -> Row:
        if not where(row):
            return {}
        return {name: row[name] + by for name in row if is_named(name, names) and row[name] is not None}

    return by_row(words, changed)
