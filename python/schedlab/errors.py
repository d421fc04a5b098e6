"""Exceptions of schedlab, by whose fault they are: the input's, this machine's, the disk's or the user's code's.

"Not schedulable" is a result and never an exception. A broken invariant of schedlab itself is a bug
and shows as any other Python exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class SchedlabError(Exception):
    """Base of all exceptions that schedlab raises on purpose."""

    #: Exit status of a command that ends with this exception.
    exit_status: int


class BadInput(SchedlabError, ValueError):
    """The input cannot be used; the message says where it is wrong and what is allowed."""

    exit_status = 2


class CannotRun(SchedlabError, RuntimeError):
    """The input is fine, but this installation or machine lacks what the command needs."""

    exit_status = 3


class Failed(SchedlabError):
    """Work that was begun cannot be completed: a file cannot be written, or the user's code raised."""

    exit_status = 4


#: Largest number of names that are listed as allowed.
_LISTED = 24


def no_such(what: str, name: str, known: Iterable[str], also: Mapping[str, str] = {}) -> BadInput:
    """Returns the error that no `what` is called `name`, with likely names. `also` maps other words to known names."""
    # Only a wrong name needs difflib.
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(name, [*names, *also], n=1)
    meant = f"; did you mean {also.get(near[0], near[0])}?" if near else ";"
    rest = f", ... ({len(names)} in all)" if len(names) > _LISTED else ""
    allowed = ", ".join(names[:_LISTED]) + rest if names else "nothing, since there is none"
    return BadInput(f'there is no {what} "{name}"{meant} allowed: {allowed}')
