"""Builds the sdist, then the wheel from it, installs that in a clean environment, and has three users walk through it.

Run by `make test-package`, under the Pythons that its arguments name besides, too. It needs a network (or pip's and
Cargo's caches), a C compiler and pkg-config. Without Chromium, the pages are not looked at.
"""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import engineer
import researcher
import student
from walk import ROOT, Walk

SDIST = "import sys; sys.path.insert(0, 'tools'); import build_package; print(build_package.build_sdist(sys.argv[1]))"


def environment(folder: Path, python: str = sys.executable) -> Path:
    """A new environment of Python."""
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    return folder


def build(out: Path) -> Path:
    """The wheel, built from the unpacked sdist."""
    shutil.rmtree(out / "source", ignore_errors=True)
    for old in out.glob("schedlab-*"):
        old.unlink()
    walk = Walk(ROOT, environment(out / "builder"))
    [maturin] = re.findall(r"^maturin==\S+$", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    walk.step(f"pip install --quiet {maturin}")
    walk.step(f'python -c "{SDIST}" {out}')
    [sdist] = out.glob("schedlab-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(out / "source", filter="data")
    [source] = (out / "source").iterdir()
    target = str(out / "target")
    walk.step(f"pip wheel --no-deps --no-build-isolation --wheel-dir {out} {source}", CARGO_TARGET_DIR=target)
    [wheel] = out.glob("schedlab-*.whl")
    # What another tool says of the tag: the C library that the binaries need, and nothing else of this machine.
    walk.step("pip install --quiet auditwheel")
    [stated] = re.findall(r"(manylinux\S+)\.whl$", wheel.name)
    judged = " ".join(walk.step(f"auditwheel show {wheel}").split())
    assert f'consistent with the following platform tag: "{stated}"' in judged, judged
    print(f"{sdist.name}: {megabytes(sdist)}, {wheel.name}: {megabytes(wheel)}")
    return wheel


def megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"


def fresh(folder: Path) -> Path:
    """The folder, made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    wheel = build(out)
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
