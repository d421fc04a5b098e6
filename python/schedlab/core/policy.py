"""Schedulers in Python, for simulation, under the same invariants as any other.

```python
class LeastLaxity(schedlab.Policy):
    def decide(self, now: int, jobs: schedlab.Jobs, out: schedlab.Decisions) -> None:
        out.run(sorted(jobs.ready(), key=lambda job: (job.laxity_ns(now), job.id)))
```

One value is made per cluster. `note` is called for each event of one instant, in the order of docs/how-it-works.md;
then `decide` is called once. Times are whole nanoseconds.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from schedlab._native import Decisions, Event, Job, JobId, Jobs
from schedlab.base.user_code import load
from schedlab.errors import BadInput

__all__ = ["Decisions", "Event", "Job", "JobId", "Jobs", "Policy", "load_policy"]


class Policy(ABC):
    """A scheduler of one cluster. Override `decide`, and `note` and `priority` where needed."""

    #: The scheduler's name in traces; if empty, the class's name.
    name: ClassVar[str] = ""
    #: Scope of ready queues: the processors that share one.
    scope: ClassVar[Literal["global", "clustered", "partitioned"]] = "global"
    #: Invariants that every trace satisfies besides the universal ones, such as "work_conserving".
    promises: ClassVar[Sequence[str]] = ()

    def __init__(self, cpus: Sequence[int], tasks: int) -> None:
        #: The cluster's processors, rising.
        self.cpus = tuple(cpus)
        #: Number of tasks of the scenario.
        self.tasks = tasks

    def priority(self, job: Job) -> int:
        """Returns the priority point of a job that is about to become ready: smaller is more urgent."""
        return job.absolute_deadline_ns

    def note(self, now: int, event: Event, jobs: Jobs) -> None:  # noqa: B027 - a policy need not take note of anything
        """Notes an event at `now`, in nanoseconds."""

    @abstractmethod
    def decide(self, now: int, jobs: Jobs, out: Decisions) -> None:
        """Sets in `out` which job should run on each processor from `now` on.

        A processor that is not set keeps its job, until that completes or suspends.
        """


def load_policy(place: str) -> type[Policy]:
    """Returns the class at FILE.py:CLASS; raises `BadInput` if there is none, or it is no policy."""
    file, _, name = place.rpartition(":")
    if not file or not name:
        raise BadInput(f"{place}: a policy is named as FILE.py:CLASS")
    path = Path(file)
    if not path.is_file():
        raise BadInput(f"{path}: there is no such file")
    policy = getattr(load(path), name, None)
    if not (isinstance(policy, type) and issubclass(policy, Policy)):
        raise BadInput(f"{path}: {name} is not a class derived from schedlab.Policy")
    if inspect.isabstract(policy):
        missing = ", ".join(sorted(policy.__abstractmethods__))
        raise BadInput(f"{path}: {name} does not say how to {missing}: it needs that method")
    return policy
