"""Tables that fit the terminal: text is shortened, numbers never are."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

from schedlab.cli.shared.screen import Styled, cells, letter, painted, printable, say, width

GAP = "  "

#: Least width to which a column of text is shortened.
LEAST = 8

#: A count, a share or a length of time.
NUMBER = re.compile(r"[-+]?\d[\d.,]*(?:e[+-]?\d+)?(?: ?(?:%|x|ns|us|ms|s|min|h|\([\d.]+%\)))?|-?")


class Rows:
    """A table that fits the terminal.

    If it is too wide, headers break first, then text is shortened, then columns at the right are left out, which a line
    below reports.
    """

    def __init__(self, title: str, columns: Sequence[str], text: Iterable[str] = ()) -> None:
        self.title = title
        self.columns = list(columns)
        self._text = {0, *(self.columns.index(name) for name in text)}
        #: Cells; the style of the whole row; true if the second cell may run over all others.
        self._rows: list[tuple[list[str | Styled], str | None, bool]] = []

    def row(self, *given: str | Styled, style: str | None = None) -> None:
        """Adds a row; missing cells at the right are empty."""
        self._rows.append(([*given, *[""] * (len(self.columns) - len(given))], style, False))

    def note(self, name: str, said: str | Styled) -> None:
        """Adds a row with a sentence in place of values."""
        self._rows.append(([name, said], None, True))

    def print(self) -> None:
        """Prints the table; a title that is empty is left out."""
        if self.title:
            say(Styled(self.title, "bold"))
        sys.stdout.write("\n".join(self.lines(width())) + "\n")

    def lines(self, most: int | None) -> list[str]:
        """Returns the lines below the title, none of them longer than `most`."""
        plain = [[printable(str(cell)) for cell in row] for row, _, _ in self._rows]
        columns = list(
            zip(*(row for row, (_, _, note) in zip(plain, self._rows, strict=True) if not note), strict=True)
        )
        inner = [max(map(cells, column), default=0) for column in columns] or [0] * len(self.columns)
        inner[0] = max([inner[0], *(cells(row[0]) for row in plain)])
        headers = [[name] for name in self.columns]
        widths = [max(inside, cells(name)) for inside, name in zip(inner, self.columns, strict=True)]
        left_out = 0
        if most is not None and _total(widths) > most:
            headers = [_broken(name, inside) for name, inside in zip(self.columns, inner, strict=True)]
            widths = [max(inside, *map(cells, parts)) for inside, parts in zip(inner, headers, strict=True)]
            least = {index: max(LEAST, *map(cells, headers[index])) for index in self._text}
            widths, left_out = _shrunk(widths, least, most)
        shown = len(widths)
        right = [bool(column) and all(map(NUMBER.fullmatch, column)) for column in columns or [()] * shown]
        names = _names([row[0] for row in plain], widths[0]) if self.columns[0] == "task" else {}
        height = max(map(len, headers[:shown]))
        out = []
        for line in range(height):
            parts = [([""] * (height - len(name)) + name)[line] for name in headers[:shown]]
            out.append(_line([_fitted(*one) for one in zip(parts, widths, right, strict=False)]))
        out.append(letter("─", "-") * _total(widths))
        for (row, style, note), texts in zip(self._rows, plain, strict=True):
            if note:
                out.append(_noted(row, texts, widths, most))
                continue
            texts = [names.get(texts[0], texts[0]), *texts[1:]]
            fitted = [_fitted(*one) for one in zip(texts, widths, right, strict=False)]
            out.append(_line([_coloured(text, cell, style) for text, cell in zip(fitted, row, strict=False)]))
        if left_out:
            missing = ", ".join(self.columns[shown:])
            out += [_short(f"too narrow for: {missing}", most or 0)]
        return out


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _shrunk(widths: list[int], least: dict[int, int], most: int) -> tuple[list[int], int]:
    """Returns the widths that fit, and the number of columns left out; `least` has the columns that may shrink."""
    for shown in range(len(widths), 0, -1):
        tried = widths[:shown]
        for _ in range(max(_total(tried) - most, 0)):
            wide = [index for index, narrowest in least.items() if index < shown and tried[index] > narrowest]
            if wide:
                tried[max(wide, key=lambda index: tried[index])] -= 1
        if _total(tried) <= most:
            return tried, len(widths) - shown
    return [min(widths[0], most)], len(widths) - 1


def _broken(header: str, inside: int) -> list[str]:
    """Breaks a header into lines: words stay together while they are no longer than what is below."""
    lines = [""]
    for word in header.split(" "):
        joined = f"{lines[-1]} {word}".strip()
        if lines[-1] and cells(joined) > inside:
            lines.append(word)
        else:
            lines[-1] = joined
    return lines


def _names(names: Iterable[str], most: int) -> dict[str, str]:
    """Shortens each name to `most` cells.

    Names lose their middle, because copies of a task differ at the end; if that makes two names equal, they lose
    another part.
    """
    different = dict.fromkeys(names)
    usual, rest = (most - 1) // 3, range(1, max(most - 1, 1))
    short = {name: _short(name, most, usual) for name in different}
    for tail in rest:
        shown = Counter(short.values())
        alike = [name for name in different if shown[short[name]] > 1]
        tried = {name: _short(name, most, tail) for name in alike}
        taken = {short[name] for name in different if name not in tried}
        once = Counter(tried.values())
        short |= {name: found for name, found in tried.items() if once[found] == 1 and found not in taken}
    return short


def _short(text: str, most: int, tail: int = 0) -> str:
    """Shortens `text` to `most` cells, of which at most `tail` are its end."""
    if cells(text) <= most:
        return text
    end = text[len(text) - tail :] if tail else ""
    while text and cells(text) + cells(end) >= most:
        text = text[:-1]
    return text.rstrip() + letter("…", "~") + end


def _fitted(text: str, wide: int, right: bool) -> str:
    shown = _short(text, wide)
    blanks = " " * (wide - cells(shown))
    return blanks + shown if right else shown + blanks


def _line(parts: Sequence[str]) -> str:
    return GAP.join(parts).rstrip()


def _coloured(text: str, cell: str | Styled, style: str | None) -> str:
    """Colours `text`, the cell as it is shown, whose coloured beginning may have been shortened."""
    if style is not None:
        return painted(text, style)
    if not isinstance(cell, Styled):
        return text
    blanks = len(text) - len(text.lstrip())
    end = min(blanks + len(cell.text), len(text.rstrip()))
    return text[:blanks] + painted(text[blanks:end], cell.style) + text[end:]


def _noted(row: list[str | Styled], texts: list[str], widths: list[int], most: int | None) -> str:
    head = _fitted(texts[0], widths[0], False)
    room = 10**9 if most is None else max(most - widths[0] - len(GAP), 1)
    return head + GAP + _coloured(_short(texts[1], room), row[1], None)
