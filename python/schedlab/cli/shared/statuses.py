"""The exit statuses of commands."""

from __future__ import annotations

from collections.abc import Iterable

from schedlab.errors import BadInput, CannotRun, Failed

#: Exit statuses; `FOUND` is for --strict and for disagreements of a cross-check. A shell gives the last two to programs
#: that end by a signal: Ctrl-C, or a pipe whose reader is gone.
DONE, FOUND, INTERRUPTED, CLOSED_PIPE = 0, 1, 130, 141
BAD_INPUT, CANNOT_RUN, FAILED = BadInput.exit_status, CannotRun.exit_status, Failed.exit_status

#: The exit status with --strict if nothing is unschedulable or late, and an answer is unknown.
UNKNOWN = 5

#: Exit statuses, the gravest first, where parts of a command have one each.
_GRAVEST = (CLOSED_PIPE, INTERRUPTED, FAILED, CANNOT_RUN, BAD_INPUT, FOUND, UNKNOWN, DONE)

#: The status with --strict by answer; a late job refutes.
_BY_ANSWER = {"schedulable": DONE, "unschedulable": FOUND, "unknown": UNKNOWN}


def worst_of(statuses: Iterable[int]) -> int:
    """Returns the gravest of the statuses; of none, that all is done."""
    return min(statuses, key=_GRAVEST.index, default=DONE)


def strict_status(answers: Iterable[str]) -> int:
    """Returns the exit status with --strict, by the answers schedulable, unschedulable and unknown."""
    return worst_of(_BY_ANSWER[answer] for answer in answers)
