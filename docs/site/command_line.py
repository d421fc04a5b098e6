"""The reference of the command line, from the help of its commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from schedlab.cli.main import COMMANDS, cli


def write(folder: Path) -> dict[str, dict[str, str]]:
    """Writes a page for each command; returns what each page is about, by its name."""
    folder.mkdir(parents=True)
    context = click.Context(cli, info_name="schedlab")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        sections = "\n\n".join(_sections(command, context, f"schedlab {name}", 1))
        (folder / f"{name}.md").write_text(sections + "\n", encoding="utf-8")
    return {"": {name: f"`schedlab {name}`: {about}" for name, about in COMMANDS.items()}}


def _sections(command: click.Command, parent: click.Context, path: str, level: int) -> Iterator[str]:
    """Yields the command's heading, usage, help and options, and then those of its own commands."""
    context = click.Context(command, info_name=path.rpartition(" ")[2], parent=parent)
    yield f"{'#' * level} {path}"
    yield f"```text\n{path} {' '.join(command.collect_usage_pieces(context))}\n```"
    yield _help(command.help or "")
    records = [given.get_help_record(context) for given in command.params]
    if rows := [record for record in records if record and record[1]]:
        yield "| option | meaning |\n|---|---|\n" + "\n".join(
            f"| {_code(names)} | {_cell(told)} |" for names, told in rows
        )
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            own = command.get_command(context, name)
            assert own is not None
            yield from _sections(own, context, f"{path} {name}", level + 1)


def _help(text: str) -> str:
    """Returns a help text as Markdown: what click prints line by line is a block of text."""
    parts = []
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.startswith("\b"):
            parts.append("```text\n" + part.removeprefix("\b").strip("\n") + "\n```")
        else:
            parts.append(_options(" ".join(part.split())))
    return "\n\n".join(parts)


def _options(text: str) -> str:
    """Returns the text with its options as code, unless it has code already."""
    return text if "`" in text else re.sub(r"(?<![\w`-])(--?[a-z][\w-]*)", r"`\1`", text)


def _code(names: str) -> str:
    return ", ".join(f"`{name.strip()}`" for name in names.replace("|", "\\|").split(", "))


def _cell(text: str) -> str:
    return (
        _options(" ".join(text.split()))
        .replace("|", "\\|")
        .replace("<", "&lt;")
        .replace("*", "\\*")
        .replace("[", "\\[")
    )
