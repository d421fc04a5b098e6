"""What was proved, placed, generated or compared with other tools: shapes."""

from __future__ import annotations

from schedlab.outputs.shapes import FLAG, NUMBER, TEXT, WHOLE, Shape, either, maybe, one_of, record, some

_BOUNDS = maybe(some(maybe(WHOLE)))

VERDICT = record(
    test=TEXT,
    source=TEXT,
    kind=one_of("hard", "soft"),
    answer=one_of("schedulable", "unschedulable", "unknown"),
    reason=TEXT,
    assumptions=some(TEXT),
    response_time_bounds_ns=_BOUNDS,
    tardiness_bounds_ns=_BOUNDS,
)

_BLOCKING = record(
    method=TEXT,
    protocol=TEXT,
    source=TEXT,
    assumptions=some(TEXT),
    is_bound=FLAG,
    reason=maybe(TEXT),
    remote_ns=some(maybe(WHOLE)),
    local_ns=some(maybe(WHOLE)),
    total_ns=some(maybe(WHOLE)),
)

_LATE_JOB = record(
    cluster=WHOLE,
    rule=TEXT,
    task=WHOLE,
    name=TEXT,
    job=WHOLE,
    absolute_deadline_ns=WHOLE,
    late_by_ns=maybe(WHOLE),
    jobs=some(record(task=WHOLE, job=WHOLE, arrival_ns=WHOLE, release_ns=WHOLE, cost_ns=WHOLE)),
)

_DEMAND = record(
    cluster=WHOLE,
    within_ns=WHOLE,
    demand_ns=WHOLE,
    exceeds=FLAG,
    parts=some(record(task=WHOLE, name=TEXT, demand_ns=WHOLE)),
)

_EXPLANATION = record(
    critical_scaling_percent=NUMBER,
    slack_ns=some(maybe(WHOLE)),
    bounds=some(record(task=WHOLE, name=TEXT, bound_ns=WHOLE, parts=some(record(what=TEXT, length_ns=WHOLE)))),
    demands=some(_DEMAND),
)

ANALYSIS = record(
    scheduler=TEXT,
    error=maybe(TEXT),
    placement=maybe(some(WHOLE)),
    verdicts=some(VERDICT),
    blocking=maybe(_BLOCKING),
    more_blocking=some(_BLOCKING),
    evidence=some(_LATE_JOB),
    explanation=maybe(_EXPLANATION),
    overheads_unknown=some(TEXT),
)

MEASURES = record(
    scheduler=TEXT,
    sets=WHOLE,
    schedulable_sets=WHOLE,
    weighted_schedulability=maybe(NUMBER),
    bounded=WHOLE,
    tardiness_mean_ns=maybe(NUMBER),
)

ADVICE: dict[str, Shape] = {
    "as_it_is": FLAG,
    "single_changes": some(record(kind=TEXT, what=TEXT, margin_percent=maybe(NUMBER))),
    "ways": some(
        record(
            scheduler=TEXT,
            placement=maybe(TEXT),
            priorities=maybe(TEXT),
            protocol=TEXT,
            changes=WHOLE,
            schedulable=FLAG,
            margin_percent=NUMBER,
            reason=TEXT,
        )
    ),
}

_PIECE = record(
    name=TEXT,
    of=TEXT,
    piece=WHOLE,
    pieces=WHOLE,
    offset_ns=WHOLE,
    wcet_ns=WHOLE,
    period_ns=WHOLE,
    relative_deadline_ns=WHOLE,
    cluster=WHOLE,
    processors=some(WHOLE),
    priority=maybe(WHOLE),
    overflowed=FLAG,
)

_PLACED = record(
    scheduler=TEXT,
    error=maybe(TEXT),
    only_analysis=maybe(TEXT),
    tasks=some(_PIECE),
    split=some(record(task=TEXT, pieces=WHOLE, bound_ns=maybe(WHOLE), observed_ns=maybe(WHOLE))),
)

#: Whether any scheduler can do: `levels` by RUN's reduction, `tasks` within affinities.
_FEASIBLE = record(
    ("reason", "levels", "reductions", "preemptions_per_job", "tasks", "processors"),
    feasible=FLAG,
    reason=TEXT,
    levels=some(some(record(name=TEXT, rate=TEXT, clients=some(TEXT)))),
    reductions=WHOLE,
    preemptions_per_job=WHOLE,
    tasks=some(either(record(name=TEXT, shares=some(record(processor=WHOLE, share=TEXT))), TEXT)),
    processors=some(WHOLE),
)

PLACEMENT = either(_PLACED, _FEASIBLE)

_TASK = record(
    **dict.fromkeys(("index", "wcet_ns", "period_ns", "relative_deadline_ns", "offset_ns", "jitter_ns"), WHOLE),
    suspension_ns=WHOLE,
    working_set_bytes=WHOLE,
    **dict.fromkeys(("fixed_priority", "priority_point_ns", "processor", "cluster"), maybe(WHOLE)),
    name=TEXT,
    utilization=NUMBER,
)

TASK_SET = record(
    name=TEXT,
    processors=WHOLE,
    scheduler=TEXT,
    protocol=TEXT,
    overheads=TEXT,
    seed=either(WHOLE, TEXT),
    horizon_ns=WHOLE,
    tasks=some(_TASK),
)

SUBTASK = record(
    **dict.fromkeys(("subtask", "eligible", "release", "deadline"), WHOLE), b_bit=FLAG, group_deadline=maybe(WHOLE)
)

JOB_SET: dict[str, Shape] = {
    "answer": one_of("schedulable", "unschedulable", "unknown"),
    "reason": TEXT,
    "states": WHOLE,
    "dispatches": WHOLE,
    "jobs": some(
        record(
            task=WHOLE,
            job=WHOLE,
            **dict.fromkeys(("best_completion", "worst_completion", "best_response", "worst_response"), maybe(WHOLE)),
        )
    ),
}

CROSSCHECK: dict[str, Shape] = {
    "records": WHOLE,
    "tests": some(record(family=TEXT, test=TEXT, **dict.fromkeys(("agree", "disagree", "theirs", "skipped"), WHOLE))),
    "disagreements": some(record(**dict.fromkeys(("id", "family", "test", "theirs", "ours", "note", "replay"), TEXT))),
}

STUDY = record(
    **dict.fromkeys(("name", "title", "source", "file"), TEXT),
    **dict.fromkeys(("points", "sets", "full_sets"), WHOLE),
)

_DRAWN: dict[str, Shape] = {
    "plots": some(TEXT),
    "claims": some(record(claim=TEXT, answer=TEXT, because=TEXT)),
}

STUDY_RUN = record(
    ("plots", "claims"),
    study=TEXT,
    results=TEXT,
    **dict.fromkeys(("rows", "sets", "units", "reused"), WHOLE),
    **_DRAWN,
)

STUDY_PLOT = record(study=TEXT, **_DRAWN)
