"""Figure 1 of litmus-rt-2006: X, Y and Z on two processors under G-EDF, NG-EDF, PD2 and S-PD2.

X = (1.5, 3), Y = (2, 3), Z = (4, 6), as (execution cost, period); one unit of time is a millisecond here. The paper
breaks deadline ties arbitrarily; schedlab breaks them by job id, so X goes before Y before Z. P-EDF has no schedule
to draw: the three tasks cannot be partitioned onto two processors. The quantum is a unit of time, so X's cost is
rounded up to two quanta, the second of which it uses by half; below the tasks stand the windows of their subtasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import Segment, draw_schedule, draw_windows, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Study, Unit, grid, judge, sentence
from schedlab.studies.checks import Check, Fact
from schedlab.studies.mutants import Mutant, by_row, renamed

MS = 1_000_000
NAMES = ("X", "Y", "Z")
TASKS = ((1_500_000, 3 * MS), (2 * MS, 3 * MS), (4 * MS, 6 * MS))
PROCESSORS = 2
#: The figure shows two periods of Z at most; a late job of the first ends by 7.
END = 8 * MS
COLUMNS = (
    "processors", "fits", "cpu", "task", "job", "start", "end", "arrival", "absolute_deadline", "completion",
)  # fmt: skip
INSETS = {"G-EDF": "(a) G-EDF", "NG-EDF": "(b) NG-EDF", "PD2": "(c) PD2", "S-PD2": "(d) S-PD2"}
PFAIR = ("PD2", "S-PD2")
#: The quantum, and the weight of each task in quanta.
QUANTUM = MS
WEIGHT = "2/3"


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
    scenario = scenario.replace(quantum=QUANTUM)
    schedule = schedlab.simulate(scenario)
    jobs = {(job["task"], job["job"]): job for job in schedule.jobs}
    found = []
    for segment in schedule.segments():
        job = jobs[segment["task"], segment["job"]]
        where = (segment["cpu"], segment["task"], segment["job"], segment["start_ns"], segment["end_ns"])
        found.append((PROCESSORS, None, *where, job["arrival_ns"], job["absolute_deadline_ns"], job["completion_ns"]))
    return found


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """All four insets."""
    import matplotlib.pyplot as plt

    with paper_style():
        figure, insets = plt.subplots(2, 2, figsize=(PAGE, 4.1), sharey=True, layout="constrained")
        for axes, (scheduler, label) in zip(insets.flat, INSETS.items(), strict=True):
            rows = [row for row in rows_of(results, scheduler) if row["start"] < END]
            by_job = {(row["task"], row["job"]): row for row in rows}

            def at(column: str, by_job: dict[tuple[int, int], dict[str, Any]] = by_job) -> dict[tuple[int, int], float]:
                return {key: row[column] / MS for key, row in by_job.items() if row[column] is not None}

            segments = [Segment(r["task"], r["job"], r["cpu"], r["start"] / MS, r["end"] / MS) for r in rows]
            draw_schedule(
                axes, NAMES, segments, at("absolute_deadline"), at("arrival"), at("completion"), END / MS
            )  # fmt: skip
            if scheduler in PFAIR:
                draw_windows(axes, [windows()] * len(NAMES), END / MS)
            axes.set_title(label)
            axes.set_xlabel("time; red: past the deadline")
        return save_figure(figure, directory / "2006-fig1")


def windows() -> list[tuple[float, float]]:
    """Release and deadline of the subtasks of each task: all have the same weight and no delays."""
    from schedlab import _native

    rows, _, _ = _native.windows(WEIGHT, False, [], [], END // QUANTUM)
    return [(release * QUANTUM / MS, deadline * QUANTUM / MS) for _, _, release, deadline, _, _ in rows]


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
    swapped = renamed("a PD2 that schedules like G-EDF", "scheduler", {"PD2": "G-EDF", "G-EDF": "PD2"})
    return [
        judge(
            "these three tasks cannot be partitioned onto two processors (three suffice)",
            not two["fits"] and three["fits"],
            "any two of the utilizations 1/2, 2/3, 2/3 exceed 1",
            by_row("a partition onto two processors", lambda r: {"fits": True} if r["scheduler"] == "P-EDF" else {}),
        ),
        sentence(
            "under G-EDF, NG-EDF and S-PD2, a deadline is missed",
            {scheduler: _misses(results, scheduler) for scheduler in ("G-EDF", "NG-EDF", "S-PD2")},
            swapped,
        ),
        _waits_for_z(results),
        _meets(results, swapped),
        _wastes(results),
        _staggers(results),
    ]


def _misses(results: Results, scheduler: str) -> Check:
    late = [
        f"{NAMES[task]}'s job {job + 1} by {(end - deadline) / MS:g}"
        for task, job, _, deadline, end in outcomes(results, scheduler)
        if end > deadline
    ]
    return Fact(bool(late), ", ".join(late) or "no job is late")


def _waits_for_z(results: Results) -> Claim:
    text = "under NG-EDF, Y's second job cannot execute at time 3, since Z's job executes non-preemptively"
    segments = rows_of(results, "NG-EDF")
    start = min(row["start"] for row in segments if (row["task"], row["job"]) == (1, 1))
    z_runs = [row for row in segments if (row["task"], row["job"]) == (2, 0)]
    runs_through = len(z_runs) == 1 and z_runs[0]["start"] < 3 * MS < z_runs[0]["end"]
    numbers = f"it starts at {start / MS:g}; Z runs from {z_runs[0]['start'] / MS:g} to {z_runs[-1]['end'] / MS:g}"
    mutant = renamed("an NG-EDF that preempts, as G-EDF does", "scheduler", {"NG-EDF": "G-EDF", "G-EDF": "NG-EDF"})
    return judge(text, runs_through and start > 3 * MS, numbers, mutant)


def _meets(results: Results, mutant: Mutant) -> Claim:
    late = [row for row in outcomes(results, "PD2") if row[4] > row[3]]
    return judge("under PD2, no deadline is missed", not late, f"{len(late)} jobs are late", mutant)


def _wastes(results: Results) -> Claim:
    """X leaves half of a quantum, and no other task gets the rest."""
    used = {scheduler: _used(results, scheduler, task=0, before=6 * MS) for scheduler in PFAIR}
    half = all(sorted(quanta.values()) == [QUANTUM // 2] * 2 + [QUANTUM] * 2 for quanta in used.values())
    others = [
        (scheduler, cpu, number)
        for scheduler, quanta in used.items()
        for task in (1, 2)
        for cpu, number in _used(results, scheduler, task, END).keys() & quanta.keys()
    ]
    return judge(
        "some quanta allocated to X are only half-used", half and not others,
        f"X's first four quanta under PD2: {list(used['PD2'].values())} ns; others in them: {len(others)}",
        renamed("a PD2 without quanta, which schedules like G-EDF", "scheduler", {"PD2": "G-EDF", "G-EDF": "PD2"}),
    )  # fmt: skip


def _used(results: Results, scheduler: str, task: int, before: int) -> dict[tuple[int, int], int]:
    """By processor and number of a quantum: how much of it a task used, for jobs that arrive before an instant."""
    used: dict[tuple[int, int], int] = {}
    for row in rows_of(results, scheduler):
        if row["task"] == task and row["arrival"] < before:
            offset = row["cpu"] * QUANTUM // PROCESSORS if scheduler == "S-PD2" else 0
            start = row["start"]
            while start < row["end"]:
                number = (start - offset) // QUANTUM
                end = min(row["end"], offset + (number + 1) * QUANTUM)
                used[row["cpu"], number] = used.get((row["cpu"], number), 0) + end - start
                start = end
    return used


def _staggers(results: Results) -> Claim:
    starts = {cpu: {row["start"] % MS for row in rows_of(results, "S-PD2") if row["cpu"] == cpu} for cpu in (0, 1)}
    holds = starts == {0: {0}, 1: {MS // 2}}
    text = "in inset (d), quanta on processor 1 begin at integral instants, on processor 2 at midpoints between two"
    mutant = renamed("an S-PD2 with aligned quanta, as under PD2", "scheduler", {"PD2": "S-PD2", "S-PD2": "PD2"})
    return judge(text, holds, f"remainders of begins: {starts}", mutant)


study = Study(
    name="2006-fig1",
    title="litmus-rt-2006, figure 1: three tasks on two processors",
    source="Calandrino, Leontyev, Block, Devi, Anderson: LITMUS^RT, RTSS 2006",
    points=grid(scheduler=["P-EDF", *INSETS]),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=1,
    fixed_sets=True,
    parameters={
        "tasks_ns": [list(task) for task in TASKS],
        "processors": PROCESSORS,
        "quantum_ns": QUANTUM,
        "overheads": "none",
    },
)
