"""schedlab: a laboratory for multiprocessor real-time scheduling and synchronization.

>>> import schedlab
>>> scenario = schedlab.Scenario.from_tasks(
...     [{"wcet_ns": 2, "period_ns": 10}, {"wcet_ns": 2, "period_ns": 10}, {"wcet_ns": 10, "period_ns": 11}],
...     processors=2, scheduler="G-EDF", horizon=110)
>>> schedule = schedlab.simulate(scenario)      # draws itself in a notebook
>>> schedule.metrics().misses > 0               # the Dhall effect
True
>>> [analysis] = schedlab.analyze(scenario)
>>> analysis.schedulable
False

Times are whole nanoseconds. The package converts, runs experiments and draws; Rust decides.
"""

from __future__ import annotations

from schedlab._native import Decisions, Event, Job, JobId, Jobs, __version__
from schedlab.comparison.compare import compare
from schedlab.core.analysis import Analysis, Verdict, advise, analyze
from schedlab.core.metrics import Checked, Metrics
from schedlab.core.placement import feasible, least_servers, place
from schedlab.core.policy import Policy
from schedlab.core.scenario import Scenario
from schedlab.core.schedule import Schedule
from schedlab.core.simulation import measure, simulate, simulate_many
from schedlab.core.tables import Table
from schedlab.core.workload import generate
from schedlab.errors import BadInput, CannotRun, Failed, SchedlabError
from schedlab.show import notebook, pictures  # noqa: F401 - they register how values are shown

__all__ = [
    "Analysis",
    "BadInput",
    "CannotRun",
    "Checked",
    "Decisions",
    "Event",
    "Failed",
    "Job",
    "JobId",
    "Jobs",
    "Metrics",
    "Policy",
    "Scenario",
    "SchedlabError",
    "Schedule",
    "Table",
    "Verdict",
    "__version__",
    "advise",
    "analyze",
    "compare",
    "feasible",
    "generate",
    "least_servers",
    "measure",
    "place",
    "simulate",
    "simulate_many",
]
