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
    Otherwise, the sentence holds as far as it is evaluated, if a part does: parts that are not evaluated say nothing
    for or against it. If no part is evaluated, the sentence is not.
    """
    return _first((DOES_NOT_HOLD, INDISTINGUISHABLE, HOLDS), answers)


def any_of(answers: Iterable[str]) -> str:
    """Returns the answer to a sentence that one of several checks is to confirm, from the answers to the checks.

    One check that holds confirms it. Only checks that are all refuted refute it: one that is not evaluated could have
    been the one that holds.
    """
    return _first((HOLDS, INDISTINGUISHABLE, NOT_EVALUATED, DOES_NOT_HOLD), answers)


def one_unknown(answers: Iterable[str]) -> str:
    """Returns the answer to a sentence of one of several cases, if it is unknown which, from the answers to the cases.

    It is that of all cases if they agree. A case that is not evaluated could be the one, and so could each of two of
    which one holds and the other one does not: then the sentence is not evaluated. Otherwise, more task sets are needed
    to tell whether the cases agree.
    """
    found = set(answers)
    if len(found) == 1:
        return found.pop()
    if not found or NOT_EVALUATED in found or {HOLDS, DOES_NOT_HOLD} <= found:
        return NOT_EVALUATED
    return INDISTINGUISHABLE


def _first(order: tuple[str, ...], answers: Iterable[str]) -> str:
    found = set(answers)
    return next((answer for answer in order if answer in found), NOT_EVALUATED)
