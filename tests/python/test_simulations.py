"""`simulate --jsonl`: many task sets on all processors, in the order of lines, whatever the number of threads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import schedlab
from conftest import Run, dhall, easy, in_a_process
from schedlab.errors import BadInput
from schedlab.outputs.tables import SimulatedLine
from schedlab.schemas import names

Runs = Callable[..., Run]
MS = 1_000_000


def rows(count: int, **more: Any) -> str:
    """Task sets of which some miss deadlines."""
    given = [
        {"id": f"s{at}", "m": 2, "tasks": [[(1 + at % 9) * MS, 10 * MS], [2 * MS, 10 * MS], [10 * MS, 11 * MS]], **more}
        for at in range(count)
    ]
    return "".join(json.dumps(one) + "\n" for one in given)


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    path = tmp_path / "sets.jsonl"
    path.write_text(rows(40), encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ["jsonl", "arrow", "parquet"])
def test_the_bytes_do_not_depend_on_the_threads(run: Runs, sets: Path, tmp_path: Path, ending: str) -> None:
    made = []
    for threads in (1, 2, 5):
        out = tmp_path / f"{threads}.{ending}"
        assert run("simulate", sets, "--jsonl", "--threads", threads, "-o", out).status == 0
        made.append(out.read_bytes())
    assert made[0] == made[1] == made[2] and made[0]


def test_every_format_holds_the_same_rows(run: Runs, sets: Path, tmp_path: Path) -> None:
    for ending in ("jsonl", "arrow", "parquet"):
        found = run("simulate", sets, "--jsonl", "--scheduler", "G-EDF,P-EDF", "-o", tmp_path / f"rows.{ending}")
        assert found.out == f"80 simulations in {tmp_path}/rows.{ending}\n"
    printed = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    with pa.OSFile(str(tmp_path / "rows.arrow")) as stream:
        arrow = pa.ipc.open_file(stream).read_all()
    assert arrow.to_pylist() == pq.read_table(tmp_path / "rows.parquet").to_pylist() == printed
    assert arrow.column_names == list(get_type_hints(SimulatedLine)) == list(printed[0])
    assert run("simulate", sets, "--jsonl", "--scheduler", "G-EDF,P-EDF").out == (tmp_path / "rows.jsonl").read_text()
    assert [(row["line"], row["id"], row["scheduler"]) for row in printed[:3]] == [
        (1, "s0", "G-EDF"), (1, "s0", "P-EDF"), (2, "s1", "G-EDF"),
    ]  # fmt: skip


def test_a_row_says_what_a_simulation_of_its_own_says() -> None:
    for scenario in (dhall(), easy()):
        [row] = schedlab.simulate_many([scenario])
        metrics, checked = schedlab.measure(scenario)
        whole = metrics.to_dict()
        assert not isinstance(row, BadInput)
        for name in ("scheduler", "horizon_ns", "jobs", "misses", "preemptions", "migrations", "max_tardiness_ns"):
            assert row[name] == whole[name], name  # type: ignore[literal-required]
        for name in ("overhead_ns", "wasted_ns", "load"):
            assert row[name] == whole[name], name  # type: ignore[literal-required]
        assert row["max_response_times_ns"] == metrics.tasks["max_response_time_ns"]
        assert row["violated"] == [one.name for one in checked if not one.holds] and row["deadlocks"] == 0


def test_what_a_scheduler_cannot_have_is_a_row_with_its_reason(run: Runs, tmp_path: Path) -> None:
    path = tmp_path / "sets.jsonl"
    path.write_text(json.dumps({"m": 2, "tasks": [[6_000_000, 10_000_000]] * 3}) + "\n")
    placed = json.loads(run("simulate", path, "--jsonl", "--scheduler", "P-EDF").out)
    assert placed["overflowed"] and placed["misses"] > 0 and placed["error"] is None
    refused = ("--scheduler", "P-EDF", "--placement", "refuse")
    found = run("simulate", path, "--jsonl", *refused)
    row = json.loads(found.out)
    assert (found.status, row["jobs"], row["max_response_times_ns"]) == (0, None, [])
    assert "fit" in row["error"]
    assert run("simulate", path, "--jsonl", *refused, "--strict").status == 5
    out = tmp_path / "rows.arrow"
    assert run("simulate", path, "--jsonl", *refused, "-o", out).status == 0


def test_bad_lines_are_told_by_their_numbers_and_the_others_go_on(run: Runs, tmp_path: Path) -> None:
    lines = rows(30).splitlines()
    lines[3] = "{"
    lines[9] = '{"m": 0, "tasks": [[1, 10]]}'
    lines[20] = '{"m": 1, "tasks": [[1, 10]], "schedulr": "G-EDF"}'
    # The reader takes it, and the scheduler asks for priorities.
    lines[25] = '{"m": 1, "tasks": [[1, 10]], "scheduler": "G-FP"}'
    path, out = tmp_path / "sets.jsonl", tmp_path / "rows.jsonl"
    path.write_text("\n".join([*lines[:5], "", *lines[5:]]) + "\n")
    found = run("simulate", path, "--jsonl", "-o", out)
    assert found.status == 2
    told = found.err.splitlines()
    assert told[0].startswith(f"schedlab: {path}:4: not JSON")
    assert told[1].startswith(f"schedlab: {path}:11: m: expected")
    assert told[2].startswith(f"schedlab: {path}:22: schedulr: unknown field; did you mean scheduler?")
    assert told[3].startswith(f"schedlab: {path}:27: ") and "priorit" in told[3]
    assert told[4] == "schedlab: 4 bad lines; the others were simulated" and len(told) == 5
    assert [json.loads(line)["line"] for line in out.read_text().splitlines()] == [
        number for number in range(1, 32) if number not in (4, 6, 11, 22, 27)
    ]


@pytest.mark.parametrize("ending", ["jsonl", "arrow", "parquet"])
def test_a_line_that_is_no_text_is_a_bad_line(run: Runs, tmp_path: Path, ending: str) -> None:
    path, out = tmp_path / "sets.jsonl", tmp_path / f"rows.{ending}"
    good, half = rows(1).encode(), b'"\\ud800"'
    lines = [good, b"{\xff}\n", b'{"id": %s, "tasks": [[1, 10]]}\n' % half]
    lines += [b'{"scheduler": %s, "tasks": [[1, 10]]}\n' % half, b'{"id":\r"\\ud83d\\ude00", "tasks": [[1, 10]]}\r\n']
    path.write_bytes(b"".join(lines) + good)
    found = run("simulate", path, "--jsonl", "--horizon", "1 us", "-o", out)
    assert found.status == 2
    assert found.err.splitlines() == [
        f"schedlab: {path}:2: not UTF-8 in column 2",
        f"schedlab: {path}:3: \\ud800: half of a pair; allowed: both halves",
        f"schedlab: {path}:4: \\ud800: half of a pair; allowed: both halves",
        "schedlab: 3 bad lines; the others were simulated",
    ]
    if ending == "jsonl":
        assert [json.loads(line)["line"] for line in out.read_text().splitlines()] == [1, 5, 6]


def test_ids_come_back_with_their_values_or_are_refused(run: Runs, tmp_path: Path) -> None:
    path = tmp_path / "sets.jsonl"
    kept = ["1e+308", "5e-324", "0", "-0.0", "0.0", "18446744073709551616", "1.0", "[1.5]", '{"a":null}']
    line = '{"id": %s, "m": 2, "tasks": [[1, 10]]}\n'
    path.write_text("".join(line % one for one in kept))
    found = [json.loads(one)["id"] for one in run("simulate", path, "--jsonl", "--horizon", "1 us").out.splitlines()]
    assert [json.loads(one) for one in found] == [json.loads(one) for one in kept]
    said = "is no number that a float holds; allowed: 0, from 5e-324 to 1.7e308"
    for written, place in (("1e400", "id"), ("-1E400", "id"), ("1e-400", "id"), ('{"a": [0, 1e999]}', "id.a[1]")):
        path.write_text(rows(1) + line % written)
        number = written if place == "id" else "1e999"
        told = f"schedlab: {path}:2: {place}: {number} {said}"
        for command in (["simulate", "--horizon", "1 us"], ["analyze"]):
            refused = run(*command, path, "--jsonl")
            assert refused.status == 2 and refused.err.splitlines()[0] == told, refused.err
            assert len(refused.out.splitlines()) == 1
    path.write_text('{"m": 2, "tasks": [[1, 10], {"wcet_ns": 1, "period_ns": 10, "utility": 1e400}]}\n')
    assert run("simulate", path, "--jsonl").err.splitlines()[0] == f"schedlab: {path}:1: tasks[1].utility: 1e400 {said}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--protocol", "pipp"], 'schedlab: protocol: there is no locking protocol "pipp"'),
        (["--horizon", "5 parsecs"], 'schedlab: horizon: "5 parsecs" has a unit that is not one of time'),
        (["--overheads", "nix"], 'schedlab: overheads: there is no set of overheads "nix"'),
        (["--scheme", "events=locked"], 'schedlab: schemes.events: there is no object "events"'),
        (["--processors", "2", "--cluster-size", "3"], "schedlab: platform.cluster_size: 3 is zero or more than"),
        (["--cluster-size", "5000"], "schedlab: platform.cluster_size: 5000 is zero or more than there are processors"),
        (["--processors", "5000"], "schedlab: platform.processors: 5000 is zero or too large"),
        (["--copies", "100001"], "schedlab: copies: 100001 is no number of copies; allowed: from 1 to 100000"),
        (["--scheme", "events"], "schedlab: --scheme: 'events' is not OBJECT=SCHEME"),
    ],
)
def test_what_no_line_can_use_is_told_once(run: Runs, sets: Path, options: list[str], message: str) -> None:
    found = run("simulate", sets, "--jsonl", *options)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(message) and found.err.count("\n") == 1, found.err
    analysed = run("analyze", sets, "--jsonl", *options)
    assert analysed.status == 2 and analysed.out == "" and analysed.err.count("\n") == 1, analysed.err


def test_nothing_is_said_of_others_where_there_are_none(run: Runs, tmp_path: Path) -> None:
    path = tmp_path / "sets.jsonl"
    path.write_text("{\n[]\n")
    assert run("simulate", path, "--jsonl").err.splitlines()[-1] == "schedlab: 2 bad lines"


def test_the_lines_are_not_overwritten(run: Runs, sets: Path) -> None:
    found = run("simulate", sets, "--jsonl", "-o", sets)
    assert found.status == 2 and "allowed: another file" in found.err and sets.read_text() == rows(40)


@pytest.mark.parametrize("ending", ["jsonl", "arrow", "parquet"])
def test_an_empty_file_gives_no_rows(run: Runs, tmp_path: Path, ending: str) -> None:
    path, out = tmp_path / "sets.jsonl", tmp_path / f"rows.{ending}"
    path.write_text("\n")
    assert run("simulate", path, "--jsonl", "-o", out).status == 0
    if ending == "parquet":
        assert pq.read_table(out).num_rows == 0 and "misses" in pq.read_table(out).column_names
    assert run("simulate", path, "--jsonl").out == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "rows.csv"], "rows.csv: a file of rows does not end like this; allowed: .arrow, .parquet, .jsonl"),
        (["--trace", "a.slt", "--json"], "--trace, --json: of one scenario"),
        (["--scheduler", "G-EDG"], "G-EDG"),
    ],
)
def test_options_that_do_not_go_with_lines(run: Runs, sets: Path, options: list[str], message: str) -> None:
    found = run("simulate", sets, "--jsonl", *options)
    assert found.status == 2 and message in found.err and found.err.count("\n") == 1 and not found.out


def test_one_simulation_runs_on_one_processor(run: Runs, sets: Path) -> None:
    found = run("simulate", sets, "--threads", 2)
    assert found.status == 2 and "--threads goes with --jsonl: one simulation runs on one processor" in found.err
    with pytest.raises(BadInput, match="threads: -1"):
        schedlab.simulate_many([easy()], threads=-1)


def test_every_scheduler_can_be_named(run: Runs, tmp_path: Path) -> None:
    """The check of names before any line refuses none that a line could use."""
    path = tmp_path / "sets.jsonl"
    path.write_text("")
    assert run("simulate", path, "--jsonl", "--scheduler", ",".join(names()["schedulers"])).status == 0


def test_strict_and_settings_are_those_of_one_scenario(run: Runs, sets: Path) -> None:
    plain = run("simulate", sets, "--jsonl", "--horizon", "100 ms")
    assert plain.status == 0 and json.loads(plain.out.splitlines()[0])["horizon_ns"] == 100 * MS
    assert any(json.loads(line)["misses"] for line in plain.out.splitlines())
    assert run("simulate", sets, "--jsonl", "--strict").status == 1


def test_a_policy_in_python_that_raises_ends_the_batch() -> None:
    class Broken(schedlab.Policy):
        name = "BROKEN"

        def decide(self, now: int, jobs: Any, out: Any) -> None:
            raise RuntimeError("as asked")

    scenario = easy()
    with pytest.raises(RuntimeError, match="as asked"):
        schedlab.simulate_many([scenario, scenario.under(Broken), scenario])


def test_progress_is_told() -> None:
    seen: list[int] = []
    schedlab.simulate_many([easy()] * 50, threads=2, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 50


@pytest.mark.parametrize("ending", [None, "parquet"])
def test_ctrl_c_leaves_whole_lines_or_no_file(tmp_path: Path, ending: str | None) -> None:
    """The first line is soon done; the others take minutes."""
    path, out = tmp_path / "sets.jsonl", tmp_path / f"rows.{ending}"
    text = rows(30)
    path.write_text(text)
    options = [] if ending is None else ["-o", str(out)]
    with in_a_process("simulate", path, "--jsonl", "--horizon", "4000 s", *options) as process:
        time.sleep(2.0)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        printed, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert time.monotonic() - begun < 10
    assert "interrupted" in told
    assert all(json.loads(line)["jobs"] for line in printed.splitlines()) and len(printed.splitlines()) < 30
    assert [file.name for file in tmp_path.iterdir()] == ["sets.jsonl"]


def test_lines_come_from_standard_input(sets: Path) -> None:
    with in_a_process("simulate", "-", "--jsonl", stdin=subprocess.PIPE) as process:
        printed, _ = process.communicate(sets.read_text(), timeout=60)
    assert process.returncode == 0 and len(printed.splitlines()) == 40


@pytest.mark.parametrize("command", ["simulate", "analyze"])
def test_a_sender_may_wait_for_a_row_before_the_next_line(command: str) -> None:
    """Of several schedulers, too; a line may come in pieces, after an empty one, and the last one without an end."""
    options = [command, "-", "--jsonl", "--scheduler", "G-EDF,P-EDF"]
    with in_a_process(*options, stdin=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": ""}) as process:
        assert process.stdin is not None and process.stdout is not None
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        for line in rows(6).splitlines():
            for piece in ("\n" + line[:20], line[20:] + "\n"):
                process.stdin.write(piece)
                process.stdin.flush()
            told = [json.loads(process.stdout.readline()) for _ in range(2)]
            assert [(row["id"], row["scheduler"]) for row in told] == [
                (json.loads(line)["id"], "G-EDF"), (json.loads(line)["id"], "P-EDF"),
            ]  # fmt: skip
        printed, _ = process.communicate(rows(1, id="last").strip(), timeout=60)
        watchdog.cancel()
    assert [json.loads(line)["id"] for line in printed.splitlines()] == ["last"] * 2 and process.returncode == 0


def test_a_job_preempted_before_it_executed_has_nothing_to_load_again() -> None:
    """J spins when H preempts it. Later it suspends itself, and goes on where it was: no cache is cold then."""
    scenario = schedlab.Scenario.parse(
        """
        schedlab = 1
        scheduler = "P-FP"
        protocol = "spin-fifo-preemptable"
        horizon = "20 ms"
        platform = { processors = 2 }
        overheads.all.cache_related_preemption = "100 us"
        resource = [{ name = "R" }]

        [[task]]
        name = "H"
        wcet = "1 ms"
        period = "20 ms"
        offset = "1 ms"
        priority = 0
        processor = 0

        [[task]]
        name = "J"
        period = "20 ms"
        offset = "500 us"
        priority = 1
        processor = 0
        program = ["request R", "execute 1 ms", "release R", "suspend 1 ms", "execute 1 ms"]

        [[task]]
        name = "K"
        period = "20 ms"
        priority = 2
        processor = 1
        program = ["request R", "execute 3 ms", "release R"]
        """
    )
    # Spinning until 3 ms, two parts of 1 ms, and a suspension of 1 ms between them.
    assert schedlab.simulate(scenario).metrics().tasks[1]["max_response_time_ns"] == 5_500_000


def test_what_one_cluster_promises_is_not_asked_of_another() -> None:
    """Of two equal priorities the run queue decides. A cluster without them promises more."""
    scenario = schedlab.Scenario.parse(
        """
        schedlab = 1
        scheduler = "P-SCHED_FIFO"
        horizon = "20 ms"
        platform = { processors = 2 }
        task = [
            { name = "a", wcet = "2 ms", period = "10 ms", offset = "1 ms", priority = 0, processor = 1 },
            { name = "b", wcet = "2 ms", period = "10 ms", priority = 0, processor = 1 },
        ]
        """
    )
    checked = {found.name: found.holds for found in schedlab.simulate(scenario).check()}
    assert all(checked.values()) and "work_conserving" in checked and "respects_priority" not in checked
