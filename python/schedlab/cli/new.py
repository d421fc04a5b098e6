"""`schedlab new`: a scheduler or a locking protocol of one's own, in Rust."""

from __future__ import annotations

from pathlib import Path

import click

from schedlab.cli.options import FILE, json_option, print_json


@click.group("new")
def command() -> None:
    """Start a scheduler or a locking protocol of your own."""


@command.command("policy")
@click.argument("name")
@click.option("--out", "-o", type=FILE, help="Folder to make; else NAME in the current folder.")
@click.option(
    "--library", type=FILE, help="A checkout of schedlab to build against; else the one that this package came from."
)
@json_option
def policy(name: str, out: Path | None, library: Path | None, as_json: bool) -> int:
    """Make a Rust crate with the scheduler NAME (such as G-LLF) that builds against schedlab and registers itself.

    After `pip install ./FOLDER` the name works wherever a scheduler is named. For a scheduler in Python see
    examples/python_policy.py.
    """
    from schedlab.scaffold import new_policy

    made = new_policy(name, out=out, library=library)
    if as_json:
        print_json({"folder": str(made.folder), "files": [str(path) for path in made.files]})
    else:
        click.echo(f"made {made.folder}; next:")
        click.echo(f"  edit     {made.policy}")
        click.echo(f"  test     cargo test --manifest-path {made.folder / 'Cargo.toml'}")
        click.echo(f"  install  pip install {made.folder}")
        click.echo(f"  use      schedlab simulate SCENARIO --scheduler {name}")
    return 0


@command.command("protocol")
@click.argument("name")
@click.option("--out", "-o", type=FILE, help="Folder to make; else NAME in the current folder.")
@click.option(
    "--library", type=FILE, help="A checkout of schedlab to build against; else the one that this package came from."
)
@json_option
def protocol(name: str, out: Path | None, library: Path | None, as_json: bool) -> int:
    """Make a Rust crate with the locking protocol NAME that builds against schedlab and registers itself.

    After `pip install ./FOLDER`, `schedlab simulate --protocol NAME` knows it.
    """
    from schedlab.scaffold import new_protocol

    made = new_protocol(name, out=out, library=library)
    if as_json:
        print_json({"folder": str(made.folder), "files": [str(path) for path in made.files]})
    else:
        click.echo(f"made {made.folder}; next:")
        click.echo(f"  edit     {made.policy}")
        click.echo(f"  test     cargo test --manifest-path {made.folder / 'Cargo.toml'}")
        click.echo(f"  install  pip install {made.folder}")
        click.echo(f"  use      schedlab simulate SCENARIO --protocol {name}")
    return 0
