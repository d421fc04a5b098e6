"""`schedlab advise`: which schedulers, placements and protocols keep the deadlines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.cli.options import FILE, console, json_option, print_json, read_scenario, scenario_options, styled, table


@click.command("advise")
@scenario_options
@click.option("--all", "every", is_flag=True, help="Show all ways that fail, not only the first of each scheduler.")
@click.option("--plot", type=FILE, help="Draw the margins into this file (.svg, .png, .pdf).")
@json_option
def command(scenario: Path, every: bool, plot: Path | None, as_json: bool, **overrides: Any) -> int:
    """Try every scheduler, placement and locking protocol that applies to SCENARIO.

    What is proved to meet all deadlines is ranked by its margin, the factor by which all costs may grow; what is not
    comes with the reason. If the scenario's own way is not proved, single changes that help are listed.
    """
    from schedlab.analysis import advise

    advice = advise(read_scenario(scenario, **overrides))
    if plot is not None:
        from schedlab.plots.margins import draw_margins

        draw_margins(advice, plot)
    if as_json:
        print_json(advice)
        return 0
    _print(advice, every)
    return 0


def _print(advice: dict[str, Any], every: bool) -> None:
    rows = table("ways", "scheduler", "placement", "protocol", "margin", "why", fold=("why",))
    failed: set[tuple[str, str]] = set()
    for way in advice["ways"]:
        key = (way["scheduler"], way["reason"])
        if not way["schedulable"] and not every and key in failed:
            continue
        failed.add(key)
        margin = (
            styled(f"{way['margin_percent']:.2f} %", "green") if way["schedulable"] else styled("not proved", "yellow")
        )
        rows.row(way["scheduler"], way["placement"] or "-", way["protocol"], margin, way["reason"])
    out = console()
    out.print(rows)
    if advice["as_it_is"]:
        out.print("The scenario as it is meets all deadlines.")
    elif advice["single_changes"]:
        out.print("The scenario as it is is not proved to meet its deadlines. Each of these changes alone would do:")
        for change in advice["single_changes"]:
            out.print(f"  {change}")
    else:
        out.print("The scenario as it is is not proved to meet its deadlines; no single change that was tried helps.")
