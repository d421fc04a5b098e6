"""Families `proto_uni` and `proto_multi`: schedules of small task sets under locking protocols, job by job.

Times are whole numbers of any unit: one unit is one nanosecond to us.
"""

from __future__ import annotations

from typing import Any

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests


def _run(record: Record, scheduler: str, protocol: str, cpus: list[int], priorities: list[int]) -> dict[str, Any]:
    names: dict[str, int] = {}
    programs = [
        [(verb, value if verb == "x" else names.setdefault(value, len(names))) for verb, value in program]
        for program in record["programs"]
    ]
    until = record["hyperperiod"] + max(record["offsets"])
    locking = (protocol, priorities, programs)
    finish, longest = _native.completions(
        scheduler, record["m"], record["tasks"], record["offsets"], until, cpus, locking=locking
    )
    return {"finish": sorted(map(list, finish)), "max_spin": longest}


def _uni(scheduler: str, protocol: str) -> Test:
    def test(record: Record) -> dict[str, Any]:
        tasks = range(len(record["tasks"]))
        return {"finish": _run(record, scheduler, protocol, [0 for _ in tasks], list(tasks))["finish"]}

    return test


def _multi(scheduler: str, protocol: str) -> Test:
    return lambda record: _run(record, scheduler, protocol, record["cpu"], record["fp_priority"])


#: Tests on one processor: rate-monotonic priorities (the index), or EDF.
UNI: Tests = {
    "NONE": _uni("P-RM", "none"),
    "PIP": _uni("P-RM", "pip"),
    "PCP": _uni("P-RM", "pcp"),
    "IPCP": _uni("P-RM", "ipcp"),
    "SRP-FP": _uni("P-RM", "srp"),
    "SRP-EDF": _uni("P-EDF", "srp"),
    "NPCS": _uni("P-RM", "npcs"),
}

#: Tests on several processors.
MULTI: Tests = {
    "MSRP-EDF": _multi("P-EDF", "msrp"),
    "MSRP-FP": _multi("P-FP", "msrp"),
    "MPCP": _multi("P-FP", "mpcp"),
}
