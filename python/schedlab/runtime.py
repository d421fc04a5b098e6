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
from schedlab.outputs.answers import Observed
from schedlab.outputs.results import Doctor, Findings

#: Exit statuses of the binary: the machine does not let it run; an answer cannot be written; it was interrupted.
_CANNOT_RUN, _FAILED, _INTERRUPTED = 3, 4, 130

#: Path of the binary that the package ships.
SHIPPED = Path(__file__).parent / "_bin" / "schedlab-rt"


def binary() -> Path:
    """Returns the path of the target binary: this package's, else one on the PATH; raises `CannotRun` without one."""
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
    """Runs `scenario` on this machine with `options` of `schedlab-rt run`; returns its exit status and its output.

    The output is what the run found, its verdict last; reasons of a refusal go to standard error. An interrupt reaches
    the binary, too: it stops, reports what was lost, and keeps what happened until then.
    """
    with _written(scenario) as path:
        return _said(["run", str(path), "--with-parent", *options])


def run_json(scenario: Scenario, options: Sequence[str] = (), *, ahead: bool = False) -> Findings:
    """Runs `scenario` as `run` does; returns the findings. Raises if the run crashed, starved or violated a check."""
    with _written(scenario) as path:
        found: Findings = ask("run", path, "--with-parent", "--json", *options, ahead=ahead)
    return found


def run_checked(scenario: Scenario, trace: Path) -> Findings:
    """Runs `scenario`, writes its trace to `trace`, and checks it; returns the findings, good or bad.

    Raises `CannotRun` with the reason if the run could not begin. An interrupt ends the run, whose beginning is kept;
    one that comes before the run has begun raises `KeyboardInterrupt`.
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
    """Explains why a scenario with a scheduler or protocol of the user's own does not run for real."""
    names = " and ".join(scenario.own)
    return f"{names}: only simulated; `schedlab-rt` runs what is shipped, and programs of your own in Rust"


@contextmanager
def _written(scenario: Scenario) -> Iterator[Path]:
    """Yields the path of a file with the scenario, which is removed afterwards."""
    if scenario.own:
        raise BadInput(only_simulated(scenario))
    # Checked here, because errors of the file would name lines that the user has never seen.
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


def observe_file(file: Path, options: Sequence[str] = ()) -> tuple[int, Observed | None]:
    """Reads the kernel trace `file` with `options` of `schedlab-rt observe --file`; returns its exit status and what it
    found, which is None if the file cannot be read: the reason goes to standard error then.
    """
    status, text = _said(["observe", "--file", str(file), "--json", *options])
    found: Observed | None = json.loads(text) if text else None
    return status, found


def doctor() -> Doctor:
    """Returns what this machine can run: ``real_runs``, the ``machine``, and ``findings`` with what to change."""
    found = subprocess.run([str(binary()), "doctor", "--json"], capture_output=True, text=True, check=False)
    answer: Doctor = json.loads(found.stdout)
    return answer


def ask(*arguments: object, ahead: bool = False) -> Any:
    """Returns the binary's answer in JSON. Raises `CannotRun` with the reason if this machine does not let it run.

    ``ahead`` lets the binary's ordinary threads go before other processes, as far as this user is allowed to.
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
        # The binary undoes its changes of the machine before it ends.
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
    """Sets the least nice value for a process, and for its session, which Linux may schedule as one."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, -20)
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text("-20", encoding="ascii")


def _said(arguments: Sequence[str], stdout: int | None = subprocess.PIPE) -> tuple[int, str]:
    """Returns the exit status of the binary, and its output if that goes into a pipe."""
    process = subprocess.Popen([str(binary()), *arguments], stdout=stdout, text=True)
    said, _ = _patiently(process)
    _expect_own_end(process)
    return process.returncode, said


def _expect_own_end(process: subprocess.Popen[Any]) -> None:
    """Raises `Failed` if a signal ended the process: for want of memory, by `kill -9`, or by a defect."""
    if process.returncode == -signal.SIGINT:
        raise KeyboardInterrupt
    if process.returncode < 0:
        raise Failed(f"schedlab-rt was ended by {signal.Signals(-process.returncode).name}")


def _patiently(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Returns the process's output and standard error, and passes interrupts on meanwhile."""
    while True:
        try:
            return process.communicate()
        except KeyboardInterrupt:
            # A terminal signals the whole group; a signal to this process alone has to be passed on.
            process.send_signal(signal.SIGINT)
