"""`schedlab generate`: random task sets, and other tools' formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.cli.options import FILE, json_option, print_json
from schedlab.errors import BadInput
from schedlab.files import write_whole

FORMATS = {"toml": ".toml", "csv": ".csv", "schedcat": ".xml", "simso": ".xml"}


@click.command("generate")
@click.option("--utilizations", metavar="NAME", default="uni-medium", show_default=True,
              help="How utilizations are drawn (see `schedlab schema names`), such as uni-light, exp-heavy, bimo-medium, "
                   "uunifast-discard or randfixedsum.")  # fmt: skip
@click.option("--periods", metavar="NAME", default="uni-moderate", show_default=True,
              help="How periods are drawn, such as uni-moderate, log-uni-moderate or automotive; or a range, \"uniform 10 ms 100 ms\".")  # fmt: skip
@click.option("--deadlines", metavar="NAME", default="implicit", show_default=True, help="implicit, constrained or arbitrary.")
@click.option("--utilization", metavar="RATIO", help="Total utilization, such as 3.2 or 16/5.")
@click.option("--tasks", "-n", type=click.IntRange(min=1), help="Number of tasks.")
@click.option("--stop", type=click.Choice(["trim", "discard-at-cap", "discard-at-point"]), default="trim", show_default=True,
              help="What happens to the task that exceeds the total: trimmed to it exactly (2006), discarded at a cap "
                   "or at 100 tasks (2008), discarded at the point (2011).")  # fmt: skip
@click.option("--processors", "-m", type=click.IntRange(min=1), default=4, show_default=True, help="Number of processors.")
@click.option("--scheduler", metavar="NAME", default="G-EDF", show_default=True, help="Scheduler of the scenario.")
@click.option("--seed", type=click.IntRange(min=0, max=2**64 - 1), default=1, show_default=True, help="Seed.")
@click.option("--sets", type=click.IntRange(min=1), default=1, show_default=True, help="Number of task sets; set k has stream k of the seed.")
@click.option("--from", "source", type=FILE, help="Rewrite this scenario, CSV or XML file instead of generating.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="toml", show_default=True, help="File format.")
@click.option("--out", "-o", type=FILE, help="File, or folder if --sets is more than 1; else standard output.")
@json_option
def command(format_: str, out: Path | None, source: Path | None, sets: int, as_json: bool, **options: Any) -> int:
    """Generate random task sets: the same seed gives the same bytes on every machine.

    With --from, rewrites a task set between TOML, CSV and the XML of SchedCAT and SimSo.
    """
    from schedlab.scenario import Scenario
    from schedlab.workload import generate

    if source is not None:
        made = [Scenario.read(source)]
    else:
        made = [generate(**options, index=index) for index in range(sets)]
    if as_json:
        print_json([scenario.to_dict() for scenario in made])
    elif len(made) == 1:
        _write(made[0].export(format_), out)
    elif out is None:
        raise BadInput("several task sets need a folder: use --out FOLDER")
    else:
        width = len(str(sets - 1))
        for index, scenario in enumerate(made):
            write_whole(out / f"set-{index:0{width}}{FORMATS[format_]}", scenario.export(format_))
        click.echo(f"{sets} task sets in {out}")
    return 0


def _write(text: str, out: Path | None) -> None:
    from schedlab.cli.options import write_output

    write_output(text, out)
