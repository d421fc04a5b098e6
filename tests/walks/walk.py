"""A user at a terminal: commands in one environment, and what the user looks for in their output."""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
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
        # The crates of `schedlab new` share what they compile; the first says how long a user waits.
        self.variables["CARGO_TARGET_DIR"] = str(environment.parent / "own")
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

    def sees(self, command: str, *expected: str, allowed: Collection[int] = (0,)) -> str:
        """Runs `command`, whose output has to hold each of `expected`; what it says."""
        said = self.step(command, allowed)
        missing = [text for text in expected if text not in said]
        if missing:
            sys.exit(f"{said}\nlacks {missing}")
        return said

    def looks(self, page: str, *expected: str) -> None:
        """Opens a page in a browser, whose text, as scripts left it, has to hold each of `expected`."""
        if BROWSER is None:
            print(f"{page} is not looked at: there is no Chromium")
            return
        flags = "--headless --no-sandbox --disable-gpu --virtual-time-budget=5000"
        self.sees(f"{BROWSER} {flags} --dump-dom file://{self.folder / page} 2>/dev/null", *expected)

    def writes(self, name: str, text: str) -> None:
        """What the user types into a file."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def follows(self, said: str, step: str) -> None:
        """Runs the command that `said` has in the line of `step`."""
        [command] = re.findall(rf"^  {step} +(.*?)(?: +#.*)?$", said, re.MULTILINE)
        self.step(command)
