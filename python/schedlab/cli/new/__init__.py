"""`schedlab new`: a scheduler, a locking protocol or a test of one's own, in Rust; a study of one's own, in Python."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import click

from schedlab.cli.new.scaffold import new_policy, new_protocol, new_study, new_test
from schedlab.cli.shared.files import Command, in_a_shell
from schedlab.cli.shared.options import FILE, json_option, print_answer
from schedlab.errors import BadInput

#: The kind that is a file of Python.
STUDY = "study"

#: The kinds of crates, and the command that uses each once it is installed.
USES = {
    "policy": "schedlab simulate SCENARIO --scheduler",
    "protocol": "schedlab simulate SCENARIO --protocol",
    "test": "schedlab analyze SCENARIO --tests",
}


@click.command("new", cls=Command)
@click.argument("kind", type=click.Choice((*USES, STUDY)))
@click.argument("name")
@click.option("--out", "-o", type=FILE, help="Folder to make, or the file of a study; else NAME in the current folder.")
@click.option(
    "--library", type=FILE, help="A checkout of schedlab to build against; else the sources that this package brought."
)
@json_option
def command(kind: str, name: str, out: Path | None, library: Path | None, as_json: bool) -> int:
    """Start a scheduler, a locking protocol, a test of schedulability or a study of your own.

    `schedlab new study mine` writes mine.py: a grid, questions that proofs and simulations answer, and a plot, in
    fifteen lines. All others are crates of Rust that build against schedlab and register themselves: policy G-LLF,
    protocol my-pip or test my_density, for instance. After `pip install ./FOLDER` the name works wherever such names
    do. `schedlab analyze` asks the test wherever it speaks of the scheduler. For a scheduler in Python see
    examples/python_policy.py.
    """
    if kind == STUDY:
        return _study(name, out, library, as_json)
    make = {"policy": new_policy, "protocol": new_protocol, "test": new_test}[kind]
    made = make(name, out=out, library=library)
    if as_json:
        files = [str(path) for path in made.files]
        print_answer("new", folder=str(made.folder), files=files, library=str(made.library))
        return 0
    click.echo(f"made {made.folder}; it builds against {made.library}; next:")
    click.echo(f"  edit     {made.edit}")
    click.echo(f"  test     cargo test --manifest-path {made.folder / 'Cargo.toml'}    # at first about a minute")
    click.echo(f"  install  pip install {_as_path(made.folder)}    # at first about two minutes")
    click.echo(f"  use      {USES[kind]} {name}")
    if shutil.which("cargo") is None:
        click.echo("cargo was not found: the crate needs a Rust toolchain, see https://rustup.rs", err=True)
    return 0


def _study(name: str, out: Path | None, library: Path | None, as_json: bool) -> int:
    """Writes the file of a study, and says what to do next."""
    if library is not None:
        raise BadInput("--library is for what is built in Rust; a study is a file of Python")
    path = new_study(name, out=out)
    if as_json:
        print_answer("new", folder=str(path.parent), files=[str(path)], library="")
        return 0
    click.echo(f"made {path}; next:")
    click.echo(f"  edit     {path}")
    click.echo(f"  run      {shlex.join(['schedlab', 'study', 'run', in_a_shell(path)])}")
    return 0


def _as_path(folder: Path) -> str:
    """Returns the folder as a path for pip, which takes a bare name for a package of an index."""
    return str(folder) if len(folder.parts) > 1 or folder.is_absolute() else f"./{folder}"
