"""The documents are true: their commands are commands, what they name is there, and the first session runs."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from conftest import ROOT
from schedlab.cli.main import cli, main

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")]
PAGES += sorted(ROOT.glob("docs/*.md"))
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")

#: What measures, runs for real, serves a page until Ctrl-C, or takes minutes, and what needs its result; a crate or a
#: study that the reader writes.
NOT_RUN = (
    r"schedlab (run|observe|study|measure|edit) | --run|check run\.|seen\.(toml|slt)|overheads\.toml"
    r"|G-MINE$|my_test$|G-EDF,G-MINE|--protocol mine( |$)"
)


#: How many commands of a page a test runs, at least.
LEAST_RUN = {
    "README.md": 2, "commands.md": 15, "own-scheduler.md": 4, "runtime.md": 4, "crosscheck.md": 1, "studies.md": 0,
    "kernel.md": 0, "ci.md": 3, "threads.md": 3,
}  # fmt: skip


def lines_of_commands(text: str) -> Iterator[str]:
    """Whole commands in blocks of code, without their comments."""
    blocks = [
        *re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE),
        *re.findall(r"^    .*", text, re.MULTILINE),
    ]
    for line in "\n".join(blocks).splitlines():
        if re.match(r" *schedlab [a-z]", line):
            yield re.split(r"\s#", line)[0].strip()


DOCUMENTED = [(page.name, line) for page in PAGES for line in lines_of_commands(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "line"), DOCUMENTED, ids=lambda part: part)
def test_documented_commands_are_commands(page: str, line: str) -> None:
    arguments = shlex.split(line)[1:]
    group: click.Command = cli
    while isinstance(group, click.Group):
        context = click.Context(group)
        name, *arguments = arguments
        command = group.get_command(context, name)
        assert command is not None, f"{page}: {line}: there is no command {name}"
        group = command
    if "--help" not in arguments:
        group.make_context(line, arguments)


def test_there_are_documented_commands() -> None:
    assert len(DOCUMENTED) > 30
    assert {page for page, _ in DOCUMENTED} >= {"commands.md", "runtime.md", "studies.md", "own-scheduler.md"}


def test_the_first_scenario_is_the_one_in_examples() -> None:
    [scenario] = re.findall(r"```toml\n(.*?)```", COMMANDS, re.DOTALL)
    assert (ROOT / "examples" / "robot.toml").read_text(encoding="utf-8") == scenario


@pytest.mark.parametrize("page", sorted({page for page, _ in DOCUMENTED}))
def test_the_commands_of_a_page_run_one_after_the_other(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the examples that schedlab brings, and nothing else."""
    monkeypatch.chdir(tmp_path)
    assert main(["example", "--all"]) == 0
    ran = 0
    for line in dict.fromkeys(line for where, line in DOCUMENTED if where == page):
        if not re.search(NOT_RUN, line):
            assert main(shlex.split(line)[1:]) in ((0, 3) if line == "schedlab doctor" else (0,)), line
            ran += 1
    assert ran >= LEAST_RUN[page]


@pytest.mark.realtime
def test_the_real_run_of_the_documents_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")
    for line in ("run examples/avionics.toml --duration 5s --check --trace run.slt", "check run.slt"):
        assert ("runtime.md", f"schedlab {line}") in DOCUMENTED
        status = main(shlex.split(line))
        if status == 3:
            pytest.skip("this machine cannot run it for real")
        assert status == 0, line


def test_links_and_paths_lead_somewhere() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
        for path in re.findall(r"`((?:crates|examples|tests|tools|studies|docs|schemas|python)/[\w./-]*)`", text):
            of_a_new_crate = page.name == "own-scheduler.md" and path in ("tests/example.rs", "examples/run.rs")
            assert (ROOT / path).exists() or "mine" in path or of_a_new_crate, f"{page.name} names {path}"


def test_targets_of_make_and_packages_of_cargo_are_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    folders = ("crates/*", "tools/*", "benches/*", "tests")
    manifests = [path for folder in folders for path in ROOT.glob(f"{folder}/Cargo.toml")]
    packages = {tomllib.loads(path.read_text(encoding="utf-8"))["package"]["name"] for path in manifests}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE):
            assert target in targets, f"{page.name}: make {target}"
        for package in re.findall(r"cargo (?:run|test|bench).*? (?:-p|--package) ([\w-]+)", text):
            assert package in packages, f"{page.name}: cargo -p {package}"


def test_the_map_has_every_crate_and_what_it_names() -> None:
    text = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("ARCHITECTURE.md", "docs/where-to-look.md"))
    crates = {path.parent.name for path in ROOT.glob("crates/*/Cargo.toml")}
    floors = text.split("| floor |")[1].split("\n\n")[0]
    assert {crate for crate in crates if f"`{crate}`" not in floors} == set()
    for path in re.findall(r"`([a-z-]+/(?:src|tests|include)/[^`]*)`", text):
        # a/{b,c}/d is a/b/d and a/c/d.
        head, _, rest = path.partition("{")
        inner, _, tail = rest.partition("}")
        for part in inner.split(","):
            named = ROOT / "crates" / f"{head}{part}{tail}"
            beside = [named, named.with_suffix(".rs")]
            assert any(one.exists() for one in beside), f"the map names {path}"
    for path, names in re.findall(r"`([a-z-]+/src/[^`]*\.rs)`: (`\w+`(?:, `\w+`)*)", text):
        source = (ROOT / "crates" / path).read_text(encoding="utf-8")
        for name in re.findall(r"\w+", names):
            assert re.search(rf"\b(fn|struct|enum|trait|const) {name}\b", source), f"the map names {name} of {path}"
