"""Utility that schedulers accrue at other loads: the same tasks with shorter and longer costs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

from schedlab.core.scenario import Scenario
from schedlab.core.simulation import simulate_many
from schedlab.errors import BadInput
from schedlab.outputs.comparison import SchedulerOverLoad, UtilityOverLoad

#: Factors of all costs.
COSTS_TIMES = tuple(Fraction(percent, 100) for percent in (25, 40, 60, 80, 100, 120, 140, 160, 180, 200))

#: Number of jobs that all simulations together have at most, about: a long horizon is shortened.
MOST_JOBS = 1_000_000


def states_utility(scenario: Scenario) -> bool:
    """True if a task of `scenario` states a utility function."""
    return any(utility is not None for utility in scenario.tasks["utility"])


def utility_over_load(scenario: Scenario, scenarios: Sequence[Scenario], *, threads: int = 0) -> UtilityOverLoad:
    """Simulates each of `scenarios`, which are `scenario` under some schedulers, with its costs times `COSTS_TIMES`."""
    horizon_ns = _horizon_ns(scenario, len(scenarios) * len(COSTS_TIMES))
    base = scenario.replace(horizon=horizon_ns)
    return {
        "horizon_ns": horizon_ns,
        "costs_times": [float(times) for times in COSTS_TIMES],
        "utilizations": [float(base.utilization * times) for times in COSTS_TIMES],
        "schedulers": [_curve(one.replace(horizon=horizon_ns), threads) for one in scenarios],
    }


def _horizon_ns(scenario: Scenario, simulations: int) -> int:
    """Returns the scenario's horizon, shortened so that all simulations have `MOST_JOBS` jobs; at least one period."""
    periods: list[int] = scenario.tasks["period_ns"]
    jobs = simulations * sum(Fraction(scenario.horizon_ns, period) for period in periods)
    if jobs <= MOST_JOBS:
        return scenario.horizon_ns
    return min(scenario.horizon_ns, max(int(scenario.horizon_ns * MOST_JOBS / jobs), *periods))


def _curve(scenario: Scenario, threads: int) -> SchedulerOverLoad:
    """Simulates the scenario at each load, and returns what its scheduler accrues."""
    asked: dict[Fraction, Scenario] = {}
    for times in COSTS_TIMES:
        with suppress(BadInput):  # The scheduler refuses tasks with such costs.
            asked[times] = scenario.with_costs_times(times)
    found = dict(zip(asked, simulate_many(list(asked.values()), check=False, threads=threads), strict=True))
    rows = [None if isinstance(row := found.get(times), BadInput) else row for times in COSTS_TIMES]
    return {
        "accrued_utility_ratios": [row and row["accrued_utility_ratio"] for row in rows],
        "deadline_satisfaction_ratios": [row and row["deadline_satisfaction_ratio"] for row in rows],
        "name": scenario.scheduler,
    }
