"""What verdicts say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from schedlab import _native
from schedlab.outputs.results import Conclusion


def conclusion(verdicts: Iterable[Mapping[str, Any]]) -> Conclusion:
    """By kind the strongest answer of `verdicts` (plain values), and the tests that give it."""
    return _native.conclude([(one["kind"], one["answer"], one["test"]) for one in verdicts])
