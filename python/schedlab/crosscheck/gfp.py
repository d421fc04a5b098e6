"""Family `gfp`: tests for global fixed priorities."""

from __future__ import annotations

from schedlab import _native
from schedlab.crosscheck.records import Test, Tests, by_priority, response_times


def _bounds(name: str) -> Test:
    return lambda record: response_times(_native.global_fp_responses(name, by_priority(record), record["m"]))


TESTS: Tests = {
    **{name: _bounds(name) for name in ("guan", "bertogna_slack", "bertogna_noslack")},
    # On one processor, bounds are null from the first task on that misses.
    "uni_rta": lambda record: response_times(_native.busy_windows(by_priority(record), None, None)),
}
