"""A scenario's file as text in which fields change and comments stay."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from schedlab import _native
from schedlab.core.scenario import Scenario
from schedlab.errors import BadInput
from schedlab.outputs.results import TaskRow

#: Largest number of tasks on the bench: with more, neither the form nor the answers of a moment can be read.
MOST_TASKS = 200

#: Largest number of letters of a scenario's text.
MOST_LETTERS = 1_000_000

#: The list of tasks in a file.
TASK = "task"

#: The field of a task that lets its cost exceed its deadline, and the fields from which that follows.
_MAY_EXCEED = "wcet_may_exceed_deadline"

#: The folder in which a scenario's references are read, unless another is given.
_HERE = Path()

#: A change: the path of a field as in `--set`, and its value; without one, the field follows its default.
Change = tuple[str, str | None]


@dataclass(frozen=True)
class Edited:
    """A text after a change, and the scenario in it."""

    text: str
    scenario: Scenario
    #: What the change cost besides, such as the comments; empty if nothing.
    notice: str = ""
    #: True if the text is not that of the file, because the file is no TOML, or is saved where its references fail.
    is_foreign: bool = False


def opened(text: str, file: str, folder: Path = _HERE) -> Edited:
    """Reads a text, which refers to files in `folder`.

    Raises `BadInput` if it is no scenario, or one that is too large for the bench.
    """
    if len(text) > MOST_LETTERS:
        raise BadInput(f"{file}: {len(text)} letters are too many for the bench; allowed: at most {MOST_LETTERS}")
    return Edited(text, expect_few(scenario_in(text, file, folder), file))


def read(content: bytes, file: str, out: Path | None = None) -> Edited:
    """Reads a file of any format that is saved to `out`, or to itself.

    Another tool's file becomes a canonical text. So does one that names files and is saved to another folder.
    """
    text = _toml(content)
    if text is None:
        scenario = expect_few(Scenario.read(file), file)
        told = "the file is no TOML: all of it is saved as one TOML file"
        if scenario.lost:
            told += f"; not read: {'; '.join(scenario.lost)}"
        return Edited(scenario.to_toml(), scenario, told, is_foreign=True)
    folder = Path(file).parent
    try:
        found = opened(text, file, folder)
    except BadInput:
        # Its sentences name places of the file also where that refers to others.
        expect_few(Scenario.read(file), file)
        raise
    if out is None or not _named(tomllib.loads(text)) or os.path.realpath(out.parent) == os.path.realpath(folder):
        return found
    told = "the file names others of its folder, and is saved to another folder: all of it is saved as one file"
    return Edited(found.scenario.to_toml(), found.scenario, f"{told}, without its comments", is_foreign=True)


def _toml(content: bytes) -> str | None:
    """Returns the text of a content that is TOML; None if it is another format."""
    try:
        text = content.decode()
        tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    return text


def scenario_in(text: str, file: str, folder: Path = _HERE) -> Scenario:
    """Reads the scenario in a TOML text, whose overheads may be a file in `folder`; raises `BadInput`."""
    try:
        return Scenario.parse(text, file)
    except BadInput:
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            tables = {}
        if not (named := _named(tables)):
            raise
    own = tomllib.loads(_native.whole_overheads(folder / named))
    del own["schedlab-overheads"]
    own.setdefault("title", named)
    stated = tables["overheads"]
    if isinstance(stated, Mapping) and "statistic" in stated:
        own["statistic"] = stated["statistic"]
    return Scenario.parse(tomlkit.dumps(tables | {"overheads": own}), file)


def _named(tables: Mapping[str, Any]) -> str | None:
    """Returns the file to which a scenario refers: that of its overheads; None if it refers to none."""
    stated = tables.get("overheads")
    name = stated.get("use") if isinstance(stated, Mapping) else stated
    return name if isinstance(name, str) and name.endswith(".toml") else None


def expect_few(scenario: Scenario, file: str) -> Scenario:
    """Returns the scenario; raises `BadInput` if it has more tasks than the bench shows."""
    if (tasks := len(scenario.tasks)) > MOST_TASKS:
        raise BadInput(
            f"{file}: {tasks} tasks are too many for the bench; allowed: at most {MOST_TASKS}. `schedlab analyze` and "
            "`schedlab simulate` take more"
        )
    return scenario


def edited(text: str, file: str, changes: Sequence[Change], folder: Path = _HERE) -> Edited:
    """Changes fields in a text: it then is the scenario that `--set` would give, and all else in it stays.

    Where the text cannot say that in its own way, it becomes the canonical text of the scenario, without comments. A
    task that needed more than its deadline allows, and does not any more, loses the field that lets it.
    """
    allowed = _exceeding(opened(text, file, folder), needed=True) if _MAY_EXCEED in text else set()
    found = _edited(text, file, changes, folder)
    if not (needless := allowed & _exceeding(found, needed=False) if allowed else set()):
        return found
    document = parsed(found.text)
    for number in needless:
        document[TASK][number].pop(_MAY_EXCEED, None)
    without = text_of(document, found.text)
    return replace(found, text=without, scenario=scenario_in(without, file, folder))


def _exceeding(found: Edited, *, needed: bool) -> set[int]:
    """Returns the numbers of tables of tasks that do, or do not, need more than their deadline allows."""
    tasks = list(found.scenario.tasks)
    rows = task_rows(tomllib.loads(found.text), found.scenario)
    return {number for number, row in enumerate(rows) if _exceeds(tasks[row.tasks[0]]) is needed}


def _exceeds(task: TaskRow) -> bool:
    return task["wcet_ns"] > task["relative_deadline_ns"]


def _edited(text: str, file: str, changes: Sequence[Change], folder: Path) -> Edited:
    given = [(path, stated(path, value)) for path, value in changes if value is not None]
    dropped = [path for path, value in changes if value is None]
    if dropped:
        document = parsed(text)
        for path in dropped:
            _drop(document, path, folder)
        text = text_of(document, text)
    before = opened(text, file, folder).scenario
    if not given:
        return Edited(text, before)
    document = parsed(text)
    rows = task_rows(document, before)
    # The one meaning of a setting is that of `--set`; here it is only written down.
    with chdir(folder):
        wanted = expect_few(before.replace(settings=[*given, *_stated(document, rows, given)]), "the change")
    return _verified(_written(document, rows, given, wanted, text), wanted, file, folder)


def stated(path: str, value: str) -> str:
    """Returns a value as `--set` takes it: the name of a task is always a text, also where it looks like a number."""
    is_name = path.startswith(f"{TASK}.") and path.endswith(".name")
    return json.dumps(value.strip(), ensure_ascii=False) if is_name else value or '""'


def _stated(
    document: Mapping[str, Any], rows: Sequence[Row], given: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yields fields that stay as the text states them, although `--set` lets one that equals its default follow it."""
    paths = [path.replace('"', "") for path, _ in given]
    for row in rows:
        if f"{TASK}.{row.name}.period" in paths and f"{TASK}.{row.name}.deadline" not in paths:
            yield from ((f"{row.path}.deadline", str(row.fields[name])) for name in row.fields if name == "deadline")
    if "horizon" in document and "horizon" not in paths:
        yield "horizon", str(document["horizon"])


@dataclass(frozen=True)
class Row:
    """A table of a task in the file: its fields as the file has them, and the tasks that it makes."""

    name: str
    fields: Mapping[str, Any]
    #: Indices of the scenario's tasks: several of a table with copies.
    tasks: Sequence[int]

    @property
    def path(self) -> str:
        """The path of the table, as in `--set`."""
        return f'{TASK}."{self.name}"' if '"' not in self.name else f"{TASK}.{self.name}"


def task_rows(document: Mapping[str, Any], scenario: Scenario) -> list[Row]:
    """Returns the tables of tasks in their order."""
    rows, first = [], 0
    for table in document[TASK]:
        copies = int(table.get("copies", 1))
        rows.append(Row(str(table["name"]), table, range(first, first + copies)))
        first += copies
    assert first == len(scenario.tasks), "each task is a table's, or one of its copies"
    return rows


def parsed(text: str) -> tomlkit.TOMLDocument:
    """Returns the tables of a text, in which changes leave all else as it is."""
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise BadInput(f"the scenario's text cannot be changed: {error}") from error


def text_of(document: tomlkit.TOMLDocument, before: str) -> str:
    """Returns the text of changed tables, with the ends of lines that the text had `before`."""
    return with_ends(document.as_string(), before)


def with_ends(text: str, before: str) -> str:
    """Returns a text with the ends of lines that another one has."""
    return re.sub(r"(?<!\r)\n", "\r\n", text) if re.search(r"\r\n", before) else text


def _verified(text: str | None, wanted: Scenario, file: str, folder: Path) -> Edited:
    """Returns the text if it is the scenario that is wanted, else that scenario's canonical text."""
    if text is not None:
        try:
            if scenario_in(text, file, folder) == wanted:
                return Edited(text, wanted)
        except BadInput:
            pass
    canonical = wanted.to_toml()
    told = "the file cannot say this in its own way: it is written anew, without its comments"
    return Edited(canonical, Scenario.parse(canonical, file), told)


def _written(
    document: tomlkit.TOMLDocument,
    rows: Sequence[Row],
    given: Sequence[tuple[str, str]],
    wanted: Scenario,
    before: str,
) -> str | None:
    """Returns the text with the given values in their places; None where these are not found."""
    for path, value in given:
        found = _place(document, rows, path)
        if found is None:
            return None
        table, keys = found
        *outer, last = keys
        for key in outer:
            if key not in table:
                table[key] = tomlkit.table() if table is document else tomlkit.inline_table()
            if not isinstance(table[key], MutableMapping):
                return None
            table = table[key]
        table[last] = _value(value)
    tasks = list(wanted.tasks)
    for row in rows:
        task, table = tasks[min(row.tasks[0], len(tasks) - 1)], _table(row)
        # As `--set` lets a task need more than its deadline allows.
        if _exceeds(task):
            table[_MAY_EXCEED] = True
    return text_of(document, before)


def _table(row: Row) -> Any:
    """Returns the table of a row, which can be changed."""
    return row.fields


def _drop(document: tomlkit.TOMLDocument, path: str, folder: Path) -> None:
    """Removes a field, which then follows its default; nothing happens if the text does not state it."""
    found = _place(document, task_rows(document, scenario_in(document.as_string(), "", folder)), path)
    if found is None:
        return
    table, keys = found
    for key in keys[:-1]:
        table = table.get(key, {})
    table.pop(keys[-1], None)


def _place(document: MutableMapping[str, Any], rows: Sequence[Row], path: str) -> tuple[Any, list[str]] | None:
    """Returns the table and the keys from there on that a path names; None if there is no such table."""
    if path.startswith(f"{TASK}."):
        rest = path.removeprefix(f"{TASK}.")
        for row in sorted(rows, key=lambda row: -len(row.name)):
            for name in (f'"{row.name}"', row.name):
                if rest.startswith(f"{name}."):
                    return _table(row), rest[len(name) + 1 :].split(".")
        return None
    if path in ("scheduler", "scheduler.name"):
        stated = document.get("scheduler")
        return (document, ["scheduler"]) if not isinstance(stated, Mapping) else (document, ["scheduler", "name"])
    if path in ("overheads", "overheads.use") and not isinstance(document.get("overheads"), Mapping):
        return document, ["overheads"]
    return document, path.split(".")


def _value(text: str) -> Any:
    """Reads a value as `--set` does: what is no value of TOML stands for its text."""
    try:
        return tomlkit.value(text.strip())
    except TOMLKitError:
        return tomlkit.string(text.strip())
