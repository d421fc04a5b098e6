"""The stubs say what the native module has, and the package is what they promise."""

from __future__ import annotations

import os
import subprocess
import sys

from conftest import ROOT


def test_stubs_match_the_native_module(tmp_path):
    # What the stubs import is checked with the package.
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nfollow_imports = skip\n")
    environment = os.environ | {"MYPYPATH": str(ROOT / "python")}
    found = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "schedlab._native", "--ignore-disjoint-bases",
         "--mypy-config-file", str(settings)],
        capture_output=True, text=True, cwd=ROOT, env=environment, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_package_is_marked_as_typed():
    import importlib.resources

    assert (importlib.resources.files("schedlab") / "py.typed").is_file()
    assert (importlib.resources.files("schedlab") / "_native.pyi").is_file()
