"""The documents are true: their code runs, what they name is there, and their links lead somewhere."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import schedlab
from conftest import ROOT
from documented import BLOCKS, PAGES, TEXT, Block, anchors, blocks, links
from schedlab.cli.main import cli, main

COMMANDS = [
    (block, line) for block in BLOCKS if block.language in ("sh", "console") for line in block.commands()
    if line.startswith("schedlab ")
]  # fmt: skip
#: Pages that hold code which a test runs.
RUN = sorted({block.page for block in BLOCKS if not block.not_run and not block.tested_by})


@pytest.mark.parametrize(("block", "line"), COMMANDS, ids=lambda part: part if isinstance(part, str) else part.place)
def test_documented_commands_are_commands(block: Block, line: str) -> None:
    arguments = shlex.split(line.partition(" && ")[0])[1:]
    group: click.Command = cli
    while isinstance(group, click.Group):
        context = click.Context(group)
        name, *arguments = arguments
        command = group.get_command(context, name)
        assert command is not None, f"{block.place}: {line}: there is no command {name}"
        group = command
    if "--help" not in arguments:
        group.make_context(line, arguments)


def test_each_block_is_run_or_says_why_not() -> None:
    """How many are not run is printed last, by `conftest.py`."""
    for block in BLOCKS:
        assert block.language, f"{block.place}: the fence names no language; drawings and output are `text`"
        known = ("not run", "file: ", "tested by ", "The list of tests", "End of")
        assert all(mark.startswith(known) for mark in block.marks), f"{block.place}: {block.marks}"
        if block.tested_by:
            assert block.page.name in (ROOT / block.tested_by).read_text(encoding="utf-8"), block.place
        if block.left_out:
            left = [line for line in block.commands() if any(word in line for word in block.left_out)]
            assert left and len(left) < len(block.commands()), f"{block.place}: the mark leaves out no line, or all"
    marked = [block for block in BLOCKS if block.not_run]
    assert len(marked) < len(BLOCKS) / 2, "most blocks are run"


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_code_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One block after the other, in a folder with the examples that schedlab brings and nothing else."""
    monkeypatch.chdir(tmp_path)
    assert main(["example", "--all"]) == 0
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page):
        if block.language != TEXT and not block.not_run and not block.tested_by:
            RUNNERS[block.language](block, names, capfd)


def run_shell(block: Block, names: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    for line in block.commands():
        if not any(word in line for word in block.left_out):
            program, *arguments = shlex.split(line)
            assert program == "schedlab", f"{block.place}: {line}: only commands of schedlab are run here"
            assert main(arguments) in ((0, 3) if arguments == ["doctor"] else (0,)), f"{block.place}: {line}"


def run_console(block: Block, names: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    """The lines that the page shows are among those that are printed, in their order; `...` stands for others."""
    for line, shown in block.shown():
        capfd.readouterr()
        assert main(shlex.split(line)[1:]) == 0, f"{block.place}: {line}"
        out, err = capfd.readouterr()
        printed = iter((out + err).splitlines())
        for wanted in shown:
            start = wanted.removesuffix(" ...")
            same = (lambda one, start=start: one.startswith(start)) if start != wanted else start.__eq__
            assert wanted == "..." or any(map(same, printed)), f"{block.place}: {line} prints no {wanted!r}: {out}"


def run_python(block: Block, names: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    if block.file:
        Path(block.file).write_text(block.code, encoding="utf-8")
    exec(compile(block.code, block.place, "exec"), names)


def run_examples(block: Block, names: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    test = doctest.DocTestParser().get_doctest(block.code, names, block.place, block.place, block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS)
    # A doctest forgets its names at its end; the next block goes on with them.
    found = runner.run(test, clear_globs=False)
    names.update(test.globs)
    assert found.attempted > 0 and found.failed == 0, capfd.readouterr().out


def read_toml(block: Block, names: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    """A scenario or an overheads file is read as that."""
    found = tomllib.loads(block.code)
    if block.file and Path(block.file).exists():
        assert Path(block.file).read_text(encoding="utf-8") == block.code, f"{block.place}: {block.file} differs"
    elif block.file:
        Path(block.file).write_text(block.code, encoding="utf-8")
    if "schedlab" in found:
        schedlab.Scenario.read_text(block.code, "page.toml")
    elif "schedlab-overheads" in found:
        Path("page.toml").write_text(block.code, encoding="utf-8")
        schedlab.Scenario.read("examples/robot.toml").replace(overheads="page.toml")
    else:
        assert block.file, f"{block.place}: neither a scenario nor a file that the page names"


def write_file(block: Block, names: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    assert block.file, f"{block.place}: nothing runs this language; name a file, or say why it is not run"
    Path(block.file).write_text(block.code, encoding="utf-8")


def read_json(block: Block, names: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    json.loads(block.code)
    if block.file:
        Path(block.file).write_text(block.code, encoding="utf-8")


RUNNERS = {
    "sh": run_shell, "console": run_console, "python": run_python, "pycon": run_examples, "toml": read_toml,
    "xml": write_file, "json": read_json,
}  # fmt: skip


def test_blocks_of_yaml_read() -> None:
    found = [block for block in BLOCKS if block.language == "yaml"]
    assert len(found) >= 2
    for block in found:
        assert isinstance(yaml.safe_load(block.code), dict), block.place


@pytest.mark.realtime
def test_the_real_run_of_the_documents_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")
    for line in ("run examples/avionics.toml --duration 5s --check --trace run.slt", "check run.slt"):
        assert f"schedlab {line}" in [shown for block, shown in COMMANDS if block.page.name == "runtime.md"]
        status = main(shlex.split(line))
        if status == 3:
            pytest.skip("this machine cannot run it for real")
        assert status == 0, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_to_headings(page: Path) -> None:
    for path, anchor in links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {path}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.name} links to {path}#{anchor}"


def test_paths_that_pages_name_are_there() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for path in re.findall(r"`((?:crates|examples|tests|tools|studies|docs|schemas|python)/[\w./-]*)`", text):
            of_a_new_crate = path in ("tests/example.rs", "examples/run.rs")
            assert (ROOT / path).exists() or "mine" in path or of_a_new_crate, f"{page.name} names {path}"


def test_the_citation_names_the_version() -> None:
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert found["version"] == schedlab.__version__


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
