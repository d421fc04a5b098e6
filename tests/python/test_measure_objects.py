"""`schedlab measure objects`, by a stand-in for the binary: what is printed, and which costs are written."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedlab.cli.objects import QUICK, ROUNDS, charged
from schedlab.studies.real import Noise

#: Of an idle machine: in each round nearly the same.
SIZES = (2, 4, 8, 12, 16, 20, 24, 28, 32)
Cost = Callable[[str, str, int, int], int]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Has each operation cost what a function says of object, scheme, tasks and round."""

    def answer_by(cost: Cost, others: float = 0.0) -> None:
        asked: Counter[int] = Counter()

        def answer(*words: object) -> list[dict[str, Any]]:
            assert words[:3] == ("measure", "objects", "--tasks")
            tasks = int(str(words[3]))
            at = asked[tasks]
            asked[tasks] += 1

            def row(thing: str, scheme: str, **rest: Any) -> dict[str, Any]:
                ns = [cost(thing, scheme, tasks, at)] * 99 + [100_000]
                return {"object": thing, "scheme": scheme, "bound": {}, "ns": ns, **rest}

            ours = [row("heap", scheme, peer="parking_lot", bound={"attempts": most, "steps": 9})
                    for scheme, most in (("sequential", 1), ("locked", 1), ("lock-free", None),
                                         ("wait-free", tasks + 2))]  # fmt: skip
            return [*ours, row("heap", "parking_lot")]

        monkeypatch.setattr("schedlab.cli.objects.ask", answer)
        monkeypatch.setattr(Noise, "end", lambda _: {"load": 1.0, "others": others, "stolen": 0.01})

    return answer_by


def idle(_: str, scheme: str, tasks: int, at: int) -> int:
    flat_ones = {"sequential": 120, "locked": 150, "lock-free": 240 + at % 2, "parking_lot": 160}
    return {**flat_ones, "wait-free": 450 + 5 * tasks}[scheme]


def flat(value: float) -> dict[int, list[float]]:
    return {tasks: [value + 0.1 * at for at in range(ROUNDS)] for tasks in SIZES}


def test_what_is_flat_is_the_largest_value() -> None:
    of = charged({**flat(30), 8: [33.0] * ROUNDS})
    assert (of.base_ns, of.slope_ps) == (33, 0) and of.far is None


def test_a_clear_slope_is_a_line_above_all_values() -> None:
    rounds = {tasks: [100 + 2.5 * tasks + at % 2 for at in range(ROUNDS)] for tasks in SIZES}
    of = charged({**rounds, 16: [145.0] * ROUNDS})
    # Without the size that is off by 5 it would be 100 + 2.5 N. The slope is rounded to 10 ps.
    assert 2_400 <= of.slope_ps <= 2_600 and of.slope_ps % 10 == 0 and of.far is None
    assert all(of.at(tasks) >= sorted(values)[1] for tasks, values in rounds.items()) and of.at(16) >= 145
    assert of.at(2) < 112 and of.at(32) < 188


def test_rounds_that_other_work_disturbs_do_not_count() -> None:
    """Three of five, at different sizes: it only ever adds."""
    rounds = flat(30)
    for tasks in (2, 16, 32):
        rounds[tasks][1:4] = [540.0] * 3
    of = charged(rounds)
    assert (of.base_ns, of.slope_ps, of.far) == (31, 0, None)


def test_one_lucky_round_does_not_count() -> None:
    rounds = flat(100)
    rounds[8][0] = 60.0
    assert charged(rounds).base_ns == 101


@pytest.mark.parametrize("sizes", [SIZES, QUICK])
def test_a_size_that_is_off_in_nearly_all_rounds_is_told(sizes: tuple[int, ...]) -> None:
    """Eighteen times as much at the last size makes no line of it; the constant is that, and it is said."""
    for lucky in (30.0, 550.0):
        rounds = {tasks: flat(30)[tasks] for tasks in sizes}
        rounds[32] = [540.0, 541.0, 555.0, lucky, 547.0]
        of = charged(rounds)
        assert of.slope_ps == 0 and 540 <= of.base_ns <= 541
        assert of.far is not None and of.far.times == pytest.approx(18, rel=0.05) and of.far.tasks == 2


@pytest.mark.parametrize("sizes", [SIZES, QUICK])
def test_sizes_that_differ_by_chance_are_no_line(sizes: tuple[int, ...]) -> None:
    """A cost of 100 that some size always takes a tenth more or less of: at most 3% of such draws seem a line."""
    draws = random.Random(1)
    lines = 0
    for _ in range(1_000):
        peculiar = {tasks: draws.gauss(100, 10) for tasks in sizes}
        rounds = {tasks: [cost + at * 0.1 for at in range(ROUNDS)] for tasks, cost in peculiar.items()}
        lines += charged(rounds).slope_ps > 0
    assert lines <= 30


def test_steps_of_a_coarse_clock_are_not_told() -> None:
    """Some clocks go by ten nanoseconds."""
    of = charged({**flat(11), 8: [21.0] * ROUNDS, 32: [30.0] * ROUNDS})
    assert of.far is None and of.at(32) >= 30


def test_objects_are_measured_in_rows(run: Any, stand_in: Any) -> None:
    """The largest hundredth is dropped; peers do not depend on N; each of ours stands beside its peer."""
    stand_in(idle)
    found = run("measure", "objects", "--quick")
    lines = [line.split() for line in found.out.splitlines()]
    assert found.status == 0, found.err
    assert lines[0] == ["object", "scheme", "tasks", "mean", "ns", "largest", "but", "1%", "attempts", "peer"]
    assert ["heap", "lock-free", "32", "240.0", "240", "-", "1.5", "x", "parking_lot"] in lines, found.out
    assert ["heap", "wait-free", "32", "610.0", "610", "34", "3.8", "x", "parking_lot"] in lines
    assert ["heap", "parking_lot", "-", "160.0", "160", "-", "what", "people", "use"] in lines
    assert len(lines) == 2 + 4 * len(QUICK) + 1, "and not a word of noise"


def test_what_does_not_go_with_objects_is_refused(run: Any) -> None:
    refused = run("measure", "objects", "--protocols", "msrp")
    assert refused.status == 2 and "--protocols does not go with it" in refused.err
    assert run("measure", "things").status == 2


def test_the_file_has_lines_and_constants(run: Any, stand_in: Any, tmp_path: Path) -> None:
    stand_in(idle)
    out = tmp_path / "objects.toml"
    assert run("measure", "objects", "-o", out).out.splitlines()[-1] == str(out)
    text = out.read_text()
    assert 'access = { max = "450ns + 5ns * N", mean = "450ns + 5ns * N" }' in text
    assert 'access = { max = "120ns", mean = "120ns" }' in text and "parking_lot" not in text
    assert "150ns" not in text, "the lock is charged apart"
    assert "idle" not in text and "Other processes used 0% of the processors meanwhile, the host took 1%." in text


def test_noise_is_told_and_noted(run: Any, stand_in: Any, tmp_path: Path) -> None:
    """At 16 tasks other work is there in nearly all rounds."""

    def disturbed(thing: str, scheme: str, tasks: int, at: int) -> int:
        usual = idle(thing, scheme, tasks, at)
        return 18 * usual if (scheme, tasks) == ("sequential", 16) and at != 2 else usual

    stand_in(disturbed, others=0.4)
    out = tmp_path / "objects.toml"
    said = run("measure", "objects", "-o", out).out
    told = "heap sequential: max and mean are up to 18 times what one round took for N = 2."
    for text in (said, out.read_text()):
        words = " ".join(text.split())
        assert told in words and "heap lock-free:" not in words and "heap wait-free:" not in words, text
        assert "Measure again on an idle machine" in words
        assert "Other processes used 40% of the processors meanwhile" in words


def test_a_busy_machine_is_told_even_if_all_values_agree(run: Any, stand_in: Any) -> None:
    stand_in(idle, others=0.4)
    said = " ".join(run("measure", "objects", "--quick").out.split())
    assert "Other processes used 40% of the processors meanwhile" in said and "on an idle machine" in said


def test_costs_of_objects_are_read_by_analyses(run: Any, stand_in: Any, tmp_path: Path) -> None:
    """What is written is charged, as a line in the number of tasks that share it."""
    stand_in(lambda thing, scheme, tasks, at: 100_000 + 1_000 * tasks)
    out, file = tmp_path / "objects.toml", tmp_path / "s.toml"
    assert run("measure", "objects", "--quick", "-o", out).status == 0
    assert 'max = "100us + 1us * N"' in out.read_text()
    program = '["request r", "execute 1 us", "release r"]'
    task = f'[[task]]\nname = "{{}}"\nprocessor = {{}}\nperiod = "10 ms"\nprogram = {program}\n'
    file.write_text(
        'schedlab = 1\nscheduler = "P-RM"\nplatform = { processors = 2 }\n[[resource]]\nname = "r"\nkind = "heap"\n'
        'scheme = "lock-free"\n' + task.format("a", 0) + task.format("b", 1)
    )
    # Each task's own access, and one more that the other's fails: 102 us each.
    verdicts = run("analyze", file, "--overheads", out, "--json").json["analyses"][0]["verdicts"]
    bounds = {one["test"]: one["response_time_bounds_ns"] for one in verdicts}
    assert bounds["lock_free_response_time"] == [204_000, 204_000], bounds
