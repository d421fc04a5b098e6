"""Installs the wheel in a clean environment, and has three users walk through it.

Run by `make test-package`: it builds the wheel from the sdist, unless the variable WHEEL names one (`make wheels`). Its
arguments name Pythons under which the users walk, too. It needs a network (or pip's and Cargo's caches), a C compiler
and pkg-config. Without Chromium, the pages are not looked at.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import engineer
import researcher
import student
from walk import ROOT, Walk


def environment(folder: Path, python: str = sys.executable) -> Path:
    """A new environment of Python."""
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    return folder


def built(out: Path) -> Path:
    """The wheel, built from the unpacked sdist."""
    walk = Walk(ROOT, out)
    print(walk.step(f"{sys.executable} tools/from_sdist.py {out}", CARGO_TARGET_DIR=str(out / "target")))
    [wheel] = out.glob("schedlab-*.whl")
    return wheel


def fresh(folder: Path) -> Path:
    """The folder, made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    given = os.environ.get("WHEEL")
    wheel = Path(given).resolve() if given else built(out)
    fresh(out / "own")
    for number, python in enumerate([sys.executable, *sys.argv[2:]]):
        place = fresh(out / f"walk-{number}")
        walk = Walk(place, environment(out / f"environment-{number}", python))
        print(f"under {walk.step('python --version').strip()}:")
        walk.step(f"pip install --quiet --constraint {ROOT / 'requirements.txt'} {wheel}")
        for user in (student, engineer, researcher):
            print(f"the {user.__name__}:")
            walk.folder = fresh(place / user.__name__)
            user.afternoon(walk)
    print("the package holds what it promises")


if __name__ == "__main__":
    main()
