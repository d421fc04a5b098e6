"""Running scenarios for real: the target binary `schedlab-rt`, as the package finds and calls it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from schedlab.errors import CannotRun
from schedlab.scenario import Scenario

__all__ = ["binary", "measure", "run"]

#: Where the package keeps the binary that it ships.
SHIPPED = Path(__file__).parent / "_bin" / "schedlab-rt"


def binary() -> Path:
    """The target binary: the one of this package, else one on the PATH. `CannotRun` if there is none."""
    if SHIPPED.is_file() and os.access(SHIPPED, os.X_OK):
        return SHIPPED
    found = shutil.which("schedlab-rt")
    if found is None:
        raise CannotRun(
            "the runtime `schedlab-rt` is not here: this package was built without it; in the source tree, "
            "`make setup` builds it, and `cargo install --path crates/rt` puts it on the PATH"
        )
    return Path(found)


def run(scenario: Scenario, options: Sequence[str] = ()) -> int:
    """Runs `scenario` on this machine with `options` of `schedlab-rt run`; returns its exit status.

    The binary prints what it found, its verdict last. An interrupt reaches it, too: it stops, says what was
    lost, and what happened until then is kept.
    """
    with tempfile.TemporaryDirectory(prefix="schedlab-") as folder:
        path = Path(folder) / "scenario.toml"
        path.write_text(scenario.to_toml(), encoding="utf-8")
        return _wait([str(binary()), "run", str(path), "--with-parent", *options])


def measure(out: Path, options: Sequence[str] = (), *, quiet: bool = False) -> int:
    """Measures overheads into the file ``out`` with `options` of `schedlab-rt measure`; returns its exit status."""
    return _wait([str(binary()), "measure", "--out", str(out), *options], quiet=quiet)


def _wait(command: Sequence[str], *, quiet: bool = False) -> int:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL if quiet else None)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            # The terminal has told the whole group; a signal to us alone is passed on.
            process.send_signal(signal.SIGINT)
