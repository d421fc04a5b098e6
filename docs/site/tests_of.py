"""A page for each test of schedulability: its entry in docs/tests.md, and the comment at the head of its file."""

from __future__ import annotations

import re
from pathlib import Path

import rust

FOLDERS = (rust.ROOT / "crates" / "analysis" / "src", rust.ROOT / "crates" / "lp-blocking" / "src")


def registered() -> dict[str, str]:
    """Returns what the registry says of each test, as the Markdown of docs/tests.md."""
    text = (rust.ROOT / "docs" / "tests.md").read_text(encoding="utf-8")
    listed = text.split("generated from the registry. -->")[1].split("<!-- End of the list. -->")[0]
    found = {}
    for entry in re.split(r"^\* ", listed, flags=re.MULTILINE)[1:]:
        name, rest = re.match(r"`(\w+)`: (.*)", entry, re.DOTALL).groups()
        proves, _, facts = rest.partition("\n")
        lines = re.sub(r"^  ", "", facts, flags=re.MULTILINE).strip()
        found[name] = f"**It is about:** {' '.join(proves.split())}.\n\n{lines}"
    return found


def file_of(name: str) -> Path:
    """Returns the file that registers the test."""
    for folder in FOLDERS:
        for path in sorted(folder.rglob("*.rs")):
            if path.stem != "tests" and re.search(rf'(?:name: |test\(\s*|method\(\s*)"{name}"', path.read_text()):
                return path
    raise ValueError(f"no file registers the test {name}")


def write(folder: Path) -> dict[str, str]:
    """Writes the pages; returns the source of each test, by its name, in the registry's order."""
    folder.mkdir(parents=True)
    made = registered()
    for name, entry in made.items():
        path = file_of(name)
        where = f"*From the registry, and from the comment of `{path.relative_to(rust.ROOT)}`.*"
        text = f"# {name}\n\n{entry}\n\n## From its source\n\n{rust.header(path)}\n\n{where}\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    sources = {name: re.search(r"\* source: ((?:.|\n)+)", entry) for name, entry in made.items()}
    return {name: f"`{name}`: {' '.join(found[1].split()) if found else ''}" for name, found in sources.items()}
