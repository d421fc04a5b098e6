"""Tables that stay readable in a narrow terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text


class Rows(Table):
    """A table; where it does not fit, a paragraph for each row instead: no cell is cut off."""

    def __init__(self, title: str) -> None:
        super().__init__(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)

    def row(self, *cells: str | Text, style: str | None = None) -> None:
        """One more row; brackets in cells are no markup."""
        self.add_row(*map(_text, cells), style=style)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self._width() <= options.max_width:
            yield from super().__rich_console__(console, options)
        else:
            yield from self._paragraphs()

    def _width(self) -> int:
        """How many letters a line needs, if only columns that may fold do."""

        def longest(column: Column) -> int:
            texts = [_text(cell).plain for cell in (column.header, *column.cells)]
            return max(len(part) for text in texts for part in ([text] if column.no_wrap else text.split() or [""]))

        return sum(longest(column) + 3 for column in self.columns)

    def _paragraphs(self) -> Iterator[Text | Padding]:
        yield Text(str(self.title), style="italic")
        named, *others = self.columns
        headers = [_text(column.header) for column in others]
        for head, *cells in zip(named.cells, *(column.cells for column in others), strict=True):
            yield _text(head) or Text("-")
            pairs = zip(headers, map(_text, cells), strict=True)
            told = [header + Text(": ") + cell for header, cell in pairs if cell]
            yield Padding(Text("; ").join(told), (0, 0, 0, 2))


def _text(cell: object) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))
