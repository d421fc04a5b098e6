"""One rule for all commands: what one of them refuses, no other proves, counts or writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from schedlab.cli.main import main

MPCP = """schedlab = 1
scheduler = "P-RM"
platform.processors = 2
protocol = "mpcp"
[[resource]]
name = "log"
[[task]]
name = "sensor"
period = "10 ms"
program = ["execute 1 ms", "request log", "execute 2 ms", "release log"]
[[task]]
name = "actor"
wcet = "4 ms"
period = "20 ms"
"""

#: Without a request no rule of the protocol applies.
NO_REQUEST = MPCP.replace(
    'program = ["execute 1 ms", "request log", "execute 2 ms", "release log"]', 'wcet = "3 ms"'
).replace("P-RM", "P-EDF")

#: Both users are on one processor until copies or another protocol come.
SHARED = """schedlab = 1
scheduler = "P-EDF"
protocol = "msrp"
platform.processors = 2
[[resource]]
name = "R"
[[task]]
name = "a"
period = "10 ms"
program = ["execute 1 ms", "request R", "execute 1 ms", "release R"]
[[task]]
name = "b"
period = "10 ms"
program = ["execute 1 ms", "request R", "execute 1 ms", "release R"]
"""

DEADLOCK = """schedlab = 1
scheduler = "P-RM"
platform.processors = 2
horizon = "50 ms"
[[resource]]
name = "A"
[[resource]]
name = "B"
[[task]]
name = "x"
period = "100 ms"
processor = 0
program = ["execute 1 ms", "request A", "execute 2 ms", "request B", "execute 1 ms", "release B", "release A"]
[[task]]
name = "y"
period = "100 ms"
processor = 1
program = ["execute 1 ms", "request B", "execute 2 ms", "request A", "execute 1 ms", "release A", "release B"]
"""

NO_ROOM = """schedlab = 1
scheduler = "P-RM"
platform.processors = 2
""" + "".join(f'[[task]]\nname = "{name}"\nwcet = "6 ms"\nperiod = "10 ms"\n' for name in "abc")

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a scenario into the current folder, which is an empty one, and returns the file's name."""
    monkeypatch.chdir(tmp_path)

    def made(text: str, name: str = "s.toml") -> str:
        Path(name).write_text(text)
        return name

    return made


def test_a_protocol_that_does_not_fit_is_refused_by_all_commands(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(MPCP)
    for asked in (["analyze"], ["simulate"], ["view", "--no-open"], ["place", "--out", "o.toml"]):
        assert main([*asked, file, "--scheduler", "P-EDF"]) == 2, asked
        assert "MPCP needs a scheduler with fixed priorities, not P-EDF" in capsys.readouterr().err
    assert not Path("o.toml").exists()
    # As the reader refuses a file that says so.
    assert main(["analyze", write(MPCP.replace("P-RM", "P-EDF"))]) == 2
    assert main(["advise", write(SHARED), "--protocol", "mpcp"]) == 0
    assert "refused as it is: protocol: MPCP needs a scheduler with fixed priorities" in capsys.readouterr().out


def test_a_comparison_proves_nothing_of_what_it_does_not_apply(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["compare", write(MPCP), "--schedulers", "P-EDF,P-RM", "--out", "out", "--strict"]
    assert main(asked) == 5
    told = capsys.readouterr().out
    assert told.startswith(
        "1 of 2 schedulers proved to meet all deadlines: P-RM; none missed in 1 s; not applied: P-EDF"
    )
    refused, proved = json.loads(Path("out/result.json").read_text())["schedulers"]
    assert "MPCP needs" in refused["error"] and not refused["verdicts"] and proved["verdicts"]
    assert main(["compare", write(MPCP), "--schedulers", "P-EDF", "--out", "out"]) == 0
    assert capsys.readouterr().out.startswith("0 of 1 scheduler proved to meet all deadlines; not applied: P-EDF\n")


def test_without_requests_any_protocol_fits(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(NO_REQUEST)
    for asked in (["analyze"], ["simulate"], ["compare", "--schedulers", "P-EDF", "--out", "out"]):
        assert main([*asked, file, "--strict"]) == 0, asked
    capsys.readouterr()
    assert main(["advise", file]) == 0
    assert capsys.readouterr().out.startswith("As it is, the scenario meets all deadlines.")


def test_a_comparison_says_which_schedules_deadlock(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["compare", write(DEADLOCK), "--schedulers", "P-RM", "--out", "out"]
    assert main(asked) == 0 and main([*asked, "--strict"]) == 1
    told = capsys.readouterr().out
    assert "none missed in 50 ms; deadlock under P-RM at 3 ms\n" in told
    assert "0, deadlock" in told and "P-RM: deadlock at 3 ms: T" in told
    [row] = json.loads(Path("out/result.json").read_text())["schedulers"]
    assert [found["at_ns"] for found in row["deadlocks"]] == [3_000_000]
    assert "deadlock at 3 ms" in Path("out/report.html").read_text()
    assert main(["view", "s.toml", "--no-open"]) == 0
    assert "deadlock at 3 ms: T" in capsys.readouterr().out
    assert "deadlock at 3 ms" in Path("s.html").read_text()


def test_overrides_pass_the_checks_of_the_reader(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    apart = "on different processors, which SRP does not support"
    for asked in (["analyze"], ["simulate"], ["place", "--out", "o.toml"]):
        assert main([*asked, write(SHARED), "--protocol", "srp"]) == 2, asked
        assert apart in capsys.readouterr().err
    one = (
        SHARED.replace("msrp", "srp")
        .replace('name = "a"', 'name = "a"\nprocessor = 0')
        .replace('name = "b"', 'name = "b"\nprocessor = 0')
    )
    assert main(["place", write(one), "--copies", "2", "--out", "o.toml"]) == 0
    assert main(["analyze", "o.toml"]) == 0
    spread = SHARED[: SHARED.rindex("[[task]]")].replace("msrp", "srp")
    assert main(["place", write(spread), "--copies", "2", "--out", "p.toml"]) == 2
    assert apart in capsys.readouterr().err and not Path("p.toml").exists()


def test_what_fits_nowhere_is_named_by_each_command(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(NO_ROOM)
    for asked in (["simulate"], ["view", "--no-open"], ["advise"], ["compare", "--schedulers", "P-RM"]):
        capsys.readouterr()
        main([*asked, file])
        assert "placed best-effort: c fits nowhere" in capsys.readouterr().out, asked
    assert "c, which fit nowhere" in Path("s.html").read_text()
    for asked in ("view", "advise"):
        main([asked, file, "--json"])
        assert '"c"' in capsys.readouterr().out.split('"overflowed"')[1], asked


def test_single_clusters_are_named_by_each_command(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(NO_ROOM.replace("P-RM", "C-EDF"))
    for asked in (["simulate"], ["view", "--no-open"], ["advise"], ["compare", "--schedulers", "C-EDF"]):
        capsys.readouterr()
        main([*asked, file])
        assert "clusters of one processor: C-EDF is P-EDF here" in capsys.readouterr().out, asked


def test_affinities_are_not_left_out_of_their_own_answer(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(NO_ROOM.replace("P-RM", "G-EDF").replace('name = "a"', 'name = "a"\naffinity = [0]'))
    assert main(["place", file, "--method", "affinities"]) == 0
    assert "left out" not in capsys.readouterr().out
    assert main(["place", file, "--method", "run"]) == 0
    assert "left out of the scenario: places" in capsys.readouterr().out


def test_the_default_horizon_has_room_for_a_million_jobs(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    rare = '[[task]]\nname = "year"\nwcet = "1 h"\nperiod = "8760 h"\n[[task]]\nname = "ms"\nwcet = "0.9 ms"\n'
    file = write(f'schedlab = 1\nscheduler = "G-EDF"\n{rare}period = "1 ms"\n')
    assert main(["simulate", file]) == 0
    told = capsys.readouterr().out
    assert "under G-EDF in 1000 s" in told
    assert "horizon: 1000 s for about a million jobs, not 20 longest periods; see --horizon" in told
    assert main(["simulate", file, "--horizon", "2 s"]) == 0
    assert "not 20 longest periods" not in capsys.readouterr().out


@pytest.mark.parametrize("asked", [["export", "toml", "s.toml", "-o"], ["place", "s.toml", "-o"]])
def test_no_command_writes_over_its_input(asked: list[str], write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    text = MPCP
    write(text)
    Path("link.toml").symlink_to("s.toml")
    for name in ("s.toml", "./s.toml", "link.toml"):
        assert main([*asked, name]) == 2
        assert "this command reads that file, as s.toml; allowed: another file" in capsys.readouterr().err
    write(text, "s.slt")
    assert main(["simulate", "s.slt", "--trace", "s.slt"]) == 2
    assert "this command reads that file" in capsys.readouterr().err
    assert Path("s.toml").read_text() == text == Path("s.slt").read_text()


def test_files_do_not_end_like_files_of_another_kind(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(MPCP)
    for asked, allowed in (
        (["view", file, "--no-open", "-o", "v.png"], ".html, .htm, .pdf"),
        (["place", file, "-o", "p.csv"], ".toml"),
        (["simulate", file, "--trace", "t.toml"], ".slt, .trace"),
        (["export", "csv", file, "-o", "e.toml"], ".csv"),
        (["generate", "-o", "g.html"], ".toml"),
    ):
        assert main(asked) == 2
        assert capsys.readouterr().err.endswith(f"allowed: {allowed}\n")
    assert [path.name for path in Path().iterdir()] == [file]


def test_the_next_command_runs_for_a_file_that_begins_with_a_dash(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(NO_REQUEST, "-x.toml")
    assert main(["analyze", "--", file]) == 0
    assert "next: schedlab analyze ./-x.toml --details" in capsys.readouterr().out
