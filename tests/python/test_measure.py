"""`schedlab measure`: overheads of this machine, where it allows real threads."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import fits
from schedlab.errors import BadInput
from schedlab.measurements import figures, read_measurements, write_page
from schedlab.scenario import Scenario

#: Nothing else may run beside.
pytestmark = pytest.mark.realtime

COMMAND = [sys.executable, "-m", "schedlab", "measure", "--quick", "--schedulers", "P-EDF,PD2", "--protocols", "msrp"]
ROW = {"count": 100, "max_ns": 900, "mean_ns": 450.5, "worst_ns": 1200, "bins": [[256, 60], [724, 40]],
       "percentiles_ns": {"p50": 300, "p90": 800, "p95": 850, "p99": 900, "p99_9": 1200}}  # fmt: skip


def example() -> str:
    """A file of measurements by hand."""
    head = {
        "schedlab-measurements": 2,
        "machine": {"model": "A", "processors": 2, "is_virtual": False, "kernel": "Linux 6", "mitigations": "none"},
        "extent": {"sets": 1, "length_ns": 500_000_000},
    }
    rows = [
        {"what": "context_switch", "scheduler": scheduler, "tasks": tasks, "set": 0, **ROW}
        for scheduler in ("P-EDF", "G-EDF")
        for tasks in (10, 40)
    ]
    rows += [
        {"what": f"cache_related_{kind}", "bytes": size, "access": "64 writes per page", "alignment": "aligned",
         "path": "shared L3", **ROW}
        for kind in ("preemption", "migration") for size in (4096, 65536)
    ]  # fmt: skip
    rows += [{"what": what, "scheduler": "P-EDF", "protocol": "msrp", "waiters": waiters, **ROW}
             for what in ("lock_acquire", "lock_release") for waiters in (0, 1)]  # fmt: skip
    rows += [{"what": "system_call", **ROW}]
    return "\n".join([json.dumps(head), json.dumps({"step": "all", "rows": rows}), ""])


def test_the_page_shows_what_was_measured_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(example(), encoding="utf-8")
    measurements = read_measurements(path)
    assert len(measurements.rows) == 13
    page = write_page(measurements, tmp_path / "m.html").read_text(encoding="utf-8")
    assert "a system call that does nothing" in page and "Working sets" in page and "Locks" in page
    assert "Tick" not in page, "what was not measured is absent"
    assert page.count("<svg") == 4
    assert write_page(measurements, tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_histograms_leave_lone_outliers_outside(tmp_path: Path) -> None:
    """A timer that was just served is no reason to draw three empty decades."""
    path = tmp_path / "m.jsonl"
    path.write_text(example().replace("[[256, 60],", "[[0, 1], [8192, 3000], [2097152, 1],"), encoding="utf-8")
    rows = read_measurements(path).rows
    low, high = figures.histograms(rows, "context_switch").axes[0].get_xlim()
    assert 0.5 < low < 0.724 and 8.192 < high < 20, "between the bins of 724 and of 8192 ns"
    assert figures.histograms(rows, "tick") is None


def test_each_protocol_has_an_inset(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(example(), encoding="utf-8")
    (axes,) = figures.by_waiters(read_measurements(path).rows).axes
    assert axes.get_title() == "msrp" and [line.get_label()[:1] for line in axes.get_lines()] == ["P", "V"]


def test_a_file_of_something_else_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="not a file of measurements"):
        read_measurements(path)
    path.write_text(example() + '{"step": "cut', encoding="utf-8")
    with pytest.raises(BadInput, match=r"m\.jsonl:3: not a step"):
        read_measurements(path)


def test_an_interrupted_measurement_goes_on_and_its_file_is_taken_by_scenarios(tmp_path: Path) -> None:
    out = tmp_path / "overheads.toml"
    command = [*COMMAND, "--out", str(out)]
    first = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    lines = tmp_path / "overheads.jsonl"
    while first.poll() is None and not (lines.exists() and lines.read_text(encoding="utf-8").count("\n") > 2):
        time.sleep(0.02)
    first.send_signal(signal.SIGINT)
    said = first.communicate(timeout=60)[1]
    if first.returncode == 3:
        pytest.skip(said.strip())
    assert first.returncode == 130 and not out.exists(), said
    done = set(lines.read_text(encoding="utf-8").splitlines())
    assert len(done) > 2
    second = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert second.returncode == 0, second.stderr
    assert done <= set(lines.read_text(encoding="utf-8").splitlines()), "what was measured is kept"
    assert second.stdout.splitlines()[-1] == str(out.with_suffix(".html"))
    scenario = Scenario.read(Path(__file__).parents[2] / "examples" / "avionics.toml")
    taken = scenario.replace(overheads=str(out), scheduler="P-EDF").to_toml()
    assert 'name = "P-EDF"' in taken and "context_switch" in taken


def test_the_answer_as_json_names_its_files(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(out: Path, options: object, *, quiet: bool = False) -> int:
        assert quiet and options == ["--quick", "--schedulers", "P-EDF,G-EDF"]
        out.with_suffix(".jsonl").write_text(example(), encoding="utf-8")
        return 0

    monkeypatch.setattr("schedlab.runtime.measure", measured)
    out = tmp_path / "o.toml"
    found = run("measure", "--quick", "--scheduler", "P-EDF", "--scheduler", "G-EDF", "-o", out, "--json").json
    fits(found, "measure")
    assert found["page"] == str(tmp_path / "o.html") and (tmp_path / "o.html").is_file()


def test_nothing_goes_on_without_the_command_that_began_it(tmp_path: Path) -> None:
    out = tmp_path / "overheads.toml"
    with subprocess.Popen([*COMMAND, "--out", str(out)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        if not said.startswith("["):
            pytest.skip(said.strip())
        process.kill()
    # What it had begun to measure is over in seconds; the whole would take a minute.
    for _ in range(100):
        time.sleep(0.1)
        if str(out) not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout:
            break
    else:
        pytest.fail("it still measures")
    assert not out.exists(), "it was not finished"
