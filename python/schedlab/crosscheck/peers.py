"""Values of peers that are wrong or missing though their records dispute nothing; docs/peers.md has the proofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from schedlab.crosscheck import gedf, locking, np_jitter, overheads


def explained(family: str, test: str, record: Mapping[str, Any], theirs: Any) -> bool:
    """True if a disagreement about this result is their fault, by a proof in docs/peers.md."""
    if family == "locking" and test == "lp.lp_mpcp":
        ours = locking.TESTS[test](record)
        return all(their == our or _stopped_early(record, index, their, our)
                   for index, (their, our) in enumerate(zip(theirs, ours, strict=True)))  # fmt: skip
    if family == "overheads" and test in overheads.TESTS:
        return bool(theirs == overheads.in_floats(test, record))
    if family == "gedf" and test in ("bar", "la", "any_default"):
        return theirs is True and gedf.is_let_through(test, record)
    if family == "np_jitter" and test in np_jitter.TESTS:
        return np_jitter.is_looser(test, record, theirs)
    fair_lateness = family == "gedf" and test in ("srt.gel_gfl_response", "srt.gel_gfl_priority_points")
    # Their sum of floating-point utilizations exceeds m, so that they take the system for overloaded.
    return fair_lateness and theirs is None and _utilization(record) == record["m"]


def _utilization(record: Mapping[str, Any]) -> Fraction:
    return sum((Fraction(cost, period) for cost, period, _ in record["tasks"]), Fraction(0))


def _stopped_early(record: Mapping[str, Any], index: int, theirs: int, ours: int | None) -> bool:
    """True if their iteration of a request's waiting ends before its fixed point.

    It does if the next value is beyond the response time, and if a less urgent section of one unit begins it.
    """
    limit = record["pending_interval"][index]
    ends = [values[-1] > limit or (values[0] == 1 and len(values) > 1) for values in _waiting(record, index)]
    return (ours is None or ours > theirs) and any(ends)


def _waiting(record: Mapping[str, Any], index: int) -> Iterator[list[int]]:
    """Yields for each request of the task the iteration's values up to the fixed point or the first too large one."""
    responses, partition = record["pending_interval"], record["partition"]
    users: dict[int, dict[int, tuple[int, int]]] = {}
    for task, rows in enumerate(record["requests"]):
        for resource, writes, write_length, reads, read_length in rows:
            length = max(write_length if writes else 0, read_length if reads else 0)
            users.setdefault(resource, {})[task] = (writes + reads, length)

    def ceiling(resource: int, processor: int) -> int:
        return min((task for task in users[resource] if partition[task] != processor), default=len(partition))

    def span(task: int, resource: int) -> int:
        here, own = partition[task], ceiling(resource, partition[task])
        longest: dict[int, int] = {}
        for other, requests in users.items():
            for user, (_, length) in requests.items():
                if user != task and partition[user] == here and ceiling(other, here) <= own:
                    longest[user] = max(length, longest.get(user, 0))
        return users[resource][task][1] + sum(longest.values())

    for resource, requests in users.items():
        if index not in requests:
            continue
        lower = max((span(task, resource) for task in requests if task > index), default=0)
        values = [lower]
        while values[-1] <= responses[index]:
            following = lower + sum(
                span(task, resource) * count * -(-(values[-1] + responses[task]) // record["tasks"][task][1])
                for task, (count, _) in requests.items()
                if task < index
            )
            if following == values[-1]:
                break
            values.append(following)
        yield values
