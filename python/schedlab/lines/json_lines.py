"""Records of JSON lines, read as strictly as scenarios are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, NoReturn, TypeGuard

from schedlab import _native
from schedlab.errors import BadInput

#: An escape in JSON of a letter as a pair, or of half of a pair.
_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def parsed(text: str) -> Any:
    """Returns the value in `text`. Raises `BadInput` for an object with two equal keys, and for `NaN` and `Infinity`.

    Also refused is a number beyond what a float holds, because it would be read as another one, and text that could not
    be written again: with bytes that are no UTF-8 (`surrogateescape`), or with half of a pair such as `"\\ud800"`.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"not UTF-8 in column {error.start + 1}") from error
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_held)
        _expect_held(value, "")
        if _PAIR.search(text):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeEncodeError as error:
        half = ord(error.object[error.start])
        raise BadInput(f"\\u{half:04x}: half of a pair; allowed: both halves") from error
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error.msg} in column {error.colno}") from error
    except (RecursionError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"not JSON that can be read: {error}") from error


def refuse_unknown(keys: Iterable[str], known: Sequence[str]) -> None:
    """Raises `BadInput` if one of `keys` is not known."""
    for key in keys:
        if key not in known:
            near = get_close_matches(key, known, 1)
            meant = f"did you mean {near[0]}? " if near else ""
            if (missing := _native.missing_concept("", key)) is not None:
                raise BadInput(f"{key}: {missing}; allowed: {', '.join(known)}")
            raise BadInput(f"{key}: unknown field; {meant}allowed: {', '.join(known)}")


def is_whole(value: Any) -> TypeGuard[int]:
    """True if `value` is a whole number that is not negative; `true` is none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadInput(f"{key}: stands there twice; allowed: once")
        found[key] = value
    return found


class _NotHeld(NamedTuple):
    """A number that no float holds, until its place is known."""

    written: str


def _held(written: str) -> float | _NotHeld:
    """Returns the number, unless a float makes it infinite, or zero where no zero is written."""
    number = float(written)
    is_zero = not re.search("[1-9]", re.split("[eE]", written)[0])
    return number if math.isfinite(number) and (number != 0 or is_zero) else _NotHeld(written)


def _expect_held(value: Any, place: str) -> None:
    """Raises `BadInput` if a number in `value`, which stands at `place`, is not held by a float."""
    if isinstance(value, _NotHeld):
        told = f"{place}: " if place else ""
        raise BadInput(f"{told}{value.written} is no number that a float holds; allowed: 0, from 5e-324 to 1.7e308")
    if isinstance(value, dict):
        for key, inner in value.items():
            _expect_held(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _expect_held(inner, f"{place}[{index}]")


def _no_number(name: str) -> NoReturn:
    raise BadInput(f"{name} is no number; allowed: numbers of JSON")
