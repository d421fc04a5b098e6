"""Studies that measure: alone on the machine, refused in the doctor's words, their figures signed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from schedlab import runtime
from schedlab.cli.main import main
from schedlab.errors import BadInput, CannotRun
from schedlab.store.locks import exclusive
from schedlab.studies import Results, find_study, load_study, place, processors, read_results, run_study
from schedlab.studies.real import Noise, sign

#: Nothing else may run beside.
pytestmark = pytest.mark.realtime

#: Stands for the target binary: a doctor whose verdict is a file's, and a measurement that counts its calls.
BINARY = """#!/bin/sh
here=$(dirname "$0")
case "$1" in
doctor)
    printf '{"real_runs": %s, "machine": {"model": "A", "processors": 2, "is_virtual": true, "kernel": "Linux 6",
    "mitigations": "none"}, "findings": [{"what": "clock", "state": "note", "found": "x", "advice": "y"},
    {"what": "real-time priorities", "state": "no", "found": "not permitted", "advice": "run as root"}]}' \\
    "$(cat "$here/allowed")" ;;
count) echo . >> "$here/calls"; echo "{\\"calls\\": $(wc -l < "$here/calls")}" ;;
refuse) echo "schedlab-rt: no priorities" >&2; exit 3 ;;
fail) echo "schedlab-rt: bad option" >&2; exit 2 ;;
wait) trap 'exit 130' INT; touch "$here/waits"; while :; do sleep 0.02; done ;;
esac
"""
MINE = """
import os
from schedlab.runtime import ask
from schedlab.studies import RealStudy, grid, processors

def evaluate(unit):
    return {"calls": [ask("count")["calls"]], "process": [os.getpid()], "m": [processors()]}

def draw(results):
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots()
    axes.plot(results.table.column("calls").to_pylist())
    return {"mine": figure}

study = RealStudy("mine", "Mine", grid(x=[1, 2, 3]), evaluate, draw=draw, sets=1,
                  full_points=grid(x=[1, 2, 3, 4]), full_sets=1)
"""


@pytest.fixture
def binary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stand-in, on a machine that allows real runs."""
    path = tmp_path / "bin" / "schedlab-rt"
    path.parent.mkdir()
    path.write_text(BINARY)
    path.chmod(0o755)
    (path.parent / "allowed").write_text("true")
    monkeypatch.setattr(runtime, "SHIPPED", path)
    # The machine's lock stands in the folder of temporary files.
    monkeypatch.setattr(tempfile, "tempdir", str(path.parent))
    return path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def run(mine: Path, out: Path, **options: bool) -> Results:
    run_study(load_study(mine), mine, out, **options)  # type: ignore[arg-type]
    return read_results(out)


def test_units_run_alone_and_say_where_and_beside_what(binary: Path, mine: Path, tmp_path: Path) -> None:
    assert main(["study", "run", str(mine), "--workers", "2", "--out", str(tmp_path)]) == 0
    results = read_results(tmp_path / "mine")
    rows = results.table.to_pylist()
    assert [row["calls"] for row in rows] == [1, 2, 3]
    assert {row["process"] for row in rows} == {os.getpid()} and rows[0]["m"] == processors()
    assert all(0 <= row["noise_others"] <= 1 and 0 <= row["noise_stolen"] <= 1 for row in rows)
    assert results.provenance["surroundings"]["machine"]["kernel"] == "Linux 6"
    assert (tmp_path / "mine" / "mine.png").stat().st_size > 1000


def test_what_is_stored_is_not_measured_again_unless_by_another_binary(
    binary: Path, mine: Path, tmp_path: Path
) -> None:
    assert run(mine, tmp_path / "out").table.column("calls").to_pylist() == [1, 2, 3]
    assert run(mine, tmp_path / "out").table.column("calls").to_pylist() == [1, 2, 3]
    assert run(mine, tmp_path / "out", full=True).table.column("calls").to_pylist() == [1, 2, 3, 4]
    binary.write_text(BINARY + "# rebuilt\n")
    assert run(mine, tmp_path / "out", replace=True).table.column("calls").to_pylist() == [5, 6, 7]


def test_a_machine_that_refuses_is_told_in_the_doctors_words(
    binary: Path, mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(mine, tmp_path / "mine")
    (binary.parent / "allowed").write_text("false")
    assert main(["study", "run", str(mine), "--out", str(tmp_path)]) == 0, "all of it is stored"
    assert main(["study", "run", str(mine), "--full", "--out", str(tmp_path)]) == 3
    said = capsys.readouterr().err
    assert "cannot run scenarios for real: real-time priorities: not permitted: run as root" in said
    assert "clock" not in said


def test_of_all_studies_those_that_are_refused_are_named_and_left_out(
    binary: Path, mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (binary.parent / "allowed").write_text("false")
    both = [(load_study(mine), mine), find_study("2006-fig1")]
    monkeypatch.setattr("schedlab.cli.study.chosen.list_studies", lambda: both)
    assert main(["study", "run", "--all", "--no-plot", "--out", str(tmp_path)]) == 3
    output = capsys.readouterr()
    assert "mine: not run: this machine cannot" in output.err
    assert "2006-fig1" in output.out and (tmp_path / "2006-fig1" / "results.parquet").exists()


def test_two_studies_do_not_measure_at_once(binary: Path, mine: Path, tmp_path: Path) -> None:
    folder = binary.parent / f"schedlab-measures-{os.getuid()}"
    folder.mkdir(mode=0o700)
    with exclusive(folder), pytest.raises(CannotRun, match=rf"another study measures .*process {os.getpid()}"):
        run(mine, tmp_path / "out")
    run(mine, tmp_path / "out")
    folder.chmod(0o777)
    with pytest.raises(CannotRun, match="others can change what is in it: remove it, or set TMPDIR"):
        run(mine, tmp_path / "elsewhere")
    folder.rename(folder.with_name("other"))
    folder.symlink_to("other")
    with pytest.raises(CannotRun, match="others can change what is in it"):
        run(mine, tmp_path / "elsewhere")


def test_figures_are_signed_below_what_they_say_themselves(binary: Path, mine: Path, tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    results = run(mine, tmp_path / "out")
    figure = Figure(figsize=(3, 2))
    figure.supxlabel("half of the tasks")
    sign(figure, results)
    own, *said = figure.get_supxlabel().splitlines()
    assert own == "half of the tasks"
    assert len(said) > 1 and max(map(len, said)) < 70, "lines that fit"
    assert " ".join(said) == place(results)
    assert place(results).startswith(f"measured on this machine, {processors()} processors: A, a virtual machine, ")


def test_noise_counts_others_only() -> None:
    """This process's own work is not noise; a process that it does not wait for is."""
    noise = Noise.begin()
    until = time.monotonic() + 0.3
    while time.monotonic() < until:
        pass
    own = noise.end()["others"]
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        noise = Noise.begin()
        time.sleep(0.5)
        found = noise.end()["others"]
        other.kill()
    # Where the machine is full of others, one more does not show.
    assert found > 0.2 / processors() or own > 0.5


def test_the_binarys_words_and_statuses_are_passed_on(binary: Path) -> None:
    with pytest.raises(CannotRun, match=r"schedlab-rt refuse: no priorities"):
        runtime.ask("refuse")
    with pytest.raises(BadInput, match=r"schedlab-rt fail: bad option"):
        runtime.ask("fail")
    assert runtime.ask("count") == {"calls": 1}


def test_an_interrupt_lets_the_binary_end_by_itself(binary: Path) -> None:
    program = (
        f"import pathlib; from schedlab import runtime; runtime.SHIPPED = pathlib.Path({str(binary)!r})\n"
        "try:\n    runtime.ask('wait')\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    give_up = time.monotonic() + 60
    while not (binary.parent / "waits").exists():
        assert time.monotonic() < give_up
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "interrupted\n"
