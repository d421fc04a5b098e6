"""Knees of curves, their bootstrap intervals, and runs that stop at planned sizes when their intervals are narrow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from schedlab import measures
from schedlab.cli.main import main
from schedlab.studies import load_study, read_results
from schedlab.studies.bootstrap import Interval, percentile_interval, resampled_means
from schedlab.studies.errors import StudyError
from schedlab.studies.executor import local_executor
from schedlab.studies.knee import knees, lasting_above
from schedlab.studies.looks import Looks
from schedlab.studies.until_decided import run_until_decided

LOADS = np.arange(20.0, 49.0)
INFINITE = float("inf")


def bent(knee: float, before: float, after: float) -> np.ndarray:
    """A curve of two straight pieces, with these slopes."""
    return 30 + before * (LOADS - 20) + (after - before) * np.maximum(0, LOADS - knee)


def knee_of(curve: np.ndarray) -> float:
    return float(knees(LOADS, curve[None, :], slope=5, rise=10)[0])


@pytest.mark.parametrize(
    ("curve", "knee"),
    [
        (bent(36, 0, 12), 36),
        (bent(36, 4, 12), 36),
        (bent(46, 0, 11), 46),
        # Faster than the slope by 3 at two loads: less than the rise.
        (bent(46, 0, 8), INFINITE),
        (bent(20, 0, 12), 20),
        # Slow all along, however far it comes.
        (bent(48, 4.9, 0), INFINITE),
        # A jump, a plateau and a second rise: the first counts.
        (np.where(LOADS > 30, 140, 0) + np.maximum(0, LOADS - 44) * 60, 30),
        # A fall later does not hide the rise.
        (np.where((LOADS > 30) & (LOADS < 35), 140, 0), 30),
        # A dent before the rise is no knee, and the rise begins at its end.
        (np.where(LOADS == 34, -20, 0) + 12 * np.maximum(0, LOADS - 36), 34),
    ],
)
def test_knees_are_where_a_rapid_rise_begins(curve: np.ndarray, knee: float) -> None:
    assert knee_of(curve) == knee
    assert knee_of(curve + 500) == knee, "a constant moves no knee"


def test_many_curves_are_searched_as_each_alone() -> None:
    random = np.random.default_rng(1)
    curves = np.abs(random.normal(size=(50, len(LOADS)))) * 8 + bent(40, 1, 9)
    assert [knee_of(curve) for curve in curves] == knees(LOADS, curves, slope=5, rise=10).tolist()
    allowed = 60.0
    alone = [measures.overload_point(LOADS.tolist(), curve.tolist(), allowed=allowed) or INFINITE for curve in curves]
    assert lasting_above(LOADS, curves, allowed=allowed).tolist() == alone
    assert lasting_above(LOADS, curves, allowed=-1.0).tolist() == [20.0] * 50
    assert lasting_above(LOADS, curves, allowed=1e9).tolist() == [INFINITE] * 50


def test_other_shapes_and_values_are_refused() -> None:
    with pytest.raises(StudyError, match="one row of values for each curve"):
        knees(LOADS, np.zeros((2, 3)), slope=5, rise=10)
    with pytest.raises(StudyError, match="do not increase"):
        lasting_above(LOADS[::-1], np.zeros((1, len(LOADS))), allowed=1)
    with pytest.raises(StudyError, match="the rise of a knee is 0"):
        knees(LOADS, np.zeros((1, len(LOADS))), slope=5, rise=0)
    with pytest.raises(StudyError, match="without values"):
        resampled_means([[1.0], []], seed=1)
    with pytest.raises(StudyError, match="confidence is 1"):
        percentile_interval(0, np.zeros(4), 1)
    for sizes in ((), (0, 4), (4, 4)):
        with pytest.raises(StudyError, match="the sizes of looks"):
            Looks(sizes)


def test_intervals_say_what_they_leave_open() -> None:
    found = Interval(40, 39, 42)
    assert (found.is_within(38, 42), found.is_within(43, 45), found.is_within(40, 45)) == (True, False, None)
    later, never = Interval(44, 43, 44), Interval(INFINITE, INFINITE, INFINITE)
    assert (later.is_after(found), found.is_after(later), found.is_after(found)) == (True, False, None)
    assert never.is_after(later) and not never.is_after(never)


def test_percentiles_are_values_that_occurred() -> None:
    found = percentile_interval(7, np.arange(100.0)[::-1], 0.9)
    assert (found.value, found.low, found.high) == (7, 5, 94)
    assert percentile_interval(7, np.arange(10.0), 0.99) == Interval(7, 0, 9)


def test_intervals_of_knees_cover_the_known_knee() -> None:
    """Sets whose largest tardiness varies by 8 ms, as it does in underload on 48 processors, with a long tail."""
    random = np.random.default_rng(2)
    true = bent(36, 1, 9)
    covered, widths = 0, []
    for trial in range(100):
        samples = [(mean + 8 * (random.exponential(size=25) - 1)).tolist() for mean in true]
        resampled = knees(LOADS, resampled_means(samples, seed=trial, resamples=300), slope=5, rise=10)
        found = percentile_interval(0, resampled, 0.9)
        covered += found.low <= 36 <= found.high
        widths.append(found.high - found.low)
    assert covered >= 85
    # Not by intervals that hold everything.
    assert np.mean(widths) < 3


def test_repeated_intervals_hold_wherever_a_run_stops() -> None:
    """The worst rule stops as soon as the interval is wrong. At the plain confidence, it is wrong too often."""
    looks = Looks((50, 100, 200, 400), confidence=0.9)
    assert looks.of_one == pytest.approx(0.975)
    random = np.random.default_rng(3)
    wrong = {0.9: 0, looks.of_one: 0}
    trials = 200
    for trial in range(trials):
        values = random.normal(1, 1, size=looks.sizes[-1])
        means = [resampled_means([values[:size].tolist()], seed=trial, resamples=400)[:, 0] for size in looks.sizes]
        for confidence in wrong:
            found = [percentile_interval(0, mean, confidence) for mean in means]
            wrong[confidence] += not all(one.low <= 1 <= one.high for one in found)
    assert wrong[looks.of_one] <= 0.12 * trials < 0.15 * trials < wrong[0.9]


STUDY = """
from schedlab.studies import Study, grid
from schedlab.studies.bootstrap import percentile_interval, resampled_means
from schedlab.studies.looks import Looks
from schedlab.studies.seeds import derive_seed

LOOKS = Looks((4, 16, 64))

def evaluate(unit):
    return {"value": [unit.set_seed(index) % 1000 / 1000 for index in unit.sets]}

def undecided(results):
    values = results.table.column("value").to_pylist()
    found = percentile_interval(0, resampled_means([values], seed=1)[:, 0], LOOKS.of_one)
    return [] if found.high - found.low < 0.4 else ["the mean"]

study = Study(
    name="grows", title="a study that grows", points=grid(load=[1]), evaluate=evaluate, sets_per_unit=2,
    looks=LOOKS, undecided=undecided,
)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "grows.py"
    path.write_text(STUDY)
    return path


def test_runs_grow_until_they_decide_and_are_the_same_with_more_workers(file: Path, tmp_path: Path) -> None:
    study, path = load_study(file), file
    found = {}
    for workers in (1, 2):
        seen: list[tuple[int, list[str]]] = []
        report = run_until_decided(
            study, path, tmp_path / str(workers), executor=local_executor(workers),
            on_look=lambda sets, undecided, seen=seen: seen.append((sets, undecided)),
        )  # fmt: skip
        assert seen == [(4, ["the mean"]), (16, [])] and report.sets == 16 and report.reused == 2
        found[workers] = read_results(tmp_path / str(workers)).table
    assert found[1].equals(found[2])


def test_the_command_says_what_is_undecided(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["study", "run", str(file), "--out", str(tmp_path / "out"), "--workers", "1", "--no-plot", "--until-decided"]
    assert main([*run, "--sets", "15"]) == 0
    assert capsys.readouterr().err.endswith("grows: 4 sets of a point: 1 undecided: the mean\n")
    assert main(run) == 0
    assert "grows: 16 sets of a point: decided\n" in capsys.readouterr().err
    for more, said in ((["--sets", "3"], "3 sets are fewer than the first size"), (["--full"], "leave out --full")):
        assert main([*run, *more]) != 0
        assert said in capsys.readouterr().err


def test_a_study_without_looks_is_refused(file: Path, tmp_path: Path) -> None:
    study = load_study(file)
    with pytest.raises(StudyError, match="only one of looks and undecided"):
        replace(study, looks=None)
    plain = replace(study, looks=None, undecided=None)
    with pytest.raises(StudyError, match="does not say when its results decide"):
        run_until_decided(plain, file, tmp_path, on_look=lambda *_: None)
