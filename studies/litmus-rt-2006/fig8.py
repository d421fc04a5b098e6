"""Figure 8 of litmus-rt-2006: by how much jobs may be late (TD) under G-EDF and NG-EDF, where tardiness is bounded.

The task sets are those of figures 6 and 7. TD of a set is the mean of its tasks' tardiness bounds (Devi and Anderson
2005); a point is the mean over its sets. The text does not say on how many processors. The total utilization is four,
so with overheads four processors are too few for a bound. Here each set has as many as it needs (figure 7), with the
overheads of table 1 of block-or-not-2008 for working sets of 4K; beside that, four processors without overheads.
With a file of measured overheads (`--overheads FILE`) the file says what 4K costs, and 256K, too: the paper says that
TD does not change substantially with the working set. P-EDF has no bound, and under PD2 and S-PD2 tardiness is zero or
one quantum: the paper leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from schedlab import Scenario, analyze, generate, measures
from schedlab.plots import CURVES, PAGE, chosen_confidence, footnote, mean_interval, paper_style, save_figure
from schedlab.studies import Claim, Results, Study, Unit, grid, not_evaluated, sentence
from schedlab.studies.checks import Check, Every, Lies, Open, more
from schedlab.studies.estimates import Estimate, less, mean, means_apart
from schedlab.studies.mutants import scaled

from ._rnp import DISTRIBUTIONS, MOST, PERIODS, PROCESSORS, STYLES

TESTS = {"G-EDF": "devi_anderson", "NG-EDF": "devi_anderson_np"}
#: What is charged, by name; with nothing, four processors are enough.
CHARGED = ("4K", "none")
PROFILE = "paper-2008-4k"
#: With a file of overheads: the working sets in KiB.
MEASURED = {"4K": 4, "256K": 256, "none": 0}
TITLES = {
    "4K": "4K overheads, as many processors as needed",
    "256K": "256K overheads, as many processors as needed",
    "none": "no overheads, {} processors",
}
#: From this factor on, means differ substantially.
SUBSTANTIAL = 1.5
MEAN_PERIOD_MS = 55.0
#: How far "approximately 2.1 times the average task period" may be off.
ROUGHLY = 0.25


def column(scheduler: str, charged: str) -> str:
    """Where the mean bound of each set stands, in milliseconds; None where no number of processors is enough."""
    return f"{scheduler}, {charged}"


def mean_tardiness_ms(scenario: Scenario, scheduler: str, numbers: Iterable[int]) -> float | None:
    """The mean of the tasks' tardiness bounds on the first of these numbers of processors for which there is one."""
    for processors in numbers:
        [found] = analyze(scenario.replace(processors=processors), schedulers=[scheduler], tests=[TESTS[scheduler]])
        mean = measures.tardiness_mean([found.tardiness_bound_ns(task) for task in range(len(scenario.tasks))])
        if mean is not None:
            return float(mean) / 1e6
    return None


def charged_scenarios(drawn: Scenario, overheads: str, processors: int) -> dict[str, Scenario]:
    """The set by what it is charged: by the text of a file of overheads, if there is one."""
    none = drawn.replace(overheads="none")
    if not overheads:
        return {"4K": drawn.replace(overheads=PROFILE), "none": none}
    scenarios = {}
    with NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(overheads)
        file.flush()
        for name, kib in MEASURED.items():
            rows = [{**task, "working_set_bytes": kib * 1024} for task in drawn.tasks]
            given = Scenario.from_tasks(rows, processors=processors, overheads=file.name)
            scenarios[name] = given if kib else none
    return scenarios


def charged_in(results: Results) -> tuple[str, ...]:
    """What was charged, by name."""
    return CHARGED if results.provenance.get("overheads") is None else tuple(MEASURED)


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """One row for each set."""
    charged = tuple(MEASURED) if unit.overheads else CHARGED
    found: dict[str, list[Any]] = {column(name, which): [] for name in TESTS for which in charged}
    processors = unit.settings[PROCESSORS]
    numbers = range(processors, unit.settings[MOST] + 1)
    for index in unit.sets:
        drawn = generate(
            utilizations=DISTRIBUTIONS[str(unit.parameters["distribution"])][0], periods=unit.settings[PERIODS],
            deadlines="implicit", stop=f"trim {processors}", seed=unit.seed, index=index,
        )  # fmt: skip
        for which, scenario in charged_scenarios(drawn, unit.overheads, processors).items():
            for name in TESTS:
                found[column(name, which)].append(mean_tardiness_ms(scenario, name, numbers))
    return found


def _bounds(results: Results, distribution: str, scheduler: str, charged: str) -> list[float]:
    """By set that has a bound: its mean, in milliseconds."""
    values = results.where(distribution=distribution).table.column(column(scheduler, charged)).to_pylist()
    return [value for value in values if value is not None]


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure: bars, as there is one value for each distribution."""
    import matplotlib.pyplot as plt

    cases = charged_in(results)
    with paper_style():
        figure, insets = plt.subplots(1, len(cases), figsize=(PAGE, 2.9), sharey=True)
        for axes, charged in zip(insets, cases, strict=True):
            for place, scheduler in enumerate(TESTS):
                found = [mean_interval(_bounds(results, name, scheduler, charged)) for name in DISTRIBUTIONS]
                means = [mean for mean, _, _ in found]
                # No bound is below zero, however wide the interval of a few sets is.
                ends = [[mean - max(low, 0) for mean, low, _ in found], [high - mean for mean, _, high in found]]
                style = CURVES[STYLES[scheduler]]
                axes.bar(
                    [at + 0.38 * place - 0.19 for at in range(len(found))], means, 0.36, yerr=ends, label=scheduler,
                    color=style["color"], alpha=0.75, error_kw={"elinewidth": 0.8},
                )  # fmt: skip
            processors = results.settings[PROCESSORS]
            axes.set_title(TITLES[charged].format("four" if processors == 4 else processors))
            labels = [name.replace("exponential", "exp.") for name in DISTRIBUTIONS]
            axes.set_xticks(range(len(labels)), labels, rotation=30)
        insets[0].set_ylim(bottom=0)
        insets[0].set_ylabel("tardiness bound (ms), mean")
        insets[0].legend(loc="upper left")
        footnote(
            figure,
            f"L, M, H: utilizations as in figure 6; {results.provenance['sets']} sets per bar, "
            f"lines: {chosen_confidence()}\n"
            f"(Student); periods: {results.settings[PERIODS]}",
        )
        return save_figure(figure, directory / "2006-fig8")


def claims(results: Results) -> list[Claim]:
    """Section 4.2, the paragraph on figure 8, sentence by sentence; with overheads, and without."""
    cases = {
        "no overheads, four processors" if charged == "none" else f"{charged} overheads": charged
        for charged in charged_in(results)
    }

    def td(name: str, scheduler: str, charged: str) -> Estimate:
        return mean(_bounds(results, name, scheduler, charged), f"{scheduler} in {name}", " ms")

    def apart(name: str, charged: str) -> Check:
        table = results.where(distribution=name).table
        later, sooner = (table.column(column(name, charged)).to_pylist() for name in ("NG-EDF", "G-EDF"))
        return more(means_apart(later, sooner, ("NG-EDF", "G-EDF"), " ms"))

    def rises(scheduler: str, charged: str) -> Check:
        checks: dict[str, Check] = {}
        for kind in ("", "exponential "):
            light, medium, heavy = (td(f"{kind}{letter}", scheduler, charged) for letter in "LMH")
            checks[f"{kind}L to M"] = more(less(medium, light))
            checks[f"{kind}M to H, times {SUBSTANTIAL:g}"] = more(less(heavy, medium.scaled(SUBSTANTIAL)))
        return Every(checks)

    return [
        sentence(
            "the largest average TD is approximately 2.1 times the average period (up to a quarter)",
            {said: _largest(td, charged) for said, charged in cases.items()},
            scaled("bounds of ten times the length", 10, "G-EDF", "NG-EDF"),
        ),
        sentence(
            "TD in NG-EDF is larger than in G-EDF, in every distribution",
            {said: Every({name: apart(name, which) for name in DISTRIBUTIONS}) for said, which in cases.items()},
            scaled("bounds of a tenth of the length under NG-EDF", 0.1, "NG-EDF"),
        ),
        sentence(
            "TD in G-EDF and NG-EDF increases substantially with weights (L, M, H)",
            {f"{name}, {said}": rises(name, charged) for said, charged in cases.items() for name in TESTS},
            scaled(
                "bounds of ten times the length for light tasks", 10, "G-EDF", "NG-EDF",
                where=lambda row: row["distribution"].endswith("L"),
            ),
        ),
        _same_for_all_working_sets(results, td),
    ]  # fmt: skip


#: By distribution, scheduler and charge: the mean bound.
Mean = Callable[[str, str, str], Estimate]


def _largest(td: Mean, charged: str) -> Check:
    """Of the distribution with the largest mean under NG-EDF; one that is unknown may be it."""
    found = [td(name, "NG-EDF", charged) for name in DISTRIBUTIONS]
    if unknown := next((one for one in found if one.nothing), None):
        return Open(unknown.nothing)
    largest = max(found, key=lambda one: one.value).scaled(1 / MEAN_PERIOD_MS)
    return Lies(
        largest.called(largest.words, f" times {MEAN_PERIOD_MS:g} ms"), 2.1 * (1 - ROUGHLY), 2.1 * (1 + ROUGHLY)
    )


def _same_for_all_working_sets(results: Results, td: Mean) -> Claim:
    text = (
        f"TD does not change substantially as the working set changes (4K to 256K, by less than {SUBSTANTIAL:g} times)"
    )
    if "256K" not in charged_in(results):
        return not_evaluated(text, "the text lacks what 256K cost; --overheads FILE charges measured ones")
    return sentence(
        text,
        {
            f"{scheduler} in {name}": more(
                less(td(name, scheduler, "4K").scaled(SUBSTANTIAL), td(name, scheduler, "256K"))
            )
            for name in DISTRIBUTIONS
            for scheduler in TESTS
        },
        scaled("bounds of ten times the length with 256K", 10, "G-EDF, 256K", "NG-EDF, 256K"),
    )


study = Study(
    name="2006-fig8", title="litmus-rt-2006, figure 8: tardiness bounds of G-EDF and NG-EDF",
    source="Calandrino, Leontyev, Block, Devi, Anderson: LITMUS^RT, RTSS 2006",
    points=grid(distribution=list(DISTRIBUTIONS)), evaluate=evaluate, plot=plot, claims=claims,
    sets=100, sets_per_unit=10, stream="2006-rnp",
    parameters={
        "processors": PROCESSORS.default, "most": MOST.default, "periods": PERIODS.default, "overheads": PROFILE,
    },
    settable=(PROCESSORS, MOST, PERIODS),
    takes_overheads=True,
)  # fmt: skip
