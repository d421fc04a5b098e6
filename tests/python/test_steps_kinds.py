"""`analyze --steps`: computations of each kind with published numbers, as text, JSON, LaTeX and on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from test_steps import LOCKED, check_latex, latex_of, locking, write


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def task(name: str, cost: str, period: str, more: str = "") -> str:
    return f'"{name}"\nwcet = "{cost} ms"\nperiod = "{period} ms"\n{more}'


def can() -> str:
    """The messages of R. Davis et al., Real-Time Systems 35(3), 2007, section 3.1, on a bus that preempts none."""
    late = 'deadline = "3.25 ms"'
    return write("can.toml", 'scheduler = "NP-DM"\nplatform.processors = 1',
                 task("A", "1", "2.5"), task("B", "1", "3.5", late), task("C", "1", "3.5", late))  # fmt: skip


def suspending() -> str:
    """The example of J.-J. Chen, G. Nelissen and W.-H. Huang, ECRTS 2016, section 4, as remembered."""
    return write("suspending.toml", 'scheduler = "P-RM"\nplatform.processors = 1',
                 task("a", "4", "10", 'suspension = "5 ms"'), task("b", "6", "19", 'suspension = "1 ms"'),
                 task("c", "4", "50"))  # fmt: skip


def sweeping() -> str:
    """The set by which Buttazzo compares EDF with rate-monotonic priorities."""
    return write("sweep.toml", 'scheduler = "P-EDF"\nplatform.processors = 1', task("a", "2", "5"), task("b", "4", "7"))


def slacking() -> str:
    return write("slack.toml", 'scheduler = "G-EDF"\nplatform.processors = 2',
                 task("a", "7", "10"), task("b", "2", "8"), task("c", "2", "8"))  # fmt: skip


#: Two processors, whose tasks share R; `c` and `a` are on one.
SPINNING = """\
schedlab = 1
scheduler = "P-{}"
protocol = "{}"
platform.processors = 2
resource = [{{ name = "R" }}]
[[task]]
name = "a"
period = "20 ms"
processor = 0
program = ["execute 1 ms", "request R", "execute 2 ms", "release R"]
[[task]]
name = "b"
period = "30 ms"
processor = 1
program = ["request R", "execute 3 ms", "release R", "execute 1 ms"]
[[task]]
name = "c"
period = "50 ms"
processor = 0
program = ["request R", "execute 1 ms", "release R"]
"""


def spinning(scheduler: str, protocol: str) -> str:
    name = f"{protocol}-{scheduler}.toml"
    Path(name).write_text(SPINNING.format(scheduler, protocol), encoding="utf-8")
    return name


def steps_of(run: Any, file: str, test: str) -> Any:
    [answer] = run("analyze", file, "--steps", "--json", "--tests", test).json["analyses"]
    return next(one["steps"] for one in answer["verdicts"] if one["test"] == test)


def test_jobs_that_are_not_preempted(run: Any) -> None:
    found = run("analyze", can(), "--steps", "--task", "C").out
    expected = """\
  C may take 3.5 ms, its deadline is 3.25 ms
    w = (q - 1) C + sum over tasks before it of (⌊w/T⌋ + 1) C
    times in ms: C = 1, T = 3.5; A: C 1, T 2.5; B: C 1, T 3.5
    the busy period
    L0 = 1 [A] + 1 [B] + 1 [C] = 1 + 1 + 1 = 3 ms
    L1 = ⌈3/2.5⌉·1 [A] + ⌈3/3.5⌉·1 [B] + ⌈3/3.5⌉·1 [C] = 2 + 1 + 1 = 4 ms
    L2 = ⌈4/2.5⌉·1 [A] + ⌈4/3.5⌉·1 [B] + ⌈4/3.5⌉·1 [C] = 2 + 2 + 2 = 6 ms
    L3 = ⌈6/2.5⌉·1 [A] + ⌈6/3.5⌉·1 [B] + ⌈6/3.5⌉·1 [C] = 3 + 2 + 2 = 7 ms
    L4 = ⌈7/2.5⌉·1 [A] + ⌈7/3.5⌉·1 [B] + ⌈7/3.5⌉·1 [C] = 3 + 2 + 2 = 7 ms = L3
    it has 2 jobs of C
    job 1 of the busy window: q = 1
    w0 = 0 ms
    w1 = (⌊0/2.5⌋ + 1)·1 [A] + (⌊0/3.5⌋ + 1)·1 [B] = 1 + 1 = 2 ms
    w2 = (⌊2/2.5⌋ + 1)·1 [A] + (⌊2/3.5⌋ + 1)·1 [B] = 1 + 1 = 2 ms = w1
    R = w + C = 2 + 1 = 3 ms
    job 2 of the busy window: q = 2
    w0 = 2 [begin of the job before] ms
    w1 = 1 + (⌊2/2.5⌋ + 1)·1 [A] + (⌊2/3.5⌋ + 1)·1 [B] = 1 + 1 + 1 = 3 ms
"""
    assert expected in found, found
    assert "R = w + C - (q - 1) T = 6 + 1 - 1·3.5 = 3.5 ms" in found, found
    found = run("analyze", "can.toml", "--steps", "--task", "A").out
    assert "B = 0.999999, T = 2.5; B is the longest cost below, less the nanosecond for which it has executed" in found


def test_both_choices_of_suspension(run: Any) -> None:
    found = run("analyze", suspending(), "--steps", "--task", "c", "--tests", "suspension_aware").out
    assert "  c, suspension as jitter: responds within 42 ms, its deadline is 50 ms\n" in found, found
    assert "  c, by the linear rule: responds within 32 ms, its deadline is 50 ms\n" in found
    assert "b: C 6, T 19, J 1 (Q 1); a: C 4, T 10, J 6 (Q 1, R - C 5)" in found
    assert "w6 = 4 + ⌈(32 + 1)/19⌉·6 [b] + ⌈(32 + 6)/10⌉·4 [a] = 4 + 12 + 16 = 32 ms = w5" in found
    steps = steps_of(run, "suspending.toml", "suspension_aware")
    assert [one["bound_ns"] // 10**6 for one in steps["responses"]] == [9, 9, 15, 15, 42, 32]
    assert steps["responses"][5]["window"] == "suspension_by_rule"
    [changed] = [one for one in steps["changed"] if one["name"] == "a" and one["time"] == "cost"]
    assert (changed["scenario_ns"], changed["used_ns"], changed["because"]) == (4_000_000, 9_000_000, ["suspension"])


def test_deadlines_of_the_busy_period(run: Any) -> None:
    found = run("analyze", sweeping(), "--steps", "--tests", "edf_response_time").out
    assert "  response times by 5 deadlines of a busy period of 14 ms\n" in found, found
    assert "    t(7) = 1·2 [a] + 1·4 [b] = 2 + 4 = 6 ms\n    t(10) = 2·2 [a] + 1·4 [b] = 4 + 4 = 8 ms\n" in found
    assert "    the slowest jobs\n    R = 6 - (7 - 5) [a] = 4 ms, at most D = 5\n" in found, found


def test_slacks_round_by_round(run: Any) -> None:
    found = run("analyze", slacking(), "--steps", "--tests", "bcl_iterative").out
    assert "  round 1: before a deadline of a, it may be late\n" in found, found
    assert "  round 2: before a deadline of a, it completes 1 ms before\n" in found
    line = "sum = min(1·2 + 2, 3.000001) [b] + min(1·2 + 2, 3.000001) [c] = 3.000001 + 3.000001 = 6.000002 ms"
    assert line in found, found


def test_shares_have_their_times(run: Any) -> None:
    file = write(
        "baker.toml", 'scheduler = "G-EDF"\nplatform.processors = 2', task("a", "9", "10"), task("b", "1", "5")
    )
    found = run("analyze", file, "--steps", "--tests", "baker").out
    assert "times in ms; C_k = 9, D_k = 10, λ = 9/10\n" in found, found
    assert "    share = min(1, (9/10·(10 + 10 - 10) + max(0, 9 - 9/10·10))/10) [a] = 9/10\n" in found
    assert "    sum = 9/10 [a] + 1/5 [b] = 90% + 20% = 110%, at most 110%\n" in found
    late = write("late.toml", 'scheduler = "G-EDF"\nplatform.processors = 2', *(task(name, "2", "3") for name in "abc"))
    for test in ("baker", "bcl"):
        found = run("analyze", late, "--steps", "--tests", test).out
        assert "  the test ends with the first task that fails, a: it looks at none after it\n" in found, found


def test_the_limits_of_visited_deadlines(run: Any) -> None:
    text = [task("a", "3", "7", 'deadline = "5 ms"'), task("b", "3", "12"), task("c", "5", "20")]
    file = write("qpa.toml", 'scheduler = "P-EDF"\nplatform.processors = 1', *text)
    steps = steps_of(run, file, "qpa")
    [demand] = steps["demands"]
    known = [one for one in (demand["limit_from_slack_ns"], demand["busy_period_ns"]) if one is not None]
    assert demand["limit_ns"] == min(known)
    found = run("analyze", file, "--steps", "--tests", "qpa").out
    assert "; L_a = 12.000001 limits, L_b is longer; " in found, found
    late = write("qpa-late.toml", 'scheduler = "P-EDF"\nplatform.processors = 1',
                 task("a", "3", "7", 'deadline = "4 ms"'), task("b", "3", "12", 'deadline = "5 ms"'))  # fmt: skip
    assert "    the test ends with the first demand that does not fit\n" in run("analyze", late, "--steps").out


@pytest.mark.parametrize(
    ("scheduler", "protocol", "line"),
    [
        ("RM", "msrp", "R = 3 [b, waited for] + 1 [c, on arrival] + 3 [b, spun for on arrival] = 3 + 1 + 3 = 7 ms"),
        ("EDF", "msrp", "R = 3 [b, waited for] + 1 [c, on arrival] + 3 [b, spun for on arrival] = 3 + 1 + 3 = 7 ms"),
        (
            "RM",
            "mpcp",
            "R = 1 [c, waited for] + 2 [a, ahead of the holder] + 2·1 [c, keeps it off] = 1 + 2 + 2 = 5 ms",
        ),
        (
            "EDF",
            "fmlp-long",
            "R = 3 [b, waited for] + 1 [c, waited for] + 6 [c, holder kept off] + 1 [c, keeps it off]"
            " + 1 [c, on arrival] = 3 + 1 + 6 + 1 + 1 = 12 ms",
        ),
    ],
)
def test_sections_of_others_that_add_to_the_bound(run: Any, scheduler: str, protocol: str, line: str) -> None:
    file = spinning(scheduler, protocol)
    found = run("analyze", file, "--steps", "--task", "a").out
    total = line.rsplit(" = ", 1)[1]
    assert f"  cluster 0: a is delayed by sections of others for {total}\n" in found, found
    assert f"    B = {total}\n" in found
    [answer] = run("analyze", file, "--steps", "--json").json["analyses"]
    [steps] = [one["steps"] for one in answer["verdicts"] if one["test"] == answer["blocking"]["method"]]
    for one in steps["delays"]:
        whole = answer["blocking"]["total_ns"][one["task"]]
        assert one["total_ns"] == sum(term["total_ns"] for term in one["terms"]) == whole
    assert f"    {line}\n" in found, found


def test_the_times_that_are_not_the_scenarios_are_fields(run: Any) -> None:
    head = LOCKED.format("pcp", ', releases = "tick", quantum = "1 ms"')
    tasks = (f'"a"\nperiod = "10.5 ms"\n{locking("500 us")}', f'"b"\nperiod = "30.5 ms"\n{locking("1 ms")}')
    steps = steps_of(run, write("ticks.toml", f'scheduler = "P-RM"\n{head}', *tasks), "pcp_response_time")
    found = {
        (one["name"], one["time"]): (one["scenario_ns"], one["used_ns"], one["because"]) for one in steps["changed"]
    }
    assert found == {
        ("a", "period"): (10_500_000, 10_000_000, ["ticks"]),
        ("a", "relative_deadline"): (10_500_000, 9_500_000, ["ticks"]),
        ("b", "period"): (30_500_000, 30_000_000, ["ticks"]),
        ("b", "relative_deadline"): (30_500_000, 29_500_000, ["ticks"]),
    }
    assert (steps["is_from_release"], steps["release_delay_ns"]) == (True, 1_000_000)
    first = steps["responses"][0]
    assert first["from_arrival_ns"] == first["bound_ns"] + 1_000_000 == 3_000_000


def test_each_kind_is_on_the_page_and_in_latex(run: Any) -> None:
    for file in (can(), suspending(), sweeping(), slacking(), spinning("RM", "msrp"), spinning("EDF", "fmlp")):
        text = latex_of(run, file, "--all-tests")
        check_latex(text)
        assert run("analyze", file, "--steps", "--all-tests", "-o", "page.html").status == 0
        page = Path("page.html").read_text(encoding="utf-8")
        assert '<table class="steps">' in page
        if file == "can.toml":
            assert (
                r"\left\lfloor \frac{2}{2.5} \right\rfloor" in text
                and "<small>[begin of the job before]</small>" in page
            )
