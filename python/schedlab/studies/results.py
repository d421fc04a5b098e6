"""Results of a study: the only input of plots and claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schedlab.core import display
from schedlab.studies.settings import Settings
from schedlab.studies.values import Scalar


@dataclass(frozen=True)
class Results:
    """The rows of a finished run and their provenance."""

    table: pa.Table
    provenance: dict[str, Any]

    @property
    def settings(self) -> Settings:
        """The values of the study's parameters."""
        return Settings.of(self.provenance.get("settings", {}))

    @property
    def axes(self) -> list[str]:
        """The names of the parameters by which points differ."""
        return list(self.provenance["points"][0])

    def _repr_html_(self) -> str:
        return display.html(self)

    def where(self, **parameters: Scalar) -> Results:
        """Returns the rows with these parameters."""
        table = self.table
        for name, value in parameters.items():
            table = table.filter(pc.equal(table.column(name), pa.scalar(value)))
        return Results(table, self.provenance)

    def values(self, name: str) -> list[Any]:
        """Returns the distinct values of a column, in the order in which they first appear."""
        return list(dict.fromkeys(self.table.column(name).to_pylist()))

    def counts(self, by: str, columns: Sequence[str]) -> dict[Any, dict[str, tuple[int, int]]]:
        """Counts by value of ``by`` and Boolean column: (rows in which it is true, rows in which it is known)."""
        counted: dict[Any, dict[str, tuple[int, int]]] = {}
        for value in self.values(by):
            rows = self.where(**{by: value}).table
            counted[value] = {name: _count(rows.column(name)) for name in columns}
        return counted


def _count(column: pa.ChunkedArray) -> tuple[int, int]:
    return (pc.sum(column).as_py() or 0, len(column) - column.null_count)
