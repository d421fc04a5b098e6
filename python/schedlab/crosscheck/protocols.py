"""Families `proto_uni` and `proto_multi`: schedules of small task sets under locking protocols, job by job."""

from __future__ import annotations

import json
from typing import Any

from schedlab.core.schedule import Schedule
from schedlab.crosscheck.records import Record, Test, Tests
from schedlab.crosscheck.schedules import finish, simulated

_VERBS = {"L": "request", "U": "release"}


def _simulated(record: Record, scheduler: str, protocol: str, **of_task: Any) -> Schedule:
    programs = record["programs"]
    resources = sorted({value for program in programs for verb, value in program if verb != "x"})
    settings = [f'protocol = "{protocol}"', *(f"[[resource]]\nname = {json.dumps(name)}" for name in resources)]
    until = record["hyperperiod"] + max(record["offsets"])
    steps = [json.dumps([_step(*step) for step in program]) for program in programs]
    return simulated(record, scheduler, until, *settings, program=steps, **of_task)


def _step(verb: str, value: Any) -> str:
    return f"execute {value} ns" if verb == "x" else f"{_VERBS[verb]} {value}"


def _uni(scheduler: str, protocol: str) -> Test:
    return lambda record: {"finish": finish(_simulated(record, scheduler, protocol).jobs)}


def _multi(scheduler: str, protocol: str) -> Test:
    def test(record: Record) -> dict[str, Any]:
        of_task = {"priority": record["fp_priority"]} if scheduler == "P-FP" else {}
        schedule = _simulated(record, scheduler, protocol, processor=record["cpu"], **of_task)
        spins = [end - begin for *_, begin, end in schedule.drawing()["spinning"]]
        return {"finish": finish(schedule.jobs), "max_spin": max(spins, default=0)}

    return test


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
