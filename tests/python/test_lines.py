"""When a cost by the number of tasks is given as a line."""

from __future__ import annotations

import pytest

from schedlab.studies.lines import line


def test_a_line_by_hand() -> None:
    """Mean N 3, mean 6: slope 20/10, nothing left over. One point off by 2 leaves squares of 1.6, over 3, over 10."""
    assert (line([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]).slope, line([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]).margin) == (2, 0)
    off = line([1, 2, 3, 4, 5], [2, 4, 6, 8, 12])
    assert (off.slope, off.intercept) == (pytest.approx(2.4), pytest.approx(-0.8))
    # Student's t with three degrees of freedom: 99.5% lie below 5.841.
    assert off.margin == pytest.approx(5.841 * (1.6 / 3 / 10) ** 0.5, rel=1e-3)


@pytest.mark.parametrize(
    ("costs", "rises"),
    [
        ([100, 151, 200, 252], True),
        ([5, 4, 5.5, 4.9], False),  # noise
        ([9, 8, 7, 6], False),  # what falls is taken for constant
        ([100, 100.1, 100.2, 100.3], False),  # clear, and not worth a line
        ([100, 102, 104, 109.9], False),
        ([100, 104, 108, 112], True),
        ([30, 30, 31, 1_000], False),  # one size that is off
    ],
)
def test_noise_falls_and_flat_lines_are_no_trend(costs: list[float], rises: bool) -> None:
    assert line([10, 20, 30, 40], costs).rises(10, 40) == rises
