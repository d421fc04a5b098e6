"""Metrics of a schedule's jobs for people: a sentence first, then a row for each task."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from schedlab.base.defaults import NO_OVERHEADS
from schedlab.base.durations import NO_DEADLINE_NS, duration, share_of
from schedlab.base.words import count
from schedlab.cli.shared.files import in_a_shell
from schedlab.cli.shared.options import next_step, print_next, table
from schedlab.cli.shared.screen import Styled, say
from schedlab.core.metrics import Metrics
from schedlab.core.placement import executed
from schedlab.core.scenario import Scenario


def print_metrics(metrics: Metrics, violated: list[Any], scenario: Scenario, details: bool) -> None:
    """Prints whether deadlines were met, the metrics of each task, and problems, if there are any."""
    say(sentence(metrics, scenario))
    print_horizon(scenario)
    for deadlock in metrics.deadlocks:
        say(Styled(deadlock["text"], "red"))
    for found in violated:
        say(Styled("violated", "red", f" {found.name}: {found.detail}"))
    print_same(scenario)
    print_overflowed(scenario.overflowed)
    print_tasks(metrics)
    if details:
        preempted, migrated = count(metrics.preemptions, "preemption"), count(metrics.migrations, "migration")
        charged = f"{duration(metrics.overhead_ns)} of overhead, {duration(metrics.wasted_ns)} wasted"
        say(f"{preempted}, {migrated}, load {metrics.load:.3f}, {charged}")
    if details or scenario.overheads != NO_OVERHEADS:
        say(f"overheads charged: {scenario.overheads_charged}")
    if scenario.overheads != NO_OVERHEADS:
        print_unknown_overheads(scenario.overheads_unknown)
        print_not_simulated(scenario.overheads_not_simulated)


def print_unknown_overheads(kinds: Iterable[str], under: str = "") -> None:
    """Prints the overheads without a value, if any: they take no time here, which must not go unnoticed."""
    if kinds := [kind.replace("_", " ") for kind in kinds]:
        say(Styled(f"{under}unknown overheads, not charged", "yellow", f": {', '.join(kinds)}"))


def print_overflowed(names: Sequence[str], under: str = "") -> None:
    """Prints the tasks that fit nowhere, if any: their places prove nothing of other placements."""
    if names:
        fit = "fits" if len(names) == 1 else "fit"
        say(Styled(f"{under}placed best-effort", "yellow", f": {', '.join(names)} {fit} nowhere"))


def print_horizon(scenario: Scenario) -> None:
    """Prints that the default horizon is short of 20 longest periods, if it is."""
    if scenario._native.horizon_is_shortened:
        told = f": {duration(scenario.horizon_ns)} for about a million jobs, not 20 longest periods; see --horizon"
        say(Styled("horizon", "yellow", told))


def print_same(scenario: Scenario) -> None:
    """Prints which partitioned scheduler a clustered one is, if its clusters have one processor each."""
    if (same := scenario._native.same_as_partitioned) is not None:
        print_single_clusters(scenario.scheduler, same)


def print_single_clusters(scheduler: str, same: str) -> None:
    """Prints that a clustered scheduler is the partitioned one `same`."""
    say(Styled("clusters of one processor", "yellow", f": {scheduler} is {same} here; see --cluster-size"))


def print_not_simulated(kinds: Iterable[str]) -> None:
    """Prints the known overheads that no simulation charges."""
    if kinds := [kind.replace("_", " ") for kind in kinds]:
        say(Styled("not simulated", "yellow", f": {', '.join(kinds)}; analyses charge them"))


def print_tasks(metrics: Metrics) -> None:
    """Prints a row for each task."""
    columns = ("task", "jobs", "missed", "response max", "p99", "mean", "tardiness max", "preempted", "migrated")
    accrual = ("aborted", "AUR") if metrics.accrued_utility is not None else ()
    retried = ("retries",) if any(task["retries"] for task in metrics.tasks) else ()
    rows = table("", *columns, *retried, *accrual)
    for task in metrics.tasks:
        rows.row(
            task["name"],
            str(task["jobs"]),
            Styled(str(task["misses"]), "red") if task["misses"] else "0",
            duration(task["max_response_time_ns"]),
            duration(task["p99_response_time_ns"]),
            duration(task["mean_response_time_ns"]),
            duration(task["max_tardiness_ns"]),
            str(task["preemptions"]),
            str(task["migrations"]),
            *((str(task["retries"]),) if retried else ()),
            *((str(task["aborts"]), ratio(task["accrued_utility_ratio"])) if accrual else ()),
        )
    rows.print()
    if accrual:
        say(
            f"accrued utility {metrics.accrued_utility:g}, ratio (AUR) {ratio(metrics.accrued_utility_ratio)}; "
            f"deadlines satisfied (DSR) {ratio(metrics.deadline_satisfaction_ratio)}; "
            f"{count(metrics.aborts, 'job')} given up"
        )


def ratio(value: float | None) -> str:
    """Returns a share of 1 as text; a dash if there is none."""
    return "-" if value is None else f"{value:.3f}"


def sentence(metrics: Metrics, scenario: Scenario) -> Styled:
    """Returns a sentence: whether deadlines were met, and the task that was latest, or came closest to its deadline."""
    under = f" under {metrics.scheduler} in {duration(metrics.horizon_ns)}"
    deadlines = {task["index"]: task["relative_deadline_ns"] for task in executed(scenario, len(metrics.tasks))}
    seen = [(task, longest) for task in metrics.tasks if (longest := task["max_response_time_ns"]) is not None]
    if metrics.misses:
        late = f"{metrics.misses} of {count(metrics.jobs, 'deadline')} missed"
        tardy = [(tardiness, task["name"]) for task, _ in seen if (tardiness := task["max_tardiness_ns"])]
        worst = max(tardy, key=lambda one: one[0], default=None)
        told = "" if worst is None else f"; latest: {worst[1]}, by {duration(worst[0])}"
        return Styled(late, "red", under + told)
    if metrics.deadlocks:
        return Styled("deadlock", "red", f"{under}; no deadline missed before")
    if not seen:
        return Styled("no job was complete", "yellow", under)
    urgent = [one for one in seen if deadlines[one[0]["index"]] < NO_DEADLINE_NS]
    if not urgent:
        return Styled("no deadline missed", "green", f"{under}: {count(metrics.jobs, 'job')}, of which none has one")
    closest, longest = min(urgent, key=lambda one: deadlines[one[0]["index"]] - one[1])
    share = share_of(longest, deadlines[closest["index"]])
    jobs = f": {count(metrics.jobs, 'job')}; closest: {closest['name']}, {share}"
    return Styled("no deadline missed", "green", under + jobs)


def print_next_of(metrics: Metrics, trace: Path | None, drawn: bool) -> None:
    """Prints the next command: the reason of misses, else a picture, else the proofs."""
    if trace is not None:
        print_next(shlex.join(["schedlab", "why", in_a_shell(trace)]), "how the worst job spent its time")
    elif metrics.misses:
        next_step("simulate", "--trace", "late.slt", why="then `schedlab why late.slt` explains the worst miss")
    elif not drawn:
        next_step("simulate", "--draw", why="the beginning of the schedule")
    else:
        next_step("analyze", why="what is guaranteed")
