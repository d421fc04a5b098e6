"""JSON values: types for a type checker, and the JSON Schemas that follow from these types."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

Shape = dict[str, Any]

_PLAIN: dict[Any, Shape] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
}


#: Annotation of a `TypedDict` for which an empty object may stand.
OR_EMPTY = "or empty"


def shape_of(hint: Any) -> Shape:
    """Returns the JSON Schema of a type: a `TypedDict`, a dataclass, a list, a dictionary by name, or what these are
    made of.

    A dictionary of types is an object with these keys.
    """
    if isinstance(hint, dict):
        return _record(hint, hint.keys())
    origin, inner = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return _record(get_type_hints(hint, include_extras=True), hint.__required_keys__)
    if is_dataclass(hint):
        return _record(hints := get_type_hints(hint), hints)
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin is Annotated:
        if hint.__metadata__ != (OR_EMPTY,):
            raise TypeError(f"{hint} says more than that it may be empty")
        return shape_of(hint.__origin__) | {"required": []}
    if origin is tuple:
        shapes = [shape_of(kind) for kind in inner]
        return {"type": "array", "prefixItems": shapes, "items": False, "minItems": len(shapes)}
    if origin is NotRequired:
        return shape_of(inner[0])
    if origin is list:
        return {"type": "array", "items": shape_of(inner[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": shape_of(inner[1])}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, UnionType):
        return _either(inner)
    raise TypeError(f"{hint} is no type of a JSON value")


def _either(kinds: tuple[Any, ...]) -> Shape:
    shapes = [shape_of(kind) for kind in kinds if kind is not NoneType]
    found = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
    return {"anyOf": [found, {"type": "null"}]} if NoneType in kinds else found


def _record(hints: Mapping[str, Any], needed: Collection[str]) -> Shape:
    """Returns an object with these keys, some of which may be missing. Readers ignore keys that later versions add."""
    return {
        "type": "object",
        "properties": {name: shape_of(kind) for name, kind in hints.items()},
        "required": [name for name in hints if name in needed],
    }
