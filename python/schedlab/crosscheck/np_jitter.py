"""Family `np_jitter`: when non-preemptive jobs may complete, with release jitter and varying costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schedlab import _native

Record = Mapping[str, Any]


def _explore(edf: bool) -> Callable[[Record], dict[str, Any]]:
    def test(record: Record) -> dict[str, Any]:
        others = list(zip(record["bcet"], record["offsets"], record["jitter"], strict=True))
        end = record["hyperperiod"] + max(record["offsets"])
        found = _native.explored_completions(record["m"], record["tasks"], others, end, edf)
        completion = None if found is None else sorted(list(row) for row in found)
        return {"completion": completion, "schedulable": found is not None}

    return test


TESTS: Mapping[str, Callable[[Record], Any]] = {
    f"{policy}{suffix}": _explore(policy == "NP-EDF") for policy in ("NP-EDF", "NP-RM") for suffix in ("", "/-m1")
}
