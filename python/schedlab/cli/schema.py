"""`schedlab schema`: file formats, what commands print as JSON, and names that may stand in files."""

from __future__ import annotations

import click

from schedlab import schemas
from schedlab.cli.shared.options import json_option, print_answer, print_json
from schedlab.errors import BadInput
from schedlab.outputs import OUTPUTS, output_schema

FORMATS = ("scenario", "overheads", "output", "names")


@click.command("schema")
@click.argument("format_", metavar="[scenario|overheads|names|output]", type=click.Choice(FORMATS), default="scenario")
@click.argument("command_", metavar="[COMMAND]", nargs=-1)
@json_option
def command(format_: str, command_: tuple[str, ...], as_json: bool) -> int:
    """Print the JSON Schema of the scenario or overheads file, or all names known to this installation.

    With `names`: schedulers, protocols, tests, overheads, invariants, words of placements and priorities, and what
    generators read. `output COMMAND` is the schema of what COMMAND prints for --json, such as `output analyze` or
    `output study list`.
    """
    if format_ == "output":
        if not command_:
            raise BadInput(f"the output of which command? allowed: {', '.join(OUTPUTS)}")
        print_json(output_schema(" ".join(command_)))
        return 0
    if command_:
        raise BadInput(f'{" ".join(command_)}: a command goes with "output", as in `schedlab schema output analyze`')
    if format_ != "names":
        print_json(schemas.schema(format_))
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
