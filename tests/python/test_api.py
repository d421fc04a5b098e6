"""The typed API: scenarios, analyses, schedules, tables."""

from __future__ import annotations

import pandas
import polars
import pyarrow
import pytest

import schedlab
from conftest import MS, dhall, easy
from schedlab.outputs.tables import JobRow


def test_the_package_docstring_is_true():
    import doctest

    assert doctest.testmod(schedlab).failed == 0
    assert doctest.testmod(schedlab.core.scenario).failed == 0


def test_scenarios_round_trip_through_their_file(tmp_path):
    scenario = dhall()
    scenario.write(tmp_path / "dhall.toml")
    again = schedlab.Scenario.read(tmp_path / "dhall.toml")
    assert again == scenario
    assert hash(again) == hash(scenario)
    assert again.name == "dhall"
    assert (again.processors, again.scheduler, again.overheads) == (2, "G-EDF", "none")
    assert again.horizon_ns == 110 * MS


@pytest.mark.parametrize("convert", ["to_arrow", "to_pandas", "to_polars"])
def test_task_sets_go_out_and_come_back_as_tables(convert):
    scenario = dhall()
    table = getattr(scenario.tasks, convert)()
    again = schedlab.Scenario.from_tasks(table, processors=2, scheduler="G-EDF", horizon=110 * MS, name="dhall")
    assert list(again.tasks) == list(scenario.tasks)
    assert again == scenario


def test_results_are_tables():
    schedule = schedlab.simulate(dhall())
    jobs = schedule.jobs
    assert isinstance(jobs.to_arrow(), pyarrow.Table)
    assert isinstance(jobs.to_pandas(), pandas.DataFrame)
    assert isinstance(jobs.to_polars(), polars.DataFrame)
    assert pyarrow.table(jobs).num_rows == len(jobs)
    assert jobs.columns == tuple(JobRow.__annotations__)
    assert "<table" in schedule.metrics().tasks._repr_html_()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (5, "task set is a table"),
        ([{"wcet_ns": 1, "period_ns": 2, "colour": 3}], 'there is no column "colour"'),
        ([{"wcet_ns": 1}], "period"),
        ([{"wcet_ns": -1, "period_ns": 2}], "wcet"),
        ([{"wcet_ns": 1, "period_ns": 0}], "period"),
        ([{"wcet_ns": "one", "period_ns": 2}], "wcet"),
        ([{"wcet_ns": 1.5, "period_ns": 2}], "wcet"),
        ([{"wcet_ns": 1, "period_ns": 2**70}], "period"),
        ([], "task"),
    ],
)
def test_task_sets_that_are_none_are_refused(rows, message):
    with pytest.raises(schedlab.BadInput, match=message):
        schedlab.Scenario.from_tasks(rows, processors=2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scheduler": "G-EFD"}, "G-EDF"),
        ({"overheads": "nothing-known"}, "nothing-known"),
        ({"horizon": "10 parsecs"}, "horizon"),
        ({"horizon": -1}, "horizon"),
        ({"processors": 0}, "processors"),
        ({"processors": 10**9}, "processors"),
        ({"copies": 0}, "copies"),
        ({"copies": 10**9}, "copies"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(schedlab.BadInput, match=message):
        easy().replace(**settings)


def test_throttling_is_a_setting_of_sched_fifo():
    throttled = easy().replace(scheduler="SCHED_FIFO", throttling=("500 us", MS))
    assert 'throttling = { runtime = "500us", period = "1ms" }' in throttled.to_toml()
    assert throttled.replace(seed=2).to_dict()["scheduler"] == throttled.to_dict()["scheduler"]
    assert throttled.left_out == []
    unheeding = easy().replace(scheduler="G-EDF", throttling=("500 us", "1 ms"))
    assert unheeding.left_out == ["the scenario: throttling (500 us of each 1 ms), which G-EDF does not heed"]
    with pytest.raises(schedlab.BadInput, match="throttling"):
        easy().replace(scheduler="SCHED_FIFO", throttling=("2 ms", "1 ms"))


def test_an_unknown_setting_is_a_type_error():
    with pytest.raises(TypeError):
        easy().replace(colour="red")


def test_copies_repeat_the_set():
    scenario = easy().replace(copies=3, processors=4)
    assert len(scenario.tasks) == 9
    assert len(set(scenario.tasks["name"])) == 9


def test_the_dhall_effect():
    """S. K. Dhall, C. L. Liu, 1978: global EDF misses at low utilization, a partition does not."""
    schedule = schedlab.simulate(dhall())
    assert schedule.metrics().misses > 0
    assert schedule.metrics().max_tardiness_ns == 1 * MS
    assert schedlab.simulate(dhall(), scheduler="P-EDF").metrics().misses == 0
    [partitioned] = schedlab.analyze(dhall(), schedulers=["P-EDF"])
    assert partitioned.schedulable
    assert partitioned.placement is not None and len(set(partitioned.placement)) == 2
    [globally] = schedlab.analyze(dhall(), schedulers=["G-EDF"])
    assert not globally.schedulable
    assert globally.tardiness_is_bounded


def test_observed_never_exceeds_its_bound():
    for name in ("P-EDF", "G-EDF", "NG-EDF", "C-EDF", "P-RM", "G-RM"):
        for scenario in (dhall(), easy()):
            [analysis] = schedlab.analyze(scenario, schedulers=[name])
            if analysis.error:
                continue
            for task in schedlab.simulate(scenario, scheduler=name).metrics().tasks:
                response = analysis.response_time_bound_ns(task["index"])
                tardiness = analysis.tardiness_bound_ns(task["index"])
                assert response is None or task["max_response_time_ns"] <= response
                assert tardiness is None or task["max_tardiness_ns"] <= tardiness


def test_tests_can_be_chosen_and_unknown_ones_are_refused():
    [analysis] = schedlab.analyze(easy(), tests=["gfb"])
    assert [found.test for found in analysis.verdicts] == ["gfb"]
    assert analysis.schedulable
    assert analysis.verdicts[0].source
    with pytest.raises(schedlab.BadInput, match="gfc"):
        schedlab.analyze(easy(), tests=["gfc"])


def test_the_same_scenario_gives_the_same_bytes():
    first, second = schedlab.simulate(dhall()), schedlab.simulate(dhall())
    assert first.to_bytes() == second.to_bytes()
    assert schedlab.Schedule.from_bytes(first.to_bytes()).metrics() == first.metrics()


def test_a_schedule_shows_itself_in_a_notebook():
    schedule = schedlab.simulate(dhall())
    assert schedule._repr_html_().startswith("<")
    assert "<svg" in schedule._repr_html_()
    assert "G-EDF" in repr(schedule)


def test_segments_are_the_schedule():
    schedule = schedlab.simulate(dhall().replace(horizon=22 * MS))
    segments = [tuple(row.values()) for row in schedule.segments(13 * MS)]
    assert min(segments) == (0, 0, 0, 0, 2 * MS)
    received = sum(end - start for _, task, job, start, end in segments if (task, job) == (2, 0))
    assert received == 10 * MS


def test_why_of_a_job_that_starves_tells_its_longest_parts() -> None:
    rows = [{"wcet_ns": wcet * MS, "period_ns": period * MS} for wcet, period in ((1, 2), (2, 4), (1, 100))]
    scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="G-RM", horizon=400 * MS)
    schedule = schedlab.simulate(scenario)
    parts = schedule.why("T2J0")["parts"]
    assert len(parts) == 300 and sum(part["length_ns"] for part in parts) == 400 * MS
    lines = schedule.why_text("T2J0").splitlines()
    assert len(lines) == 43 and lines[-1].split() == ["sum", "400", "ms"]
    # Each job of the second task has a line, or one of those that took no longer; the others are told together.
    assert lines[-2].split()[:4] == ["260", "shorter", "parts", "320"]


def test_why_sums_exactly_and_refuses_what_is_no_job():
    schedule = schedlab.simulate(dhall())
    found = schedule.why("T2J0")
    assert found["response_time_ns"] == 12 * MS
    assert sum(part["length_ns"] for part in found["parts"]) == 12 * MS
    for job in ("T3", "x", "T2J999999", "T-1J0", ""):
        with pytest.raises(schedlab.BadInput):
            schedule.why(job)


def test_progress_is_reported_and_its_exception_arrives():
    shares: list[float] = []
    scenario = easy().replace(horizon="2000 s")
    schedlab.simulate(scenario, progress=shares.append)
    assert shares and shares == sorted(shares) and shares[0] >= 0 and shares[-1] <= 1

    def stop(share: float) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        schedlab.simulate(scenario, progress=stop)


def test_generate_gives_what_was_asked_for():
    scenario = schedlab.generate(
        utilizations="uunifast-discard", stop="tasks 20 total 3.2", periods="uniform 10ms 100ms", seed=3, index=4
    )
    assert len(scenario.tasks) == 20
    assert sum(scenario.tasks["utilization"]) == pytest.approx(3.2, abs=1e-4)
    assert all(10 * MS <= period <= 100 * MS for period in scenario.tasks["period_ns"])
    with pytest.raises(schedlab.BadInput, match="uniform"):
        schedlab.generate(utilizations="unknown")


def test_any_seed_below_2_to_the_64_is_a_seed(tmp_path):
    # The one of docs/own-study.md: a unit's seed has 64 bits.
    seed = 9233299478563323851
    generated = schedlab.generate(utilizations="uniform-light", processors=2, seed=seed, index=3)
    assert generated.seed == seed and generated.to_dict()["seed"] == str(seed)
    generated.write(tmp_path / "set.toml")
    assert f'seed = "{seed}"' in generated.to_toml() and schedlab.Scenario.read(tmp_path / "set.toml") == generated
    assert schedlab.compare(generated.replace(horizon="1 s"), schedulers=["G-EDF"])["seed"] == str(seed)
    assert generated.replace(seed=2**63 - 1).to_dict()["seed"] == 2**63 - 1
    for draw in (generated.replace, schedlab.generate):
        with pytest.raises(
            schedlab.BadInput, match=r"seed: 18446744073709551616 is out of range; allowed: from 0 to 2\^64 - 1"
        ):
            draw(seed=2**64)
    with pytest.raises(schedlab.BadInput, match=r"index: -1 is out of range; allowed: from 0 to 2\^64 - 1"):
        schedlab.generate(index=-1)


def test_rows_may_name_clusters_of_the_size_that_is_given():
    rows = [{"wcet_ns": 1, "period_ns": 10, "cluster": at} for at in range(4)]
    made = schedlab.Scenario.from_tasks(rows, processors=8, scheduler="C-EDF", cluster_size=2)
    assert made.tasks["cluster"] == [0, 1, 2, 3]
    with pytest.raises(schedlab.BadInput, match="cluster: 3 does not exist; allowed: from 0 to 1"):
        schedlab.Scenario.from_tasks(rows[3:], processors=8, scheduler="C-EDF", cluster_size=4)
