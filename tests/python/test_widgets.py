"""Sliders of costs: the schedule and the verdict follow, and what is no cost is refused."""

from __future__ import annotations

import pytest

import schedlab
from conftest import MS, ROOT, dhall
from schedlab.widgets import CostSliders


def camera(cost: int = 4 * MS) -> schedlab.Scenario:
    rows = [
        {"name": "motor", "wcet_ns": 2 * MS, "period_ns": 5 * MS},
        {"name": "camera", "wcet_ns": cost, "period_ns": 7 * MS},
    ]
    return schedlab.Scenario.from_tasks(rows, processors=1, scheduler="P-RM", horizon=35 * MS)


def texts(bench: CostSliders) -> tuple[str, str]:
    """The verdict and the picture, as the widgets show them."""
    _, told, picture = bench.box.children
    return told.value, picture.value


def test_a_moved_slider_changes_schedule_and_verdict() -> None:
    bench = CostSliders(camera(), "camera")
    told, before = texts(bench)
    assert "unschedulable" in told and "1 of 12 deadlines missed; the latest responds in 8 of 7 ms: camera" in told
    bench.sliders["camera"].value = 3 * MS
    told, after = texts(bench)
    assert ">schedulable</b> under P-RM by hyperbolic, response_time" in told
    assert "0 of 12 deadlines missed; the closest responds in 5 of 7 ms: camera" in told
    assert "<svg" in after and after != before
    assert bench.scenario.tasks["wcet_ns"] == [2 * MS, 3 * MS]
    # The values are those that the commands give of the same scenario.
    assert bench.analysis == schedlab.analyze(bench.scenario)[0]
    assert bench.schedule is not None and bench.schedule.to_bytes() == schedlab.simulate(bench.scenario).to_bytes()


def test_a_slider_has_round_places_its_own_cost_and_the_deadline() -> None:
    slider = CostSliders(camera(3_333_333), "camera").sliders["camera"]
    costs = [cost for _, cost in slider.options]
    assert slider.value == 3_333_333 and costs[0] == MS // 10 and costs[-1] == 7 * MS
    assert costs == sorted({3_333_333, *range(MS // 10, 7 * MS + 1, MS // 10)})
    names = dict(map(reversed, slider.options))
    assert (names[3 * MS], names[3_700_000], names[3_333_333]) == ("3 ms", "3.7 ms", "3333333 ns")


def test_a_program_moves_it_to_any_cost() -> None:
    bench = CostSliders(dhall(), until="22 ms")
    assert list(bench.sliders) == dhall().tasks["name"]
    bench.set("T2", "9.87654 ms")
    assert bench.sliders["T2"].value == 9_876_540 and bench.scenario.tasks["wcet_ns"][2] == 9_876_540
    assert bench.schedule is not None and bench.schedule.metrics().horizon_ns == 22 * MS
    # The scenario's own horizon stays.
    assert bench.scenario.horizon_ns == dhall().horizon_ns
    bench.set("T2", dhall().tasks["wcet_ns"][2])
    assert bench.scenario == dhall()


@pytest.mark.parametrize(
    ("task", "cost", "message"),
    [
        ("heavy", MS, "there is no slider of 'heavy'; allowed: T2"),
        ("T2", "0 ns", "is zero"),
        ("T2", "-1 ms", "is negative"),
        ("T2", 2**64, "out of range"),
    ],
)
def test_what_is_no_cost_is_refused_and_changes_nothing(task: str, cost: str | int, message: str) -> None:
    bench = CostSliders(dhall(), "T2")
    before, options = texts(bench), bench.sliders["T2"].options
    with pytest.raises(schedlab.BadInput, match=message):
        bench.set(task, cost)
    assert texts(bench) == before and bench.sliders["T2"].options == options


def test_tasks_that_have_no_slider_are_refused() -> None:
    with pytest.raises(schedlab.BadInput, match="there is no task 'x'; allowed: T0, T1, T2"):
        CostSliders(dhall(), "x")
    pathfinder = schedlab.Scenario.read(ROOT / "examples" / "pathfinder.toml")
    with pytest.raises(schedlab.BadInput, match='the program of task "MESURES" says what it costs'):
        CostSliders(pathfinder, "ORDO_BUS", "MESURES")
    assert list(CostSliders(pathfinder, "ORDO_BUS").sliders) == ["ORDO_BUS"]
    # Without names, they are those whose costs no program says.
    assert list(CostSliders(pathfinder).sliders) == ["ORDO_BUS", "RADIO", "CAMERA"]


def test_names_cannot_break_out_of_the_widget() -> None:
    attack = "<img src=x onerror=alert(1)>"
    rows = [{"name": attack, "wcet_ns": MS, "period_ns": 10 * MS}]
    bench = CostSliders(schedlab.Scenario.from_tasks(rows, processors=1, horizon=20 * MS))
    bench.set(attack, "2 ms")
    assert "<img" not in "".join(texts(bench)) and attack in bench.sliders
    assert bench.scenario.tasks["wcet_ns"] == [2 * MS]


def test_a_notebook_shows_the_widgets() -> None:
    shown = CostSliders(dhall())._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in shown
