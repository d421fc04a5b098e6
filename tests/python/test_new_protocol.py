"""`schedlab new protocol`: what it makes builds, registers itself and simulates."""

from __future__ import annotations

import re
import shutil
import tomllib

import pytest

import schedlab
from conftest import ROOT
from scaffolded import build, cargo, change, install, needs_linux
from schedlab.cli.new.scaffold import new_protocol


def test_the_command_says_what_to_do_next(run, tmp_path):
    folder = tmp_path / "mine"
    found = run("new", "protocol", "my-own", "--out", folder)
    assert found.status == 0
    assert "pip install" in found.out and str(folder) in found.out
    package = tomllib.loads((folder / "pyproject.toml").read_text())
    assert package["project"]["entry-points"]["schedlab.protocols"] == {"my-own": "schedlab_protocol_my_own"}
    assert run("new", "protocol", "my-own", "--out", folder).status == 2


@pytest.mark.parametrize("name", ["pip", "", "a b", "-x", "É", "../x"])
def test_names_that_cannot_be_are_refused(name, tmp_path):
    with pytest.raises(schedlab.BadInput):
        new_protocol(name, out=tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A new protocol that is built and tested with cargo, as its README says."""
    folder = tmp_path_factory.mktemp("protocol") / "my-own"
    new_protocol("my-own", out=folder, library=ROOT)
    assert "`schedlab-protocol-my-own`" not in build(folder)
    return folder


class Fp(schedlab.Policy):
    """Smaller periods go first."""

    scope = "partitioned"

    def decide(self, now, jobs, out):
        out.run(sorted(jobs.ready(), key=lambda job: (job.period_ns, job.id)))


def ours_of(path):
    return schedlab.Scenario.read(path).replace(horizon="2 s", protocol="my-own")


@pytest.mark.build
@needs_linux
def test_a_new_protocol_builds_registers_and_simulates(built, monkeypatch, run):
    install(monkeypatch, "my-own", "schedlab_protocol_my_own", "locking protocol")

    path = ROOT / "examples" / "pathfinder.toml"
    ours = schedlab.simulate(schedlab.Scenario.read(path).replace(horizon="2 s"), protocol="my-own")
    assert ours.header["protocol"] == "my-own"
    checked = {found.name: found.holds for found in ours.check()}
    assert checked["grants_are_fifo"] and all(checked.values())
    found = run("simulate", path, "--protocol", "my-own", "--json")
    assert found.json["simulations"][0]["misses"] == ours.metrics().misses == 0
    assert run("simulate", path, "--protocol", "none", "--json").json["simulations"][0]["misses"] > 0
    compared = schedlab.compare(ours_of(path), schedulers=["P-FP", "P-RM"])["schedulers"]
    assert [row["error"] for row in compared] == [None, None]
    assert compared[0]["totals"]["misses"] == ours.metrics().misses
    (analysis,) = schedlab.analyze(ours_of(path))
    assert not analysis.schedulable
    under_mine = schedlab.simulate(ours_of(path), scheduler=Fp).header
    assert (under_mine["scheduler"], under_mine["protocol"]) == ("Fp", "my-own")


#: Rules left out of the protocol, and the example that then has another schedule.
LEFT_OUT = [
    ('turn.inherit(mutexes.holder(mutex).expect("a job waits only if another one holds"), job);', "a_holder_inherits"),
    ("mutexes.inherit_from_waiters(job, mutex, turn);", "waiting_jobs_are_served_in_the_stated_order"),
    ("mutexes.inherit_from_waiters(job, held, turn);", "a_release_undoes_only_what_the_resource_gave"),
]


@pytest.mark.build
@pytest.mark.parametrize(("rule", "example"), LEFT_OUT)
def test_each_rule_has_an_example_that_needs_it(built, tmp_path, rule, example):
    folder = tmp_path / "wrong"
    shutil.copytree(built, folder)
    change(folder, "src/protocol.rs", "", rule)
    found = cargo(folder, "test")
    assert found.returncode != 0
    assert example in re.findall(r"^test (\w+) \.\.\. FAILED", found.stdout, re.MULTILINE), found.stdout
