"""The study runner: same bytes for any number of workers, and after kill -9 and resume."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from schedlab.store.parts import make_parts
from schedlab.studies import (
    Point,
    Study,
    StudyError,
    Unit,
    find_study,
    grid,
    load_study,
    read_results,
    run_study,
)
from schedlab.studies.batches import ENOUGH, Batches
from schedlab.studies.claims import judge, listed
from schedlab.studies.executor import Executor, LocalExecutor, SerialExecutor, local_executor
from schedlab.studies.seeds import derive_seed
from schedlab.studies.status import study_status
from schedlab.studies.worker import Work

TOY = '''
"""How often a random walk ends above a bound: slow enough to be killed, trivial enough to check."""
import os, random, time
from pathlib import Path
from schedlab.studies import Study, grid, judge
from . import _walk

def evaluate(unit):
    if os.environ.get("TOY_LOG"):
        with open(os.environ["TOY_LOG"], "a") as log:
            log.write(f"{unit}\\n")
    time.sleep(float(os.environ.get("TOY_DELAY", "0")))
    ends = [_walk.end(random.Random(unit.set_seed(i)), unit.parameters["steps"]) for i in unit.sets]
    return {"end": ends, "above": [end > unit.parameters["bound"] for end in ends]}

def plot(results, directory):
    path = directory / "toy.txt"
    path.write_text(str(results.table.num_rows))
    return [path]

def claims(results):
    return [judge("all walks end", True, f"{results.table.num_rows} walks")]

study = Study(name="toy", title="A toy", points=grid(steps=[5, 50], bound=[0.0, 2.5]),
              evaluate=evaluate, plot=plot, claims=claims, sets=40, sets_per_unit=7)
'''
WALK = "def end(random, steps):\n    return sum(random.choice((-1, 1)) for _ in range(steps))\n"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    folder = tmp_path / "a-paper"
    folder.mkdir()
    (folder / "_walk.py").write_text(WALK)
    (folder / "toy.py").write_text(TOY)
    return folder / "toy.py"


def run_in_process(toy: Path, out: Path, workers: int = 1, **options: object) -> bytes:
    report = run_study(load_study(toy), toy, out, executor=local_executor(workers), **options)  # type: ignore[arg-type]
    return report.results.read_bytes()


def command_line(toy: Path, out: Path, *options: str) -> list[str]:
    arguments = ["study", "run", str(toy), "--out", str(out), "--no-plot", *options]
    program = f"import sys; from schedlab.cli.main import main; sys.exit(main({arguments!r}))"
    return [sys.executable, "-c", program]


def test_one_and_two_workers_give_the_same_bytes(toy: Path, tmp_path: Path) -> None:
    one = run_in_process(toy, tmp_path / "one", workers=1)
    two = run_in_process(toy, tmp_path / "two", workers=2)
    assert one == two
    assert read_results(tmp_path / "one").table.num_rows == 4 * 40


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.soak), "2"])
def test_a_run_that_was_killed_twice_gives_the_same_bytes(toy: Path, tmp_path: Path, workers: str) -> None:
    whole = run_in_process(toy, tmp_path / "whole")
    out, log = tmp_path / "killed", tmp_path / "log"
    environment = {**os.environ, "TOY_DELAY": "0.3", "TOY_LOG": str(log)}
    for parts_before_kill in (2, 5):
        process = subprocess.Popen(command_line(toy, out, "--workers", workers), env=environment)
        wait_for_parts(out, parts_before_kill, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not (out / "toy" / "results.parquet").exists()
    stored = study_status(load_study(toy), toy, out / "toy").stored
    assert 5 <= stored < 24

    before = log.read_text().count("\n")
    environment["TOY_DELAY"] = "0"
    subprocess.run(command_line(toy, out, "--workers", workers), env=environment, check=True)
    assert (out / "toy" / "results.parquet").read_bytes() == whole
    # Nothing that was stored is evaluated again; a worker of the killed run may have logged one unit late.
    assert log.read_text().count("\n") - before <= 24 - stored + 2


def test_a_part_is_about_a_second_whatever_the_pace() -> None:
    seconds = {unit.name: 0.002 if unit.point.key == "x=1" else 0.5 for unit in LONG.units(3000, 1)}
    todo, parts = Batches(iter(LONG.units(3000, 1))), []
    while batch := todo.next():
        # As a worker does: it begins no unit after a second.
        done = [(unit.name, pa.table({"y": [0]}), seconds[unit.name]) for unit in batch]
        ends = itertools.accumulate(took for _, _, took in done)
        made = make_parts(done[: 1 + sum(end < ENOUGH for end in ends)])
        todo.finished(batch, made)
        parts += [sum(piece.seconds for piece in part.pieces) for part in made]
    assert max(parts) < ENOUGH + 0.5
    # But for the first ones, of which the pace is unknown, where it rises, and the last.
    assert sum(part < ENOUGH for part in parts) <= 8 and len(parts) > 1000


#: A point of cheap units, then one of dear ones.
LONG = Study("long", "Long", grid(x=[1, 2]), lambda unit: {}, sets_per_unit=1)


def test_a_worker_stops_after_a_second(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    units = load_study(toy).units(40, 1)
    assert len(Work(toy)(units)[0].pieces) == len(units)
    monkeypatch.setattr("schedlab.studies.worker.ENOUGH", 0.0)
    assert [piece.name for part in Work(toy)(units) for piece in part.pieces] == [units[0].name]


def wait_for_parts(out: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + 60
    while len(list(out.rglob("parts/*/*/*.parquet"))) < count:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < give_up, "no parts were stored within a minute"
        time.sleep(0.01)


def test_control_c_stops_and_says_how_to_resume(toy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    environment = {**os.environ, "TOY_DELAY": "0.1"}
    process = subprocess.Popen(
        command_line(toy, out, "--workers", "2"), env=environment, stderr=subprocess.PIPE, text=True
    )
    wait_for_parts(out, 3, process)  # type: ignore[arg-type]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "sets stored; the same command resumes there" in errors
    assert "Traceback" not in errors
    assert not list(out.rglob("*.part"))


def test_more_sets_reuse_what_fewer_sets_stored(toy: Path, tmp_path: Path) -> None:
    run_in_process(toy, tmp_path / "grown", sets=14)
    report = run_study(load_study(toy), toy, tmp_path / "grown", sets=40)
    assert report.reused == 8
    assert report.results.read_bytes() == run_in_process(toy, tmp_path / "at-once", sets=40)


def test_what_one_of_a_family_stored_the_others_find(toy: Path, tmp_path: Path) -> None:
    (toy.parent / "_all.py").write_text(
        "from schedlab.studies import Study, grid\n"
        "def evaluate(unit):\n    return {'y': [unit.set_seed(at) % 7 for at in unit.sets]}\n"
        "def figure(name):\n"
        "    return Study(name, name, grid(x=[1, 2]), evaluate, sets=4, sets_per_unit=2, family='all')\n"
    )
    reused = []
    for name in ("left", "right"):
        path = toy.parent / f"{name}.py"
        path.write_text(f"from ._all import figure\nstudy = figure('{name}')\n")
        report = run_study(load_study(path), path, tmp_path / name)
        reused.append(report.reused)
    assert reused == [0, 4] and (tmp_path / "all" / "parts").is_dir() and not (tmp_path / "left" / "parts").exists()
    left, right = (read_results(tmp_path / name).table for name in ("left", "right"))
    assert left.equals(right)
    own = toy.parent / "own.py"
    own.write_text("from ._all import *\nstudy = Study('own', 'own', grid(x=[1]), lambda unit: {}, family='all')\n")
    with pytest.raises(StudyError, match="its function must be that of a helper"):
        load_study(own)


def test_another_seed_or_other_code_reuses_nothing(toy: Path, tmp_path: Path) -> None:
    first = run_in_process(toy, tmp_path / "out")
    report = run_study(load_study(toy), toy, tmp_path / "out", seed=2)
    assert report.reused == 0
    assert report.results.read_bytes() != first
    (toy.parent / "_walk.py").write_text(WALK + "# another helper, perhaps another result\n")
    assert run_study(load_study(toy), toy, tmp_path / "out", seed=2).reused == 0


def test_a_damaged_part_is_evaluated_again(toy: Path, tmp_path: Path) -> None:
    whole = run_study(load_study(toy), toy, tmp_path, executor=OneByOne()).results.read_bytes()
    part = min(tmp_path.rglob("parts/*/*/*.parquet"))
    part.write_bytes(part.read_bytes()[:50])
    report = run_study(load_study(toy), toy, tmp_path)
    assert report.reused == report.units - 1
    assert report.results.read_bytes() == whole
    content = bytearray(part.read_bytes())
    content[4:40] = bytes(36)
    part.write_bytes(content)
    with pytest.raises(StudyError, match=rf"{part}: cannot be read .*; delete it and run again"):
        run_study(load_study(toy), toy, tmp_path)


def test_provenance_names_what_the_numbers_depend_on(toy: Path, tmp_path: Path) -> None:
    run_in_process(toy, tmp_path, seed=7, sets=3)
    provenance = read_results(tmp_path).provenance
    assert provenance["study"] == "toy"
    assert provenance["seed"] == 7
    assert provenance["sets"] == 3
    assert len(provenance["code"]) == 64
    assert provenance["points"][1] == {"steps": 5, "bound": 2.5}
    assert set(provenance["machine"]) == {"architecture", "processors"}
    assert str(tmp_path) not in str(provenance)


def test_a_second_run_in_the_same_folder_is_refused(toy: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "TOY_DELAY": "1"}
    first = subprocess.Popen(command_line(toy, tmp_path, "--workers", "1"), env=environment)
    wait_for_parts(tmp_path, 1, first)
    second = subprocess.run(command_line(toy, tmp_path), capture_output=True, text=True, check=False)
    first.kill()
    first.wait()
    assert second.returncode == 2
    assert f"another run of this study is under way (process {first.pid})" in second.stderr


class OneByOne:
    """A part for each unit."""

    def run(self, work, units):  # type: ignore[no-untyped-def]
        for unit in units:
            yield from work([unit])


class ShuffledExecutor:
    """Any executor may finish units in any order: here the last comes first."""

    def run(self, work, units):  # type: ignore[no-untyped-def]
        yield from SerialExecutor().run(work, reversed(list(units)))


def test_a_new_executor_needs_one_method_and_changes_no_byte(toy: Path, tmp_path: Path) -> None:
    report = run_study(load_study(toy), toy, tmp_path / "shuffled", executor=ShuffledExecutor())
    assert report.results.read_bytes() == run_in_process(toy, tmp_path / "serial")


def test_progress_counts_sets(toy: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    asked = {"sets": 10, "executor": OneByOne()}
    run_study(load_study(toy), toy, tmp_path, on_progress=lambda done, total: told.append((done, total)), **asked)  # type: ignore[arg-type]
    assert {total for _, total in told} == {40}
    done = [done for done, _ in told]
    # Each of the four points has a unit of seven sets and one of three. They are evaluated in a random order.
    assert done[0] == 0 and done[-1] == 40 and sorted(b - a for a, b in pairwise(done)) == [3] * 4 + [7] * 4


def test_seeds_are_pinned() -> None:
    # A change of these numbers changes every stored result: it must be deliberate.
    assert derive_seed("a", "bc") != derive_seed("ab", "c")
    assert derive_seed(1, "toy", "x=1") == PINNED_SEED
    point = Point({"x": 1})
    assert Unit(point, 0, 5, 9).set_seed(4) == Unit(point, 3, 9, 9).set_seed(4)


PINNED_SEED = 11006834861602614189


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "defines no value 'study'"),
        ("study = 3", "defines no value 'study'"),
        ("from schedlab.studies import *\nstudy = Study('s', 't', [], lambda unit: {})", "has no points"),
        (
            "from schedlab.studies import *\nstudy = Study('s', 't', grid(x=[1, 1]), lambda unit: {})",
            "has the point 'x=1' twice",
        ),
        (
            "from schedlab.studies import *\nstudy = Study('s', 't', grid(x=[1]), lambda unit: {}, sets=0)",
            "sets is 0, it must be at least 1",
        ),
    ],
)
def test_a_broken_study_file_is_bad_input(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    with pytest.raises(StudyError, match=message):
        load_study(path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [0, 0]}, "column 'x' has the name of a parameter"),
        ({"y": [0]}, "column 'y' has 1 rows, not 2"),
        ({"set": [0, 0], "y": [1, 2]}, "the rows' sets are not those of the unit"),
    ],
)
def test_rows_that_do_not_fit_the_unit_are_refused(tmp_path: Path, columns: dict[str, list[int]], message: str) -> None:
    path = tmp_path / "s.py"
    path.write_text(
        "from schedlab.studies import Study, grid\n"
        f"study = Study('s', 't', grid(x=[1]), lambda unit: {columns!r}, sets=2)"
    )
    with pytest.raises(StudyError, match=message):
        run_study(load_study(path), path, tmp_path / "out")


def test_a_worker_that_dies_is_reported_and_its_siblings_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.py"
    path.write_text(
        "import os\nfrom schedlab.studies import Study, grid\n"
        "def evaluate(unit):\n"
        "    if unit.parameters['x'] == 9: os._exit(7)\n"
        "    return {'y': [0] * len(unit.sets)}\n"
        "study = Study('s', 't', grid(x=list(range(10))), evaluate, sets=1)"
    )
    with pytest.raises(StudyError, match="a worker process died"):
        run_study(load_study(path), path, tmp_path / "out", executor=LocalExecutor(2))
    assert len(list(tmp_path.rglob("parts/*/*/*.parquet"))) >= 3


@pytest.mark.parametrize("executor", [SerialExecutor(), LocalExecutor(2)], ids=["serial", "processes"])
def test_an_exception_of_a_study_names_the_point_and_its_own_line(tmp_path: Path, executor: Executor) -> None:
    path = tmp_path / "s.py"
    path.write_text(
        "from schedlab.studies import Study, grid\n"
        "def evaluate(unit):\n"
        "    return {'y': [1 // (unit.parameters['x'] - 2)] * len(unit.sets)}\n"
        "study = Study('s', 't', grid(x=[1, 2]), evaluate, sets=1)"
    )
    with pytest.raises(StudyError) as raised:
        run_study(load_study(path), path, tmp_path / "out", executor=executor)
    said = str(raised.value).splitlines()
    assert said[0] == "study 's', x=2 sets 0..0: its code raised ZeroDivisionError"
    assert said[1:3] == ["Traceback (most recent call last):", f'  File "{path}", line 3, in evaluate']
    assert said[-1].startswith("ZeroDivisionError: ")


def test_a_set_may_have_many_rows(tmp_path: Path) -> None:
    path = tmp_path / "s.py"
    path.write_text(
        "from schedlab.studies import Study, grid\n"
        "evaluate = lambda unit: {'set': [0, 0, 1], 'y': [1, 2, None]}\n"
        "study = Study('s', 't', grid(x=['a/b', '..']), evaluate, sets=2)"
    )
    report = run_study(load_study(path), path, tmp_path / "out")
    table = read_results(tmp_path / "out").table
    assert report.rows == 6
    assert table.column("y").to_pylist() == [1, 2, None] * 2
    assert table.schema.field("set").type == pa.int64()
    assert not (tmp_path / "parts").exists(), "a parameter's value must not lead out of the folder"


def test_an_unknown_name_is_bad_input() -> None:
    with pytest.raises(StudyError, match=r'there is no study "nonsense"; allowed: .* in all\); or the path'):
        find_study("nonsense")


def test_results_count_what_is_true_and_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "s.py"
    path.write_text(
        "from schedlab.studies import Study, grid\n"
        "study = Study('s', 't', grid(x=[1, 2]), lambda unit: {'ok': [True, False, None]}, sets=3)"
    )
    run_study(load_study(path), path, tmp_path / "out")
    assert read_results(tmp_path / "out").counts("x", ["ok"]) == {1: {"ok": (1, 2)}, 2: {"ok": (1, 2)}}


def test_grid_varies_the_last_axis_fastest() -> None:
    assert [point.key for point in grid(a=[1, 2], b=["x", "y"])] == [
        "a=1,b=x",
        "a=1,b=y",
        "a=2,b=x",
        "a=2,b=y",
    ]


def test_units_are_cut_at_fixed_places() -> None:
    study = Study("s", "t", grid(x=[1]), lambda unit: {}, sets_per_unit=10)
    assert [(unit.first, unit.stop) for unit in study.units(25, 1)] == [(0, 10), (10, 20), (20, 25)]


OWN = '''
"""How many deadlines a scheduler of the study's own misses."""
import schedlab
from schedlab.studies import Study, grid

class Late(schedlab.Policy):
    def decide(self, now, jobs, out):
        out.run(sorted(jobs.ready(), key=lambda job: (-job.absolute_deadline_ns, job.id)))

def evaluate(unit):
    rows = [{"wcet_ns": 2, "period_ns": period} for period in (3, 9)]
    one = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="P-EDF", horizon=90)
    compared = schedlab.compare(one, schedulers=["P-EDF", Late])["schedulers"]
    edf, late = (row["totals"]["misses"] for row in compared)
    return {"edf": [edf for _ in unit.sets], "late": [late for _ in unit.sets]}

study = Study(name="own", title="Own", points=grid(steps=[1]), evaluate=evaluate, sets=4, sets_per_unit=1)
'''


def test_a_study_has_its_own_scheduler_in_every_process(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    study = load_study(tmp_path / "own.py")
    report = run_study(study, tmp_path / "own.py", tmp_path / "out", executor=local_executor(2))
    table = read_results(report.results.parent).table
    assert set(table["edf"].to_pylist()) == {0} and min(table["late"].to_pylist()) > 0


def test_claims_without_data_are_not_evaluated() -> None:
    nothing = float("nan")
    assert judge("less", nothing <= 1, f"{nothing:.2f} of 1").answer == "not evaluated"
    assert judge("not more", not nothing > 1, listed({"a": 0.5, "b": nothing})).answer == "not evaluated"
    # Words that have these letters are no numbers.
    assert judge("less", True, "0.5 nanoseconds").answer == "holds here"
    assert judge("less", False, "1.5").answer == "does not hold here"
