"""Executes a command in a virtual machine whose kernel has sched_ext: python tests/kernel/vm.py OUT 'command'

The machine sees the host's files, read-only. The folder OUT is its `$OUT`, and holds the command's stdout and stderr,
the kernel's messages and the console afterwards. The exit status is the command's; 124 after a time-out, 125 if the
machine died, 126 after a warning of the kernel. Processors are emulated: times mean nothing.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: What the kernel prints when something went wrong in it.
WARNING = re.compile(r"BUG:|WARNING:|Oops|rcu: INFO|soft lockup|hard LOCKUP|Kernel panic|blocked for more than")


class Missing(Exception):
    """Something that a virtual machine needs is not on this host."""


@dataclass(frozen=True)
class Mode:
    """A way to emulate processors.

    With `parallel`, each emulated processor has a thread of the host. Without it, one thread executes all of them by
    turns and counts instructions as time: less happens at once, but a processor may stand still for milliseconds, which
    finds other races. The tasks' load must then stay below one processor, because the processors share the time.
    """

    name: str
    parallel: bool
    processors: int

    def options(self) -> list[str]:
        """QEMU's options."""
        accel = ["-accel", "tcg,thread=multi" if self.parallel else "tcg,thread=single"]
        counted = [] if self.parallel else ["-icount", "shift=3,sleep=off"]
        return [*accel, *counted, "-cpu", "max", "-smp", str(self.processors)]


PARALLEL = Mode("parallel", True, 4)
COUNTED = Mode("counted", False, 2)
MODES = {mode.name: mode for mode in (PARALLEL, COUNTED)}


@dataclass(frozen=True)
class Ended:
    """The end of a command in a virtual machine."""

    #: The command's status; None if the machine did not hand it over.
    status: int | None
    timed_out: bool
    stdout: str
    stderr: str
    #: Lines of the kernel that report a fault.
    warnings: list[str]
    console: str

    def why(self) -> str:
        """The reason why the machine failed, by name; empty if it did not, whatever the command's status."""
        if self.timed_out:
            return "time-out: the virtual machine did not end"
        if self.status is None:
            return "the virtual machine died"
        return f"the kernel warned: {self.warnings[0]}" if self.warnings else ""


def default_kernel() -> Path:
    """The folder of the kernel: `SCHEDLAB_KERNEL`, else where `make kernel` puts it."""
    named = os.environ.get("SCHEDLAB_KERNEL")
    if named:
        return Path(named)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "schedlab" / "kernel" / version()


def version() -> str:
    """Names the kernel by what it is built from: another configuration is another kernel."""
    content = b"".join((HERE / name).read_bytes() for name in ("linux.config", "build.sh"))
    return hashlib.sha256(content).hexdigest()[:16]


def image(kernel: Path) -> Path:
    """The kernel's image in its folder, whatever follows `bzImage` in its name."""
    found = sorted(kernel.glob("bzImage*"))
    if len(found) != 1:
        raise Missing(
            f"{kernel} holds {len(found)} files bzImage*; run make kernel, or set SCHEDLAB_KERNEL to a folder"
        )
    return found[0]


def check_programs() -> None:
    """Raises `Missing` with the names of the programs that are not installed."""
    programs = ("qemu-system-x86_64", "busybox", "cpio")
    lacking = [name for name in programs if shutil.which(name) is None]
    if lacking:
        raise Missing(f"not installed: {', '.join(lacking)}; run make kernel-deps")


def write_initrd(path: Path) -> None:
    """Writes the first file system: busybox and `init`."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in ("bin", "proc", "sys", "dev"):
            (root / name).mkdir()
        busybox = shutil.which("busybox")
        assert busybox, "check_programs found it"
        shutil.copy(busybox, root / "bin" / "busybox")
        shutil.copy(HERE / "init", root / "init")
        (root / "init").chmod(0o755)
        names = "\n".join(str(file.relative_to(root)) for file in sorted(root.rglob("*")))
        pack = ["cpio", "--create", "--format=newc", "--quiet"]
        packed = subprocess.run(pack, cwd=root, input=names.encode(), check=True, capture_output=True).stdout
        path.write_bytes(gzip.compress(packed, 1))


def execute(command: str, out: Path, mode: Mode = PARALLEL, limit_s: float = 120, kernel: Path | None = None) -> Ended:
    """Executes `command` by `/bin/sh` in a new virtual machine, which is killed after `limit_s` seconds."""
    check_programs()
    bz_image = image(kernel or default_kernel())
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    out = out.resolve()
    (out / "command").write_text(command + "\n", encoding="utf-8")
    write_initrd(out / "initrd.gz")
    share = "security_model=none,multidevs=remap"
    qemu = ["qemu-system-x86_64", *mode.options(), "-m", "1G", "-nographic", "-no-reboot", "-nodefaults"]
    qemu += ["-serial", f"file:{out}/console", "-kernel", str(bz_image), "-initrd", f"{out}/initrd.gz"]
    qemu += ["-append", "console=ttyS0 quiet panic=-1"]
    qemu += ["-virtfs", f"local,path=/,mount_tag=host,readonly=on,{share}"]
    qemu += ["-virtfs", f"local,path={out},mount_tag=out,{share}"]
    timed_out = False
    with (out / "qemu").open("wb") as log:
        try:
            subprocess.run(qemu, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=limit_s, check=False)
        except subprocess.TimeoutExpired:
            timed_out = True
    (out / "initrd.gz").unlink()
    return _ended(out, timed_out)


def _ended(out: Path, timed_out: bool) -> Ended:
    def text(name: str) -> str:
        file = out / name
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    status = text("status").strip()
    console = text("console") + text("qemu")
    lines = f"{console}\n{text('dmesg')}".splitlines()
    warnings = list(dict.fromkeys(line.strip() for line in lines if WARNING.search(line)))
    return Ended(int(status) if status else None, timed_out, text("stdout"), text("stderr"), warnings, console)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path, help="folder of the results; what is in it is deleted")
    parser.add_argument("command", nargs="?", help="for /bin/sh in the machine")
    parser.add_argument("--where", action="store_true", help="print the folder of the kernel, and do nothing else")
    parser.add_argument("--mode", choices=MODES, default=PARALLEL.name)
    parser.add_argument("--processors", type=int, help="emulated processors")
    parser.add_argument("--limit", type=float, default=120, help="seconds until the machine is killed")
    chosen = parser.parse_args()
    if chosen.where:
        print(default_kernel())
        return 0
    if chosen.out is None or chosen.command is None:
        parser.error("OUT and a command are needed")
    mode = MODES[chosen.mode]
    if chosen.processors:
        mode = Mode(mode.name, mode.parallel, chosen.processors)
    try:
        ended = execute(chosen.command, chosen.out, mode, chosen.limit)
    except Missing as missing:
        print(f"vm: {missing}", file=sys.stderr)
        return 3
    print(ended.stdout, end="")
    print(ended.stderr, end="", file=sys.stderr)
    print(f"vm: {mode.processors} emulated processors ({mode.name}), whose times mean nothing", file=sys.stderr)
    why = ended.why()
    if why:
        print(f"vm: {why}", file=sys.stderr)
        print("\n".join(ended.console.splitlines()[-5:]), file=sys.stderr)
    if ended.timed_out:
        return 124
    if ended.status is None:
        return 125
    return 126 if why else ended.status


if __name__ == "__main__":
    sys.exit(main())
