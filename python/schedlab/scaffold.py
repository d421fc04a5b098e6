"""`schedlab new policy`: a crate with a scheduler of one's own, ready to build and to install."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import schedlab
from schedlab import _native
from schedlab.errors import BadInput
from schedlab.files import write_whole

__all__ = ["NewPolicy", "new_policy", "new_protocol"]

_SCOPES = {"G": "Global", "C": "Clustered", "P": "Partitioned"}


@dataclass(frozen=True)
class NewPolicy:
    """What was made."""

    folder: Path
    #: The file to edit.
    policy: Path
    files: tuple[Path, ...]


def new_policy(name: str, *, out: Path | str | None = None, library: Path | str | None = None) -> NewPolicy:
    """Makes a crate with the scheduler `name`, such as G-LLF; the letter says which processors share a queue."""
    name = _checked(name)
    folder = _empty(out, name)
    source = _library(library)
    words = {
        "NAME": name,
        "CRATE": f"schedlab-policy-{name.lower()}",
        "MODULE": f"schedlab_policy_{name.lower().replace('-', '_')}",
        "TYPE": "".join(part.capitalize() for part in name.split("-")[1:]) or name.capitalize(),
        "SCOPE": _SCOPES[name[0]],
        "VERSION": _native.__version__,
        "PYO3": _native.PYO3_VERSION,
        "FOLDER": folder.name,
    }
    return _make(folder, folder / "src" / "policy.rs", _templates(), words, source)


def new_protocol(name: str, *, out: Path | str | None = None, library: Path | str | None = None) -> NewPolicy:
    """Makes a crate with the locking protocol `name`, such as `my-pip`."""
    name = name.lower()
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise BadInput(f'"{name}" is no name for a protocol: allowed are words of letters and digits, such as my-pip')
    if name in _native.names()["protocols"]:
        raise BadInput(f'there is a locking protocol "{name}" already')
    folder = _empty(out, name)
    words = {
        "NAME": name,
        "CRATE": f"schedlab-protocol-{name}",
        "MODULE": f"schedlab_protocol_{name.replace('-', '_')}",
        "TYPE": "".join(part.capitalize() for part in name.split("-")),
        "VERSION": _native.__version__,
        "PYO3": _native.PYO3_VERSION,
        "FOLDER": folder.name,
    }
    return _make(folder, folder / "src" / "protocol.rs", _templates() / "protocol", words, _library(library))


def _empty(out: Path | str | None, name: str) -> Path:
    folder = Path(out) if out is not None else Path(name.lower())
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder}: there is something already")
    return folder


def _make(folder: Path, edit: Path, templates: Traversable, words: dict[str, str], source: Path | None) -> NewPolicy:
    for crate in ("model", "policy", "lock", "lab", "native", "report", "scenario"):
        words[f"DEPENDENCY_{crate.upper()}"] = _dependency(source, crate)
    made = []
    for template in sorted(templates.iterdir(), key=lambda entry: entry.name):
        if template.name.endswith(".in"):
            path = folder / template.name.removesuffix(".in").replace("--", "/")
            write_whole(path, _filled(template.read_text(encoding="utf-8"), words))
            made.append(path)
    if source is not None and (source / "Cargo.lock").is_file():
        # The same versions of everything else as schedlab itself, without asking a registry.
        shutil.copyfile(source / "Cargo.lock", folder / "Cargo.lock")
        made.append(folder / "Cargo.lock")
    return NewPolicy(folder, edit, tuple(made))


def _checked(name: str) -> str:
    upper = name.upper()
    if not re.fullmatch(r"[GCP](-[A-Z][A-Z0-9]*)+", upper):
        raise BadInput(
            f'"{name}" is no name for a scheduler: allowed are G- (global), C- (clustered) or P- (partitioned) and a '
            "word of letters and digits, such as G-LLF"
        )
    if _native.is_scheduler(upper):
        raise BadInput(f'there is a scheduler "{upper}" already')
    return upper


def _templates() -> Traversable:
    return files("schedlab") / "templates"


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub(r"@([A-Z0-9_]+)@", lambda found: words[found[1]], text)


def _library(given: Path | str | None) -> Path | None:
    """The checkout to build against, or None: then the published sources of this version."""
    if given is not None:
        if not (Path(given) / "crates" / "policy" / "Cargo.toml").is_file():
            raise BadInput(f"{given}: not a checkout of schedlab: it has no crates/policy")
        return Path(given).resolve()
    checkout = Path(schedlab.__file__).resolve().parents[2]
    return checkout if (checkout / "crates" / "policy" / "Cargo.toml").is_file() else None


def _dependency(source: Path | None, crate: str) -> str:
    if source is None:
        return f'git = "{_native.REPOSITORY}", tag = "v{_native.__version__}"'
    path = str(source / "crates" / crate).replace("\\", "\\\\").replace('"', '\\"')
    return f'path = "{path}"'
