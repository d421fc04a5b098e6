#!/usr/bin/env python3
"""Writes examples/automotive.toml: a synthetic engine-control set from the statistics of WATERS 2015.

S. Kramer, D. Ziegenbein, A. Hamann, Real World Automotive Benchmarks For Free, WATERS 2015, tables III to V:
the share of runnables by period, their average execution times, and the factors to best and worst case.

For each of RUNNABLES runnables, shared out by period (the 15% angle-synchronous ones are left out and the
other shares scaled up), draws an average execution time from the Weibull distribution that others fitted to
the paper's minimum, average and maximum (the TU Dortmund generator end-to-end_inter; uniform for 1000 ms),
again until it lies within the paper's limits, then a factor to the worst case, uniformly within the
paper's limits. A task holds all runnables of one period, and its WCET is the sum of theirs.

    python3 examples/automotive.py > examples/automotive.toml
"""

import math
import random

SEED = 2015
RUNNABLES = 120

Row = tuple[int, int, float, float, float, float, float | None, float | None]

# period in ms, share in %, ACET min and max in us, WCET factor min and max, Weibull shape and 1/scale
ROWS: list[Row] = [
    (1, 3, 0.34, 30.11, 1.3, 29.11, 1.044, 0.214),
    (2, 2, 0.32, 40.69, 1.54, 19.04, 1.0607440083, 0.2479463059),
    (5, 2, 0.36, 83.38, 1.13, 18.44, 1.00818633, 0.09),
    (10, 25, 0.21, 309.87, 1.06, 30.03, 1.0098, 0.0985),
    (20, 25, 0.25, 291.42, 1.06, 15.61, 1.0130969967, 0.1138186679),
    (50, 3, 0.29, 92.98, 1.13, 7.76, 1.0032421916, 0.0568545046),
    (100, 20, 0.21, 420.43, 1.02, 8.88, 1.0090073603, 0.09448019812),
    (200, 1, 0.22, 21.95, 1.03, 4.9, 1.1571061236, 0.3706045664),
    (1000, 4, 0.37, 0.46, 1.84, 4.75, None, None),
]


def average(rng: random.Random, row: Row) -> float:
    """The average execution time of one runnable in microseconds."""
    _, _, low, high, _, _, shape, rate = row
    if shape is None or rate is None:
        return low + (high - low) * rng.random()
    while True:
        drawn: float = (-math.log(1.0 - rng.random())) ** (1.0 / shape) / rate
        if low <= drawn <= high:
            return drawn


def main() -> None:
    rng = random.Random(SEED)
    shares = sum(row[1] for row in ROWS)
    print(f"""\
# Synthetic: drawn by examples/automotive.py with seed {SEED}, not measured on any car.
schedlab = 1
title = "Automotive engine control, synthetic, {RUNNABLES} runnables in one task per period"
source = \"\"\"
Statistics of S. Kramer, D. Ziegenbein, A. Hamann, Real World Automotive Benchmarks For Free, WATERS 2015, \
tables III to V, \\
read in vertexclique/cekic and tu-dortmund-ls12-rt/end-to-end_inter; \
drawn by examples/automotive.py with seed {SEED}.\"\"\"
notes = \"\"\"
Synthetic. The 15% angle-synchronous runnables are left out and the other shares scaled up; \
other generators put them on 20 ms.
The distribution of average execution times is a fit by others to the paper's minimum, average and maximum.
A task's WCET is the sum of its runnables' worst cases, which the paper does not claim to occur together.\"\"\"
horizon = "20 s"
deadlines = "implicit"
scheduler = "P-RM"

[platform]
processors = 4""")
    for row in ROWS:
        count = max(1, round(RUNNABLES * row[1] / shares))
        worst_us = sum(average(rng, row) * (row[4] + (row[5] - row[4]) * rng.random()) for _ in range(count))
        print(f"""
# {count} runnables
[[task]]
name = "every_{row[0]}_ms"
wcet = "{math.ceil(worst_us)} us"
period = "{row[0]} ms\"""")


if __name__ == "__main__":
    main()
