"""Numbers of things in words."""

from __future__ import annotations


def count(number: int, of: str) -> str:
    """Returns a number of things as text, such as "1 task"."""
    return f"{number} {of}{'s' * (number != 1)}"
