"""`schedlab doctor`: what this machine can run."""

from __future__ import annotations

import subprocess

import click

from schedlab.cli.options import json_option


@click.command("doctor")
@json_option
def command(as_json: bool) -> int:
    """Say what this machine can run for real, and what to change.

    Exit status: 3 if real runs are not possible.
    """
    from schedlab.runtime import binary

    return subprocess.run([str(binary()), "doctor", *(["--json"] if as_json else [])], check=False).returncode
