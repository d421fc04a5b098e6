"""A page for each scheduler, from the registry and the comment at the head of the file that makes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import drawn
import rust
import tests_of

import schedlab
from schedlab import schemas

POLICY = rust.ROOT / "crates" / "policy" / "src"
PFAIR = POLICY / "pfair"
#: A name such as NP-EDF: `N` for non-preemptive, the scope, the algorithm.
NAME = re.compile(r"(N?)([PCG])-(.+)")
#: Files of schedulers whose names the first sentence of a comment does not have.
FILES = {
    "SP-EDF": (POLICY / "semi_partitioned.rs",),
    "EKG": (POLICY / "ekg" / "mod.rs",),
    "QPS": (POLICY / "qps" / "mod.rs",),
    "NPS-F": (POLICY / "nps_f" / "mod.rs",),
    "G-FL-ZL": (POLICY / "laxity" / "fl_zl.rs",),
    "MLLF": (POLICY / "laxity" / "mllf.rs",),
    "PD2": (PFAIR / "order" / "pd2.rs", PFAIR / "policy.rs"),
    "ER-PD2": (PFAIR / "stream.rs", PFAIR / "policy.rs"),
    "S-PD2": (PFAIR / "staggered_policy.rs",),
    "PF": (PFAIR / "order" / "pf.rs", PFAIR / "policy.rs"),
    "PD": (PFAIR / "order" / "pd.rs", PFAIR / "policy.rs"),
    "EPDF": (PFAIR / "order" / "epdf.rs", PFAIR / "policy.rs"),
    "SCHED_FIFO": (POLICY / "kernel_class.rs", POLICY / "sched_fifo" / "mod.rs"),
    "SCHED_DEADLINE": (POLICY / "kernel_class.rs",),
}
#: Sections of the index for schedulers that are no order of jobs, by the folder of their file.
SECTIONS = {"pfair": "Pfair", "utility": "Utility accrual"}
#: Schedulers by quanta that the kernel itself can execute.
NATIVE_QUANTA = ("PD2", "ER-PD2", "S-PD2")


@dataclass(frozen=True)
class Scheduler:
    """One name of the registry."""

    name: str
    #: The algorithm without the letters of the scope: schedulers of one algorithm differ in who shares a queue.
    algorithm: str
    #: Files of Rust whose comments describe the algorithm.
    files: tuple[Path, ...]
    #: True if its jobs go by a priority point each.
    is_order: bool

    @property
    def page(self) -> str:
        return self.name.lower().replace("_", "-")

    @property
    def is_kernels(self) -> bool:
        return self.algorithm.startswith("SCHED_")


def schedulers() -> list[Scheduler]:
    """Returns all schedulers of the registry; a name whose file is not found is an error."""
    orders, utility, names = _orders(), _utility(), schemas.names()["schedulers"]
    # An algorithm with a partitioned form has the letters of the scope before its name: G-GUA is one without.
    scoped = {name.removeprefix("P-") for name in names if name.startswith("P-")}
    found = []
    for name in names:
        letters = NAME.fullmatch(name)
        algorithm = letters[3] if letters and letters[3] in scoped else name.removeprefix("C-")
        if name in utility:
            found.append(Scheduler(name, algorithm, (utility[name],), False))
        elif algorithm in orders:
            found.append(Scheduler(name, algorithm, (orders[algorithm], POLICY / "clustered.rs"), True))
        else:
            found.append(Scheduler(name, algorithm, FILES.get(algorithm) or (_named(algorithm),), False))
    return found


def _orders() -> dict[str, Path]:
    """Returns the file of each order of jobs, by its name."""
    made = {}
    for path in sorted((POLICY / "order").glob("*.rs")):
        text = path.read_text(encoding="utf-8")
        for fields in rust.entries(text, "Order").values():
            made[rust.text_of(fields["name"], text)] = path
    return made


def _utility() -> dict[str, Path]:
    """Returns the file of each scheduler by utility accrual, by its name."""
    kinds = {}
    for path in sorted((POLICY / "utility").glob("*.rs")):
        for kind in re.findall(r"const (\w+): UtilityKind", path.read_text(encoding="utf-8")):
            kinds[kind] = path
    text = (POLICY / "utility_schedulers.rs").read_text(encoding="utf-8")
    listed = re.findall(r'^    \("([^"]+)", &\[.*?\], Scope::\w+, (\w+)\),$', text, re.MULTILINE)
    return {name: kinds[kind] for name, kind in listed}


def _named(algorithm: str) -> Path:
    """Returns the file that is called like the algorithm, or whose comment names it before the first colon."""
    for path in sorted(POLICY.rglob(f"{algorithm.lower().replace('-', '_')}.rs")):
        return path
    whole = re.compile(rf"(?<![\w-]){re.escape(algorithm)}(?![\w-])")
    for path in sorted(POLICY.rglob("*.rs")):
        if whole.search(rust.header(path).split(":")[0]):
            return path
    raise ValueError(f"no file of {POLICY} is called like {algorithm}, or begins with it: name one in FILES here")


def write(folder: Path) -> dict[str, dict[str, str]]:
    """Writes the pages and their pictures; returns what each page is about, by section and by its name."""
    folder.mkdir(parents=True)
    made = schedulers()
    facts = tests_of.facts()
    listed: dict[str, dict[str, str]] = {}
    for one in made:
        scenario = drawn.under(one.name)
        # The registry's sentence: who shares a queue, and which job goes first.
        queues, _, rule = scenario._native.scheduler_description.partition("; ")
        kin = [other for other in made if other.algorithm == one.algorithm and other != one]
        parts = [f"# {one.name}", f"{rule[0].upper()}{rule[1:]}.", _facts(one, queues, kin, facts),
                 "## An example", _picture(one, scenario, folder), "## From its source"]  # fmt: skip
        parts += [rust.header(path) for path in one.files]
        sources = ", ".join(f"`{path.relative_to(rust.ROOT)}`" for path in one.files)
        parts.append(f"*From the comments of {sources}. {rust.LETTERS}*")
        (folder / f"{one.page}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        stays = "; a job that has started keeps its processor" if "not preempted" in rule else ""
        about = f"{queues}{stays}" if one.is_order else f"{rule}; {queues}" if kin else rule
        listed.setdefault(_section(one, rule), {})[one.page] = f"`{one.name}`: {about}"
    return listed


def _section(one: Scheduler, rule: str) -> str:
    """Returns the section of the index: the order of jobs, or the folder of the algorithm."""
    if one.is_order:
        return f"{one.algorithm}: {rule.split(';')[0]}"
    folder = one.files[-1].relative_to(POLICY).parts[0]
    return "Linux itself" if one.is_kernels else SECTIONS.get(folder, "Other global schedulers")


def _facts(one: Scheduler, queues: str, kin: list[Scheduler], facts: list[tests_of.Facts]) -> str:
    """Returns the table of what is known of a scheduler."""
    related = ", ".join(f"[`{other.name}`]({other.page}.md)" for other in kin)
    rows = [("ready jobs", queues), ("analysed by", _analysed(one, facts)), ("executed by", _executed(one)),
            ("the same algorithm", related or "no other scheduler")]  # fmt: skip
    return "| question | answer |\n|---|---|\n" + "\n".join(f"| {question} | {answer} |" for question, answer in rows)


def _analysed(one: Scheduler, facts: list[tests_of.Facts]) -> str:
    """Returns the tests that speak of a scheduler."""
    if one.algorithm == "SCHED_DEADLINE":
        return "no published test of the list; `schedlab advise --for linux` says what the kernel admits"
    letters = NAME.fullmatch(one.name)
    preemption = "non-preemptive" if letters and letters[1] else "preemptive"
    kinds = ["one processor"] if one.name.startswith(("P-", "NP-")) else ["one processor", "several"]
    speaking = [fact.name for fact in facts
                if any(tests_of.class_of(one.algorithm) in fact.classes.get(f"{preemption}, {kind}", ())
                       for kind in kinds)]  # fmt: skip
    if not speaking:
        return "no published test: `schedlab analyze` answers `unknown`, and `schedlab simulate` shows what happens"
    shown = ", ".join(f"[`{name}`](../tests/{name}.md)" for name in speaking)
    return f"{shown}; with shared resources, the tests of the [protocol](../protocols/index.md)"


def _executed(one: Scheduler) -> str:
    """Returns the commands that execute scenarios under a scheduler."""
    if one.is_kernels:
        model = "" if one.algorithm == "SCHED_DEADLINE" else "`schedlab simulate`, by a model of Linux; "
        return f"{model}`schedlab run`, where Linux itself decides"
    ways = "`schedlab simulate`; `schedlab run`, as threads of stock Linux or in the kernel (`--backend scx`)"
    if one.is_order or one.name in NATIVE_QUANTA:
        ways += "; by the [kernel alone](../../docs/kernel.md) (`--backend scx-native`)"
    return ways


def _picture(one: Scheduler, scenario: schedlab.Scenario, folder: Path) -> str:
    file = folder / f"{one.page}.svg"
    try:
        drawn.draw(scenario, file, "24 ms")
    except schedlab.SchedlabError as refused:
        return f"*No schedule is drawn, because no simulation of it is possible: {refused}*"
    tasks = ", ".join(f"{task} ({cost}, {period})" for task, (cost, period) in drawn.TASKS.items())
    return (f"![The first 24 ms of four tasks on two processors under {one.name}]({file.name})\n\n"
            f"*Tasks as (cost, period) in milliseconds: {tasks}. Drawn by the simulator.*")  # fmt: skip
