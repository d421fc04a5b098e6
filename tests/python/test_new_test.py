"""`schedlab new test`: what it makes builds, registers itself and is asked by `analyze`."""

from __future__ import annotations

import sys
import tomllib

import pytest

import schedlab
from conftest import MS, ROOT, easy
from scaffolded import build, install, let_be_installed, needs_linux
from schedlab import schemas
from schedlab.cli.new.scaffold import new_test
from schedlab.core import plugins
from schedlab.core.analysis import analyze_many
from schedlab.studies.batch import Batch, judge_sets


def test_the_command_says_what_to_do_next(run, tmp_path):
    folder = tmp_path / "mine"
    found = run("new", "test", "my_own", "--out", folder)
    assert found.status == 0
    assert "pip install" in found.out and str(folder / "src" / "test.rs") in found.out
    package = tomllib.loads((folder / "pyproject.toml").read_text())
    assert package["project"]["entry-points"]["schedlab.tests"] == {"my_own": "schedlab_test_my_own"}
    assert run("new", "test", "my_own", "--out", folder).status == 2


@pytest.mark.parametrize("name", ["qpa", "msrp_demand", "", "a b", "-x", "É", "../x"])
def test_names_that_cannot_be_are_refused(name, tmp_path):
    with pytest.raises(schedlab.BadInput):
        new_test(name, out=tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def _verdict(answer):
    return {
        "test": "half", "source": "nobody", "kind": "hard", "answer": answer, "reason": "because", "assumptions": [],
        "response_time_bounds_ns": None, "tardiness_bounds_ns": None,
    }  # fmt: skip


@pytest.fixture
def half(monkeypatch):
    """An installed test that speaks of P-EDF alone."""

    class Module:
        @staticmethod
        def describe():
            return {"name": "half", "description": "nobody", "interface": plugins.INTERFACE}

        @staticmethod
        def scenario(text):
            return Asked(schedlab.Scenario.parse(text, "it"))

    class Asked:
        def __init__(self, scenario):
            self.scenario = scenario

        def analyze(self, tests, explain):
            assert tests == ["half"]
            return {"verdicts": [_verdict("schedulable")] if self.scenario.scheduler == "P-EDF" else []}

    monkeypatch.setitem(sys.modules, "half", Module)
    let_be_installed(monkeypatch, "test", half="half")


def test_an_installed_test_is_asked_where_it_speaks(half, run, easy_file):
    both = schedlab.analyze(easy(), schedulers=["P-EDF", "G-EDF"])
    asked = [[verdict.answer for verdict in found.verdicts if verdict.test == "half"] for found in both]
    assert asked == [["schedulable"], []]
    (alone,) = schedlab.analyze(easy(), schedulers=["P-EDF"], tests=["half"])
    assert [verdict.test for verdict in alone.verdicts] == ["half"]
    (many,) = analyze_many([easy()], tests=["half"])
    assert many.verdicts == ()
    assert "half" in schemas.names()["tests"]
    assert "half" in run("analyze", easy_file, "--all-tests").out


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A new test that is built and tested with cargo, as its README says."""
    folder = tmp_path_factory.mktemp("test") / "my_own"
    new_test("my_own", out=folder, library=ROOT)
    build(folder)


@pytest.mark.build
@needs_linux
def test_a_new_test_builds_registers_and_is_asked(built, monkeypatch, run, tmp_path):
    install(monkeypatch, "my_own", "schedlab_test_my_own", "test")

    def asked(wcet):
        rows = [{"wcet_ns": wcet * MS, "period_ns": 4 * MS, "relative_deadline_ns": 2 * MS}]
        scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="P-EDF", name="one")
        path = tmp_path / "one.toml"
        scenario.write(path)
        (row,) = run("analyze", path, "--tests", "my_own", "--json").json["analyses"][0]["verdicts"]
        return row["answer"], row["response_time_bounds_ns"]

    assert asked(2) == ("schedulable", [2 * MS])
    assert asked(1) == ("schedulable", [2 * MS])
    (overloaded,) = schedlab.analyze(easy(processors=1), schedulers=["P-EDF"], tests=["my_own"])
    assert overloaded.verdicts[0].answer == "schedulable"
    parts = {"utilizations": "uniform-light", "periods": "litmus", "deadlines": "implicit", "stop": "trim 1"}
    questions = ["P-EDF hard my_own", "P-EDF hard qpa"]
    own, shipped = judge_sets(Batch(**parts, seed=1, sets=range(50), processors=2, questions=questions)).proved
    assert any(own) and all(exact for exact, proved in zip(shipped, own, strict=True) if proved)
