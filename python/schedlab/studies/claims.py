"""A paper's claims as checks: each holds here, does not hold here, or is not evaluated; and why.

No tolerance is tuned to make a claim hold. A claim about overheads is not evaluated where they are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

#: The text of a number that is missing.
_NO_NUMBER = re.compile(r"\bnan\b")

HOLDS = "holds here"
DOES_NOT_HOLD = "does not hold here"
NOT_EVALUATED = "not evaluated"


@dataclass(frozen=True)
class Claim:
    """A sentence of the source, our answer, and the numbers or the reason behind it."""

    text: str
    answer: str
    because: str

    def __str__(self) -> str:
        return f"{self.answer}: {self.text} ({self.because})"

    def as_dict(self) -> dict[str, str]:
        """Returns the claim for ``--json``."""
        return {"claim": self.text, "answer": self.answer, "because": self.because}


def holds(text: str, numbers: str) -> Claim:
    """Makes a claim with which the results agree."""
    return Claim(text, HOLDS, numbers)


def does_not_hold(text: str, numbers: str) -> Claim:
    """Makes a claim with which the results disagree."""
    return Claim(text, DOES_NOT_HOLD, numbers)


def not_evaluated(text: str, reason: str) -> Claim:
    """Makes a claim of which the results say nothing."""
    return Claim(text, NOT_EVALUATED, reason)


def judge(text: str, agrees: bool, numbers: str) -> Claim:
    """Makes a claim that ``holds`` or ``does_not_hold``; ``not_evaluated`` where one of the numbers is missing.

    A mean of nothing is NaN, and all comparisons with it are false, so that they decide nothing about the claim.
    """
    if _NO_NUMBER.search(numbers):
        return not_evaluated(text, f"too few results: {numbers}")
    return holds(text, numbers) if agrees else does_not_hold(text, numbers)


def listed(values: Mapping[str, float], form: str = ".2f", unit: str = "") -> str:
    """Returns, as text, values with their names, as the numbers behind a claim."""
    return ", ".join(f"{name} {value:{form}}{unit}" for name, value in values.items())
