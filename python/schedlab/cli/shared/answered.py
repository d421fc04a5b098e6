"""Answers of `schedlab analyze` about scenarios: as JSON, as a page, as checks, and the exit status of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.cli.shared import checks
from schedlab.cli.shared.checks import Check
from schedlab.cli.shared.guarantees import sentence
from schedlab.cli.shared.statuses import BAD_INPUT, DONE, FOUND, UNKNOWN, strict_status, worst_of
from schedlab.core.analysis import Analysis
from schedlab.core.margins import by_task, margin_in_words, margin_of, resources_of
from schedlab.core.scenario import Scenario
from schedlab.core.sentence import lines_after


@dataclass(frozen=True)
class Answered:
    """The analysis of a scenario under a scheduler."""

    file: str
    scenario: Scenario
    analysis: Analysis
    #: A placement that proves what the scenario's own does not.
    other_placement: str | None

    def to_dict(self, *, explained: bool) -> dict[str, Any]:
        """Returns plain values, for JSON; the parts of bounds only if they are `explained`."""
        analysis, scenario = self.analysis, self.scenario
        return {
            "file": self.file,
            **analysis.to_dict(),
            **({} if explained else {"explanation": None}),
            "other_placement": self.other_placement,
            "answer": analysis.answer,
            "margin": margin_of(analysis),
            "by_task": by_task(analysis, scenario),
            "resources": resources_of(analysis),
        }

    def margin_status(self, asked: float) -> int:
        """Returns the exit status with --margin."""
        return checks.margin_status(self.analysis.answer, margin_of(self.analysis), asked)

    def margin_check(self, asked: float) -> str:
        """Returns the comparison of the margin with the one that --margin asks for, in words."""
        return checks.margin_check(self.analysis.answer, margin_of(self.analysis), asked)


def checks_of(
    found: Sequence[Answered], refused: Mapping[str, str], asked: float | None, *, is_strict: bool
) -> list[Check]:
    """Returns the checks of all answers: of deadlines, and of margins if one is `asked` for; then `refused` files."""
    made = []
    for one in found:
        under = f"under {one.analysis.scheduler}"
        answer, told = one.analysis.answer, str(sentence(one.analysis, one.scenario))
        status = {"schedulable": DONE, "unschedulable": FOUND, "unknown": UNKNOWN}[answer]
        made.append(Check(one.file, f"deadlines {under}", status, told, is_strict))
        if asked is not None:
            margin = margin_in_words(one.analysis, one.scenario)
            message = "; ".join(filter(None, (one.margin_check(asked), margin)))
            made.append(Check(one.file, f"margin {under}", one.margin_status(asked), message, is_strict=True))
    made += [Check(file, "the scenario can be read", BAD_INPUT, why, is_strict) for file, why in refused.items()]
    return made


def exit_status(found: Sequence[Answered], refused: Mapping[str, str], asked: float | None, *, is_strict: bool) -> int:
    """Returns the exit status of all answers, the gravest of them."""
    statuses = [BAD_INPUT] if refused else []
    if is_strict:
        statuses.append(strict_status(one.analysis.answer for one in found))
    if asked is not None:
        statuses += [one.margin_status(asked) for one in found]
    return worst_of(statuses)


def write_answers(found: Sequence[Answered], out: Path | None) -> Path | None:
    """Writes the page of the answers, prints it as PDF, or writes their steps as LaTeX; returns the path."""
    if out is None or not found:
        return None
    if out.suffix.lower() == ".tex":
        # Only LaTeX needs it.
        from schedlab.show.steps_tex import write_steps

        return write_steps([(one.file, one.analysis) for one in found], out)
    # Templates are slow to import, and only a page needs them.
    from schedlab.show.report.guarantees import Guarantee, render_guarantees, write_guarantees
    from schedlab.show.report.printed import write_pdf

    told = [
        Guarantee(
            one.file,
            one.scenario,
            one.analysis,
            str(sentence(one.analysis, one.scenario)),
            lines_after(one.analysis, one.other_placement),
        )
        for one in found
    ]
    if out.suffix.lower() == ".pdf":
        return write_pdf(render_guarantees(told), out)
    return write_guarantees(told, out)
