"""What `schedlab --version` says: the version, and what was built or installed with it."""

from __future__ import annotations

import importlib.util
import platform
import subprocess

from schedlab import __version__, runtime
from schedlab.core import plugins
from schedlab.errors import CannotRun

#: Libraries that only some commands need, by the extra of the package that installs them.
EXTRAS = {"polars": "polars", "cluster": "distributed", "notebook": "ipywidgets"}


def version_text() -> str:
    """Returns the lines of `schedlab --version`; the first one is the version alone."""
    own = [f"{kind} {name}" for kind in plugins.GROUPS for name in sorted(plugins.installed(kind))]
    there = [extra for extra, module in EXTRAS.items() if importlib.util.find_spec(module) is not None]
    missing = [extra for extra in EXTRAS if extra not in there]
    lines = {
        "real runs": _real_runs(),
        "extras": ", ".join(there + [f"without {extra}" for extra in missing]),
        "your own": ", ".join(own) or "nothing is installed",
        "on": f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
    }
    return "\n".join([f"schedlab {__version__}", *(f"{name}: {text}" for name, text in lines.items())])


def _real_runs() -> str:
    """Returns which `schedlab-rt` executes scenarios, and what it was built with."""
    try:
        path = runtime.binary()
    except CannotRun as error:
        return str(error)
    said = subprocess.run([str(path), "--version"], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        return f"{path} does not run: {said.stderr.strip() or f'status {said.returncode}'}"
    return f"{', '.join(said.stdout.splitlines())} ({path})"
