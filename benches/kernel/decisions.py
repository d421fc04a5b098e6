"""Instructions that schedulers in the kernel take per switch, with one emulated processor, beside the kernel's own
example `scx_simple`: the same on every machine, and however busy it is.

    python benches/kernel/decisions.py [--tasks 10,50,100,250] [--out FOLDER]

Needs what `make kernel-deps` installs, bpftool, and a kernel (`make kernel`, or SCHEDLAB_KERNEL). In the virtual
machine every instruction takes 8 ns of emulated time, so the kernel's own statistics of BPF programs count
instructions. They hold for the code that the scheduler executes, functions of the kernel that it calls included; not
for caches, other processors, or how long an instruction takes. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "kernel"))
import vm  # noqa: E402

HERE = Path(__file__).resolve().parent
SOURCE = Path("/usr/src/linux-source-6.12.tar.xz")
TARGET = ROOT / "target" / "kernel"
#: Emulated time that one instruction takes, as `vm.COUNTED` sets it.
NS_OF_INSTRUCTION = 8
ONE = vm.Mode("counted", False, 1)
WCET_US = 1_000
SECONDS = 30
#: Seconds after which all threads have begun, and seconds that are looked at.
START, LOOK = 15, 5
SCHEDULERS = ("scx_simple", "scx", "scx-native")


def periods_us(tasks: int) -> list[int]:
    """Periods by which the load is about a quarter of a processor, whatever the number of tasks."""
    return [tasks * (3 + task % 4) * WCET_US for task in range(tasks)]


def scenario(tasks: int) -> str:
    """The scenario of as many tasks."""
    head = f'schedlab = 1\nscheduler = "G-EDF"\nhorizon = "{SECONDS} s"\n[platform]\nprocessors = 1\n'
    rows = (
        f'[[task]]\nname = "t{number}"\nwcet = "{WCET_US} us"\nperiod = "{period} us"\n'
        for number, period in enumerate(periods_us(tasks))
    )
    return head + "".join(rows)


def tool(name: str) -> str:
    """The newest installed clang, or another tool with a version in its name."""
    for candidate in (name, *(f"{name}-{version}" for version in range(25, 15, -1))):
        if subprocess.run(["which", candidate], capture_output=True, check=False).returncode == 0:
            return candidate
    sys.exit(f"{name} is not installed: run make kernel-deps")


def compile_peer(kernel: Path, work: Path) -> None:
    """Compiles the kernel's own example from its source package, and the threads that it schedules."""
    if not SOURCE.exists():
        sys.exit(f"{SOURCE} is missing: run make kernel-deps")
    with tarfile.open(SOURCE) as archive:
        wanted = [member for member in archive if "/tools/sched_ext/" in member.name]
        archive.extractall(work, wanted, filter="data")
    examples = next(work.glob("linux-source-*")) / "tools" / "sched_ext"
    types = next(kernel.glob("vmlinux*.btf"))
    header = subprocess.run(["bpftool", "btf", "dump", "file", types, "format", "c"], check=True, capture_output=True)
    (work / "vmlinux.h").write_bytes(header.stdout)
    metadata = ["cargo", "metadata", "--format-version", "1", "--locked", "--features", "schedlab-scx/kernel"]
    packages = json.loads(subprocess.run(metadata, cwd=ROOT, check=True, capture_output=True).stdout)["packages"]
    manifest = next(package["manifest_path"] for package in packages if package["name"] == "libbpf-sys")
    library = Path(manifest).parent / "libbpf"
    (work / "include").mkdir(exist_ok=True)
    shutil.rmtree(work / "include" / "bpf", ignore_errors=True)
    shutil.copytree(library / "src", work / "include" / "bpf")
    places = [work, work / "include", examples / "include", library / "include" / "uapi"]
    includes = [option for place in places for option in ("-I", str(place))]
    options = ["-O2", "-g", "-target", "bpf", "-mcpu=v3", "-w", "-D__TARGET_ARCH_x86", *includes]
    target = ["-c", str(examples / "scx_simple.bpf.c"), "-o", str(work / "simple.o")]
    subprocess.run([tool("clang"), *options, *target], check=True)
    subprocess.run(["cc", "-O2", "-pthread", HERE / "periodic.c", "-o", work / "periodic"], check=True)
    # The library that loads our own schedulers loads this one, too.
    built = max(TARGET.glob("release/build/libbpf-sys-*/out/libbpf.a"), key=lambda file: file.stat().st_mtime)
    hold = ["cc", "-O2", "-I", work / "include", "-I", library / "include" / "uapi", HERE / "hold.c", built]
    subprocess.run([*hold, "-lelf", "-lz", "-o", work / "hold"], check=True)


def commands(scheduler: str, tasks: int, work: Path) -> str:
    """What the machine executes: the load, and in its midst two looks at the statistics."""
    begin, end = "", ""
    if scheduler == "scx_simple":
        begin = f"{work}/hold {work}/simple.o &\nhold=$!\nsleep 1\n"
        load = f"{work}/periodic {SECONDS} {WCET_US} {' '.join(map(str, periods_us(tasks)))}"
        end = "kill $hold"
    else:
        (work / f"{tasks}.toml").write_text(scenario(tasks), encoding="utf-8")
        load = f"{TARGET}/release/schedlab-rt run {work}/{tasks}.toml --backend {scheduler} --duration {SECONDS}s"
    look = "cat /proc/uptime > $OUT/{0}.uptime; bpftool -j prog > $OUT/{0}.json"
    return (
        f"sysctl -qw kernel.bpf_stats_enabled=1\n{begin}{load} > $OUT/load 2>&1 &\nload=$!\n"
        f"until grep -q enabled /sys/kernel/sched_ext/state || ! kill -0 $load; do sleep 0.2; done\n"
        f"sleep {START}\n{look.format('first')}\nsleep {LOOK}\n{look.format('last')}\n"
        f"wait $load; status=$?\n{end}\nexit $status"
    )


def counted(out: Path, tasks: int) -> tuple[dict[str, int], float, int]:
    """The instructions of each program between the looks; how many jobs there were meanwhile, and how often a thread
    began to execute."""

    def programs(name: str) -> dict[str, tuple[int, int]]:
        found = json.loads((out / f"{name}.json").read_text(encoding="utf-8"))
        return {one["name"]: (one.get("run_cnt", 0), one.get("run_time_ns", 0)) for one in found}

    def uptime(name: str) -> float:
        return float((out / f"{name}.uptime").read_text(encoding="utf-8").split()[0])

    first, last = programs("first"), programs("last")
    used = {name: (ns - first.get(name, (0, 0))[1]) // NS_OF_INSTRUCTION for name, (_, ns) in last.items()}
    switches = sum(runs - first[name][0] for name, (runs, _) in last.items() if name.endswith("_running"))
    jobs = (uptime("last") - uptime("first")) * sum(1e6 / period for period in periods_us(tasks))
    return used, jobs, switches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default="10,50,100,250")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "decisions")
    chosen = parser.parse_args()
    kernel = vm.default_kernel()
    work = chosen.out.resolve() / "work"
    work.mkdir(parents=True, exist_ok=True)
    build = ["cargo", "build", "--release", "--quiet", "--package", "schedlab-rt", "--features", "kernel"]
    subprocess.run([*build, "--target-dir", TARGET], cwd=ROOT, check=True)
    compile_peer(kernel, work)
    print("| tasks | scheduler | switches per job | instructions per switch | per job | per job, by function |")
    print("|---|---|---|---|---|---|")
    for tasks in map(int, chosen.tasks.split(",")):
        for scheduler in SCHEDULERS:
            out = chosen.out / f"{scheduler}-{tasks}"
            ended = vm.execute(commands(scheduler, tasks, work), out, ONE, 300, kernel)
            if ended.why() or ended.status:
                sys.exit(f"{scheduler}, {tasks} tasks: {ended.why() or ended.status}\n{ended.stdout}{ended.stderr}")
            used, jobs, switches = counted(out, tasks)
            parts = sorted(used.items(), key=lambda item: -item[1])
            told = ", ".join(f"{name} {total / jobs:,.0f}" for name, total in parts if total > jobs)
            total = sum(used.values())
            rates = f"{switches / jobs:.2f} | {total / switches:,.0f} | {total / jobs:,.0f}"
            print(f"| {tasks} | {scheduler} | {rates} | {told} |", flush=True)


if __name__ == "__main__":
    main()
