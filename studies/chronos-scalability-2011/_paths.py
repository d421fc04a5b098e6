"""The paper, and what threads may migrate over there and here."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.studies import StudyError, processors

SOURCE = (
    "Dellinger, Lindsay, Ravindran: An experimental evaluation of the scalability of real-time scheduling algorithms "
    "on large-scale multicore platforms, ACM JEA 17(1), 2011"
)

#: The paper's four paths, as `schedlab-rt` calls what the processors share; it has the last one twice.
PATHS = ["shared L3", "same package", "other package"]


def need_two() -> None:
    """Raises `StudyError` where no thread can migrate."""
    if processors() < 2:
        raise StudyError("this machine lets a process use one processor only: nothing migrates")


def absent(found: Sequence[str]) -> str:
    """The paths that this machine does not have, in words."""
    names = {"shared L3": "within an L3", "same package": "within a package, without a shared L3",
             "other package": "to another package (two distances)"}  # fmt: skip
    return "; ".join(names[path] for path in PATHS if path not in found)
