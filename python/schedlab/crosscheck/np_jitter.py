"""Family `np_jitter`: completion times of non-preemptive jobs, with release jitter and varying costs.

On several processors, values are those of the published rule, which merges states whenever it may.
"""

from __future__ import annotations

from typing import Any

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests


def is_looser(test: str, record: Record, theirs: Any) -> bool:
    """True if our own bounds on several processors are within theirs, or prove what theirs do not.

    The published rule leaves open which states merge first, and bounds depend on it (docs/peers.md).
    """
    ours = _explored(test, record, published=False)
    if record["m"] == 1 or not ours["schedulable"]:
        return False
    if not theirs["schedulable"]:
        return True
    if len(theirs["completion"]) != len(ours["completion"]):
        return False
    rows = zip(theirs["completion"], ours["completion"], strict=True)
    return all(their[:2] == our[:2] and their[2] <= our[2] and our[3] <= their[3] for their, our in rows)


def _explored(test: str, record: Record, *, published: bool) -> dict[str, Any]:
    found = _native.explored_completions(record, test.startswith("NP-EDF"), published)
    completion = None if found is None else sorted(list(row) for row in found)
    return {"completion": completion, "schedulable": found is not None}


def _explore(test: str) -> Test:
    return lambda record: _explored(test, record, published=True)


TESTS: Tests = {test: _explore(test) for test in ("NP-EDF", "NP-RM", "NP-EDF/-m1", "NP-RM/-m1")}
