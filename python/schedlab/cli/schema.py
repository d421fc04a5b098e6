"""`schedlab schema`: file formats, and names that may stand in them."""

from __future__ import annotations

import click

from schedlab.cli.options import json_option, print_json

FORMATS = ("scenario", "overheads", "names")


@click.command("schema")
@click.argument("format_", metavar="[scenario|overheads|names]", type=click.Choice(FORMATS), default="scenario")
@json_option
def command(format_: str, as_json: bool) -> int:
    """Print the JSON Schema of the scenario or overheads file, or all names known to this installation.

    With `names`: schedulers, locking protocols, tests, overheads, generators.
    """
    import schedlab.schemas as schemas

    if format_ != "names":
        print_json(schemas.schema(format_))
        return 0
    known = schemas.names()
    if as_json:
        print_json(known)
    else:
        for kind, entries in known.items():
            click.echo(f"{kind}:")
            for entry in entries:
                click.echo(f"  {entry}")
    return 0
