"""The page of the gallery of papers' figures: a link to it where it was built, else how to build it."""

from __future__ import annotations

import shutil
from pathlib import Path

TEXT = """# The gallery of the papers' figures

schedlab redraws the figures of the papers that it follows, and judges the papers' sentences about them. The gallery is
a site of its own with every figure, the claims beside it, and the command that made it.

{here}

[Results of studies](study-results.md) says what came out of the runs at full size, [claims](claims.md) which of the
papers' sentences hold.
"""
THERE = '<a href="../gallery/index.html">The gallery</a> lies beside these pages.'
TO_BUILD = """This site was built without it. `make gallery` runs every study at its usual size and builds the gallery
in `out/gallery`. `make docs` then takes it up into this site."""


def write(page: Path, gallery: Path) -> None:
    """Writes the page: a link to the gallery if it was built."""
    page.write_text(TEXT.format(here=THERE if _built(gallery) else TO_BUILD), encoding="utf-8")


def copy(gallery: Path, into: Path) -> None:
    """Copies the gallery into the site, if it was built."""
    if _built(gallery):
        shutil.copytree(gallery, into)


def _built(gallery: Path) -> bool:
    return (gallery / "index.html").is_file()
