"""The documents are true: their commands are commands, what they name is there, and the first session runs."""

from __future__ import annotations

import gzip
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

#: Commands of the first session that measure, run for real, or take minutes.
NOT_RUN = {"run", "observe", "study", "measure", "doctor"}


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


def test_the_first_session_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [scenario] = re.findall(r"```toml\n(.*?)```", COMMANDS, re.DOTALL)
    Path("robot.toml").write_text(scenario, encoding="utf-8")
    Path("jobs.csv").write_text(
        "Task ID, Job ID, Min, Max, C_Min, C_Max, DL, Prio\n0,1,0,0,1,2,9,9\n", encoding="utf-8"
    )
    assert main(["jobs", "jobs.csv", "--out", "jobs.yaml"]) == 0
    with gzip.open(ROOT / "tests/golden/vectors/uni.jsonl.gz", "rt", encoding="utf-8") as vectors:
        few = "".join(next(vectors) for _ in range(3))
    with gzip.open("vectors.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.write(few)
    ran = []
    for line in lines_of_commands(COMMANDS):
        arguments = shlex.split(line)[1:]
        if arguments[0] not in NOT_RUN and "--run" not in arguments:
            assert main(arguments) == 0, line
            ran.append(arguments[0])
    assert len(ran) > 10
    assert Path("robot.svg").read_text(encoding="utf-8").startswith("<svg")


def test_links_and_paths_lead_somewhere() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
        for path in re.findall(r"`((?:crates|examples|tests|tools|studies|docs|schemas|python)/[\w./-]*)`", text):
            of_a_new_crate = page.name == "own-scheduler.md" and path == "tests/example.rs"
            assert (ROOT / path).exists() or "mine" in path or of_a_new_crate, f"{page.name} names {path}"


def test_targets_of_make_and_packages_of_cargo_are_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    manifests = [*ROOT.glob("crates/*/Cargo.toml"), *ROOT.glob("tools/*/Cargo.toml"), ROOT / "tests/Cargo.toml"]
    packages = {tomllib.loads(path.read_text(encoding="utf-8"))["package"]["name"] for path in manifests}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE):
            assert target in targets, f"{page.name}: make {target}"
        for package in re.findall(r"cargo (?:run|test|bench).*? (?:-p|--package) ([\w-]+)", text):
            assert package in packages, f"{page.name}: cargo -p {package}"


def test_the_map_has_every_crate_and_what_it_names() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
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
            assert any(one.exists() for one in beside), f"ARCHITECTURE.md names {path}"
