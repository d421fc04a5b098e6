"""`analyze --steps`: computations as text, as JSON, on the page, as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import schedlab
from browsing import launched, opened, serious
from conftest import ROOT
from schedlab.core import steps
from schedlab.core.steps.lines import Times

EXAMPLES = ROOT / "examples"

#: Process set D of Burns and Wellings.
SET_D = """\
schedlab = 1
scheduler = "P-FP"
platform.processors = 1
task = [
    { name = "a", wcet = "3 ms", period = "7 ms", priority = 1 },
    { name = "b_1", wcet = "3 ms", period = "12 ms", priority = 2 },
    { name = "c <i>", wcet = "5 ms", period = "20 ms", priority = 3 },
]
"""

#: J. Lehoczky, RTSS 1990: the fifth job of the busy window is the slowest.
LEHOCZKY = """\
schedlab = 1
scheduler = "P-FP"
platform.processors = 1
task = [
    { name = "a", wcet = "26 ms", period = "70 ms", priority = 1 },
    { name = "b", wcet = "62 ms", period = "100 ms", deadline = "120 ms", priority = 2 },
]
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.toml").write_text(SET_D, encoding="utf-8")
    Path("lehoczky.toml").write_text(LEHOCZKY, encoding="utf-8")


def test_iterates_are_told_as_textbooks_print_them(run: Any) -> None:
    found = run("analyze", "d.toml", "--steps", "--task", "c <i>").out
    expected = """\
  c <i> responds within 20 ms, its deadline is 20 ms
    w = C + sum over tasks before it of ⌈w/T⌉ C
    times in ms: C = 5, T = 20; a: C 3, T 7; b_1: C 3, T 12
    w0 = 5 ms
    w1 = 5 + ⌈5/7⌉·3 [a] + ⌈5/12⌉·3 [b_1] = 5 + 3 + 3 = 11 ms
    w2 = 5 + ⌈11/7⌉·3 [a] + ⌈11/12⌉·3 [b_1] = 5 + 6 + 3 = 14 ms
    w3 = 5 + ⌈14/7⌉·3 [a] + ⌈14/12⌉·3 [b_1] = 5 + 6 + 6 = 17 ms
    w4 = 5 + ⌈17/7⌉·3 [a] + ⌈17/12⌉·3 [b_1] = 5 + 9 + 6 = 20 ms
    w5 = 5 + ⌈20/7⌉·3 [a] + ⌈20/12⌉·3 [b_1] = 5 + 9 + 6 = 20 ms = w4
    R = w = 20 ms
"""
    assert expected in found, found
    # The answer comes first, the sums of all tasks are there, and no other task's iterates.
    assert found.startswith("schedulable under P-FP") and "a responds" not in found
    sums = "U = 3/7 [a] + 3/12 [b_1] + 5/20 [c <i>] = 42.86% + 25% + 25% = 92.86%, above 77.98%"
    product = "product = (3/7 + 1) [a] · (3/12 + 1) [b_1] · (5/20 + 1) [c <i>] = 1.429 · 1.25 · 1.25 = 2.2321, above 2"
    assert sums in found and product in found


def test_every_job_of_the_busy_window_is_told(run: Any) -> None:
    found = run("analyze", "lehoczky.toml", "--steps", "--tests", "response_time").out
    assert re.findall(r"R = w.* = (\d+) ms", found) == ["26", "114", "102", "116", "104", "118", "106", "94"], found
    assert "b responds within 118 ms, its deadline is 120 ms" in found
    assert "R = w - (q - 1) T = 518 - 4·100 = 118 ms" in found


def test_the_terminal_shows_the_first_and_the_last(run: Any) -> None:
    longer = LEHOCZKY.replace("26 ms", "30 ms").replace("70 ms", "79 ms").replace("120 ms", "1 s")
    Path("long.toml").write_text(longer, encoding="utf-8")
    found = run("analyze", "long.toml", "--steps", "--tests", "response_time").out
    [answer] = run("analyze", "long.toml", "--steps", "--tests", "response_time", "--json").json["analyses"]
    windows = answer["verdicts"][0]["steps"]["responses"][1]["windows"]
    assert len(windows) > 10
    assert f"    ... {len(windows) - 10} more: --json\n    job {len(windows)} of the busy window" in found, found


def test_the_terminal_shows_what_does_not_hold_of_many_computations(run: Any) -> None:
    task = '[[task]]\nname = "{}"\nperiod = "{} ms"\npriority = {}\n{}\n'
    many = [task.format(f"t{place}", 200, 1 + place, 'wcet = "1 ms"') for place in range(28)]
    late = task.format("late", 200, 24, 'wcet = "10 ms"\ndeadline = "12 ms"')
    section = 'program = ["request R", "execute {} ms", "release R"]'
    locks = [task.format("first", 99, 0, section.format(1)), *many, task.format("slow", 900, 99, section.format(300))]
    head = 'schedlab = 1\nscheduler = "P-FP"\nplatform.processors = 1\n'
    Path("many.toml").write_text(head + "".join([*many[:25], late, *many[25:]]), encoding="utf-8")
    found = run("analyze", "many.toml", "--steps", "--tests", "response_time").out
    assert "late may take" in found or "late is not bounded" in found, found
    assert "  t0 responds within 1 ms" in found and "  t27 responds within" in found, found
    assert "... 6 computations more: --task NAME, --json" in found and "... 3 computations more" in found, found
    Path("locks.toml").write_text(
        head.replace("platform", 'protocol = "pcp"\nplatform') + '[[resource]]\nname = "R"\n' + "".join(locks),
        encoding="utf-8",
    )
    found = run("analyze", "locks.toml", "--steps", "--all-tests").out
    assert "first is not bounded within its deadline of 99 ms" in found, found
    assert "... 10 blocking sums more" in found


def test_lines_fit_the_terminal(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = run("analyze", EXAMPLES / "papabench.toml", "--steps").out
    shown = found[found.index(" by ") :]
    assert max(map(len, shown.splitlines())) <= 80


def test_json_has_the_numbers_of_the_test(run: Any) -> None:
    [answer] = run("analyze", "d.toml", "--steps", "--json").json["analyses"]
    by_test = {found["test"]: found["steps"] for found in answer["verdicts"]}
    third = by_test["response_time"]["responses"][2]
    [window] = third["windows"]
    assert [turn["window_ns"] // 10**6 for turn in window["iterates"]] == [5, 11, 14, 17, 20]
    assert third["bound_ns"] == answer["verdicts"][[*by_test].index("response_time")]["response_time_bounds_ns"][2]
    [sum_] = by_test["liu_layland"]["sums"]
    assert (sum_["holds"], [term["exact"] for term in sum_["terms"]]) == (False, ["3/7", "1/4", "1/4"])
    # Steps are there only where they were asked for.
    [plain] = run("analyze", "d.toml", "--json").json["analyses"]
    assert {found["steps"] for found in plain["verdicts"]} == {None}
    assert [found["answer"] for found in plain["verdicts"]] == [found["answer"] for found in answer["verdicts"]]


def test_tests_without_steps_say_which_numbers_decided(run: Any) -> None:
    scenario = schedlab.Scenario.read(EXAMPLES / "dhall.toml").replace(processors=2)
    [found] = schedlab.analyze(scenario, schedulers="G-EDF", steps=True)
    without = [one for one in found.verdicts if one.steps is None]
    assert {one.test for one in found.verdicts} - {one.test for one in without} == {
        "gfb",
        "baker",
        "bcl",
        "bcl_iterative",
    }
    assert without and all(one.reason for one in without)
    told = {one.test: [part.head for part in steps.computations(one.steps)] for one in found.verdicts if one.steps}
    assert "is above" in told["gfb"][0] and told["bcl"]
    printed = run("analyze", EXAMPLES / "avionics-locks.toml", "--scheduler", "P-FP", "--protocol", "mrsp", "--steps")
    assert printed.out.count("its steps are not shown; the bounds in the table are those that it found") == 1


@pytest.mark.parametrize(
    ("protocol", "blocking"), [("pip", "8 ms"), ("pcp", "5 ms"), ("srp", "5 ms"), ("npcs", "5 ms")]
)
def test_blocking_is_told_by_resource(run: Any, protocol: str, blocking: str) -> None:
    shares = """\
schedlab = 1
scheduler = "P-FP"
platform.processors = 1
resource = [{ name = "map" }, { name = "log" }]
[[task]]
name = "odom"
period = "20 ms"
priority = 1
program = ["execute 1 ms", "request map", "execute 1 ms", "release map"]
[[task]]
name = "planner"
period = "50 ms"
priority = 2
program = ["request map", "execute 5 ms", "release map"]
[[task]]
name = "logger"
period = "100 ms"
priority = 3
program = ["request map", "execute 3 ms", "release map", "request log", "execute 4 ms", "release log"]
"""
    Path("shares.toml").write_text(shares, encoding="utf-8")
    found = run("analyze", "shares.toml", "--protocol", protocol, "--steps", "--task", "odom").out
    assert f"  odom is blocked for {blocking}\n" in found, found
    counts = "counts: 5 of planner, 3 of logger" if protocol == "pip" else "counts: 5 of planner"
    assert f"    map: 5 [planner], 3 [logger]; {counts}\n" in found, found
    assert f"{blocking.removesuffix(' ms')} [blocking] + 2" in found


def write(name: str, head: str, *tasks: str) -> str:
    """Writes a scenario of tasks, each the rest of its table, and returns its name."""
    rows = "".join(f"[[task]]\nname = {task}\n" for task in tasks)
    Path(name).write_text(f"schedlab = 1\n{head}\n{rows}", encoding="utf-8")
    return name


LOCKED = 'protocol = "{}"\nresource = [{{ name = "R" }}]\nplatform = {{ processors = 1{} }}'


def locking(cost: str, before: str = "500 us") -> str:
    return f'program = ["execute {before}", "request R", "execute {cost}", "release R"]'


def test_releases_at_ticks_are_told(run: Any) -> None:
    head = LOCKED.format("pcp", ', releases = "tick", quantum = "1 ms"')
    tasks = (f'"a"\nperiod = "10.5 ms"\n{locking("500 us")}', f'"b"\nperiod = "30.5 ms"\n{locking("1 ms")}')
    file = write("ticks.toml", f'scheduler = "P-RM"\n{head}', *tasks)
    found = run("analyze", file, "--steps").out
    told = "releases are at ticks: T is the period rounded down to whole ticks of 1 ms, D the deadline less 1 ms; "
    assert told + "from the arrival, the bound is R + 1 ms\n" in found, found
    assert "a responds within 2 ms, its deadline is 9.5 ms" in found and "C = 1, B = 1, T = 10" in found
    assert re.search(r"^a +1 ms +10.5 ms +10.5 ms +3 ms ", found, re.MULTILINE)
    assert run("analyze", file, "--steps", "-o", "page.html").status == 0
    assert told in Path("page.html").read_text(encoding="utf-8")
    assert "T is the period rounded down" in latex_of(run, file)
    assert "ticks" not in run("analyze", write("timer.toml", f'scheduler = "P-RM"\n{LOCKED.format("pcp", "")}', *tasks),
                              "--steps").out  # fmt: skip


def test_jitter_and_suspension_within_letters_are_told(run: Any) -> None:
    tasks = (
        '"a"\nwcet = "2 ms"\nperiod = "5 ms"\ndeadline = "4 ms"\njitter = "1 ms"',
        '"c"\nwcet = "3 ms"\nperiod = "20 ms"\ndeadline = "7 ms"\nsuspension = "1 ms"',
    )
    file = write("edf.toml", 'scheduler = "P-EDF"\nplatform.processors = 1', *tasks)
    for test, lines in [
        ("qpa", ["C contains suspension", "D is the deadline less the jitter"]),
        ("gfb", ["C contains suspension", "D is the deadline less the jitter"]),
        ("baker", ["C contains jitter and suspension"]),
        ("edf_utilization", []),
    ]:
        found = run("analyze", file, "--steps", "--tests", test).out
        assert [line.strip() for line in found.splitlines() if re.match("  [CD] (contains|is) ", line)] == lines, found
    rows = (re.sub("deadline.*", "", one) for one in tasks)
    whole = write("rm.toml", 'scheduler = "P-EDF"\nplatform.processors = 1', *rows)
    for scheduler, test, line in [
        ("P-EDF", "edf_utilization", "C contains jitter and suspension"),
        ("P-RM", "liu_layland", "C contains jitter and suspension"),
        ("P-RM", "hyperbolic", "C contains jitter and suspension"),
        ("P-RM", "response_time", "C contains suspension"),
    ]:
        found = run("analyze", whole, "--scheduler", scheduler, "--steps", "--tests", test).out
        assert [told.strip() for told in found.splitlines() if told.startswith("  C contains ")] == [line], found
    assert "C contains" not in run("analyze", "d.toml", "--steps").out


def test_the_minimum_of_textbooks_is_explained(run: Any) -> None:
    tasks = [
        f'"{name}"\nperiod = "{period} ms"\n{locking("1 ms")}' for name, period in (("a", 20), ("b", 30), ("c", 40))
    ]
    file = write("pip.toml", f'scheduler = "P-RM"\n{LOCKED.format("pip", "")}', *tasks)
    found = run("analyze", file, "--steps").out
    why = "the sum by resource bounds nothing here: a lock that goes to a waiting job at once may block twice"
    assert f"    B = 2 ms; {why}\n" in found and "    B = 1 ms\n" in found, found


def test_demand_with_blocking_is_told(run: Any) -> None:
    # Two resources: without one, the demand still decides.
    program = locking("1 ms", "2 ms").replace('"]', '", "request S", "execute 1 ms", "release S"]')
    tasks = [
        f'"{name}"\nperiod = "{period} ms"\ndeadline = "{due} ms"\n{program}'
        for name, period, due in (("a", 20, 8), ("b", 40, 30))
    ]
    head = LOCKED.format("srp", "").replace("}]", '}, { name = "S" }]')
    file = write("srp.toml", f'scheduler = "P-EDF"\n{head}', *tasks)
    found = run("analyze", file, "--steps").out
    assert "every deadline that matters is at most 30; L_a = " in found and "; the longest D limits; b(t) is" in found
    assert "the longest section of a task with D > t" in found, found
    assert re.search(r"the demand exceeds no interval, at \d lengths that the test visits", found)
    assert "\nR lengthens no bound: those by srp_demand are the deadlines themselves\n" in found, found


def test_each_computation_names_its_cluster(run: Any) -> None:
    tasks = [f'"t{place}"\nwcet = "4 ms"\nperiod = "{10 + place} ms"' for place in range(4)]
    for scheduler in ("P-RM", "P-EDF"):
        file = write("two.toml", f'scheduler = "{scheduler}"\nplatform.processors = 2', *tasks)
        [found] = schedlab.analyze(schedlab.Scenario.read(file), schedulers=scheduler, steps=True)
        assert found.has_clusters
        printed = run("analyze", file, "--steps").out
        for verdict in found.verdicts:
            heads = [one.head for one in steps.computations(verdict.steps, by_cluster=True)] if verdict.steps else []
            assert all(re.match("cluster [01]: ", head) and head[:10] in printed for head in heads), heads
    assert "cluster 0: the sum" in printed and "cluster 1: the sum" in printed and "processor 1:" not in printed


def test_an_iteration_that_begins_too_late_shows_its_beginning(run: Any) -> None:
    tasks = (
        f'"a"\nperiod = "10 ms"\ndeadline = "3 ms"\n{locking("1 ms", "1 ms")}',
        f'"b"\nperiod = "30 ms"\n{locking("2 ms")}',
    )
    found = run("analyze", write("late.toml", f'scheduler = "P-DM"\n{LOCKED.format("pcp", "")}', *tasks), "--steps").out
    assert "    w0 = 2 [blocking] + 2 = 2 + 2 = 4 ms\n" in found, found
    assert "beyond the deadline of 3 ms: no fixed point is sought\n" in found
    assert "  the test ends with the first task that fails, a: it looks at none after it\n" in found
    # Asked for a task that the test did not reach, it says so.
    told = run("analyze", "late.toml", "--steps", "--task", "b", "--tests", "pcp_response_time").out
    assert "the test ends with the first task that fails, a" in told and "b responds" not in told


def test_work_of_others_is_told_as_it_counts(run: Any) -> None:
    tasks = [f'"{name}"\nwcet = "{cost} ms"\nperiod = "10 ms"' for name, cost in (("a", 5), ("b", 5), ("c", 6))]
    file = write("bcl.toml", 'scheduler = "G-EDF"\nplatform.processors = 2', *tasks)
    found = run("analyze", file, "--steps", "--tests", "bcl").out
    assert "before a deadline of a, 10 ms of the others' work count, equal to the room of 10 ms" in found, found


def test_visited_deadlines_are_told(run: Any) -> None:
    text = SET_D.replace("P-FP", "P-EDF").replace('"12 ms"', '"12 ms", deadline = "6 ms"')
    Path("edf.toml").write_text(text, encoding="utf-8")
    found = run("analyze", "edf.toml", "--steps", "--tests", "qpa").out
    rows = re.findall(r"h\(t(\d+)\) = .* at most t\d+ = (\d+)\n", found)
    assert rows and [int(row[0]) for row in rows] == [*range(1, len(rows) + 1)], found
    falling = [int(row[1]) for row in rows]
    assert falling == sorted(falling, reverse=True) and "[b_1]" in found


def test_the_page_has_tables_and_escapes_names(run: Any) -> None:
    assert run("analyze", "d.toml", "lehoczky.toml", "--steps", "-o", "report.html").status == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert (
        "⌈11/7⌉·3 <small>[a]</small>" in page
        and "= 5 + 6 + 3</td>" in page
        and "c <i>" not in page
        and "c &lt;i&gt;" in page
    )
    assert page.count('<table class="steps">') == 7
    assert run("analyze", "d.toml", "-o", "plain.html").status == 0
    assert '<table class="steps">' not in Path("plain.html").read_text(encoding="utf-8")


def test_latex_is_balanced_and_has_the_formulas(run: Any) -> None:
    found = run("analyze", "d.toml", "lehoczky.toml", "--steps", "-o", "steps.tex")
    assert (found.status, found.out.splitlines()[-1]) == (0, "steps.tex")
    text = Path("steps.tex").read_text(encoding="utf-8")
    assert r"w^{(2)} &= 5 + \left\lceil \frac{11}{7} \right\rceil 3\;[\text{a}]" in text, text
    assert r"\text{b\_1}" in text and "b_1" not in text
    check_latex(text)
    check_latex(latex_of(run, EXAMPLES / "dhall.toml"))
    check_latex(latex_of(run, EXAMPLES / "pathfinder.toml", "--protocol", "pcp"))


def latex_of(run: Any, *arguments: Any) -> str:
    assert run("analyze", *arguments, "--steps", "-o", "more.tex").status == 0
    return Path("more.tex").read_text(encoding="utf-8")


def check_latex(text: str) -> None:
    """Checks what would stop LaTeX: groups and environments that do not close, letters that it does not know."""
    body = re.sub(r"(?m)^%.*$", "", text)
    assert body.isascii(), sorted(set(re.findall(r"[^\x00-\x7f]", body)))
    depth = 0
    for one in re.sub(r"\\[{}\\]", "", body):
        depth += (one == "{") - (one == "}")
        assert depth >= 0
    assert depth == 0
    assert body.count(r"\left") - body.count(r"\left\l") == body.count(r"\left(")
    assert len(re.findall(r"\\left", body)) == len(re.findall(r"\\right", body))
    assert re.findall(r"\\begin{(\w+\*?)}", body) == re.findall(r"\\end{(\w+\*?)}", body)
    # Outside of mathematics, these need an escape.
    words = re.sub(r"(?s)\\begin{align\*}.*?\\end{align\*}|\\\[.*?\\\]|\$.*?\$", "", body)
    assert not re.search(r"(?<!\\)[&_#%^]", words), words
    # No alignment has a blank line, and each row one place where rows meet.
    for rows in re.findall(r"(?s)\\begin{align\*}(.*?)\\end{align\*}", body):
        assert "\n\n" not in rows
        assert all(len(re.findall(r"(?<!\\)&", row)) == 1 for row in rows.split(r"\\")), rows


def test_what_makes_no_sense_is_refused(run: Any) -> None:
    for arguments, told in [
        (("--task", "a"), "--task chooses among the steps: it needs --steps"),
        (("--steps", "--task", "x"), "a, b_1, c <i>"),
        (("-o", "steps.tex"), "steps.tex: LaTeX is written of the steps: it needs --steps"),
    ]:
        found = run("analyze", "d.toml", *arguments)
        assert found.status == 2 and told in found.err, found.err
    with pytest.raises(schedlab.BadInput, match="`steps`"):
        schedlab.analyze(schedlab.Scenario.read("d.toml"), task="a")


def test_times_have_the_largest_unit_in_which_they_are_short() -> None:
    for given, told in [
        ((3_000_000, 20_000_000), ["3", "20", "ms"]),
        ((51_000, 1_000_000_000), ["51", "1000000", "us"]),
        ((250_000, 10_000_000), ["0.25", "10", "ms"]),
        ((1, 5), ["1", "5", "ns"]),
        ((2_000_000_000, 0), ["2", "0", "s"]),
        ((1_234_567, 0), ["1234.567", "0", "us"]),
    ]:
        number = Times(given)
        assert [*map(number, given), number.unit] == told


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as running:
        yield running


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(run: Any, browser: Any, width: int, scheme: str) -> None:
    assert run("analyze", "d.toml", "lehoczky.toml", "--steps", "-o", "report.html").status == 0
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    with opened(browser, Path("report.html").resolve(), ready="table.steps", **options) as page:
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
