"""`--for linux`: settings that can be typed in, and what stock Linux lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

LINUX = ROOT / "examples" / "linux.toml"


def test_the_answer_comes_first_and_can_be_typed_in(run: Any) -> None:
    found = run("advise", LINUX, "--for", "linux")
    assert found.status == 0, found.err
    first = found.out.splitlines()[0]
    assert first.startswith("schedulable on stock Linux: threads under SCHED_FIFO, each bound to a processor"), first
    assert "--fifo --pid 98 TID" in found.out
    assert "--cpu-list --pid 0 TID" in found.out
    assert "PTHREAD_PRIO_INHERIT" in found.out
    assert "this rests on:" in found.out and "6.12" in found.out


def test_the_best_way_is_written_and_means_the_same(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "best.toml"
    found = run("advise", LINUX, "--for", "linux", "-o", out, "--json")
    assert found.status == 0, found.err
    assert out.read_text(encoding="utf-8") == found.json["scenario"]
    best = found.json["ways"][0]
    assert best["schedulable"] and best["rank"] == 1
    again = run("analyze", out, "--for", "linux", "--strict", "--json")
    assert (again.status, again.json["analyses"][0]["answer"]) == (0, "schedulable"), again.err
    assert again.json["analyses"][0]["margin"] == best["margin_percent"]
    assert run("simulate", out, "--strict").status == 0
    assert run("export", "systemd", out, "-o", tmp_path / "services").status == 0
    own = next(way for way in found.json["ways"] if way["is_own"])
    assert not own["schedulable"]
    assert run("simulate", LINUX, "--strict").status == 1


def test_nothing_is_written_without_a_proof(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "best.toml"
    found = run("advise", LINUX, "--for", "linux", "--scale", "5", "-o", out)
    assert (found.status, out.exists()) == (2, False)
    assert "no way of stock Linux is proved" in found.err
    assert found.out.startswith("not proved on stock Linux")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("analyze ROBOT --for linux --scheduler P-EDF", "allowed: SCHED_FIFO, P-SCHED_FIFO, SCHED_DEADLINE"),
        ("analyze ROBOT --for linux --scheduler P-RM", "P-SCHED_FIFO, which comes closest"),
        ("compare ROBOT --for linux --scheduler PD2", "PD2: is no scheduler of stock Linux"),
        ("advise ROBOT --for linux --scheduler PD2", "--scheduler and --for linux exclude each other"),
        ("advise ROBOT -o best.toml", "goes with --for linux"),
    ],
)
def test_what_linux_lacks_is_refused(run: Any, line: str, said: str) -> None:
    found = run(*line.replace("ROBOT", str(ROOT / "examples" / "robot.toml")).split())
    assert found.status == 2
    assert said in found.err, found.err


def test_a_comparison_has_the_schedulers_of_linux_alone(run: Any, tmp_path: Path) -> None:
    found = run("compare", LINUX, "--for", "linux", "--horizon", "200 ms", "--json", "-o", tmp_path / "out")
    assert found.status == 0, found.err
    names = [row["name"] for row in found.json["schedulers"]]
    assert names == ["P-SCHED_FIFO", "SCHED_FIFO", "SCHED_DEADLINE"]
