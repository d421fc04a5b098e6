"""Computations of tests for readers: formulas with numbers, line by line, which text, pages and LaTeX show.

Every number comes from the test that decided (`schedlab.outputs.results.TestSteps`); only units are chosen here.
"""

from __future__ import annotations

from dataclasses import replace

from schedlab.core.steps.blocking import of_blocking, of_delay
from schedlab.core.steps.demand import of_demand
from schedlab.core.steps.lines import Computation, Group, Line, Part, tex_text
from schedlab.core.steps.sums import of_load, of_slack, of_sum, of_work
from schedlab.core.steps.sweep import of_sweep
from schedlab.core.steps.windows import of_response
from schedlab.outputs.results import TestSteps

__all__ = ["Computation", "Group", "Line", "Part", "computations", "tex_text"]


def computations(steps: TestSteps, *, by_cluster: bool = False) -> list[Computation]:
    """Returns a test's computations in the order in which a reader needs them, with their clusters if asked."""
    found = [
        *((one["cluster"], of_sum(one)) for one in steps["sums"]),
        *((one["cluster"], of_load(one)) for one in steps["loads"]),
        *((one["cluster"], of_work(one)) for one in steps["works"]),
        *((one["cluster"], of_slack(one)) for one in steps["slacks"]),
        *((one["cluster"], of_blocking(one)) for one in steps["blocking"]),
        *((one["cluster"], of_delay(one)) for one in steps["delays"]),
        *((one["cluster"], of_response(one)) for one in steps["responses"]),
        *((one["cluster"], of_sweep(one)) for one in steps["sweeps"]),
        *((one["cluster"], of_demand(one)) for one in steps["demands"]),
    ]
    return [replace(one, head=f"cluster {cluster}: {one.head}") if by_cluster else one for cluster, one in found]
