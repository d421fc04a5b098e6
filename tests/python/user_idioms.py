"""What users write. `test_types.py` checks its types strictly; nothing here runs."""

from collections.abc import Mapping

import schedlab
from schedlab.outputs.answers import Why
from schedlab.outputs.results import LateJob, Way
from schedlab.outputs.tables import JobRow


class LeastLaxity(schedlab.Policy):
    """Jobs by laxity, named and by value."""

    def decide(self, now: int, jobs: schedlab.Jobs, out: schedlab.Decisions) -> None:
        ready = sorted(jobs.ready(), key=lambda job: (job.laxity_ns(now), job.id))
        out.run(ready)
        out.run([job.id for job in ready])
        out.run(sorted(jobs.ready(), key=lambda job: (job.absolute_deadline_ns, job.id)))
        out.run([ready[0], ready[1].id])
        out.link(self.cpus[0], ready[0])


class Bands(schedlab.Policy):
    """A policy with a state, a name, a scope and promises."""

    name = "BANDS"
    scope = "partitioned"
    promises = ("work_conserving",)

    def __init__(self, cpus: list[int], tasks: int) -> None:
        super().__init__(cpus, tasks)
        self.late: dict[schedlab.JobId, int] = {}

    def priority(self, job: schedlab.Job) -> int:
        return job.relative_deadline_ns

    def note(self, now: int, event: schedlab.Event, jobs: schedlab.Jobs) -> None:
        if event.kind == "ready" and event.job is not None:
            self.late[event.job] = now + jobs[event.job].laxity_ns(now)

    def decide(self, now: int, jobs: schedlab.Jobs, out: schedlab.Decisions) -> None:
        out.run(sorted(jobs.ready(), key=lambda job: self.late[job.id]))


def sweep(scenario: schedlab.Scenario) -> dict[int, int]:
    """Misses by number of processors."""
    found = {}
    for processors in (1, 2, 4):
        bigger = scenario.replace(processors=processors, copies=2, horizon="1 s", overheads="paper-2008-4k")
        found[processors] = schedlab.simulate(bigger, scheduler=LeastLaxity).metrics().misses
    return found


def worst(scenario: schedlab.Scenario) -> tuple[str, int]:
    """The job with the longest response time, by rows and by columns."""
    jobs = schedlab.simulate(scenario).jobs

    def longest(job: JobRow) -> int:
        return job["response_time_ns"] or 0

    row = max(jobs, key=longest)
    late = [job["lateness_ns"] for job in jobs if job["missed"] and job["lateness_ns"] is not None]
    first: int = jobs[0]["arrival_ns"]
    wcets: list[int] = scenario.tasks["wcet_ns"]
    return row["name"], max(late, default=0) + first + sum(wcets)


def frames(scenario: schedlab.Scenario) -> float:
    """Tables of other libraries."""
    schedule = schedlab.simulate(scenario)
    frame = schedule.jobs.to_pandas()
    return float(frame["response_time_ns"].max()) + schedule.jobs.to_polars().height + len(schedule.metrics().tasks)


def proved(scenario: schedlab.Scenario) -> list[str]:
    """What analysis says."""
    said = []
    for analysis in schedlab.analyze(scenario, schedulers=["G-EDF", "P-EDF", LeastLaxity], explain=True):
        evidence: tuple[LateJob, ...] = analysis.evidence
        said += [f"{late['name']} is {late['late_by_ns'] or 0} ns late" for late in evidence]
        if analysis.blocking is not None and analysis.explanation is not None:
            blocked = [total for total in analysis.blocking["total_ns"] if total is not None]
            margin = analysis.explanation["margin_percent"]
            said.append(f"{sum(blocked)} {'-' if margin is None else round(margin, 1)}")
    [alone] = schedlab.analyze(scenario, schedulers="G-EDF", tests="gfb")
    return [*said, alone.scheduler]


def explained(schedule: schedlab.Schedule) -> int:
    """The parts of a response time; where schedules differ first."""
    why: Why = schedule.why("T2J0")
    other = schedule.difference(schedule)["schedule"]
    at = 0 if other is None else other["at_ns"]
    return at + sum(part["length_ns"] for part in why["parts"] if "resource" not in part)


def compared(scenario: schedlab.Scenario) -> Mapping[str, int]:
    """The misses of each scheduler."""
    rows = schedlab.compare(scenario, schedulers=["G-EDF", Bands])["schedulers"]
    return {row["name"]: row["totals"]["misses"] for row in rows if row["error"] is None}


def best(scenario: schedlab.Scenario) -> Way:
    """The best way, and where its tasks run."""
    way = schedlab.advise(scenario, schedulers=[LeastLaxity])["ways"][0]
    places = schedlab.place(scenario.replace(scheduler=way["scheduler"], placement=way["placement"]))
    assert places["scenario"] is not None and places["tasks"][0]["processors"]
    return way
