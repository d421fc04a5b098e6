"""Figure 2 of resource-protocols-2020: what P and V cost by the number of waiting tasks.

Section IV-B: tasks ask for one resource in a cascade, 20 on one processor, 8 on several, and give it back in turn.
Here each task is more urgent than those that asked before it, and the first one holds until all have asked; the
paper's holders suspend themselves for 1 ms meanwhile. What is timed is the call without the waiting: the engine, its
lock, and what carries its decision out. The paper gives the worst of 1,000 values; a worst value of this machine says
more about its other work, so the largest hundredth is discarded. Two more figures have the other protocols that run
for real.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from schedlab.plots import CURVES, PAGE, Means, apart
from schedlab.runtime import ask
from schedlab.studies import Claim, RealStudy, Results, Unit, grid, judge, listed, not_evaluated
from schedlab.studies.mutants import Mutant, Row, by_row
from schedlab.studies.spread import spread

from ._sets import SOURCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The paper's protocols on one processor, and those on several.
SINGLE, SEVERAL = ("pip", "pcp", "ipcp", "srp"), ("mpcp", "msrp")
PAPER = SINGLE + SEVERAL
SPINNING = (
    "fmlp",
    "fmlp-short",
    "mrsp",
    "npcs",
    "task-fair",
    "rw-task-fair",
    "rw-phase-fair",
    "spin-priority",
    "spin-unordered",
    "spin-fifo-preemptable",
    "spin-priority-preemptable",
    "spin-unordered-preemptable",
)
SUSPENDING = (
    "none",
    "fmlp-long",
    "fmlp+",
    "omlp",
    "omlp-clustered",
    "omlp-partitioned",
    "gpip",
    "ppcp",
    "dpcp",
    "dflp",
)
CALLS = {"lock_acquire": "p: taking it", "lock_release": "v: giving it back"}
#: The least number of values that a number of waiters is drawn and judged by.
READINGS = 30


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """Nanoseconds of P and V by set and number of waiters; each set runs for a second, 50 cascades."""
    protocol = unit.parameters["protocol"]
    single = ["--processors", 1] if protocol in SINGLE else []
    rows = []
    for index in unit.sets:
        found = ask("measure", "locks", "--protocol", protocol, "--length", "1s", *single)
        where = {"scheduler": found["scheduler"], "processors": found["processors"], "tasks": found["tasks"]}
        rows += [{"set": index, **where, "call": row["what"], "waiters": row["waiters"], "ns": row["ns"]}
                 for row in found["rows"]]  # fmt: skip
    return {name: [row[name] for row in rows] for name in rows[0]}


#: By protocol, call and number of waiters: percentiles of the values of all sets.
Spreads = dict[tuple[str, str, int], dict[str, float]]


def spreads(results: Results) -> Spreads:
    """Where there are enough values."""
    found: dict[tuple[str, str, int], list[float]] = {}
    for row in results.table.select(["protocol", "call", "waiters", "ns"]).to_pylist():
        found.setdefault((row["protocol"], row["call"], row["waiters"]), []).extend(row["ns"])
    return {key: spread(values) for key, values in sorted(found.items()) if len(values) >= READINGS}


def draw(results: Results) -> Mapping[str, Figure]:
    """The paper's protocols, and the others by how jobs wait."""
    found = spreads(results)
    return {
        "2020-fig2": _figure(found, results, PAPER, "MSRP's and MPCP's tasks: 8"),
        "2020-fig2-spinning": _figure(found, results, SPINNING, "8 tasks (npcs: 20 on one processor)"),
        "2020-fig2-suspending": _figure(found, results, SUSPENDING, "8 tasks"),
    }


def _figure(found: Spreads, results: Results, protocols: Sequence[str], tasks: str) -> Figure:
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    figure, insets = plt.subplots(1, 2, figsize=(PAGE, 3.0), sharey=True)
    for axes, (call, title) in zip(insets, CALLS.items(), strict=True):
        curves = [
            Means(
                protocol,
                [(waiters, of["max"] / 1e3, of["median"] / 1e3, of["max"] / 1e3)
                 for (name, at, waiters), of in found.items() if (name, at) == (protocol, call)],
                number,
            )
            for number, protocol in enumerate(protocols)
        ]  # fmt: skip
        for curve in curves:
            style = {**CURVES[curve.style % len(CURVES)], "markersize": 3}
            fill = style["color"] if curve.style < len(CURVES) else "white"
            waiters, most, medians = ([point[at] for point in curve.points] for at in (0, 1, 2))
            axes.fill_between(waiters, medians, most, where=apart(curve, curves), color=style["color"], alpha=0.15,
                              linewidth=0)  # fmt: skip
            axes.plot(waiters, most, label=curve.name, markerfacecolor=fill, **style)
        axes.set_title(title)
        axes.set_xlabel("tasks that wait")
        axes.set_yscale("log")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    insets[0].set_ylabel("largest but 1% (microseconds)")
    handles, labels = insets[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center")
    there = results.provenance["surroundings"]["processors"]
    single = "; ".join([f"one processor, 20 tasks: {', '.join(SINGLE)}", tasks]) if protocols is PAPER else tasks
    figure.supxlabel(
        f"{50 * results.provenance['sets']} cascades; bands where apart: from the median; {single}. On {there} "
        "processors a job that spins without preemption waits "
        f"for {there - 1} at most; under ipcp, srp and npcs no job ever waits on one processor"
    )
    return figure


def _ends(found: Spreads, protocol: str, call: str) -> tuple[float, float]:
    """Mean medians with one to three waiters, and with the three largest numbers of them."""
    medians = {waiters: of["median"] for (name, at, waiters), of in found.items() if (name, at) == (protocol, call)}
    line = [median for waiters, median in sorted(medians.items()) if waiters >= 1]
    return fmean(line[:3]), fmean(line[-3:])


def claims(results: Results) -> list[Claim]:
    """Section IV-B. Worst values are those of 99%."""
    found = spreads(results)

    def free(protocol: str, call: str) -> float:
        return found[protocol, call, 0]["max"]

    growing = {f"{name} {call[5:]}": _ends(found, name, call) for name in ("pip", "pcp") for call in CALLS}
    said = ", ".join(f"{name} {few:.0f} to {many:.0f} ns" for name, (few, many) in growing.items())
    takes = {name: free(name, "lock_acquire") for name in SINGLE}
    gives = {name: free(name, "lock_release") for name in SINGLE}
    worst = {(name, call): max(of["max"] for (one, at, _), of in found.items() if (one, at) == (name, call))
             for name in PAPER for call in CALLS}  # fmt: skip
    sums = {name: sum(worst[name, call] for call in CALLS) for name in PAPER}
    across = {name: worst[name, "lock_release"] for name in PAPER}
    alike = [takes[name] for name in ("pip", "pcp", "ipcp")]
    return [
        judge(
            "as the queue grows the operations take more time (p of pip and pcp: medians with many waiters above "
            "those with few)",
            all(many > few for name, (few, many) in growing.items() if name.endswith("acquire")),
            said,
            slower("a p that takes no time among many waiters", 0, PAPER, "lock_acquire", least=4),
        ),
        judge(
            "v decreases as the number of tasks increases (pip, pcp)",
            all(many < few for name, (few, many) in growing.items() if name.endswith("release")),
            said,
            slower("a v that takes ten times as long among many waiters", 10, PAPER, "lock_release", least=4),
        ),
        judge(
            "PCP, PIP and IPCP have mostly the same p when no tasks wait (worst values within a quarter)",
            max(alike) <= 1.25 * min(alike),
            listed(takes, ".0f", " ns"),
            slower("a p of PCP that takes ten times as long", 10, ("pcp",), "lock_acquire"),
        ),
        judge(
            "the v of SRP is the worst (of the protocols on one processor, when no tasks wait)",
            gives["srp"] == max(gives.values()),
            listed(gives, ".0f", " ns"),
            slower("a v of SRP that takes no time", 0, ("srp",), "lock_release"),
        ),
        judge(
            "MSRP's and MPCP's v show the effects of more than one core (their worst v is above those of one "
            "processor)",
            min(across[name] for name in SEVERAL) > max(across[name] for name in SINGLE),
            listed(across, ".0f", " ns"),
            slower("a v of MSRP that takes no time", 0, ("msrp",), "lock_release"),
        ),
        judge(
            "MPCP's p is slightly higher than IPCP's (when no tasks wait)",
            free("mpcp", "lock_acquire") > takes["ipcp"],
            f"mpcp {free('mpcp', 'lock_acquire'):.0f} ns, ipcp {takes['ipcp']:.0f} ns",
            slower("a p of MPCP that takes no time", 0, ("mpcp",), "lock_acquire"),
        ),
        judge(
            "the maximum overhead is less than 4 us, considering both p and v (their worst values added)",
            all(total < 4000 for total in sums.values()),
            listed(sums, ".0f", " ns"),
            slower("a p that takes a thousand times as long", 1000, PAPER, "lock_acquire"),
        ),
        not_evaluated(
            "tasks may block under SRP where some are not real-time",
            "all tasks of a run have their places in its order",
        ),
    ]


def slower(words: str, factor: int, protocols: Sequence[str], call: str, least: int = 0) -> Mutant:
    """The mutant in which a call of these protocols takes so many times as long, from some number of waiters on."""

    def changed(row: Row) -> Row:
        is_meant = row["protocol"] in protocols and row["call"] == call and row["waiters"] >= least
        return {"ns": [factor * ns for ns in row["ns"]]} if is_meant else {}

    return by_row(words, changed)


study = RealStudy(
    name="2020-fig2",
    title="resource-protocols-2020, figure 2: run-time overhead of P and V by waiting tasks",
    source=SOURCE,
    points=grid(protocol=[*PAPER, *SPINNING, *SUSPENDING]),
    evaluate=evaluate,
    draw=draw,
    claims=claims,
    sets=2,
    full_sets=20,
    sets_per_unit=2,
)
