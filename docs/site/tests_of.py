"""A page for each test of schedulability: its entry in docs/tests.md, an example, and the comment of its file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import drawn
import rust
from click.testing import CliRunner

import schedlab
from schedlab import schemas
from schedlab.cli.main import cli

FOLDERS = (rust.ROOT / "crates" / "analysis" / "src", rust.ROOT / "crates" / "lp-blocking" / "src")
#: The section of docs/tests.md whose tests name locking protocols.
SHARING = "Tests of tasks that share resources"
#: Schedulers under which an example of a test is looked for, in this order.
TRIED = ("G-EDF", "P-EDF", "P-RM", "G-RM", "NP-EDF", "NP-RM", "NG-EDF", "PD2", "DP-WRAP", "EDZL", "P-SCHED_FIFO",
         "SCHED_FIFO", "G-FIFO", "S-PD2")  # fmt: skip
#: Files of bounds on blocking that are called otherwise than their tests, by the test's name without its kind.
BOUNDS = {
    "msrp": "msrp_holistic", "task_fair": "task_fair_mutex", "fmlp_long": "global_fmlp", "omlp": "global_omlp",
    "omlp_clustered": "clustered_omlp", "omlp_partitioned": "clustered_omlp", "pip_global": "global_pip",
    "ppcp_global": "ppcp", "lock_free": "retry/lock_free",
}  # fmt: skip
#: The same of linear programs.
PROGRAMS = {
    "msrp": "greedy", "spin_fifo_preemptable": "greedy", "spin_priority": "ranked", "spin_unordered": "ranked",
    "spin_priority_preemptable": "ranked", "spin_unordered_preemptable": "ranked",
}  # fmt: skip
#: Lines of the steps that a page shows at most.
LINES = 40


@dataclass(frozen=True)
class Facts:
    """What the list of tests says of one."""

    name: str
    #: The section of the list.
    section: str
    #: What the test is about, such as deadlines, or its locking protocols.
    about: str
    #: Algorithms of which it speaks, by kind of scheduler: `preemptive, one processor` and so on.
    classes: dict[str, tuple[str, ...]]
    #: The other lines of the entry, as Markdown.
    lines: str

    @property
    def source(self) -> str:
        found = re.search(r"\* source: ((?:.|\n)+)", self.lines)
        return " ".join(found[1].split()) if found else ""


def facts() -> list[Facts]:
    """Returns what the registry says of each test, as docs/tests.md has it."""
    text = (rust.ROOT / "docs" / "tests.md").read_text(encoding="utf-8")
    listed = text.split("generated from the registry. -->")[1].split("<!-- End of the list. -->")[0]
    found = []
    section = "Tests of independent tasks"
    for part in re.split(r"^(?=## |\* )", listed, flags=re.MULTILINE)[1:]:
        if part.startswith("## "):
            section = part.partition("\n")[0].removeprefix("## ").strip()
            continue
        name, rest = re.match(r"\* `(\w+)`: (.*)", part, re.DOTALL).groups()
        about, _, lines = rest.partition("\n  *")
        lines = re.sub(r"^  ", "", "  *" + lines.split("\n\n")[0], flags=re.MULTILINE).strip()
        found.append(Facts(name, section, " ".join(about.split()), _classes(lines), lines))
    return found


def _classes(lines: str) -> dict[str, tuple[str, ...]]:
    found = re.search(r"^\* for ((?:.|\n)+?)(?=^\*|\Z)", lines, re.MULTILINE)
    if not found:
        return {}
    kinds = (kind.partition(": ") for kind in " ".join(found[1].split()).split("; "))
    return {kind: tuple(names.split(", ")) for kind, _, names in kinds}


def class_of(algorithm: str) -> str:
    """Returns the name of an algorithm in the list of tests."""
    if algorithm in ("RM", "DM", "FP", "RM-US", "DM-US"):
        return "fixed priorities"
    return "fixed priorities with ties of SCHED_FIFO" if algorithm == "SCHED_FIFO" else algorithm


def protocols_of(test: Facts) -> list[str]:
    """Returns the locking protocols that a test names."""
    words = re.findall(r"[\w+-]+", test.about)
    return [name for name in schemas.names()["protocols"] if name in words]


def file_of(test: Facts) -> Path:
    """Returns the file whose comment describes the test: of its bound on blocking, else the one that registers it."""
    if test.section == SHARING:
        base, _, kind = test.name.rpartition("_")
        base = base.removesuffix("_response")
        folder, known = (FOLDERS[1], PROGRAMS) if kind == "program" else (FOLDERS[0] / "blocking", BOUNDS)
        for path in sorted(folder.rglob(f"{known.get(base, base)}.rs")):
            return path
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*.rs")):
            if path.stem != "tests" and re.search(
                rf'(?:name: |test\(\s*|method\(\s*)"{test.name}"', path.read_text(encoding="utf-8")
            ):
                # A file that only registers what its folder does has the folder's comment.
                return path.with_name("mod.rs") if path.stem == "test" else path
    raise ValueError(f"no file registers the test {test.name}")


def write(folder: Path) -> dict[str, dict[str, str]]:
    """Writes the pages; returns the source of each test, by section and name, in the registry's order."""
    folder.mkdir(parents=True)
    listed: dict[str, dict[str, str]] = {}
    for test in facts():
        path = file_of(test)
        where = f"*From the registry, and from the comment of `{path.relative_to(rust.ROOT)}`.*"
        judges = "Locking protocols" if test.section == SHARING else "It judges"
        parts = [f"# {test.name}", f"**{judges}:** {test.about}.", *_schedulers(test), _others(test),
                 "## An example", _example(test, folder), "## From its source", rust.header(path), where]  # fmt: skip
        (folder / f"{test.name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        listed.setdefault(test.section, {})[test.name] = f"`{test.name}`: {test.source}"
    return listed


def _schedulers(test: Facts) -> list[str]:
    """Returns the table of the algorithms of which a test speaks, where the list names some."""
    rows = [f"| {kind} | {', '.join(names)} |" for kind, names in test.classes.items()]
    return ["| schedulers | that go by |\n|---|---|\n" + "\n".join(rows)] if rows else []


def _others(test: Facts) -> str:
    """Returns the lines of an entry but those of its schedulers."""
    return re.sub(r"^\* for (?:.|\n)+?(?=^\*|\Z)", "", test.lines, flags=re.MULTILINE).strip()


def _example(test: Facts, folder: Path) -> str:
    """Returns an example that the test decides: the command with what it prints, and the schedule."""
    for wanted in ("schedulable", "unschedulable", "unknown"):
        for scenario in _candidates(test):
            try:
                [analysis] = schedlab.analyze(scenario, tests=[test.name])
            except schedlab.SchedlabError:
                continue
            if any(verdict.answer == wanted for verdict in analysis.verdicts):
                return _shown(test, scenario, folder)
    return "*The list of `schedlab analyze` does not have the test by itself: another test asks it.*"


def _candidates(test: Facts) -> list[schedlab.Scenario]:
    """Returns scenarios in the order in which they are tried."""
    tries = []
    if test.section != SHARING:
        for scheduler in TRIED:
            for scale in (1, 0.5, 2):
                try:
                    tries.append(drawn.under(scheduler, scale=scale))
                except schedlab.SchedlabError:
                    continue
        return tries
    for protocol in protocols_of(test):
        for scheduler in ("P-FP", "P-EDF", "G-EDF", "G-FP", "P-SCHED_FIFO"):
            for length in ("long", "short"):
                for alone in (False, True):
                    try:
                        tries.append(drawn.sharing(protocol, scheduler, length=length, alone=alone))
                    except schedlab.SchedlabError:
                        continue
    return tries


def _shown(test: Facts, scenario: schedlab.Scenario, folder: Path) -> str:
    """Returns the scenario, what `schedlab analyze --steps` says of it, and its schedule."""
    runner = CliRunner()
    with runner.isolated_filesystem():
        Path("example.toml").write_text(scenario.to_toml(), encoding="utf-8")
        command = ["analyze", "example.toml", "--tests", test.name, "--steps"]
        said = runner.invoke(cli, command, env={"COLUMNS": "110", "NO_COLOR": "1"}).stdout
    lines = [line.rstrip() for line in said.splitlines() if not line.startswith("next: ")]
    cut = [] if len(lines) <= LINES else [f"... ({len(lines) - LINES} more lines)"]
    shown = "\n".join(lines[:LINES] + cut)
    text = f"```text\n$ schedlab {' '.join(command)}\n{shown}\n```"
    file = folder / f"{test.name}.svg"
    processors = f"{scenario.processors} processor{'s'[: scenario.processors > 1]}"
    under = f"`{scenario.scheduler}`" + (f" and `{scenario.protocol}`" if scenario.protocol != "none" else "")
    try:
        drawn.draw(scenario, file, "24 ms")
    except schedlab.SchedlabError:
        return f"Tasks under {under} on {processors}:\n\n{text}"
    return (f"Tasks under {under} on {processors}, as the simulator draws them, and what the test computes:\n\n"
            f"![The first 24 ms of an example of {test.name}]({file.name})\n\n{text}")  # fmt: skip
