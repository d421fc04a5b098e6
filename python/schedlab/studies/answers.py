"""The four answers to a claim, and how the answers to several parts make one."""

from __future__ import annotations

from collections.abc import Iterable

HOLDS = "holds here"
DOES_NOT_HOLD = "does not hold here"
INDISTINGUISHABLE = "indistinguishable here"
NOT_EVALUATED = "not evaluated"

#: All answers, in the order in which they are counted and shown.
ANSWERS = (HOLDS, DOES_NOT_HOLD, INDISTINGUISHABLE, NOT_EVALUATED)


def combined(answers: Iterable[str]) -> str:
    """Returns the answer to a sentence all of whose parts are to hold, from the answers to the parts.

    One part that does not hold refutes the sentence. Otherwise, a part that is indistinguishable leaves it open.
    Otherwise, the sentence holds if a part does: parts that are not evaluated say nothing for or against it. If no part
    is evaluated, the sentence is not.
    """
    found = set(answers)
    return next((answer for answer in (DOES_NOT_HOLD, INDISTINGUISHABLE, HOLDS) if answer in found), NOT_EVALUATED)


def any_of(answers: Iterable[str]) -> str:
    """Returns the answer to a sentence that one of several checks is to confirm, from the answers to the checks."""
    found = set(answers)
    return next((answer for answer in (HOLDS, INDISTINGUISHABLE, DOES_NOT_HOLD) if answer in found), NOT_EVALUATED)
