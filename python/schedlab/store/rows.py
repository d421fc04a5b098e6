"""Rows that come one after the other, into a file that is whole or absent: Arrow, Parquet or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from schedlab.errors import BadInput
from schedlab.files import writing_whole

#: What such a file may end in.
ENDINGS = (".arrow", ".parquet", ".jsonl")

#: How many rows are written together: the bytes depend on the rows alone.
_TOGETHER = 4096

_KINDS: dict[type, pa.DataType] = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}


def expect_ending(path: Path) -> str:
    """The ending of a file for rows; another one is bad input."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise BadInput(f"-o {path}: a file of rows does not end like this; allowed: {', '.join(ENDINGS)}")
    return ending


def schema_of(row: type) -> pa.Schema:
    """The columns of a `TypedDict` of numbers, texts, truth values and lists of them: they do not depend on any row."""
    return pa.schema([_field(name, hint) for name, hint in get_type_hints(row).items()])


def json_line(row: Mapping[str, object]) -> str:
    """A row as a line of JSON."""
    return json.dumps(row, separators=(",", ":")) + "\n"


@contextmanager
def writing_rows(path: Path, row: type) -> Iterator[Callable[[Mapping[str, Any]], object]]:
    """Yields what takes the rows, of the type `row`, for a file of which the ending says the format."""
    ending = expect_ending(path)
    if ending == ".jsonl":
        with writing_whole(path) as stream:
            yield lambda one: stream.write(json_line(one))
        return
    schema = schema_of(row)
    waiting: list[Mapping[str, Any]] = []

    def flush() -> None:
        writer.write_table(pa.Table.from_pylist(waiting, schema=schema))
        waiting.clear()

    def take(one: Mapping[str, Any]) -> None:
        waiting.append(one)
        if len(waiting) == _TOGETHER:
            flush()

    with writing_whole(path, "wb") as stream, _writer(ending, stream, schema) as writer:
        yield take
        if waiting:
            flush()


def _writer(ending: str, stream: Any, schema: pa.Schema) -> Any:
    if ending == ".parquet":
        # Pinned as in `table_to_bytes`.
        return pq.ParquetWriter(stream, schema, compression="zstd", version="2.6")
    return pa.ipc.new_file(stream, schema)


def _field(name: str, hint: Any) -> pa.Field:
    choices = [one for one in get_args(hint) if one is not NoneType]
    if get_origin(hint) is list:
        [inner] = get_args(hint)
        return pa.field(name, pa.list_(_field("item", inner)), nullable=False)
    kind = choices[0] if choices else hint
    return pa.field(name, _KINDS[kind], nullable=NoneType in get_args(hint))
