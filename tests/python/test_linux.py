"""`--for linux`: settings that can be typed in, and what stock Linux lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

LINUX = ROOT / "examples" / "linux.toml"


def test_the_answer_comes_first_and_can_be_typed_in(run: Any) -> None:
    found = run("advise", LINUX, "--for", "linux")
    assert found.status == 0, found.err
    first = found.out.splitlines()[0]
    assert first.startswith("schedulable on stock Linux: threads under SCHED_FIFO, each bound to a processor"), first
    assert "--fifo --pid 98 TID" in found.out
    assert "--cpu-list --pid 0 TID" in found.out
    assert "PTHREAD_PRIO_INHERIT" in found.out
    assert "this rests on:" in found.out and "6.12" in found.out


def test_the_best_way_is_written_and_means_the_same(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "best.toml"
    found = run("advise", LINUX, "--for", "linux", "-o", out, "--json")
    assert found.status == 0, found.err
    assert out.read_text(encoding="utf-8") == found.json["scenario"]
    told = run("advise", LINUX, "--for", "linux", "-o", out).out.splitlines()[-1]
    assert told.startswith(f"next: schedlab export threads {out} -o {out.with_suffix('.sh')}"), told
    best = found.json["ways"][0]
    assert best["schedulable"] and best["rank"] == 1
    again = run("analyze", out, "--for", "linux", "--strict", "--json")
    assert (again.status, again.json["analyses"][0]["answer"]) == (0, "schedulable"), again.err
    assert again.json["analyses"][0]["margin"] == best["margin_percent"]
    assert run("simulate", out, "--strict").status == 0
    assert run("export", "systemd", out, "-o", tmp_path / "services").status == 0
    own = next(way for way in found.json["ways"] if way["is_own"])
    assert not own["schedulable"]
    assert run("simulate", LINUX, "--strict").status == 1


def test_nothing_is_written_without_a_proof(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "best.toml"
    found = run("advise", LINUX, "--for", "linux", "--scale", "5", "-o", out)
    assert (found.status, out.exists()) == (2, False)
    assert "no way of stock Linux is proved" in found.err
    assert found.out.startswith("not proved on stock Linux")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("analyze ROBOT --for linux --scheduler P-EDF", "allowed: SCHED_FIFO, P-SCHED_FIFO, SCHED_DEADLINE"),
        ("analyze ROBOT --for linux --scheduler P-RM", "P-SCHED_FIFO, which comes closest"),
        ("compare ROBOT --for linux --scheduler PD2", "PD2: is no scheduler of stock Linux"),
        ("advise ROBOT --for linux --scheduler PD2", "--scheduler and --for linux exclude each other"),
        ("advise ROBOT -o best.toml", "goes with --for linux"),
    ],
)
def test_what_linux_lacks_is_refused(run: Any, line: str, said: str) -> None:
    found = run(*line.replace("ROBOT", str(ROOT / "examples" / "robot.toml")).split())
    assert found.status == 2
    assert said in found.err, found.err


def test_a_comparison_has_the_schedulers_of_linux_alone(run: Any, tmp_path: Path) -> None:
    found = run("compare", LINUX, "--for", "linux", "--horizon", "200 ms", "--json", "-o", tmp_path / "out")
    assert found.status == 0, found.err
    names = [row["name"] for row in found.json["schedulers"]]
    assert names == ["P-SCHED_FIFO", "SCHED_FIFO", "SCHED_DEADLINE"]


#: A processor of which threads need 96%, in harmonic periods; the largest priority is the most urgent.
FULL = """schedlab = 1
horizon = "2 s"
scheduler = { name = "P-SCHED_FIFO", urgent_priority = "largest"THROTTLING }
[[task]]
name = "a"
wcet = "4.8 ms"
period = "10 ms"
priority = 3
[[task]]
name = "b"
wcet = "9.6 ms"
period = "20 ms"
priority = 1
"""


def test_what_the_kernel_keeps_is_no_margin(run: Any, tmp_path: Path) -> None:
    """Threads that need 96% of a processor are proved only where throttling is off; a margin ends at 95%."""
    full = tmp_path / "full.toml"
    full.write_text(FULL.replace("THROTTLING", ""))
    assert run("analyze", full, "--strict").status == 0, "a model without throttling"
    found = run("advise", full, "--for", "linux")
    assert found.out.startswith("not proved on stock Linux")
    assert "may take processor 0 for 960 ms of 1 s, and Linux may stop them after 950 ms" in found.out, found.out
    full.write_text(FULL.replace("THROTTLING", ', throttling = { runtime = "1 s", period = "1 s" }'))
    off = run("advise", full, "--for", "linux")
    assert off.out.startswith("schedulable on stock Linux") and "kernel.sched_rt_runtime_us is -1" in off.out
    full.write_text(FULL.replace("THROTTLING", ""))
    half = run("advise", full, "--for", "linux", "--scale", "0.5", "--json").json["ways"][0]
    # 480 ms of each second may grow to 949 ms.
    assert half["schedulable"] and 97 < half["margin_percent"] < 97.8, half["margin_percent"]


def test_one_option_has_one_answer(run: Any, tmp_path: Path) -> None:
    """The kernel's default throttling counts wherever Linux is meant, unless another one is stated."""
    full = tmp_path / "full.toml"
    full.write_text(FULL.replace("THROTTLING", ""))
    why = "may take processor 0 for 960 ms of 1 s, and Linux may stop them after 950 ms"
    told = "what if: scheduler.throttling = 950 ms of each 1 s, the kernel's default (not stated before)"
    found = run("analyze", full, "--for", "linux", "--strict", "--details")
    assert found.status == 1 and "misses a deadline in its own run" in found.out and told in found.out, found.out
    assert why in found.out, found.out
    compared = run("compare", full, "--for", "linux", "--json", "-o", tmp_path / "out").json
    answers = {row["name"]: [one["answer"] for one in row["verdicts"]] for row in compared["schedulers"]}
    assert "schedulable" not in answers["P-SCHED_FIFO"], answers
    assert [one["path"] for one in compared["what_if"]] == ["scheduler.throttling"]
    for form in ("threads", "systemd", "rt-app"):
        refused = run("export", form, full)
        assert refused.status == 2 and why in refused.err and "throttling = { runtime" in refused.err, refused.err
    off = ("--set", 'scheduler.throttling={runtime="1 s", period="1 s"}')
    assert run("analyze", full, "--for", "linux", "--strict", *off).status == 0
    written = run("export", "threads", full, *off)
    assert written.status == 0 and "the kernel must not stop SCHED_FIFO" in written.out, written.err
    default = run("export", "threads", full, "--scale", "0.9")
    assert "so the kernel's default is taken: 950 ms of each 1 s" in default.err, default.err


def test_classes_beside_each_other_have_one_margin(run: Any, tmp_path: Path) -> None:
    mix = tmp_path / "mix.toml"
    mix.write_text(FULL.replace("THROTTLING", "").replace("priority = 3", 'priority = 3\nclass = "deadline"'))
    scaled = ("--for", "linux", "--scale", "0.5", "--json")
    [own] = [way for way in run("advise", mix, *scaled).json["ways"] if way["is_own"]]
    [analysis] = run("analyze", mix, *scaled).json["analyses"]
    assert own["schedulable"] and analysis["margin"] == own["margin_percent"], (analysis, own)
    stated = tmp_path / "stated.toml"
    run("advise", mix, *scaled, "-o", stated)
    assert "throttling" in stated.read_text()
    assert run("analyze", stated, "--json").json["analyses"][0]["margin"] == analysis["margin"]


def test_the_kernels_own_priority_is_given_to_no_thread(run: Any, tmp_path: Path) -> None:
    """A table may have a thread of the kernel, at 99: other numbers than the stated ones are said."""
    table = tmp_path / "threads.csv"
    table.write_text("thread,T,cost,cpu,rtprio\nwatchdog,5 ms,100 us,0,99\ncontrol,10 ms,2 ms,0,50\n")
    said = "watchdog 98 (stated 99), control 97 (stated 50): 99 of watchdog is that of the kernel's own threads"
    written = run("export", "threads", table)
    assert said in written.err and "apply chrt --fifo --pid 97" in written.out, written.err
    assert "priorities are not those of the scenario" in written.out
    assert said in run("advise", table, "--for", "linux").out
    table.write_text(table.read_text().replace("99", "98"))
    assert "priorities are not those" not in run("export", "threads", table).err


def test_advised_priorities_are_those_that_are_exported(run: Any, tmp_path: Path) -> None:
    stated = tmp_path / "stated.toml"
    stated.write_text(FULL.replace("THROTTLING", ""))
    found = run("advise", stated, "--for", "linux", "--scale", "0.5", "-o", tmp_path / "best.toml", "--json").json
    own = next(way for way in found["ways"] if way["is_own"])
    assert [thread["priority"] for thread in own["threads"]] == [3, 1]
    script = run("export", "threads", stated, "--scale", "0.5").out
    assert "set_thread --fifo 3" in script or "--fifo --pid 3" in script, script
    best = [thread["priority"] for thread in found["ways"][0]["threads"]]
    header = tmp_path / "best.h"
    assert run("export", "threads", tmp_path / "best.toml", "-o", header).status == 0
    text = header.read_text(encoding="utf-8")
    assert all(f'thread "{name}", SCHED_FIFO {number}' in text for name, number in zip("ab", best, strict=True))
    assert "not written" not in text


#: Threads of three classes on two processors.
CLASSES = """schedlab = 1
scheduler = "P-SCHED_FIFO"
platform.processors = 2
task = [
    { name = "server", wcet = "2 ms", period = "10 ms", class = "deadline", processor = 0, priority = 3 },
    { name = "fixed", wcet = "3 ms", period = "20 ms", processor = 0, priority = 2 },
    { name = "other", wcet = "3 ms", period = "40 ms", class = "ordinary", processor = 1, priority = 1 },
]
"""


def test_classes_of_threads_are_compared_and_named(run: Any, tmp_path: Path) -> None:
    mix = tmp_path / "mix.toml"
    mix.write_text(CLASSES)
    found = run("compare", mix, "-o", tmp_path / "out")
    assert found.status == 0, found.err
    rows = {line.split("  ")[0]: line for line in found.out.splitlines()}
    assert "unknown" in rows["P-SCHED_FIFO"] and 'class: "deadline" is beside' in rows["G-EDF"]
    assert f"next: schedlab compare {mix} --for linux" in found.out
    assert (tmp_path / "out" / "report.html").exists()
    refused = run("compare", mix, "--scheduler", "P-EDF", "-o", tmp_path / "out")
    assert refused.status == 2 and 'class: "deadline" is beside' in refused.err
    assert run("compare", mix, "--scheduler", "P-ED", "-o", tmp_path / "out").status == 2
    told = run("analyze", mix).out.splitlines()[0]
    assert told.endswith('no test is known of a bound thread of SCHED_DEADLINE (task "server", class)'), told
    advised = run("advise", mix, "--for", "linux", "--json").json["ways"]
    assert {way["scheduler"] for way in advised} == {"P-SCHED_FIFO", "SCHED_FIFO"}
