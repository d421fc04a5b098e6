"""Building what `schedlab new` makes, as its README says, and registering it as if it were installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from conftest import ROOT
from schedlab.core import plugins

#: For tests that build an extension: elsewhere the linker must be told of Python, as maturin does and cargo does not.
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="cargo alone links a Python extension on Linux only")


def build(folder: Path) -> str:
    """Tests and builds the crate in `folder`; what cargo said."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target"), "PYO3_PYTHON": sys.executable}
    # These builds are run a few times only.
    environment |= {"CARGO_PROFILE_DEV_OPT_LEVEL": "0", "CARGO_PROFILE_DEV_DEBUG": "none"}
    said = ""
    for arguments in (["test", "--offline"], ["build", "--offline", "--features", "python"]):
        found = subprocess.run(
            ["cargo", *arguments, "--manifest-path", folder / "Cargo.toml"],
            capture_output=True, text=True, env=environment, check=False,
        )  # fmt: skip
        assert found.returncode == 0, found.stderr + found.stdout
        said += found.stderr
    return said


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
