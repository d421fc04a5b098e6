"""Mutants: changed algorithms or results that would refute a claim, as changes of stored results.

A claim that no result could refute is none. So each claim names a mutant, and a test feeds the claim with the results
that the mutant would have had. Schedulers and tests of a study judge the same sets, each in columns of its own. So the
results of an algorithm that decides like another one are those of the other's columns: nothing has to be simulated
again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from schedlab.studies.results import Results

Row = dict[str, Any]


@dataclass(frozen=True)
class Mutant:
    """What would refute a claim, in words, and the change that it makes to results."""

    words: str
    #: None of a study that measures: its tests make results up.
    change: Callable[[Results], Results] | None = None

    def of(self, results: Results) -> Results:
        """Returns what the results would have been."""
        assert self.change is not None, f"made up by a test alone: {self.words}"
        return self.change(results)


def described(words: str) -> Mutant:
    """Returns the mutant of a study that measures: in words alone."""
    return Mutant(words)


def by_row(words: str, changed: Callable[[Row], Mapping[str, Any]]) -> Mutant:
    """Returns the mutant that changes each row: ``changed`` returns the new values of columns, by name."""

    def change(results: Results) -> Results:
        rows = [{**row, **changed(row)} for row in results.table.to_pylist()]
        return Results(pa.Table.from_pylist(rows, schema=results.table.schema), results.provenance)

    return Mutant(words, change)


def answering(words: str, answer: bool, *names: str, where: Callable[[Row], bool] = lambda _: True) -> Mutant:
    """Returns the mutant that gives one answer for every set, in the columns of these names.

    Columns of a name are the one that has it, and those of its variants: "PCP, keep", "G-EDF met with decisions".
    A set that has no answer keeps none.
    """

    def changed(row: Row) -> Row:
        of_names = (name for name in row if is_named(name, names))
        return {name: answer for name in of_names if row[name] is not None} if where(row) else {}

    return by_row(words, changed)


def loses(words: str, *names: str, where: Callable[[Row], bool] = lambda _: True) -> Mutant:
    """Returns the mutant whose answers in the columns of these names are false for every set."""
    return answering(words, False, *names, where=where)


def wins(words: str, *names: str, where: Callable[[Row], bool] = lambda _: True) -> Mutant:
    """Returns the mutant whose answers in the columns of these names are true for every set."""
    return answering(words, True, *names, where=where)


def scaled(words: str, factor: float, *names: str, where: Callable[[Row], bool] = lambda _: True) -> Mutant:
    """Returns the mutant whose numbers in the columns of these names are so many times as large."""

    def changed(row: Row) -> Row:
        of_names = (name for name in row if is_named(name, names))
        return (
            {name: type(row[name])(factor * row[name]) for name in of_names if row[name] is not None}
            if where(row)
            else {}
        )

    return by_row(words, changed)


def renamed(words: str, column: str, new: Mapping[Any, Any]) -> Mutant:
    """Returns the mutant whose rows stand under other values of a column: two schedulers exchanged, for example."""
    return by_row(words, lambda row: {column: new.get(row[column], row[column])})


def both(*mutants: Mutant) -> Mutant:
    """Returns the mutant that makes the changes of several, one after the other; its words are those of the first."""

    def change(results: Results) -> Results:
        for mutant in mutants:
            results = mutant.of(results)
        return results

    return Mutant(mutants[0].words, change)


def is_named(column: str, names: tuple[str, ...]) -> bool:
    """Returns whether a column has one of these names, or is a variant of one that has."""
    return any(column == name or column.startswith((f"{name},", f"{name} with")) for name in names)
