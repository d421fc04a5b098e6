"""A page for each scheduler, from its entry in the registry and the comment at the head of its file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import drawn
import rust

import schedlab
from schedlab import schemas

POLICY = rust.ROOT / "crates" / "policy" / "src"
LETTERS = [f"{kind}{scope}" for kind in ("", "N") for scope in "PCG"]
SCOPES = {"P": "each processor has a queue of its own", "C": "each cluster has a queue of its own",
          "G": "all processors share one queue"}  # fmt: skip


@dataclass(frozen=True)
class Family:
    """Schedulers that one file of Rust makes: they order jobs alike, and differ in who shares a queue."""

    title: str
    names: tuple[str, ...]
    #: Which job goes first, in the registry's words.
    rule: str
    files: tuple[Path, ...]

    @property
    def page(self) -> str:
        return self.title.lower().replace(" ", "-")


def families() -> list[Family]:
    """Returns all schedulers of the registry by family; a name that no family holds is an error."""
    found = [*_orders(), *_pfair(), *_utility(), *_classes()]
    known = set(schemas.names()["schedulers"])
    paged = [name for family in found for name in family.names]
    if set(paged) != known or len(paged) != len(known):
        raise ValueError(f"schedulers without a page, or with two: {set(paged) ^ known}")
    return found


def _orders() -> list[Family]:
    made = []
    for path in sorted((POLICY / "order").glob("*.rs")):
        text = path.read_text(encoding="utf-8")
        for fields in rust.entries(text, "Order").values():
            order = rust.text_of(fields["name"], text)
            rule = rust.text_of(fields["description"], text)
            made.append(Family(order, tuple(f"{letters}-{order}" for letters in LETTERS), rule, (path,)))
    return made


def _pfair() -> list[Family]:
    folder = POLICY / "pfair"
    aligned, staggered = folder / "policy.rs", folder / "staggered_policy.rs"
    at_once, each = (
        re.search(rf'description: "({begin}.*?)"', (POLICY / "pfair_schedulers.rs").read_text())
        for begin in ("Pfair: decisions", "Pfair: each")
    )
    if at_once is None or each is None:
        raise ValueError("pfair_schedulers.rs no longer describes both kinds of quanta")
    return [
        Family("PD2", ("PD2",), at_once[1], (folder / "order" / "pd2.rs", aligned)),
        Family("ER-PD2", ("ER-PD2",), f"{at_once[1]}; subtasks are released early", (folder / "stream.rs", aligned)),
        Family("S-PD2", ("S-PD2",), each[1], (staggered,)),
        Family("PF", ("PF",), at_once[1], (folder / "order" / "pf.rs", aligned)),
        Family("PD", ("PD",), at_once[1], (folder / "order" / "pd.rs", aligned)),
    ]


def _utility() -> list[Family]:
    text = (POLICY / "utility_schedulers.rs").read_text(encoding="utf-8")
    by_kind: dict[str, list[str]] = {}
    for name, kind in re.findall(r'^    \("([^"]+)", &\[.*?\], Scope::\w+, (\w+)\),$', text, re.MULTILINE):
        by_kind.setdefault(kind, []).append(name)
    made = []
    for path in sorted((POLICY / "utility").glob("*.rs")):
        source = path.read_text(encoding="utf-8")
        for kind in re.findall(r"const (\w+): UtilityKind", source):
            description = re.search(r'description:\s+"(.*?)"', source)
            rule = description[1] if description else ""
            names = tuple(by_kind[kind])
            title = re.sub(r"^[PCG]-(?=DASA|LBESA|HVDF)", "", names[-1])
            made.append(Family(title, names, rule, (path,)))
    return made


def _classes() -> list[Family]:
    fifo, simulated = POLICY / "kernel_class.rs", POLICY / "sched_fifo" / "mod.rs"
    rule = "Linux decides, by fixed priorities: the given ones, else the shortest period goes first"
    return [
        Family("SCHED_FIFO", ("SCHED_FIFO", "P-SCHED_FIFO"), rule, (fifo, simulated)),
        Family("SCHED_DEADLINE", ("SCHED_DEADLINE",), "Linux decides, by deadlines and budgets", (fifo,)),
    ]


def write(folder: Path) -> dict[str, str]:
    """Writes the pages and their pictures; returns what each page is about, by its name."""
    folder.mkdir(parents=True)
    made = families()
    for family in made:
        (folder / f"{family.page}.md").write_text(_page(family, folder), encoding="utf-8")
    return {family.page: f"`{family.title}`: {family.rule}" for family in made}


def _page(family: Family, folder: Path) -> str:
    names = ", ".join(f"`{name}`" for name in family.names)
    parts = [f"# {family.title}", f"**Names:** {names}.", f"**Which job goes first:** {family.rule}."]
    if len(family.names) == len(LETTERS):
        shared = "; ".join(f"`{letter}`: {meaning}" for letter, meaning in SCOPES.items())
        parts.append(f"The first letter says which processors share a ready queue ({shared}). With `N` before it, a "
                     "job that has begun keeps its processor to its end.")  # fmt: skip
    parts.append(_picture(family, folder))
    parts += [rust.header(path) for path in family.files]
    sources = ", ".join(f"`{path.relative_to(rust.ROOT)}`" for path in family.files)
    parts.append(f"*From the comments of {sources}. The [list of tests](../../docs/tests.md) says which of them speak "
                 "of this scheduler.*")  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _picture(family: Family, folder: Path) -> str:
    name = next((name for name in family.names if name.startswith(("G-", "NG-", "g"))), family.names[0])
    file = folder / f"{family.page}.svg"
    try:
        drawn.draw(drawn.under(name), file, "24 ms")
    except schedlab.SchedlabError as refused:
        return f"*No schedule is drawn, because no simulation of it is possible: {refused}*"
    tasks = ", ".join(f"{task} ({cost}, {period})" for task, (cost, period) in drawn.TASKS.items())
    return (f"![The first 24 ms of four tasks on two processors under {name}]({file.name})\n\n"
            f"*Tasks as (cost, period) in milliseconds under `{name}`: {tasks}. Drawn by the simulator.*")  # fmt: skip
