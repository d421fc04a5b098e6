"""Batches of units that are evaluated together, so that their part is about a second of work and never much more.

The time of a unit is known only afterwards, and differs from point to point. So a worker gets rather too many units,
and stops after a second (`Work`); the units that it left are given out again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from schedlab.store.parts import Part
from schedlab.studies.study import Unit

#: Seconds of work after which a worker begins no other unit.
ENOUGH = 1.0

#: Units of how many seconds, at the last pace, are given out together; and the largest number of units.
GENEROUS, MOST = 1.5, 2000


class Batches:
    """Units in the order of a plan, a batch at a time."""

    def __init__(self, units: Iterator[Unit]) -> None:
        self._units = units
        self._left: deque[Unit] = deque()
        #: Number of units of the next batch; 1 while no pace is known.
        self._size = 1

    def next(self) -> list[Unit]:
        """Returns the next units to evaluate together; none if no unit is left."""
        batch: list[Unit] = []
        while len(batch) < self._size and (unit := self._next()) is not None:
            batch.append(unit)
        return batch

    def finished(self, batch: Sequence[Unit], parts: Sequence[Part]) -> None:
        """Learns the pace from the parts that a worker made of a batch, and puts the units that it left back."""
        seconds = {piece.name: piece.seconds for part in parts for piece in part.pieces}
        self._left.extend(unit for unit in batch if unit.name not in seconds)
        pace = sum(seconds.values()) / len(seconds)
        # Not many more than the last time, because cheap units may be followed by dear ones.
        most = min(MOST, 8 * len(seconds))
        self._size = max(1, min(most, round(GENEROUS * ENOUGH / max(pace, 1e-6))))

    def _next(self) -> Unit | None:
        return self._left.popleft() if self._left else next(self._units, None)
