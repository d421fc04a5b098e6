"""`schedlab study status`: how far runs are, and an estimate of what is left; a share of the units suffices for it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from conftest import fits
from schedlab.base.durations import long_duration
from schedlab.cli.main import main
from schedlab.store.locks import exclusive, sharing
from schedlab.store.parts import Part
from schedlab.studies import StudyError, StudyInterrupted, Unit, load_study, run_study
from schedlab.studies.plan import make_plan
from schedlab.studies.runner import sample_study
from schedlab.studies.share import extrapolated
from schedlab.studies.status import study_status, time_left
from schedlab.studies.study import Study, grid
from schedlab.studies.worker import Work


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(
        "import time\nfrom schedlab.studies import Study, grid\n"
        "def evaluate(unit):\n"
        "    begun = time.process_time()\n"
        "    while time.process_time() < begun + 0.01 * unit.parameters['x']: pass\n"
        "    return {'y': [0] * len(unit.sets)}\n"
        "study = Study('mine', 'Mine', grid(x=[1, 2]), evaluate, sets=4, full_sets=40, sets_per_unit=2)\n"
    )
    return path


def test_time_left_is_that_of_units_of_the_same_point() -> None:
    one, two, three = grid(x=[1, 2, 3])
    units = [Unit(point, first, first + 2, 0) for point in (one, two, three) for first in (0, 2)]
    assert time_left(units, {}, by_chance=True) is None
    # Nothing is known of the third point, which may take any time.
    known = {units[0].name: 2.0, units[2].name: 6.0}
    assert time_left(units, known, by_chance=True) is None
    assert time_left(units, known | {units[4].name: 3.0}, by_chance=True) == 2.0 + 6.0 + 3.0
    assert time_left(units, dict.fromkeys((unit.name for unit in units), 1.0), by_chance=True) == 0.0


def test_after_a_tenth_an_estimate_is_near_or_there_is_none(tmp_path: Path) -> None:
    """However the cost of a unit depends on its point: the same, rising, exploding, or all of it at a few points."""
    rules: dict[str, Callable[[float, Random], float]] = {
        "the same": lambda _x, _: 1.0,
        "rising": lambda x, _: 0.1 + x,
        "exploding": lambda x, _: 10.0 ** (4 * x),
        "at the last twentieth": lambda x, _: 100.0 if x > 0.95 else 1.0,
        "by chance": lambda _x, random: random.lognormvariate(0, 1),
    }
    estimates = Counter[str]()
    for points, rounds in [(20, 10), (20, 100), (300, 1), (1400, 1), (5, 3), (12, 4)]:
        study = Study("mine", "Mine", grid(x=list(range(points))), lambda _: {}, rounds, rounds, sets_per_unit=1)
        plan = make_plan(study, tmp_path / "mine.py", tmp_path, rounds, False, 1, None)
        units = plan.in_turn()
        assert sorted(map(str, units)) == sorted(map(str, plan.units()))
        for name, rule in rules.items():
            random = Random(name)
            costs = {unit.name: rule(unit.parameters["x"] / points, random) for unit in units}
            done = units[: len(units) // 10]
            left = sum(costs[unit.name] for unit in units[len(done) :])
            found = time_left(units, {unit.name: costs[unit.name] for unit in done}, by_chance=True)
            assert found is None or left / 2 <= found <= 2 * left, (name, points, rounds)
            estimates[name] += found is not None
            in_rows = plan.units()[: len(done)]
            told = time_left(units, {unit.name: costs[unit.name] for unit in in_rows}, by_chance=False)
            assert told is None, "the last points are not known"
    assert estimates["the same"] == 3 and estimates["exploding"] >= 2, estimates


class Stopped:
    """As if Ctrl-C came after the first unit."""

    def run(self, work: Work, units: Iterable[Unit]) -> Generator[Part, None, None]:
        yield from work([next(iter(units))])
        raise KeyboardInterrupt


def test_a_run_is_not_run_begun_running_done_and_outdated(mine: Path, tmp_path: Path) -> None:
    study, out = load_study(mine), tmp_path / "out"
    assert study_status(study, mine, out).state == "not run"
    sample_study(study, mine, out, 0.25)
    assert study_status(study, mine, out).state == "not run"
    with pytest.raises(StudyInterrupted):
        run_study(study, mine, out, executor=Stopped())
    begun = study_status(study, mine, out)
    assert (begun.state, begun.stored, begun.units, begun.sets) == ("begun", 2, 4, 4)
    assert begun.spent and begun.left and begun.share is not None and begun.share.stored == 1
    for hold in (exclusive, sharing):
        with hold(out):
            assert study_status(study, mine, out).state == "running"
    report = run_study(study, mine, out)
    assert report.reused == 2, "what a sample evaluated is not evaluated again"
    done = study_status(study, mine, out)
    assert (done.state, done.stored, done.left) == ("done", 4, 0.0) and done.spent and done.spent >= 2 * (0.01 + 0.02)
    for part in (out / "parts").rglob("*.parquet"):
        part.unlink()
    assert study_status(study, mine, out) == replace(done, share=None), "parts may be deleted"
    mine.write_text(mine.read_text() + "# another state\n")
    assert study_status(load_study(mine), mine, out).state == "outdated"


def test_a_larger_share_has_the_units_of_a_smaller_one(mine: Path, tmp_path: Path) -> None:
    study, out = load_study(mine), tmp_path / "out"
    stored = []
    for share in (0.0001, 0.3, 0.5):
        told = sample_study(study, mine, out, share, full=True)
        found = study_status(study, mine, out)
        assert found.share is not None and found.share == told and found.state == "not run"
        stored.append(found.share.stored)
    assert stored == [1, 12, 20]
    run_study(study, mine, out)
    assert study_status(study, mine, out).state == "done"
    sample_study(study, mine, out, 0.5, full=True)
    assert study_status(study, mine, out).state == "done", "a share leaves the last run as it was"
    for share in (0, 1.5):
        with pytest.raises(StudyError, match="it must be above 0 and at most 1"):
            sample_study(study, mine, out, share)


def test_the_command_says_it_in_words_and_in_json(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "run", str(mine), "--full", "--share", "0.1", "--workers", "1", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    share = (
        r"random share: 4 of 40 units of 40 sets a point, the full size, took \S+ s; "
        r"all take about \S+ s \(95%: \S+ s to \S+ s\), \S+ s on \d+ processors\n"
    )
    assert re.fullmatch(f"mine: {share}", said), said
    assert not (tmp_path / "mine" / "results.parquet").exists()
    assert main(["study", "status", str(mine), "--out", str(tmp_path)]) == 0
    assert re.fullmatch(f"mine  not run\n      {share}", capsys.readouterr().out)
    assert main(["study", "status", str(mine), "--out", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    fits(found, "study status")
    assert found["studies"][0]["share"]["stored"] == 4
    options = ["--full", "--share", "0.1", "--json", "--out", str(tmp_path)]
    assert main(["study", "run", str(mine), *options]) == 0
    told = json.loads(capsys.readouterr().out)
    fits(told, "study run")
    assert told["studies"] == [] and told["shares"] == [found["studies"][0]["share"]]
    assert main(["study", "status", "--out", str(tmp_path / "nothing")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 40 and all(line.endswith("  not run") for line in lines)


def test_the_interval_holds_the_time_of_all_units_as_often_as_it_says() -> None:
    random, missed = Random(1), 0
    for _ in range(400):
        seconds = [random.uniform(0.5, 1.5) for _ in range(60)]
        total, low, high = extrapolated(seconds[:12], 60)
        assert total is not None and low is not None and high is not None and low < total < high
        missed += not low <= sum(seconds) <= high
    assert 6 <= missed <= 38, "95% of 400, give or take four standard errors"
    assert extrapolated(seconds, 60) == (pytest.approx(sum(seconds)),) * 3
    assert extrapolated([2.0], 3) == (6.0, None, None) and extrapolated([], 3) == (None, None, None)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.04, "0.0 s"), (89, "89.0 s"), (90, "1.5 min"), (5399, "90.0 min"), (5400, "1.5 h"), (200_000, "2.3 d")],
)
def test_long_durations(seconds: float, words: str) -> None:
    assert long_duration(seconds) == words
