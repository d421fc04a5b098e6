"""A page for each locking protocol, from its entry in the registry and the comment at the head of its file."""

from __future__ import annotations

import re
from pathlib import Path

import drawn
import rust
import tests_of

import schedlab
from schedlab import schemas

LOCK = rust.ROOT / "crates" / "lock" / "src"
#: Fields of an entry, as the page calls them.
SHOWN = {"waiting": "how a job waits", "reach": "for which resources", "ceilings": "ceilings",
         "grants": "who is granted next", "preemption": "who preempts a holder",
         "nesting": "which requests nest"}  # fmt: skip
#: Sections of the index, by the folder of a protocol's file.
SECTIONS = {"suspend": "Jobs that wait suspend themselves", "spin": "Jobs that wait spin",
            "distributed": "Requests executed on a processor of the resource", "uniprocessor": "For one processor",
            "pfair": "For Pfair schedulers", "nonblocking": "Objects without locks",
            "src": "Several kinds of waiting"}  # fmt: skip
ANSWERS = {"true": "yes", "false": "no"}
#: The commands that execute scenarios under any protocol.
EXECUTED = "`schedlab simulate`; `schedlab run`, as threads of stock Linux or in the kernel (`--backend scx`)"
#: Examples of protocols that need tasks of their own.
EXAMPLES = {"zone-skip": "pfair-zones.toml", "zone-rollback": "pfair-zones.toml", "pfair-server": "pfair-server.toml"}


def protocols() -> dict[str, tuple[dict[str, str], Path]]:
    """Returns each registered protocol's entry and file, by its name; a name without an entry is an error."""
    found, constants = {}, {}
    for path in sorted(LOCK.rglob("*.rs")):
        text = path.read_text(encoding="utf-8")
        made = rust.entries(text, "Protocol", constants)
        constants |= made
        for fields in made.values():
            found[rust.text_of(fields["name"], text)] = (fields, path)
    known = schemas.names()["protocols"]
    if missing := set(known) - set(found):
        raise ValueError(f"protocols without an entry that this reader finds: {missing}")
    return {name: found[name] for name in known}


def write(folder: Path) -> dict[str, dict[str, str]]:
    """Writes the pages and their pictures; returns what each page is about, by section and by its name."""
    folder.mkdir(parents=True)
    tests = tests_of.facts()
    listed: dict[str, dict[str, str]] = {section: {} for section in SECTIONS.values()}
    for name, (fields, path) in protocols().items():
        speaking = [test.name for test in tests if name in tests_of.protocols_of(test)]
        (folder / f"{name}.md").write_text(_page(name, fields, path, folder, speaking), encoding="utf-8")
        listed[SECTIONS[path.parent.name]][name] = f"`{name}`: {_summary(fields, path)}"
    return {section: pages for section, pages in listed.items() if pages}


def _summary(fields: dict[str, str], path: Path) -> str:
    return rust.text_of(fields["summary"], path.read_text(encoding="utf-8"))


def _page(name: str, fields: dict[str, str], path: Path, folder: Path, speaking: list[str]) -> str:
    rows = [f"| {label} | {_fact(fields[field])} |" for field, label in SHOWN.items()]
    rows += [f"| several units | {ANSWERS[fields['several_units']]} |",
             f"| nothing deadlocks | {ANSWERS[fields['deadlock_free']]} |",
             f"| a job is blocked once at most | {ANSWERS[fields['blocks_once']]} |"]  # fmt: skip
    judges = ", ".join(f"[`{test}`](../tests/{test}.md)" for test in speaking) or "no test of the list"
    rows += [f"| analysed by | {judges} |", f"| executed by | {EXECUTED} |",
             f"| on stock Linux, without schedlab | {_fact(fields['on_linux'])} |"]  # fmt: skip
    summary = _summary(fields, path)
    return "\n\n".join([
        f"# {name}", f"{summary[0].upper()}{summary[1:]}.",
        "| property | value |\n|---|---|\n" + "\n".join(rows), "## An example", _example(name, folder),
        "## From its source", rust.header(path),
        f"*From the comment of `{path.relative_to(rust.ROOT)}`. {rust.LETTERS}*",
    ]) + "\n"  # fmt: skip


def _fact(variant: str) -> str:
    """Returns what a fact of a protocol means, such as `GrantOrder::Fifo`: the comment of the variant."""
    kind, _, name = variant.rpartition("::")
    text = (LOCK / "contract" / "facts.rs").read_text(encoding="utf-8")
    body = text.partition(f"pub enum {kind} {{")[2].partition("\n}")[0]
    found = re.search(rf"((?:    ///.*\n)+)    {name},", f"{body}\n")
    if found is None:
        raise ValueError(f"facts.rs does not describe {variant}")
    said = " ".join(line.strip().removeprefix("///").strip() for line in found[1].splitlines()).removesuffix(".")
    return f"{said[0].lower()}{said[1:]}"


def _example(name: str, folder: Path) -> str:
    """Returns the picture of an example under the protocol, and the tests that prove the example."""
    for scenario in _candidates(name):
        file = folder / f"{name}.svg"
        try:
            drawn.draw(scenario, file, "16 ms")
            [analysis] = schedlab.analyze(scenario)
        except schedlab.SchedlabError:
            continue
        tests = [f"`{verdict.test}`" for verdict in analysis.verdicts if verdict.answer == "schedulable"]
        where = f"under `{scenario.scheduler}` on {scenario.processors} processor{'s'[: scenario.processors > 1]}"
        proved = f" All deadlines are proved by {', '.join(sorted(set(tests)))}." if tests else ""
        return (f"![The first 16 ms of tasks that share a resource under {name}]({file.name})\n\n"
                f"*{len(scenario.tasks)} tasks {where}, drawn by the simulator.{proved}*")  # fmt: skip
    return "*No example of this site suits the protocol, so no schedule is drawn.*"


def _candidates(name: str) -> list[schedlab.Scenario]:
    """Returns scenarios in the order in which they are tried: the one made for the protocol, partitioned, global."""
    tries = []
    if name in EXAMPLES:
        tries.append(schedlab.Scenario.read(rust.ROOT / "examples" / EXAMPLES[name]).replace(protocol=name))
    for scheduler in ("P-FP", "G-FP"):
        for length in ("long", "short"):
            try:
                tries.append(drawn.sharing(name, scheduler, length=length))
            except schedlab.SchedlabError:
                continue
    return tries
