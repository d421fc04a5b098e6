"""Tables as text: short cells, and the first rows of a table in a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

#: Number of rows of a table that a terminal shows.
ROWS = 10

#: Largest number of letters in a cell.
_CELL = 24


def first_rows(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], number: int) -> str:
    """Returns text: a head that counts all rows of a table, then the first rows, with columns that fit a terminal."""
    line = shutil.get_terminal_size().columns
    head = f"<Table of {number} row{'s' * (number != 1)}: {', '.join(columns)}>"
    lines = textwrap.wrap(head, line, subsequent_indent="  ", break_long_words=False)
    shown: list[list[str]] = []
    left = line
    for name in columns:
        values = [row[name] for row in rows]
        texts = [name, *map(cell, values)]
        width = max(map(len, texts))
        left -= width + 2 * bool(shown)
        if left < 0:
            break
        whole = all(isinstance(value, int | float | None) for value in values)
        shown.append([text.rjust(width) if whole else text.ljust(width) for text in texts])
    lines += ["  ".join(cells).rstrip() for cells in zip(*shown, strict=True)] if rows else []
    if number > len(rows):
        lines.append(f"... and {number - len(rows)} more")
    return "\n".join(lines)


def cell(value: Any) -> str:
    """Returns a value as the text of a cell; a dash for None."""
    text = "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
