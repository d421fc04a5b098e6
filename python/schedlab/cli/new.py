"""`schedlab new`: a scheduler, a locking protocol or a test of one's own, in Rust."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from schedlab.cli.options import FILE, json_option, print_answer

if TYPE_CHECKING:
    from schedlab.scaffold import New

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group("new")
def command() -> None:
    """Start a scheduler, a locking protocol or a test of schedulability of your own."""


def _arguments(command: Command) -> Command:
    options: list[Callable[[Command], Command]] = [
        click.argument("name"),
        click.option("--out", "-o", type=FILE, help="Folder to make; else NAME in the current folder."),
        click.option(
            "--library",
            type=FILE,
            help="A checkout of schedlab to build against; else the sources that this package brought.",
        ),
        json_option,
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _tell(made: New, as_json: bool, use: str) -> int:
    if as_json:
        files = [str(path) for path in made.files]
        print_answer("new", folder=str(made.folder), files=files, library=str(made.library))
    else:
        click.echo(f"made {made.folder}; it builds against {made.library}; next:")
        click.echo(f"  edit     {made.edit}")
        click.echo(f"  test     cargo test --manifest-path {made.folder / 'Cargo.toml'}    # at first about a minute")
        click.echo(f"  install  pip install {_as_path(made.folder)}    # at first about two minutes")
        click.echo(f"  use      {use}")
        if shutil.which("cargo") is None:
            click.echo("cargo was not found: the crate needs a Rust toolchain, see https://rustup.rs", err=True)
    return 0


def _as_path(folder: Path) -> str:
    """The folder such that pip takes it for one: a bare name may be a package of an index."""
    return str(folder) if len(folder.parts) > 1 or folder.is_absolute() else f"./{folder}"


@command.command("policy")
@_arguments
def policy(name: str, out: Path | None, library: Path | None, as_json: bool) -> int:
    """Make a Rust crate with the scheduler NAME (such as G-LLF) that builds against schedlab and registers itself.

    After `pip install ./FOLDER` the name works wherever a scheduler is named. For a scheduler in Python see
    examples/python_policy.py.
    """
    from schedlab.scaffold import new_policy

    made = new_policy(name, out=out, library=library)
    return _tell(made, as_json, f"schedlab simulate SCENARIO --scheduler {name}")


@command.command("protocol")
@_arguments
def protocol(name: str, out: Path | None, library: Path | None, as_json: bool) -> int:
    """Make a Rust crate with the locking protocol NAME that builds against schedlab and registers itself.

    After `pip install ./FOLDER`, `schedlab simulate --protocol NAME` knows it.
    """
    from schedlab.scaffold import new_protocol

    made = new_protocol(name, out=out, library=library)
    return _tell(made, as_json, f"schedlab simulate SCENARIO --protocol {name}")


@command.command("test")
@_arguments
def test(name: str, out: Path | None, library: Path | None, as_json: bool) -> int:
    """Make a Rust crate with the test of schedulability NAME that builds against schedlab and registers itself.

    After `pip install ./FOLDER`, `schedlab analyze` asks it wherever it speaks of the scheduler.
    """
    from schedlab.scaffold import new_test

    made = new_test(name, out=out, library=library)
    return _tell(made, as_json, f"schedlab analyze SCENARIO --tests {name}")
