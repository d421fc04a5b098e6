"""The reference of the Python package, from its docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

#: Modules that users import, and what each is for.
MODULES = {
    "schedlab": "Scenarios, schedules, analyses and comparisons",
    "schedlab.measures": "Measures of many task sets",
    "schedlab.membus": "Waiting for memory",
    "schedlab.runtime": "Real runs",
    "schedlab.schemas": "Schemas and names",
    "schedlab.examples": "The examples",
    "schedlab.plots": "Plots for papers",
    "schedlab.widgets": "Sliders in notebooks",
    "schedlab.studies": "Studies",
    "schedlab.studies.batch": "Batches of task sets",
    "schedlab.studies.knee": "Knees of curves",
    "schedlab.studies.bootstrap": "Bootstrap intervals",
    "schedlab.studies.looks": "Sizes that decide",
    "schedlab.errors": "Exceptions",
}


def write(folder: Path) -> dict[str, dict[str, str]]:
    """Writes a page for each module, for autodoc; returns what each page is about, by its name."""
    folder.mkdir(parents=True)
    for name, title in MODULES.items():
        head = f"{name}: {title[0].lower()}{title[1:]}"
        lines = [head, "=" * len(head), "", f".. automodule:: {name}", "   :no-members:", ""]
        for member in _members(name):
            kind = "class" if inspect.isclass(getattr(importlib.import_module(name), member)) else "function"
            lines += [f".. auto{kind}:: {name}.{member}", *(["   :members:"] if kind == "class" else []), ""]
        (folder / f"{name}.rst").write_text("\n".join(lines), encoding="utf-8")
    return {"": {name: f"`{name}`: {title[0].lower()}{title[1:]}" for name, title in MODULES.items()}}


def _members(name: str) -> list[str]:
    """Returns the public classes and functions of a module: those of its `__all__`, else those that it defines."""
    module = importlib.import_module(name)
    named = getattr(module, "__all__", None) or [key for key, value in vars(module).items()
                                                 if getattr(value, "__module__", None) == name]  # fmt: skip
    if name == "schedlab.plots":
        named = [key for key in vars(module) if not key.startswith("_")]
    public = [key for key in named if not key.startswith("_")]
    return sorted(key for key in public if callable(getattr(module, key)) or inspect.isclass(getattr(module, key)))


def as_rst(lines: list[str]) -> list[str]:
    """Returns a docstring, which is written as Markdown, as what reStructuredText reads alike."""
    text = re.sub(
        r"(?<!`)`([^`\n]+)`(?![`_])(\w?)",
        lambda found: f"``{found[1]}``" + (f"\\ {found[2]}" if found[2] else ""),
        "\n".join(lines),
    )
    text = re.sub(r"(?<![*\w`])\*(?=\w)", r"\\*", text)
    text = re.sub(r"(?<=\w)\|(?=\w)|(?<=\s)\|(?=\w)", r"\\|", text)
    # A list begins after an empty line, and so does a paragraph after it.
    text = re.sub(r"([^\n])\n(\s*[*-] )", r"\1\n\n\2", text)
    return text.split("\n")
