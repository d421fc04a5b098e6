"""Sliders for notebooks: a cost is moved, and the schedule and the verdict follow.

Needs ipywidgets, which `pip install 'schedlab[notebook]'` adds.
"""

from __future__ import annotations

from contextlib import suppress
from html import escape
from typing import Any

from schedlab._native import nanoseconds
from schedlab.base.durations import duration, exact_duration, share_of
from schedlab.core.analysis import Analysis, analyze
from schedlab.core.scenario import Scenario
from schedlab.core.schedule import Schedule
from schedlab.core.simulation import simulate
from schedlab.core.window import Time, window
from schedlab.errors import BadInput, CannotRun

try:
    import ipywidgets
except ModuleNotFoundError as error:
    raise CannotRun(f"schedlab.widgets: {error}; install it: pip install 'schedlab[notebook]'") from error

#: About how many places a slider has, and how many sliders stand for a scenario whose tasks are not named.
_PLACES, _MOST = 100, 6

#: Colours of answers, which are readable on light and on dark pages.
_COLOURS = {"schedulable": "#1a7f37", "unschedulable": "#c9302c", "unknown": "#9a6700"}


class CostSliders:
    """A slider for the cost of each of some tasks, with the schedule and the verdict for the chosen costs below.

    A notebook shows it, and a program moves it by `set`. `sliders` maps names of tasks to widgets of ipywidgets, whose
    values are nanoseconds. `scenario`, `analysis` and `schedule` are those of the chosen costs; `schedule` is None if
    they cannot be simulated.
    """

    def __init__(self, scenario: Scenario, *tasks: str, until: Time = None) -> None:
        """Makes sliders for `tasks`, or for the first six whose costs no program says.

        A slider goes from about zero to the task's relative deadline.
        The schedule is simulated and drawn up to `until`, such as "20 ms"; by default as far as a picture shows it.
        Raises `BadInput` for a task that is not the scenario's, and for one whose cost its program determines.
        """
        rows = {task["name"]: task for task in scenario.tasks}
        self._given = scenario
        chosen = tasks or tuple(name for name in rows if self._is_moved(name, rows[name]))[:_MOST]
        if not chosen:
            raise BadInput("no task has a cost of its own: programs say what each costs; allowed: other scenarios")
        if unknown := [name for name in chosen if name not in rows]:
            raise BadInput(f"there is no task {unknown[0]!r}; allowed: {', '.join(rows)}")
        self._end = window(simulate(scenario)._native, scenario, until=until)[1]
        self.sliders: dict[str, Any] = {name: self._slider(name, rows[name]) for name in chosen}
        self._told, self._picture = ipywidgets.HTML(), ipywidgets.HTML()
        for slider in self.sliders.values():
            slider.observe(self._show, "value")
        self.box = ipywidgets.VBox([*self.sliders.values(), self._told, self._picture])
        self._show()

    def set(self, task: str, cost: str | int) -> None:
        """Moves the slider of `task` to `cost`: nanoseconds, or text such as "2.5 ms".

        A slider gets a place that it did not have. Raises `BadInput` for a task without a slider, and for a cost that
        is not positive.
        """
        if task not in self.sliders:
            raise BadInput(f"there is no slider of {task!r}; allowed: {', '.join(self.sliders)}")
        slider, moved = self.sliders[task], nanoseconds("cost", cost)
        # A scenario refuses what is no cost, before the slider has the place.
        self._at({task: moved})
        # New places choose the first one until the value is set, which is not to be shown.
        slider.unobserve(self._show, "value")
        slider.options = _options({moved, *(place for _, place in slider.options)})
        slider.value = moved
        slider.observe(self._show, "value")
        self._show()

    def _is_moved(self, name: str, task: Any) -> bool:
        """Returns whether the scenario takes another cost of this task, which its program may say instead."""
        with suppress(BadInput):
            self._given.replace(settings=_setting(name, task["wcet_ns"]))
            return True
        return False

    def _slider(self, name: str, task: Any) -> Any:
        """Returns a slider whose places are round costs, and the task's own one."""
        own, due = task["wcet_ns"], max(task["relative_deadline_ns"], task["wcet_ns"])
        # A cost that its program determines is refused here, rather than at the first move.
        self._given.replace(settings=_setting(name, own))
        step = _round_step(due)
        options = _options({own, due, *range(step, due, step)})
        wide = ipywidgets.Layout(width="32em")
        return ipywidgets.SelectionSlider(options=options, value=own, description=name, layout=wide)

    def _at(self, costs: dict[str, int]) -> Scenario:
        own = dict(zip(self._given.tasks["name"], self._given.tasks["wcet_ns"], strict=True))
        moved = [pair for name, cost in costs.items() if cost != own[name] for pair in _setting(name, cost)]
        return self._given.replace(settings=moved) if moved else self._given

    def _show(self, _: object = None) -> None:
        """Analyses and simulates the scenario at the chosen costs, and shows both."""
        self.scenario = self._at({name: slider.value for name, slider in self.sliders.items()})
        [self.analysis] = analyze(self.scenario)
        told = _verdict(self.analysis)
        try:
            self.schedule: Schedule | None = simulate(self.scenario.replace(horizon=self._end))
        except BadInput as error:
            self.schedule = None
            self._told.value, self._picture.value = f"{told}<br>{escape(str(error))}", ""
            return
        self._told.value = f"{told}<br>{_observed(self.schedule)}"
        self._picture.value = self.schedule._repr_html_()

    def _repr_mimebundle_(self, **asked: Any) -> Any:
        return self.box._repr_mimebundle_(**asked)


def _verdict(analysis: Analysis) -> str:
    """Returns the answer in its colour, with the tests that give it."""
    answer = "unknown" if analysis.error else analysis.answer
    hard = analysis.conclusion["hard"]
    by = f" by {', '.join(hard['tests'])}" if hard is not None and answer != "unknown" else ": no test decides"
    told = analysis.error or f"under {analysis.scheduler}{by}"
    return f'<b style="color: {_COLOURS[answer]}">{answer}</b> {escape(told)}'


def _observed(schedule: Schedule) -> str:
    """Returns what was simulated: how many deadlines were missed, and the job that came closest to its own."""
    found = schedule.metrics()
    seen = f"simulated until {duration(found.horizon_ns)}: {found.misses} of {found.jobs} deadlines missed"
    done = [
        (late, took, job["name"])
        for job in schedule.jobs
        if (late := job["lateness_ns"]) is not None and (took := job["response_time_ns"]) is not None
    ]
    if not done:
        return seen
    late, took, name = max(done, key=lambda job: job[0])
    what = "the latest" if late > 0 else "the closest"
    return f"{seen}; {what} responds in {share_of(took, took - late)}: {escape(name)}"


def _setting(task: str, cost: int) -> list[tuple[str, str]]:
    return [(f"task.{task}.wcet", f"{cost}ns")]


def _options(costs: set[int]) -> list[tuple[str, int]]:
    """Returns the places of a slider, in order: each a text that is exact, and a cost in nanoseconds."""
    short = ((duration(cost), cost) for cost in sorted(costs))
    return [(text if nanoseconds("cost", text) == cost else exact_duration(cost), cost) for text, cost in short]


def _round_step(longest: int) -> int:
    """Returns the least of 1, 2 and 5 times a power of ten, in nanoseconds, of which few enough make `longest`."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if longest <= factor * power * _PLACES:
                return factor * power
        power *= 10
