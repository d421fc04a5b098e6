"""`make` says what is missing before it starts anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT


def check_tools(path: Path) -> subprocess.CompletedProcess[str]:
    make = shutil.which("make")
    assert make
    environment = os.environ | {"PATH": str(path)}
    return subprocess.run(
        [make, "-C", ROOT, "check-tools"], capture_output=True, text=True, env=environment, check=False
    )


def tools(folder: Path, *without: str) -> Path:
    """A folder of links to the tools that the Makefile needs, without some."""
    for name in ("sh", "python3", "cargo", "cc", "find", "awk", "mkdir", "touch"):
        # The interpreter itself: a version manager's shim would need more tools.
        found = Path(sys.executable).resolve() if name == "python3" else shutil.which(name)
        if name not in without and found:
            (folder / name).symlink_to(found)
    return folder


def test_all_tools_are_enough(tmp_path):
    found = check_tools(tools(tmp_path))
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    ("name", "message"), [("cargo", "Rust toolchain"), ("python3", "Python 3.11"), ("cc", "C compiler")]
)
def test_a_missing_tool_is_named(tmp_path, name, message):
    found = check_tools(tools(tmp_path, name))
    assert found.returncode != 0
    assert message in found.stderr


def test_an_old_python_is_refused(tmp_path):
    folder = tools(tmp_path, "python3")
    old = folder / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2\nexit 1\n')
    old.chmod(0o755)
    found = check_tools(folder)
    assert found.returncode != 0
    assert "3.9.2" in found.stderr


def test_reasons_for_skipped_tests_are_kept_and_a_needed_browser_is_no_reason(tmp_path):
    """Where no browser is found, tests of pages are skipped; in CI, which installs one, they fail."""
    words = [sys.executable, "-m", "pytest", "-q", "tests/python/test_view_browser.py"]
    kept = tmp_path / "skipped.txt"
    environment = os.environ | {"PATH": str(tmp_path), "SCHEDLAB_SKIPPED": str(kept)}
    environment.pop("SCHEDLAB_BROWSER", None)
    environment.pop("SCHEDLAB_NEEDS_BROWSER", None)
    skipped = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert skipped.returncode == 0, skipped.stdout
    (line,) = kept.read_text().splitlines()
    assert line.startswith("tests/python/test_view_browser.py (8): ") and "no browser found" in line
    environment["SCHEDLAB_NEEDS_BROWSER"] = "1"
    failed = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert failed.returncode == 1
    assert "SCHEDLAB_NEEDS_BROWSER is set, but no browser found" in failed.stdout
