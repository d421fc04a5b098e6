"""What commands print for --json has a format, a version and a schema, which leaves no key out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from conftest import ROOT, fits, in_a_process
from schedlab.cli.main import cli
from schedlab.outputs import OUTPUTS

EXAMPLES = ROOT / "examples"

#: By output: command lines that print it in several shapes. TRACE, LINES, JOBS and TABLE are made for the test.
COMMANDS = {
    "analyze": [
        "EXAMPLES/avionics-locks.toml --protocol msrp --scheduler P-EDF --scheduler G-EDF --explain",
        "EXAMPLES/dhall.toml -m 1 --scheduler P-EDF,G-RM --explain",
        "EXAMPLES/pathfinder.toml EXAMPLES/robot.toml --protocol pip -o PAGE",
    ],
    "measures": ["LINES --jsonl --measures"],
    "place": [
        "EXAMPLES/papabench.toml --scheduler P-EDF",
        "EXAMPLES/avionics.toml -m 4 --copies 4 --scheduler P-EDF --placement C=D --simulate",
        "EXAMPLES/dhall.toml --method run",
        "EXAMPLES/dhall.toml --method affinities",
        "EXAMPLES/avionics.toml -m 1 --copies 3 --method run",
    ],
    "advise": ["EXAMPLES/dhall.toml"],
    "advise linux": ["EXAMPLES/linux.toml --for linux", "EXAMPLES/dhall.toml --for linux"],
    "simulate": ["EXAMPLES/deadlock.toml", "EXAMPLES/dhall.toml --scheduler G-EDF --scheduler P-EDF"],
    "compare": [
        "EXAMPLES/dhall.toml --schedulers G-EDF,PD2,P-EDF --overheads paper-2008-4k -o OUT",
        "EXAMPLES/overload.toml --schedulers G-EDF,P-LBESA --horizon 200ms -o OUT",
    ],
    "compare two": ["EXAMPLES/dhall.toml EXAMPLES/robot.toml --scheduler P-RM --set seed=3"],
    "check": ["TRACE"],
    "why": ["TRACE T2J0"],
    "view": ["TRACE -o PAGE"],
    "diff": ["TRACE OTHER -o PAGE", "TRACE TRACE"],
    "trace": ["TRACE"],
    "windows": ["8/11"],
    "generate": ["-n 3", "--sets 2 -u 2 --seed 18446744073709551615"],
    "export": [
        "systemd EXAMPLES/robot.toml --scheduler P-RM",
        "systemd EXAMPLES/dhall.toml --unproved",
        "csv EXAMPLES/dhall.toml",
    ],
    "study list": [""],
    "study show": ["2006-fig9"],
    "study status": ["--out OUT"],
    "membus": ["EXAMPLES/cache.toml --schedulers PD2,P-EDF --horizon 20ms"],
    "jobs": ["JOBS"],
    "overheads": ["TABLE --ignore overheads"],
    "doctor": [""],
    "crosscheck": ["ROOT/tests/golden/vectors/uni.jsonl.gz --tests edf_qpa"],
    "example": [""],
    "new": ["policy G-MINE --out OUT"],
    "glossary": ["max/bound"],
    "schema": ["names"],
}

#: Outputs that other tests check: they run for real, or take a study.
ELSEWHERE = {"edit", "run", "observe", "recording", "measure", "study run", "study plot", "study gallery"}


@pytest.fixture
def made(tmp_path: Path, run: Any) -> dict[str, str]:
    (tmp_path / "sets.jsonl").write_text('{"tasks":[[2,10],[4,20]],"m":1}\n', encoding="utf-8")
    (tmp_path / "jobs.csv").write_text("Task ID, Job ID, Min, Max, C_Min, C_Max, DL, Prio\n0,1,0,0,1,2,9,9\n")
    (tmp_path / "oh_host=a_scheduler=G-EDF_stat=avg.csv").write_text("TASK-COUNT, SCHED\n10, 1.5\n")
    assert run("simulate", EXAMPLES / "dhall.toml", "--trace", tmp_path / "dhall.slt").status == 0
    assert (
        run("simulate", EXAMPLES / "dhall.toml", "--scheduler", "P-EDF", "--trace", tmp_path / "other.slt").status == 0
    )
    files = {
        "OTHER": "other.slt", "PAGE": "page.html", "TRACE": "dhall.slt", "LINES": "sets.jsonl", "JOBS": "jobs.csv",
        "OUT": "made", "TABLE": "oh_host=a_scheduler=G-EDF_stat=avg.csv",
    }  # fmt: skip
    return {word: str(tmp_path / name) for word, name in files.items()} | {"EXAMPLES": str(EXAMPLES), "ROOT": str(ROOT)}


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, lines in COMMANDS.items() for line in lines])
def test_what_a_command_prints_fits_its_schema(run: Any, made: dict[str, str], name: str, line: str) -> None:
    for word, path in made.items():
        line = line.replace(word, path)
    command = {"measures": "analyze", "advise linux": "advise", "compare two": "compare"}.get(name, name)
    found = run(*command.split(), *line.split(), "--json")
    assert found.status == 0 or (name, found.status) == ("doctor", 3), found.err
    fits(found.json, name)


@pytest.mark.parametrize("name", OUTPUTS)
def test_schemas_are_schemas(run: Any, name: str) -> None:
    found = run("schema", "output", *name.split()).json
    Draft202012Validator.check_schema(found)
    assert found["title"] and found["properties"]["format"]["const"].startswith("schedlab-")


def test_every_command_with_json_has_an_output() -> None:
    def paths(group: click.Group, prefix: str) -> list[str]:
        context = click.Context(group)
        found = []
        for name in group.list_commands(context):
            inner = group.get_command(context, name)
            found += paths(inner, f"{prefix}{name} ") if isinstance(inner, click.Group) else [prefix + name]
        return found

    assert {*paths(cli, ""), "measures", "recording", "advise linux", "compare two"} == set(OUTPUTS), (
        "an output is a line of OUTPUTS in schedlab/outputs"
    )
    assert set(COMMANDS) | ELSEWHERE == set(OUTPUTS), "a line of COMMANDS here prints each output"


def test_a_schema_refuses_what_is_something_else(run: Any, dhall_file: Path) -> None:
    schema = run("schema", "output", "simulate").json
    answer = run("simulate", dhall_file, "--json").json
    fits(answer, "simulate")
    for wrong in (answer | {"version": 2}, answer | {"simulations": [{}]}, {**answer, "simulations": [1]}):
        assert not Draft202012Validator(schema).is_valid(wrong)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["output"], "the output of which command? allowed: analyze, "),
        (["output", "analyse"], 'there is no output of "analyse"; allowed: analyze, '),
        (["names", "analyze"], 'a command goes with "output"'),
    ],
)
def test_schemas_that_are_not_there(run: Any, words: list[str], message: str) -> None:
    found = run("schema", *words)
    assert found.status == 2 and message in found.err


@pytest.mark.realtime
@pytest.mark.parametrize("options", [(), ("--check",)])
def test_findings_of_a_real_run_fit_their_schema(run: Any, options: tuple[str, ...]) -> None:
    command = ("run", EXAMPLES / "dhall.toml", "--scheduler", "P-EDF", "--duration", "200 ms", *options, "--json")
    with in_a_process(*command) as process:
        out, err = process.communicate(timeout=60)
    if process.returncode == 3:
        pytest.skip(err.strip())
    fits(json.loads(out), "run")
