"""Table I of resource-protocols-2020: the bytes that each protocol takes, beside those of `make footprint`."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schedlab.errors import CannotRun
from schedlab.plots import CURVES, PAGE, footnote, paper_style, save_figure
from schedlab.studies import Claim, Results, Study, Unit, grid, judge, listed
from schedlab.studies.mutants import scaled

from ._sets import SOURCE

#: The column "total memory consumption", by protocol: code, data and static data of a class with those above it.
PAPER = {"pip": 876, "ipcp": 916, "pcp": 926, "srp": 1157, "mpcp": 1586, "msrp": 1674}

#: What we build for, and how it is called.
GOALS = {"size": "here, built for size", "speed": "here, built for speed"}


def evaluate(unit: Unit) -> Mapping[str, Sequence[Any]]:
    """Rows of all protocols, as the program of `make footprint` prints them."""
    checkout = Path(__file__).resolve().parents[2]
    if not (checkout / "tools" / "footprint").is_dir():
        raise CannotRun("table I links programs of this repository: run it in a checkout, with Cargo and a C compiler")
    command = ["cargo", "run", "--quiet", "--locked", "--package", "schedlab-footprint", "--", "--csv"]
    try:
        found = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        told = getattr(error, "stderr", "") or str(error)
        raise CannotRun(f"table I links programs with Cargo and a C compiler, and that failed: {told}") from error
    rows = list(csv.DictReader(found.splitlines()))
    numbers = {name: [int(row[name]) for row in rows] for name in rows[0] if name != "protocol"}
    return {"protocol": [row["protocol"] for row in rows], **numbers, "set": [unit.first] * len(rows)}


def sums(results: Results, goal: str) -> dict[str, int]:
    """The bytes of a program with one lock of two tasks, for the protocols of the table in its order."""
    rows = {row["protocol"]: row[f"{goal}_sum"] for row in results.table.to_pylist()}
    return {name: rows[name] for name in PAPER}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """Bars on a logarithmic scale, each with its number."""
    import matplotlib.pyplot as plt

    bars = {"paper (EPOS, C++)": PAPER, **{label: sums(results, goal) for goal, label in GOALS.items()}}
    with paper_style():
        figure, axes = plt.subplots(figsize=(PAGE, 2.8))
        for at, (label, values) in enumerate(bars.items()):
            places = [row + 0.27 * (at - 1) for row in range(len(values))]
            drawn = axes.bar(
                places, list(values.values()), width=0.25, label=label, color=CURVES[3 * at]["color"],
                hatch=("", "////", "....")[at], edgecolor="white", linewidth=0,
            )  # fmt: skip
            axes.bar_label(drawn, fmt="{:,.0f}", fontsize=5, padding=1)
        axes.set_xticks(range(len(PAPER)), [name.upper() for name in PAPER])
        axes.set_yscale("log")
        axes.set_ylim(500, 60_000)
        axes.set_ylabel("bytes")
        axes.grid(axis="x", visible=False)
        axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        footnote(
            figure,
            "code, constants and data of one lock; here with two tasks, in a program without standard library; "
            "another processor, language and compiler than the paper's: only the order of magnitude compares",
        )
        return save_figure(figure, directory / "2020-table1")


def claims(results: Results) -> list[Claim]:
    """Section IV-A and the conclusion. That PIP, PCP and IPCP have no static data is no claim: here nothing has any."""
    found = sums(results, "size")
    per_lock = {row["protocol"]: row["data_per_lock"] for row in results.table.to_pylist()}
    single = {name: per_lock[name] for name in ("pip", "pcp", "ipcp", "srp")}
    return [
        judge(
            "the footprint is small: from 876 to 1674 bytes, depending on the protocol",
            min(found.values()) >= 876 and max(found.values()) <= 1674,
            f"built for size {listed(found, ',d')} bytes",
            scaled("programs of ten times the size", 10, "size_sum"),
        ),
        judge(
            "in all, from the least to the most: PIP, IPCP, PCP, SRP, MPCP, MSRP",
            list(found) == sorted(found, key=lambda name: found[name]),
            f"built for size {listed(found, ',d')} bytes",
            scaled("a PIP of ten times the size", 10, "size_sum", where=lambda row: row["protocol"] == "pip"),
        ),
        judge(
            "of the protocols for one processor, SRP takes the most data for a lock",
            single["srp"] > max(size for name, size in single.items() if name != "srp"),
            f"{listed(single, 'd')} bytes",
            scaled("an SRP that needs no data for a lock", 0, "data_per_lock", where=lambda r: r["protocol"] == "srp"),
        ),
    ]


study = Study(
    name="2020-table1",
    title="resource-protocols-2020, table I: the bytes that each protocol takes",
    source=SOURCE,
    points=grid(table=["I"]),
    evaluate=evaluate,
    plot=plot,
    claims=claims,
    sets=1,
    fixed_sets=True,
    alone=True,
)
