"""Conclusions from several verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from schedlab import _native
from schedlab.outputs.results import Conclusion


def conclusion(verdicts: Iterable[Mapping[str, Any]]) -> Conclusion:
    """Returns by kind the strongest answer of `verdicts` (plain values), and the tests that give it.

    If no test alone decides, names the tests whose bounds on tasks decide together.
    """
    given = [(one["kind"], one["answer"], one["test"], one["tardiness_bounds_ns"]) for one in verdicts]
    return _native.conclude(given)


def deciding(kind: str, verdicts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns the first test that alone gives a kind's strongest answer; if none does, those that give it together."""
    found = conclusion(verdicts)["hard" if kind == "hard" else "soft"]
    if found is None:
        return []
    # Deadlines that are met bound tardiness.
    alone = {one["test"] for one in verdicts if one["answer"] == found["answer"] and one["kind"] in ("hard", kind)}
    return found["tests"][:1] if alone.intersection(found["tests"]) else found["tests"]
