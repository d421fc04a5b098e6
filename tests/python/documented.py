"""The documents as tests read them: their blocks of code, what marks say of a block, their links and anchors."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "GLOSSARY.md", "CHANGELOG.md")]
PAGES += sorted(path for path in ROOT.glob("docs/**/*.md") if "site" not in path.parts)

#: Languages of blocks that nothing executes: drawings, output, formulas.
TEXT = "text"


@dataclass(frozen=True)
class Block:
    """A block of code in a page."""

    page: Path
    line: int
    language: str
    code: str
    #: Comments directly above: `not run: REASON`, `not run (WORDS): REASON`, `file: NAME`, `tested by FILE`.
    marks: tuple[str, ...]

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def not_run(self) -> str | None:
        """The reason for which no test executes the block."""
        return self._mark(r"not run: (.+)")

    @property
    def tested_by(self) -> str | None:
        """Another test that executes the block."""
        return self._mark(r"tested by (\S+)")

    @property
    def file(self) -> str | None:
        """The name by which the reader saves the block."""
        return self._mark(r"file: (\S+)")

    @property
    def left_out(self) -> tuple[str, ...]:
        """Words of lines that are not run although the others are."""
        words = self._mark(r"not run \((.+)\): .+")
        return tuple(words.split(", ")) if words else ()

    def _mark(self, pattern: str) -> str | None:
        found = [match[1] for mark in self.marks if (match := re.fullmatch(pattern, mark))]
        return found[0] if found else None

    def commands(self) -> list[str]:
        """The command lines of a block of a shell, without their comments and what follows them as output."""
        lines = re.sub(r" *\\\n *", " ", self.code).splitlines()
        if self.language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        return [command for line in lines if (command := re.split(r"(?:^|\s)#", line)[0].strip())]

    def shown(self) -> list[tuple[str, list[str]]]:
        """The commands of a console, each with the lines that the page shows of its output."""
        parts = re.split(r"^\$ ", self.code, flags=re.MULTILINE)[1:]
        return [(part.splitlines()[0], part.splitlines()[1:]) for part in parts]


def blocks(page: Path) -> list[Block]:
    """The blocks of code of a page, which stand between fences."""
    found, marks = [], []
    lines = page.read_text(encoding="utf-8").splitlines()
    index = 0
    while index < len(lines):
        line = lines[index].strip()
        if fence := re.fullmatch(r"```(\w*)", line):
            end = next(at for at in range(index + 1, len(lines)) if lines[at].strip() == "```")
            code = textwrap.dedent("\n".join(lines[index + 1 : end]) + "\n")
            found.append(Block(page, index + 1, fence[1], code, tuple(marks)))
            index = end
        marks = [*marks, comment[1]] if (comment := re.fullmatch(r"<!-- (.*) -->", line)) else []
        index += 1
    return found


#: All blocks of all pages but drawings and output.
BLOCKS = [block for page in PAGES for block in blocks(page) if block.language != TEXT]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as forges and the site make them."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-"))
    return found


def links(page: Path) -> list[tuple[str, str]]:
    """The links of a page that lead to files: the file, and the anchor in it; both may be empty."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "", text)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return [(path, anchor) for path, _, anchor in (target.partition("#") for target in targets) if "://" not in path]
