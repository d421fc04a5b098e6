"""Sources in Rust as the site quotes them: the comment at the head of a file, and the entries of registries."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: How to read the drawings in comments.
LETTERS = "Where letters draw a schedule, a row is a processor, a column a unit of time, and a letter a task."


def header(path: Path) -> str:
    """Returns the comment at the head of a file as Markdown, without the links that only rustdoc follows."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//!"):
            break
        lines.append(line[3:].removeprefix(" "))
    return plain("\n".join(lines))


def plain(text: str) -> str:
    """Returns rustdoc's Markdown without definitions of links, and with code where rustdoc has a link to an item."""
    text = re.sub(r"^\[`[^\]]+`\]: .*$\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[(`[^`\]]+`)\](?:\([^)]*\))?", r"\1", text)
    text = re.sub(r"\[([^\]]+)\]\([\w:]+::\w+\)", r"\1", text)
    return re.sub(r"`(?:crate|super|schedlab_model)::", "`", text).strip()


def title_and_rest(text: str) -> tuple[str, str]:
    """Returns the first sentence of a header, and what follows it."""
    first, _, rest = text.partition("\n\n")
    return " ".join(first.split()), rest.strip()


def entries(text: str, kind: str, known: dict[str, dict[str, str]] | None = None) -> dict[str, dict[str, str]]:
    """Returns the constants of the type `kind` in a source, each with its fields.

    A constant may take the rest of its fields from another one, of the same source or of those that are `known`.
    """
    found: dict[str, dict[str, str]] = {}
    pattern = rf"(?:const|static) (\w+): {kind} = {kind} \{{\n(.*?)\n\}};"
    for name, body in re.findall(pattern, text, re.DOTALL):
        fields = dict(re.findall(r"^    (\w+):\s+(.*?),?$", body, re.MULTILINE))
        fields |= dict(re.findall(r"^    (\w+):\n        (.*?),$", body, re.MULTILINE))
        base = re.search(r"^    \.\.(\w+)$", body, re.MULTILINE)
        found[name] = ({**(known or {}), **found}[base[1]] if base else {}) | fields
    return found


def text_of(value: str, source: str) -> str:
    """Returns the text that an expression of Rust stands for: a literal, a constant of the same file, or a scheme."""
    if literal := re.fullmatch(r'"(.*)"', value):
        return literal[1]
    if scheme := re.fullmatch(r"Scheme::(\w+)\.name\(\)", value):
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", scheme[1]).lower()
    named = re.search(rf'const {value}: &str = "(.*?)";', source)
    if named is None:
        raise ValueError(f"{value} is no text that this reader knows")
    return named[1]
