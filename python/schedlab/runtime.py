"""Running scenarios for real: the target binary `schedlab-rt`, as the package finds and calls it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from schedlab.core.scenario import Scenario
from schedlab.errors import BadInput, CannotRun, Failed
from schedlab.outputs.results import Doctor, Findings

#: Exit statuses of the binary: this machine does not let it run; an answer cannot be written; it was interrupted.
_CANNOT_RUN, _FAILED, _INTERRUPTED = 3, 4, 130

#: Where the package keeps the binary that it ships.
SHIPPED = Path(__file__).parent / "_bin" / "schedlab-rt"


def binary() -> Path:
    """The target binary: the one of this package, else one on the PATH. `CannotRun` if there is none."""
    if SHIPPED.is_file() and os.access(SHIPPED, os.X_OK):
        return SHIPPED
    found = shutil.which("schedlab-rt")
    if found is None:
        raise CannotRun(
            "the runtime `schedlab-rt` is not here: this package was built without it. In the source tree, "
            "`make setup` builds it, and `cargo install --path crates/rt` puts it on the PATH"
        )
    return Path(found)


def run(scenario: Scenario, options: Sequence[str] = ()) -> tuple[int, str]:
    """Runs `scenario` on this machine with `options` of `schedlab-rt run`; returns its exit status and what it says.

    It says what it found, its verdict last; reasons of a refusal go to standard error. An interrupt reaches it, too:
    it stops, says what was lost, and what happened until then is kept.
    """
    with _written(scenario) as path:
        return _said(["run", str(path), "--with-parent", *options])


def run_json(scenario: Scenario, options: Sequence[str] = (), *, ahead: bool = False) -> Findings:
    """As `run`, but returns the findings. A run that crashed, starved or violated a check is an error."""
    with _written(scenario) as path:
        found: Findings = ask("run", path, "--with-parent", "--json", *options, ahead=ahead)
    return found


def run_checked(scenario: Scenario, trace: Path) -> Findings:
    """Runs `scenario`, writes its trace, checks it; returns the findings, whatever they say.

    `CannotRun` says why it could not begin. An interrupt ends the run, whose beginning is kept; one that comes before
    the run has begun raises `KeyboardInterrupt`.
    """
    with _written(scenario) as path:
        command = [str(binary()), "run", str(path), "--with-parent", "--check", "--json", "--out", str(trace)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said, wrong = _patiently(process)
    if trace.exists():
        found: Findings = json.loads(said)
        return found
    _expect_own_end(process)
    raise CannotRun(wrong.strip().removeprefix("schedlab-rt: ") or f"the run ended with status {process.returncode}")


def only_simulated(scenario: Scenario) -> str:
    """Why a scenario with something of the user's own does not run here."""
    names = " and ".join(scenario.own)
    return f"{names}: only simulated; `schedlab-rt` runs what is shipped, and programs of your own in Rust"


@contextmanager
def _written(scenario: Scenario) -> Iterator[Path]:
    """The scenario as a file, for as long as it is needed."""
    if scenario.own:
        raise BadInput(only_simulated(scenario))
    # Before it is another file, whose lines the user has never seen.
    scenario._native.check_real_objects()
    with tempfile.TemporaryDirectory(prefix="schedlab-") as folder:
        path = Path(folder) / "scenario.toml"
        path.write_text(scenario.to_toml(), encoding="utf-8")
        yield path


def measure(out: Path, options: Sequence[str] = (), *, quiet: bool = False) -> int:
    """Measures overheads into the file ``out`` with `options` of `schedlab-rt measure`; returns its exit status."""
    command = ["measure", "--with-parent", "--out", str(out), *options]
    return _said(command, stdout=subprocess.DEVNULL if quiet else None)[0]


def observe(options: Sequence[str]) -> tuple[int, str]:
    """Observes a program with `options` of `schedlab-rt observe`; returns its exit status and the scenario's text."""
    return _said(["observe", *options])


def doctor() -> Doctor:
    """What this machine can run: ``real_runs``, the ``machine``, and ``findings`` with what to change."""
    found = subprocess.run([str(binary()), "doctor", "--json"], capture_output=True, text=True, check=False)
    answer: Doctor = json.loads(found.stdout)
    return answer


def ask(*arguments: object, ahead: bool = False) -> Any:
    """What the binary answers in JSON. `CannotRun` with its reason where this machine does not let it.

    ``ahead`` lets its ordinary threads go before other processes, as far as this user may say so.
    """
    command = [str(binary()), *map(str, arguments)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=ahead
    )
    try:
        if ahead:
            _favour(process.pid)
        out, said = process.communicate()
    except KeyboardInterrupt:
        # It undoes what it did to the machine before it ends.
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise
    if process.returncode == _INTERRUPTED:
        raise KeyboardInterrupt
    _expect_own_end(process)
    if process.returncode != 0:
        reason = said.strip() or out.strip() or f"status {process.returncode}"
        kind = {_CANNOT_RUN: CannotRun, _FAILED: Failed}.get(process.returncode, BadInput)
        raise kind(f"schedlab-rt {' '.join(command[1:])}: {reason.removeprefix('schedlab-rt: ')}")
    return json.loads(out)


def _favour(pid: int) -> None:
    """The least nice value for a process, and for its session, which Linux may schedule as one."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, -20)
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text("-20", encoding="ascii")


def _said(arguments: Sequence[str], stdout: int | None = subprocess.PIPE) -> tuple[int, str]:
    """The exit status of the binary, and what it says if that goes into a pipe."""
    process = subprocess.Popen([str(binary()), *arguments], stdout=stdout, text=True)
    said, _ = _patiently(process)
    _expect_own_end(process)
    return process.returncode, said


def _expect_own_end(process: subprocess.Popen[Any]) -> None:
    """`Failed` if a signal ended the process: the memory's keeper, `kill -9`, or a defect."""
    if process.returncode == -signal.SIGINT:
        raise KeyboardInterrupt
    if process.returncode < 0:
        raise Failed(f"schedlab-rt was ended by {signal.Signals(-process.returncode).name}")


def _patiently(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What the process says, and what goes to its standard error; passes interrupts on meanwhile."""
    while True:
        try:
            return process.communicate()
        except KeyboardInterrupt:
            # The terminal has told the whole group; a signal to us alone is passed on.
            process.send_signal(signal.SIGINT)
