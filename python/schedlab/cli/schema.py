"""`schedlab schema`: file formats, what commands print as JSON, and names that may stand in files."""

from __future__ import annotations

from pathlib import Path

import click

from schedlab import schemas
from schedlab.cli.shared.editors import schema_line, write_schema
from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.options import json_option, print_answer, print_json
from schedlab.errors import BadInput
from schedlab.outputs import OUTPUTS, output_schema

FORMATS = ("scenario", "overheads", "output", "names")


@click.command("schema", cls=Command)
@click.argument("format_", metavar="[scenario|overheads|names|output]", type=click.Choice(FORMATS), default="scenario")
@click.argument("command_", metavar="[COMMAND]", nargs=-1)
@click.option(
    "-o", "--out", type=FileOf(".json"), help="Write the schema of the scenario or overheads file here, for an editor."
)
@json_option
def command(format_: str, command_: tuple[str, ...], out: Path | None, as_json: bool) -> int:
    """Print the JSON Schema of the scenario or overheads file, or all names known to this installation.

    With `names`: schedulers, protocols, tests, overheads, invariants, words of placements and priorities, and what
    generators read. `output COMMAND` is the schema of what COMMAND prints for --json, such as `output analyze` or
    `output study list`.

    Editors read a schema from a file. With --out it is written, and the line is printed that a scenario beside it
    begins with, so that an editor checks it.
    """
    if out is not None and format_ in ("output", "names"):
        raise BadInput(f"--out {out}: no editor reads the schema of `{format_}`; allowed: scenario, overheads")
    if format_ == "output":
        if not command_:
            raise BadInput(f"the output of which command? allowed: {', '.join(OUTPUTS)}")
        print_json(output_schema(" ".join(command_)))
        return 0
    if command_:
        raise BadInput(f'{" ".join(command_)}: a command goes with "output", as in `schedlab schema output analyze`')
    if format_ != "names":
        if out is None:
            print_json(schemas.schema(format_))
            return 0
        write_schema(format_, out)
        if not as_json:
            click.echo(f"{out}: a file beside it begins with this line, for its editor: {schema_line(out.name)}")
        return 0
    known = schemas.names()
    if as_json:
        print_answer("schema", names=known)
    else:
        for kind, entries in known.items():
            click.echo(f"{kind}:")
            for entry in entries:
                click.echo(f"  {entry}")
    return 0
