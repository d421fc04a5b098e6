"""Studies that are stated, not programmed: a grid, a generator, questions that proofs or simulations answer, a plot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.base.defaults import NO_ACCESSES
from schedlab.show.plots import Curve, draw_curves, footnote, paper_style, save_figure
from schedlab.studies.batch import Batch, judge_sets
from schedlab.studies.claims import Claim
from schedlab.studies.errors import StudyError
from schedlab.studies.results import Results
from schedlab.studies.settings import Parameter, Settings
from schedlab.studies.simulated import Simulated, misses_nothing
from schedlab.studies.study import Point, Study, Unit, grid
from schedlab.studies.values import Scalar

#: Share of all intervals that hold the true value, if a study does not choose another one.
CONFIDENCE = 0.99

#: Width of an inset, in inches.
_INSET = 2.6


@dataclass(frozen=True)
class _Sweep:
    """The statement of a study; texts may have names of axes and parameters in braces."""

    name: str
    axes: Mapping[str, Sequence[Scalar]]
    questions: Mapping[str, str | Simulated]
    generator: Mapping[str, str]
    parameters: Sequence[Parameter[Any]]
    confidence: float

    def filled(self, text: str, values: Mapping[str, Any]) -> str:
        """Returns a text with values in place of their names."""
        try:
            return text.format(**values)
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            raise StudyError(
                f"study {self.name!r}: {text!r}: {error}; allowed in braces: {', '.join(values)}"
            ) from error

    def values(self, point: Point, settings: Settings) -> dict[str, Any]:
        """Returns the values of parameters and axes by name."""
        return {one.name: settings[one] for one in self.parameters} | dict(point.parameters)

    def evaluate(self, unit: Unit) -> dict[str, Sequence[Any]]:
        """Asks all questions of the unit's sets: a column for each, and the number of tasks."""
        values = self.values(unit.point, unit.settings)
        given = {name: self.filled(text, values) for name, text in self.generator.items()}
        processors = given["processors"]
        if not processors.isdecimal():
            raise StudyError(f"study {self.name!r}: processors is {processors!r}; allowed: a whole number")
        proofs = {name: self.filled(text, values) for name, text in self.questions.items() if isinstance(text, str)}
        batch = Batch(
            utilizations=given["utilizations"], periods=given["periods"], deadlines=given["deadlines"],
            stop=given["stop"], accesses=given["accesses"], processors=int(processors), seed=unit.seed, sets=unit.sets,
            questions=list(proofs.values()), overheads=unit.overheads or None,
        )  # fmt: skip
        answers = judge_sets(batch)
        found: dict[str, Sequence[Any]] = dict(zip(proofs, answers.proved, strict=True))
        for name, question in self.questions.items():
            if isinstance(question, Simulated):
                found[name] = misses_nothing(batch, question)
        return {"tasks": answers.tasks, **{name: found[name] for name in self.questions}}

    def plot(self, results: Results, directory: Path) -> Sequence[Path]:
        """Draws a curve for each question by the first axis, in an inset for each value of the second one."""
        # Matplotlib is slow to import, and only a figure that is drawn needs it.
        import matplotlib.pyplot as plt

        across, *others = self.axes
        cases: list[dict[str, Scalar]] = [{name: value} for name in others for value in self.axes[name]] or [{}]
        with paper_style():
            size = (0.8 + _INSET * len(cases), 2.9)
            figure, rows = plt.subplots(1, len(cases), figsize=size, sharex=True, sharey=True, squeeze=False)
            for axes, case in zip(rows[0], cases, strict=True):
                counted = results.where(**case).counts(across, list(self.questions))
                curves = [
                    Curve(name, [(float(x), *counts[name]) for x, counts in counted.items()], style)
                    for style, name in enumerate(self.questions)
                ]
                draw_curves(axes, curves, self.confidence)
                axes.set_title(", ".join(f"{name}: {value}" for name, value in case.items()))
                axes.set_xlabel(across)
            rows[0][0].set_ylabel("sets (%)")
            figure.legend(*rows[0][0].get_legend_handles_labels(), loc="outside right upper")
            footnote(figure, self.note(results))
            return save_figure(figure, directory / self.name)

    def note(self, results: Results) -> str:
        """Returns what stands below the figure: the number of sets, what was simulated, and the confidence."""
        simulated = [name for name, question in self.questions.items() if isinstance(question, Simulated)]
        told = f"; {', '.join(simulated)}: no miss in a simulation, which proves nothing" if simulated else ""
        return (
            f"{results.provenance['sets']} sets per point{told}; "
            f"bands where apart: {100 * self.confidence:g}% confidence (Wilson)"
        )


def sweep(
    name: str,
    title: str,
    *,
    grid: Mapping[str, Sequence[Scalar]],
    questions: Mapping[str, str | Simulated],
    utilizations: str,
    stop: str,
    periods: str = "uniform 10ms 100ms",
    deadlines: str = "implicit",
    processors: int | str = 4,
    accesses: str = NO_ACCESSES,
    parameters: Sequence[Parameter[Any]] = (),
    sets: int = 100,
    confidence: float = CONFIDENCE,
    claims: Callable[[Results], Sequence[Claim]] | None = None,
) -> Study:
    """Returns a study that asks random task sets ``questions``: which share of them has the answer yes?

    ``grid`` has one axis or two: the first, of numbers, is drawn across, and each value of the second has an inset.
    Questions by name are those of `judge_sets`, or `Simulated`. The texts that say how sets are drawn, and those of
    questions, may have names of axes and ``parameters`` in braces: ``stop="trim {total}"``. Curves are shares of all
    sets, with the interval of Wilson that holds the true share in ``confidence`` of all cases, 0.99 by default.
    """
    generator = {
        "utilizations": utilizations, "periods": periods, "deadlines": deadlines, "stop": stop,
        "processors": str(processors), "accesses": accesses,
    }  # fmt: skip
    stated = _Sweep(name, grid, questions, generator, tuple(parameters), confidence)
    points = _checked(stated)
    return Study(
        name=name, title=title, points=points, evaluate=stated.evaluate, plot=stated.plot, claims=claims, sets=sets,
        full_sets=10 * sets, settable=tuple(parameters), takes_overheads=True,
        parameters={**generator, "questions": {one: str(question) for one, question in questions.items()}},
    )  # fmt: skip


def _checked(stated: _Sweep) -> list[Point]:
    """Returns the points; raises `StudyError` for what cannot be drawn or asked, before anything runs."""
    refuse = f"study {stated.name!r}"
    if not 1 <= len(stated.axes) <= 2:
        raise StudyError(f"{refuse}: grid has {len(stated.axes)} axes; allowed: one, or a second one for insets")
    across, values = next(iter(stated.axes.items()))
    if not values or not all(isinstance(value, (int, float)) for value in values):
        raise StudyError(f"{refuse}: {across} is drawn across; allowed: numbers, at least one")
    if not stated.questions:
        raise StudyError(f"{refuse}: no questions; allowed: at least one, such as 'G-EDF hard'")
    if not 0 < stated.confidence < 1:
        raise StudyError(f"{refuse}: confidence is {stated.confidence}; allowed: above 0 and below 1, such as 0.99")
    taken = {*stated.axes, "tasks", "set", *(one.name for one in stated.parameters)}
    if both := taken & set(stated.questions):
        raise StudyError(f"{refuse}: the question {both.pop()!r} has the name of something else; allowed: another name")
    points = grid(**stated.axes)
    for text in (*stated.generator.values(), *(one for one in stated.questions.values() if isinstance(one, str))):
        stated.filled(text, stated.values(points[0], Settings()))
    return points
