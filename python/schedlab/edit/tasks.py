"""Tasks that come and go in a scenario's text, of which all else stays as it is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tomlkit

from schedlab.edit.document import TASK, Edited, Row, opened, parsed, task_rows, text_of, with_ends
from schedlab.errors import BadInput

#: Fields of a task that a new one like it does not take over, because they bind it to others or to a number of tasks.
_ITS_OWN = ("copies", "program", "supertask")

#: Fields of a new task where the last one has fields that no second task may have.
_NEEDED = ("name", "wcet", "period", "deadline", "priority", "priority_point", "class")

#: Units of a new task's cost, the largest first, in nanoseconds.
_UNITS = (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))


def with_task(text: str, file: str, folder: Path) -> Edited:
    """Adds a task like the last one, under a new name and without its program."""
    before = opened(text, file, folder).scenario
    rows = task_rows(tomllib.loads(text), before)
    names = {row.name for row in rows} | set(before.tasks["name"])
    last = {field: value for field, value in rows[-1].fields.items() if field not in _ITS_OWN}
    last["name"] = next(name for name in (f"task {number}" for number in range(len(rows) + 1, 10_000))
                        if name not in names)  # fmt: skip
    last.setdefault("wcet", _duration(before.tasks["wcet_ns"][rows[-1].tasks[0]]))
    try:
        return opened(_added(text, last), file, folder)
    except BadInput:
        return opened(_added(text, {field: last[field] for field in _NEEDED if field in last}), file, folder)


def _duration(ns: int) -> str:
    unit, size = next((unit, size) for unit, size in _UNITS if ns % size == 0)
    return f"{ns // size} {unit}"


def _added(text: str, fields: dict[str, Any]) -> str:
    """Returns the text with a table of a task more, after the last one."""
    document = parsed(text)
    tables: Any = document[TASK]
    if isinstance(tables, tomlkit.items.Array):
        made = tomlkit.inline_table()
        made.update(fields)
        tables.append(made)
        return text_of(document, text)
    table = with_ends(tomlkit.dumps({TASK: [fields]}), text)
    end, lines = with_ends("\n", text), text.split("\n")
    blocks = list(_blocks(lines))
    if blocks and len(blocks) == len(tables):
        *_, (_, after) = blocks
        body = "\n".join(lines[:after]).rstrip() + end
        if body.rstrip() != text.rstrip():
            made_between = f"{body}{end}{table}{end}" + "\n".join(lines[after:])
            if _tasks(made_between) == [*_tasks(text), fields]:
                return made_between
    return text.rstrip("\r\n") + 2 * end + table


def _tasks(text: str) -> Any:
    """Returns the tables of tasks; None if the text is no TOML."""
    try:
        return tomllib.loads(text).get(TASK)
    except tomllib.TOMLDecodeError:
        return None


def without_task(text: str, file: str, name: str, folder: Path) -> Edited:
    """Removes a task, with all its copies and the comments directly above it."""
    rows = task_rows(tomllib.loads(text), opened(text, file, folder).scenario)
    if len(rows) == 1:
        raise BadInput(f"task.{name}: is the only task; allowed: a scenario with at least one")
    number = _number_of(rows, name)
    wanted = tomllib.loads(text)
    del wanted[TASK][number]
    lines = text.split("\n")
    blocks = list(_blocks(lines))
    if len(blocks) == len(rows):
        first, after = blocks[number]
        kept = [*lines[:first], *lines[after:]]
        if not any(line.strip() for line in lines[after:]):
            kept = "\n".join(kept).rstrip().split("\n")
            kept = [*kept, ""] if not kept[-1].endswith("\r") else kept
        without = with_ends("\n".join(kept), text)
        if _is(without, wanted):
            return opened(without, file, folder)
    document = parsed(text)
    tables: Any = document[TASK]
    del tables[number]
    return opened(text_of(document, text), file, folder)


def _is(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


#: The head of a table in a text, with its first key.
_HEAD = re.compile(r"""\s*\[{1,2}\s*(?P<key>[\w-]+|"[^"]*"|'[^']*')(?P<more>[^\]]*)\]{1,2}\s*(#.*)?$""")


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yields the lines of each table of a task: from the comments directly above it to the next block, exclusively.

    Comments below it belong to it only where no empty line is between.
    """
    heads = [(number, found) for number, line in enumerate(lines) if (found := _HEAD.match(line))]
    tops = [number for number, found in heads if not (_is_task(found) and found["more"].strip())]
    for place, number in enumerate(tops):
        if not _is_task(_HEAD.match(lines[number])):
            continue
        following = _first(lines, tops[place + 1]) if place + 1 < len(tops) else len(lines)
        end = following
        while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
            end -= 1
        while end < following and lines[end].strip():
            end += 1
        while end < following and not lines[end].strip():
            end += 1
        yield _first(lines, number), end


def _is_task(found: re.Match[str] | None) -> bool:
    return found is not None and found["key"].strip("\"'") == TASK


def _first(lines: Sequence[str], number: int) -> int:
    """Returns the first of the lines of comments directly above a line, or the line itself."""
    while number > 0 and lines[number - 1].lstrip().startswith("#"):
        number -= 1
    return number


def _number_of(rows: Sequence[Row], name: str) -> int:
    for number, row in enumerate(rows):
        if row.name == name:
            return number
    raise BadInput(f"there is no task {name!r}; allowed: {', '.join(row.name for row in rows)}")
