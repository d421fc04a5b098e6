"""A page for each locking protocol, from its entry in the registry and the comment at the head of its file."""

from __future__ import annotations

from pathlib import Path

import drawn
import rust

import schedlab
from schedlab import schemas

LOCK = rust.ROOT / "crates" / "lock" / "src"
#: Fields of an entry, as the page calls them.
SHOWN = {"waiting": "a job that waits", "reach": "where it applies", "ceilings": "ceilings", "grants": "who is next",
         "preemption": "the holder's preemption", "nesting": "nested requests"}  # fmt: skip
ANSWERS = {"true": "yes", "false": "no"}
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


def write(folder: Path) -> dict[str, str]:
    """Writes the pages and their pictures; returns what each page is about, by its name."""
    folder.mkdir(parents=True)
    made = protocols()
    for name, (fields, path) in made.items():
        (folder / f"{name}.md").write_text(_page(name, fields, path, folder), encoding="utf-8")
    return {name: f"`{name}`: {_summary(fields, path)}" for name, (fields, path) in made.items()}


def _summary(fields: dict[str, str], path: Path) -> str:
    return rust.text_of(fields["summary"], path.read_text(encoding="utf-8"))


def _page(name: str, fields: dict[str, str], path: Path, folder: Path) -> str:
    rows = [f"| {label} | {rust.words_of(fields[field])} |" for field, label in SHOWN.items()]
    rows += [f"| several units | {ANSWERS[fields['several_units']]} |",
             f"| nothing deadlocks | {ANSWERS[fields['deadlock_free']]} |",
             f"| a job is blocked once at most | {ANSWERS[fields['blocks_once']]} |"]  # fmt: skip
    shown, tests = _example(name, folder)
    judged = f"**Proved by:** {', '.join(tests)}." if tests else "**Proved by:** no test, for this example."
    summary = _summary(fields, path)
    return "\n\n".join([
        f"# {name}", f"{summary[0].upper()}{summary[1:]}.", "| property | value |\n|---|---|\n" + "\n".join(rows),
        shown, judged, "## From its source", rust.header(path),
        f"*From the comment of `{path.relative_to(rust.ROOT)}`. A `text` drawing has a column for each unit of time "
        "and a row for each processor. Each letter is a task.*",
    ]) + "\n"  # fmt: skip


def _example(name: str, folder: Path) -> tuple[str, list[str]]:
    """Returns the picture of an example under the protocol, and the tests that speak of the example."""
    for scenario in _candidates(name):
        file = folder / f"{name}.svg"
        try:
            drawn.draw(scenario, file, "16 ms")
            [analysis] = schedlab.analyze(scenario)
        except schedlab.SchedlabError:
            continue
        tests = [f"`{verdict.test}`" for verdict in analysis.verdicts if verdict.answer == "schedulable"]
        where = f"under `{scenario.scheduler}` on {scenario.processors} processor{'s'[: scenario.processors > 1]}"
        return (f"![The first 16 ms of tasks that share a resource under {name}]({file.name})\n\n"
                f"*{len(scenario.tasks)} tasks {where}, drawn by the simulator.*"), sorted(set(tests))  # fmt: skip
    return "*No example of this site suits the protocol, so no schedule is drawn.*", []


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
