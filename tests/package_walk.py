"""Builds the sdist, then the wheel from it, installs that in a clean environment and walks through it as a user does.

Run by `make test-package`. The first steps are repeated under the Pythons that its arguments name besides. It needs a
network (or pip's and Cargo's caches), a C compiler and pkg-config.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SDIST = "import sys; sys.path.insert(0, 'tools'); import build_package; print(build_package.build_sdist(sys.argv[1]))"
#: What a command may end with where this machine refuses real-time priorities.
REFUSED = 3


class Walk:
    """Commands in one environment; each line says how long one took."""

    def __init__(self, folder: Path, environment: Path) -> None:
        self.folder = folder
        self.variables = os.environ | {
            "PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PKG_CONFIG_PATH": str(environment / "lib" / "pkgconfig"),
        }
        # The three crates of `schedlab new` share what they compile; the first says how long a user waits.
        self.variables["CARGO_TARGET_DIR"] = str(folder / "target")
        # The checkout's package would be found instead of the installed one.
        self.variables.pop("PYTHONPATH", None)

    def step(self, command: str, allowed: Collection[int] = (0,), **variables: str) -> str:
        """Runs `command`; what it says. Other statuses than the `allowed` ones end the walk."""
        begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=self.variables | variables,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{time.monotonic() - begun:6.1f} s  {work:6.1f} s of processors  {command}", flush=True)
        if done.returncode not in allowed:
            sys.exit(f"{done.stdout}\nended with status {done.returncode}")
        return done.stdout


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


def first_steps(walk: Walk, wheel: Path) -> None:
    """From the wheel to a comparison's page, a real run and a C program."""
    walk.step(f"pip install --quiet --constraint {ROOT / 'requirements.txt'} {wheel}")
    assert "schedlab" in walk.step("schedlab --version")
    walk.step("schedlab example robot periodic.c")
    walk.step("schedlab simulate robot.toml --out first.svg")
    assert "schedulable" in walk.step("schedlab analyze robot.toml")
    walk.step("schedlab compare robot.toml --out compared")
    assert (walk.folder / "compared").is_dir()
    walk.step("schedlab run robot.toml --duration 1s", (0, REFUSED))
    # Status 3 also says that the binary is not there.
    assert "not here" not in walk.step("schedlab doctor", (0, REFUSED))
    walk.step("cc -Wall -Werror periodic.c -o periodic $(pkg-config --cflags --libs schedlab)")
    walk.step("./periodic", (0, REFUSED))


def own(walk: Walk, kind: str, name: str, use: str) -> None:
    """What `schedlab new` prints as the next commands, one after the other; then `use`."""
    said = walk.step(f"schedlab new {kind} {name}")
    assert "_sources" in said, said
    for step in ("test", "install"):
        [command] = re.findall(rf"^  {step} +(.*?)(?: +#.*)?$", said, re.MULTILINE)
        walk.step(command)
    assert name in walk.step(use)


def fresh(folder: Path) -> Path:
    """The folder, made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    wheel = build(out)
    folder = fresh(out / "walk")
    walk = Walk(folder, environment(out / "environment"))
    first_steps(walk, wheel)
    own(walk, "policy", "G-MY-EDF", "schedlab compare robot.toml --schedulers G-EDF,G-MY-EDF")
    own(walk, "protocol", "my-pip", "schedlab simulate robot.toml --scheduler P-RM --protocol my-pip")
    own(walk, "test", "my_test", "schedlab analyze robot.toml --scheduler P-EDF --tests my_test")
    for number, python in enumerate(sys.argv[2:]):
        other = Walk(fresh(out / f"walk-{number}"), environment(out / f"environment-{number}", python))
        print(f"under {other.step('python --version').strip()}:")
        first_steps(other, wheel)
    print("the package holds what it promises")


if __name__ == "__main__":
    main()
