"""Caches on a bus: the experiment, schedules of a scenario, and the command."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schedlab
from conftest import ROOT, fits
from schedlab.cli.main import main
from schedlab.membus import bus_slots, memory_use
from schedlab.studies import Results, Study, find_study, grid, read_results, run_study
from schedlab.studies.executor import local_executor

pytestmark = pytest.mark.usefixtures("as_png")

CACHE = ROOT / "examples" / "cache.toml"


def test_slots_answer_with_the_whole_machine() -> None:
    seen = bus_slots(processors=4, parts=10, gap=2)
    assert (seen["machine"]["processors"], seen["machine"]["gap"]) == (4, 2)
    assert (seen["machine"]["cache_bytes"], seen["machine"]["quantum_cycles"]) == (256 * 1024, 2_000_000)
    assert seen["requests"] == [3 * 8192] * 4
    assert seen["served_cycles"] == [3 * 8192 * 24] * 4
    assert len(seen["pending_sum"]) == 30 and max(seen["pending_max"]) == 4
    # Of i pending requests i - 1 wait.
    assert sum(seen["lost_cycles"]) == sum(seen["pending_sum"]) - sum(seen["served_cycles"])


@pytest.mark.parametrize(
    ("machine", "told"),
    [
        ({"processors": 0}, "0 processors; allowed: 1 to 4096"),
        ({"line_bytes": 48}, "lines of 48 bytes; allowed: a power of two up to 2^32"),
        ({"cache_bytes": 16}, "a cache of 16 bytes with lines of 32; allowed: at least one line"),
        ({"write_miss": 0}, "write miss takes 0 cycles; allowed: 1 to 2^20"),
        ({"quantum_cycles": 0}, "slots of 0 cycles"),
        ({"cells": 0}, "program 0: an array of 0 cells; allowed: at least 1"),
        ({"cash": 1}, "unknown field `cash`"),
        ({"gap": -1}, "gap: -1; allowed: a whole number from 0 to 2^64 - 1"),
        ({"slots": 2.5}, "slots: 2.5; allowed: a whole number"),
        ({"quantum_cycles": 2**63}, "4 slots of 9223372036854775808 cycles; allowed: from 1 cycle to 2^62 in all"),
        ({"slots": 2**62}, "in 1 parts each; allowed: 1 or more of whole cycles, up to 2^24 parts in all"),
        ({"cache_bytes": 2**32, "processors": 16}, "caches of 2147483648 lines in all; allowed: up to 2^25"),
    ],
)
def test_bad_machines_are_refused(machine: dict[str, Any], told: str) -> None:
    with pytest.raises(schedlab.BadInput, match=re.escape(told)):
        bus_slots(**machine)


def test_schedules_of_a_scenario() -> None:
    scenario = schedlab.Scenario.read(CACHE).replace(horizon="40 ms")
    found, toml = memory_use(scenario, ["PD2", "P-EDF"])
    assert [one["scheduler"] for one in found] == ["PD2", "P-EDF"]
    pd2, pedf = found
    jobs = schedlab.simulate(scenario, scheduler="PD2").jobs
    assert len(pd2["jobs"]) == len(jobs)
    assert all(job["requests"] <= job["accesses"] for job in pd2["jobs"])
    assert {row["kind"] for row in pd2["delays"]} == {"cache_related_preemption", "cache_related_migration"}
    assert {row["kind"] for row in pedf["delays"]} == {"cache_related_preemption"}, "no job migrates"
    assert all(0 <= row["co_runners"] < 4 and row["mean_ns"] <= row["max_ns"] for row in pd2["delays"])
    assert sum(row["samples"] for row in pd2["delays"]) == pd2["resumptions"]
    # The file is read as any other, and says what it is.
    charged = schedlab.Scenario.read(CACHE).to_toml()
    assert "modelled" not in charged
    assert re.findall(r'^(title|machine|source) = "modelled', toml, re.MULTILINE) == ["title", "machine", "source"]
    assert memory_use(scenario, ["PD2", "P-EDF"]) == (found, toml), "the same scenario gives the same bytes"


def test_the_command_and_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "delays.toml"
    given = [str(CACHE), "--schedulers", "PD2,S-PD2", "--horizon", "40 ms"]
    assert main(["membus", *given, "-o", str(file)]) == 0
    out = capsys.readouterr().out
    assert "waiting for memory, PD2 (modelled)" in out and "loading a working set again, S-PD2 (modelled)" in out
    assert main(["compare", *given, "--modelled", str(file), "--json", "-o", str(tmp_path / "page")]) == 0
    answer = json.loads(capsys.readouterr().out)
    fits(answer, "compare")
    assert answer["modelled"]["source"].startswith("modelled by schedlab membus, not measured")
    rows = answer["modelled"]["cache_delays"]
    assert {row["scheduler"] for row in rows} == {"PD2", "S-PD2"}
    assert all(row["charged_ns"] is None for row in rows), "no overheads are charged"
    assert any(row["modelled_ns"] for row in rows)
    page = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    assert "Loading working sets again" in page and "modelled by schedlab membus" in page
    assert main(["compare", *given, "--modelled", str(file), "--overheads", "paper-2008-4k", "--json",
                 "-o", str(tmp_path / "page")]) == 0  # fmt: skip
    rows = json.loads(capsys.readouterr().out)["modelled"]["cache_delays"]
    assert any(row["charged_ns"] is not None for row in rows)


def test_a_task_without_a_working_set_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = CACHE.read_text(encoding="utf-8").replace('working_set = "96 KiB"\nworkload = "reads"\n', "")
    file = tmp_path / "cache.toml"
    file.write_text(text, encoding="utf-8")
    assert main(["membus", str(file)]) == 2
    told = capsys.readouterr().err
    assert re.search(r'cache\.toml:\d+:\d+: task\[2\]\.working_set: task "track" has no working set', told), told


def test_sizes_that_were_not_seen_are_unknown(tmp_path: Path) -> None:
    scenario = schedlab.Scenario.read(CACHE)
    found, toml = memory_use(scenario, ["PD2"])
    seen = {row["working_set_bytes"] for row in found[0]["delays"] if row["kind"] == "cache_related_preemption"}
    assert seen == {32 << 10, 64 << 10}, "larger ones were not displaced on their processor"
    told = "PD2: no cache_related_preemption of working sets of 98304, 131072 bytes; charges of them are guessed"
    assert told in toml
    file = tmp_path / "delays.toml"
    file.write_text(toml, encoding="utf-8")
    rows = schedlab.compare(scenario, schedulers=["PD2"], modelled=file)["modelled"]["cache_delays"]
    after = [row for row in rows if row["kind"] == "cache_related_preemption"]
    assert {row["working_set_bytes"] for row in after if row["modelled_ns"] is not None} == seen
    assert [row["working_set_bytes"] for row in after if row["modelled_ns"] is None] == [98304, 131072]


def test_other_endings_are_refused_before_the_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["membus", str(CACHE), "-o", str(tmp_path / "delays.csv")]) == 2
    assert 'an overheads file does not end like this; allowed: .toml, or "-"' in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_ctrl_c_ends_a_long_run() -> None:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        bus_slots(slots=100_000)


UNSURE = "indistinguishable here"


def small(name: str, monkeypatch: pytest.MonkeyPatch, **values: Any) -> tuple[Study, Path]:
    """A study with fewer points."""
    study, path = find_study(name)
    module = sys.modules[study.evaluate.__module__]
    for key, value in values.items():
        monkeypatch.setattr(module, key, value)
    return study, path


def answers(study: Study, folder: Path) -> list[str]:
    assert study.claims is not None and study.plot is not None
    results = read_results(folder)
    assert all(file.stat().st_size > 5000 for file in study.plot(results, folder))
    return [claim.answer for claim in study.claims(results)]


def test_figure_11(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, path = small("2005-fig11", monkeypatch, RANGE=[16, 24], GAPS=[4])
    study = replace(study, points=grid(line_cycles=[16, 24], gap=[4]))
    run_study(study, path, tmp_path, sets=1)
    assert answers(study, tmp_path) == ["holds here"] * 4


def test_figure_12(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, path = small(
        "2005-fig12", monkeypatch, ALPHAS=[0.2, 1.0], PROCESSORS=[1, 8, 16], RANGE=[24], RANGE_ALPHAS=[0.2, 1.0],
        RANGE_PROCESSORS=[8, 16],
    )  # fmt: skip
    study = replace(study, points=grid(line_cycles=[24], gap=[4], alpha=[0.2, 1.0], processors=[1, 8, 16]))
    run_study(study, path, tmp_path, sets=3)
    stored = read_results(tmp_path)
    many = Results(pa.concat_tables([stored.table] * 9), stored.provenance)
    assert study.claims is not None
    assert [claim.answer for claim in study.claims(many)] == ["holds here", "does not hold here", *["holds here"] * 3]
    # One repetition has no interval, and so nothing can be told apart.
    once = tmp_path / "once"
    run_study(study, path, once, sets=1)
    assert answers(study, once) == [UNSURE, UNSURE, "not evaluated", UNSURE, "holds here"]


def test_workers_change_no_byte(tmp_path: Path) -> None:
    study, path = find_study("2005-fig2")
    bytes_of = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        run_study(study, path, folder, sets=1, executor=local_executor(workers))
        bytes_of.append((folder / "results.parquet").read_bytes())
    assert bytes_of[0] == bytes_of[1]


def test_a_job_that_nothing_displaced_has_no_delay() -> None:
    """It suspends itself, alone on its processor: no cost of preemptions is known then."""
    scenario = schedlab.Scenario.parse(
        """
        schedlab = 1
        scheduler = "P-FP"
        horizon = "40 ms"
        platform = { processors = 1 }

        [[task]]
        name = "alone"
        period = "10 ms"
        priority = 0
        working_set = 4096
        workload = "reads"
        program = ["execute 1 ms", "suspend 1 ms", "execute 1 ms"]
        """
    )
    [found], toml = memory_use(scenario)
    assert found["resumptions"] == 0 and "cache_related_preemption" not in toml
