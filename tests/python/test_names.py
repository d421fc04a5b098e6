"""No Python code names what is registered: `tests/tests/registered_names.rs` asks the same of Rust."""

import ast
from collections.abc import Iterator
from pathlib import Path

import schedlab
from schedlab import _native

PACKAGE = Path(schedlab.__file__).parent

#: Folders about names that other tools or papers gave, not about what is registered.
ABOUT_OTHERS = {
    "crosscheck": "it compares the names in the records of other tools",
    "_studies": "a figure of a paper is about what it names",
    "_examples": "an example names what it runs, as a user does",
}
COLOUR = "Matplotlib's word for no colour"
#: Files that have such literals, which ones (all, if none is named), and why they may.
ALLOWED: dict[str, tuple[tuple[str, ...], str]] = {
    "comparison/compare.py": ((), "names what is compared unless others are named"),
    "core/workload.py": (("randfixedsum", "uniform-medium"), "names what is drawn unless another is named"),
    "show/plots/schedule.py": (("none",), COLOUR),
    "show/plots/greys.py": (("none",), COLOUR),
    "show/plots/timeline.py": (("none",), COLOUR),
    "comparison/summary.py": (("none",), "a word for no tardiness"),
    "cli/advise.py": (("objects",), "a key of results"),
    "cli/shared/linux.py": (("P-SCHED_FIFO", "SCHED_FIFO", "SCHED_DEADLINE", "given"), "words for Linux's own classes"),
    "core/linux.py": (("P-SCHED_FIFO", "SCHED_FIFO", "SCHED_DEADLINE", "none"), "Linux's own classes, and a protocol"),
    "core/margins.py": (("none",), "a word for no margin"),
    "cli/objects.py": (("lock-free", "wait-free", "objects"), "names what is measured, and a command"),
    "cli/measure.py": (("objects",), "the name of a command"),
    "cli/study/run.py": (("shared",), "a setting of a run"),
    "studies/real.py": (("load",), "a column of measurements"),
    "studies/sweep.py": (("given",), "what questions call the overheads file of a run, and a rule of priorities"),
}


def registered() -> set[str]:
    known = _native.names()
    kinds = ("schedulers", "protocols", "tests", "overheads", "invariants", "priorities")
    exact = {name for kind in kinds for name in known[kind]}
    orders = {name.removeprefix("P-") for name in known["schedulers"] if name.startswith("P-")}
    drawn = {form.split()[0] for kind in ("utilizations", "periods", "accesses") for form in known[kind]}
    return exact | orders | drawn


def literals(code: str) -> Iterator[tuple[int, str]]:
    """The texts in code and their lines, but for those of types, which no value is compared with."""
    tree = ast.parse(code)
    of_types = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"
        for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in of_types:
            yield node.lineno, node.value


def test_no_registered_name_is_a_literal() -> None:
    known, found, used, files = registered(), [], set(), 0
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        if place.parts[0] in ABOUT_OTHERS:
            continue
        files += 1
        for line, text in literals(path.read_text()):
            if text not in known:
                continue
            permitted, _ = ALLOWED.get(place.as_posix(), (("",), ""))
            if not permitted or text in permitted:
                used.add(place.as_posix())
            else:
                found.append(f"{place}:{line}: {text!r}")
    assert files > 80
    assert not found, "these have a registered name as a literal:\n" + "\n".join(found)
    assert not ALLOWED.keys() - used, f"ALLOWED is needless for {sorted(ALLOWED.keys() - used)}"


def test_literals_are_found_wherever_they_stand() -> None:
    known = registered()
    for code in (
        "if name == 'G-EDF': pass",
        'if name in ("a", "msrp"): pass',
        "match name:\n    case 'none' | 'x': pass",
        "match pair:\n    case ('RM', _): pass",
        '{"msrp": 1}[name]',
        "name.startswith('G-EDF')",
        "def f(name='EDF'): pass",
        "f'{name if name != \"gfb\" else 1}'",
    ):
        assert [text for _, text in literals(code) if text in known], code
    for code in ("# name == 'msrp'", "'''msrp and others'''", "name: Literal['msrp', 'none']", "msrp = 1"):
        assert not [text for _, text in literals(code) if text in known], code
