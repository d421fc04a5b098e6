"""`schedlab example`: the files that the documents' commands name, for those who installed schedlab by pip."""

from __future__ import annotations

from pathlib import Path

import click

from schedlab.cli.shared.files import Command, in_a_shell
from schedlab.cli.shared.options import FILE, json_option, print_answer, print_next
from schedlab.errors import BadInput
from schedlab.examples import EXAMPLES, write_examples


@click.command("example", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "every", is_flag=True, help="Write all of them, into the folder `examples`.")
@click.option("--out", "-o", type=FILE, help="Folder to write into, instead of the current one or `examples`.")
@json_option
def command(names: tuple[str, ...], every: bool, out: Path | None, as_json: bool) -> int:
    """Write examples: scenarios, notebooks, a scheduler in Python, programs in C. Without NAME, list them.

    `schedlab example robot` writes `robot.toml` into the current folder, `schedlab example csv` a table of threads,
    `schedlab example notebooks` the folder `notebooks`.
    `schedlab example --all` makes the folder `examples`, which the commands of the documents read. Files that differ
    are never overwritten.
    """
    if every and names:
        raise BadInput("--all and names of examples exclude each other")
    if out is not None and not every and not names:
        raise BadInput("--out: name the examples to write, or give --all")
    written = write_examples(list(names) if names else None, out) if every or names else []
    if as_json:
        print_answer("example", examples=EXAMPLES, files=[str(path) for path in written])
        return 0
    if not written:
        longest = max(map(len, EXAMPLES))
        for name, told in EXAMPLES.items():
            click.echo(f"{name:<{longest}}  {told}")
        print_next("schedlab example --all", "makes the folder examples")
        return 0
    for path in written:
        click.echo(path)
    if (first := written[0]).suffix in (".toml", ".csv"):
        print_next(f"schedlab analyze {first}", "what theory guarantees")
    elif first.suffix == ".ipynb":
        print_next(f"jupyter lab {in_a_shell(first)}", "needs pip install 'schedlab[notebook]' jupyterlab")
    return 0
