"""Family `pfair`: the tasks that run in each slot. A slot is a bit mask of task indices."""

from __future__ import annotations

from typing import Any

from schedlab.crosscheck.records import Record, Test, Tests
from schedlab.crosscheck.schedules import simulated, slots
from schedlab.errors import BadInput
from schedlab.lines.json_lines import is_whole


def _test(scheduler: str) -> Test:
    def test(record: Record) -> list[int]:
        weights, until = record.get("weights"), record.get("H")
        if not (is_whole(until) and isinstance(weights, list) and all(map(_is_weight, weights))):
            raise BadInput(f'{record["id"]}: "weights" is a list of [quanta, slots], "H" a number of slots')
        # A quantum is one unit of time here, so that a weight e/p is a cost of e every p.
        tasks = [[quanta, period, period] for quanta, period in weights]
        schedule = simulated({**record, "tasks": tasks}, scheduler, until, 'platform.quantum = "1 ns"')
        return slots(schedule, until, 1)

    return test


def _is_weight(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_whole, value))


TESTS: Tests = {
    "pd2_slots": _test("PD2"),
    "pf_slots": _test("PF"),
    "erpd2_slots": _test("ER-PD2"),
}
