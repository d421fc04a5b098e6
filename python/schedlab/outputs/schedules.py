"""What jobs experienced, simulated or real: shapes of metrics, comparisons and findings."""

from __future__ import annotations

from schedlab.outputs.results import VERDICT
from schedlab.outputs.shapes import (
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Shape,
    by_name,
    cells,
    either,
    maybe,
    one_of,
    record,
    some,
)

_RESPONSE = maybe(record(max=WHOLE, mean=NUMBER, p50=WHOLE, p95=WHOLE, p99=WHOLE))
_TARDINESS = maybe(record(max=WHOLE, mean=NUMBER))

#: What a task experienced, in metrics and comparisons.
_OF_TASK: dict[str, Shape] = {
    **dict.fromkeys(("index", "jobs", "completed", "unfinished", "misses", "preemptions", "migrations"), WHOLE),
    "response_time_ns": _RESPONSE,
    "tardiness_ns": _TARDINESS,
}

#: The same in all.
_OF_ALL: dict[str, Shape] = {
    **dict.fromkeys(("jobs", "misses", "preemptions", "migrations", "max_tardiness_ns", "overhead_ns"), WHOLE),
    "wasted_ns": WHOLE,
    "load": NUMBER,
}

METRICS: dict[str, Shape] = {
    "scheduler": TEXT,
    "horizon_ns": WHOLE,
    **_OF_ALL,
    "wasted_by_processor_ns": some(WHOLE),
    "deadlocks": some(record(at_ns=WHOLE, circle=some(record(job=TEXT, holds=TEXT, wants=TEXT)), text=TEXT)),
    "tasks": some(record(**_OF_TASK, name=TEXT, suspensions=WHOLE, task_migrations=WHOLE)),
}

INVARIANT = record(name=TEXT, holds=FLAG, detail=maybe(TEXT))

#: What only some causes have.
_CAUSE: dict[str, Shape] = {
    "jobs": some(TEXT),
    "behind": some(TEXT),
    "resource": TEXT,
    "resources": some(TEXT),
    "kind": TEXT,
}

WHY: dict[str, Shape] = {
    "job": TEXT,
    "arrival_ns": WHOLE,
    "absolute_deadline_ns": WHOLE,
    "end_ns": WHOLE,
    "ending": TEXT,
    "response_time_ns": WHOLE,
    "intervals": some(record(tuple(_CAUSE), **_CAUSE, cause=TEXT, start_ns=WHOLE, end_ns=WHOLE)),
    "parts": some(record(tuple(_CAUSE), **_CAUSE, cause=TEXT, length_ns=WHOLE)),
}

_DISTRIBUTION = maybe(record(**dict.fromkeys(("count", "largest_ns", "median_ns", "p999_ns", "p99_ns"), WHOLE)))

_WITNESS = record(
    **dict.fromkeys(("lost", "never_ran", "on_two_processors", "untrue"), WHOLE),
    clipped_ns=maybe(WHOLE),
    holds=FLAG,
    invariants_hold=maybe(FLAG),
    starts=_DISTRIBUTION,
    stops=_DISTRIBUTION,
)

_LONGEST = record(job=TEXT, response_ns=WHOLE, lost_ns=WHOLE, lost_to_ns=by_name(WHOLE), longest_less_lost_ns=WHOLE)

_MISSES = record(
    **dict.fromkeys(("of_schedule", "of_lost_time", "of_shifted_decisions"), WHOLE),
    lost_mostly_to=by_name(WHOLE),
    shifted_mostly_by=by_name(WHOLE),
    unexplained=some(record(job=TEXT, tardiness_ns=WHOLE, lost_ns=WHOLE)),
)

_STOLEN = record(total_ns=WHOLE, share=NUMBER, by_processor_ns=by_name(WHOLE))

#: What a real run found: `schedlab-rt run --json`.
FINDINGS = record(
    holds=FLAG,
    ending=TEXT,
    end_ns=WHOLE,
    jobs=record(arrived=WHOLE, completed=WHOLE, missed=WHOLE),
    release_latency=_DISTRIBUTION,
    witness=maybe(_WITNESS),
    lost_time=maybe(
        record(on_the_way_ns=WHOLE, to_others_ns=WHOLE, ordinary_over_real_time=record(count=WHOLE, total_ns=WHOLE))
    ),
    from_outside=record(stolen=maybe(_STOLEN), stood_still=some(record(from_ns=WHOLE, to_ns=WHOLE))),
    misses=maybe(_MISSES),
    longest_responses=maybe(some(maybe(_LONGEST))),
    replay_is_exact=maybe(FLAG),
    invariants_hold=maybe(FLAG),
    holders_preempted_in_overlong_sections=maybe(WHOLE),
    overruns=WHOLE,
    tracer_lost=WHOLE,
    background_ns=some(maybe(WHOLE)),
    warning=maybe(TEXT),
    programs=maybe(
        record(count=WHOLE, completed_ns=some(maybe(WHOLE)), mean_ns=maybe(NUMBER), deviation_ns=maybe(NUMBER))
    ),
    runaways=some(TEXT),
    kept_waiting=some(TEXT),
)

_HISTOGRAM = record(edges_ns=some(WHOLE), counts=some(WHOLE))

_OCCUPANT = maybe(record(("task", "job", "overhead"), task=WHOLE, job=WHOLE, overhead=TEXT))

#: Where two traces differ first; None where they do not.
DIFFERENCE = {
    "schedule": maybe(record(at_ns=WHOLE, cpu=WHOLE, occupants=cells(_OCCUPANT, _OCCUPANT))),
    "record": maybe(record(number=WHOLE, lines=cells(maybe(TEXT), maybe(TEXT)))),
}

#: What a picture needs; `schedlab.compare` says what each row holds. Of a scheduler that was not applied it is empty.
_DRAWN: dict[str, Shape] = {
    "window": cells(WHOLE, WHOLE),
    **dict.fromkeys(("segments", "spinning", "critical_sections"), some(cells(*[WHOLE] * 5))),
    "overheads": some(cells(WHOLE, TEXT, WHOLE, WHOLE)),
    "waits": some(cells(WHOLE, WHOLE, TEXT, WHOLE, WHOLE)),
    "blockings": some(cells(*[WHOLE] * 6)),
    **dict.fromkeys(
        ("arrivals", "deadlines", "completions", "aborts", "misses", "budgets", "wastes"), some(cells(*[WHOLE] * 3))
    ),
    "subtasks": some(cells(*[WHOLE] * 4)),
}

_SCHEDULE = record(tuple(_DRAWN), **_DRAWN)

_OVER_BOUND = record(
    index=WHOLE,
    job=maybe(TEXT),
    response_time_ns=WHOLE,
    bound_ns=WHOLE,
    explained=maybe(FLAG),
    taken_ns=by_name(WHOLE),
)

#: Of an error nothing else is there; of a scheduler that was not applied, empty objects stand for what it lacks.
_REAL = record(
    ("ending", "until_ns", "tasks", "totals", "over_bound", "findings"),
    error=maybe(TEXT),
    ending=TEXT,
    until_ns=WHOLE,
    tasks=some(record(**_OF_TASK, histogram=_HISTOGRAM)),
    totals=record(**_OF_ALL),
    over_bound=some(_OVER_BOUND),
    findings=FINDINGS,
)

_COMPARED_TASK = record(
    **_OF_TASK, response_time_bound_ns=maybe(WHOLE), tardiness_bound_ns=maybe(WHOLE), histogram=_HISTOGRAM
)

_COMPARED = record(
    ("real",),
    name=TEXT,
    description=TEXT,
    error=maybe(TEXT),
    overheads_unknown=some(TEXT),
    placement=maybe(some(WHOLE)),
    verdicts=some(VERDICT),
    tasks=some(_COMPARED_TASK),
    totals=record(tuple(_OF_ALL), **_OF_ALL),
    invariants=some(INVARIANT),
    schedule=_SCHEDULE,
    real=_REAL,
)

#: `schedlab.compare` describes it.
COMPARISON: dict[str, Shape] = {
    **dict.fromkeys(("title", "schedlab_version", "scenario", "overheads", "overheads_source"), TEXT),
    "overheads_statistic": TEXT,
    "overheads_unknown": some(TEXT),
    "processors": WHOLE,
    "utilization": record(exact=TEXT, value=NUMBER),
    "seed": either(WHOLE, TEXT),
    "horizon_ns": WHOLE,
    "drawn_until_ns": WHOLE,
    "tasks": some(
        record(
            **dict.fromkeys(("index", "wcet_ns", "period_ns", "relative_deadline_ns", "offset_ns"), WHOLE),
            name=TEXT,
            utilization=NUMBER,
        )
    ),
    "schedulers": some(_COMPARED),
}

DOCTOR: dict[str, Shape] = {
    "real_runs": FLAG,
    "machine": record(is_virtual=FLAG, kernel=TEXT, mitigations=TEXT, model=TEXT, processors=WHOLE),
    "findings": some(record(what=TEXT, state=one_of("ok", "note", "no"), found=TEXT, advice=TEXT)),
}
