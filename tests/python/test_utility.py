"""Utility accrual: schedulers by name, and what they are measured by."""

from __future__ import annotations

import pytest

import schedlab
from conftest import MS, ROOT
from schedlab import BadInput, Scenario
from schedlab.comparison.loads import utility_over_load
from schedlab.comparison.summary import summary
from schedlab.show.report import write_comparison

OVERLOAD = ROOT / "examples" / "overload.toml"

ACCRUING = ("gMUA", "NG-GUA", "G-GUA", "P-DASA-ND", "P-LBESA", "P-HVDF", "G-HVDF", "G-NP-HVDF", "C-gMUA")


def one_processor(scheduler: str) -> Scenario:
    """Two steps of which only one fits: 3 of 4 ms is worth 9, 2 of 4 ms is worth 2."""
    tasks = [
        {"wcet_ns": 3 * MS, "period_ns": 4 * MS, "utility": 9, "processor": 0},
        {"wcet_ns": 2 * MS, "period_ns": 4 * MS, "utility": 2, "processor": 0},
    ]
    return Scenario.from_tasks(tasks, processors=1, scheduler=scheduler, horizon=40 * MS)


def test_utilities_are_accrued_by_completions():
    metrics = schedlab.simulate(one_processor("P-LBESA")).metrics()
    assert (metrics.jobs, metrics.misses, metrics.aborts) == (20, 10, 9)  # the last job ends with the run
    assert (metrics.accrued_utility, metrics.deadline_satisfaction_ratio) == (90.0, 0.5)
    assert metrics.accrued_utility_ratio == pytest.approx(90 / 110)
    assert metrics.tasks["accrued_utility"] == [90.0, 0.0]
    assert metrics.tasks["aborts"] == [0, 9]
    [without, _] = schedlab.measure(one_processor("P-LBESA"))
    assert without == metrics


def test_a_jobs_end_is_explained_with_its_worth():
    """At 4 the second task's first job is given up; the first task's job, which is as urgent, was chosen before it."""
    schedule = schedlab.simulate(one_processor("P-LBESA"))
    complete, gone = schedule.why("T0J0"), schedule.why("T1J0")
    assert (complete["ending"], complete["accrued_utility"], complete["largest_utility"]) == ("completed", 9.0, 9.0)
    assert (gone["ending"], gone["accrued_utility"], gone["largest_utility"]) == ("aborted", 0.0, 2.0)
    plain = Scenario.from_tasks([{"wcet_ns": MS, "period_ns": 4 * MS}], processors=1, horizon=40 * MS)
    assert schedlab.simulate(plain).why("T0J0")["accrued_utility"] is None


def test_jobs_that_are_due_later_were_chosen_by_utility():
    tasks = [
        {"wcet_ns": 3 * MS, "period_ns": 4 * MS, "utility": 1, "processor": 0},
        {"wcet_ns": 3 * MS, "period_ns": 5 * MS, "utility": 9, "processor": 0},
    ]
    scenario = Scenario.from_tasks(tasks, processors=1, scheduler="P-DASA-ND", horizon=40 * MS)
    causes = {part["cause"] for part in schedlab.simulate(scenario).why("T0J0")["parts"]}
    assert "chosen_by_utility" in causes and "inversion" not in causes
    non_preemptive = schedlab.simulate(scenario, scheduler="NP-EDF").why("T0J1")
    assert "chosen_by_utility" not in {part["cause"] for part in non_preemptive["parts"]}


def test_all_schedulers_are_measured_where_tasks_state_utilities():
    metrics = schedlab.simulate(one_processor("P-RM")).metrics()
    assert (metrics.aborts, metrics.accrued_utility) == (0, 90.0)
    plain = Scenario.from_tasks([{"wcet_ns": 1, "period_ns": 2}], processors=1, scheduler="P-RM", horizon=10)
    assert schedlab.simulate(plain).metrics().accrued_utility is None
    assert schedlab.simulate(plain).metrics().deadline_satisfaction_ratio == 1.0
    assert schedlab.simulate(plain.replace(scheduler="P-HVDF")).metrics().accrued_utility == 5.0


def test_edf_collapses_in_overload_and_utility_accrual_does_not():
    scenario = Scenario.read(OVERLOAD)
    ratios = {}
    for name in ("G-EDF", "P-EDF", *ACCRUING):
        metrics, checked = schedlab.measure(scenario.replace(scheduler=name))
        assert [found.name for found in checked if not found.holds] == []
        ratios[name] = metrics.accrued_utility_ratio
    assert max(ratios["G-EDF"], ratios["P-EDF"]) < 0.1
    assert min(ratios[name] for name in ACCRUING) > 0.7


def test_many_simulations_say_so_too():
    [row] = schedlab.simulate_many([one_processor("P-DASA-ND")])
    assert (row["aborts"], row["deadline_satisfaction_ratio"]) == (9, 0.5)
    assert row["accrued_utility_ratio"] == pytest.approx(90 / 110)


def test_tables_show_utility_where_it_is_measured(run):
    said = run("simulate", OVERLOAD).out
    assert "AUR" in said and "ratio (AUR)" in said and "given up" in said
    assert "AUR" not in run("simulate", ROOT / "examples" / "robot.toml").out


def test_a_comparison_shows_utility(run, tmp_path):
    found = run("compare", OVERLOAD, "--schedulers", "G-EDF,gMUA", "--horizon", "400 ms", "--out", tmp_path)
    assert "AUR" in found.out and "DSR" in found.out
    page = (tmp_path / "report.html").read_text()
    assert "accrued utility" in page and "given up" in page


def test_a_comparison_has_utility_over_load(run, tmp_path):
    scenario = Scenario.read(OVERLOAD).replace(horizon="400 ms")
    asked = ("G-EDF", "gMUA", "P-DASA-ND")
    found = schedlab.compare(scenario, schedulers=asked)
    over = found["utility_over_load"]
    assert over["costs_times"] == sorted(over["costs_times"]) and over["utilizations"] == sorted(over["utilizations"])
    assert (over["costs_times"][0], over["costs_times"][-1], over["horizon_ns"]) == (0.25, 2.0, 400 * MS)
    own = over["costs_times"].index(1.0)
    assert over["utilizations"][own] == pytest.approx(found["utilization"]["value"])
    for row, curve in zip(found["schedulers"], over["schedulers"], strict=True):
        assert curve["name"] == row["name"]
        for ratio in ("accrued_utility_ratio", "deadline_satisfaction_ratio"):
            assert curve[f"{ratio}s"][own] == row["totals"][ratio]
    edf, gmua, dasa = (curve["accrued_utility_ratios"] for curve in over["schedulers"])
    # Without overload no deadline is missed; then EDF collapses and the others do not.
    assert all(curve["deadline_satisfaction_ratios"][0] == 1 for curve in over["schedulers"])
    assert edf[0] == gmua[0] and min(edf[0], dasa[0]) > 0.9
    assert edf[-1] < 0.1 < 0.4 < min(gmua[-1], dasa[-1])
    scenarios = [scenario.replace(scheduler=name) for name in asked]
    assert all(utility_over_load(scenario, scenarios, threads=threads) == over for threads in (1, 3))
    page = write_comparison(summary(found), tmp_path).read_text()
    assert page.count('class="curve hue') == 3 * len(asked) and "Utility over load" in page


def test_long_horizons_are_cut_where_utility_over_load_is_simulated(monkeypatch):
    monkeypatch.setattr("schedlab.comparison.loads.MOST_JOBS", 1000)
    scenario = one_processor("P-EDF").replace(horizon="1 s")
    assert utility_over_load(scenario, [scenario])["horizon_ns"] == 200 * MS


def test_costs_are_scaled():
    given = one_processor("P-EDF")
    assert given.with_costs_times(0.5).tasks["wcet_ns"] == [1.5 * MS, MS]
    assert given.with_costs_times(1) == given
    with pytest.raises(BadInput, match=r"factor: 0 is not allowed; allowed: from 0\.000001"):
        given.with_costs_times(0)


def test_rows_have_abort_handlers():
    def read(handler):
        task = {"wcet_ns": 3, "period_ns": 9, "utility": 5, "abort_handler": handler}
        return Scenario.from_tasks([task], processors=1, scheduler="P-DASA-ND")

    pair = read((2_000_000, 1.5))
    assert 'abort_handler = { cost = "2ms", utility = 1.5 }' in pair.to_toml()
    assert pair == read('{ cost = "2ms", utility = 1.5 }')
    again = Scenario.from_tasks(pair.tasks, processors=1, scheduler="P-DASA-ND")
    assert again.tasks["abort_handler"] == pair.tasks["abort_handler"] == ['{ cost = "2ms", utility = 1.5 }']
    assert read(None).tasks["abort_handler"] == [None]
    for wrong in ((1,), (-1, 2), (True, 2), (1, "x"), (1, -1), 7, True, "{ price = 1 }"):
        with pytest.raises(BadInput, match=r"^task\[0\]\.abort_handler: .*allowed"):
            read(wrong)
    with pytest.raises(BadInput, match="abort handler, more than a completion can be worth"):
        read((1, 6))


def test_a_comparison_has_utility_accrual_where_tasks_state_utilities():
    found = schedlab.compare(Scenario.read(OVERLOAD).replace(horizon="400 ms"))
    ratios = {row["name"]: row["totals"]["accrued_utility_ratio"] for row in found["schedulers"]}
    assert list(ratios)[-4:] == ["P-DASA-ND", "P-LBESA", "gMUA", "G-GUA"]
    assert min(list(ratios.values())[-4:]) > 0.7 > 0.5 > ratios["G-EDF"]
    plain = Scenario.from_tasks([{"wcet_ns": 1, "period_ns": 9}], processors=1, horizon=90)
    assert "utility_over_load" not in schedlab.compare(plain, schedulers="G-EDF")
    assert [row["name"] for row in schedlab.compare(plain)["schedulers"]] == [*list(ratios)[:-4]]


def test_names_are_understood_in_any_case():
    assert [one_processor(name).scheduler for name in ("gmua", "G-NP-HVDF", "p-dasa-nd")] == [
        "gMUA", "NG-HVDF", "P-DASA-ND",
    ]  # fmt: skip


def test_nothing_is_proved_of_schedulers_that_give_jobs_up():
    [light] = schedlab.analyze(Scenario.from_tasks([{"wcet_ns": 1, "period_ns": 9}], processors=1, scheduler="P-LBESA"))
    assert not light.schedulable
    assert {found.answer for found in light.verdicts} == {"unknown"}
    [heavy] = schedlab.analyze(one_processor("P-LBESA"))
    assert "unschedulable" in {found.answer for found in heavy.verdicts if found.kind == "hard"}


def test_sections_are_refused_in_words():
    text = one_processor("gMUA").to_toml().replace('wcet = "2ms"', 'program = ["np_enter", "execute 2 ms", "np_exit"]')
    with pytest.raises(BadInput, match="has critical or non-preemptive sections, within which"):
        schedlab.simulate(Scenario.parse(text))


def test_many_task_sets_have_no_verdict(run, tmp_path):
    sets = tmp_path / "sets.jsonl"
    sets.write_text('{"id": 1, "tasks": [{"wcet_ns": 1, "period_ns": 9}]}\n')
    found = run("analyze", "--jsonl", sets, "--schedulers", "G-GUA")
    assert '"answer":"unknown"' in found.out and "no test is known for G-GUA" in found.out


def test_utilities_are_drawn(run):
    rules = {"stop": "tasks 30 total 2", "seed": 5}
    steps = schedlab.generate(**rules, utility="uniform 2 9").tasks["utility"]
    assert all(2 <= int(height) <= 9 for height in steps) and len(set(steps)) > 4
    lines = schedlab.generate(**rules, utility="by-cost 2 2 linear").tasks
    heights = [float(text.removeprefix("{ linear = ").partition(",")[0]) for text in lines["utility"]]
    assert heights == pytest.approx([2 * wcet / MS for wcet in lines["wcet_ns"]])
    assert lines["wcet_ns"] == schedlab.generate(**rules).tasks["wcet_ns"]
    said = run("generate", "--tasks", "3", "-u", "1", "--utility", "uniform 4 4").out
    assert said.count("utility = 4\n") == 3
    wrong = run("generate", "--tasks", "3", "-u", "1", "--utility", "uniform 4 3")
    assert (wrong.status, "utility: the largest is 3; allowed: from 4" in wrong.err) == (2, True)
    again = schedlab.Scenario.read(OVERLOAD).with_utility("uniform 1 1").tasks["utility"]
    assert again == ["1"] * 9
    assert "utility" in schedlab.schemas.names()
