"""`analyze` as a check of continuous integration: margins, several files, JUnit, GitHub."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from schedlab.cli.shared.checks import growth, margin_status
from schedlab.errors import BadInput

HEAD = 'schedlab = 1\nscheduler = "P-EDF"\nplatform.processors = 1\n'


def task(name: str, wcet: str) -> str:
    return f'[[task]]\nname = "{name}"\nwcet = "{wcet}"\nperiod = "10 ms"\n'


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EDF on one processor: the margin is 1 / U - 1."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("good.toml").write_text(HEAD + task("a", "8 ms"))
    Path("late, 1.toml").write_text(HEAD + task("a", "8 ms") + task("<b|c>", "4 ms"))
    Path("open.toml").write_text(
        'schedlab = 1\nscheduler = "P-FP"\nprotocol = "none"\nplatform.processors = 1\n[[resource]]\nname = "r"\n'
        + "".join(
            f'[[task]]\nname = "t{index}"\nperiod = "10 ms"\npriority = {index}\n'
            'program = ["request r", "execute 1 ms", "release r", "execute 1 ms"]\n'
            for index in range(2)
        )
    )
    Path("bad.toml").write_text(HEAD + task("a", "8 parsecs"))


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("good.toml --margin 10%", 0),
        ("good.toml --margin 25%", 0),
        ("good.toml --margin 25.01%", 1),
        ("good.toml --margin=-20%", 0),
        ("open.toml --margin 10%", 5),
        ("open.toml good.toml --margin 30%", 1),
        ("good.toml open.toml --margin 10%", 5),
        ("good.toml open.toml", 0),
        ("good.toml open.toml --strict", 5),
        ("good.toml bad.toml --strict", 2),
        ("bad.toml --margin 10%", 2),
    ],
)
def test_statuses_of_checks(run: Any, words: str, status: int) -> None:
    assert run("analyze", *words.split()).status == status


def test_a_refuted_set_has_no_margin(run: Any) -> None:
    found = run("analyze", "late, 1.toml", "--margin", "0%")
    assert found.status == 1
    assert "\nmargin -16.67%: all costs would have to shrink by that\n" in found.out
    assert "\nthe margin is smaller than the 0% that is asked for\n" in found.out
    assert run("analyze", "late, 1.toml", "--margin=-20%").status == 0


@pytest.mark.parametrize("text", ["10", "0.1", "ten %", "-100%", "1e1%", "1501%", "10.001%", ""])
def test_what_is_no_growth_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is no growth of all costs; allowed: such as 10%"):
        growth(text)


def test_margins_by_answer() -> None:
    assert growth("10%") == 10 and growth("-12.5 %") == -12.5
    assert margin_status("schedulable", 9.99, 10) == 1
    assert margin_status("schedulable", 10, 10) == 0
    # Not proved and not refuted: nothing is known about the margin either.
    assert margin_status("unknown", -20, 10) == 5 and margin_status("unknown", None, 10) == 5
    assert margin_status("unknown", -20, -30) == 0
    assert margin_status("unschedulable", -20, 10) == 1


def test_options_that_do_not_go_together(run: Any) -> None:
    for words in (["--tests", "qpa", "--margin", "10%"], ["--jsonl", "--margin", "10%"], ["--jsonl", "-o", "a.html"]):
        found = run("analyze", "good.toml", *words)
        assert found.status == 2 and "exclude each other" in found.err, words
    assert "exclude each other" in run("analyze", "good.toml", "open.toml", "--jsonl").err


def test_each_file_has_its_answer(run: Any) -> None:
    found = run("analyze", "good.toml", "bad.toml", "late, 1.toml")
    lines = found.out.splitlines()
    assert found.status == 2 and "bad.toml:6:8: task[0].wcet: " in found.err
    assert lines[0] == "good.toml" and lines[1].startswith("schedulable under P-EDF")
    assert "late, 1.toml" in lines and not lines[-1].startswith("next:")
    answer = run("analyze", "good.toml", "bad.toml", "late, 1.toml", "--json").json
    assert [(one["file"], one["answer"]) for one in answer["analyses"]] == [
        ("good.toml", "schedulable"), ("late, 1.toml", "unschedulable"),
    ]  # fmt: skip
    assert list(answer["errors"]) == ["bad.toml"] and answer["page"] is None
    assert run("analyze", "good.toml", "--output-format", "json").json["analyses"][0]["margin"] == 25


def test_junit_has_a_case_for_each_check(run: Any) -> None:
    files = ("good.toml", "late, 1.toml", "open.toml", "bad.toml")
    assert run("analyze", *files, "--margin", "10%", "--junit", "out.xml").status == 2
    root = ElementTree.parse("out.xml").getroot()
    [suite] = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    counts = {key: int(suite.attrib[key]) for key in ("tests", "failures", "errors", "skipped")}
    # Of open.toml the margin fails and the deadlines, which --strict does not ask for, are skipped.
    assert counts == {"tests": 7, "failures": 3, "errors": 1, "skipped": 1}
    cases = {(case.attrib["classname"], case.attrib["name"]): [part.tag for part in case] for case in suite}
    assert cases == {
        ("good.toml", "deadlines under P-EDF"): ["system-out"],
        ("good.toml", "margin under P-EDF"): ["system-out"],
        ("late, 1.toml", "deadlines under P-EDF"): ["failure"],
        ("late, 1.toml", "margin under P-EDF"): ["failure"],
        ("open.toml", "deadlines under P-FP"): ["skipped"],
        ("open.toml", "margin under P-FP"): ["failure"],
        ("bad.toml", "the scenario can be read"): ["error"],
    }
    assert run("analyze", "open.toml", "--strict", "--junit", "out.xml").status == 5
    assert ElementTree.parse("out.xml").getroot().attrib["failures"] == "1"


def test_junit_holds_any_name(run: Any) -> None:
    Path("odd.toml").write_text(HEAD + task(']]> <&\u00e9\\"', "5 ms"))
    # A control character, which XML cannot hold, is refused; the reason has it escaped.
    Path("control.toml").write_text(HEAD + task("a\\u0001", "1 ms"))
    found = run("analyze", "odd.toml", "control.toml", "--junit", "out.xml")
    assert found.status == 2 and "control.toml:" in found.err and "odd.toml:" not in found.err
    messages = [part.text or "" for part in ElementTree.parse("out.xml").iter()]
    assert any("]]>" in message and "<&\u00e9" in message for message in messages), messages


def test_github_gets_annotations_and_a_summary(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n")
    files = ("good.toml", "late, 1.toml", "open.toml", "bad.toml")
    found = run("analyze", *files, "--output-format", "github")
    lines = found.out.splitlines()
    assert found.status == 2 and len(lines) == 4
    assert lines[0].startswith("::notice file=good.toml,title=schedlab%3A deadlines under P-EDF::schedulable under ")
    assert lines[1].startswith("::error file=late%2C 1.toml,title=")
    assert lines[2].startswith("::warning file=open.toml,title=schedlab%3A deadlines under P-FP::unknown under P-FP")
    assert lines[3].startswith("::error file=bad.toml,") and "parsecs" in lines[3]
    summary = Path("summary.md").read_text()
    assert summary.startswith("before\n### schedlab analyze\n\n| scenario | check | outcome | |\n")
    assert "| late, 1.toml | deadlines under P-EDF | failed | " in summary
    assert run("analyze", "open.toml", "--strict", "--output-format", "github").out.startswith("::error ")
    told = run("analyze", "good.toml", "--margin", "10%", "--output-format", "github").out.splitlines()
    assert told[1].endswith("::the margin is at least the 10%25 that is asked for; margin 25%25: all costs may grow by "
                            "that; alone, the cost of a may grow by 2 ms, the least")  # fmt: skip
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/folder.md")
    assert run("analyze", "good.toml", "--output-format", "github").status == 4
    both = run("analyze", "good.toml", "--json", "--output-format", "github")
    assert both.status == 2 and "exclude each other" in both.err
