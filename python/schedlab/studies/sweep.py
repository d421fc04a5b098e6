"""Studies that are stated, not programmed: a grid, a generator, questions that proofs or simulations answer, a plot."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from string import Formatter
from typing import Any

from schedlab.base.defaults import NO_ACCESSES
from schedlab.errors import BadInput
from schedlab.show.plots import (
    Curve,
    chosen_confidence,
    confidence_of,
    draw_curves,
    footnote,
    paper_style,
    save_figure,
)
from schedlab.show.plots.intervals import CONFIDENCE
from schedlab.studies.batch import Batch, judge_sets
from schedlab.studies.claims import Claim
from schedlab.studies.errors import StudyError
from schedlab.studies.results import Results
from schedlab.studies.settings import Parameter, Settings
from schedlab.studies.simulated import Simulated, expect_simulable, misses_nothing
from schedlab.studies.study import Point, Study, Unit, grid
from schedlab.studies.values import Scalar

#: Width of an inset, in inches.
_INSET = 2.6


class _Products(dict[str, Any]):
    """Values by name; of names with * between, their product."""

    def __missing__(self, text: str) -> Any:
        names = text.split("*")
        if len(names) < 2 or not all(isinstance(self.get(name), (int, float)) for name in names):
            raise KeyError(text)
        return math.prod(self[name] for name in names)


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
            return text.format_map(_Products(values))
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            raise StudyError(
                f"study {self.name!r}: {text!r}: {error}; allowed in braces: {', '.join(values)}; of "
                "numbers also a product of names, such as {a*b}"
            ) from error

    def values(self, point: Point, settings: Settings) -> dict[str, Any]:
        """Returns the values of parameters and axes by name."""
        return {one.name: settings[one] for one in self.parameters} | dict(point.parameters)

    def proofs(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Returns the questions that proofs answer, by name, with values in place of their names."""
        return {name: self.filled(text, values) for name, text in self.questions.items() if isinstance(text, str)}

    def batch(self, values: Mapping[str, Any], **sets: Any) -> Batch:
        """Returns the batch of a point with these values."""
        given: dict[str, Any] = {name: self.filled(text, values) for name, text in self.generator.items()}
        processors = given.pop("processors")
        if not (processors.isdecimal() and int(processors) > 0):
            raise StudyError(f"study {self.name!r}: processors is {processors!r}; allowed: a whole number, 1 or more")
        return Batch(**given, processors=int(processors), questions=list(self.proofs(values).values()), **sets)

    def evaluate(self, unit: Unit) -> dict[str, Sequence[Any]]:
        """Asks all questions of the unit's sets: a column for each, and the number of tasks."""
        values = self.values(unit.point, unit.settings)
        batch = self.batch(values, seed=unit.seed, sets=unit.sets, overheads=unit.overheads or None)
        answers = judge_sets(batch)
        found: dict[str, Sequence[Any]] = dict(zip(self.proofs(values), answers.proved, strict=True))
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
                draw_curves(axes, curves, confidence_of(self.confidence))
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
            f"bands where apart: {chosen_confidence(self.confidence)} (Wilson)"
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
    questions, may have names of axes and ``parameters`` in braces: ``stop="trim {total}"``; of numbers also a product,
    ``"trim {share*processors:g}"``. Each name must be in some text. Curves are shares of all
    sets, with the interval of Wilson that holds the true share in ``confidence`` of all cases, 0.99 by default.
    """
    generator = {
        "utilizations": utilizations, "periods": periods, "deadlines": deadlines, "stop": stop,
        "processors": str(processors), "accesses": accesses,
    }  # fmt: skip
    stated = _Sweep(name, grid, questions, generator, tuple(parameters), confidence)
    points = checked(stated, Settings())
    defaults = {one.name: one.default for one in parameters}
    asked = {one: str(question) for one, question in questions.items()}
    return Study(
        name=name, title=title, points=points, evaluate=stated.evaluate, plot=stated.plot, claims=claims, sets=sets,
        full_sets=10 * sets, settable=tuple(parameters), takes_overheads=True,
        regrid=partial(checked, stated), parameters={**defaults, "generator": generator, "questions": asked},
    )  # fmt: skip


#: Names that the provenance of a sweep gives to something else than a parameter.
_OWN = frozenset(("generator", "questions"))

#: A set that every question can be asked of.
_SMALL: Mapping[str, Any] = {
    "utilizations": "uniform 0.1 0.2",
    "periods": "uniform 10ms 100ms",
    "deadlines": "implicit",
    "stop": "tasks 1",
}


def checked(stated: _Sweep, settings: Settings) -> list[Point]:
    """Returns the points; raises `StudyError` for what cannot be drawn or asked, before anything runs."""
    _check_statement(stated)
    points = grid(**stated.axes)
    seen = set()
    for point in points:
        values = stated.values(point, settings)
        try:
            # An overheads file that questions call `given` is not there yet: those that name it are read by the run.
            batch = stated.batch(values, seed=0, sets=range(0))
            known = [one for one in batch.questions if not any(map(_names_given, one.split()))]
            judge_sets(replace(batch, questions=known))
            if (asked := (batch.processors, *known)) not in seen:
                # Whether clusters share out the processors is asked of a set alone.
                judge_sets(replace(batch, questions=known, sets=range(1), accesses=NO_ACCESSES, **_SMALL))
                seen.add(asked)
        except StudyError:
            raise
        except BadInput as error:
            raise StudyError(f"study {stated.name!r}, {point.key}: {error}") from error
        _check_simulations(stated, point, batch)
    return points


def _check_simulations(stated: _Sweep, point: Point, batch: Batch) -> None:
    """Raises `StudyError` for a question that a simulation cannot answer at a point."""
    for name, question in stated.questions.items():
        if isinstance(question, Simulated):
            try:
                expect_simulable(replace(batch, sets=range(1), **_SMALL), question)
            except BadInput as error:
                raise StudyError(f"study {stated.name!r}, {point.key}, question {name!r}: {error}") from error


def _names_given(word: str) -> bool:
    return word.partition(":")[0] == "given"


def _check_statement(stated: _Sweep) -> None:
    refuse = f"study {stated.name!r}"
    for what, given in (("grid", stated.axes), ("questions", stated.questions)):
        if not isinstance(given, Mapping):
            raise StudyError(f"{refuse}: {what} is {given!r}; allowed: a dict, by name")
    if not 1 <= len(stated.axes) <= 2:
        raise StudyError(f"{refuse}: grid has {len(stated.axes)} axes; allowed: one, or a second one for insets")
    across, values = next(iter(stated.axes.items()))
    if not values or not all(isinstance(value, (int, float)) for value in values):
        raise StudyError(f"{refuse}: {across} is drawn across; allowed: numbers, at least one")
    if not stated.questions:
        raise StudyError(f"{refuse}: no questions; allowed: at least one, such as 'G-EDF hard'")
    for name, question in stated.questions.items():
        if not isinstance(question, (str, Simulated)):
            raise StudyError(f"{refuse}: the question {name!r} is {question!r}; allowed: a text, or Simulated(...)")
    if not 0 < stated.confidence < 1:
        raise StudyError(f"{refuse}: confidence is {stated.confidence}; allowed: above 0 and below 1, such as 0.99")
    parameters = [one.name for one in stated.parameters]
    if both := {*stated.axes, "tasks", "set", *parameters} & set(stated.questions):
        raise StudyError(f"{refuse}: the question {both.pop()!r} has the name of something else; allowed: another name")
    if both := set(parameters) & {*stated.axes, *_OWN}:
        raise StudyError(
            f"{refuse}: the parameter {both.pop()!r} has the name of something else; allowed: another name"
        )
    texts = [*stated.generator.values(), *(one for one in stated.questions.values() if isinstance(one, str))]
    for text in texts:
        stated.filled(text, stated.values(grid(**stated.axes)[0], Settings()))
    used = {name for text in texts for name in _names(text)}
    for kind, names in (("axis", list(stated.axes)), ("parameter", parameters)):
        if unused := next((name for name in names if name not in used), None):
            raise StudyError(
                f"{refuse}: no text has {{{unused}}}, so that the {kind} {unused!r} would change nothing; "
                "allowed: its name in braces in how sets are drawn, or in a question"
            )


def _names(text: str) -> set[str]:
    """Returns the names in braces in a text; what cannot be read is told where it is filled."""
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        return set()
    own = {one for _, name, _, _ in parts if name for one in re.split(r"[.\[]", name)[0].split("*")}
    return own.union(*(_names(form) for _, _, form, _ in parts if form))
