"""The columns of a table as Arrow knows them, from the type of its rows."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pyarrow as pa

_KINDS: dict[type, pa.DataType] = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}


def schema_of(row: type) -> pa.Schema:
    """Returns the columns of a `TypedDict` of numbers, texts, truth values and lists of them, whatever the rows."""
    return pa.schema([_field(name, hint) for name, hint in get_type_hints(row).items()])


def _field(name: str, hint: Any) -> pa.Field:
    choices = [one for one in get_args(hint) if one is not NoneType]
    if get_origin(hint) is list:
        [inner] = get_args(hint)
        return pa.field(name, pa.list_(_field("item", inner)), nullable=False)
    kind = choices[0] if choices else hint
    return pa.field(name, _KINDS[kind], nullable=NoneType in get_args(hint))
