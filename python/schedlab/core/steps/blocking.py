"""Blocking: the sections that may block a job, and the sections of others that add to a bound."""

from __future__ import annotations

from schedlab.base.durations import duration
from schedlab.core.steps.lines import Computation, Group, Line, Part, Times, tex_text
from schedlab.outputs.results import SummedBlocking, SummedDelay

#: Reason why the sum by task stands where textbooks take the minimum of two sums.
_NOT_BY_RESOURCE = (
    "; the sum by resource bounds nothing here: a lock that goes to a waiting job at once may block twice"
)


def of_blocking(found: SummedBlocking) -> Computation:
    number = Times(term["length_ns"] for term in found["terms"])
    lines = []
    for resource in dict.fromkeys(term["resource"] for term in found["terms"]):
        of_it = [term for term in found["terms"] if term["resource"] == resource]
        parts = [Part(number(term["length_ns"]), number(term["length_ns"]), "", term["name"]) for term in of_it]
        counting = [f"{number(term['length_ns'])} of {term['name']}" for term in of_it if term["counts"]]
        told = f"counts: {', '.join(counting)}" if counting else "none counts"
        lines.append(Line(resource, f"\\text{{{tex_text(resource)}}}", parts, "", told, f"\\text{{{tex_text(told)}}}"))
    rule = {
        "longest": "B = the longest section of less urgent tasks that may block",
        "longest_of_each_task": "B = sum of the longest section of each less urgent task that may block",
    }[found["rule"]]
    result = f"B = {number(found['total_ns'])} {number.unit}" if found["terms"] else ""
    counted = sum(term["counts"] for term in found["terms"])
    if found["rule"] == "longest_of_each_task" and counted > 1:
        result += _NOT_BY_RESOURCE
    given = f"by resource, times in {number.unit}" if found["terms"] else "no section may block"
    head = f"{found['name']} is blocked for {duration(found['total_ns'])}"
    return Computation(
        head, None, rule, f"\\text{{{rule}}}", number.unit, given, [Group(lines, result=result)], is_part=True
    )


#: By cause of a delay: what it is called beside its task.
_CAUSES = {
    "waiting": "waited for",
    "ahead_of_holder": "ahead of the holder",
    "holder_kept_off": "holder kept off",
    "arrival": "on arrival",
    "arrival_spinning": "spun for on arrival",
    "kept_off": "keeps it off",
}


def of_delay(found: SummedDelay) -> Computation:
    """Returns the sections of others that delay a job of a task, by resource, with how often each counts."""
    number = Times(term["length_ns"] for term in found["terms"])
    lines = []
    for resource in dict.fromkeys(term["resource"] for term in found["terms"]):
        of_it = [term for term in found["terms"] if term["resource"] == resource]
        parts = []
        for term in of_it:
            length, count = number(term["length_ns"]), term["count"]
            text, tex = (length, length) if count == 1 else (f"{count}·{length}", f"{count} \\cdot {length}")
            whose = f"{term['name']}, {_CAUSES[term['cause']]}"
            parts.append(Part(text, tex, number(term["total_ns"]), whose))
        total = number(sum(term["total_ns"] for term in of_it))
        lines.append(Line(resource, f"\\text{{{tex_text(resource)}}}", parts, total))
    total_ns = found["total_ns"]
    if total_ns is None:
        head, result = f"no bound is found on the delay of {found['name']} by sections of others", ""
    else:
        head = f"{found['name']} is delayed by sections of others for {duration(total_ns)}"
        result = f"B = {number(total_ns)} {number.unit}" if found["terms"] else ""
    given = f"by resource, times in {number.unit}" if found["terms"] else "no section delays it"
    rule = "B = sum of the sections that delay a job, each as often as it counts"
    tex_rule = f"\\text{{{rule}}}"
    groups = [Group(lines, result=result)]
    return Computation(head, None, rule, tex_rule, number.unit, given, groups, is_part=True)
