"""Where tasks go, split or not, and the formats that come with it: from the command line and from Python."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import schedlab
from schedlab.cli.main import main
from schedlab.core.placement import other_placement

THREE = [{"name": name, "wcet_ns": 6_000_000, "period_ns": 10_000_000} for name in "abc"]


def three(**settings: object) -> schedlab.Scenario:
    return schedlab.Scenario.from_tasks(THREE, processors=2, scheduler="P-EDF", **settings)


@pytest.mark.parametrize("split", ["C=D", "EDF-WM"])
def test_split_tasks_keep_their_bounds(split: str) -> None:
    assert "fit on no processor" in schedlab.place(three(placement="refuse"))["error"]
    found = schedlab.place(three(placement=split, horizon="200 ms"), simulated=True)
    [row] = found["split"]
    assert (row["task"], row["pieces"]) == ("c", 2)
    assert 0 < row["observed_ns"] <= row["bound_ns"] <= 10_000_000
    assert [task["name"] for task in found["scenario"].tasks] == ["a", "b", "c/1", "c/2"]
    [analysis] = schedlab.analyze(found["scenario"])
    assert analysis.schedulable


def test_whole_jobs_move_from_piece_to_piece(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "three.toml", tmp_path / "placed.toml"
    file.write_text(three(horizon="200 ms").to_toml())
    assert main(["place", str(file), "--scheduler", "SP-EDF", "--simulate", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "c, in 2 pieces: response time at most 10 ms, simulated 8 ms" in printed
    assert "c/1" in printed and "c/2" in printed
    placed = schedlab.Scenario.read(out)
    assert [task["name"] for task in placed.tasks] == ["a", "b", "c"]
    metrics = schedlab.simulate(placed).metrics()
    assert metrics.tasks["migrations"] == [0, 0, 20] and metrics.tasks["misses"] == [0, 0, 0]
    assert main(["analyze", str(out), "--strict"]) == 0
    # Jobs whose costs vary are simulated, which pieces that are tasks of their own cannot be.
    varying = tmp_path / "varying.toml"
    varying.write_text(out.read_text().replace('name = "c"', 'name = "c"\ncost = { fraction = 0.5 }'))
    [half] = schedlab.simulate(schedlab.Scenario.read(varying)).metrics().tasks["migrations"][2:]
    assert half == 0


def test_placements_and_priorities_by_rule() -> None:
    found = schedlab.place(three().replace(processors=3, placement="worst_fit_decreasing qpa"))
    assert [row["processors"] for row in found["tasks"]] == [[0], [1], [2]]
    audsley = three().replace(processors=3, scheduler="P-FP", priorities="Audsley")
    assert [row["priority"] for row in schedlab.place(audsley)["tasks"]] == [0, 0, 0]
    with pytest.raises(schedlab.BadInput, match="says nothing of a placement"):
        three(placement="nowhere_fit")


def test_feasibility() -> None:
    run = schedlab.feasible(three())
    assert (run["feasible"], run["reductions"], run["preemptions_per_job"]) == (True, 1, 2)
    shares = schedlab.feasible(three(), "affinities")
    assert shares["feasible"] and len(shares["tasks"]) == 3
    assert schedlab.feasible(three().replace(processors=1))["feasible"] is False


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "three.toml", tmp_path / "placed.toml"
    file.write_text(three(horizon="200 ms").to_toml())
    assert main(["place", str(file), "--placement", "C=D", "--simulate", "--out", str(out)]) == 0
    assert "c, in 2 pieces: response time at most 8 ms, simulated 8 ms" in capsys.readouterr().out
    assert main(["analyze", str(out), "--strict"]) == 0
    capsys.readouterr()
    assert main(["place", str(file), "--method", "run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["placements"][0]["feasible"] is True
    assert main(["place", str(file), "--placement", "C=D", "--scheduler", "P-RM"]) == 1
    assert "allowed: P-EDF" in capsys.readouterr().out


def test_tables_of_overheads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks, caches = tmp_path / "oh_stat=max.csv", tmp_path / "pmo_stat=max.csv"
    tasks.write_text("TASK-COUNT, SCHEDULE, TICK\n2, 1, 1.5\n40, 20, 2\n")
    caches.write_text("WSS,L2,MEM\n4,5.24,5.77\n64,70,71\n")
    out = tmp_path / "mine.toml"
    assert main(["overheads", str(tasks), str(caches), "--out", str(out)]) == 0
    by_file = three().replace(processors=3, overheads=str(out))
    by_tables = three().replace(processors=3, overheads=f"{tasks},{caches}")
    assert by_file.overheads_unknown == by_tables.overheads_unknown
    assert "scheduling" not in by_file.overheads_unknown and "release" in by_file.overheads_unknown
    assert main(["overheads", str(tmp_path / "none.csv")]) == 2
    with pytest.raises(schedlab.BadInput, match="there is no statistic"):
        by_file.replace(statistic="median")
    capsys.readouterr()


def test_job_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "1, 1, 0, 0, 1, 2, 10, 10\n2, 7, 0, 0, 7, 8, 30, 30\n"
    jobs, yaml = tmp_path / "jobs.csv", tmp_path / "jobs.yaml"
    jobs.write_text(rows)
    assert main(["jobs", str(jobs), "--out", str(yaml), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answer"] == "schedulable"
    assert [(row["best_completion"], row["worst_completion"]) for row in found["jobs"]] == [(1, 2), (8, 10)]
    assert main(["jobs", str(yaml), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found
    jobs.write_text(rows.replace("30, 30", "9, 30"))
    assert main(["jobs", str(jobs), "--strict"]) == 1
    assert "may be late" in capsys.readouterr().out
    yaml.write_text(yaml.read_text() + "    Successors: [[1, 1]]\n")
    assert main(["jobs", str(yaml)]) == 2
    assert "is a precedence constraint, which is not explored here" in capsys.readouterr().err


def test_rt_app_workloads_come_back(tmp_path: Path) -> None:
    given = three().replace(processors=3, scheduler="G-EDF")
    file = tmp_path / "workload.json"
    text = given.export("rt-app")
    file.write_text(text)
    read = schedlab.Scenario.read(file)
    assert [task["wcet_ns"] for task in read.tasks] == [6_000_000] * 3
    # A workload of tasks that may run anywhere does not say how many processors there are.
    assert (read.scheduler, read.processors) == ("G-EDF", 1)
    others = [line for line in read.lost if not line.startswith("global ")]
    assert len(others) == 1
    assert others[0].startswith("number of processors: no task has cpus, so that one is assumed")


def test_a_split_task_is_simulated_as_its_pieces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "three.toml"
    file.write_text(three(horizon="200 ms").to_toml())
    assert main(["simulate", str(file), "--placement", "C=D"]) == 0
    first, *rows = capsys.readouterr().out.splitlines()
    assert first == "no deadline missed under P-EDF in 200 ms: 80 jobs; closest: a, 10 of 10 ms"
    assert [row.split()[0] for row in rows[2:6]] == ["a", "b", "c/1", "c/2"]


def test_bounds_are_said_of_the_pieces_of_a_split_task(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "split.toml"
    path.write_text(three(horizon="200 ms").to_toml())
    said = run("analyze", path, "--placement", "C=D").out.splitlines()
    rows = [line for line in said if line.split()[:1] and line.split()[0] in ("a", "b", "c/1", "c/2")]
    bounds = {line.split()[0]: line.split("ms")[3].strip() for line in rows}
    assert bounds == {"a": "10", "b": "8", "c/1": "4", "c/2": "4"}
    refused = run("compare", path, "--placement", "C=D", "--schedulers", "P-EDF", "--out", tmp_path / "out")
    assert refused.status == 2 and "the placement splits tasks" in refused.err


FITS = ["first", "next", "best", "worst", "almost_worst"]
ORDERS = ["", "_decreasing", "_by_deadline"]
SPLITS = ["C=D", "EDF-WM"]
PLACING = ["P-EDF", "P-FP", "P-RM", "NP-FP", "C-EDF", "C-FP", "C-DM", "G-FP", "P-SCHED_FIFO"]
TESTS = {"P-EDF": "qpa", "P-FP": "response_time", "P-RM": "hyperbolic", "NP-FP": "np_response_time"}
MORE = ["", "least_loaded", "together", "together least_loaded", "bound=0.7 least_loaded", "bound=0.6"]


def _machine(random: Random) -> tuple[int, str]:
    """Processors, and how they are divided into clusters."""
    processors = random.choice([2, 3, 4, 5])
    cpus = list(range(processors))
    random.shuffle(cpus)
    cut = random.randint(1, processors - 1)
    lists = [sorted(cpus[:cut]), sorted(cpus[cut:])]
    divided = random.choice(["", f"cluster_size = {random.randint(1, processors)}", f"clusters = {lists}"])
    return processors, divided


def _drawn(random: Random, scheduler: str, placement: str) -> tuple[str, int]:
    """A scenario as text; its tasks may name places, share resources, and arrive as they like."""
    processors, divided = _machine(random)
    split = placement in SPLITS
    named = not split and "together" not in placement and random.random() < 0.4
    shares = not split and random.random() < 0.4
    rows = []
    for index in range(processors + 1 if split else random.randint(3, 9)):
        period = random.choice([5, 8, 10, 20, 40])
        cost = max(1, round(period * (random.uniform(0.5, 0.7) if split else random.uniform(0.05, 0.4))))
        row = [f'name = "t{index}"', f'wcet = "{cost} ms"', f'period = "{period} ms"', f"priority = {index}"]
        if random.random() < (0.2 if split else 0.5):
            row.append(f'deadline = "{random.randint(cost, period)} ms"')
        if random.random() < 0.3:
            row.append(f'offset = "{random.randint(1, 9)} ms"')
        row.append(random.choice(["", 'arrival = "sporadic"', 'arrival = { at = ["1 ms", "70 ms"] }']))
        if named and random.random() < 0.5:
            at = random.randrange(processors)
            row.append(random.choice([f"processor = {at}", f"affinity = {sorted({at, 0})}"]))
        if shares and random.random() < 0.5:
            steps = [f"request r{index % 2}", f"execute {cost} ms", f"release r{index % 2}"]
            row.append(f"program = {json.dumps(steps)}")
        rows.append("[[task]]\n" + "\n".join(row) + "\n")
    # No test that Audsley's algorithm may ask is for several processors.
    rules = ["given", "DM", "RM-US", "Audsley" if scheduler[0] in "PN" else "TkC"]
    rule = random.choice(rules) if scheduler.endswith("FP") else "given"
    protocol = "none" if not shares else random.choice(["none", "pip", "mpcp", "omlp"])
    head = (
        f'schedlab = 1\nhorizon = "200 ms"\nprotocol = "{protocol}"\n'
        f'scheduler = {{ name = "{scheduler}", priorities = "{rule}" }}\n'
        'resource = [{ name = "r0" }, { name = "r1" }]\n'
        f"[platform]\nprocessors = {processors}\n{divided}\n"
    )
    return head + "".join(rows), processors


def _answers(scenario: schedlab.Scenario) -> object:
    """What is proved, refuted and bounded, by test; or why nothing is."""
    [found] = schedlab.analyze(scenario)
    plain = [(one.test, one.answer, one.reason, one.response_time_bounds_ns) for one in found.verdicts]
    return found.error, found.placement, plain


def _run(scenario: schedlab.Scenario) -> object:
    """All records of its simulation; or why there is none."""
    try:
        schedule = schedlab.simulate(scenario)
    except schedlab.BadInput as refused:
        return str(refused)
    records: list[bytes] = []
    schedule.export("records", records.append)
    return b"".join(records)


@pytest.mark.parametrize(
    "scheduler", ["P-EDF", "P-FP", "P-RM", "NP-FP", "C-EDF", "C-FP", "C-DM", "G-FP", "P-SCHED_FIFO"]
)
def test_what_is_written_has_the_same_places_verdicts_and_schedule(scheduler: str, tmp_path: Path) -> None:
    """Read back, each placement is the one that was said: processors, clusters, priorities, pieces."""
    placed = pieces = refused = 0
    for seed in range(60):
        random = Random(f"{scheduler} {seed}")
        test = TESTS.get(scheduler, "") if random.random() < 0.3 else ""
        fit = random.choice(["", "density:"]) + random.choice(FITS) + "_fit" + random.choice(ORDERS)
        placement = f"{fit} {random.choice(MORE)} {test}"
        if scheduler == "P-EDF" and seed % 3 == 0:
            placement = random.choice(SPLITS)
        text, _ = _drawn(random, scheduler, placement)
        try:
            given = schedlab.Scenario.parse(text).replace(placement=placement)
            found = schedlab.place(given)
        except schedlab.BadInput:
            refused += 1
            continue
        made = found["scenario"]
        if made is None:
            assert found["error"]
            refused += 1
            continue
        file = tmp_path / f"{seed}.toml"
        made.write(file)
        back = schedlab.Scenario.read(file)
        again = schedlab.place(back)

        def kept(row: Any) -> Any:
            of_file = ("name", "wcet_ns", "period_ns", "relative_deadline_ns", "cluster", "processors", "priority")
            return {name: row[name] for name in of_file}

        assert [kept(row) for row in again["tasks"]] == [kept(row) for row in found["tasks"]], text
        for task, row in zip(back.tasks, found["tasks"], strict=True):
            place = {"P": task["processor"], "C": task["cluster"], "G": None, "N": task["processor"]}[scheduler[0]]
            assert place == (None if scheduler[0] == "G" else row["cluster"]), text
        assert _answers(back) == _answers(given), text
        if found["only_analysis"] is None:
            assert _run(back) == _run(given), text
        placed += 1
        pieces += any(row["pieces"] > 1 for row in found["tasks"])
    assert placed >= 20, f"{placed} placed, {refused} refused: too few tell anything"
    assert pieces >= 5 or scheduler != "P-EDF", pieces


def test_nothing_is_written_that_is_not_so(run: Any, tmp_path: Path) -> None:
    """No places, no file; pieces that a simulation would take for whole tasks, no file."""
    file, out = tmp_path / "three.toml", tmp_path / "placed.toml"
    file.write_text(three(horizon="200 ms", placement="first_fit_decreasing refuse").to_toml())
    found = run("place", file, "-o", out)
    assert found.status == 2 and "nothing is placed: 1 of the tasks fit on no processor: c" in found.err
    found = run("place", file, "--method", "run", "-o", out)
    assert found.status == 2 and "--method run" in found.err
    varying = file.read_text().replace('name = "c"\n', 'name = "c"\ncost = { fraction = 0.5 }\n')
    file.write_text(varying)
    found = run("place", file, "--placement", "C=D", "-o", out)
    assert found.status == 2 and "split tasks whose costs vary" in found.err
    assert not out.exists()


def test_pieces_have_names_of_their_own() -> None:
    rows = [{"name": name, "wcet_ns": 6_000_000, "period_ns": 10_000_000} for name in ("c", "c/1", "a")]
    given = schedlab.Scenario.from_tasks(rows, processors=2, scheduler="P-EDF", placement="C=D")
    made = schedlab.place(given)["scenario"]
    names = [task["name"] for task in made.tasks]
    assert len(set(names)) == 4 and any("//" in name for name in names)
    assert schedlab.Scenario.parse(made.to_toml()) == made


def test_analyze_names_a_placement_that_proves_it(run: Any, tmp_path: Path) -> None:
    """First fit fills one cluster of two processors with four tasks of a half; spread, they are alone."""
    rows = [{"name": name, "wcet_ns": 5_000_000, "period_ns": 10_000_000} for name in "abcd"]
    filled = schedlab.Scenario.from_tasks(rows, processors=4, scheduler="C-EDF", placement="first_fit_decreasing")
    file = tmp_path / "filled.toml"
    file.write_text(filled.to_toml())
    told = run("analyze", file).out
    assert not told.startswith("schedulable")
    assert "another placement proves it: worst_fit_decreasing" in told
    assert told.splitlines()[-1].startswith(f"next: schedlab analyze {file} --placement worst_fit_decreasing")
    assert run("analyze", file, "--json").json["analyses"][0]["other_placement"] == "worst_fit_decreasing"
    proved = run("analyze", file, "--placement", "worst_fit_decreasing")
    assert proved.out.startswith("schedulable") and "another placement" not in proved.out
    # Nothing holds three tasks of 0.6 on two processors, nor anything more than the processors have.
    file.write_text(three().to_toml())
    assert run("analyze", file, "--json").json["analyses"][0]["other_placement"] is None
    assert other_placement(three().replace(processors=1)) is None


COMPONENTS = Path(__file__).parents[2] / "examples" / "components.toml"


def test_the_least_bandwidths_of_servers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = schedlab.least_servers(schedlab.Scenario.read(COMPONENTS), ("1 ms", "10 ms", 1_000_000))
    assert [server["name"] for server in found["servers"]] == ["control", "video"]
    assert found["answer"] == "schedulable"
    for server in found["servers"]:
        assert [row["period_ns"] for row in server["tried"]] == [ms * 1_000_000 for ms in range(1, 11)]
        shares = [Fraction(row["bandwidth"]) for row in server["tried"]]
        assert min(shares) == shares[server["best"]] >= Fraction(server["utilization"])
        assert all(row["relative_deadline_ns"] == row["period_ns"] for row in server["tried"])
    out = tmp_path / "best.toml"
    arguments = ["place", str(COMPONENTS), "--server", "--periods", "1ms", "10ms", "1ms"]
    assert main([*arguments, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    tables = printed[printed.index("[[server]]") :]
    assert tables.strip() in out.read_text(), "the tables can be typed in"
    # A nanosecond less of each budget is not enough.
    for name in ("control", "video"):
        [server] = [server for server in found["servers"] if server["name"] == name]
        budget = server["tried"][server["best"]]["budget_ns"]
        assert main(["analyze", str(out), "--strict"]) == 0
        less = {f"server.{name}.budget": f"{budget - 1} ns"}
        assert not schedlab.analyze(schedlab.Scenario.read(out).replace(settings=less))[0].schedulable
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    [answer] = json.loads(capsys.readouterr().out)["placements"]
    assert answer == {name: value for name, value in found.items() if name != "scenario"}


def test_a_server_with_a_deadline_needs_no_more_bandwidth() -> None:
    given = schedlab.Scenario.read(COMPONENTS)
    periods = ("2 ms", "30 ms", "4 ms")
    [_, periodic] = schedlab.least_servers(given, periods)["servers"]
    explicit = given.replace(settings={"server.video.deadline": "8 ms"})
    [_, video] = schedlab.least_servers(explicit, periods)["servers"]
    assert len(video["tried"]) == 8
    for one, other in zip(video["tried"], periodic["tried"], strict=True):
        assert one["budget_ns"] <= other["budget_ns"]
        assert one["budget_ns"] <= one["relative_deadline_ns"] <= one["period_ns"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--periods", "1ms", "2ms", "1ms"], "allowed with --server"),
        (["--server", "--periods", "3ms", "2ms", "1ms"], "has to be the first one or longer"),
        (["--server", "--periods", "3ms", "2", "1ms"], "has no unit"),
        (["--server", "--set", "server.control.order=arrival", "--set", "server.video.order=arrival"], "no server"),
    ],
)
def test_periods_that_are_none(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["place", str(COMPONENTS), *arguments]) == 2
    assert words in capsys.readouterr().err


def test_clients_that_fit_into_no_budget(capsys: pytest.CaptureFixture[str]) -> None:
    short = ["--set", "task.show.deadline=9 ms"]
    assert main(["place", str(COMPONENTS), "--server", "--periods", "20ms", "20ms", "1ms", *short]) == 0
    capsys.readouterr()
    both = [*short, "--set", "task.decode.deadline=9 ms"]
    assert main(["place", str(COMPONENTS), "--server", "--periods", "20ms", "20ms", "1ms", *both]) == 1
    assert "no budget suffices for server" in capsys.readouterr().out
