"""Traces of older formats are read, and say who decided."""

from pathlib import Path

import pytest

from schedlab import Schedule, simulate

TRACES = Path(__file__).parents[1] / "golden" / "traces"


@pytest.mark.parametrize(
    ("name", "version", "backend"),
    [
        ("simulated-1", 1, "simulation"),
        ("threads-2", 2, "threads"),
        ("threads-2.kernel", 1, "threads"),
        ("class-2", 2, "class"),
    ],
)
def test_older_formats_say_who_decided(name: str, version: int, backend: str) -> None:
    path = TRACES / f"{name}.slt"
    assert path.read_bytes()[8] == version
    schedule = Schedule.read(path)
    assert (schedule.backend, "backend" in schedule.header) == (backend, False)
    assert all(found.holds for found in schedule.check())
    assert schedule.to_bytes() == path.read_bytes(), "what is read is written as it was"


def test_the_newest_format_differs_by_its_number_and_one_entry() -> None:
    old = Schedule.read(TRACES / "simulated-1.slt")
    new = simulate(old.scenario)
    assert (new.backend, new.header["backend"]) == ("simulation", "simulation")
    content = bytearray(new.to_bytes().replace(b"\x07backend\x0asimulation", b"", 1))
    assert (content[8], content[10]) == (3, len(new.header))
    content[8], content[10] = 1, len(new.header) - 1
    assert bytes(content) == old.to_bytes()
