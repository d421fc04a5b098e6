"""The tables of docs/own-scheduler.md have what schedulers in Python and protocols in Rust are handed, and no more."""

from __future__ import annotations

import ast
import itertools
import re

import pytest

import schedlab
from conftest import ROOT
from schedlab.core.policy import load_policy

PAGE = (ROOT / "docs" / "own-scheduler.md").read_text(encoding="utf-8")
STUB = ast.parse((ROOT / "python" / "schedlab" / "_native.pyi").read_text(encoding="utf-8"))
LOCK = ROOT / "crates" / "lock" / "src"

#: What is handed to a scheduler in Python; a paragraph that begins with its name introduces its table.
HANDED = ("Job", "JobId", "Jobs", "Event", "Decisions")


def table_after(beginning: str) -> list[list[str]]:
    """The cells of the first table from the line on that begins so, without its head."""
    lines = PAGE.splitlines()
    place = next(index for index, line in enumerate(lines) if line.startswith(beginning))
    begin = next(index for index in range(place, len(lines)) if lines[index].startswith("|"))
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[begin + 2 :])
    return [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


def attributes_of(name: str) -> set[tuple[str, str]]:
    """The public attributes and methods of a class in the stub, and their types."""
    [found] = [node for node in STUB.body if isinstance(node, ast.ClassDef) and node.name == name]
    attributes = set()
    for node in found.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            is_property = any(isinstance(mark, ast.Name) and mark.id == "property" for mark in node.decorator_list)
            arguments = ", ".join(argument.arg for argument in node.args.args[1:])
            shown = f"`{node.name}`" if is_property else f"`{node.name}({arguments})`"
            assert node.returns is not None
            attributes.add((shown, f"`{ast.unparse(node.returns)}`"))
    return attributes


@pytest.mark.parametrize("name", HANDED)
def test_the_page_has_each_attribute_and_its_type(name: str) -> None:
    rows = table_after(f"`{name}`")
    assert {(attribute, kind) for attribute, kind, _ in rows} == attributes_of(name)
    assert all(meaning for *_, meaning in rows)


def test_each_class_that_the_methods_of_a_policy_take_has_a_table() -> None:
    methods = (schedlab.Policy.note, schedlab.Policy.decide, schedlab.Policy.priority)
    handed = {kind for method in methods for kind in method.__annotations__.values()} - {"int", "None"}
    assert handed | {"JobId"} == set(HANDED)


def test_the_page_has_each_kind_of_event_and_what_it_holds() -> None:
    source = (ROOT / "crates" / "native" / "src" / "policy" / "views.rs").read_text(encoding="utf-8")
    known = {}
    for arm in re.findall(r"Event::\w+.*? => (.*of\(\"\w+\"\).*),", source):
        [kind] = re.findall(r'of\("(\w+)"\)', arm)
        about = [name for name in ("timer", "task") if f"{name}: Some" in arm] or ["job"]
        known[kind] = about + (["cpu"] if "cpu: Some" in arm else [])
    assert len(known) == 12
    page = {kind.strip("`"): re.findall(r"`(\w+)`", holds) for kind, holds, _ in table_after("| kind | has")}
    assert page == known


@pytest.mark.parametrize(
    ("file", "beginning"), [("contract/turn.rs", "and answer"), ("shared/mutexes.rs", "(`releases`)")]
)
def test_the_page_has_what_the_rules_of_a_protocol_are_handed(file: str, beginning: str) -> None:
    source = (LOCK / file).read_text(encoding="utf-8")
    methods = re.findall(r"^    pub fn (\w+)\(&(?:mut )?self, ([^)]*)\)", source, re.MULTILINE)
    taken = [(name, re.findall(r"(\w+):", arguments)) for name, arguments in methods]
    known = {f"`{name}({', '.join(arguments)})`" for name, arguments in taken}
    known |= {f"`{name}`" for name in re.findall(r"^    pub (\w+):", source, re.MULTILINE)}
    assert {row[0] for row in table_after(beginning)} == known


def test_the_page_shows_the_schedule_of_the_example_that_migrates() -> None:
    policy = load_policy(f"{ROOT}/examples/dp_wrap.py:DpWrap")
    schedule = schedlab.simulate(schedlab.Scenario.read(ROOT / "examples" / "dp-wrap.toml"), scheduler=policy)
    drawn = "".join(f"{line}\n" for line in schedule.to_text().splitlines()[:2])
    assert drawn in PAGE
    [b] = [row for row in schedule.metrics().tasks if row["name"] == "B"]
    assert (b["preemptions"], b["migrations"], b["task_migrations"]) == (3, 3, 0)
    assert "B has three of each" in PAGE
