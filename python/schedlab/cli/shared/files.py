"""Files of a command: outputs that overwrite no input, endings that say what is in a file, names in a shell."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from schedlab.base.files import FILES, is_special
from schedlab.cli.shared.what_if import say_now
from schedlab.errors import BadInput

#: Names of options whose files are written.
OUTPUTS = ("out", "trace", "plot", "emit", "perfetto", "junit")

#: Endings that say what is in a file; others say nothing, and are allowed anywhere.
KNOWN = FILES | {".gz", ".htm", ".sh", ".yaml", ".yml"}


class Command(click.Command):
    """A command that refuses to write over a file that it reads, and shows what was set from outside."""

    def invoke(self, ctx: click.Context) -> Any:
        inputs = {os.path.realpath(path): path for path in self._files(ctx, outputs=False)}
        for path in self._files(ctx, outputs=True):
            if (read := inputs.get(os.path.realpath(path))) is not None and not is_special(path):
                raise BadInput(f"{path}: this command reads that file, as {read}; allowed: another file")
        found = super().invoke(ctx)
        say_now()
        return found

    def _files(self, ctx: click.Context, *, outputs: bool) -> Iterator[Path]:
        """Yields the files that options and arguments name: those that are written, or those that are read."""
        for param in self.params:
            is_output = isinstance(param, click.Option) and param.name in OUTPUTS
            value: Any = ctx.params.get(param.name or "")
            if is_output == outputs:
                for one in value if isinstance(value, tuple | list) else [value]:
                    if isinstance(one, Path):
                        yield one
                    # Some options, such as --overheads, take a name or a file; a text may be too long for a path.
                    elif isinstance(one, str) and not outputs and os.path.isfile(one):  # noqa: PTH113
                        yield Path(one)


class FileOf(click.Path):
    """A file to write, whose name must not end like a file of another kind."""

    def __init__(self, *endings: str) -> None:
        super().__init__(path_type=Path)
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path: Any = super().convert(value, param, ctx)
        expect_ending(path, *self.endings)
        return path


def expect_ending(path: Path, *endings: str) -> None:
    """Raises `BadInput` if `path` ends like a file of another kind than those with `endings`."""
    if path.suffix.lower() in KNOWN and path.suffix.lower() not in endings:
        raise BadInput(f"{path}: what is written does not end like this; allowed: {', '.join(endings)}")


def in_a_shell(path: Path) -> str:
    """Returns `path` as an argument of a command: one that begins with a dash would be taken for an option."""
    return f"./{path}" if str(path).startswith("-") and str(path) != "-" else str(path)
