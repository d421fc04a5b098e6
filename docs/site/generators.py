"""A page for each kind of what draws task sets: its names, and the comments at the heads of its files."""

from __future__ import annotations

from pathlib import Path

import rust

from schedlab import schemas

WORKLOAD = rust.ROOT / "crates" / "workload" / "src"
GENERATE = WORKLOAD / "generate"
#: Title, kind of `schedlab schema names`, and the folder or file of Rust.
KINDS = {
    "utilizations": ("Utilizations", GENERATE / "utilization"),
    "periods": ("Periods", GENERATE / "periods"),
    "deadlines": ("Relative deadlines", GENERATE / "deadlines.rs"),
    "stop": ("When a set is complete", GENERATE / "stop.rs"),
    "accesses": ("Accesses to shared resources", GENERATE / "accesses"),
    "utility": ("Utilities", GENERATE / "utilities.rs"),
    "placements": ("Placement", WORKLOAD / "placement"),
}
#: Files that hold no answer of their own.
PARTS = ("mod", "tests", "range", "groups", "together", "program")


def write(folder: Path) -> dict[str, str]:
    """Writes the pages; returns what each page is about, by its name."""
    folder.mkdir(parents=True)
    known = schemas.names()
    for kind, (title, place) in KINDS.items():
        named = "\n".join(f"* `{name}`" for name in known[kind])
        head = place / "mod.rs" if place.is_dir() else place
        parts = [f"# {title}", rust.header(head), f"## Names and forms\n\n{named}"]
        files = sorted(place.glob("*.rs")) if place.is_dir() else []
        for path in files:
            if path.stem not in PARTS or (kind == "placements" and path.stem == "together"):
                parts += [f"## {path.stem.replace('_', ' ')}", rust.header(path)]
        parts.append(f"*From `schedlab schema names`, and from the comments of `{place.relative_to(rust.ROOT)}`.*")
        (folder / f"{kind}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return {kind: title for kind, (title, _) in KINDS.items()}
