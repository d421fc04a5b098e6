"""Building what `schedlab new` makes, as its README says, and registering it as if it were installed."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from conftest import ROOT
from schedlab.core import plugins

#: For tests that build an extension: elsewhere the linker must be told of Python, as maturin does and cargo does not.
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="cargo alone links a Python extension on Linux only")


def cargo(folder: Path, *arguments: str, **options: str) -> subprocess.CompletedProcess[str]:
    """Calls cargo for the crate in `folder`, with the crates that all these builds share."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target"), "PYO3_PYTHON": sys.executable}
    # These builds are run a few times only.
    environment |= {"CARGO_PROFILE_DEV_OPT_LEVEL": "0", "CARGO_PROFILE_DEV_DEBUG": "none"}
    command, *rest = arguments
    return subprocess.run(
        ["cargo", command, "--offline", "--manifest-path", folder / "Cargo.toml", *rest],
        capture_output=True, text=True, env=environment | options, check=False,
    )  # fmt: skip


def build(folder: Path) -> str:
    """Tests and builds the crate in `folder`; what cargo said."""
    said = ""
    for arguments in (["test"], ["build", "--features", "python"]):
        found = cargo(folder, *arguments)
        assert found.returncode == 0, found.stderr + found.stdout
        said += found.stderr
    return said


def changes(folder: Path) -> list[tuple[str, str, str]]:
    """What the crate's README says to change, step by step: in which file, what to write, and in place of what."""
    said = (folder / "README.md").read_text(encoding="utf-8")
    return re.findall(r"In `([^`]+\.rs)`, write\s+`([^`]+)`\s+in\s+place\s+of\s+`([^`]+)`", said)


def change(folder: Path, file: str, new: str, old: str) -> None:
    """Edits a file of the crate."""
    text = (folder / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def put_into(site: Path, folder: Path) -> None:
    """Puts what was built of the crate in `folder` where `pip install` would: into a folder on Python's path."""
    about = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    described = site / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(metadata, encoding="utf-8")
    points = ""
    for group, entries in about["entry-points"].items():
        points += f"[{group}]\n" + "".join(f"{name} = {module}\n" for name, module in entries.items())
        for module in entries.values():
            shutil.copy(ROOT / "target" / "debug" / f"lib{module}.so", site / f"{module}.abi3.so")
    (described / "entry_points.txt").write_text(points, encoding="utf-8")


def let_be_installed(monkeypatch: pytest.MonkeyPatch, kind: plugins.Kind, **modules: str) -> None:
    """Lets only these `modules`, by name, be installed of their kind."""
    points = {name: EntryPoint(name=name, value=at, group=plugins.GROUPS[kind]) for name, at in modules.items()}
    found = plugins.installed
    monkeypatch.setattr(plugins, "installed", lambda asked: points if asked == kind else found(asked))


def install(monkeypatch: pytest.MonkeyPatch, name: str, module: str, kind: plugins.Kind) -> ModuleType:
    """Loads the `module` that was built, and lets it alone be installed of its kind, under `name`."""
    spec = importlib.util.spec_from_file_location(module, ROOT / "target" / "debug" / f"lib{module}.so")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    monkeypatch.setitem(sys.modules, module, loaded)
    let_be_installed(monkeypatch, kind, **{name: module})
    return loaded
