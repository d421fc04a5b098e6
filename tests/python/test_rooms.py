"""The rooms of the Python package: arrows between them point down, and modules form no circle.

An import counts wherever it stands: at the top of a file, in a function, or for type checkers alone. One in a function
has a comment that says why it is there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pytest

import schedlab

PACKAGE = Path(schedlab.__file__).parent

#: The rooms, the lowest first: a module imports from its own room and from those above it in this list.
ROOMS = (
    "_native",
    "errors",
    "outputs",
    "base",
    "core",
    "store",
    "measures",
    "membus",
    "runtime",
    "schemas",
    "examples",
    "comparison",
    "lines",
    "crosscheck",
    "show",
    "scenario",
    "plots",
    "widgets",
    "schedlab",
    "measurements",
    "studies",
    "gallery",
    "edit",
    "cli",
    "__main__",
)

#: Folders that are no modules of the package: links to the examples and studies, and templates of crates.
NOT_OURS = ("_examples", "_studies", "templates")

Graph = Mapping[str, set[str]]


def sources(package: Path = PACKAGE) -> dict[str, str]:
    """The text of each module by its name; `schedlab._native` is compiled and has none."""
    found = {"schedlab._native": ""}
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package).with_suffix("")
        if place.parts[0] not in NOT_OURS:
            found[".".join(("schedlab", *place.parts)).removesuffix(".__init__")] = path.read_text(encoding="utf-8")
    return found


def imported(node: ast.Import | ast.ImportFrom, modules: Mapping[str, str]) -> Iterator[str]:
    """The modules of `modules` that a statement imports: a module, or the one that has an imported name."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules)
        return
    assert node.level == 0, "imports are written with the whole path"
    for alias in node.names:
        inner = f"{node.module}.{alias.name}"
        if inner in modules or node.module in modules:
            yield inner if inner in modules else str(node.module)


def imports(code: str) -> Iterator[ast.Import | ast.ImportFrom]:
    """Every import of `code`, wherever it stands."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def graph(modules: Mapping[str, str]) -> Graph:
    """The modules that each module imports."""
    return {
        name: {other for node in imports(code) for other in imported(node, modules)} - {name}
        for name, code in modules.items()
    }


def circles(arrows: Graph) -> list[list[str]]:
    """The sets of nodes that reach each other, by Tarjan's algorithm, the largest first."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_nodes: list[str] = []
    found = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        open_nodes.append(node)
        for other in sorted(arrows[node]):
            if other not in number:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in open_nodes:
                lowest[node] = min(lowest[node], number[other])
        if lowest[node] == number[node]:
            index = open_nodes.index(node)
            if len(open_nodes) > index + 1:
                found.append(sorted(open_nodes[index:]))
            del open_nodes[index:]

    for node in arrows:
        if node not in number:
            visit(node)
    return sorted(found, key=len, reverse=True)


def room(module: str) -> str:
    """The folder or the file of the package that holds a module."""
    return module.split(".")[1] if "." in module else module


def upward(arrows: Graph) -> list[str]:
    """The imports from a room that stands higher in the list of rooms."""
    height = {name: index for index, name in enumerate(ROOMS)}
    return [
        f"{name} imports {other}"
        for name, others in arrows.items()
        for other in sorted(others)
        if height[room(other)] > height[room(name)]
    ]


def without_reason(code: str) -> Iterator[int]:
    """The lines of imports in functions that no comment explains: on the line itself, or above it.

    Imports that follow each other share the comment above the first of them.
    """
    lines = code.splitlines()
    bodies = [
        body
        for function in ast.walk(ast.parse(code))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        for _, body in ast.iter_fields(node)
        if isinstance(body, list)
    ]
    for body in bodies:
        is_explained = False
        for node in body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                is_explained = False
                continue
            is_explained = is_explained or lines[node.lineno - 2].lstrip().startswith("# ")
            of_its_own = any(
                re.search(r"# (?!noqa|type:|fmt:)", line) for line in lines[node.lineno - 1 : node.end_lineno]
            )
            if not is_explained and not of_its_own:
                yield node.lineno


def test_modules_form_no_circle() -> None:
    arrows = graph(sources())
    assert len(arrows) > 100
    found = circles(arrows)
    assert not found, "these modules need each other:\n" + "\n".join(", ".join(circle) for circle in found)


def test_every_room_is_in_the_list() -> None:
    assert {room(name) for name in sources()} == set(ROOMS)


def test_arrows_between_rooms_point_down() -> None:
    found = upward(graph(sources()))
    assert not found, "these arrows point up:\n" + "\n".join(found)


def test_an_import_in_a_function_has_a_reason() -> None:
    found = [f"{name}:{line}" for name, code in sources().items() for line in sorted(set(without_reason(code)))]
    assert not found, "a comment here or above says why the import is in a function:\n" + "\n".join(found)


def test_what_is_wrong_is_found() -> None:
    modules = {
        "schedlab": "from schedlab.core.b import B",
        "schedlab.core": "",
        "schedlab.core.a": "if TYPE_CHECKING:\n    from schedlab.core.b import B",
        "schedlab.core.b": "def f():\n    from schedlab.core import a",
        "schedlab.show": "import schedlab.core.b",
        "schedlab.core.c": "from schedlab.show import picture",
    }
    arrows = graph(modules)
    assert circles(arrows) == [["schedlab.core.a", "schedlab.core.b"]]
    assert upward(arrows) == ["schedlab.core.c imports schedlab.show"]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("import a", [2]),
        ("import a  # a weighs much", []),
        ("import a  # noqa: F401", [2]),
        ("# They weigh much.\n    import a\n    import b", []),
        ("# They weigh much.\n    import a\n    a()\n    import b", [5]),
        ("if a:\n        import a", [3]),
        ("try:\n        pass\n    except E:\n        import a", [5]),
        ("from a import (  # they weigh much\n        b,\n    )", []),
    ],
)
def test_imports_in_functions_are_found_wherever_they_stand(body: str, lines: list[int]) -> None:
    assert sorted(set(without_reason(f"def f():\n    {body}\n"))) == lines


#: Where documents, examples and studies say that users import from, and what each module offers.
PUBLIC = {
    "schedlab": (
        "Analysis BadInput CannotRun Checked Decisions Event Failed Job JobId Jobs Metrics Policy Scenario "
        "SchedlabError Schedule Table Verdict __version__ advise analyze compare feasible generate "
        "least_servers measure place simulate simulate_many"
    ),
    "schedlab.errors": "BadInput CannotRun Failed SchedlabError no_such",
    "schedlab.examples": "EXAMPLES write_examples",
    "schedlab.gallery": "Item Paper claims_by_paper read_papers write_gallery",
    "schedlab.measures": (
        "breakdown maximum_tardiness_mean overload_point required_processors schedulable_sets "
        "tardiness_mean weighted_schedulability"
    ),
    "schedlab.membus": "BusSeen MemoryUse bus_slots memory_use",
    "schedlab.outputs": "OUTPUTS Output output_schema",
    "schedlab.outputs.answers": "Disagreement Why",
    "schedlab.outputs.comparison": "ComparedScheduler ComparisonDict Real",
    "schedlab.outputs.results": "LateJob TaskRow Way",
    "schedlab.outputs.schedules": "SimulationRow",
    "schedlab.outputs.tables": "JobRow SegmentRow SimulatedLine TaskMetricsRow",
    "schedlab.plots": (
        "BLACK BLUE COLUMN CURVES Curve FONTS FORMATS GREY Look Means ORANGE PAGE RED Segment apart "
        "draw_curves draw_dotted draw_fluid draw_means draw_processors draw_schedule draw_windows drawn_as "
        "footnote mean_interval paper_style save_figure wilson_interval"
    ),
    "schedlab.plots.paper": (
        "BLACK BLUE COLUMN CURVES FONTS FORMATS GREY Look ORANGE PAGE RED drawn_as footnote paper_style save_figure"
    ),
    "schedlab.runtime": "SHIPPED ask binary doctor measure observe only_simulated run run_checked run_json",
    "schedlab.scenario": "Scenario Schedulers expect_scenario listed plain_seed",
    "schedlab.schemas": "names schema",
    "schedlab.studies": (
        "Claim Point RealStudy Results RunReport Study StudyError StudyInterrupted Unit does_not_hold "
        "find_study grid holds judge list_studies listed load_study not_evaluated place processors "
        "read_results run_study"
    ),
    "schedlab.studies.batch": "Answers Batch breakdown fits judge_sets required_processors",
    "schedlab.studies.claims": "Claim DOES_NOT_HOLD HOLDS NOT_EVALUATED does_not_hold holds judge listed not_evaluated",
    "schedlab.studies.lines": "CONFIDENCE Line WORTH line",
    "schedlab.studies.seeds": "derive_seed",
    "schedlab.studies.spread": "DISCARDED kept percentile spread",
    "schedlab.widgets": "CostSliders",
    "schedlab.studies.study": "Columns Point Scalar Study Unit grid",
}


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_stay(module: str) -> None:
    found = import_module(module)
    missing = [name for name in PUBLIC[module].split() if not hasattr(found, name)]
    assert not missing, f"{module} has lost {', '.join(missing)}"


def test_all_of_the_package_is_public() -> None:
    assert sorted(schedlab.__all__) == sorted(PUBLIC["schedlab"].split())
