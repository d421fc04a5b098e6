"""Schedulers written in Python: the same interface, the same invariants, exceptions that arrive."""

from __future__ import annotations

import pytest

import schedlab
from conftest import MS, ROOT, dhall, easy
from schedlab.policy import load_policy


class Edf(schedlab.Policy):
    """G-EDF again, in Python."""

    promises = ("work_conserving", "respects_priority")

    def decide(self, now, jobs, out):
        out.run(sorted(jobs.ready(), key=lambda job: (job.absolute_deadline_ns, job.id)))


class PartitionedEdf(Edf):
    scope = "partitioned"


@pytest.mark.parametrize("scenario", [dhall(), easy(), dhall(3)], ids=repr)
def test_edf_in_python_is_edf(scenario):
    ours = schedlab.simulate(scenario, scheduler=Edf)
    theirs = schedlab.simulate(scenario, scheduler="G-EDF")
    assert list(ours.jobs) == list(theirs.jobs)
    assert list(ours.segments()) == list(theirs.segments())
    assert all(found.holds for found in ours.check())


def test_a_partitioned_policy_is_one_value_per_processor():
    scenario = easy()
    ours = schedlab.simulate(scenario, scheduler=PartitionedEdf)
    assert list(ours.jobs) == list(schedlab.simulate(scenario, scheduler="P-EDF").jobs)


def test_the_example_runs_and_keeps_its_promise(run):
    policy = load_policy(f"{ROOT}/examples/python_policy.py:LeastSlack")
    schedule = schedlab.simulate(easy(), scheduler=policy)
    assert schedule.metrics().scheduler == "G-LEAST-SLACK"
    assert schedule.metrics().misses == 0
    checked = {found.name: found.holds for found in schedule.check()}
    assert checked["work_conserving"]
    assert all(checked.values())


def test_the_example_from_the_command_line(run, easy_file):
    found = run("simulate", easy_file, "--policy", f"{ROOT}/examples/python_policy.py:LeastSlack", "--json")
    assert found.status == 0
    assert found.json["scheduler"] == "G-LEAST-SLACK"


def test_a_promise_that_is_not_kept_is_found():
    class Lazy(schedlab.Policy):
        promises = ("work_conserving",)

        def decide(self, now, jobs, out):
            out.run(jobs.ready()[:1])

    checked = {found.name: found for found in schedlab.simulate(dhall(), scheduler=Lazy).check()}
    assert not checked["work_conserving"].holds
    assert checked["work_conserving"].detail


def test_an_exception_in_a_policy_arrives():
    class Broken(schedlab.Policy):
        def decide(self, now, jobs, out):
            if now >= 10 * MS:
                raise ZeroDivisionError("my own mistake")
            out.run(jobs.ready())

    with pytest.raises(ZeroDivisionError, match="my own mistake"):
        schedlab.simulate(dhall(), scheduler=Broken)


def test_a_policy_that_exits_has_failed():
    class Leaves(schedlab.Policy):
        def decide(self, now, jobs, out):
            raise SystemExit(0)

    with pytest.raises(schedlab.BadInput, match="Leaves: the policy raised SystemExit"):
        schedlab.simulate(dhall(), scheduler=Leaves)


def test_a_policy_without_decide_says_so():
    class Empty(schedlab.Policy):
        pass

    with pytest.raises(TypeError, match="decide"):
        schedlab.simulate(easy(), scheduler=Empty)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (lambda jobs, out: [out.link(cpu, jobs.ready()[0]) for cpu in (0, 1)], "two processors"),
        (lambda jobs, out: out.link(0, schedlab.JobId(0, 77)), "not a ready job"),
        (lambda jobs, out: out.link(0, schedlab.JobId(99, 0)), "no such task"),
        (lambda jobs, out: out.link(7, jobs.ready()[0]), "not one of the policy's"),
        (lambda jobs, out: out.set_priority(jobs.ready()[0], 2**63), "2\\^62"),
        (lambda jobs, out: out.abort(schedlab.JobId(77, 3)), "not a live job"),
        (lambda jobs, out: out.budget(jobs.ready()[0], 0), "budget of T0J0 is 0"),
        (lambda jobs, out: out.timer(1, 0), "a later time"),
        (lambda jobs, out: out.timer(2**31, 5), "too many"),
        (lambda jobs, out: out.move_to(jobs.ready()[0], 9), "no cluster 9"),
    ],
)
def test_what_a_policy_must_not_say_is_refused(links, message):
    class Wrong(schedlab.Policy):
        def decide(self, now, jobs, out):
            if jobs.ready():
                links(jobs, out)

    with pytest.raises(schedlab.BadInput, match=message):
        schedlab.simulate(dhall(), scheduler=Wrong)


def test_a_running_job_is_not_linked_elsewhere():
    class Swap(schedlab.Policy):
        def decide(self, now, jobs, out):
            for job in jobs.ready():
                if job.scheduled_on is not None:
                    out.link(job.scheduled_on, None)
                    out.link(1 - job.scheduled_on, job)
                    return
            out.run(jobs.ready()[:1])

    with pytest.raises(schedlab.BadInput, match="still runs on"):
        schedlab.simulate(dhall(), scheduler=Swap)


def test_timers_come_back():
    seen = []

    class Ticking(Edf):
        def note(self, now, event, jobs):
            if event.kind == "timer":
                seen.append((now, event.timer))

        def decide(self, now, jobs, out):
            super().decide(now, jobs, out)
            if now % (5 * MS) == 0:
                out.timer(3, now + 5 * MS)

    schedlab.simulate(easy().replace(horizon=21 * MS), scheduler=Ticking)
    assert seen == [(5 * MS, 3), (10 * MS, 3), (15 * MS, 3), (20 * MS, 3)]


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [("scope", "everywhere", "scope"), ("promises", ("miracles",), "unknown invariant")],
)
def test_attributes_are_checked(attribute, value, message):
    policy = type("Odd", (Edf,), {attribute: value})
    with pytest.raises(schedlab.BadInput, match=message):
        schedlab.simulate(easy(), scheduler=policy)


@pytest.mark.parametrize(
    "place", ["nowhere", "missing.py:X", f"{ROOT}/examples/python_policy.py:schedlab", f"{__file__}:MS"]
)
def test_load_policy_refuses_what_is_none(place):
    with pytest.raises(schedlab.BadInput):
        load_policy(place)


def test_job_ids_compare_by_task_then_number():
    ids = [schedlab.JobId(1, 0), schedlab.JobId(0, 5), schedlab.JobId(0, 1)]
    assert [str(job) for job in sorted(ids)] == ["T0J1", "T0J5", "T1J0"]
    assert schedlab.JobId(1, 0) == schedlab.JobId(1, 0)
    assert len({*ids, schedlab.JobId(1, 0)}) == 3
