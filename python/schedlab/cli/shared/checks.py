"""Answers as checks of continuous integration: what passes, and the outputs for GitHub and as JUnit XML."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import click

from schedlab._native import LARGEST_MARGIN_PERCENT
from schedlab.base.files import write_whole
from schedlab.cli.shared.statuses import BAD_INPUT, DONE, FOUND, UNKNOWN
from schedlab.core.margins import percent_in_words
from schedlab.errors import BadInput, Failed

#: What a check says, by its exit status.
_OUTCOMES = {DONE: "passed", FOUND: "failed", UNKNOWN: "unknown", BAD_INPUT: "bad input"}


@dataclass(frozen=True)
class Check:
    """A judged answer: of a scenario under a scheduler, or of a file that cannot be read."""

    file: str
    #: What was judged, such as "deadlines under G-EDF".
    name: str
    status: int
    message: str
    #: True if an unknown answer fails the command.
    is_strict: bool

    @property
    def outcome(self) -> str:
        """The outcome in a word or two."""
        return _OUTCOMES[self.status]


def growth(text: str) -> float:
    """Returns the margin that --margin asks for, in percent."""
    found = re.fullmatch(r"([+-]?\d+(\.\d{1,2})?) ?%", text.strip())
    if found is None or not -100 < float(found[1]) <= LARGEST_MARGIN_PERCENT:
        most = f"{LARGEST_MARGIN_PERCENT:.0f}%"
        raise BadInput(f"--margin: {text!r} is no growth of all costs; allowed: such as 10%, above -100%, up to {most}")
    return float(found[1])


def margin_status(answer: str, margin: float | None, asked: float) -> int:
    """Returns the exit status with --margin: whether all costs may grow by what is asked.

    Where the deadlines are not proved as they are, and not refuted, nothing is known about the margin either.
    """
    if margin is not None and margin >= asked:
        return DONE
    return UNKNOWN if answer == "unknown" else FOUND


def margin_check(answer: str, margin: float | None, asked: float) -> str:
    """Returns the comparison of a margin with the one that --margin asks for, in words."""
    wanted = percent_in_words(asked)
    status = margin_status(answer, margin, asked)
    if status == DONE:
        return f"the margin is at least the {wanted} that is asked for"
    if status == UNKNOWN:
        return f"no margin of {wanted} is proved, and none is refuted"
    return f"the margin is smaller than the {wanted} that is asked for"


def print_github(checks: Sequence[Check]) -> None:
    """Prints an annotation for each check, and adds a table to the summary of the step, if GitHub has one."""
    for check in checks:
        failed = check.status in (FOUND, BAD_INPUT) or (check.status == UNKNOWN and check.is_strict)
        kind = "error" if failed else "warning" if check.status == UNKNOWN else "notice"
        title = _property(f"schedlab: {check.name}")
        click.echo(f"::{kind} file={_property(check.file)},title={title}::{_data(check.message)}")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        lines = ["| scenario | check | outcome | |", "|---|---|---|---|"]
        for check in checks:
            cells = (check.file, check.name, check.outcome, check.message)
            lines.append(f"| {' | '.join(map(_cell, cells))} |")
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write("\n".join(["### schedlab analyze", "", *lines, "", ""]))
        except OSError as error:
            raise Failed(f"{summary}: cannot be written: {error.strerror}") from error


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    """Returns a text for a cell of a table in Markdown, where names can be no markup."""
    plain = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]<>#|&])", r"\\\1", plain)


def write_junit(checks: Sequence[Check], path: Path) -> None:
    """Writes the checks as JUnit XML: a test case each, by the name of its file."""
    strict_unknown = [check for check in checks if check.status == UNKNOWN and check.is_strict]
    counts = {
        "tests": len(checks),
        "failures": len(_of(checks, FOUND)) + len(strict_unknown),
        "errors": len(_of(checks, BAD_INPUT)),
        "skipped": len(_of(checks, UNKNOWN)) - len(strict_unknown),
    }
    numbers = {key: str(value) for key, value in counts.items()}
    root = ElementTree.Element("testsuites", {"name": "schedlab analyze", **numbers})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "schedlab analyze", **numbers})
    for check in checks:
        case = ElementTree.SubElement(suite, "testcase", {"classname": _text(check.file), "name": _text(check.name)})
        message = _text(check.message)
        if check.status == DONE:
            ElementTree.SubElement(case, "system-out").text = message
            continue
        tags = {FOUND: "failure", BAD_INPUT: "error", UNKNOWN: "failure" if check.is_strict else "skipped"}
        attributes = {"message": message, "type": check.outcome}
        kind = ElementTree.SubElement(case, tags[check.status], attributes if tags[check.status] != "skipped" else {})
        if tags[check.status] == "skipped":
            kind.set("message", message)
        else:
            kind.text = message
    ElementTree.indent(root)
    write_whole(path, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")


def _of(checks: Iterable[Check], status: int) -> list[Check]:
    return [check for check in checks if check.status == status]


def _text(text: str) -> str:
    """Returns a text without the characters that XML cannot hold."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)
