"""Studies: points, a function that evaluates some sets of a point, a plot and claims."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab._native import whole_overheads
from schedlab.core import display
from schedlab.studies.claims import Claim
from schedlab.studies.errors import StudyError
from schedlab.studies.looks import Looks
from schedlab.studies.seeds import derive_seed
from schedlab.studies.settings import Parameter, Settings, read_settings
from schedlab.studies.values import Scalar as Scalar

if TYPE_CHECKING:
    from schedlab.studies.results import Results

Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Point:
    """One point of a study's grid: named parameters that all its sets share."""

    parameters: Mapping[str, Scalar]

    @cached_property
    def key(self) -> str:
        """The point's name. Seeds depend on it, not on the point's place in the grid, so that a grid may grow."""
        return ",".join(f"{name}={value}" for name, value in self.parameters.items())


@dataclass(frozen=True)
class Unit:
    """The smallest piece of work that is stored at once: the sets from ``first`` up to ``stop`` of a point."""

    point: Point
    first: int
    stop: int
    seed: int
    #: The text of the overheads file that the run was given; empty without one.
    overheads: str = ""
    #: The values of the study's parameters.
    settings: Settings = field(default_factory=Settings)

    @property
    def name(self) -> str:
        """The unit's name among those of a run, under which its rows are stored."""
        return f"{self.point.key}/{self.first:06d}-{self.stop:06d}"

    @property
    def parameters(self) -> Mapping[str, Scalar]:
        """The point's parameters."""
        return self.point.parameters

    @property
    def sets(self) -> range:
        """The indices of the sets to evaluate."""
        return range(self.first, self.stop)

    def set_seed(self, index: int) -> int:
        """Returns the seed of one set, independent of the unit that contains it."""
        return derive_seed(self.seed, index)

    def __str__(self) -> str:
        return f"{self.point.key} sets {self.first}..{self.stop - 1}"


@dataclass(frozen=True)
class Study:
    """A grid of points, with functions to evaluate one, to draw them, and to judge the source's claims.

    ``evaluate(unit)`` returns columns of equal length: one row per set in order, or any number of rows with a column
    ``set``. It must depend on nothing but the unit, unless it measures time; then ``alone`` makes a run evaluate one
    unit at a time, whatever the number of workers. A study that ``takes_overheads`` may be given a file of them
    (``with_overheads``), which its units then carry. Studies of one ``family`` evaluate the same units in the same way,
    by a function of a helper beside them, and share what is stored. ``plot(results, directory)`` returns the files it
    wrote; ``claims(results)`` the paper's claims judged by these results. ``full_points`` are the points of the
    source's own size if that differs by more than the number of sets.

    ``looks`` are the sizes at which a run ``--until-decided`` may stop; it does so at the first at which
    ``undecided(results)`` names nothing.

    ``settable`` are the parameters that a run may change (`with_settings`); its units and results then carry the values
    (``unit.settings[PARAMETER]``). ``regrid(settings)`` returns the points for other values than the defaults, if the
    grid depends on them. Results for changed values are apart from the source's, and its claims are not judged by them.
    """

    name: str
    title: str
    points: Sequence[Point]
    evaluate: Callable[[Unit], Columns]
    plot: Callable[[Results, Path], Sequence[Path]] | None = None
    claims: Callable[[Results], Sequence[Claim]] | None = None
    source: str = ""
    sets: int = 100
    full_sets: int = 1000
    fixed_sets: bool = False
    alone: bool = False
    sets_per_unit: int = 25
    stream: str = ""
    family: str = ""
    full_points: Sequence[Point] = ()
    looks: Looks | None = None
    undecided: Callable[[Results], Sequence[str]] | None = None
    takes_overheads: bool = False
    overheads: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    settable: Sequence[Parameter[Any]] = ()
    regrid: Callable[[Settings], Sequence[Point]] | None = None
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        if not self.points:
            raise StudyError(f"study {self.name!r} has no points")
        for points in (self.points, self.full_points):
            keys = [point.key for point in points]
            if len(set(keys)) < len(keys):
                twice = next(key for key in keys if keys.count(key) > 1)
                raise StudyError(f"study {self.name!r} has the point {twice!r} twice")
        if self.family and not self.evaluate.__module__.rpartition(".")[2].startswith("_"):
            raise StudyError(f"study {self.name!r} is of a family: its function must be that of a helper (_*.py)")
        for number, label in (
            (self.sets, "sets"),
            (self.full_sets, "full_sets"),
            (self.sets_per_unit, "sets_per_unit"),
        ):
            if number < 1:
                raise StudyError(f"study {self.name!r}: {label} is {number}, it must be at least 1")
        if (self.looks is None) != (self.undecided is None):
            raise StudyError(f"study {self.name!r} has only one of looks and undecided")
        names = [one.name for one in self.settable]
        if len(set(names)) < len(names):
            raise StudyError(f"study {self.name!r} has a parameter twice: {', '.join(names)}")
        if self.full_points and self.regrid is not None:
            raise StudyError(f"study {self.name!r}: regrid returns one grid, so full_points cannot be another")

    def at_size(self, full: bool) -> Study:
        """Returns the study with the points of a full or of a usual run."""
        return replace(self, points=self.full_points) if full and self.full_points else self

    def with_overheads(self, file: Path) -> Study:
        """Returns the study with the overheads of a file, as `schedlab measure` writes it, and of those it extends."""
        if not self.takes_overheads:
            raise StudyError(f"study {self.name!r} takes no overheads file")
        return replace(self, overheads=whole_overheads(file))

    def with_settings(self, texts: Mapping[str, str]) -> Study:
        """Returns the study with other values of its parameters, each stated by a text, as `--set` does."""
        settings = read_settings(self.name, self.settable, texts)
        if not settings.changed:
            return self
        points = self.regrid(settings) if self.regrid else self.points
        return replace(self, settings=settings, points=points)

    def _repr_html_(self) -> str:
        return display.html(self)

    @property
    def folder(self) -> str:
        """The name of the folder of the results: the study's, and the changed parameters."""
        return self.name + self.settings.folder

    @property
    def changes(self) -> str:
        """The parameters that differ from the source, in words; empty if none does."""
        whose = "the paper's" if self.source else "the study's"
        return "; ".join(
            f"{one.name} {one.shown(self.settings[one])} instead of {whose} {one.shown(one.default)}"
            for one in self.settable
            if one.name in self.settings.changed
        )

    @property
    def full_title(self) -> str:
        """The title, and what differs from the source."""
        return f"{self.title}; but {self.changes}" if self.changes else self.title

    def surroundings(self) -> dict[str, Any]:
        """Returns what results depend on besides the code, the seed and the sets: nothing, unless they are measured."""
        return {}

    @contextmanager
    def session(self) -> Iterator[None]:
        """Holds what evaluation needs while the block runs; nothing, unless units are measured."""
        yield

    def columns(self, unit: Unit) -> Columns:
        """Returns what is stored of a unit besides its point and its sets."""
        return self.evaluate(unit)

    def point_seed(self, point: Point, seed: int) -> int:
        """Returns the seed of a point. Studies that name the same ``stream`` see the same sets at equal points."""
        return derive_seed(seed, self.stream or self.family or self.name, point.key)

    def units(self, sets: int, seed: int) -> list[Unit]:
        """Returns the units, cut at fixed places so that a run with more sets reuses what a shorter one stored."""
        return [
            Unit(
                point, first, min(first + self.sets_per_unit, sets), self.point_seed(point, seed), self.overheads,
                self.settings,
            )
            for point in self.points
            for first in range(0, sets, self.sets_per_unit)
        ]  # fmt: skip


def grid(**axes: Sequence[Scalar]) -> list[Point]:
    """Returns every combination of the axes' values, the last axis fastest."""
    names = list(axes)
    return [Point(dict(zip(names, values, strict=True))) for values in itertools.product(*axes.values())]
