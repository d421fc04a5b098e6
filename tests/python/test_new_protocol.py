"""`schedlab new protocol`: what it makes builds, registers itself and simulates."""

from __future__ import annotations

import tomllib

import pytest

import schedlab
from conftest import ROOT
from scaffolded import build, install, needs_linux
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
    build(folder)


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
    assert found.json["simulations"][0]["misses"] > 0
    compared = schedlab.compare(ours_of(path), schedulers=["P-FP", "P-RM"])["schedulers"]
    assert [row["error"] for row in compared] == [None, None]
    assert compared[0]["totals"]["misses"] == ours.metrics().misses
    (analysis,) = schedlab.analyze(ours_of(path))
    assert not analysis.schedulable
    under_mine = schedlab.simulate(ours_of(path), scheduler=Fp).header
    assert (under_mine["scheduler"], under_mine["protocol"]) == ("Fp", "my-own")
