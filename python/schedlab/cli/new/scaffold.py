"""`schedlab new`: a scheduler, a locking protocol or a test of one's own, as a crate to build; a study, as a file."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import schedlab
from schedlab import _native
from schedlab.base.files import make_folder, write_whole
from schedlab.errors import BadInput

_SCOPES = {"G": "Global", "C": "Clustered", "P": "Partitioned"}

#: The example of a new scheduler whose processors share a ready queue: two of them.
_DHALL = {
    "EXAMPLE": "The Dhall effect (Dhall and Liu, 1978): two light tasks keep the heavy C waiting, which misses at 11.",
    "TASKS": """\
  { name = "A", wcet = "2 ms", period = "12 ms", deadline = "10 ms" },
  { name = "B", wcet = "2 ms", period = "12 ms", deadline = "10 ms" },
  { name = "C", wcet = "10 ms", period = "12 ms", deadline = "11 ms" },""",
    "BEFORE": '["AACCCCCCCCCC", "BB.........."]',
    "AFTER": '["CCCCCCCCCC..", "AABB........"]',
    "STORY": "Its example is the Dhall effect: C misses its deadline at 11, because A and B go first.",
    "OUTCOME": "C meets its deadline.",
}

#: The example of a new scheduler, by the letter that says which processors share a ready queue.
_EXAMPLES = {
    "G": _DHALL | {"PLATFORM": "{ processors = 2 }"},
    "C": _DHALL | {"PLATFORM": "{ processors = 2, cluster_size = 2 }"},
    "P": {
        "EXAMPLE": "EDF on one processor (Liu and Layland, 1973): the deadline of A is earlier, so A goes first.",
        "PLATFORM": "{ processors = 1 }",
        "TASKS": """\
  { name = "A", wcet = "2 ms", period = "12 ms", deadline = "7 ms" },
  { name = "B", wcet = "5 ms", period = "12 ms", deadline = "8 ms" },""",
        "BEFORE": '["AABBBBB....."]',
        "AFTER": '["BBBBBAA....."]',
        "STORY": "In its example A goes first, because its deadline is earlier.",
        "OUTCOME": "B goes first, and both meet their deadlines.",
    },
}


@dataclass(frozen=True)
class New:
    """The crate that was made."""

    folder: Path
    #: The file to edit.
    edit: Path
    files: tuple[Path, ...]
    #: The sources of schedlab against which the crate builds.
    library: Path


def new_policy(name: str, *, out: Path | str | None = None, library: Path | str | None = None) -> New:
    """Makes a crate with the scheduler `name`, such as G-LLF; the letter states which processors share a queue."""
    upper = name.upper()
    if not re.fullmatch(r"[GCP](-[A-Z][A-Z0-9]*)+", upper):
        raise BadInput(
            f'"{name}" is no name for a scheduler; allowed: G- (global), C- (clustered) or P- (partitioned), then '
            "letters and digits, such as G-LLF"
        )
    if _native.is_scheduler(upper):
        raise BadInput(f'there is a scheduler "{upper}" already')
    words = {"TYPE": _type(upper.split("-")[1:]), "SCOPE": _SCOPES[upper[0]]} | _EXAMPLES[upper[0]]
    return _make("policy", upper, "-", words, out, library)


def new_protocol(name: str, *, out: Path | str | None = None, library: Path | str | None = None) -> New:
    """Makes a crate with the locking protocol `name`, such as `my-pip`."""
    lower = _lower("protocol", name, "-", _native.names()["protocols"])
    return _make("protocol", lower, "-", {"TYPE": _type(lower.split("-"))}, out, library)


def new_test(name: str, *, out: Path | str | None = None, library: Path | str | None = None) -> New:
    """Makes a crate with the test of schedulability `name`, such as `my_density`."""
    return _make("test", _lower("test", name, "_", _native.names()["tests"]), "_", {}, out, library)


def new_study(name: str, *, out: Path | str | None = None) -> Path:
    """Makes the file of a study of one's own, and returns its path: `NAME.py` in the current folder, or ``out``."""
    if not re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", name):
        raise BadInput(
            f'"{name}" is no name for a study; allowed: words of small letters and digits, with - or _ between, such '
            "as my-study"
        )
    path = Path(out) if out is not None else Path(f"{name}.py")
    if path.suffix != ".py":
        raise BadInput(f"{path}: a study is one file; allowed: a name that ends in .py")
    if hidden := {name, path.stem} & {*sys.stdlib_module_names, *keyword.kwlist, "schedlab"}:
        raise BadInput(
            f'"{hidden.pop()}" is a module or a word of Python, or this package, which the file would hide; '
            "allowed: another name, such as my-study"
        )
    if path.exists():
        raise BadInput(f"{path}: there is something already")
    template = files("schedlab") / "templates" / "study" / "study.py.in"
    make_folder(path.parent)
    write_whole(path, _filled(template.read_text(encoding="utf-8"), {"NAME": name}))
    return path


def _lower(kind: str, name: str, joint: str, known: list[str]) -> str:
    lower = name.lower()
    if not re.fullmatch(rf"[a-z][a-z0-9]*({joint}[a-z0-9]+)*", lower):
        raise BadInput(
            f'"{name}" is no name for a {kind}: allowed are words of letters and digits, such as my{joint}own'
        )
    if lower in known:
        raise BadInput(f'there is a {kind} "{lower}" already')
    return lower


def _type(words: list[str]) -> str:
    return "".join(word.capitalize() for word in words)


def _empty(out: Path | str | None, name: str) -> Path:
    folder = Path(out) if out is not None else Path(name.lower())
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder}: there is something already")
    return folder


def _make(
    kind: str, name: str, joint: str, words: dict[str, str], out: Path | str | None, library: Path | str | None
) -> New:
    folder, source = _empty(out, name), _library(library)
    words |= {
        "NAME": name,
        "CRATE": f"schedlab-{kind}-{name.lower().replace(joint, '-')}",
        "MODULE": f"schedlab_{kind}_{name.lower().replace(joint, '_')}",
        "VERSION": _native.__version__,
        "PYO3": _native.PYO3_VERSION,
        "FOLDER": folder.name,
        "LIBRARY": str(source),
        "PROFILES": (files("schedlab") / "templates" / "profiles.toml").read_text(encoding="utf-8"),
    }
    for crate in ("model", "policy", "lock", "analysis", "lab", "native", "report", "runtime", "scenario"):
        words[f"DEPENDENCY_{crate.upper()}"] = _dependency(source, crate)
    templates = files("schedlab") / "templates" / kind
    made = []
    for template in sorted(templates.iterdir(), key=lambda entry: entry.name):
        if template.name.endswith(".in"):
            path = folder / template.name.removesuffix(".in").replace("--", "/")
            make_folder(path.parent)
            write_whole(path, _filled(template.read_text(encoding="utf-8"), words))
            made.append(path)
    # The crate uses the same versions of all other crates as schedlab itself.
    shutil.copyfile(source / "Cargo.lock", folder / "Cargo.lock")
    made.append(folder / "Cargo.lock")
    return New(folder, folder / "src" / f"{kind}.rs", tuple(made), source)


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub(r"@([A-Z0-9_]+)@", lambda found: words[found[1]], text)


def _library(given: Path | str | None) -> Path:
    """Returns the sources to build against: those given, else those of this package."""
    if given is not None:
        if not _is_library(Path(given)):
            raise BadInput(f"{given}: not a checkout of schedlab: it has no crates/policy")
        return Path(given).resolve()
    package = Path(schedlab.__file__).resolve().parent
    # A wheel contains the sources; a checkout has them beside the package.
    found = next(filter(_is_library, [package / "_sources", package.parents[1]]), None)
    if found is None:
        raise BadInput(f"{package}: this schedlab has no sources to build against; name a checkout with --library")
    return found


def _is_library(folder: Path) -> bool:
    return (folder / "crates" / "policy" / "Cargo.toml").is_file()


def _dependency(library: Path, crate: str) -> str:
    path = str(library / "crates" / crate).replace("\\", "\\\\").replace('"', '\\"')
    return f'path = "{path}"'
