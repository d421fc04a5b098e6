"""A scheduler in Python: the job with the least slack goes first.

    schedlab simulate examples/avionics.toml --policy examples/python_policy.py:LeastSlack --draw

Slack is the time to the deadline less the work still to do, as it was when a job became ready or was
resumed: a waiting job does not gain on a running one, so that jobs do not thrash.
"""

from collections.abc import Sequence

import schedlab


class LeastSlack(schedlab.Policy):
    name = "G-LEAST-SLACK"
    promises = ("work_conserving",)

    def __init__(self, cpus: Sequence[int], tasks: int) -> None:
        super().__init__(cpus, tasks)
        self.slack: dict[schedlab.JobId, int] = {}

    def note(self, now: int, event: schedlab.Event, jobs: schedlab.Jobs) -> None:
        if event.job is None:
            return
        if event.kind in ("ready", "resumed"):
            self.slack[event.job] = now + jobs[event.job].laxity_ns(now)
        elif event.kind == "completed":
            del self.slack[event.job]

    def decide(self, now: int, jobs: schedlab.Jobs, out: schedlab.Decisions) -> None:
        out.run(sorted(jobs.ready(), key=lambda job: (self.slack[job.id], job.id)))
