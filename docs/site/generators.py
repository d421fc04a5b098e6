"""Pages of what draws task sets: a page for each distribution or rule, with an example that is drawn from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
import rust

import schedlab
from schedlab import schemas

WORKLOAD = rust.ROOT / "crates" / "workload" / "src"
GENERATE = WORKLOAD / "generate"
#: Kinds of `schedlab schema names` with a page for each file: the section of the index, and the folder of Rust.
BY_FILE = {
    "utilizations": ("Utilizations", GENERATE / "utilization"),
    "periods": ("Periods", GENERATE / "periods"),
    "accesses": ("Accesses to shared resources", GENERATE / "accesses"),
}
#: Kinds with one page: title, and the file or folder of Rust.
WHOLE = {
    "deadlines": ("Relative deadlines", GENERATE / "deadlines.rs"),
    "stop": ("When a set is complete", GENERATE / "stop.rs"),
    "utility": ("Utilities", GENERATE / "utilities.rs"),
    "placements": ("Placement", WORKLOAD / "placement"),
}
#: Files of a folder that say something of placements.
PLACEMENTS = ("fit", "together", "tested", "joined")
#: By the first word of a form: what its page draws.
DRAWN = {
    "uniform": "uniform 0.1 0.4", "exponential": "exponential 0.25 0.1 0.9", "bimodal": "bimodal 0.1 0.3 0.6 0.9 2:1",
    "uunifast-discard": "uunifast-discard", "randfixedsum": "randfixedsum 0.1 0.5",
    "bounded-sum": "bounded-sum 4 0.05 0.2 6 0.1 0.6",
}  # fmt: skip
PERIODS = {
    "uniform": "uniform 10ms 100ms", "log-uniform": "log-uniform 10ms 1000ms",
    "choice": "choice 10ms:3 20ms:2 50ms", "automotive": "automotive angle-dropped",
}  # fmt: skip
ACCESSES = {
    "independent": "independent 4 0.5 medium", "shared": "shared 3 1 2 50us", "objects": "objects 3 1 2 5us 1us",
}  # fmt: skip
#: Task sets that a histogram counts.
SETS = 300


def write(folder: Path) -> dict[str, dict[str, str]]:
    """Writes the pages; returns what each page is about, by section and by its name."""
    folder.mkdir(parents=True)
    listed: dict[str, dict[str, str]] = {}
    for kind, (title, place) in BY_FILE.items():
        text = (place / "mod.rs").read_text(encoding="utf-8")
        pages = listed[title] = {}
        for path in sorted(place.glob("*.rs")):
            if forms := _forms(path):
                word = forms[0][0].split()[0]
                name = f"{kind}-{word}"
                # The reader of a form may have a file of its own, beside that of what it draws.
                own = place / f"{word.replace('-', '_')}.rs"
                own = own if own.is_file() else path
                page = _page(kind, forms, _names(text, forms), own, folder / f"{name}.svg")
                (folder / f"{name}.md").write_text(page, encoding="utf-8")
                pages[name] = f"`{word}`: {_about(forms[0][1], own)}"
    known = schemas.names()
    for kind, (title, place) in WHOLE.items():
        meanings = _meanings(place) if place.is_file() else {}
        rows = "\n".join(f"| `{_cell(name)}` | {meanings[name]} |" for name in known[kind] if meanings)
        named = (
            f"| written | meaning |\n|---|---|\n{rows}" if rows else "\n".join(f"* `{name}`" for name in known[kind])
        )
        parts = [f"# {title}", rust.header(place / "mod.rs" if place.is_dir() else place), f"## Names\n\n{named}"]
        if place.is_dir():
            for stem in PLACEMENTS:
                parts += [f"## {stem.capitalize()}", rust.header(place / f"{stem}.rs")]
        parts.append(EXAMPLES[kind]())
        parts.append(f"*From `schedlab schema names`, and from the comments of `{place.relative_to(rust.ROOT)}`.*")
        (folder / f"{kind}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        listed.setdefault("Rules", {})[kind] = title
    return listed


def _about(meaning: str, path: Path) -> str:
    """Returns what a form means; where that leans on the form before, the first sentence of its file's comment."""
    if not meaning.startswith(("the same", "as many")):
        return meaning.replace("*", "\\*")
    said = rust.title_and_rest(rust.header(path))[0].rstrip(".").rpartition(": ")[2]
    return f"{said[0].lower()}{said[1:]}"


def _cell(form: str) -> str:
    """Returns a form as the cell of a table has it."""
    return form.replace("|", "\\|")


def _forms(path: Path) -> list[tuple[str, str]]:
    """Returns the forms that a file defines, with their meanings."""
    text = path.read_text(encoding="utf-8")
    found = re.search(r"SpecForm<\w+> =\s+SpecForm \{\s+written: &\[(.*?)\],\s+read", text, re.DOTALL)
    if found is None or path.stem == "mod":
        return []
    # A long text goes on in the next line after a backslash.
    joined = re.sub(r"\\\n\s+", "", found[1])
    return re.findall(r'\(\s*"([^"]+)",\s*"([^"]+)",?\s*\)', joined)


def _meanings(path: Path) -> dict[str, str]:
    """Returns what each name of a file with one page means: from its list of forms, else from its variants."""
    text = path.read_text(encoding="utf-8")
    forms = text.partition("pub const FORMS")[2].partition("\n];")[0]
    if not forms:
        variants = re.findall(r"^    /// (.*)\n(?:    #\[.*\]\n)?    (\w+),$", text, re.MULTILINE)
        return {name.lower(): about.removesuffix(".") for about, name in variants}
    none = re.findall(r'pub const NONE: &str = "(\w+)";', text)
    forms = forms.replace("(NONE,", f'("{none[0]}",') if none else forms
    return dict(re.findall(r'\(\s*"([^"]+)",\s*"([^"]+)",?\s*\)', forms))


def _names(text: str, forms: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Returns the names that papers gave to the forms: the name, what it stands for, and the source."""
    constants = dict(re.findall(r'^const (\w+): &str =\s+"([^"]+)";', text, re.MULTILINE))
    table = text.partition("pub const NAMES")[2].partition("];")[0]
    words = {form.split()[0] for form, _ in forms}
    found = re.findall(r'\(\s*"([^"]+)",\s*"([^"]+)",\s*(?:(\w+)|"([^"]+)"),?\s*\)', table)
    return [(name, form, constants.get(constant, source)) for name, form, constant, source in found
            if form.split()[0] in words]  # fmt: skip


def _page(kind: str, forms: list[tuple[str, str]], names: list[tuple[str, str, str]], path: Path, picture: Path) -> str:
    """Returns the page of one distribution or rule, and draws its example."""
    word = forms[0][0].split()[0]
    parts = [f"# {word} ({BY_FILE[kind][0].lower()})"]
    rows = "\n".join(f"| `{_cell(form)}` | {_about(means, path)} |" for form, means in forms)
    parts.append(f"| written | meaning |\n|---|---|\n{rows}")
    if names:
        rows = "\n".join(f"| `{name}` | `{form}` | {source} |" for name, form, source in names)
        parts.append(f"| name | stands for | source |\n|---|---|---|\n{rows}")
    parts += ["## An example", EXAMPLES[kind](word, picture), "## From its source", rust.header(path),
              f"*From the comment of `{path.relative_to(rust.ROOT)}`.*"]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _utilizations(word: str, picture: Path) -> str:
    together = word in ("uunifast-discard", "randfixedsum", "bounded-sum")
    options = {"utilizations": DRAWN[word], "stop": "tasks 10 total 2.5" if together else "tasks 10"}
    tasks = [task for index in range(SETS) for task in schedlab.generate(**options, index=index).tasks]
    return _histogram([task["wcet_ns"] / task["period_ns"] for task in tasks], "utilization", options, picture)


def _periods(word: str, picture: Path) -> str:
    options = {"periods": PERIODS[word], "stop": "tasks 10"}
    tasks = [task for index in range(SETS) for task in schedlab.generate(**options, index=index).tasks]
    return _histogram([task["period_ns"] / 1e6 for task in tasks], "period in ms", options, picture)


def _histogram(values: list[float], label: str, options: dict[str, str], picture: Path) -> str:
    """Draws how often values occur; returns the picture with the command that draws one such set."""
    figure, axes = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
    axes.hist(values, bins=60, color="#3b6ea5")
    axes.set(xlabel=label, ylabel="tasks")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(picture, metadata={"Date": None})
    plt.close(figure)
    spelled = " ".join(f"--{option} '{value}'" for option, value in options.items())
    return (f"![How often each {label} occurs in {SETS} task sets of this kind]({picture.name})\n\n"
            f"*{SETS} sets of ten tasks of seed 1, as `schedlab generate {spelled}` draws them.*")  # fmt: skip


def _accesses(word: str, picture: Path) -> str:
    """Returns the programs of a small set of this kind."""
    if word == "none":
        return "*Tasks share nothing.*"
    made = schedlab.generate(
        stop="tasks 3", accesses=ACCESSES[word], utilizations="uniform 0.1 0.3", protocol="fmlp", processors=2
    )
    shown = made.to_toml().partition("[[")[2]
    return (f"Three tasks with `--accesses '{ACCESSES[word]}'`. A program says what each job does, with its critical "
            f"sections:\n\n```text\n[[{shown}```")  # fmt: skip


def _table(option: str, values: list[str], **others: str) -> str:
    """Returns one set by each rule, side by side."""
    rows = []
    for value in values:
        made = schedlab.generate(**{option: value}, **others)
        total = sum(task["wcet_ns"] / task["period_ns"] for task in made.tasks)
        parts = [task["relative_deadline_ns"] / task["period_ns"] for task in made.tasks]
        rows.append(f"| `{value}` | {len(made.tasks)} | {total:.4f} | {min(parts):.2f} to {max(parts):.2f} |")
    head = "| rule | tasks | total utilization | relative deadlines by the periods |\n|---|---|---|---|"
    return "## An example\n\nThe first set of seed 1 by each rule:\n\n" + "\n".join([head, *rows])


def _deadlines() -> str:
    return _table("deadlines", schemas.names()["deadlines"], stop="tasks 20")


def _stops() -> str:
    rules = ["trim 2.5", "discard-at-cap 2.5 max-tasks 100", "discard-above 2.5", "tasks 12"]
    return _table("stop", rules, utilizations="uniform 0.1 0.4")


def _utility() -> str:
    rows = []
    for rule in ("uniform 1 10", "by-cost 1 10", "uniform 1 10 linear"):
        made = schedlab.generate(stop="tasks 3", utility=rule, utilizations="uniform 0.1 0.4").to_toml()
        told = "; ".join(f"`{line.partition(' = ')[2]}`" for line in made.splitlines() if line.startswith("utility"))
        rows.append(f"| `{rule}` | {told} |")
    head = "| rule | utilities of three tasks of seed 1 |\n|---|---|"
    return "## An example\n\n" + "\n".join([head, *rows])


def _placements() -> str:
    rows = []
    for rule in ("first_fit", "next_fit", "best_fit", "worst_fit", "worst_fit_decreasing"):
        tasks = [{"name": name, "wcet_ns": cost, "period_ns": 100} for name, cost in (
            ("A", 50), ("B", 70), ("C", 20), ("D", 40), ("E", 10))]  # fmt: skip
        made = schedlab.Scenario.from_tasks(tasks, processors=3, scheduler="P-EDF").replace(placement=rule)
        places: dict[int, list[str]] = {}
        for row in schedlab.place(made)["tasks"]:
            places.setdefault(row["cluster"], []).append(row["name"])
        there = [", ".join(sorted(places.get(processor, []))) or "-" for processor in range(3)]
        rows.append(f"| `{rule}` | {' | '.join(there)} |")
    head = "| rule | processor 0 | processor 1 | processor 2 |\n|---|---|---|---|"
    return ("## An example\n\nTasks A to E of utilizations 0.5, 0.7, 0.2, 0.4 and 0.1, taken in this order or by "
            "falling utilization:\n\n" + "\n".join([head, *rows]))  # fmt: skip


#: What draws the example of each kind.
EXAMPLES: dict[str, Callable[..., str]] = {
    "utilizations": _utilizations, "periods": _periods, "accesses": _accesses, "deadlines": _deadlines,
    "stop": _stops, "utility": _utility, "placements": _placements,
}  # fmt: skip
