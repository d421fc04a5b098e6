"""What several tests share: small systems whose schedules are known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import schedlab
import schedlab.outputs

ROOT = Path(__file__).resolve().parents[2]
MS = 1_000_000


def dhall(processors: int = 2) -> schedlab.Scenario:
    """The Dhall effect: light tasks with early deadlines keep a heavy one from running; it misses."""
    light = [{"wcet_ns": 2 * MS, "period_ns": 10 * MS} for _ in range(processors)]
    heavy = {"wcet_ns": 10 * MS, "period_ns": 11 * MS}
    return schedlab.Scenario.from_tasks(
        [*light, heavy], processors=processors, scheduler="G-EDF", horizon=110 * MS, name="dhall"
    )


def easy(processors: int = 2) -> schedlab.Scenario:
    """Three light tasks that every scheduler schedules."""
    rows = [{"wcet_ns": 2 * MS, "period_ns": period * MS} for period in (10, 20, 40)]
    return schedlab.Scenario.from_tasks(rows, processors=processors, scheduler="G-EDF", horizon=200 * MS, name="easy")


@dataclass(frozen=True)
class Run:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def _as_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is as wide as it needs, whatever the terminal is in which the tests run."""
    monkeypatch.delenv("COLUMNS", raising=False)
    # The library `readline`, which pytest loads, sets it for child processes behind Python's back.
    os.unsetenv("COLUMNS")


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Runs a command line in this process."""
    from schedlab.cli import main

    def call(*arguments: object) -> Run:
        capfd.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Run(status, out, err)

    return call


def in_a_process(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Starts a command line as a user would."""
    return subprocess.Popen(
        [sys.executable, "-m", "schedlab", *map(str, arguments)],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options,
    )


def closed(schema: Any) -> Any:
    """The schema without what readers may ignore: keys that it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(value) for name, value in schema.items()}
    return inner if "properties" not in schema else inner | {"additionalProperties": False}


def fits(answer: Any, command: str) -> None:
    """What a command printed for --json has the shape that `schedlab schema output` states, and no key besides."""
    from jsonschema import Draft202012Validator

    assert list(answer)[:2] == ["format", "version"]
    Draft202012Validator(closed(schedlab.outputs.output_schema(command))).validate(answer)


@pytest.fixture
def dhall_file(tmp_path: Path) -> Path:
    path = tmp_path / "dhall.toml"
    dhall().write(path)
    return path


@pytest.fixture
def easy_file(tmp_path: Path) -> Path:
    path = tmp_path / "easy.toml"
    easy().write(path)
    return path
