"""Tests of schedulers in the kernel: make test-kernel.

Boots a virtual machine once per mode, executes the tests in it, and prints each one's outcome. A machine that dies, a
time-out and a warning of the kernel fail the lane, each by name. Processors are emulated: the outcome holds for logic,
and every time means nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import vm

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
#: Libraries have other features than usual here, so their builds are apart.
TARGET = ROOT / "target" / "kernel"
#: Seconds after which a machine is killed; in the soak this many times more.
LIMIT_S = 1_500
SOAK = 20
#: Tests of real runs that are tried by links, too; and those whose limits no emulated processor keeps.
RUNTIME = ("aborts", "budget_servers", "budgets", "crashes", "events", "fast_sections", "gates", "interrupts", "links",
           "object_steps", "safety", "servers", "shutdown", "standstill", "stop_the_world")  # fmt: skip
NOT_EMULATED = (
    "sections_are_handed_back",
    "fewer_threads_switch",
    "a_section_that_never_ends_is_the_fault",
    "code_that_does_not_look_goes_on",
    "sections_exclude_each_other_whether_noticed_or_not",
)
#: A line of Rust's test runner, and of a test that did not try anything.
OUTCOME = re.compile(r"^test (\S+) \.\.\. (ok|FAILED|ignored)")
#: The finding of `schedlab-rt doctor` that a scheduler was loaded.
DOCTOR = re.compile(r"^ok +kernel schedulers ")
NOT_TRIED = re.compile(r"^not tried: (.*)")


def cargo(*arguments: str) -> str:
    """Calls Cargo in the folder of this lane's builds and returns what it prints."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(TARGET)}
    command = ["cargo", arguments[0], "--release", "--quiet", *arguments[1:]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def tests(package: str) -> dict[str, Path]:
    """Builds a package's tests with schedulers for the kernel, and returns their programs by name."""
    options = ("--package", package, "--features", "kernel", "--tests", "--no-run")
    messages = map(json.loads, cargo("test", *options, "--message-format", "json-render-diagnostics").splitlines())
    found = [message for message in messages if message.get("executable")]
    return {message["target"]["name"]: Path(message["executable"]) for message in found}


def own(kind: str, name: str) -> Path | None:
    """Builds the crate of `schedlab new KIND NAME` with an example that runs it, and returns that; None without
    schedlab's own environment."""
    schedlab = ROOT / ".venv" / "bin" / "schedlab"
    if not schedlab.exists():
        return None
    crate = TARGET / name.lower()
    shutil.rmtree(crate, ignore_errors=True)
    made = [schedlab, "new", kind, name, "--out", crate, "--library", ROOT]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    (crate / "examples").mkdir(exist_ok=True)
    shutil.copy(HERE / f"own_{kind}.rs", crate / "examples")
    with (crate / "Cargo.toml").open("a", encoding="utf-8") as manifest:
        for library, more in (("runtime", 'features = ["kernel"]\n'), ("trace", "")):
            manifest.write(f'\n[dev-dependencies.schedlab-{library}]\npath = "{ROOT / "crates" / library}"\n{more}')
    cargo("build", "--example", f"own_{kind}", "--manifest-path", str(crate / "Cargo.toml"))
    return TARGET / "release" / "examples" / f"own_{kind}"


def commands(mode: vm.Mode, loads: int, sets: int) -> str:
    """Builds `schedlab-rt` and the tests, and returns what one machine executes."""
    cargo("build", "--package", "schedlab-rt", "--features", "kernel")
    binary, scx, whole = TARGET / "release" / "schedlab-rt", tests("schedlab-scx"), tests("schedlab-rt")["kernel"]
    # What tests say of things that they did not try is shown.
    alone = "--test-threads=1 --show-output"
    lines = [
        # A processor that counts instructions skips the time in which it waits for a file of the host: its timers would
        # seem late. What is read once is in the machine's memory.
        f"cat {binary} {scx['schedlab_scx']} {scx['kernel']} {whole} > /dev/null",
        f"{binary} doctor",
        f"export SCHEDLAB_VM_MODE={mode.name} LOADS={loads} SETS={sets}",
        f"{scx['schedlab_scx']} {alone} || failed=1",
        f"{scx['kernel']} {alone} || failed=1",
        f"{whole} {alone} || failed=1",
    ]
    runtime = tests("schedlab-runtime")
    lines += [f"{runtime[name]} {alone} || failed=1" for name in ("pinned", "reversed")]
    for kind, name in (("policy", "G-MINE"), ("protocol", "my-lock")):
        example = own(kind, name)
        # Its line has the form of Rust's test runner, as the other outcomes.
        outcome = f"echo 'test a_crate_of_new_{kind}_runs_by_links ...'"
        lines.append(
            f"if {example}; then {outcome} ok; else {outcome} FAILED; failed=1; fi"
            if example
            else f"echo 'not tried: a crate of schedlab new {kind}, since make setup was not called'"
        )
    if mode.parallel:
        # They load their processors, for which instructions that are counted as time leave no room.
        skipped = " ".join(f"--skip {name}" for name in NOT_EMULATED)
        lines += [f"SCHEDLAB_TEST_BACKEND=scx {tests('schedlab-capi')['all']} {alone} a_program_chooses || failed=1"]
        lines += [f"SCHEDLAB_TEST_BACKEND=scx {runtime[name]} {alone} {skipped} || failed=1" for name in RUNTIME]
    return "\n".join([*lines, "exit ${failed:-0}"])


def test(mode: vm.Mode, out: Path, loads: int, sets: int, limit_s: float) -> bool:
    """Executes the tests in one machine; prints outcomes, and says whether all is well."""
    command = commands(mode, loads, sets)
    print(f"== {mode.name}: {mode.processors} emulated processors, whose times mean nothing", flush=True)
    begin = time.monotonic()
    # Tests see the kernel's other users: one at a time.
    ended = vm.execute(command, out, mode, limit_s)
    lines = ended.stdout.splitlines()
    outcomes = [found.groups() for found in map(OUTCOME.match, lines) if found]
    for name, outcome in outcomes:
        if outcome != "ignored":
            print(f"{outcome:<7} {name}")
    print(*(line for line in lines if "kernel schedulers" in line), sep="\n")
    for found in filter(None, map(NOT_TRIED.match, lines)):
        print(f"not tried: {found.group(1)}")
    why = ended.why()
    if not why and ended.status != 0:
        why = f"tests failed (status {ended.status})"
    passed = sum(outcome == "ok" for _, outcome in outcomes)
    if not why and not passed:
        why = "no test was executed"
    if not why and not any(DOCTOR.match(line) for line in lines):
        why = "schedlab-rt doctor did not load its probe"
    print(f"{mode.name}: {passed} passed in {time.monotonic() - begin:.0f} s" + (f"; {why}" if why else ""))
    if why:
        print(ended.stdout, ended.stderr, *ended.console.splitlines()[-20:], sep="\n")
        print(f"everything is in {out}")
    return not why


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "kernel", help="folder of outputs")
    parser.add_argument("--mode", choices=vm.MODES, help="only this mode")
    parser.add_argument(
        "--soak", action="store_true", help="1,000 loads instead of 20, and 20 random sets per scheduler"
    )
    chosen = parser.parse_args()
    try:
        vm.check_programs()
        kernel = vm.image(vm.default_kernel())
    except vm.Missing as missing:
        print(f"test-kernel: {missing}", file=sys.stderr)
        return 3
    print(f"kernel: {kernel}")
    modes = [vm.MODES[chosen.mode]] if chosen.mode else list(vm.MODES.values())
    loads, sets, limit_s = (1_000, 20, LIMIT_S * SOAK) if chosen.soak else (20, 1, LIMIT_S)
    # All modes are tried, also after one that failed.
    well = [test(mode, chosen.out / mode.name, loads, sets, limit_s) for mode in modes]
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
