"""The command line: help, exit statuses, JSON, files that are whole or absent."""

from __future__ import annotations

import json
import re
import signal
import time
import tomllib
from contextlib import nullcontext
from pathlib import Path

import click
import pytest

import schedlab
from conftest import ROOT, in_a_process
from schedlab import schemas
from schedlab.cli.main import COMMANDS, cli

#: Every option that an acceptance rule names, by command.
OPTIONS = {
    "analyze": ["--processors", "--cluster-size", "--copies", "--overheads", "--horizon", "--seed", "--scheduler",
                "--tests", "--protocol", "--json", "--strict"],
    "simulate": ["--processors", "--copies", "--overheads", "--horizon", "--seed", "--scheduler", "--policy", "--trace",
                 "--draw", "--protocol", "--out", "--until", "--json", "--strict"],
    "compare": ["--processors", "--copies", "--schedulers", "--overheads", "--horizon", "--out", "--json", "--strict"],
    "check": ["--invariants", "--json"],
    "why": ["--json"],
    "trace": ["--format", "--out", "--from", "--until", "--around", "--jobs", "--json"],
    "view": ["--scheduler", "--policy", "--protocol", "--out", "--from", "--until", "--around", "--jobs", "--json"],
    "diff": ["--tolerance", "--page", "--out", "--json", "--strict"],
    "windows": ["--er", "--is", "--gis", "--subtasks", "--draw", "--out", "--json"],
    "generate": ["--utilizations", "--periods", "--deadlines", "--stop", "--utilization", "--tasks", "--seed", "--sets",
                 "--format", "--out", "--accesses", "--utility", "--protocol", "--json"],
    "crosscheck": ["--emit", "--id", "--tests", "--json"],
    "schema": ["--out", "--json"],
}  # fmt: skip


def commands(group: click.Group, prefix: tuple[str, ...] = ()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*prefix, name))
        else:
            yield (*prefix, name), command


ALL = dict(commands(cli))


def test_each_file_with_a_command_is_in_the_list():
    folder = ROOT / "python/schedlab/cli"
    files = {path.stem for path in folder.glob("*.py") if "\ndef command(" in path.read_text()}
    files |= {path.parent.name for path in folder.glob("*/__init__.py") if "\ndef command(" in path.read_text()}
    assert files == set(COMMANDS), "a command is a file or folder in schedlab/cli, and a line of COMMANDS in main.py"


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_each_command_has_help_for_each_option_and_takes_json(path):
    command = ALL[path]
    assert command.help
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    for option in options:
        assert option.help, f"{option.name} has no help"
    assert any("--json" in option.opts for option in options)


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_one_vocabulary_of_options(path):
    options = {name: option for option in ALL[path].params for name in option.opts}
    for long, short in (("--out", "-o"), ("--processors", "-m")):
        assert long not in options or short in options[long].opts
    for repeated in ("--scheduler", "--schedulers", "--policy"):
        assert repeated not in options or options[repeated].multiple or (path == ("run",) and repeated == "--policy")
    assert "--schedulers" not in options or options["--schedulers"] is options["--scheduler"]


@pytest.mark.parametrize("name", OPTIONS)
def test_the_promised_options_exist(run, name):
    found = run(name, "--help")
    assert found.status == 0
    for option in OPTIONS[name]:
        assert option in found.out


def test_version_and_help(run):
    first, *others = run("--version").out.splitlines()
    assert re.fullmatch(r"schedlab \d+\.\d+\.\d+", first)
    # What was built in: scripts take the first line, reports of mistakes all of them.
    assert [line.partition(": ")[0] for line in others] == ["real runs", "extras", "your own", "on"]
    assert "schedlab-rt" in others[0] and "polars" in others[1]
    assert run("-V").out == run("--version").out
    found = run("--help")
    assert found.status == 0
    for name in COMMANDS:
        assert name in found.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["analyze"],
        ["analyze", "missing.toml"],
        ["analyze", "--processors", "0", "missing.toml"],
        ["simulate", "missing.toml", "--scheduler", "G-EDF", "--policy", "x.py:X"],
        ["check", "missing.trace"],
        ["why", "missing.trace", "T0J0"],
        ["crosscheck", "missing.jsonl"],
        ["new", "policy", "not a name"],
        ["generate", "--stop", "never"],
        ["study", "run"],
        ["windows"],
        ["windows", "0/10"],
        ["windows", "11/10"],
        ["windows", "0/0"],
        ["windows", "three"],
        ["windows", "3/10", "--is", "2"],
        ["windows", "3/10", "--gis", "4"],
        ["windows", "3/10", "--subtasks", "0"],
    ],
    ids=" ".join,
)
def test_bad_input_is_status_2_and_one_message(run, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = run(*arguments)
    assert found.status == 2
    assert found.err.strip()
    assert "Traceback" not in found.err
    assert found.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_trace_that_is_none_is_refused_with_its_name(run, tmp_path):
    path = tmp_path / "no.trace"
    path.write_bytes(b"something else altogether")
    found = run("check", path)
    assert found.status == 2
    assert str(path) in found.err
    assert "not a schedlab trace" in found.err


def test_a_scenario_that_is_not_utf8_is_refused_with_its_line(run, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_bytes(b'title = "x"\nnotes = "\xff"\n')
    found = run("analyze", path)
    assert found.status == 2
    assert f"{path}:2" in found.err


def test_what_this_installation_lacks_is_status_3(run, easy_file, monkeypatch):
    from schedlab.core import plugins
    from schedlab.errors import CannotRun

    def broken(kind, name):
        raise CannotRun("built for another version")

    monkeypatch.setattr(plugins, "find", broken)
    found = run("simulate", easy_file, "--scheduler", "G-GONE")
    assert found.status == 3
    assert "another version" in found.err


def test_an_exception_in_the_users_policy_shows_where_and_is_status_4(run, easy_file, tmp_path):
    policy = tmp_path / "mine.py"
    policy.write_text(
        "import schedlab\nclass Mine(schedlab.Policy):\n    def decide(self, now, jobs, out):\n        1 / 0\n"
    )
    found = run("simulate", easy_file, "--policy", f"{policy}:Mine")
    assert found.status == 4
    assert found.err.splitlines()[1] == f'  File "{policy}", line 4, in decide'
    assert "site-packages" not in found.err and "schedlab/cli" not in found.err
    assert "ZeroDivisionError" in found.err


def test_strict_turns_a_miss_into_status_1(run, dhall_file, easy_file):
    assert run("simulate", dhall_file).status == 0
    assert run("simulate", dhall_file, "--strict").status == 1
    assert run("simulate", easy_file, "--strict").status == 0
    assert run("analyze", dhall_file).status == 0
    assert run("analyze", dhall_file, "--strict").status == 1
    assert run("analyze", easy_file, "--strict").status == 0


def test_simulate_prints_the_same_numbers_as_its_json(run, dhall_file):
    table = run("simulate", dhall_file)
    [found] = run("simulate", dhall_file, "--json").json["simulations"]
    assert table.out.startswith(f"{found['misses']} of {found['jobs']} deadlines missed under G-EDF")
    assert found["jobs"] == sum(task["jobs"] for task in found["tasks"])
    assert found["misses"] > 0


def test_trace_check_why_and_exports(run, dhall_file, tmp_path):
    trace = tmp_path / "dhall.trace"
    assert run("simulate", dhall_file, "--trace", trace).status == 0
    checked = run("check", trace, "--json")
    assert checked.status == 0
    names = {found["name"] for found in checked.json["traces"][str(trace)]}
    assert {"work_conserving", "respects_priority", "jobs_in_order"} <= names
    [one] = run("check", trace, "--invariants", "jobs_in_order", "--json").json["traces"][str(trace)]
    assert one["name"] == "jobs_in_order"
    why = run("why", trace, "T2J0", "--json").json
    assert sum(part["length_ns"] for part in why["parts"]) == why["response_time_ns"]
    assert "T2J0" in run("why", trace, "T2J0").out
    assert run("why", trace, "T9J9").status == 2
    for name in ("summary", "records", "text", "svg", "tikz", "csv", "scenario"):
        found = run("trace", trace, "--format", name)
        assert found.status == 0 and found.out.strip(), name
    assert "<svg" in run("trace", trace, "--format", "svg", "--until", "22 ms").out
    scenario = tmp_path / "again.toml"
    run("trace", trace, "--format", "scenario", "--out", scenario)
    assert scenario.read_text() == dhall_file.read_text()
    perfetto = tmp_path / "dhall.pftrace"
    assert run("trace", trace, "--format", "perfetto", "-o", perfetto).status == 0
    assert perfetto.stat().st_size > 0


def test_records_of_a_part_are_those_of_its_times_both_ends_among_them(run, dhall_file, tmp_path):
    trace = tmp_path / "dhall.trace"
    run("simulate", dhall_file, "--trace", trace)
    lines = run("trace", trace, "--format", "records").out.splitlines()
    [at] = {int(line.split()[0]) for line in lines if line.endswith("complete T2J0")}

    def part(*options):
        return run("trace", trace, "--format", "records", *options).out.splitlines()

    assert part("--from", "0 ns") == lines
    assert part("--from", f"{at} ns") == [line for line in lines if int(line.split()[0]) >= at]
    assert part("--from", "1 ns", "--until", f"{at} ns") == [line for line in lines if 1 <= int(line.split()[0]) <= at]
    around = part("--around", "T2J0")
    assert around[-1].endswith("complete T2J0") or int(around[-1].split()[0]) > at
    assert set(around) < set(lines)
    refused = {
        ("records", "--from", "3 ms", "--until", "1 ms"): "before they begin at 3 ms",
        ("csv", "--from", "3 ms"): "--from is for drawings and records",
        ("records", "--lanes", "tasks"): "--lanes is for a drawing",
    }
    for (format_, *options), reason in refused.items():
        found = run("trace", trace, "--format", format_, *options)
        assert found.status == 2 and reason in found.err


def test_draw_shows_the_beginning_of_the_schedule(run, dhall_file):
    found = run("simulate", dhall_file, "--draw")
    assert found.status == 0
    assert "P0" in found.out and "P1" in found.out


def test_generate_is_reproducible_and_writes_every_format(run, tmp_path, easy_file):
    first = run("generate", "--seed", 7, "-u", "1.5")
    assert first.status == 0
    assert first.out == run("generate", "--seed", 7, "-u", "1.5").out
    assert first.out != run("generate", "--seed", 8, "-u", "1.5").out
    found = run("generate", "--sets", 3, "--out", tmp_path / "sets", "-n", 5)
    assert found.status == 0
    assert sorted(path.name for path in (tmp_path / "sets").iterdir()) == ["set-0.toml", "set-1.toml", "set-2.toml"]
    for name, ending in (("csv", ".csv"), ("schedcat", ".xml"), ("simso", ".xml")):
        made = tmp_path / f"{name}{ending}"
        assert run("export", name, easy_file, "-o", made).status == 0
        assert made.read_text().strip()
    assert len(run("generate", "-n", 5, "--json").json["task_sets"][0]["tasks"]) == 5


def test_tasks_with_a_total_are_drawn_together(run):
    made = run("generate", "-n", 5, "-u", "2.0")
    assert made.status == 0, made.err
    tasks = schedlab.Scenario.parse(made.out).tasks
    assert len(tasks) == 5 and sum(tasks["utilization"]) == pytest.approx(2, abs=1e-6)
    assert made.out == run("generate", "-n", 5, "-u", "2.0", "--utilizations", "randfixedsum").out
    assert "uniform-medium" in run("generate", "-n", 5).out and "uniform-medium" in run("generate", "-u", 2).out
    refused = run("generate", "-n", 5, "-u", "2.0", "--utilizations", "uniform-light")
    assert refused.status == 2 and "needs a distribution over whole sets" in refused.err
    assert schedlab.generate(stop="tasks 3 total 1.5").tasks["utilization"] != [0.5] * 3


def test_generate_writes_the_schema_beside_scenarios(run, tmp_path):
    several, one = tmp_path / "sets", tmp_path / "one" / "one.toml"
    one.parent.mkdir()
    for out, sets in ((several, 2), (one, 1)):
        assert run("generate", "--sets", sets, "--tasks", 2, "--schema", "-o", out).status == 0
    for file in (*sorted(several.glob("*.toml")), one):
        line, _, text = file.read_text().partition("\n")
        assert (file.parent / line.removeprefix("#:schema ./")).read_text() == json.dumps(
            schemas.schema("scenario"), indent=2, ensure_ascii=False
        ) + "\n"
        assert schedlab.Scenario.read(file).to_toml() == text
    for refused in ((), ("-o", tmp_path / "set.csv", "--format", "csv"), ("--json",)):
        found = run("generate", "--schema", *refused)
        assert found.status == 2 and "--schema is for scenarios in files" in found.err


def test_generate_draws_within_ranges_by_task(run):
    ranges = ("--utilizations", "bounded-sum 2 0.5 0.9 6 0 0.2")
    made = run("generate", *ranges, "-n", 8, "-u", "1.75", "--periods", "choice 1s", "--json")
    assert made.status == 0
    costs = [task["wcet_ns"] for task in made.json["task_sets"][0]["tasks"]]
    assert all(500_000_000 <= cost <= 900_000_000 for cost in costs[:2])
    assert all(cost <= 200_000_000 for cost in costs[2:])
    # Each cost is rounded to a nanosecond.
    assert abs(sum(costs) - 1_750_000_000) <= len(costs) / 2
    wrong = run("generate", *ranges, "-n", 8, "-u", "1")
    assert wrong.status == 2
    assert "stop: the total utilization is 1; allowed: above 1, below" in wrong.err


@pytest.mark.parametrize("name", ["scenario", "overheads"])
def test_schemas_are_schemas(run, name):
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(run("schema", name).json)


@pytest.mark.parametrize("name", ["scenario", "overheads"])
def test_schemas_are_written_for_editors(run, tmp_path, name):
    path = tmp_path / f"{name}.schema.json"
    assert f"#:schema ./{path.name}" in run("schema", name, "--out", path).out
    assert json.loads(path.read_text()) == run("schema", name).json
    for other in (["names"], ["output", "analyze"]):
        refused = run("schema", *other, "--out", path)
        assert refused.status == 2 and "allowed: scenario, overheads" in refused.err


def test_the_schema_takes_what_can_be_named_in_any_case(run):
    """Schedulers and protocols: as the lists have them, and as the reader takes them."""
    from jsonschema import Draft202012Validator

    schema, names = run("schema").json, run("schema", "names", "--json").json["names"]
    for kind, listed in (("scheduler_name", names["schedulers"]), ("protocol_name", names["protocols"])):
        takes = Draft202012Validator(schema["$defs"][kind]).is_valid
        assert all(takes(name) and takes(name.swapcase()) for name in listed), kind
        assert not takes("none-such") and not takes(listed[0] + "x")


@pytest.mark.parametrize(
    ("given", "fine"),
    [
        ("utility = 2.5", True),
        ('utility = "2.5"', False),
        ('weights = [{ at = "40 ms", wcet = "2 ms", period = "5 ms" }]', True),
        ("weights = []", False),
        ('utility = { step = 10, termination = "8 ms" }', True),
        ('utility = { step = 10, half_life = "2 ms" }', False),
        ("utility = { linear = 10, last = 2 }", True),
        ("utility = { last = 2 }", False),
        ('utility = { exponential = 10, half_life = "2 ms" }', True),
        ("utility = { exponential = 10 }", False),
        ('utility = { points = [["0 ms", 10], ["8 ms", 4]] }', True),
        ('utility = { points = [["0 ms", 10]], termination = "8 ms" }', False),
        ('arrival = { sporadic = "5 ms" }', True),
        ('arrival = { sporadic = "5 ms", at = ["0 ms"] }', False),
        ("cost = { fraction = 0.5 }", True),
        ('cost = { fraction = 0.5, list = ["1 ms"] }', False),
        ('cost = { fraction = "0.5" }', True),
        ('cost = { fraction = "half" }', False),
        ('workload = "compute"', True),
        ('workload = "compute 5"', False),
        ('workload = "backtest"\nworking_set = "1 KiB"', True),
        ('program = ["execute 0.5 ms", "np_enter", "execute 0.5ms", "np_exit"]', True),
        ('program = ["execute 1"]', False),
        ('program = ["exec 1 ms"]', False),
    ],
)
def test_the_schema_takes_what_the_reader_takes(run, given, fine):
    from jsonschema import Draft202012Validator

    task = 'name = "a"\nwcet = "1 ms"\nperiod = "10 ms"'
    text = f'schedlab = 1\n[scheduler]\nname = "PD2"\n[[task]]\n{task}\n{given}\n'
    takes = Draft202012Validator(run("schema").json).is_valid(tomllib.loads(text))
    with nullcontext() if fine else pytest.raises(schedlab.BadInput, match=given.partition(" ")[0]):
        schedlab.Scenario.parse(text)
    assert takes is fine


def test_schema_names_lists_what_there_is(run):
    found = run("schema", "names", "--json").json["names"]
    assert {"P-EDF", "G-EDF", "NG-EDF", "C-EDF", "P-RM", "G-RM", "G-FIFO"} <= set(found["schedulers"])
    assert "paper-2008-4k" in found["overheads"]
    assert "G-EDF" in run("schema", "names").out


def test_overrides_replace_what_the_file_says(run, easy_file):
    [found] = run(
        "simulate", easy_file, "--processors", 4, "--copies", 2, "--horizon", "80 ms", "--seed", 5,
        "--overheads", "none", "--scheduler", "p-rm", "--json",
    ).json["simulations"]  # fmt: skip
    assert found["scheduler"] == "P-RM"
    assert len(found["tasks"]) == 6
    assert found["horizon_ns"] == 80_000_000


def test_ctrl_c_leaves_nothing_half_written(easy_file, tmp_path):
    out = tmp_path / "made"
    out.mkdir()
    with in_a_process("simulate", easy_file, "--horizon", "100000 s", "--trace", out / "long.trace") as process:
        deadline = time.monotonic() + 60
        while not list(out.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert list(out.iterdir()) == []


COMPLETIONS = [
    ("schedlab an", 1, "analyze"),
    ("schedlab study r", 2, "run"),
    ("schedlab analyze --sche", 2, "--scheduler"),
    ("schedlab simulate --scheduler p-e", 3, "P-EDF"),
    ("schedlab nonsense ", 2, ""),
]


@pytest.mark.parametrize(("words", "at", "expected"), COMPLETIONS, ids=[words for words, _, _ in COMPLETIONS])
def test_shells_complete_commands_options_and_schedulers(run, monkeypatch, words, at, expected):
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(at))
    monkeypatch.setenv("_SCHEDLAB_COMPLETE", "bash_complete")
    found = run()
    assert found.status == 0 and found.err == ""
    offered = [line.partition(",")[2] for line in found.out.splitlines()]
    assert expected in offered if expected else set(offered) <= {"run", "study"} | set(COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(run, monkeypatch, shell):
    monkeypatch.setenv("_SCHEDLAB_COMPLETE", f"{shell}_source")
    found = run()
    assert found.status == 0 and f"{shell}_complete" in found.out and "schedlab" in found.out


def test_writing_whole_keeps_the_old_file_on_failure(tmp_path: Path):
    from schedlab.base.files import writing_whole

    path = tmp_path / "result.json"
    path.write_text("old")
    with pytest.raises(RuntimeError), writing_whole(path) as stream:
        stream.write("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_json_output_is_json_alone(run, easy_file):
    for arguments in (["analyze", easy_file], ["simulate", easy_file], ["schema", "names"]):
        json.loads(run(*arguments, "--json").out)
