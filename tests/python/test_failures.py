"""What a full disk, a closed pipe, a missing or a read-only folder do: one message, no file that is half written."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import in_a_process
from schedlab.base.files import beside, write_whole

#: Commands that write files; OUT is a path without an ending, which any of them may write.
WRITERS = [
    ["simulate", "SCENARIO", "--trace", "OUT"],
    ["simulate", "SCENARIO", "--draw", "svg", "--out", "OUT"],
    ["trace", "TRACE", "--format", "csv", "--out", "OUT"],
    ["trace", "TRACE", "--format", "perfetto", "--out", "OUT"],
    ["generate", "-n", "40", "--out", "OUT"],
    ["export", "toml", "SCENARIO", "--copies", "30", "--out", "OUT"],
    ["place", "SCENARIO", "--scheduler", "P-EDF", "--copies", "30", "-m", "60", "--out", "OUT"],
    ["advise", "SCENARIO", "--plot", "OUT.png"],
    ["windows", "8/11", "--draw", "svg", "--out", "OUT"],
]


@pytest.fixture
def words(run: Any, dhall_file: Path, tmp_path: Path) -> dict[str, str]:
    trace = tmp_path / "given.slt"
    assert run("simulate", dhall_file, "--trace", trace).status == 0
    (tmp_path / "made").mkdir()
    return {"SCENARIO": str(dhall_file), "TRACE": str(trace), "OUT": str(tmp_path / "made" / "out")}


def command(line: list[str], words: dict[str, str]) -> list[str]:
    words = words | {"OUT.png": words["OUT"] + ".png"}
    return [words.get(word, word) for word in line]


def small_disk() -> None:
    """No file of this process may be larger than a kilobyte."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@pytest.mark.parametrize("line", WRITERS, ids=" ".join)
def test_a_full_disk_is_status_4_and_leaves_nothing(line: list[str], words: dict[str, str]) -> None:
    made = Path(words["OUT"]).parent
    done = subprocess.run(
        [sys.executable, "-m", "schedlab", *command(line, words)],
        capture_output=True, text=True, check=False, timeout=60, preexec_fn=small_disk,
        # Python does not notice when what it compiled is cut short, and would leave it to the tests that follow.
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    *_, said = done.stderr.splitlines()
    out = command(line, words)[-1]
    assert said.startswith(f"schedlab: {out}: ") and "File too large" in said
    assert "Traceback" not in done.stderr
    assert list(made.iterdir()) == []


@pytest.mark.parametrize("line", WRITERS, ids=" ".join)
def test_folders_are_not_made_silently(run: Any, line: list[str], words: dict[str, str]) -> None:
    folder = Path(words["OUT"]).parent / "nowhere"
    asked = command(line, words | {"OUT": str(folder / "out")})
    found = run(*asked)
    assert found.status == 4
    said = f"schedlab: {asked[-1]}: there is no folder {folder}; make it first: mkdir -p {folder}\n"
    assert found.err.endswith(said)
    assert not folder.exists()


def test_a_folder_that_is_the_answer_is_made_and_named(run: Any, tmp_path: Path, easy_file: Path) -> None:
    sets = tmp_path / "a" / "sets"
    assert str(sets) in run("generate", "--sets", 2, "-u", 1, "--out", sets).out
    page = run("compare", easy_file, "--schedulers", "P-EDF", "-o", tmp_path / "b" / "c").out.splitlines()[-1]
    assert page == str(tmp_path / "b" / "c" / "report.html") and Path(page).is_file()


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_status_4(run: Any, easy_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    found = run("simulate", easy_file, "--trace", folder / "x.slt")
    assert found.status == 4 and found.err == f"schedlab: {folder}/x.slt: cannot be written: Permission denied\n"


def test_what_is_no_file_is_not_replaced(run: Any, easy_file: Path, tmp_path: Path) -> None:
    found = run("export", "toml", easy_file, "-o", tmp_path)
    assert found.status == 4 and f"{tmp_path}: cannot be written: Is a directory" in found.err
    # As root may, too: no file can be made there.
    found = run("export", "toml", easy_file, "-o", "/proc/x.toml")
    assert found.status == 4 and found.err.startswith("schedlab: /proc/x.toml: cannot be written: ")
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    write_whole(link, "text")
    assert link.is_symlink() and target.read_text() == "text"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        write_whole(pipe, "through")
        assert reader.communicate(timeout=10)[0] == "through"
    assert pipe.is_fifo()


def test_a_trace_goes_into_a_pipe_that_stays_one(tmp_path: Path, dhall_file: Path) -> None:
    """What is no file is never replaced: as root, `--trace /dev/full` would take the device from all programs."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        with in_a_process("simulate", dhall_file, "--trace", tmp_path / "link") as process:
            process.communicate(timeout=60)
        assert process.returncode == 0 and reader.stdout is not None
        assert reader.stdout.read() == schedlab.simulate(schedlab.Scenario.read(dhall_file)).to_bytes()
    assert pipe.is_fifo() and (tmp_path / "link").is_symlink()
    with pytest.raises(AssertionError, match="never replaced"), beside(pipe):
        pass
    assert pipe.is_fifo()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_trace_that_a_device_does_not_take_is_status_4(tmp_path: Path, dhall_file: Path, run: Any) -> None:
    device = tmp_path / "full"
    os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
    try:
        device.open("wb").close()
    except PermissionError:
        pytest.skip("this file system has no devices")
    found = run("simulate", dhall_file, "--trace", device)
    assert (found.status, found.err) == (
        4, f"schedlab: {device}: cannot be written: No space left on device\n",
    )  # fmt: skip
    assert device.is_char_device()


PRINTERS = [
    ["analyze", "SCENARIO"],
    ["simulate", "SCENARIO", "--json"],
    ["simulate", "SCENARIO", "--draw", "svg"],
    ["trace", "TRACE", "--format", "perfetto"],
    ["why", "TRACE", "T2J0"],
    ["schema", "names"],
    ["doctor", "--json"],
    ["--help"],
]


@pytest.mark.parametrize("line", PRINTERS, ids=" ".join)
def test_an_output_that_cannot_be_written_is_status_4(line: list[str], words: dict[str, str]) -> None:
    with (
        Path("/dev/full").open("w") as full,
        in_a_process(*command(line, words), stdout=full) as process,
    ):
        _, said = process.communicate(timeout=60)
    assert process.returncode == 4, said
    assert said == "schedlab: standard output: cannot be written: No space left on device\n"


@pytest.mark.parametrize("line", PRINTERS, ids=" ".join)
def test_a_reader_that_has_enough_ends_it_as_other_programs(line: list[str], words: dict[str, str]) -> None:
    with in_a_process(*command(line, words)) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        # What a shell says of a program that SIGPIPE ended.
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == ""


def test_a_closed_output_is_no_error(dhall_file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "schedlab", "analyze", dhall_file],
        stderr=subprocess.PIPE, text=True, check=False, timeout=60, preexec_fn=lambda: os.close(1),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_an_exception_of_a_studys_code_is_status_4(run: Any, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from schedlab.studies import Study, grid\n"
        "def evaluate(unit):\n"
        "    return {'y': [1 / 0]}\n"
        "study = Study('mine', 'My question', grid(x=[1]), evaluate, sets=1, full_sets=1)\n"
    )
    found = run("study", "run", mine, "--out", tmp_path / "out", "--workers", 1)
    assert found.status == 4 and "its code raised ZeroDivisionError" in found.err


def test_a_process_that_is_told_to_end_leaves_nothing(words: dict[str, str]) -> None:
    made = Path(words["OUT"]).parent
    line = ["simulate", "SCENARIO", "--horizon", "1000 h", "--trace", "OUT"]
    with in_a_process(*command(line, words)) as process:
        give_up = time.monotonic() + 60
        while not list(made.iterdir()):
            assert process.poll() is None and time.monotonic() < give_up
            time.sleep(0.01)
        process.terminate()
        assert process.wait(timeout=60) == 130
    assert list(made.iterdir()) == []


@pytest.mark.parametrize(
    "asked", [["run", "SCENARIO"], ["observe", "--", "true"], ["measure", "--quick", "--out", "OUT"]], ids=" ".join
)
def test_a_runtime_that_is_killed_is_status_4(
    run: Any, words: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    killed = tmp_path / "killed"
    killed.write_text("#!/bin/sh\nkill -KILL $$\n")
    killed.chmod(0o755)
    monkeypatch.setattr("schedlab.runtime.SHIPPED", killed)
    found = run(*command(asked, words))
    assert (found.status, found.err) == (4, "schedlab: schedlab-rt was ended by SIGKILL\n")


@pytest.mark.parametrize("command", [["check", "PIPE"], ["trace", "PIPE"], ["diff", "TRACE", "PIPE"]], ids=" ".join)
def test_ctrl_c_ends_the_reading_of_a_trace(command: list[str], tmp_path: Path, words: dict[str, str]) -> None:
    """The trace is a pipe whose writer does not go on: reading it would never end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    arguments = [{"PIPE": str(pipe), **words}.get(word, word) for word in command]
    with in_a_process(*arguments) as process:
        with pipe.open("wb") as writer:
            writer.write(Path(words["TRACE"]).read_bytes()[:-1])
            writer.flush()
            for _ in range(30):
                process.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=2)
                    break
            else:
                process.kill()
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, "schedlab: interrupted\n")


def test_ctrl_c_ends_an_analysis_that_takes_long(tmp_path: Path, run: Any) -> None:
    """What the bounds of 2,000 tasks are made of takes minutes."""
    sets = tmp_path / "large.toml"
    drawn = ["--tasks", 2000, "-u", 3.9, "--utilizations", "randfixedsum", "--deadlines", "constrained", "--seed", 3]
    assert run("generate", *drawn, "-m", 4, "--out", sets).status == 0
    with in_a_process("analyze", sets, "--scheduler", "P-EDF", "--explain") as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        try:
            _, told = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, told) == (130, "schedlab: interrupted\n")


def test_a_folder_is_not_called_like_a_file(run: Any, tmp_path: Path, easy_file: Path) -> None:
    picture = tmp_path / "schedules.svg"
    for words in (["compare", easy_file, "--out", picture], ["generate", "--sets", "2", "--out", picture / "sets"]):
        refused = run(*words)
        assert refused.status == 2
        assert f"{picture}: the answer is a folder, which cannot end in .svg; allowed: another name" in refused.err
    assert not picture.exists()
    made = tmp_path / "robot.v2"
    assert run("generate", "--sets", "2", "--out", made).status == 0 and made.is_dir()
