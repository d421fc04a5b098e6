"""Batches: Arrow tables without copies, the same on any number of threads, progress, and an end by the user."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from scaffolded import let_be_installed
from schedlab import _native
from schedlab.cli.main import main
from schedlab.core import plugins
from schedlab.core.analysis import analyze, analyze_many
from schedlab.core.policy import Policy
from schedlab.errors import BadInput
from schedlab.scenario import Scenario
from schedlab.studies.batch import Batch, judge_sets

PARTS: dict[str, Any] = {
    "utilizations": "uniform 0.1 0.5",
    "periods": "uniform 10ms 100ms",
    "deadlines": "implicit",
    "stop": "trim 3.8",
    "seed": 3,
    "processors": 4,
}
QUESTIONS = ["P-EDF hard", "G-EDF hard gfb", "P-EDF hard qpa worst_fit_decreasing"]


def test_tables_do_not_depend_on_threads():
    batch = Batch(**PARTS, sets=range(10, 400), questions=QUESTIONS)
    one = judge_sets(batch).table
    for threads in (0, 2, 3):
        assert judge_sets(replace(batch, threads=threads)).table.equals(one)
    assert one.column_names == ["set", "tasks", "utilization", *QUESTIONS]
    assert one.column("set").to_pylist() == list(range(10, 400))
    assert pa.types.is_boolean(one.schema.field(3).type)
    assert len(set(one.column(3).to_pylist())) == 2, "the sets tell something apart"


def test_columns_are_not_copied():
    """The table lives on after the native module's object is gone, and two tables of it share their memory."""
    from schedlab import _native

    found = _native.judge_sets(Batch(**PARTS, sets=range(50), questions=QUESTIONS).told())
    one, other = pa.table(found), pa.table(found)
    del found
    for left, right in zip(one.columns, other.columns, strict=True):
        assert [b and b.address for b in left.chunk(0).buffers()] == [b and b.address for b in right.chunk(0).buffers()]
    assert one.num_rows == 50


def test_sets_with_resources():
    accesses, questions = "shared 5 1 4 10us", ["G-EDF fmlp-short hard", "G-EDF fmlp-short soft"]
    batch = Batch(**PARTS, sets=range(60), questions=[*questions, "G-EDF soft"], accesses=accesses)
    answers = judge_sets(replace(batch, threads=2))
    assert answers.table.equals(judge_sets(batch).table)
    assert answers.table.column(3).null_count > answers.table.column(4).null_count
    assert answers.proved[1] == [bound is not None for bound in answers.tardiness[1]]
    assert answers.tardiness[2] == [None] * 60, "a question without a protocol gives no bounds"
    assert all(free or not shared for free, shared in zip(answers.proved[2], answers.proved[1], strict=True))


def test_each_question_goes_to_the_package_that_knows_it(monkeypatch: pytest.MonkeyPatch):
    """Two installed tests, `a` and `b`, each of which answers as `qpa` does."""
    asked: list[list[str]] = []

    def package(name: str) -> ModuleType:
        module = ModuleType(name)

        def judge(told: dict[str, Any]) -> Any:
            asked.append(told["questions"])
            return _native.judge_sets({**told, "questions": ["P-EDF hard qpa" for _ in told["questions"]]})

        about = {"name": name, "description": "", "interface": plugins.INTERFACE}
        vars(module).update(judge_sets=judge, describe=lambda: about)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    for name in "ab":
        package(name)
    let_be_installed(monkeypatch, "test", a="a", b="b")
    seen: list[int] = []
    questions = ["P-EDF hard a", "P-EDF hard qpa", "P-EDF hard b", "P-EDF hard qpa", "G-EDF hard a"]
    batch = Batch(**PARTS, sets=range(20, 60), questions=questions, progress=seen.append)
    found = judge_sets(batch)
    assert asked == [["P-EDF hard a", "G-EDF hard a"], ["P-EDF hard b"]]
    assert found.table.column_names == ["set", "tasks", "utilization", *questions]
    plain = judge_sets(Batch(**PARTS, sets=range(20, 60), questions=["P-EDF hard qpa"]))
    assert found.tasks == plain.tasks and found.proved == plain.proved * 5
    assert seen == sorted(seen) and seen[-1] == 40
    with pytest.raises(BadInput, match="a and b are installed by themselves"):
        judge_sets(replace(batch, questions=["P-EDF hard a b"]))


def test_progress_is_told_and_may_end_a_batch():
    seen: list[int] = []
    judge_sets(Batch(**PARTS, sets=range(60), questions=QUESTIONS, progress=seen.append))
    assert seen[-1] == 60
    assert seen == sorted(seen)

    def enough(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_sets(Batch(**PARTS, sets=range(100_000_000), questions=["G-EDF hard gfb"], progress=enough))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sets": range(0, 9, 2)}, "step 1"),
        ({"threads": -1}, "0 \\(one for each processor\\)"),
        ({"questions": [Policy]}, "a batch only asks what is proved"),
    ],
)
def test_bad_batches_are_bad_input(change: dict[str, Any], message: str):
    with pytest.raises(BadInput, match=message):
        Batch(**{**PARTS, "sets": range(9), "questions": QUESTIONS, **change})


def test_many_analyses_are_each_alone():
    def scenario(cost: int, scheduler: str) -> Scenario:
        rows = [{"wcet_ns": cost, "period_ns": 4000}, {"wcet_ns": 2000, "period_ns": 5000}]
        return Scenario.from_tasks(rows, processors=1, scheduler=scheduler)

    asked = [scenario(cost, name) for cost in (1000, 2400, 3000, 3900) for name in ("P-EDF", "P-RM", "G-EDF")]
    together = analyze_many(asked, threads=2)
    assert together == [analyze(one)[0] for one in asked]


def test_lines_keep_their_order_and_errors_their_numbers(capsys: pytest.CaptureFixture[str], tmp_path: Any):
    path = tmp_path / "sets.jsonl"
    rows = [{"id": number, "m": 1, "tasks": [[1000 + number, 4000], [2000, 5000]]} for number in range(40)]
    rows[30]["m"] = 0
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["analyze", str(path), "--jsonl", "--scheduler", "P-EDF,P-RM"]) == 2
    printed = capsys.readouterr()
    records = [json.loads(line) for line in printed.out.splitlines()]
    expected = [(number, name) for number in range(30) for name in ("P-EDF", "P-RM")]
    assert [(record["id"], record["scheduler"]) for record in records] == expected
    assert "sets.jsonl:31: m: expected" in printed.err
