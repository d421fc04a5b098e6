"""The walk of a student through an exercise sheet: each answer of schedlab's commands is a textbook's or a paper's.

The numbers of the sheet and their sources are in `tests/golden/worked_examples.json`, but for two exercises that are
stated here. The student reads what the commands print, and asks nothing else.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

#: Exercises by name: the system, the expected answer, and the source.
SHEET = {
    one["id"]: one
    for one in json.loads((ROOT / "tests" / "golden" / "worked_examples.json").read_text(encoding="utf-8"))["examples"]
}

#: A command's output; the command must succeed.
Ask = Callable[..., str]


@pytest.fixture
def ask(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.chdir(tmp_path)
    # So wide that no line of a computation is folded.
    monkeypatch.setenv("COLUMNS", "400")

    def answer(*arguments: object) -> str:
        found = run(*arguments)
        assert found.status == 0, found.err
        return str(found.out)

    return answer


def copied(
    name: str, tasks: Sequence[Sequence[int]], scheduler: str, processors: int = 1, priorities: bool = False
) -> None:
    """Writes tasks (cost, period, relative deadline, in microseconds): the most urgent first, as a student types."""
    text = f'schedlab = 1\nscheduler = "{scheduler}"\nplatform = {{ processors = {processors} }}\n'
    for index, (cost, period, due) in enumerate(tasks):
        text += (
            f'\n[[task]]\nname = "t{index + 1}"\nwcet = "{cost} us"\nperiod = "{period} us"\ndeadline = "{due} us"\n'
        )
        text += f"priority = {index}\n" if priorities else ""
    Path(name).write_text(text, encoding="utf-8")


def programs(name: str, tasks: Sequence[tuple[str, int, Sequence[str]]], resources: str, protocol: str) -> None:
    """Writes tasks (offset, priority, program) on one processor that share resources."""
    text = f'schedlab = 1\nscheduler = "P-FP"\nprotocol = "{protocol}"\nplatform = {{ processors = 1 }}\n'
    text += "".join(f'\n[[resource]]\nname = "{resource}"\n' for resource in resources)
    for index, (offset, priority, program) in enumerate(tasks):
        text += f'\n[[task]]\nname = "t{index + 1}"\nperiod = "{10 + index} s"\noffset = "{offset}"\n'
        text += f"priority = {priority}\nprogram = {json.dumps(list(program))}\n"
    Path(name).write_text(text, encoding="utf-8")


def steps_of(text: str, letter: str) -> list[int]:
    """Reads the values of the lines `w0 = ... = 5 ms` or `h(t1) = ... = 7 ms` of a computation, in their unit."""
    found = []
    for line in text.splitlines():
        if re.match(rf" *{letter}\(?t?\d+\)? = ", line):
            value = re.findall(r"= (\d+) (?:ns|us|ms|s)\b", line)
            found.append(int(value[0]))
    return found


def completions(table: str) -> dict[tuple[str, int], int]:
    """Reads from a table of jobs when each that is complete ended, in microseconds."""
    return {
        (row["name"], int(row["job"])): int(row["completion_ns"]) // 1000
        for row in csv.DictReader(table.splitlines())
        if row["completion_ns"]
    }


def test_one_rate_monotonic_or_edf(ask: Ask) -> None:
    """Buttazzo, Hard Real-Time Computing Systems: two tasks of 97% that EDF schedules and RM does not."""
    given, expected = SHEET["rm-vs-edf"]["system"], SHEET["rm-vs-edf"]["expected"]
    copied("one.toml", given["tasks"], "P-RM")
    text = ask("analyze", "one.toml", "--steps", "--task", "t2")
    assert text.startswith("unschedulable under P-RM")
    late = expected["RM"]["first_miss"]["response_if_continued"] // 1000
    assert f"t2 may take {late} ms, its deadline is 7 ms" in text
    # The bound of Liu and Layland for two tasks, as their paper and textbooks tabulate it.
    bound = SHEET["liu-layland-bounds"]["expected"]["bound"]["2"]
    assert f"unknown by liu_layland: the utilization is {100 * 34 / 35:.2f}%, above {100 * bound:.2f}%" in text
    assert "1 of 12 deadlines missed under P-RM" in ask("simulate", "one.toml", "--horizon", "35 ms")

    text = ask("analyze", "one.toml", "--scheduler", "P-EDF", "--steps", "--tests", "edf_utilization")
    assert text.startswith("schedulable under P-EDF") and "2/5 [t1] + 4/7 [t2] = 40% + 57.14% = 97.14%" in text
    ask("simulate", "one.toml", "--scheduler", "P-EDF", "--horizon", "35 ms", "--trace", "edf.slt")
    seen = completions(ask("trace", "edf.slt", "--format", "csv"))
    assert seen == {(f"t{task + 1}", job): ends for task, job, _, _, ends in expected["EDF"]["completions"]}


@pytest.mark.parametrize("exercise", ["bw-set-A", "bw-set-B", "bw-set-C", "buttazzo-dm"])
def test_two_response_times(ask: Ask, exercise: str) -> None:
    """Burns and Wellings, sets A, B and C; Buttazzo's example under deadline monotonic priorities."""
    given, expected = SHEET[exercise]["system"], SHEET[exercise]["expected"]
    copied("two.toml", given["tasks_in_priority_order"], "P-FP", priorities=True)
    text = ask("analyze", "two.toml", "--steps")
    for index, response in enumerate(expected.get("fixpoint_ignoring_deadline", expected["response_time"])):
        late = response > given["tasks_in_priority_order"][index][2]
        word = "may take" if late else "responds within"
        assert f"t{index + 1} {word} {response // 1000} ms, its deadline is" in text
    proved = "schedulable" if expected["schedulable"] else "unschedulable"
    assert f"{proved} by response_time" in text
    for test in ("liu_layland", "hyperbolic"):
        assert (f"\nschedulable by {test}" in text) == expected[f"{test}_passes"]


@pytest.mark.parametrize(
    ("task", "iterates"),
    [
        # T. P. Baker, quiz of 6 April 2004 (FSU): the third task meets its deadline of 10 exactly.
        ("t3", [2, 6, 8, 10, 10]),
        ("t2", [2, 4, 4]),
    ],
)
def test_two_with_the_iterations(ask: Ask, task: str, iterates: list[int]) -> None:
    copied("quiz.toml", [(2000, 5000, 5000), (2000, 7000, 7000), (2000, 12_000, 10_000)], "P-DM")
    text = ask("analyze", "quiz.toml", "--tests", "response_time", "--steps", "--task", task)
    assert steps_of(text, "w") == iterates
    assert f"{task} responds within {iterates[-1]} ms" in text


def test_three_processor_demand(ask: Ask) -> None:
    """Buttazzo's example of the processor demand; Zhang and Burns (2009), the lengths that QPA visits."""
    demand = SHEET["pdc-buttazzo"]["expected"]["demand_at"]
    copied("three.toml", SHEET["pdc-buttazzo"]["system"]["tasks"], "P-EDF")
    text = ask("analyze", "three.toml", "--tests", "qpa", "--steps")
    seen = dict(re.findall(r"= (\d+) ms, at most t\d+ = (\d+)", text))
    assert text.startswith("schedulable under P-EDF") and {int(length) for length in seen.values()} >= {13, 7, 5}
    for value, length in seen.items():
        before = max((int(at) for at in demand if int(at) <= 1000 * int(length)), default=0)
        assert int(value) * 1000 == demand[str(before)]

    expected = SHEET["qpa-8-tasks"]["expected"]
    copied("qpa.toml", SHEET["qpa-8-tasks"]["system"]["tasks"], "P-EDF")
    text = ask("analyze", "qpa.toml", "--tests", "qpa", "--steps")
    visited = [[int(length), int(found)] for found, length in re.findall(r"= (\d+) us, at most t\d+ = (\d+)", text)]
    assert visited == expected["sequence_t_h"]
    assert f"at {expected['iterations']} lengths that the test visits" in text


def section(resource: str, length: int) -> list[str]:
    return [f"request {resource}", f"execute {length} us", f"release {resource}"]


def blocked_for(text: str) -> list[int]:
    """Reads how long each task is blocked, in microseconds."""
    units = {"ns": 0.001, "us": 1, "ms": 1000, "s": 1_000_000}
    return [
        round(float(time) * units[unit])
        for time, unit in re.findall(r"t\d+ is blocked for ([\d.]+) (ns|us|ms|s)", text)
    ]


def test_four_blocking_times(ask: Ask) -> None:
    """Buttazzo, chapter 7: the table of the longest sections of four tasks on three semaphores."""
    table, expected = SHEET["blocking-table"]["system"]["critical_sections"], SHEET["blocking-table"]["expected"]
    tasks = [
        ("0 ms", index, ["execute 1 us", *(step for r, length in zip("ABC", row, strict=True) if length
                                           for step in section(r, length))])
        for index, row in enumerate(table)
    ]  # fmt: skip
    programs("four.toml", tasks, "ABC", "pcp")
    for protocol, name in (("pcp", "PCP"), ("ipcp", "IPCP"), ("srp", "SRP")):
        assert blocked_for(ask("analyze", "four.toml", "--protocol", protocol, "--steps")) == expected[name]
    # Of the two sums whose minimum the textbook takes, schedlab trusts the one by task, prints both, and says why.
    text = ask("analyze", "four.toml", "--protocol", "pip", "--steps")
    assert blocked_for(text) == expected["PIP_lower_bound_terms"]["Bl"]
    first = text[text.index("t1 is blocked") : text.index("t2 is blocked")]
    by_resource = [max(map(int, re.findall(r"(\d+) \[t\d\]", line))) for line in first.splitlines() if "[t" in line]
    assert sum(by_resource) * 1000 == expected["PIP_lower_bound_terms"]["Bs"][0]
    assert "the sum by resource bounds nothing here" in first


def test_four_of_ceilings(ask: Ask) -> None:
    """Burns and Wellings, an exercise of chapter 11: five tasks on six semaphores, blocked once each."""
    longest = dict(zip("ABCDEF", (50, 150, 75, 300, 250, 175), strict=True))
    uses = ["C", "AB", "CDE", "AEF", "BF"]
    tasks = [
        ("0 ms", index, ["execute 1 us", *(step for r in used for step in section(r, 1000 * longest[r]))])
        for index, used in enumerate(uses)
    ]
    programs("ceilings.toml", tasks, "ABCDEF", "pcp")
    assert blocked_for(ask("analyze", "ceilings.toml", "--steps")) == [75_000, 150_000, 250_000, 175_000, 0]


@pytest.mark.parametrize("exercise", ["priority-inversion", "chained-blocking", "pcp-deadlock"])
def test_five_schedules_under_protocols(ask: Ask, exercise: str) -> None:
    """Sha, Rajkumar and Lehoczky (1990): unbounded inversion, blocking twice under inheritance, and a deadlock."""
    words = {"x": "execute {} us", "L": "request {}", "U": "release {}"}
    jobs = sorted(SHEET[exercise]["system"]["jobs"])
    tasks = [
        (f"{at} us", priority, [words[kind].format(what) for kind, what in program])
        for _, at, priority, program in jobs
    ]
    programs("five.toml", tasks, "".join(SHEET[exercise]["system"]["ceilings"]), "none")
    for name, expected in SHEET[exercise]["expected"].items():
        printed = ask("simulate", "five.toml", "--protocol", name.lower(), "--horizon", "20 ms", "--trace", "five.slt")
        if expected.get("deadlock"):
            at = expected["deadlock_time"] // 1000
            assert f"deadlock at {at} ms" in printed
            continue
        assert "deadlock" not in printed
        seen = completions(ask("trace", "five.slt", "--format", "csv"))
        ends = {tuple(map(int, job.split("."))): time for job, time in expected["finish"].items()}
        assert seen == {(f"t{task + 1}", job): time for (task, job), time in ends.items()}


def test_six_dhall(ask: Ask) -> None:
    """Dhall and Liu (1978), with their epsilon 1 us; the bound is that of Goossens, Funk and Baruah (2003)."""
    expected = SHEET["dhall-m2"]["expected"]
    copied("six.toml", SHEET["dhall-m2"]["system"]["tasks"], "G-RM", processors=2)
    for scheduler, name in (("G-RM", "G_RM"), ("G-EDF", "G_EDF")):
        ask("simulate", "six.toml", "--scheduler", scheduler, "--horizon", "10 ms", "--trace", "six.slt")
        ends = expected[name]["first_miss"]["finish"]
        printed = ask("why", "six.slt", "t3", "0")
        assert (
            f"took {ends / 1000:g} ms, from its arrival at 0 ns" in printed and "after its deadline 1.001 ms" in printed
        )
    text = ask("analyze", "six.toml", "--scheduler", "G-EDF", "--tests", "gfb", "--steps")
    assert "unknown by gfb" in text and "= 100.30%, above 100.10%" in text
    assert ask("analyze", "six.toml", "--scheduler", "P-EDF").startswith("schedulable under P-EDF")
    copied("equal.toml", SHEET["gfb-equality"]["system"]["tasks"], "G-EDF", processors=2)
    assert "= 150%, at most 150%" in ask("analyze", "equal.toml", "--tests", "gfb", "--steps")


@pytest.mark.parametrize("exercise", ["pfair-windows-3-10", "pfair-windows-8-11"])
def test_seven_windows(ask: Ask, exercise: str) -> None:
    """Holman and Anderson, figure 4 (weight 3/10); Anderson and Srinivasan (2004), figure 1 (weight 8/11)."""
    given, expected = SHEET[exercise]["system"], SHEET[exercise]["expected"]
    lines = ask("windows", "{}/{}".format(*given["weight"])).splitlines()
    for row in expected["windows"]:
        numbers = next(line.split() for line in lines if line.split()[:1] == [str(row["subtask"])])
        assert [numbers[2], numbers[3], numbers[4]] == [str(row[name]) for name in ("release", "deadline", "b")]
        # Light tasks have no group deadlines.
        assert numbers[5] == str(row.get("group_deadline", "-"))


def test_seven_pfair_schedules_what_no_partition_can(ask: Ask) -> None:
    """Dellinger et al. (2011), section 3.3: three tasks of 0.6 on two processors; LITMUS^RT (2006), figure 1."""
    expected = SHEET["three-0.6"]["expected"]
    copied("seven.toml", SHEET["three-0.6"]["system"]["tasks"], "PD2", processors=2)
    assert ask("analyze", "seven.toml", "--scheduler", "P-EDF").startswith("unschedulable under P-EDF")
    assert "t3 fits nowhere" in ask("analyze", "seven.toml", "--scheduler", "P-EDF")
    assert ask("analyze", "seven.toml").startswith("schedulable under PD2")
    assert expected["PD2_misses"] == 0 and "no deadline missed" in ask("simulate", "seven.toml", "--horizon", "60 ms")

    ask("example", "litmus2006-fig1")
    admissible = SHEET["litmus06-fig1"]["expected"]["G_EDF"]["admissible_outcomes"]
    ask("simulate", "litmus2006-fig1.toml", "--trace", "fig1.slt")
    seen = completions(ask("trace", "fig1.slt", "--format", "csv"))
    names = SHEET["litmus06-fig1"]["system"]["names"]
    outcomes = [{(names[task], job): ends for task, job, _, _, ends in outcome} for outcome in admissible]
    assert any(outcome.items() <= seen.items() for outcome in outcomes)
    assert "no deadline missed" in ask("simulate", "litmus2006-fig1.toml", "--scheduler", "PD2")
