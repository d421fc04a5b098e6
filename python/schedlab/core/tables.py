"""Tables of tasks and results, in the form that the reader's other tools like: Arrow, pandas, polars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints, overload

from schedlab import _native
from schedlab.core import display
from schedlab.core.cells import ROWS, first_rows
from schedlab.errors import BadInput, CannotRun

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: A row: a dictionary, of which the keys are the columns.
Row = TypeVar("Row", bound=Mapping[str, object])

#: Number of rows that become dictionaries at a time.
_TOGETHER = 4096


class Table(Sequence[Row]):
    """Rows with named columns: a sequence of dictionaries that turns into Arrow, pandas or polars.

    `table[0]` is a row, `table[:10]` a table of the first ones, and `table["wcet_ns"]` the list of a column's values.
    """

    def __init__(
        self, rows: Iterable[Row] | _native.ArrowTable, columns: Sequence[str] | type[Row] | None = None
    ) -> None:
        """Makes a table. `columns` are names or the type of the rows: a `TypedDict`, which also types empty columns."""
        self._described = columns
        # Checked not by class, because the native tables of an installed package are of its own library.
        self._kept = _Rows(rows, columns) if isinstance(rows, Iterable) else rows
        self.columns: tuple[str, ...] = tuple(self._kept.columns)

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Table[Row]: ...
    @overload
    def __getitem__(self, index: str) -> list[Any]: ...
    def __getitem__(self, index: int | slice | str) -> Row | Table[Row] | list[Any]:
        if isinstance(index, str):
            if index not in self.columns:
                raise KeyError(f"there is no column {index!r}; there are {', '.join(self.columns)}")
            return self._kept.column(index)
        if isinstance(index, slice):
            return Table((self[place] for place in range(*index.indices(len(self)))), self._described or self.columns)
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no row {index}; there are {len(self)}")
        place = index % len(self)
        row: Row = self._kept.rows(place, place + 1)[0]
        return row

    def __iter__(self) -> Iterator[Row]:
        for start in range(0, len(self), _TOGETHER):
            yield from self._kept.rows(start, start + _TOGETHER)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.columns == other.columns and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return first_rows(self.columns, self[:ROWS], len(self))

    def _repr_html_(self) -> str:
        return display.html(self)

    def to_arrow(self) -> pyarrow.Table:
        """Returns an Arrow table."""
        # Arrow is slow to import, and most tables are only read here.
        import pyarrow

        return pyarrow.table(self._kept)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns a stream by which any Arrow-aware library reads the table without a copy here."""
        return self._kept.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a pandas data frame. Whole numbers of which some may be missing are `Int64`, and stay exact."""
        # Both are slow to import, and most tables are only read here.
        import pandas
        import pyarrow

        whole = {pyarrow.int64(): pandas.Int64Dtype(), pyarrow.uint64(): pandas.UInt64Dtype()}
        table = self.to_arrow()
        return pandas.DataFrame(
            {
                field.name: table.column(field.name).to_pandas(types_mapper=whole.get if field.nullable else None)
                for field in table.schema
            }
        )

    def to_polars(self) -> polars.DataFrame:
        """Returns a polars data frame; raises `CannotRun` if polars, which schedlab does not install, is missing."""
        try:
            # Polars is an extra that may not be installed.
            import polars
        except ImportError as error:
            raise CannotRun("polars is not installed: pip install 'schedlab[polars]'") from error
        return polars.DataFrame(self.to_arrow())


class _Rows:
    """Rows of Python values, with the interface of the native module's tables."""

    def __init__(
        self, rows: Iterable[Mapping[str, object]], columns: Sequence[str] | type[Mapping[str, object]] | None
    ):
        given = list(rows)
        self._type = columns if isinstance(columns, type) else None
        if isinstance(columns, type):
            columns = list(get_type_hints(columns))
        self.columns = list(columns if columns is not None else given[0] if given else ())
        self._rows: list[dict[str, Any]] = [{name: row[name] for name in self.columns} for row in given]

    def __len__(self) -> int:
        return len(self._rows)

    def column(self, name: str) -> list[Any]:
        return [row[name] for row in self._rows]

    def rows(self, start: int, end: int) -> list[Any]:
        return self._rows[start:end]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        # Arrow is slow to import, and most tables are only read here.
        import pyarrow

        from schedlab.core.columns import schema_of

        if self._type is not None:
            # Without a value, only the type determines what a column holds.
            table = pyarrow.Table.from_pylist(self._rows, schema_of(self._type))
        else:
            arrays = {name: pyarrow.array(self.column(name)) for name in self.columns}
            fields = [pyarrow.field(name, one.type, one.null_count > 0) for name, one in arrays.items()]
            table = pyarrow.table(list(arrays.values()), pyarrow.schema(fields))
        return table.__arrow_c_stream__(requested_schema)


def rows_of(table: Any) -> list[dict[str, Any]]:
    """Returns the rows of an Arrow, pandas or polars table, or of a sequence of mappings, without missing values."""
    if isinstance(table, Table):
        rows = list(table)
    elif hasattr(table, "__arrow_c_stream__"):
        # Arrow is slow to import, and most tables are only read here.
        import pyarrow

        rows = pyarrow.table(table).to_pylist()
    elif hasattr(table, "to_dict") and hasattr(table, "columns"):
        # Arrow is slow to import, and most tables are only read here.
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
