"""`schedlab doctor`: what this machine can run."""

from __future__ import annotations

import subprocess

import click

from schedlab.cli.shared.options import json_option, print_answer
from schedlab.cli.shared.statuses import CANNOT_RUN, DONE
from schedlab.runtime import binary, doctor


@click.command("doctor")
@json_option
def command(as_json: bool) -> int:
    """Say what this machine can run for real, and what to change.

    Exit status: 3 if real runs are not possible.
    """
    if not as_json:
        return subprocess.run([str(binary()), "doctor"], check=False).returncode
    found = doctor()
    print_answer("doctor", **found)
    return DONE if found["real_runs"] else CANNOT_RUN
