"""Pages printed as PDF, by a browser that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from schedlab.base.files import write_whole
from schedlab.errors import CannotRun

#: Programs that print pages without a screen; `SCHEDLAB_BROWSER` names another one.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

#: Options with which they do; nothing is fetched.
_FLAGS = (
    "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-pdf-header-footer",
)  # fmt: skip

#: Seconds after which a browser that has not printed is stopped.
_PATIENCE = 120


#: Options with which scripts have drawn before the page is printed: time passes at once until they have nothing to do.
_DRAWN = ("--virtual-time-budget=20000", "--run-all-compositor-stages-before-draw")


def write_pdf(page: str, path: Path | str, *, by_script: bool = False) -> Path:
    """Prints a page into the file `path`, whole or not at all, and returns the path.

    Scripts draw a part of the page if it is `by_script`; they see `print` as the hash of its address. Raises
    `CannotRun` if no browser can: the page is then in a file beside `path`, which ends in `.html`.
    """
    path = Path(path)
    reason = _printed(page, path, by_script)
    if reason is not None:
        instead = path.with_suffix(".html")
        write_whole(instead, page)
        raise CannotRun(f"{path}: {reason}; the page is {instead}, which any browser prints")
    return path


def _printed(page: str, path: Path, by_script: bool) -> str | None:
    """Prints the page; returns the reason if that is not possible."""
    program = os.environ.get("SCHEDLAB_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        return f"none of {', '.join(BROWSERS)} is installed to print it (SCHEDLAB_BROWSER names another)"
    with TemporaryDirectory(prefix="schedlab-") as folder:
        source, printed = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        # As root, the sandbox of Chromium refuses to start.
        flags = [*_FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else []), f"--user-data-dir={folder}/profile"]
        flags += _DRAWN if by_script else ()
        address = source.as_uri() + ("#print" if by_script else "")
        command = [program, *flags, f"--print-to-pdf={printed}", address]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        except OSError as error:
            return f"{program} cannot be run: {error.strerror}"
        except subprocess.TimeoutExpired:
            return f"{program} has not printed it within {_PATIENCE} s"
        if done.returncode != 0 or not printed.exists():
            said = done.stderr.strip().splitlines()[-1:] or [f"it ended with status {done.returncode}"]
            return f"{program} did not print it ({said[0]})"
        write_whole(path, printed.read_bytes())
    return None
