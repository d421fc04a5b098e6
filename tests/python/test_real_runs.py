"""The campaign of real runs, `tests/real_runs.py`: what it prints, keeps and draws."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from schedlab.errors import BadInput
from schedlab.plots import paper_style
from schedlab.runtime import doctor
from schedlab.schemas import names

#: Nothing else may run beside.
pytestmark = pytest.mark.realtime

# The campaign is a program in the folder above, with a file beside it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
distributions = importlib.import_module("distributions")
real_runs = importlib.import_module("real_runs")

STARTS = {"p999_ns": 60_000, "largest_ns": 90_000}
FOUND = {
    "ending": "horizon", "holds": True, "replay_is_exact": True, "invariants_hold": True,
    "jobs": {"completed": 1600, "missed": 3},
    "witness": {"starts": STARTS, "stops": STARTS, "on_two_processors": 0},
    "misses": {
        "of_schedule": 0, "of_lost_time": 1, "lost_mostly_to": {"rustc": 1}, "of_shifted_decisions": 1,
        "shifted_mostly_by": {"rustc": 1}, "unexplained": [{"job": "T0J1"}],
    },
}  # fmt: skip
KEPT = {
    "found": FOUND,
    "simulated_misses": 1,
    "responses_ns": {"real": {"a": [1, 2]}, "simulated": {"a": [1, 1]}},
}


def test_quantiles_hold_the_smallest_and_the_largest_value() -> None:
    thousandths = distributions.quantiles([5, 1, 3])
    assert (thousandths[0], thousandths[500], thousandths[-1], len(thousandths)) == (1, 3, 5, 1001)
    assert distributions.quantiles([]) == []


def test_each_run_has_a_panel_with_real_beside_simulated() -> None:
    beside = distributions.Beside
    panel = {"1 of 10 ms": beside([1, 2], [1, 3]), "2 of 20 ms": beside([5, 6], [])}
    with paper_style():
        figure = distributions.draw_beside(dict.fromkeys(("P-EDF", "G-EDF", "PD2", "S-PD2", "msrp"), panel), "a note")
    drawn = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title() for axes in drawn] == ["P-EDF", "G-EDF", "PD2", "S-PD2", "msrp"]
    assert all(len(axes.lines) == 3 for axes in drawn), "what was not simulated is absent"


def test_each_protocol_has_a_carrier_that_takes_it() -> None:
    def takes(carrier: str, protocol: str, local: bool) -> bool:
        try:
            real_runs.scenario(carrier, protocol, local=local)
        except BadInput:
            return False
        return True

    for name, ways in real_runs.candidates(None):
        # Servers are tasks of their own, which these sets have not.
        if name not in real_runs.SCHEDULERS and name != "pfair-server":
            assert any(takes(*way) for way in ways), name


def test_a_run_that_is_kept_is_not_run_again_unless_its_scenario_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[str] = []

    def one(given: Any) -> dict[str, Any]:
        ran.append(given.scheduler)
        return dict(KEPT)

    monkeypatch.setattr(real_runs, "one", one)
    monkeypatch.setattr(real_runs, "doctor", lambda: {"machine": {"processors": 2, "model": "A", "kernel": "Linux 6"}})

    def campaign(*options: str) -> int:
        command = ["real_runs.py", "--only", "P-EDF", "G-EDF", "--out", str(tmp_path), *options]
        monkeypatch.setattr(sys, "argv", command)
        status: int = real_runs.main()
        return status

    assert campaign("--duration", "1s") == 0 and ran == ["P-EDF", "G-EDF"]
    assert campaign("--duration", "1s") == 0 and ran == ["P-EDF", "G-EDF"], "kept"
    assert campaign("--duration", "2s") == 0 and ran == ["P-EDF", "G-EDF"] * 2, "another horizon"
    assert campaign("--duration", "60s", "--within", "50 s") == 130 and len(ran) == 4, "it would end too late"
    monkeypatch.setitem(FOUND, "holds", False)
    assert campaign("--duration", "3s") == 1
    [first, _] = json.loads((tmp_path / "table.json").read_text())["runs"]
    assert (first["missed"], first["missed_simulated"], first["misses_unexplained"]) == (3, 1, 1)
    assert (tmp_path / "responses.png").exists()
    assert "exact    hold       true        60.0       90.0    1600       3         1" in capsys.readouterr().out


def test_the_matrix_has_every_protocol_and_every_scheduler_of_the_lists() -> None:
    known = names()
    labels = [label for label, _ in real_runs.pairs(None)]
    for protocol in known["protocols"]:
        assert any(label.startswith(f"{protocol} (") for label in labels), protocol
    for scheduler in known["schedulers"]:
        assert any(label.split(" (")[1].rstrip(")").split(",")[0] == scheduler for label in labels), scheduler
    assert len(labels) == len(set(labels))


def test_a_short_run_that_is_wrong_says_what_is() -> None:
    kept: dict[str, Any] = {"found": dict(FOUND, misses=None), "violated": []}
    assert real_runs.wrong_with(kept) == []
    assert real_runs.wrong_with({"found": FOUND, "violated": []}) == ["misses are unexplained"]
    kept["violated"] = ["blocked_at_most_once"]
    assert real_runs.wrong_with(kept) == ["the traces violate blocked_at_most_once"]
    kept["found"] = dict(kept["found"], witness=dict(FOUND["witness"], invariants_hold=False))
    assert real_runs.wrong_with(kept)[0] == "what the kernel ran violates invariants"


#: What is said of protocols that no thread can follow without knowing what a resource is.
NOT_FOR_REAL = "has no kind"


def is_not_for_real(why: str) -> bool:
    return NOT_FOR_REAL in why


def runs_of(takers: list[tuple[str, Any]], first: int) -> tuple[str, dict[str, Any]]:
    """A short run of the first of these pairs that is not refused, from this one on; else the last refusal."""
    for label, given in takers[first:] + takers[:first]:
        kept = real_runs.short(given.replace(horizon="100 ms"))
        if "refused" not in kept or is_not_for_real(kept["refused"]):
            return label, kept
    return takers[first][0], kept


def test_each_protocol_keeps_its_promises_for_real() -> None:
    """A slice of the matrix: each protocol under one of the schedulers that take it, mostly another one for each."""
    if not doctor()["real_runs"]:
        pytest.skip("real-time priorities are refused here")
    by_protocol: dict[str, list[tuple[str, Any]]] = {}
    for label, given in real_runs.pairs(None):
        by_protocol.setdefault(given.protocol, []).append((label, given))
    wrong, refused = {}, {}
    for at, (protocol, takers) in enumerate(by_protocol.items()):
        label, kept = runs_of(takers, 7 * at % len(takers))
        if "refused" in kept:
            refused[protocol] = kept["refused"]
        # The longer runs of the whole matrix judge misses, too.
        elif found := [what for what in real_runs.wrong_with(kept) if "misses" not in what]:
            wrong[label] = found
    assert not wrong
    assert all(is_not_for_real(why) for why in refused.values()), refused
