"""What the parts of a claim are judged by: facts, numbers with intervals, searches for a counterexample, and several.

A check is judged at a confidence, which its sentence shares out among all ``comparisons`` of all its parts
(`schedlab.studies.claims`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schedlab.studies.answers import (
    ANSWERS,
    DOES_NOT_HOLD,
    HOLDS,
    INDISTINGUISHABLE,
    NOT_EVALUATED,
    any_of,
    combined,
    one_unknown,
)
from schedlab.studies.estimates import Estimate

#: The text of a number that is missing.
_NO_NUMBER = re.compile(r"\bnan\b")

#: What occurs in no set may occur in less than this share of all sets.
RARE = 0.01

#: Percentage points: a twentieth of an axis from 0 to 100%. Curves of shares that are less apart look like one.
VISIBLE_POINTS = 5.0

#: An answer and the numbers or the reason behind it.
Judged = tuple[str, str]


class Check(Protocol):
    """Something that can be judged at a confidence."""

    @property
    def comparisons(self) -> int:
        """How many intervals it looks at."""

    def judged(self, confidence: float) -> Judged:
        """Returns the answer, if each interval has this confidence, and the numbers or the reason behind it."""


@dataclass(frozen=True)
class Fact:
    """Something without chance: a schedule that was computed, a count, a theorem's value.

    If a number is missing, which shows as ``nan``, nothing is decided: all comparisons with it are false.
    """

    agrees: bool
    numbers: str
    comparisons: int = 0

    def judged(self, confidence: float) -> Judged:
        """Returns whether it is so."""
        if _NO_NUMBER.search(self.numbers):
            return NOT_EVALUATED, f"too few results: {self.numbers}"
        return HOLDS if self.agrees else DOES_NOT_HOLD, self.numbers


@dataclass(frozen=True)
class Settled:
    """Something that intervals of a confidence of their own have answered: yes, no, or not at this size (``None``)."""

    agrees: bool | None
    numbers: str
    comparisons: int = 0

    def judged(self, confidence: float) -> Judged:
        """Returns whether it is so, or that these sets do not tell."""
        if self.agrees is None:
            return INDISTINGUISHABLE, f"at this size: {self.numbers}"
        return HOLDS if self.agrees else DOES_NOT_HOLD, self.numbers


@dataclass(frozen=True)
class Open:
    """Something of which these results say nothing, and why."""

    reason: str
    comparisons: int = 0

    def judged(self, confidence: float) -> Judged:
        """Returns that it is not evaluated."""
        return NOT_EVALUATED, self.reason


@dataclass(frozen=True)
class Lies:
    """A number lies above ``low`` and below ``high``: its whole interval does, none of it does, or neither."""

    estimate: Estimate
    low: float = -math.inf
    high: float = math.inf
    #: A difference whose whole interval is nearer to 0 than this is one that no reader of a figure sees: it neither
    #: confirms a sentence nor refutes it.
    visible: float = 0.0
    comparisons: int = 1

    def judged(self, confidence: float) -> Judged:
        """Returns where the interval lies."""
        if self.estimate.nothing:
            return NOT_EVALUATED, self.estimate.nothing
        if self.estimate.tied and self.estimate.value in (self.low, self.high):
            return NOT_EVALUATED, self.estimate.tied
        least, most = self.estimate.ends(confidence)
        told = self.estimate.told(confidence)
        if -self.visible < least and most < self.visible:
            unseen = f"too little to be seen in a figure ({self.visible:g}{self.estimate.unit})"
            return INDISTINGUISHABLE, f"{told}; {unseen}"
        if most < self.low or least > self.high:
            return DOES_NOT_HOLD, told
        return HOLDS if self.low < least and most < self.high else INDISTINGUISHABLE, told


def more(estimate: Estimate) -> Lies:
    """Returns the check that a number, such as a difference, is above 0."""
    return Lies(estimate, low=0.0)


@dataclass(frozen=True)
class Never:
    """A sentence about each set: one counterexample refutes it. ``of`` sets could have been one.

    Without a counterexample, it holds if so many sets have none that the share of counterexamples has an upper end of
    less than ``least`` (exact, of C. J. Clopper and E. S. Pearson, Biometrika 26, 1934). Fewer sets say too little.
    """

    counterexamples: int
    of: int
    what: str
    least: float = RARE
    comparisons: int = 1

    def judged(self, confidence: float) -> Judged:
        """Returns whether there is a counterexample; without one, in how many sets at most there may be any."""
        if not self.of:
            return NOT_EVALUATED, f"{self.what}: no set in which it could be otherwise"
        if self.counterexamples:
            return DOES_NOT_HOLD, f"{self.what}: otherwise in {self.counterexamples:,} of {self.of:,} sets"
        most = 1 - (1 - confidence) ** (1 / self.of)
        told = f"{self.what}: otherwise in none of {self.of:,} sets (at most in {most:.2%})"
        if most >= self.least:
            return INDISTINGUISHABLE, f"{told}; too few sets: below {self.least:.0%} is asked for"
        return HOLDS, told


@dataclass(frozen=True)
class _Several:
    """Several checks, by name, whose answers make one."""

    checks: Mapping[str, Check]

    @property
    def comparisons(self) -> int:
        """The intervals of all checks together."""
        return sum(check.comparisons for check in self.checks.values())

    def judged(self, confidence: float) -> Judged:
        """Returns the one answer, and the numbers of the checks that decide it."""
        found = {name: check.judged(confidence) for name, check in self.checks.items()}
        answer = self._one([answer for answer, _ in found.values()])
        return answer, _deciding(found, answer)

    def _one(self, answers: Sequence[str]) -> str:
        raise NotImplementedError


class Every(_Several):
    """All of several checks, by name: a part of a claim over rivals or points."""

    def _one(self, answers: Sequence[str]) -> str:
        return combined(answers)


class Some(_Several):
    """At least one of several checks, by name."""

    def _one(self, answers: Sequence[str]) -> str:
        return any_of(answers)


@dataclass(frozen=True)
class Whatever:
    """A check in each of several cases, one of which is the source's, though it is unknown which.

    Only an answer of all cases is one. Cases that hold beside cases that do not, or that are not evaluated, leave the
    part unevaluated: it turns on what is unknown. An answer of all cases is wrong only if that of the unknown case is,
    so that they are one comparison.
    """

    cases: Mapping[str, Check]
    unknown: str

    @property
    def comparisons(self) -> int:
        """The intervals of the case that has most: only one of the cases is the source's."""
        return max((check.comparisons for check in self.cases.values()), default=0)

    def judged(self, confidence: float) -> Judged:
        """Returns the answer of all cases; if they have several, whether more sets could make them agree."""
        found = {name: check.judged(confidence) for name, check in self.cases.items()}
        answers = [answer for answer, _ in found.values()]
        if not answers:
            return NOT_EVALUATED, f"no case of {self.unknown}"
        # The first case of each answer tells how they differ; of cases that agree, the first and the last one.
        at = sorted({answers.index(one) for one in answers}) if len(set(answers)) > 1 else sorted({0, len(found) - 1})
        numbers = "; ".join(f"{name}: {told}" for name, (_, told) in (list(found.items())[place] for place in at))
        answer = one_unknown(answers)
        if len(set(answers)) == 1:
            return answer, numbers
        told = ", ".join(f"{one} in {answers.count(one)}" for one in ANSWERS if one in answers)
        return answer, f"it turns on {self.unknown} ({told} of {len(answers)} cases): {numbers}"


@dataclass(frozen=True)
class Most:
    """At least a share of many checks, by name, each at the sentence's own confidence.

    A case that is not evaluated may be one that holds or one that does not. A count of cases does not turn by the one
    case in a hundred that is wrong by chance, so that the cases are one comparison together.
    """

    checks: Mapping[str, Check]
    least: float
    comparisons: int = 1

    def judged(self, confidence: float) -> Judged:
        """Returns whether enough hold, or too many do not, whatever the answer to the others would be."""
        answers = [check.judged(confidence)[0] for check in self.checks.values()]
        kinds = (HOLDS, DOES_NOT_HOLD, INDISTINGUISHABLE)
        holding, failing, unsure = (answers.count(one) for one in kinds)
        of = len(answers)
        left_out = of - holding - failing - unsure
        told = f"of {of:,} cases {holding:,} hold, {failing:,} do not, {unsure:,} are indistinguishable"
        told += f", {left_out:,} are not evaluated" if left_out else ""
        if left_out == of:
            return NOT_EVALUATED, told
        if holding >= self.least * of:
            return HOLDS, told
        if of - failing < self.least * of:
            return DOES_NOT_HOLD, told
        return INDISTINGUISHABLE if unsure else NOT_EVALUATED, told


@dataclass(frozen=True)
class Curve:
    """One curve above another: over all points together, and below it at no point.

    ``whole`` is their distance over all points, ``points`` by the point's name. A point is *below* if its whole
    interval is below ``-visible``, and *not below* if its whole interval is above that: if it is below 0 at all, no
    reader of the figure sees it. Otherwise it is *undecided*. A point without sets, or with a tie at saturation, says
    nothing.

    One point that is below refutes the curve, and so does the whole interval. The curve holds only if its whole
    interval is above 0 and all points that say anything are known to be not below.
    """

    whole: Estimate
    points: Mapping[str, Estimate]
    #: In the unit of the points.
    visible: float

    @property
    def comparisons(self) -> int:
        """An interval for each point, and one for all points together."""
        return 1 + len(self.points)

    def judged(self, confidence: float) -> Judged:
        """Returns the answer, the distance over all, and the points that are the other way round, or may be."""
        answer, told = more(self.whole).judged(confidence)
        speaking = {name: one for name, one in self.points.items() if not one.nothing and not one.tied}
        unsafe = {name: one for name, one in speaking.items() if one.ends(confidence)[0] <= -self.visible}
        below = {name: one for name, one in unsafe.items() if one.ends(confidence)[1] < -self.visible}
        if below:
            where = ", ".join(f"{name} {one.value:+.1f}{one.unit}" for name, one in below.items())
            return DOES_NOT_HOLD, f"{told}; the other way round at {where}"
        if answer != HOLDS:
            return answer, f"{told}; the other way round at none of {len(self.points)} points"
        if not speaking:
            return INDISTINGUISHABLE, f"{told}; no point tells"
        if unsafe:
            where = f"undecided at {len(unsafe)} of {len(speaking)} points, such as {next(iter(unsafe))}"
            return INDISTINGUISHABLE, f"{told}; {where}: too few sets"
        return HOLDS, f"{told}; the other way round at none of {len(speaking)} points"


def _deciding(found: Mapping[str, Judged], answer: str) -> str:
    """Returns the numbers of the checks with this answer; of many, those of the first three, and how many there are."""
    same = [f"{name}: {told}" if name else told for name, (own, told) in found.items() if own == answer]
    rest = [name for name, (own, _) in found.items() if own == NOT_EVALUATED != answer]
    told = "; ".join(same[:3]) + (f"; and {len(same) - 3} more" if len(same) > 3 else "")
    if not rest:
        return told
    far = "as far as evaluated: " if answer == HOLDS else ""
    return f"{far}{told}; not evaluated: {', '.join(rest)}"
