"""Builds the sdist, then the wheel from what it unpacks to, and has auditwheel judge the wheel's tag.

usage: python tools/from_sdist.py FOLDER [NAME=VALUE...]    both files into FOLDER; the settings are those of the build
"""

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import build_package
from wheels import ROOT

SDIST = "import sys; sys.path.insert(0, 'tools'); import build_package; build_package.build_sdist(sys.argv[1])"


def main(out: Path, settings: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("schedlab-*"):
        old.unlink()
    builder = out / "builder"
    run(sys.executable, "-m", "venv", "--clear", str(builder))
    python = str(builder / "bin" / "python")
    quiet = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(python, *quiet, "--requirement", str(ROOT / "tools" / "wheel-requirements.txt"))
    run(python, "-c", SDIST, str(out))
    sdist = out / f"schedlab-{build_package.VERSION}.tar.gz"
    source = out / "source"
    with tarfile.open(sdist) as archive:
        archive.extractall(source, filter="data")
    chosen = [word for setting in settings for word in ("--config-settings", setting)]
    build = ("-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(out), *chosen)
    run(python, *build, str(source / sdist.name.removesuffix(".tar.gz")))
    [wheel] = out.glob("schedlab-*.whl")
    judge(wheel, builder)
    for path in (sdist, wheel):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def judge(wheel: Path, builder: Path) -> None:
    """Asks auditwheel whether the binaries need the C library of the wheel's tag, and nothing else of this machine."""
    [stated] = re.findall(r"(manylinux\S+)\.whl$", wheel.name)
    command = [builder / "bin" / "auditwheel", "show", wheel]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    if f'consistent with the following platform tag: "{stated}"' not in " ".join(said.split()):
        sys.exit(f"the wheel states {stated}, but auditwheel says:\n{said}")


def run(*command: str) -> None:
    """Runs a command in the checkout."""
    if (status := subprocess.run(command, cwd=ROOT, check=False).returncode) != 0:
        sys.exit(f"tools/from_sdist.py: {' '.join(command)} ended with status {status}")


if __name__ == "__main__":
    if len(sys.argv) < 2 or any("=" not in setting for setting in sys.argv[2:]):
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
