"""`schedlab new policy`: what it makes builds, registers itself and simulates."""

from __future__ import annotations

import tomllib

import pytest

import schedlab
from conftest import ROOT, dhall
from scaffolded import build, install, let_be_installed, needs_linux
from schedlab.cli.new.scaffold import new_policy
from schedlab.core.analysis import analyze_many


def test_the_command_says_what_to_do_next(run, tmp_path):
    folder = tmp_path / "mine"
    found = run("new", "policy", "g-mlf", "-o", folder)
    assert found.status == 0
    assert "pip install" in found.out and str(folder) in found.out
    package = tomllib.loads((folder / "pyproject.toml").read_text())
    assert package["project"]["entry-points"]["schedlab.policies"] == {"G-MLF": "schedlab_policy_g_mlf"}
    assert "@" not in (folder / "src" / "policy.rs").read_text()
    assert run("new", "policy", "g-mlf", "--out", folder).status == 2


def test_what_is_installed_is_a_folder_and_no_package_of_an_index(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "pip install ./g-mlf " in run("new", "policy", "G-MLF").out


@pytest.mark.parametrize("name", ["G-EDF", "NP-EDF", "X-LLF", "G-", "LLF", "G-a b", "G-É", "../G-X"])
def test_names_that_cannot_be_are_refused(name, tmp_path):
    with pytest.raises(schedlab.BadInput):
        new_policy(name, out=tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_library_that_is_none_is_refused(tmp_path):
    with pytest.raises(schedlab.BadInput, match="not a checkout"):
        new_policy("G-MLF", out=tmp_path / "x", library=tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A new scheduler that is built and tested with cargo, as its README says."""
    folder = tmp_path_factory.mktemp("policy") / "g-mine"
    new_policy("G-MINE", out=folder, library=ROOT)
    assert "`schedlab-policy-g-mine`" not in build(folder)


@pytest.mark.build
@needs_linux
def test_a_new_policy_builds_registers_and_simulates(built, monkeypatch, run, dhall_file, tmp_path):
    module = install(monkeypatch, "G-MINE", "schedlab_policy_g_mine", "scheduler")

    ours = schedlab.simulate(dhall(), scheduler="G-MINE")
    assert list(ours.jobs) == list(schedlab.simulate(dhall(), scheduler="G-EDF").jobs)
    assert ours.metrics().scheduler == "G-MINE"
    checked = {found.name: found.holds for found in ours.check()}
    assert checked["work_conserving"] and checked["respects_priority"] and all(checked.values())
    assert (
        run("simulate", dhall_file, "--scheduler", "G-MINE", "--json").json["simulations"][0]["scheduler"] == "G-MINE"
    )
    assert "G-MINE" in run("schema", "names").out
    compared = schedlab.compare(dhall(), schedulers=["G-EDF", "G-MINE"])["schedulers"]
    assert compared[1]["totals"] == compared[0]["totals"]
    *unknown, refuted = compared[1]["verdicts"]
    assert {verdict["answer"] for verdict in unknown} == {"unknown"}
    assert unknown[-1]["reason"] == "no test is known for G-MINE"
    assert (refuted["test"], refuted["answer"]) == ("simulation", "unschedulable")
    assert run("compare", dhall_file, "--schedulers", "G-MINE", "--out", tmp_path, "--json").status == 0
    with pytest.raises(schedlab.BadInput):
        module.scenario("not a scenario")


@pytest.mark.build
@needs_linux
def test_an_installed_policy_stands_wherever_a_name_may(built, monkeypatch, run, dhall_file):
    install(monkeypatch, "G-MINE", "schedlab_policy_g_mine", "scheduler")

    ours = dhall().under("G-MINE")
    assert ours.scheduler == "G-MINE" and ours.own == ["scheduler G-MINE"]
    assert ours.under("P-EDF").scheduler == "P-EDF"
    (many,) = analyze_many([ours])
    assert [verdict.reason for verdict in many.verdicts][-2] == "no test is known for G-MINE"
    # Built without optimization, it takes seconds for more tasks.
    alone = schedlab.Scenario.from_tasks([{"wcet_ns": 2, "period_ns": 10}], processors=1, horizon=20)
    (own,) = (way for way in schedlab.advise(alone, schedulers=["G-MINE"])["ways"] if way["scheduler"] == "G-MINE")
    assert not own["schedulable"] and "observed: " in own["reason"]
    assert schedlab.place(ours)["scenario"].scheduler == "G-MINE"
    refused = run("run", dhall_file, "--scheduler", "G-MINE")
    assert refused.status == 2 and "scheduler G-MINE: only simulated" in refused.err


def test_an_installed_policy_that_cannot_be_loaded_is_status_3(run, easy_file, monkeypatch):
    let_be_installed(monkeypatch, "scheduler", **{"G-GONE": "no_such_module"})
    found = run("simulate", easy_file, "--scheduler", "G-GONE")
    assert found.status == 3
    assert "no_such_module" in found.err
