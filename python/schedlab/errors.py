"""What can go wrong, by whose fault: the input's, this machine's, or that of the disk or of the user's code.

"Not schedulable" is a result and never an exception. A broken invariant of schedlab itself is a bug
and shows as any other Python exception.
"""

from __future__ import annotations

__all__ = ["BadInput", "CannotRun", "Failed", "SchedlabError"]


class SchedlabError(Exception):
    """What schedlab raises on purpose."""


class BadInput(SchedlabError, ValueError):
    """The input cannot be used; the message says where it is wrong and what is allowed (exit status 2)."""


class CannotRun(SchedlabError, RuntimeError):
    """The input is fine, but this installation or machine lacks what the command needs (exit status 3)."""


class Failed(SchedlabError):
    """What was begun cannot be completed: a file cannot be written, or the user's code raised (exit status 4)."""
