"""Figure 1, insets (a) and (b), of litmus-rt-2006: X, Y and Z on two processors under G-EDF and NG-EDF.

X = (1.5, 3), Y = (2, 3), Z = (4, 6), as (execution cost, period); one unit of time is a millisecond here. The paper
breaks deadline ties arbitrarily; schedlab breaks them by job id, so X goes before Y before Z. P-EDF has no schedule
to draw: the three tasks cannot be partitioned onto two processors. Insets (c) and (d) are of Pfair.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import Segment, draw_schedule, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Study, Unit, grid, judge, not_evaluated

MS = 1_000_000
NAMES = ("X", "Y", "Z")
TASKS = ((1_500_000, 3 * MS), (2 * MS, 3 * MS), (4 * MS, 6 * MS))
PROCESSORS = 2
#: The figure shows two periods of Z at most; a late job of the first ends by 7.
END = 8 * MS
COLUMNS = (
    "processors", "fits", "cpu", "task", "job", "start", "end", "arrival", "absolute_deadline", "completion",
)  # fmt: skip
INSETS = {"G-EDF": "(a) G-EDF", "NG-EDF": "(b) NG-EDF"}


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """One row per segment; for P-EDF one row per number of processors, which says whether the tasks fit."""
    scheduler = str(unit.parameters["scheduler"])
    rows = _placement() if scheduler == "P-EDF" else _schedule(scheduler)
    return {"set": [0] * len(rows), **dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))}


def _placement() -> list[tuple[Any, ...]]:
    from schedlab.studies.batch import fits

    return [(processors, fits(TASKS, processors), *[None] * 8) for processors in (PROCESSORS, PROCESSORS + 1)]


def _schedule(scheduler: str) -> list[tuple[Any, ...]]:
    import schedlab

    rows = [{"name": name, "wcet_ns": c, "period_ns": t} for name, (c, t) in zip(NAMES, TASKS, strict=True)]
    scenario = schedlab.Scenario.from_tasks(rows, processors=PROCESSORS, scheduler=scheduler, horizon=END)
    schedule = schedlab.simulate(scenario)
    jobs = {(job["task"], job["job"]): job for job in schedule.jobs}
    found = []
    for segment in schedule.segments():
        job = jobs[segment["task"], segment["job"]]
        where = (segment["cpu"], segment["task"], segment["job"], segment["start_ns"], segment["end_ns"])
        found.append((PROCESSORS, None, *where, job["arrival_ns"], job["absolute_deadline_ns"], job["completion_ns"]))
    return found


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Both insets."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(1, 2, figsize=(PAGE, 1.9), sharey=True)
        for axes, (scheduler, label) in zip(insets, INSETS.items(), strict=True):
            rows = [row for row in rows_of(results, scheduler) if row["start"] < END]
            by_job = {(row["task"], row["job"]): row for row in rows}

            def at(column: str, by_job: dict[tuple[int, int], dict[str, Any]] = by_job) -> dict[tuple[int, int], float]:
                return {key: row[column] / MS for key, row in by_job.items() if row[column] is not None}

            segments = [Segment(r["task"], r["job"], r["cpu"], r["start"] / MS, r["end"] / MS) for r in rows]
            draw_schedule(
                axes, NAMES, segments, at("absolute_deadline"), at("arrival"), at("completion"), END / MS
            )  # fmt: skip
            axes.set_title(label)
            axes.set_xlabel("time; red: past the deadline")
        return save_figure(figure, directory / "2006-fig1")


def rows_of(results: Results, scheduler: str) -> list[dict[str, Any]]:
    """The stored rows of one scheduler."""
    rows: list[dict[str, Any]] = results.where(scheduler=scheduler).table.to_pylist()
    return rows


def outcomes(results: Results, scheduler: str, before: int = 6 * MS) -> list[tuple[int, int, int, int, int]]:
    """(task, job, arrival, absolute deadline, completion) of the jobs that arrive before an instant."""
    columns = ("task", "job", "arrival", "absolute_deadline", "completion")
    rows = {tuple(row[column] for column in columns) for row in rows_of(results, scheduler)}
    return sorted(row for row in rows if row[2] < before)


def claims(results: Results) -> list[Claim]:
    """Section 2, what it says of figure 1."""
    two, three = rows_of(results, "P-EDF")
    return [
        judge(
            "these three tasks cannot be partitioned onto two processors (three suffice)",
            not two["fits"] and three["fits"],
            "any two of the utilizations 1/2, 2/3, 2/3 exceed 1",
        ),
        *(_misses(results, scheduler) for scheduler in INSETS),
        _waits_for_z(results),
        not_evaluated("under S-PD2 a deadline is missed, under PD2 none", "Pfair is not part of this study"),
    ]


def _misses(results: Results, scheduler: str) -> Claim:
    late = [
        f"{NAMES[task]}'s job {job + 1} by {(end - deadline) / MS:g}"
        for task, job, _, deadline, end in outcomes(results, scheduler)
        if end > deadline
    ]
    return judge(f"under {scheduler}, a deadline is missed", bool(late), ", ".join(late) or "no job is late")


def _waits_for_z(results: Results) -> Claim:
    text = "under NG-EDF, Y's second job cannot execute at time 3, since Z's job executes non-preemptively"
    segments = rows_of(results, "NG-EDF")
    start = min(row["start"] for row in segments if (row["task"], row["job"]) == (1, 1))
    z_runs = [row for row in segments if (row["task"], row["job"]) == (2, 0)]
    runs_through = len(z_runs) == 1 and z_runs[0]["start"] < 3 * MS < z_runs[0]["end"]
    numbers = f"it starts at {start / MS:g}; Z runs from {z_runs[0]['start'] / MS:g} to {z_runs[-1]['end'] / MS:g}"
    return judge(text, runs_through and start > 3 * MS, numbers)


study = Study(
    name="2006-fig1",
    title="litmus-rt-2006, figure 1(a, b): three tasks on two processors",
    source="Calandrino, Leontyev, Block, Devi, Anderson: LITMUS^RT, RTSS 2006",
    points=grid(scheduler=["P-EDF", *INSETS]),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=1,
    fixed_sets=True,
    parameters={"tasks_ns": [list(task) for task in TASKS], "processors": PROCESSORS, "overheads": "none"},
)
