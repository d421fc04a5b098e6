"""The version of all that is released, and the notes of a release.

python tools/release.py check [TAG]    all places state one version, which the changelog has; TAG (v0.1.0) is it
python tools/release.py set VERSION    writes the version, and today's date into the changelog
python tools/release.py notes          prints the changelog's section about the version
"""

import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = r"\d+\.\d+\.\d+"
#: Where a version stands: the text before it, by file. A file of crates has it for each.
PLACES = {
    "Cargo.toml": (r'^version = "', r'^schedlab-[\w-]+ = \{ path = "[\w/-]+", version = "'),
    "Cargo.lock": (r'^name = "schedlab(?:-[\w-]+)?"\nversion = "',),
    "CITATION.cff": (r"^version: ",),
}
HEADING = rf"^## \[({VERSION}|Unreleased)\](.*)$"


def stated(root: Path) -> dict[str, set[str]]:
    """Returns which versions each file states."""
    found: dict[str, set[str]] = {}
    for name, places in PLACES.items():
        text = (root / name).read_text(encoding="utf-8")
        for place in places:
            versions = re.findall(f"(?:{place})({VERSION})", text, re.MULTILINE)
            if not versions:
                sys.exit(f"{name}: nothing matches {place}; mend PLACES in tools/release.py")
            found.setdefault(name, set()).update(versions)
    return found


def check(root: Path, tag: str | None = None) -> str:
    """Returns the one version that all places state; exits with the places that differ."""
    found = stated(root)
    versions = set().union(*found.values())
    if len(versions) > 1:
        told = "; ".join(f"{name} has {', '.join(sorted(versions))}" for name, versions in found.items())
        sys.exit(f"versions differ: {told}; `python tools/release.py set VERSION` writes one everywhere")
    [version] = versions
    if tag is not None and tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but the version is {version}")
    notes(root, version)
    return version


def notes(root: Path, version: str) -> str:
    """Returns the changelog's section about a version; exits if there is none, or no date."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    for found in re.finditer(HEADING, text, re.MULTILINE):
        if found[1] == version:
            if not re.fullmatch(r" - \d{4}-\d{2}-\d{2}", found[2]):
                sys.exit(f"CHANGELOG.md: the heading of {version} has no date; `python tools/release.py set {version}`")
            rest = text[found.end() :]
            following = re.search(HEADING, rest, re.MULTILINE)
            return rest[: following.start() if following else None].strip() + "\n"
    sys.exit(f"CHANGELOG.md has no section about {version}")


def write(root: Path, version: str) -> None:
    """Writes the version into all places, and dates its section of the changelog."""
    if not re.fullmatch(VERSION, version):
        sys.exit(f"{version}: a version is three numbers, such as 0.2.0")
    stated(root)
    for name, places in PLACES.items():
        path = root / name
        text = path.read_text(encoding="utf-8")
        for place in places:
            text = re.sub(f"({place}){VERSION}", rf"\g<1>{version}", text, flags=re.MULTILINE)
        path.write_text(text, encoding="utf-8")
    path = root / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    first = re.search(HEADING, text, re.MULTILINE)
    if first is None or first[1] not in ("Unreleased", version):
        sys.exit('CHANGELOG.md: its first section is neither "## [Unreleased]" nor about this version')
    dated = f"## [{version}] - {datetime.date.today()}"
    path.write_text(text[: first.start()] + dated + text[first.end() :], encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["check"]:
            print(check(ROOT))
        case ["check", tag]:
            print(check(ROOT, tag))
        case ["set", version]:
            write(ROOT, version)
        case ["notes"]:
            print(notes(ROOT, check(ROOT)), end="")
        case _:
            sys.exit(__doc__)
