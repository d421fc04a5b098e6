"""Shapes of JSON values, as JSON Schemas."""

from __future__ import annotations

from typing import Any

Shape = dict[str, Any]

WHOLE: Shape = {"type": "integer"}
NUMBER: Shape = {"type": "number"}
TEXT: Shape = {"type": "string"}
FLAG: Shape = {"type": "boolean"}


def maybe(shape: Shape) -> Shape:
    """Or null."""
    return {"anyOf": [shape, {"type": "null"}]}


def some(shape: Shape) -> Shape:
    """A list of these."""
    return {"type": "array", "items": shape}


def cells(*shapes: Shape) -> Shape:
    """A list with these, in this order."""
    return {"type": "array", "prefixItems": list(shapes), "items": False, "minItems": len(shapes)}


def by_name(shape: Shape) -> Shape:
    """An object whose keys are names of any kind."""
    return {"type": "object", "additionalProperties": shape}


def either(*shapes: Shape) -> Shape:
    """One of these."""
    return {"anyOf": list(shapes)}


def one_of(*words: str) -> Shape:
    """One of these words."""
    return {"enum": list(words)}


def record(may_lack: tuple[str, ...] = (), /, **fields: Shape) -> Shape:
    """An object with these keys, of which some may be missing. Readers ignore others: later versions may add some."""
    return {
        "type": "object",
        "properties": fields,
        "required": [name for name in fields if name not in may_lack],
    }
