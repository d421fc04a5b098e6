"""Random task sets: the same seed and index give the same tasks on every machine."""

from __future__ import annotations

from schedlab import _native
from schedlab.base.defaults import NO_ACCESSES, NO_PROTOCOL, NO_UTILITY, SCHEDULER
from schedlab.core.scenario import Scenario


def generate(
    *,
    utilizations: str | None = None,
    periods: str = "uniform 10ms 100ms",
    deadlines: str = "implicit",
    stop: str = "trim 2",
    seed: int = 1,
    index: int = 0,
    processors: int = 4,
    scheduler: str = SCHEDULER,
    accesses: str = NO_ACCESSES,
    utility: str = NO_UTILITY,
    protocol: str = NO_PROTOCOL,
) -> Scenario:
    """Draws task set number `index` of `seed`, as a scenario.

    `utilizations` is a named distribution (`uniform-light`, `exponential-heavy`, `bimodal-medium`, ...) or one over
    whole sets (`uunifast-discard`, `randfixedsum`, `bounded-sum`). `stop` states when the set is complete: "trim 4",
    "discard-at-cap 4 max-tasks 100", "discard-above 4" or "tasks 20". For distributions over whole sets it is "tasks 20
    total 3.2". Without a distribution, it is `randfixedsum` with such a total, else `uniform-medium`. `accesses` states
    how tasks share resources, which adds critical sections: see `Scenario.with_accesses`. `utility` states what
    completions are worth: see `Scenario.with_utility`. `schedlab.schemas.names()` lists all names. Raises `BadInput`
    for other texts.
    """
    if utilizations is None:
        utilizations = "randfixedsum" if " total " in stop else "uniform-medium"
    rows = _native.generate(utilizations, periods, deadlines, stop, seed, index)
    drawn = ((accesses, NO_ACCESSES), (utility, NO_UTILITY))
    shared = "".join(f", {rule}" for rule, nothing in drawn if rule != nothing)
    scenario = Scenario.from_tasks(
        rows,
        processors=processors,
        scheduler=scheduler,
        name=f"{utilizations}, {periods}, {deadlines}, {stop}{shared}; seed {seed}, set {index}",
        seed=seed,
    )
    shared_scenario = scenario.with_accesses(accesses, index=index).replace(protocol=protocol)
    return shared_scenario.with_utility(utility, index=index)
