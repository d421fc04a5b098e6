"""Compare schedulers on one scenario: what theory guarantees beside what a simulation observes.

`compare` returns one plain dictionary (a *comparison*), which is stored as JSON and from which the
table and the HTML report are drawn; neither runs anything again. Its shape, version 1:

```python
{
  "format": "schedlab-comparison", "version": 1,
  "title": str,                       # the scenario's name
  "schedlab_version": str,
  "scenario": str,                    # canonical TOML that every number depends on
  "overheads": str,                   # name of the overheads, "none" if none
  "processors": int,
  "utilization": {"exact": "845/1000", "value": 0.845 },   # of the whole task set, not per processor
  "seed": int,
  "horizon_ns": int,                  # how long each simulation ran
  "drawn_until_ns": int,              # how much of each schedule is in "schedule"
  "tasks": [                          # by task index
    {"index": 0, "name": str, "wcet_ns": int, "period_ns": int, "relative_deadline_ns": int,
     "offset_ns": int, "utilization": float},
  ],
  "schedulers": [                     # one per scheduler, in the order asked for
    {
      "name": "G-EDF",
      "description": str,
      "error": None,                  # or why this scheduler could not be applied (str), e.g. a task set
                                      # that does not fit the partitions; the keys below are then empty
      "placement": [0, 0, ...] | None,  # cluster of each task, None if global
      "verdicts": [                   # every test that speaks of this scheduler
        {"test": "gfb", "source": "Goossens, Funk, Baruah 2003",
         "kind": "hard" | "soft",     # hard: no deadline missed; soft: tardiness bounded
         "answer": "schedulable" | "unschedulable" | "unknown",
         "reason": str,               # one sentence
         "assumptions": [str, ...],
         "response_time_bounds_ns": [int | None, ...] | None,   # by task
         "tardiness_bounds_ns": [int | None, ...] | None},      # by task
      ],
      "tasks": [                      # by task index: observed, and the best bound
        {"index": 0,
         "jobs": int, "misses": int, "preemptions": int, "migrations": int,
         "response_time_ns": {"max": int, "mean": float, "p50": int, "p95": int, "p99": int} | None,
         "tardiness_ns": {"max": int, "mean": float} | None,
         "response_time_bound_ns": int | None,   # the smallest proved, None if none is proved
         "tardiness_bound_ns": int | None,
         "histogram": {"edges_ns": [int, ...], "counts": [int, ...]}},   # len(edges) = len(counts) + 1
      ],
      "totals": {"jobs": int, "misses": int, "preemptions": int, "migrations": int,
                 "max_tardiness_ns": int, "overhead_ns": int, "load": float},   # load: share of time busy
      "invariants": [{"name": "work_conserving", "holds": bool, "detail": str | None}],
      "schedule": {                   # up to drawn_until_ns
        "segments": [[cpu, task, job, start_ns, end_ns], ...],        # job counted from 0
        "overheads": [[cpu, kind, start_ns, end_ns], ...],            # kind is a glossary word
        "arrivals": [[task, job, at_ns], ...],
        "deadlines": [[task, job, at_ns], ...],
        "completions": [[task, job, at_ns], ...],
        "misses": [[task, job, at_ns], ...],                          # at: the deadline that passed
      },
    },
  ],
}
```

A reader ignores keys that it does not know; keys are only ever added.
"""

from __future__ import annotations
