"""Answers of the bench about a scenario: a simulated schedule, and proofs, as the other commands give them."""

from __future__ import annotations

import json
import time
from typing import Any

from schedlab.core.analysis import analyze
from schedlab.core.margins import by_task, is_searched
from schedlab.core.placement import proving_placement
from schedlab.core.scenario import Scenario
from schedlab.core.sentence import lines_after, sentence
from schedlab.core.simulation import simulate
from schedlab.core.window import window
from schedlab.errors import BadInput
from schedlab.show.report.guarantees import Guarantee, render_parts
from schedlab.show.report.timelines import trace_of

#: Number of jobs that are drawn, unless a time is asked for.
JOBS = 300

#: Largest number of boxes, lines and arrows that are drawn.
MOST_DRAWN = 200_000


def schedule(scenario: Scenario, until_ns: int | None) -> bytes:
    """Simulates, and returns JSON: the drawn part of the schedule until `until_ns`, and metrics of all of it."""
    begun = time.perf_counter(), time.process_time()
    simulated = simulate(scenario)
    start, end = window(simulated._native, scenario, jobs=JOBS)
    end = min(max(end, until_ns or 0), scenario.horizon_ns)
    drawn = simulated._native.drawn(start, end, MOST_DRAWN)
    metrics = simulated.metrics()
    trace = trace_of(scenario.scheduler, simulated, drawn)
    trace.pop("schedule")
    told = {
        "trace": trace,
        "horizon_ns": scenario.horizon_ns,
        "jobs": metrics.jobs,
        "misses": metrics.misses,
        "aborts": metrics.aborts,
        "deadlocks": [deadlock["text"] for deadlock in metrics.deadlocks],
        "preemptions": metrics.preemptions,
        "migrations": metrics.migrations,
        "responses_ns": [task["max_response_time_ns"] for task in metrics.tasks],
    }
    pieces: list[bytes] = []
    drawn.write_json(pieces.append)
    return _json(told, begun)[:-1] + b',"schedule":' + b"".join(pieces) + b"}"


def proof(scenario: Scenario, task: str | None, id: str) -> bytes:
    """Applies all tests, and returns JSON: the answer, and the page's parts about it, with the steps of one task."""
    begun = time.perf_counter(), time.process_time()
    [analysis] = analyze(scenario, explain=is_searched(scenario), steps=True, task=task)
    if analysis.error and (refusal := scenario._native.refusal):
        # As the command line refuses it.
        raise BadInput(refusal)
    answer, rest = sentence(analysis, scenario)
    lines = lines_after(analysis, proving_placement(analysis, scenario))
    verdict, proofs = render_parts(Guarantee(scenario.name, scenario, analysis, answer + rest, lines), id)
    told = {
        "answer": "unknown" if analysis.error else analysis.answer,
        "scheduler": analysis.scheduler,
        "verdict": verdict,
        "proofs": proofs,
        "bounds_ns": [row["bound_ns"] for row in by_task(analysis, scenario)],
    }
    return _json(told, begun)


def _json(told: dict[str, Any], begun: tuple[float, float]) -> bytes:
    """Returns an answer as JSON, with the milliseconds that it took: of a clock, and of a processor."""
    clocks = zip((time.perf_counter(), time.process_time()), begun, strict=True)
    ms, processor_ms = (round(1000 * (now - then), 1) for now, then in clocks)
    took = {"ms": ms, "processor_ms": processor_ms}
    return json.dumps(told | took, ensure_ascii=False, separators=(",", ":")).encode()
