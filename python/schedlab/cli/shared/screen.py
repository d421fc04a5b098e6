"""The output: its width, the letters and colours that it shows, and sentences that fit."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import unicodedata
from dataclasses import dataclass

#: Codes of colours and weights in a terminal.
COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}

#: Least width; a narrower terminal is taken for one of this width.
LEAST_WIDTH = 20


@dataclass(frozen=True)
class Styled:
    """A text in a colour or weight, followed by `rest` without one."""

    text: str
    style: str
    rest: str = ""

    def __str__(self) -> str:
        return self.text + self.rest


def width() -> int | None:
    """Returns the letters of a line: COLUMNS, else the terminal's width; None in a pipe, which shortens nothing."""
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given) > 0:
        return max(int(given), LEAST_WIDTH)
    if not sys.stdout.isatty():
        return None
    return max(shutil.get_terminal_size().columns, LEAST_WIDTH)


def letter(fine: str, plain: str) -> str:
    """Returns `fine`, or `plain` if the output's encoding lacks it."""
    try:
        fine.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return plain
    return fine


def cells(text: str) -> int:
    """Returns the number of terminal cells that `text` takes."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else not unicodedata.combining(one) for one in text)


def printable(text: str) -> str:
    """Replaces letters that would steer the terminal, because names come from files."""
    return text if text.isprintable() else "".join(one if one.isprintable() else " " for one in text)


def painted(text: str, style: str) -> str:
    """Returns `text` in a style, if the output is a terminal that shows colours."""
    if not text or not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{COLOURS[style]}m{text}\x1b[0m"


def say(said: str | Styled, indent: str = "") -> None:
    """Prints a sentence, or several lines; where the width is known, lines break between words."""
    most = width()
    first, style = (said.text, said.style) if isinstance(said, Styled) else ("", "")
    lines = []
    for line in str(said).split("\n"):
        told = printable(line)
        if most is None or cells(told) <= most:
            lines.append(told)
        else:
            hanging = indent or " " * (len(told) - len(told.lstrip()) + 2)
            lines += textwrap.wrap(told, most, subsequent_indent=hanging, break_on_hyphens=False) or [""]
    if style and lines[0].startswith(first):
        lines[0] = painted(first, style) + lines[0][len(first) :]
    sys.stdout.write("\n".join(lines) + "\n")
