"""Tables of tasks and results, in the form that the reader's other tools like: Arrow, pandas, polars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schedlab.errors import BadInput, CannotRun

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Table", "rows_of"]


class Table(Sequence[Mapping[str, Any]]):
    """Rows with named columns: a sequence of mappings that turns into Arrow, pandas or polars."""

    def __init__(self, rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> None:
        self._rows = [dict(row) for row in rows]
        self.columns: tuple[str, ...] = tuple(columns or (self._rows[0] if self._rows else ()))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.columns == other.columns and self._rows == other._rows

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        from schedlab.notebook import first_rows

        return first_rows(self._rows, self.columns)

    def _repr_html_(self) -> str:
        return str(self.to_pandas().to_html(max_rows=40))

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        return [row[name] for row in self._rows]

    def to_arrow(self) -> pyarrow.Table:
        """As an Arrow table."""
        import pyarrow

        return pyarrow.table({name: self.column(name) for name in self.columns})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """What lets any Arrow-aware library read the table without a copy of ours."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas data frame."""
        import pandas

        return pandas.DataFrame({name: self.column(name) for name in self.columns})

    def to_polars(self) -> Any:
        """As a polars data frame; polars is not installed with schedlab."""
        try:
            import polars
        except ImportError as error:
            raise CannotRun("polars is not installed: pip install 'schedlab[polars]'") from error
        return polars.from_arrow(self.to_arrow())


def rows_of(table: Any) -> list[dict[str, Any]]:
    """The rows of an Arrow, pandas or polars table, or of a sequence of mappings; missing values are left out."""
    if hasattr(table, "__arrow_c_stream__"):
        import pyarrow

        rows = pyarrow.table(table).to_pylist()
    elif hasattr(table, "to_dict") and hasattr(table, "columns"):
        import pyarrow

        rows = pyarrow.Table.from_pandas(table, preserve_index=False).to_pylist()
    else:
        try:
            rows = [dict(row) for row in table]
        except (TypeError, ValueError) as error:
            raise BadInput(
                f"a task set is a table (Arrow, pandas, polars) or a sequence of mappings, not {type(table).__name__}"
            ) from error
    return [{name: value for name, value in row.items() if value is not None and value == value} for row in rows]
