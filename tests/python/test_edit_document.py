"""The text of a scenario under changes: it is what `--set` gives, and what the form does not show stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from conftest import ROOT
from schedlab import Scenario
from schedlab.edit.document import (
    MOST_LETTERS,
    MOST_TASKS,
    edited,
    opened,
    read,
    scenario_in,
    stated,
)
from schedlab.edit.form import form
from schedlab.edit.tasks import with_task, without_task
from schedlab.edit.worker import answered
from schedlab.errors import BadInput

EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))

TEXT = """\
# A robot, with a comment.
schedlab = 1
scheduler = "G-EDF" # global
title = "robot"

[platform] # the machine
processors = 2

[[task]]
name = "camera" # looks
wcet = "12 ms"
period = "33 ms"
jitter = "1 ms" # no field of the form

[[task]]
name = "arm"
copies = 2
wcet = "2.5 ms"
period = "10 ms"
"""

OVERHEADS = """\
schedlab-overheads = 1
source = "a test"
[all]
context_switch = { max = "5 us", mean = "4 us" }
"""


def test_a_bench_that_could_not_save_does_not_open(tmp_path: Path, run: Any) -> None:
    there = tmp_path / "missing" / "own.toml"
    found = run("edit", "--out", str(there))
    assert found.status == 2 and f"there is no folder {there.parent}" in found.err


def test_a_change_leaves_all_else() -> None:
    found = edited(TEXT, "robot.toml", [("task.camera.wcet", "13 ms"), ("platform.processors", "3")])
    assert found.text == TEXT.replace('"12 ms"', '"13 ms"').replace("processors = 2", "processors = 3")
    assert found.notice == ""
    assert found.scenario.processors == 3


def test_scheduler_and_new_fields_find_their_places() -> None:
    found = edited(TEXT, "x", [("scheduler", "P-EDF"), ("protocol", "pip"), ("task.arm.offset", "1 ms")])
    assert 'scheduler = "P-EDF" # global' in found.text
    assert "# looks" in found.text and found.notice == ""
    assert found.scenario.protocol == "pip"
    assert found.scenario.tasks["offset_ns"] == [0, 1_000_000, 1_000_000]


def test_a_task_with_copies_is_one_row() -> None:
    found = edited(TEXT, "x", [('task."arm".wcet', "3 ms")])
    assert found.scenario.tasks["wcet_ns"] == [12_000_000, 3_000_000, 3_000_000]
    assert [row["tasks"] for row in form(found)["rows"]] == [[0], [1, 2]]
    # One copy alone has no place in the text, which then is written anew.
    alone = edited(TEXT, "x", [("task.arm.2.wcet", "3 ms")])
    assert alone.scenario.tasks["wcet_ns"] == [12_000_000, 2_500_000, 3_000_000]
    assert "without its comments" in alone.notice


def test_a_cost_may_exceed_its_deadline_as_with_set() -> None:
    found = edited(TEXT, "x", [("task.camera.wcet", "40 ms")])
    assert "wcet_may_exceed_deadline = true" in found.text and "# looks" in found.text
    assert found.scenario == Scenario.parse(TEXT).replace(settings={"task.camera.wcet": "40 ms"})


def test_a_field_without_value_follows_its_default() -> None:
    stated = edited(TEXT, "x", [("task.camera.deadline", "20 ms")])
    assert stated.scenario.tasks["relative_deadline_ns"][0] == 20_000_000
    assert edited(stated.text, "x", [("task.camera.deadline", None)]).text == TEXT
    assert edited(TEXT, "x", [("task.camera.deadline", None)]).text == TEXT


HERE = Path()


def test_tasks_come_and_go() -> None:
    more = with_task(TEXT, "x", HERE)
    assert more.text.startswith(TEXT)
    assert more.scenario.tasks["name"] == ["camera", "arm.1", "arm.2", "task 3"]
    assert without_task(more.text, "x", "task 3", HERE).text == TEXT
    assert without_task(TEXT, "x", "camera", HERE).scenario.tasks["name"] == ["arm.1", "arm.2"]
    with pytest.raises(BadInput, match="only task"):
        without_task(without_task(TEXT, "x", "camera", HERE).text, "x", "arm", HERE)
    with pytest.raises(BadInput, match="no task 'leg'"):
        without_task(TEXT, "x", "leg", HERE)


COMMENTS = """\
schedlab = 1

# of a
[[task]]
name = "a"
wcet = "1 ms"
period = "5 ms"
# below a

# a part

# of b, and
# more of b
[[task]] # b
name = "b"
wcet = "1 ms"
period = "6 ms"
[task.utility]
step = 10
termination = "6 ms"

# of c
[[task]]
name = "c"
wcet = "1 ms"
period = "7 ms"

# at the end
[platform]
processors = 2
"""


@pytest.mark.parametrize(("name", "first", "after"), [("a", 2, 9), ("b", 11, 21), ("c", 21, 27)])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_go_with_their_task(name: str, first: int, after: int, end: str) -> None:
    lines = COMMENTS.split("\n")
    found = without_task(end.join(lines), "x", name, HERE).text
    assert found == end.join([*lines[:first], *lines[after:]])


INLINE = """\
schedlab = 1
task = [ # two
  { name = "a", wcet = "1 ms", period = "5 ms" },
  { name = "b", wcet = "2 ms", period = "6 ms", copies = 2 }, # b
]
platform.processors = 2
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", [TEXT, COMMENTS, INLINE])
def test_tasks_come_in_any_form_of_text(text: str, end: str) -> None:
    text = text.replace("\n", end)
    number = len(form(opened(text, "x"))["rows"])
    found = text
    for more in (1, 2):
        found = with_task(found, "x", HERE).text
        assert f"task {number + more}" in found
    assert [line.endswith("\r") for line in found.split("\n")[:-1]] == [end == "\r\n"] * found.count("\n")
    assert form(opened(found, "x"))["rows"][-1]["fields"]["wcet"]["text"] in ("1 ms", "2 ms", "2.5 ms")
    for name in (f"task {number + 1}", f"task {number + 2}"):
        found = without_task(found, "x", name, HERE).text
    assert opened(found, "x").scenario == opened(text, "x").scenario
    assert [line for line in found.splitlines() if "#" in line] == [line for line in text.splitlines() if "#" in line]
    changed = edited(text, "x", [(f"{form(opened(text, 'x'))['rows'][0]['path']}.offset", "1 ms")]).text
    assert changed.count(end) == changed.count("\n")


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_each_example_takes_a_task_more(file: Path) -> None:
    try:
        found = read(file.read_bytes(), str(file))
    except BadInput as error:
        assert "schedlab" in str(error), "it is no scenario"
        return
    if len(found.scenario.tasks) >= MOST_TASKS:
        return
    more = with_task(found.text, file.name, HERE)
    row = form(more)["rows"][-1]
    assert len(more.scenario.tasks) == len(found.scenario.tasks) + 1 and not row["fields"]["wcet"]["fixed"]
    assert without_task(more.text, file.name, row["name"], HERE).scenario == found.scenario


def test_a_permission_that_is_not_needed_any_more_leaves() -> None:
    """Where the cost exceeds no deadline, as the file stated it before the bench."""
    above = edited(TEXT, "x", [("task.camera.wcet", "40 ms")]).text
    assert "wcet_may_exceed_deadline" in above
    assert edited(above, "x", [("task.camera.wcet", "12 ms")]).text == TEXT
    assert "wcet_may_exceed_deadline" in edited(above, "x", [("task.camera.wcet", "50 ms")]).text
    short = edited(TEXT, "x", [("task.camera.deadline", "10 ms")]).text
    assert "wcet_may_exceed_deadline" in short
    assert edited(short, "x", [("task.camera.deadline", None)]).text == TEXT
    meant = TEXT.replace("# no field of the form", "\nwcet_may_exceed_deadline = true")
    assert "wcet_may_exceed_deadline" in edited(meant, "x", [("task.camera.wcet", "13 ms")]).text


@pytest.mark.parametrize("name", ["1", "true", "1.5", "2026-01-01", '"quoted"', "[x]", "1 ms"])
def test_a_name_is_always_a_text(name: str) -> None:
    found = edited(TEXT, "x", [("task.camera.name", name)])
    assert found.scenario.tasks["name"][0] == name and found.notice == ""


def test_too_many_tasks_are_refused_before_they_are_shown(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=f"10000 tasks are too many for the bench; allowed: at most {MOST_TASKS}"):
        opened(TEXT.replace("copies = 2", "copies = 9999"), "x")
    with pytest.raises(BadInput, match="are too many"):
        edited(TEXT, "x", [("task.arm.copies", "9999")])
    many = tmp_path / "many.csv"
    many.write_text("name,wcet_ns,period_ns\n" + "".join(f"t{n},1,1000000\n" for n in range(300)))
    with pytest.raises(BadInput, match="300 tasks are too many"):
        read(many.read_bytes(), str(many))


def test_another_tools_file_becomes_a_canonical_text() -> None:
    table = ROOT / "examples/threads.csv"
    found = read(table.read_bytes(), str(table))
    assert found.is_foreign and found.scenario == Scenario.read(table)
    assert Scenario.parse(found.text) == found.scenario


NAMED = ('overheads = "own.toml" # mine', 'overheads.use = "own.toml"\noverheads.statistic = "mean"')


@pytest.mark.parametrize("named", NAMED)
def test_a_file_that_names_others_stays_as_it_is(tmp_path: Path, named: str) -> None:
    (tmp_path / "own.toml").write_text(OVERHEADS)
    file = tmp_path / "robot.toml"
    text = TEXT.replace("schedlab = 1", f"schedlab = 1\n{named}")
    file.write_text(text)
    found = read(file.read_bytes(), str(file))
    assert (found.text, found.notice, found.is_foreign) == (text, "", False)
    assert found.scenario == Scenario.read(file)
    changed = edited(text, file.name, [("task.camera.wcet", "13 ms")], tmp_path)
    assert changed.text == text.replace('"12 ms"', '"13 ms"') and changed.notice == ""
    assert edited(changed.text, file.name, [("task.camera.deadline", None)], tmp_path).text == changed.text
    more = with_task(text, file.name, tmp_path)
    assert without_task(more.text, file.name, "task 3", tmp_path).scenario == found.scenario
    assert scenario_in(text, file.name, tmp_path).overheads == "own.toml"
    asked = {"text": text, "file": file.name, "folder": str(tmp_path), "changes": [["task.camera.wcet", "13 ms"]]}
    for ask in ("edit", "proof", "schedule"):
        assert "error" not in json.loads(answered(asked | {"ask": ask, "id": "x"}))


def test_a_file_may_name_others_later(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OVERHEADS)
    found = edited(TEXT, "robot.toml", [("overheads", "own.toml")], tmp_path)
    assert 'overheads = "own.toml"' in found.text and found.notice == "" and found.scenario.overheads == "own.toml"
    with pytest.raises(BadInput, match=r"own\.toml"):
        edited(TEXT, "robot.toml", [("overheads", "own.toml")], tmp_path / "..")


def test_what_a_file_names_is_put_into_one_that_is_saved_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OVERHEADS)
    file = tmp_path / "robot.toml"
    file.write_text(TEXT.replace("schedlab = 1", 'schedlab = 1\noverheads = "own.toml"'))
    assert not read(file.read_bytes(), str(file), tmp_path / "other.toml").is_foreign
    found = read(file.read_bytes(), str(file), tmp_path / "in" / "other.toml")
    assert found.is_foreign and "without its comments" in found.notice
    assert Scenario.parse(found.text) == Scenario.read(file)


def test_a_text_that_is_too_long_is_refused_and_not_written_anew(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text(TEXT + "#" * MOST_LETTERS)
    with pytest.raises(BadInput, match="letters are too many for the bench"):
        read(file.read_bytes(), str(file))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_each_example_is_changed_in_its_own_way(file: Path) -> None:
    content = file.read_bytes()
    try:
        found = read(content, str(file))
    except BadInput as error:
        assert "schedlab" in str(error), "it is no scenario"
        return
    if found.is_foreign:
        return
    row = next(iter(form(found)["rows"]))
    field = "period" if row["fields"]["wcet"]["fixed"] else "wcet"
    ns = row["fields"][field]["ns"]
    changes = [(row["fields"][field]["path"], f"{2 * ns} ns")]
    changed = edited(found.text, file.name, changes)
    assert changed.notice == ""
    stated = {} if field == "wcet" else {row["fields"]["deadline"]["path"]: row["fields"]["deadline"]["text"]}
    kept = [(path, text) for path, text in stated.items() if text]
    assert changed.scenario == found.scenario.replace(settings=[*changes, *kept])
    comments = [line for line in found.text.splitlines() if line.startswith("#")]
    assert [line for line in changed.text.splitlines() if line.startswith("#")] == comments


NONSENSE = some.one_of(
    some.sampled_from(["", "0", "0 ms", "-1 ms", "1e400", "1e-400 ms", "nan", "inf", "9" * 400, "1 ms" * 50, "true",
                       "[]", "{}", '"', "'''", "\x00", "1 year", "366 days", "[1, 2]", '"""', "\n", "# x"]),
    some.text(max_size=30),
    some.integers().map(str),
    some.floats().map(str),
)  # fmt: skip

PATHS = some.one_of(
    some.sampled_from(["task.camera.wcet", "task.camera.period", "task.camera.deadline", "task.camera.offset",
                       "task.camera.name", "task.arm.copies", "task.arm.priority", "platform.processors", "scheduler",
                       "protocol", "deadlines", "horizon", "task", "task.camera", "platform", "", ".", "task..x"]),
    some.text(max_size=20),
)  # fmt: skip


@given(changes=some.lists(some.tuples(PATHS, some.none() | NONSENSE), min_size=1, max_size=3))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nonsense_is_refused_or_means_what_set_means(changes: list[tuple[str, str | None]]) -> None:
    try:
        found = edited(TEXT, "robot.toml", changes)
    except BadInput as error:
        assert str(error)
        return
    assert Scenario.parse(found.text) == found.scenario
    assert 0 < len(found.scenario.tasks) <= MOST_TASKS
    if all(value is not None for _, value in changes):
        given = [(path, stated(path, value)) for path, value in changes if value is not None]
        assert found.scenario == Scenario.parse(TEXT).replace(settings=given)


@given(
    changes=some.lists(some.tuples(PATHS, some.none() | NONSENSE), max_size=2), ask=some.sampled_from(["edit", "proof"])
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_worker_answers_everything(changes: list[tuple[str, str | None]], ask: str) -> None:
    question = {"ask": ask, "text": TEXT, "file": "robot.toml", "changes": changes, "id": "x", "task": "camera"}
    found = json.loads(answered(question))
    assert found["error"] if "error" in found else found.keys() >= ({"rows"} if ask == "edit" else {"verdict", "ms"})
    assert "robot.toml:" not in found.get("error", "")


def test_what_the_file_states_stays() -> None:
    """A deadline that is stated, and equals the period, is no default that follows the period."""
    stated = edited(TEXT, "x", [("task.camera.deadline", "33 ms"), ("horizon", "1 s")]).text
    found = edited(stated, "x", [("task.camera.period", "50 ms")])
    assert found.notice == "" and 'deadline = "33 ms"' in found.text
    assert found.scenario.tasks["relative_deadline_ns"][0] == 33_000_000
    assert edited(TEXT, "x", [("task.camera.period", "50 ms")]).scenario.tasks["relative_deadline_ns"][0] == 50_000_000


def test_rows_are_tables_of_the_file() -> None:
    found = opened(TEXT, "x")
    shown = form(found)
    assert [row["name"] for row in shown["rows"]] == ["camera", "arm"]
    assert shown["rows"][0]["fields"]["wcet"]["text"] == "12 ms"
    assert shown["rows"][0]["fields"]["deadline"] | {"text": ""} == shown["rows"][0]["fields"]["deadline"]
