"""A page for each kind of budget server, from the comment at the head of its file, with a schedule of an example."""

from __future__ import annotations

import re
from pathlib import Path

import drawn
import rust

import schedlab

SERVERS = rust.ROOT / "crates" / "policy" / "src" / "servers"
#: The example whose server becomes one of each kind.
EXAMPLE = rust.ROOT / "examples" / "servers.toml"
#: Schedulers under which a kind is tried: each kind is published for one of them.
TRIED = ("P-RM", "P-EDF")


def kinds() -> dict[str, Path]:
    """Returns the file of each kind, by the name that scenarios state. The soft and the hard form are one file."""
    named = re.findall(r'\("([\w-]+)", ServerKind::(\w+)\)', (SERVERS / "kind.rs").read_text(encoding="utf-8"))
    found = {}
    for name, variant in named:
        stem = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", re.sub(r"^(Soft|Hard)(?=[A-Z])", "", variant)).lower()
        found[name] = SERVERS / f"{stem}.rs"
    return found


def write(folder: Path) -> dict[str, dict[str, str]]:
    """Writes the pages and their pictures; returns what each page is about, by its name."""
    folder.mkdir(parents=True)
    listed = {}
    for name, path in kinds().items():
        told = rust.header(path)
        parts = [f"# {name}", "## An example", _picture(name, folder), "## From its source", told,
                 f"*From the comment of `{path.relative_to(rust.ROOT)}`. [Budget "
                 "servers](../../docs/scenario-file.md#budget-servers) says how a scenario states one, and what "
                 "analyses it.*"]  # fmt: skip
        (folder / f"{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        title = rust.title_and_rest(told)[0].rstrip(".")
        listed[name] = f"`{name}`: {title[0].lower()}{title[1:]}"
    return {"": listed}


def _picture(name: str, folder: Path) -> str:
    """Returns the picture of the example with a server of this kind."""
    text = EXAMPLE.read_text(encoding="utf-8")
    refusals = []
    for scheduler in TRIED:
        changed = re.sub(r'^kind = ".*"$', f'kind = "{name}"', text, flags=re.MULTILINE)
        changed = re.sub(r'^scheduler = ".*"$', f'scheduler = "{scheduler}"', changed, flags=re.MULTILINE)
        try:
            drawn.draw(schedlab.Scenario.read_text(changed, f"{name}.toml"), folder / f"{name}.svg", "30 ms")
        except schedlab.SchedlabError as error:
            refusals.append(str(error))
            continue
        return (f"![The first 30 ms of tasks and clients of a server of the kind {name}]({name}.svg)\n\n"
                f'*`examples/servers.toml` with `kind = "{name}"` under `{scheduler}`, drawn by the simulator. Tasks '
                "`urgent`, `burst` and `chatter` are clients of the server.*")  # fmt: skip
    raise ValueError(f"no scheduler takes the example with {name}: {'; '.join(refusals)}")
