"""Locking protocols from the command line: chosen by name, refused where they do not fit, drawn sections."""

from __future__ import annotations

import json

import pytest

import schedlab
from conftest import ROOT

PATHFINDER = ROOT / "examples" / "pathfinder.toml"


def test_the_inversion_and_its_cure(run):
    without = run("simulate", PATHFINDER, "--protocol", "none", "--draw", "text", "--until", "500 ms")
    assert without.out.startswith("2 of ")
    for cure in ("pip", "pcp", "ipcp", "srp", "npcs"):
        cured = run("simulate", PATHFINDER, "--protocol", cure, "--draw", "text", "--until", "500 ms")
        assert cured.out.startswith("no deadline missed"), cure


@pytest.mark.parametrize(("protocol", "late"), [("none", True), ("inherit", False), ("protect", False)])
def test_a_resource_states_the_protocol_of_its_mutex(run, tmp_path, protocol: str, late: bool):
    path = tmp_path / "pathfinder.toml"
    text = PATHFINDER.read_text().replace('name = "P-FP"', 'name = "P-SCHED_FIFO"')
    path.write_text(text.replace("[[resource]]\n", f'[[resource]]\nprotocol = "{protocol}"\n'))
    assert run("simulate", path).out.startswith("no deadline missed") != late
    beside = run("simulate", path, "--protocol", "pip")
    assert beside.status == 2
    assert "stands beside the protocol of resource" in beside.err
    other = run("analyze", path, "--scheduler", "P-FP")
    assert other.status == 2
    assert "pathfinder.toml:" in other.err and "the kernel's fixed priorities" in other.err


def test_svg_goes_alone_to_standard_output_or_to_a_file(run, tmp_path):
    alone = run("simulate", PATHFINDER, "--protocol", "pip", "--draw", "svg")
    assert alone.status == 0
    assert alone.out.startswith("<svg") or alone.out.startswith("<?xml")
    path = tmp_path / "pip.svg"
    beside = run("simulate", PATHFINDER, "--protocol", "pip", "--draw", "svg", "--out", path)
    assert path.read_text() == alone.out
    assert "deadline missed" in beside.out


def test_a_trace_names_its_protocol(run, tmp_path):
    path = tmp_path / "pip.trace"
    run("simulate", PATHFINDER, "--protocol", "PIP", "--trace", path)
    schedule = schedlab.Schedule.read(path)
    assert schedule.header["protocol"] == "pip"
    assert schedule.scenario.protocol == "pip"
    assert run("check", path).status == 0


def test_a_protocol_that_does_not_fit_is_refused(run):
    found = run("simulate", PATHFINDER, "--protocol", "pcp", "--scheduler", "G-EDF")
    assert found.status == 2
    assert "protocol: PCP needs a scheduler with fixed priorities, not G-EDF; allowed: " in found.err
    unknown = run("simulate", PATHFINDER, "--protocol", "pppcp")
    assert unknown.status == 2
    assert 'protocol: there is no locking protocol "pppcp"' in unknown.err


def test_sections_are_drawn_for_the_tasks_of_a_file():
    avionics = schedlab.Scenario.read(ROOT / "examples" / "avionics.toml")
    made = avionics.replace(processors=4, scheduler="P-EDF", seed=2020).with_accesses("independent 4 0.25 short")
    shared = schedlab.Scenario.parse(made.replace(protocol="msrp").to_toml())
    assert (shared.protocol, shared.scheduler, shared.seed) == ("msrp", "P-EDF", 2020)
    assert shared.to_toml().count("request R") > 4


def test_sections_longer_than_the_task_are_refused_where_jobs_execute(run):
    """By default the WCET grows; kept WCETs are for batches, which compute bounds alone."""
    drawn = {"utilizations": "uniform 0.001 0.01", "periods": "uniform 3ms 33ms", "stop": "tasks 6", "seed": 4}
    free = schedlab.generate(**drawn).tasks
    grown = schedlab.generate(**drawn, accesses="independent 8 1 long").tasks
    assert grown == schedlab.generate(**drawn, accesses="independent 8 1 long grow").tasks
    assert all(long["wcet_ns"] > short["wcet_ns"] for long, short in zip(grown, free, strict=True))
    with pytest.raises(
        schedlab.BadInput, match=r"accesses: .*critical sections of .* keeps a WCET of .* allowed: grow"
    ):
        schedlab.generate(**drawn, accesses="independent 8 1 long keep")
    # Sections that fit are the same by both readings.
    roomy = drawn | {"utilizations": "uniform 0.4 0.5"}
    kept = schedlab.generate(**roomy, accesses="independent 2 0.5 short keep")
    assert kept.to_toml() == schedlab.generate(**roomy, accesses="independent 2 0.5 short").to_toml().replace(
        "independent 2 0.5 short", "independent 2 0.5 short keep"
    )
    wrong = run("generate", "--accesses", "independent 8 1 long shrink")
    assert wrong.status == 2 and "unknown `shrink`; allowed: grow, keep" in wrong.err


def test_a_deadlock_is_a_result_that_says_who_waits_for_whom(run, tmp_path):
    deadlock = ROOT / "examples" / "deadlock.toml"
    sentence = "deadlock at 5 ms: T1J0 (LOW) holds B and waits for A, T0J0 (HIGH) holds A and waits for B"
    assert sentence in " ".join(run("simulate", deadlock).out.split())
    assert run("simulate", deadlock).status == 0
    assert run("simulate", deadlock, "--strict").status == 1
    assert run("simulate", deadlock, "--strict", "--protocol", "pcp").status == 0
    found = json.loads(run("simulate", deadlock, "--json").out)["simulations"][0]["deadlocks"]
    assert [(one["at_ns"], one["text"]) for one in found] == [(5_000_000, sentence)]
    path = tmp_path / "deadlock.trace"
    run("simulate", deadlock, "--trace", path)
    assert "held by T1J0 (LOW), which waits for A" in run("why", path, "T0J0").out
    assert schedlab.Schedule.read(path).metrics().deadlocks == found


def test_comparing_says_where_a_protocol_does_not_fit():
    scenario = schedlab.Scenario.read(PATHFINDER).replace(protocol="pcp", horizon="1 s")
    rows = schedlab.compare(scenario, schedulers=["P-RM", "G-EDF"])["schedulers"]
    assert rows[0]["error"] is None
    assert rows[1]["error"].startswith("protocol: PCP needs")


def test_the_avionics_example_is_what_its_header_says():
    source = schedlab.Scenario.read(ROOT / "examples" / "avionics.toml")
    placed = source.replace(copies=4, processors=4, scheduler="P-EDF", seed=2020)
    made = placed.with_accesses("independent 4 0.25 short").replace(protocol="msrp")
    example = schedlab.Scenario.read(ROOT / "examples" / "avionics-locks.toml")
    start = "[[resource]]"
    assert example.to_toml().partition(start)[2] == made.to_toml().partition(start)[2]
    metrics, checked = schedlab.measure(example.replace(horizon="1 s"))
    assert metrics.misses == 0
    assert all(found.holds for found in checked)


def test_generated_sets_have_sections(run):
    found = run(
        "generate", "--accesses", "shared 5 1 4 14us", "--protocol", "fmlp", "--tasks", "8", "--seed", "3", "--json"
    )
    [scenario] = json.loads(found.out)["task_sets"]
    assert scenario["protocol"] == "fmlp"
    text = run("generate", "--accesses", "shared 5 1 4 14us", "--protocol", "fmlp", "--tasks", "8", "--seed", "3").out
    assert text.count("[[resource]]") == 10
    assert schedlab.Scenario.parse(text).to_toml() == text
    wrong = run("generate", "--accesses", "shared 5 1 4")
    assert wrong.status == 2
    assert "accesses: the greatest length is missing" in wrong.err


def test_sections_are_for_tasks_without_programs():
    with pytest.raises(schedlab.errors.BadInput, match=r"task\[1\].program: .*has a program already"):
        schedlab.Scenario.read(PATHFINDER).with_accesses("independent 1 0.5 short")
