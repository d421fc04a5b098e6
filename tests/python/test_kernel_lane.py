"""The lane of tests in a virtual machine: each bad ending of a machine fails the lane, by name.

No machine is booted: the files are those that one leaves.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

KERNEL = Path(__file__).resolve().parents[1] / "kernel"
WELL = {
    "stdout": "ok    kernel schedulers        one was loaded, and unloaded again\ntest a ... ok\n",
    "status": "0\n",
}


@pytest.fixture
def lane(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(KERNEL))
    for name in ("lane", "vm"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import lane

    return lane


def ending(
    lane: ModuleType, monkeypatch: pytest.MonkeyPatch, out: Path, files: dict[str, str], timed_out: bool = False
) -> bool:
    """Whether the lane holds a machine that left these files to have ended well."""
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(lane, "commands", lambda *_: "")
    monkeypatch.setattr(lane.vm, "execute", lambda *_: lane.vm._ended(out, timed_out))
    return bool(lane.test(lane.vm.COUNTED, out, 1, 1, 1))


@pytest.mark.parametrize(
    ("change", "timed_out", "named"),
    [
        ({"status": ""}, False, "the virtual machine died"),
        ({"status": ""}, True, "time-out: the virtual machine did not end"),
        (
            {"dmesg": "[ 1.5] WARNING: CPU: 0 PID: 7 at kernel/sched/ext.c:99\n"},
            False,
            "the kernel warned: [ 1.5] WARNING",
        ),
        ({"status": "1", "stdout": WELL["stdout"] + "test b ... FAILED\n"}, False, "tests failed (status 1)"),
        ({"stdout": ""}, False, "no test was executed"),
        ({"stdout": "test a ... ok\n"}, False, "schedlab-rt doctor did not load its probe"),
    ],
)
def test_each_bad_ending_fails_the_lane_by_name(
    lane: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    change: dict[str, str],
    timed_out: bool,
    named: str,
) -> None:
    assert not ending(lane, monkeypatch, tmp_path, WELL | change, timed_out)
    said = capsys.readouterr().out
    assert named in said and "whose times mean nothing" in said


def test_a_machine_that_ends_well_passes(
    lane: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert ending(lane, monkeypatch, tmp_path, WELL)
    assert "counted: 1 passed" in capsys.readouterr().out
