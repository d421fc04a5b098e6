"""Figure 9 of staggered-pfair-2005: a client's request and its server's response, aligned and staggered.

T sends a request in slot 0, the server S executes it and answers. Aligned: S in slot 1, T again in slot 2. Staggered,
the worst case: T sends from the second processor after time 1, S runs in slot 2 and answers after time 3, T goes on
in slot 4; T wastes its quantum of slot 1, S that of slot 3. The lengths are ours; A keeps the first processor busy.
Server and client follow the static-weight server protocol (`pfair-server`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedlab.plots import BLUE, paper_style, save_figure
from schedlab.plots.paper import PAGE
from schedlab.studies import Claim, Results, Unit, judge

from ._drawn import MODELS, aligned_too, columns, draw_models, drawn_study, rows_of, simulate

SCENARIO = """
schedlab = 1
horizon = "6 ms"
scheduler = "PD2"
protocol = "pfair-server"
platform = { processors = 4, quantum = "1 ms" }
resource = [{ name = "device" }]

[[task]]
name = "T"
period = "2 ms"
arrival = { at = ["0 ms"] }
wcet_may_exceed_deadline = true
program = ["execute 800 us", "request device", "execute 900 us", "release device", "execute 200 us"]

[[task]]
name = "A"
wcet = "1 ms"
period = "1 ms"

[[task]]
name = "S"
period = "2 ms"
program = ["serve device", "execute 2 ms"]
"""
NAMES = "TAS"
CLIENT, SERVER = 0, 2
PROCESSORS, END = 4, 5.5


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """The schedule."""
    return columns(simulate(SCENARIO, str(unit.parameters["scheduler"])))


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Both insets."""
    with paper_style():
        figure, models = draw_models(results, NAMES, PROCESSORS, END, (PAGE, 2.6))
        for axes, scheduler in models:
            axes.set_ylim(-0.25, PROCESSORS + 0.55)
            request, response = messages(results, scheduler)
            for at, text in ((request, "request"), (response, "response")):
                axes.axvline(at, color=BLUE, linewidth=0.9, linestyle="--", zorder=1)
                axes.text(at + 0.06, PROCESSORS + 0.15, text, fontsize=6.5, color=BLUE)
        return save_figure(figure, directory / "2005-fig9")


def messages(results: Results, scheduler: str) -> tuple[float, float]:
    """When T's request is sent and when it is answered."""
    [row] = rows_of(results, "waits for resource", scheduler=scheduler)
    return row["start"], row["end"]


def slots(results: Results, scheduler: str) -> tuple[int, int, int]:
    """The slot of the request, of the service, and in which T goes on; of a quantum that begins in it."""
    request, response = messages(results, scheduler)
    of_client = rows_of(results, "segment", scheduler=scheduler, task=CLIENT)
    [service] = rows_of(results, "segment", scheduler=scheduler, task=SERVER)
    first = int(next(row["start"] for row in of_client if row["end"] == request))
    return first, int(service["start"]), int(min(row["start"] for row in of_client if row["start"] >= response))


def claims(results: Results) -> list[Claim]:
    """Section IV-A and the caption."""
    found = {scheduler: slots(results, scheduler) for scheduler in MODELS}
    wasted = [
        (row["cpu"], row["start"])
        for row in rows_of(results, "waste", scheduler="S-PD2")
        if row["end"] - row["start"] == 1
    ]
    request, response = messages(results, "S-PD2")
    aligned = messages(results, "PD2")
    mutant = aligned_too("an S-PD2 with aligned quanta, and a PD2 with staggered ones")
    return [
        judge(
            "aligned: S services the request in slot 1, and T is scheduled in slot 2",
            found["PD2"] == (0, 1, 2),
            f"request in slot {found['PD2'][0]}, service in {found['PD2'][1]}, T again in {found['PD2'][2]}",
            mutant,
        ),
        judge(
            "staggered: request after time 1, S is scheduled in slot 2 and responds after time 3, T resumes in slot 4",
            request > 1 and response > 3 and found["S-PD2"] == (0, 2, 4),
            f"request at {request:g}, response at {response:g}, T again in slot {found['S-PD2'][2]}",
            mutant,
        ),
        judge(
            "both the requesting task and the server waste a quantum, in slots 1 and 3",
            sorted(int(start) for _, start in wasted) == [1, 3],
            f"whole quanta wasted begin at {', '.join(f'{start:g}' for _, start in wasted)}",
            mutant,
        ),
        judge(
            "the delay between request and response is longer under staggering",
            response - request > aligned[1] - aligned[0],
            f"{response - request:g} against {aligned[1] - aligned[0]:g} quanta",
            mutant,
        ),
    ]


study = drawn_study(
    "2005-fig9", "staggered-pfair-2005, figure 9: a client and its server",
    {"scheduler": list(MODELS)}, evaluate, plot, claims,
)  # fmt: skip
