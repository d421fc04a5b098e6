"""Display of the core's values: `schedlab.show` registers a function for each type of value.

The core imports no picture, page or notebook, so it calls these functions. Importing `schedlab` registers the others.
"""

from __future__ import annotations

from functools import singledispatch
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class Shown(list[T]):
    """Several results as a list; a notebook shows them below each other, or as one table."""

    def _repr_html_(self) -> str:
        return html(self)


class ShownDict(dict[str, Any]):
    """A result of named values; a notebook shows it as a table."""

    def _repr_html_(self) -> str:
        return html(self)


@singledispatch
def html(value: object) -> str:
    """Returns a value as HTML, for a notebook."""
    raise TypeError(f"no function is registered that shows a {type(value).__name__} as HTML")


@singledispatch
def plotted(value: object, ax: Any, **shown: Any) -> Any:
    """Draws a value with matplotlib on the axes `ax`, or on new ones if that is None; returns the axes."""
    raise TypeError(f"no function is registered that plots a {type(value).__name__}")


@singledispatch
def saved(value: object, path: Path | str, **shown: Any) -> Path:
    """Writes a picture of a value into the file `path`; returns the path."""
    raise TypeError(f"no function is registered that saves a picture of a {type(value).__name__}")
