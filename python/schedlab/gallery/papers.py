"""The figures and tables of the papers in order, and the studies that redraw them: `papers.toml` beside the studies."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from schedlab.studies.catalog import study_folders
from schedlab.studies.errors import StudyError


@dataclass(frozen=True)
class Item:
    """A figure or a table. Without studies, it has the reason: the paper shows no result, or nothing redraws it yet."""

    name: str
    about: str
    studies: tuple[str, ...] = ()
    no_result: str = ""
    missing: str = ""
    #: The study that draws it, beside figures of its own, if it was given a file of overheads.
    with_overheads: str = ""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.studies, self.no_result, self.missing, self.with_overheads))) != 1:
            raise StudyError(f"papers.toml: {self.name}: give one of studies, no_result, missing and with_overheads")

    @property
    def anchor(self) -> str:
        """The item's name in a page's address."""
        return self.name.lower().replace(" ", "-")


@dataclass(frozen=True)
class Paper:
    """A paper and its items; `name` is the name of its folder of studies."""

    name: str
    title: str
    authors: str
    published: str
    items: tuple[Item, ...]


def read_papers() -> list[Paper]:
    """Reads the papers, the oldest first."""
    for folder in study_folders():
        told = tomllib.loads((folder / "papers.toml").read_text(encoding="utf-8"))
        return [Paper(**{**paper, "items": tuple(map(_item, paper["items"]))}) for paper in told["paper"]]
    return []


def _item(told: dict[str, Any]) -> Item:
    return Item(**told | {"studies": tuple(told.get("studies", ()))})
