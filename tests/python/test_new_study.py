"""`schedlab new study` and `sweep`: proofs and simulations of the same sets, without a function of one's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import ROOT, fits
from schedlab.cli.new.scaffold import new_study
from schedlab.studies import Parameter, Simulated, StudyError, load_study, read_results, run_study, sweep
from schedlab.studies.batch import Batch, judge_sets
from schedlab.studies.simulated import misses_nothing
from schedlab.studies.study import Unit

pytestmark = pytest.mark.usefixtures("as_png")

SETS = Batch(
    utilizations="uniform-medium", periods="uniform 10ms 100ms", deadlines="implicit", stop="trim 3", seed=3,
    sets=range(12), processors=4, questions=["P-EDF hard", "C-EDF hard cluster=2"],
)  # fmt: skip


class Backwards(schedlab.Policy):
    """The job with the latest deadline goes first."""

    def decide(self, now: int, jobs: schedlab.Jobs, out: schedlab.Decisions) -> None:
        out.run(sorted(jobs.ready(), key=lambda job: -job.absolute_deadline_ns))


class Clustered(Backwards):
    scope = "clustered"


def stated(**changed: Any) -> Any:
    return sweep(
        **{
            "name": "s", "title": "S", "grid": {"total": [1, 2]}, "questions": {"P": "P-EDF hard"},
            "utilizations": "uniform-medium", "stop": "trim {total}", **changed,
        }
    )  # fmt: skip


def test_what_is_written_runs_with_an_own_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.chdir(tmp_path)
    made = run("new", "study", "my-study")
    assert made.status == 0 and "run      schedlab study run my-study.py" in made.out
    code = (tmp_path / "my-study.py").read_text()
    assert "@" not in code
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) <= 15 and max(map(len, lines)) <= 120
    ran = run("study", "run", "my-study.py", "--sets", "3", "--workers", "1")
    assert ran.status == 0, ran.err
    found = read_results(tmp_path / "out/studies/my-study")
    questions = ["P-EDF", "C-EDF", "G-EDF", "least laxity, simulated"]
    assert found.table.column_names == ["share", "set", "tasks", *questions] and found.table.num_rows == 18
    shares = found.where(share=0.4).counts("share", questions)[0.4]
    assert shares["P-EDF"] == shares["C-EDF"] == shares["least laxity, simulated"] == (3, 3), "a light load"
    assert (tmp_path / "out/studies/my-study/my-study.png").stat().st_size > 1000
    eight = run("study", "run", "my-study.py", "--sets", "1", "--workers", "1", "--set", "processors=8")
    assert eight.status == 0 and (tmp_path / "out/studies/my-study,processors=8/my-study.png").is_file()
    larger = read_results(tmp_path / "out/studies/my-study,processors=8")
    assert larger.table.column("tasks")[-1].as_py() > found.table.column("tasks")[-1].as_py(), "of eight processors"
    assert larger.provenance["parameters"]["processors"] == 8
    assert larger.provenance["parameters"]["generator"]["processors"] == "{processors}"
    assert found.provenance["parameters"]["processors"] == 4
    five = run("study", "run", "my-study.py", "--set", "processors=5")
    assert five.status == 2 and "processors is '5'; allowed: 2, 4, 8, 16" in five.err


def test_the_documents_show_what_is_written(tmp_path: Path) -> None:
    path = new_study("mine", out=tmp_path / "mine.py")
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "docs/own-study.md").read_text(), re.DOTALL)
    assert path.read_text() in examples


@pytest.mark.parametrize("name", ["random", "schedlab", "import", "json"])
def test_names_that_would_hide_modules(name: str, tmp_path: Path) -> None:
    for given, out in ((name, tmp_path / "x.py"), ("mine", tmp_path / f"{name}.py")):
        with pytest.raises(schedlab.BadInput, match=f'"{name}" is a module or a word of Python'):
            new_study(given, out=out)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["Mine", "../x", "a b", "1x", "x-", ""])
def test_names_that_cannot_be(name: str, tmp_path: Path) -> None:
    with pytest.raises(schedlab.BadInput, match="no name for a study"):
        new_study(name, out=tmp_path / "x.py")


def test_no_file_is_overwritten_and_json_says_what_was_made(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "mine.py"
    found = run("new", "study", "mine", "--out", path, "--json").json
    fits(found, "new")
    assert found["files"] == [str(path)] and found["library"] == ""
    assert "there is something already" in run("new", "study", "mine", "--out", path).err
    assert "ends in .py" in run("new", "study", "mine", "--out", tmp_path / "folder").err
    assert "--library is for" in run("new", "study", "other", "--library", ROOT).err


def test_sets_are_simulated_as_they_are_judged() -> None:
    """Deadlines that are proved are met in simulation; latest deadlines first is worse than earliest."""
    proved = judge_sets(SETS).proved
    met = [misses_nothing(SETS, Simulated(name, "500 ms", size)) for name, size in (("P-EDF", None), ("C-EDF", 2))]
    assert any(proved[0]) and any(proved[1])
    for promise, seen in zip(proved, met, strict=True):
        assert all(there for there, held in zip(seen, promise, strict=True) if held)
    backwards = misses_nothing(SETS, Simulated(Backwards, "500 ms"))
    assert sum(backwards) < sum(misses_nothing(SETS, Simulated("G-EDF", "500 ms")))


def test_the_provenance_says_what_was_asked_and_names_no_folder(tmp_path: Path) -> None:
    path = new_study("mine", out=tmp_path / "mine.py")
    told = load_study(path).parameters
    assert told["questions"]["least laxity, simulated"] == "simulated under Mine until 1 s"
    assert str(Simulated("C-EDF", cluster_size=2)) == "simulated under C-EDF until 1 s, cluster_size 2"
    assert "_schedlab_user" not in str(told)


def test_clusters_must_be_stated() -> None:
    for scheduler in ("C-EDF", Clustered):
        with pytest.raises(schedlab.BadInput, match=r"how many processors share a queue.*cluster_size=2"):
            misses_nothing(SETS, Simulated(scheduler, "100 ms"))
        assert len(misses_nothing(SETS, Simulated(scheduler, "100 ms", cluster_size=2))) == 12


def test_a_second_axis_has_insets_and_texts_are_filled(tmp_path: Path) -> None:
    one = stated(
        grid={"total": [1, 2], "drawn": ["uniform-light", "uniform-heavy"]}, utilizations="{drawn}",
        questions={"one": "C-EDF hard cluster={size}", "all": "G-EDF hard gfb"}, processors="{m}", sets=4,
        parameters=[Parameter("size", 2, "size of clusters", low=1, high=4), Parameter("m", 4, "m", low=1, high=9)],
    )  # fmt: skip
    path = tmp_path / "s.py"
    path.write_text("")
    run_study(one, path, tmp_path / "s", executor=_Here(one))
    results = read_results(tmp_path / "s")
    assert results.values("drawn") == ["uniform-light", "uniform-heavy"]
    assert one.plot is not None and one.plot(results, tmp_path)
    [point] = [point for point in one.points if dict(point.parameters) == {"total": 2, "drawn": "uniform-heavy"}]
    columns = one.evaluate(Unit(point, 0, 4, one.point_seed(point, 1)))
    asked = Batch(
        utilizations="uniform-heavy", periods="uniform 10ms 100ms", deadlines="implicit", stop="trim 2",
        seed=one.point_seed(point, 1), sets=range(4), processors=4, questions=["C-EDF hard cluster=2"],
    )  # fmt: skip
    assert columns["one"] == judge_sets(asked).proved[0]


class _Here:
    """Evaluates units by a study that is in no file."""

    def __init__(self, study: Any) -> None:
        self.study = study

    def run(self, work: Any, units: Any) -> Any:
        from schedlab.store.parts import make_parts
        from schedlab.studies.worker import evaluate

        yield from make_parts([(unit.name, evaluate(self.study, unit), 0.1) for unit in units])


def test_the_confidence_is_drawn_and_said(tmp_path: Path) -> None:
    """The interval of 99% is wider than that of 50%; the footnote says which one it is."""
    from schedlab.plots import wilson_interval

    (low, high), (inner, upper) = wilson_interval(5, 10, 0.99), wilson_interval(5, 10, 0.5)
    assert low < inner < 0.5 < upper < high
    results = type("Results", (), {"provenance": {"sets": 7}})()
    for confidence in (0.99, 0.5):
        told = stated(confidence=confidence).plot.__self__.note(results)
        assert told == f"7 sets per point; bands where apart: {100 * confidence:g}% confidence (Wilson)"
    simulated = stated(questions={"mine": Simulated(Backwards)}).plot.__self__.note(results)
    assert "mine: no miss in a simulation, which proves nothing" in simulated


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"grid": {}}, "grid has 0 axes"),
        ({"grid": {"a": [1], "b": [1], "c": [1]}}, "grid has 3 axes"),
        ({"grid": {"total": ["x"]}}, "total is drawn across; allowed: numbers"),
        ({"questions": {}}, "no questions"),
        ({"stop": "trim {totl}"}, "'totl'; allowed in braces: total"),
        ({"confidence": 1}, "confidence is 1"),
        ({"questions": {"total": "P-EDF hard"}}, "has the name of something else"),
        ({"grid": {"total": [1, 2], "m": [2, 4]}}, "the axis 'm' would change nothing"),
        ({"parameters": [Parameter("processors", 2, "m", low=1, high=9)]}, "the parameter 'processors' would change"),
        (
            {"parameters": [Parameter("total", 2, "m", low=1, high=9)]},
            "the parameter 'total' has the name of something",
        ),
        ({"questions": {"a": "G-EDF hard", "b": "G-EDF hrad"}}, '"hrad" is neither'),
        ({"questions": {"a": "C-EDF hard"}}, "how many processors share a queue?"),
        ({"questions": {"a": "C-EDF hard cluster=3"}}, "clusters of 3 on 4 processors"),
        ({"questions": {"a": "G-EDF hard {total}"}}, "total=1: "),
        ({"utilizations": "bad"}, "utilizations: unknown `bad`"),
        ({"grid": {"total": [1, 2], "drawn": ["uniform-light", "bad"]}, "utilizations": "{drawn}"}, "drawn=bad"),
        ({"processors": 0}, "processors is '0'; allowed: a whole number, 1 or more"),
        ({"questions": ["G-EDF hard"]}, "questions is ['G-EDF hard']; allowed: a dict"),
        ({"questions": {"a": 3}}, "the question 'a' is 3; allowed: a text"),
        ({"stop": "trim {total*nothing}"}, "allowed in braces: total"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_it_runs(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(StudyError, match=re.escape(message)):
        stated(**changed)


def test_values_are_checked_before_a_run_and_products_are_filled() -> None:
    one = stated(
        grid={"share": [0.5]}, stop="trim {share*m:g}", processors="{m}", questions={"C": "C-EDF hard cluster=2"},
        parameters=[Parameter("m", 4, "processors", low=1, high=9)],
    )  # fmt: skip
    with pytest.raises(StudyError, match="clusters of 2 on 5 processors"):
        one.with_settings({"m": "5"})
    totals = {}
    for many in ("4", "8"):
        changed = one.with_settings({"m": many})
        [point] = changed.points
        totals[many] = sum(changed.evaluate(Unit(point, 0, 20, 1, "", changed.settings))["tasks"])
    assert 1.5 * totals["4"] < totals["8"]


def test_questions_of_a_file_that_is_to_be_given_are_read_with_it() -> None:
    assert stated(questions={"a": "G-EDF hard given", "b": "G-EDF hard given:PD2"}).points


def test_a_question_that_cannot_be_read_says_so(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "mine.py"
    new_study("mine", out=path)
    path.write_text(path.read_text().replace("C-EDF hard cluster=2", "C-EDF hard"))
    found = run("study", "run", path, "--sets", "1", "--workers", "1", "--out", tmp_path)
    assert found.status == 2 and "how many processors share a queue? allowed: a size" in found.err


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (Simulated("G-EFD"), "did you mean G-EDF"),
        (Simulated("C-EDF"), "how many processors share a queue"),
        (Simulated("G-EDF", horizon="5"), 'horizon: "5" has no unit'),
        (Simulated("G-EDF", protocol="xyz"), "there is no locking protocol"),
        (Simulated("G-EDF", protocol="pcp"), "PCP needs a partitioned scheduler"),
        (Simulated("P-EDF", placement="nope"), "says nothing of a placement"),
        (Simulated("G-EDF", overheads="nope"), "there is no set of overheads"),
        (Simulated("SCHED_DEADLINE", protocol="pip"), "no model of it exists"),
    ],
)
def test_a_simulation_that_cannot_be_made_is_refused_when_the_study_is_loaded(
    question: Simulated, message: str
) -> None:
    with pytest.raises(StudyError, match=f"study 's', total=1, question 'mine': .*{message}"):
        stated(questions={"P": "P-EDF hard", "mine": question}, accesses="shared 5 1 4 14us", processors=2)
    assert stated(questions={"mine": Simulated("G-EDF")}).points
