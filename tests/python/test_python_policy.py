"""Schedulers written in Python: the same interface, the same invariants, exceptions that arrive."""

from __future__ import annotations

import inspect

import pytest

import schedlab
import schedlab.runtime
from conftest import MS, ROOT, dhall, easy
from schedlab.core.analysis import analyze_many
from schedlab.core.policy import load_policy


class Edf(schedlab.Policy):
    """G-EDF again, in Python."""

    promises = ("work_conserving", "respects_priority")

    def decide(self, now, jobs, out):
        out.run(sorted(jobs.ready(), key=lambda job: (job.absolute_deadline_ns, job.id)))


class PartitionedEdf(Edf):
    scope = "partitioned"


class OWNZL(schedlab.Policy):
    """Earliest deadline first until a job has zero laxity; then that job goes first (Lee, 1994)."""

    def decide(self, now, jobs, out):
        ready = jobs.ready()
        out.run(sorted(ready, key=lambda job: (job.laxity_ns(now) > 0, job.absolute_deadline_ns, job.id)))
        # A waiting job whose laxity ends before the next event becomes urgent then.
        waiting = [job.laxity_ns(now) for job in ready if job.scheduled_on is None]
        ending = [laxity for laxity in waiting if laxity > 0]
        out.timer(0, now + min(ending) if ending else None)


def three(processors: int = 2) -> schedlab.Scenario:
    """Three tasks of cost 2 and period 3 on two processors: OWNZL meets all deadlines, EDF misses the third job's."""
    rows = [{"wcet_ns": 2 * MS, "period_ns": 3 * MS} for _ in range(3)]
    return schedlab.Scenario.from_tasks(rows, processors=processors, horizon=30 * MS, name="three")


def test_edzl_keeps_what_edf_misses():
    assert schedlab.simulate(three(), scheduler="G-EDF").metrics().misses > 0
    assert schedlab.simulate(three(), scheduler=OWNZL).metrics().misses == 0


def test_a_class_is_compared_with_shipped_schedulers(tmp_path):
    found = schedlab.compare(three(), schedulers=["G-EDF", OWNZL])["schedulers"]
    assert [row["name"] for row in found] == ["G-EDF", "OWNZL"]
    edf, edzl = found
    assert edzl["error"] is None and edf["totals"]["misses"] > 0 == edzl["totals"]["misses"]
    assert {verdict["answer"] for verdict in edzl["verdicts"]} == {"unknown"}
    assert edzl["verdicts"][-1]["reason"] == "no test is known for OWNZL"
    assert "zero laxity" in edzl["description"]
    assert all(task["response_time_ns"]["max"] <= 3 * MS for task in edzl["tasks"])


@pytest.fixture
def edzl_file(tmp_path):
    path = tmp_path / "edzl.py"
    path.write_text("import schedlab\n\n\n" + inspect.getsource(OWNZL))
    return path


def test_a_class_is_compared_from_the_command_line(run, tmp_path, edzl_file):
    scenario = tmp_path / "robot.toml"
    three().write(scenario)
    found = run("compare", scenario, "--policy", f"{edzl_file}:OWNZL", "--out", tmp_path / "out")
    assert found.status == 0 and "OWNZL" in found.out and "G-EDF" in found.out
    assert "OWNZL" in (tmp_path / "out" / "report.html").read_text()
    assert run("check", tmp_path / "out" / "OWNZL.trace").status == 0
    analyzed = run("analyze", scenario, "--policy", f"{edzl_file}:OWNZL", "--json")
    assert [one["scheduler"] for one in analyzed.json["analyses"]] == ["OWNZL"]
    shown = run("analyze", scenario, "--policy", f"{edzl_file}:OWNZL").out
    assert "no test is known for OWNZL" in shown
    assert "observed until 30 ms: 0 of 30 jobs late, largest response 3 ms" in shown


def test_a_real_run_refuses_a_class(run, tmp_path, edzl_file):
    scenario = tmp_path / "robot.toml"
    three().write(scenario)
    found = run("run", scenario, "--policy", f"{edzl_file}:OWNZL")
    assert found.status == 2 and "only simulated" in found.err
    with pytest.raises(schedlab.BadInput, match="scheduler OWNZL: only simulated"):
        schedlab.runtime.run(three().under(OWNZL))


def test_advice_has_a_class_as_observed(run, tmp_path, edzl_file):
    advice = schedlab.advise(easy(), schedulers=[OWNZL], threads=2)
    (own,) = (way for way in advice["ways"] if way["scheduler"] == "OWNZL")
    assert not own["schedulable"] and own["margin_percent"] == -100
    assert own["reason"] == "no test is known for OWNZL; observed: 0 of 35 jobs late until 200 ms"


def test_a_scenario_keeps_its_class_and_its_text_can_be_read_anywhere():
    ours = easy().under(OWNZL).replace(processors=3, seed=7)
    assert ours.scheduler == "OWNZL" and ours.own == ["scheduler OWNZL"]
    assert schedlab.Scenario.parse(ours.to_toml()).scheduler == "G-EDF"
    assert "OWNZL" in ours.to_toml() and ours != ours.under("G-EDF")
    header = schedlab.simulate(ours).header
    assert header["scheduler"] == "OWNZL" and schedlab.Scenario.parse(header["scenario"]).processors == 3
    assert ours.under(OWNZL).scheduler == "OWNZL"
    assert ours.under("P-EDF").own == []


def test_a_class_is_no_shipped_name():
    with pytest.raises(schedlab.BadInput, match='there is a scheduler "G-EDF" already'):
        easy().under(type("Mine", (Edf,), {"name": "G-EDF"}))


def test_many_scenarios_and_a_trace_in_a_file(tmp_path):
    (found,) = analyze_many([easy().under(OWNZL)])
    assert found.scheduler == "OWNZL" and not found.schedulable
    kept = schedlab.simulate(easy(), scheduler=OWNZL, into=tmp_path / "edzl.trace")
    assert list(kept.jobs) == list(schedlab.simulate(easy(), scheduler=OWNZL).jobs)
    metrics, checked = schedlab.measure(easy(), scheduler=OWNZL)
    assert metrics.jobs == kept.metrics().jobs and all(found.holds for found in checked)


def test_an_idle_policy_is_not_proved():
    class Idle(schedlab.Policy):
        def decide(self, now, jobs, out):
            pass

    alone = schedlab.Scenario.from_tasks([{"wcet_ns": MS, "period_ns": 10 * MS}], processors=1, horizon="1 s")
    (found,) = schedlab.analyze(alone, schedulers=[Idle])
    assert not found.schedulable


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
    assert found.json["simulations"][0]["scheduler"] == "G-LEAST-SLACK"


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

    with pytest.raises(schedlab.Failed, match="Leaves: the policy raised SystemExit"):
        schedlab.simulate(dhall(), scheduler=Leaves)


def test_a_policy_without_decide_says_so():
    class Empty(schedlab.Policy):
        pass

    with pytest.raises(schedlab.Failed, match=r"Empty: .* abstract method '?decide"):
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


class Swap(schedlab.Policy):
    """The jobs of two tasks change processors every two milliseconds, while both run."""

    def decide(self, now, jobs, out):
        turn = now // (2 * MS) % 2
        ready = {job.id.task: job for job in jobs.ready()}
        for cpu in self.cpus:
            out.link(cpu, ready.get((cpu + turn) % 2))
        out.timer(0, now + 2 * MS - now % (2 * MS))


def test_jobs_that_run_change_processors_at_once():
    rows = [{"wcet_ns": 5 * MS, "period_ns": 10 * MS} for _ in range(2)]
    scenario = schedlab.Scenario.from_tasks(rows, processors=2, horizon=10 * MS)
    schedule = schedlab.simulate(scenario, scheduler=Swap)
    assert schedule.to_text().splitlines()[:2] == ["P0 AABBA.....", "P1 BBAAB....."]
    assert all(found.holds for found in schedule.check())
    counted = [(task["preemptions"], task["migrations"]) for task in schedule.metrics().tasks]
    assert counted == [(2, 2), (2, 2)]
    charged = schedlab.simulate(scenario.replace(overheads="paper-2008-4k"), scheduler=Swap)
    assert [task["migrations"] for task in charged.metrics().tasks] == [2, 2]
    assert all(found.holds for found in charged.check())


def test_a_job_that_may_not_be_preempted_is_awaited(tmp_path):
    path = tmp_path / "sections.toml"
    path.write_text(
        """
        schedlab = 1
        horizon = "10 ms"
        platform.processors = 2
        task = [{ name = "A", period = "10 ms", program = ["execute 1 ms", "np_enter", "execute 2 ms", "np_exit",
                                                           "execute 1 ms"] }]
        """
    )
    schedule = schedlab.simulate(schedlab.Scenario.read(path), scheduler=Swap)
    assert schedule.to_text().splitlines()[:2] == ["P0 AAA.......", "P1 ...A......"]
    assert schedule.metrics().migrations == 1


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
    [("scope", "everywhere", "scope"), ("promises", ("miracles",), "no invariant")],
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


def test_an_overload_is_refuted_by_a_late_job_of_the_class():
    overloaded = dhall().replace(processors=1)
    (found,) = schedlab.analyze(overloaded, schedulers=[OWNZL])
    (late,) = found.evidence
    assert late["job"] == 0 and [one.answer for one in found.verdicts if one.test == "overload"] == ["unschedulable"]


def test_an_exception_while_analysing_or_advising_arrives():
    class Broken(Edf):
        def decide(self, now, jobs, out):
            raise ZeroDivisionError("my own mistake")

    with pytest.raises(ZeroDivisionError):
        schedlab.analyze(dhall().replace(processors=1), schedulers=[Broken])
    with pytest.raises(ZeroDivisionError):
        schedlab.advise(easy(), schedulers=[Broken])
    with pytest.raises(ZeroDivisionError):
        schedlab.compare(easy(), schedulers=["G-EDF", Broken])
