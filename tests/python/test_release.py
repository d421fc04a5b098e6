"""One command writes the version everywhere, and finds where it differs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import schedlab
from conftest import ROOT

FILES = ("Cargo.toml", "Cargo.lock", "CITATION.cff", "CHANGELOG.md", "tools/release.py")


def release(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, root / "tools" / "release.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files of this checkout that state the version."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_all_places_state_the_version_of_the_package() -> None:
    found = release(ROOT, "check", f"v{schedlab.__version__}")
    assert found.stdout == f"{schedlab.__version__}\n", found.stderr
    other = release(ROOT, "check", "v99.0.0")
    assert other.returncode != 0 and "the tag is v99.0.0" in other.stderr


def test_a_version_is_written_everywhere(copy: Path) -> None:
    changes = copy / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace("## [", "## [Unreleased]\n\n* News.\n\n## [", 1))
    assert release(copy, "set", "7.8.9").returncode == 0
    assert release(copy, "check", "v7.8.9").returncode == 0
    assert release(copy, "notes").stdout == "* News.\n"
    for name in FILES[:3]:
        assert f"{schedlab.__version__}" not in re.findall(r"^version.*$", (copy / name).read_text(), re.MULTILINE)[0]
    assert re.search(r"^## \[7\.8\.9\] - \d{4}-", changes.read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", FILES[:3])
def test_a_place_that_differs_is_named(copy: Path, name: str) -> None:
    path = copy / name
    place = {"Cargo.toml": "", "Cargo.lock": 'name = "schedlab-model"\n'}.get(name, "")
    before, sign, after = path.read_text().partition(place + "version")
    path.write_text(before + sign + after.replace(schedlab.__version__, "7.8.9", 1))
    found = release(copy, "check")
    assert found.returncode != 0
    assert "versions differ" in found.stderr and f"{name} has" in found.stderr


def test_a_version_without_news_is_refused(copy: Path) -> None:
    found = release(copy, "set", "7.8.9")
    assert found.returncode != 0 and "its first section is neither" in found.stderr
    assert release(copy, "set", "7.8").returncode != 0
