"""`advise` on objects: schemes for all of them, mixes, and what operations cost."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import schedlab

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    path = tmp_path / "mixed.toml"
    path.write_text((EXAMPLES / "mixed-schemes.toml").read_text())
    return path


def test_the_best_mix_is_named_and_holds(run: Any, mixed: Path) -> None:
    assert run("analyze", mixed, "--strict").status == 5
    lines = run("advise", mixed).out.splitlines()
    assert lines[0].endswith("Each of these changes alone would do:")
    assert lines[1:3] == ["  objects: map wait-free (margin 73.12%)", "  objects: map lock-free (margin 30.78%)"]
    assert any(line.startswith("Mixes of schemes: all combinations of 2 objects were tried under ") for line in lines)
    words = shlex.split(lines[-1].partition("  #")[0].removeprefix("next: schedlab "))
    assert "map=wait-free" in words and "events=locked" in words and "--protocol" not in words
    assert run(*words, "--strict").status == 0
    for scheme in ("locked", "lock-free", "wait-free"):
        uniform = ("--scheme", f"map={scheme}", "--scheme", f"events={scheme}")
        assert run("analyze", mixed, *uniform, "--strict").status == 5


def test_schemes_are_values(run: Any, mixed: Path) -> None:
    advice = json.loads(run("advise", mixed, "--json").out)
    best = advice["ways"][0]
    assert best["schedulable"] and best["schemes"] == {"map": "wait-free", "events": "locked"}
    assert advice["mixes"]["objects"] == 2 and advice["mixes"]["is_exhaustive"]
    scenario = schedlab.Scenario.read(mixed)
    mix = scenario.replace(schemes=best["schemes"], scheduler=best["scheduler"], placement=best["placement"])
    (found,) = schedlab.analyze(mix)
    assert found.conclusion["hard"]["answer"] == "schedulable"
    assert run("advise", mixed, "--json").out == run("advise", mixed, "--json").out


def test_unknown_costs_are_said(run: Any, mixed: Path) -> None:
    example = EXAMPLES / "objects.toml"
    blind = " ".join(run("advise", example).out.split())
    assert "do not say what operations cost on readings (buffer), commands (queue), events (heap) under" in blind
    assert "`schedlab measure objects -o object-costs.toml`" in blind
    assert "do not say" not in run("advise", example, "--overheads", "paper-2008-objects").out
    text = mixed.read_text()
    assert "do not say" not in run("advise", mixed).out
    lines = [line for line in text.splitlines() if '"wait-free", access' not in line]
    mixed.write_text("\n".join(lines))
    partly = " ".join(run("advise", mixed).out.split())
    assert "what operations cost on map (buffer), events (heap) under wait-free. Each counts as" in partly


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("map", "--scheme: 'map' is not OBJECT=SCHEME; allowed: such as events=wait-free"),
        ("=locked", "--scheme: '=locked' is not OBJECT=SCHEME"),
        ("c=locked", 'schemes.c: there is no object "c"; allowed: map, events'),
        ("map=free", 'schemes.map: there is no scheme "free"'),
    ],
)
def test_a_bad_scheme_is_refused(run: Any, mixed: Path, given: str, message: str) -> None:
    found = run("analyze", mixed, "--scheme", given)
    assert found.status == 2 and message in found.err


def test_a_run_says_which_resource_has_no_kind(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        'schedlab = 1\nprotocol = "lock-free"\n[[resource]]\nname = "q"\n[[task]]\nname = "t"\nperiod = "9 ms"\n'
        'program = ["request q", "execute 1 ms", "release q"]\n'
    )
    found = run("run", path, "--duration", "50ms")
    assert found.status == 2
    assert f'{path}:3:1: resource[0].kind: "q" has no kind, and under "lock-free" jobs attempt' in found.err
