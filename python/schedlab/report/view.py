"""From a comparison to what the page shows without scripts: the summary, the verdicts, the warnings.

A number is never invented: what the comparison lacks is shown as a dash.
"""

from __future__ import annotations

from typing import Any, Literal

from schedlab.compare import Comparison, has_retries, overheads_unknown
from schedlab.conclusion import conclusion, deciding
from schedlab.durations import duration
from schedlab.observed import bounds, closest, dispatch_ns
from schedlab.outputs.compared import ScenarioTask
from schedlab.outputs.comparison import ComparedScheduler
from schedlab.outputs.results import VerdictDict
from schedlab.over_bound import why_over_bound
from schedlab.real import how_it_ended
from schedlab.report.loads import load_pictures

#: An answer in words: in full, and below a heading that says what it is about.
_ANSWERS = {
    "hard": {"schedulable": "deadlines met", "unschedulable": "deadlines not met", "unknown": "deadlines unknown"},
    "soft": {
        "schedulable": "tardiness bounded",
        "unschedulable": "tardiness unbounded",
        "unknown": "tardiness unknown",
    },
}

#: What decides comes first.
_BY_WEIGHT = ("schedulable", "unschedulable", "unknown")


def page_model(result: Comparison) -> dict[str, Any]:
    """Everything that the template names."""
    utilization = result["utilization"]["value"]
    return {
        "title": result["title"],
        "facts": [
            ("tasks", len(result["tasks"])),
            ("processors", result["processors"]),
            ("utilization", f"{utilization:.3f} ({utilization / result['processors']:.1%} of the platform)"),
        ],
        "left_out": result.get("left_out", []),
        "horizon_ns": result["horizon_ns"],
        "drawn_until_ns": result["drawn_until_ns"],
        "overheads": result["overheads"],
        "overheads_source": result.get("overheads_source", ""),
        "overheads_statistic": result.get("overheads_statistic", ""),
        "overheads_unknown": overheads_unknown(result),
        "overheads_not_simulated": [kind.replace("_", " ") for kind in result.get("overheads_not_simulated", [])],
        "modelled": _modelled(result),
        "over_load": load_pictures(result.get("utility_over_load"), result["processors"]),
        "seed": result["seed"],
        "version": result["schedlab_version"],
        "scenario": result["scenario"],
        "schedulers": [_scheduler(row, result) for row in result["schedulers"]],
        "has_utility": any(row.get("totals", {}).get("accrued_utility") is not None for row in result["schedulers"]),
        "has_retries": has_retries(result),
        "has_real": any("real" in row for row in result["schedulers"]),
    }


#: What each kind of delay comes after.
_AFTER = {"cache_related_preemption": "preemption", "cache_related_migration": "migration"}


def _modelled(result: Comparison) -> dict[str, Any] | None:
    """The modelled delays that are known, by scheduler and working set, beside what is charged."""
    if "modelled" not in result:
        return None
    found = result["modelled"]
    known = [row for row in found["cache_delays"] if row["modelled_ns"] is not None]
    rows = [row | {"after": _AFTER[row["kind"]], "kib": f"{row['working_set_bytes'] / 1024:g}"} for row in known]
    return {"source": found["source"], "rows": rows}


def _scheduler(row: ComparedScheduler, result: Comparison) -> dict[str, Any]:
    common = {
        "name": row["name"],
        "description": row.get("description", ""),
        "modelled": row.get("modelled", True),
        "error": row["error"],
        "real": _real(row, result),
        "hard": strongest(row.get("verdicts", []), "hard"),
    }
    if row["error"]:
        return common
    return common | {
        "overflowed": row.get("overflowed", []),
        "placement": _placement(row.get("placement"), result["tasks"]),
        "soft": tardiness_verdict(row["verdicts"]),
        "verdicts": [
            verdict | {"words": _ANSWERS[verdict["kind"]][verdict["answer"]]}
            for verdict in sorted(row["verdicts"], key=lambda verdict: _BY_WEIGHT.index(verdict["answer"]))
        ],
        "totals": row["totals"],
        "closest": closest(row["tasks"], bounds(row, row["tasks"])),
        "exceeded": exceeded_bounds(row, result["tasks"]),
        "invariants": row["invariants"],
        "broken": [invariant["name"] for invariant in row["invariants"] if not invariant["holds"]],
    }


def _real(row: ComparedScheduler, result: Comparison) -> dict[str, Any] | None:
    """What happened for real, or why nothing did; None if it was not asked for."""
    real = row.get("real")
    if real is None or real["error"]:
        return None if real is None else dict(real)
    findings = real["findings"]
    return {
        "error": None,
        "whole": findings["whole"],
        "ending": how_it_ended(findings),
        "until_ns": real["until_ns"],
        "totals": real["totals"],
        "over_bound": [
            why_over_bound(found, result["tasks"][found["index"]]["name"], duration)
            for found in real.get("over_bound", [])
        ],
        "closest": closest(real["tasks"], bounds(row, real["tasks"])),
        "dispatch_ns": dispatch_ns(findings),
        "holds": findings["holds"],
        "by_kernel": findings.get("decided_by") == "kernel",
        "warning": findings["warning"],
        "why_missed": findings["misses"]["words"] if findings["misses"] else "",
    }


def strongest(verdicts: list[VerdictDict], kind: Literal["hard", "soft"]) -> dict[str, str] | None:
    """The answer that the tests of a kind give together, and who gave it; None if no test speaks of it."""
    found = conclusion(verdicts)[kind]
    if found is None:
        return None
    answer = found["answer"]
    tests = ", ".join(deciding(kind, verdicts))
    return {"answer": answer, "words": _ANSWERS[kind][answer].split(maxsplit=1)[1], "test": tests}


def tardiness_verdict(verdicts: list[VerdictDict]) -> dict[str, str] | None:
    """The same about tardiness, where deadlines that are met leave none."""
    hard, soft = strongest(verdicts, "hard"), strongest(verdicts, "soft")
    if hard and hard["answer"] == "schedulable":
        return hard | {"words": "none"}
    return soft


def exceeded_bounds(row: ComparedScheduler, tasks: list[ScenarioTask]) -> list[str]:
    """Where the simulation exceeded what a test promised: a defect, or an assumption that does not hold here."""
    found = []
    for observed in row["tasks"]:
        name = tasks[observed["index"]]["name"]
        for word, times, bound in (
            ("response time", observed["response_time_ns"], observed["response_time_bound_ns"]),
            ("tardiness", observed["tardiness_ns"], observed["tardiness_bound_ns"]),
        ):
            if times is not None and bound is not None and times["max"] > bound:
                found.append(f"{word} of {name}")
    hard = strongest(row["verdicts"], "hard")
    if hard and hard["answer"] == "schedulable" and row["totals"]["misses"]:
        found.append("missed deadlines of a set called schedulable")
    return found


def _placement(placement: list[int] | None, tasks: list[ScenarioTask]) -> list[tuple[int, list[str]]]:
    """The names of the tasks in each cluster; empty if the scheduler is global."""
    if placement is None:
        return []
    clusters: dict[int, list[str]] = {}
    for task, cluster in zip(tasks, placement, strict=True):
        clusters.setdefault(cluster, []).append(task["name"])
    return sorted(clusters.items())
