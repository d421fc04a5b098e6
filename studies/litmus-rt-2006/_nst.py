"""The grid that figures 9 and 10 of litmus-rt-2006 share: how many random task sets are schedulable on 4 processors.

Section 4.2: periods uniform in [10, 100] ms; utilizations uniform in [0.1, 0.5] (insets a, d) or in [0.5, 0.9]
(b, e), or in the first range with probability 0.2 and in the second with 0.8 (c, f); tasks are added until the
total utilization (2.0 to 3.9) is reached, the last one reduced to reach it exactly. The text does not say in which
steps the total was varied (here 0.1) nor how many sets there were at each total ("each experiment consisted of 100
different task sets" is said of the others; here 100, and 1,000 with --full). Periods are whole quanta of 1 ms: the
paper says that costs may be non-integral and have to be rounded up to quanta, and of periods nothing.

Insets differ in working-set size, 128K in (a) to (c) and 4K in (d) to (f), hence in cache-related overheads. The
measured overheads stood in figure 4, whose numbers the text lacks. The upper row charges nothing, so it is neither.
The lower one charges what table 1 of block-or-not-2008 says of working sets of 4K on the same machine two years
later, where preemptions and migrations are those of this paper: costs are inflated, then rounded up to quanta under
Pfair. That table has neither PD2 nor S-PD2. They are drawn as if charged like G-EDF, which costs more than they did
("overall, scheduling overheads are small, with the exception of G-EDF"); claims about them are judged so and with
nothing but the reload of 42 us at each preemption: the part is not evaluated where the two disagree.

With a file of measured overheads (`--overheads FILE`) nothing is borrowed: each scheduler is charged what the file says
of it, with working sets of 128K in the middle row, insets (a) to (c), and of 4K in the lower one.

Without a file, what a reload of 128K takes is unknown. It takes more than one of 4K. Section 4.1 says that costs grow
linearly with the working set, and figure 6 that PD2 still schedules heavy tasks with 256K; so a reload of 256K takes
less than the quantum of 1 ms, and one of 128K not much more than half of it. Claims about 128K are judged for several
reloads in between, all else as for 4K. The part about 128K is not evaluated where reloads disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import Curve as Line
from schedlab.plots import chosen_confidence, draw_curves, footnote, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Parameter, Point, Results, Settings, Study, Unit, grid
from schedlab.studies import estimates as estimated
from schedlab.studies.batch import Batch, judge_sets
from schedlab.studies.checks import VISIBLE_POINTS, Check, Curve, Whatever
from schedlab.studies.estimates import Estimate, less
from schedlab.studies.settings import periods_parameter

TOTALS = [tenths / 10 for tenths in range(20, 40)]
PROCESSORS = Parameter(
    "processors", 4, "processors of the machine; overheads stay those of the paper's four", low=1, high=128
)
TOTAL_UTILIZATIONS = Parameter(
    "totals", tuple(TOTALS), "total utilizations; without --set, the paper's share of all processors",
    low=0.1, high=128,
)  # fmt: skip
PERIODS = periods_parameter("uniform 10ms 100ms step 1ms", "PD2 needs whole quanta")

#: By the name of an inset: how utilizations are drawn, and how the paper names them.
DISTRIBUTIONS = {
    "light": ("uniform 0.1 0.5", "u in [0.1, 0.5]"),
    "heavy": ("uniform 0.5 0.9", "u in [0.5, 0.9]"),
    "bimodal": ("bimodal 0.1 0.5 0.5 0.9 1:4", "bimodal, 0.2 and 0.8"),
}

#: The same look in both figures.
STYLES = {"P-EDF": 0, "G-EDF": 1, "NG-EDF": 2, "PD2": 3, "S-PD2": 4}
PFAIR = ("PD2", "S-PD2")

#: What is charged: by name, what it adds to the columns of the EDF schedulers and of Pfair's, and how it is told.
CHARGED = {
    "none": ("", "", "no overheads"),
    "4K": (", 4K", ", 4K", "4K overheads"),
    "reload": (", 4K", ", 4K reload", "4K overheads, of Pfair reloads alone"),
}
#: Reloads of 128K, in microseconds.
RELOADS = (100, 200, 250, 300, 400, 500)
#: What is charged for 128K: by name, the reload, and what is charged for 4K beside it.
LARGE = {
    f"{reload} us{alone}": (reload, small)
    for reload in RELOADS
    for alone, small in (("", "4K"), (", of Pfair reloads alone", "reload"))
}
#: What a file of measured overheads charges: by name, the words of a question.
MEASURED = {"4K": "given wss=4KiB", "128K": "given wss=128KiB"}
#: The rows of the figures, and the letters of their insets; 128K with a file only.
ROWS = {"none": ("no overheads:", "   "), "128K": ("({letter}) 128K:", "abc"), "4K": ("({letter}) 4K:", "def")}
PROFILE, BORROWED = "paper-2008-4k", "paper-2008-4k:G-EDF"
CHARGES = f"none; beside it {PROFILE}"

UNKNOWN_PFAIR = "what PD2's own scheduling costs, which table 1 of block-or-not-2008 lacks"
UNKNOWN_RELOAD = "what a reload of 128K takes, which figure 4 had"


def column(scheduler: str, charged: str) -> str:
    """Where the answers about a scheduler stand, with what is charged."""
    if charged in LARGE:
        reload, small = LARGE[charged]
        return f"{scheduler}, 128K {reload} us{' alone' if scheduler in PFAIR and small == 'reload' else ''}"
    if charged == "128K":
        return f"{scheduler}, 128K"
    return scheduler + CHARGED[charged][scheduler in PFAIR]


def is_measured(results: Results) -> bool:
    """Whether a file of overheads was given."""
    return results.provenance.get("overheads") is not None


def with_overheads(questions: Mapping[str, str], measured: bool) -> dict[str, str]:
    """``questions`` about schedulers, asked without overheads and with those of 4K."""
    asked = dict(questions)
    for scheduler, question in questions.items():
        if measured:
            asked[column(scheduler, "4K")] = f"{question} {MEASURED['4K']}"
        else:
            asked |= {column(scheduler, small): _charged(scheduler, question, small) for small in ("4K", "reload")}
    return asked


def with_reloads(questions: Mapping[str, str], measured: bool) -> dict[str, str]:
    """``questions`` about schedulers, asked with each reload that 128K may take, or with the measured one."""
    if measured:
        return {column(name, "128K"): f"{question} {MEASURED['128K']}" for name, question in questions.items()}
    return {
        column(scheduler, charged): f"{_charged(scheduler, question, small)} reload={reload}us"
        for scheduler, question in questions.items()
        for charged, (reload, small) in LARGE.items()
    }


def _charged(scheduler: str, question: str, small: str) -> str:
    return f"{question} {BORROWED if scheduler in PFAIR and small == '4K' else PROFILE}"


def points(settings: Settings) -> list[Point]:
    """The grid; on another number of processors the totals are the same shares of all of them, unless they are set."""
    totals = settings[TOTAL_UTILIZATIONS]
    if totals == TOTAL_UTILIZATIONS.default:
        totals = tuple(round(total * settings[PROCESSORS] / PROCESSORS.default, 3) for total in totals)
    return grid(distribution=list(DISTRIBUTIONS), total=totals)


def nst_study(name: str, title: str, asked: Callable[[bool], dict[str, str]], **parts: Any) -> Study:
    """A study that asks of every set what ``asked``, told whether a file was given, says by column."""

    def evaluate(unit: Unit) -> dict[str, list[Any]]:
        questions = asked(bool(unit.overheads))
        batch = Batch(
            utilizations=DISTRIBUTIONS[str(unit.parameters["distribution"])][0],
            periods=unit.settings[PERIODS],
            deadlines="implicit",
            stop=f"trim {unit.parameters['total']}",
            seed=unit.seed,
            sets=unit.sets,
            processors=unit.settings[PROCESSORS],
            questions=list(questions.values()),
            overheads=unit.overheads or None,
        )
        answers = judge_sets(batch)
        return {"tasks": answers.tasks, **dict(zip(questions, answers.proved, strict=True))}

    return Study(
        name=name,
        title=title,
        source="Calandrino, Leontyev, Block, Devi, Anderson: LITMUS^RT, RTSS 2006",
        points=points(Settings()),
        evaluate=evaluate,
        sets_per_unit=50,
        # Both figures look at the same task sets.
        stream="2006-nst",
        parameters={
            "processors": PROCESSORS.default, "periods": PERIODS.default, "questions": asked(False),
            "overheads": CHARGES,
        },
        settable=(PROCESSORS, TOTAL_UTILIZATIONS, PERIODS),
        regrid=points,
        takes_overheads=True,
        **parts,
    )  # fmt: skip


def plot_nst(results: Results, stem: Path, schedulers: Sequence[str], kind: str, accent: Sequence[str]) -> list[Path]:
    """Rows of three insets, one per distribution: without overheads and with."""
    import matplotlib.pyplot as plt

    drawn = {name: row for name, row in ROWS.items() if name != "128K" or is_measured(results)}
    with paper_style():
        size = (len(drawn), len(DISTRIBUTIONS))
        figure, rows = plt.subplots(*size, figsize=(PAGE, 0.3 + 2.1 * len(drawn)), sharex=True, sharey=True)
        for insets, (charged, (prefix, letters)) in zip(rows, drawn.items(), strict=True):
            for axes, letter, (distribution, (_, label)) in zip(insets, letters, DISTRIBUTIONS.items(), strict=True):
                columns = {name: column(name, charged) for name in schedulers}
                counted = results.where(distribution=distribution).counts("total", list(columns.values()))
                curves = [
                    Line(name, [(total, *counts[where]) for total, counts in counted.items()], STYLES[name])
                    for name, where in columns.items()
                ]
                draw_curves(axes, curves, accent=accent)
                axes.set_title(f"{prefix.format(letter=letter)} {label}")
            insets[0].set_ylabel(f"schedulable sets (%), {kind}")
        for axes in rows[-1]:
            axes.set_xlabel("total base utilization")
        rows[0][0].legend(loc="lower left")
        sets = results.provenance["sets"]
        overheads = (
            f'4K, 128K: overheads of "{results.provenance["overheads"]}"'
            if is_measured(results)
            else "4K: overheads of table 1 of block-or-not-2008, Pfair's taken from G-EDF; the paper's are unknown"
        )
        footnote(
            figure,
            f"u: utilizations of tasks; {overheads}; {sets} sets per point, "
            f"bands where apart: {chosen_confidence()} (Wilson)",
        )
        return save_figure(figure, stem)


#: An inset and a scheduler.
Where = tuple[str, str]


class Shares:
    """Which sets of an inset a scheduler schedules, by total utilization and by what is charged."""

    def __init__(self, results: Results) -> None:
        self.measured = is_measured(results)
        self.totals: list[float] = results.values("total")
        self.tables = {
            (name, total): results.where(distribution=name, total=total).table
            for name in DISTRIBUTIONS
            for total in self.totals
        }

    def answers(self, inset: str, scheduler: str, charged: str, totals: Sequence[float] = ()) -> list[bool | None]:
        """By set of these totals, or of all: whether it is schedulable."""
        name = column(scheduler, charged)
        return [one for total in totals or self.totals for one in self.tables[inset, total].column(name).to_pylist()]

    def share(self, inset: str, scheduler: str, charged: str, *totals: float) -> Estimate:
        """The percentage of schedulable sets at these totals, or at all."""
        return estimated.share(self.answers(inset, scheduler, charged, totals), f"{scheduler} in {inset}")

    def apart(self, high: Where, low: Where, charged: str, *totals: float) -> Estimate:
        """By how many points more the first schedules: on the same sets if it is of the same inset."""
        points = len(totals or self.totals)
        if high[0] == low[0]:
            first, second = (self.answers(*where, charged, totals) for where in (high, low))
            return estimated.shares_apart(first, second, (high[1], low[1]), 0 if points == 1 else points)
        return less(self.share(*high, charged, *totals), self.share(*low, charged, *totals))

    def steps(self, first: Where, second: Where, charged: str, *totals: float) -> Estimate:
        """How many steps of the totals' grid the curves are apart, on average over all heights."""
        points = len(totals or self.totals)
        return (
            self.apart(first, second, charged, *totals)
            .scaled(points / 100)
            .called(f"{first[1]}, {second[1]}", " steps")
        )

    def above(self, high: Where, low: Where) -> Callable[[str], Check]:
        """Whether the first has the higher curve, and the lower one at no total."""

        def check(charged: str) -> Check:
            points = {f"{total}": self.apart(high, low, charged, total) for total in self.totals}
            return Curve(self.apart(high, low, charged), points, VISIBLE_POINTS)

        return check

    def gain(self, inset: str, scheduler: str, small: str, large: str) -> Estimate:
        """By how many points 4K schedules more sets than 128K, on the same sets of all totals."""
        first, second = (self.answers(inset, scheduler, charged) for charged in (small, large))
        return estimated.shares_apart(first, second, (f"{scheduler} in {inset}, 4K", "128K"))

    def parts(self, check: Callable[[str], Check], about: set[str], *, large: bool = True) -> dict[str, Check]:
        """The parts of a sentence about both working sets, by what is charged; without ``large`` of 4K alone.

        A part is not evaluated where it turns on what Pfair schedulers are charged, or on a reload of 128K.
        """
        free = {"no overheads": check("none")}
        if self.measured:
            return free | {size: check(size) for size in (MEASURED if large else ("4K",))}
        borrowed = bool(about & set(PFAIR))
        small = {name: check(name) for name in ("4K", "reload")} if borrowed else {"4K": check("4K")}
        parts = free | {"4K": Whatever(small, UNKNOWN_PFAIR) if borrowed else small["4K"]}
        return parts | ({"128K": self.of_128k(lambda _, charged: check(charged), about)} if large else {})

    def of_128k(self, check: Callable[[str, str], Check], about: set[str]) -> Check:
        """A check that is told what is charged for 4K and what for 128K, for each reload that 128K may take."""
        if self.measured:
            return check("4K", "128K")
        names = [name for name, (_, small) in LARGE.items() if small == "4K" or about & set(PFAIR)]
        return Whatever({name: check(LARGE[name][1], name) for name in names}, UNKNOWN_RELOAD)


def named(parts: Mapping[str, Mapping[str, Check]]) -> dict[str, Check]:
    """The parts of several things, with the name of each before theirs."""
    return {f"{name}, {part}": check for name, checks in parts.items() for part, check in checks.items()}
