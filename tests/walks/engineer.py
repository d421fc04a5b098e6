"""The engineer's afternoon: this machine's overheads, what would hold on it, and a program of the engineer's own."""

import json

from walk import REFUSED, Walk

PROGRAM = r"""
#include <time.h>
int main(void) {
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (;;) {
        for (volatile long work = 0; work < 2000000; work++) { }
        next.tv_nsec += 20000000;
        if (next.tv_nsec >= 1000000000) { next.tv_nsec -= 1000000000; next.tv_sec++; }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, 0);
    }
}
"""


def afternoon(user: Walk) -> None:
    """`examples/avionics.toml` on this machine, a program that is watched, and one in C on schedlab's threads."""
    user.step("schedlab example --all")
    # Status 3 also says that the binary is not there.
    assert "not here" not in user.step("schedlab doctor", (0, REFUSED))
    user.step("schedlab measure --quick --out overheads.toml", (0, REFUSED))
    # Without real-time priorities, a paper's overheads stand for measured ones.
    overheads = "overheads.toml" if (user.folder / "overheads.toml").exists() else "paper-2008-4k"
    user.sees(f"schedlab advise examples/avionics.toml --overheads {overheads}", "margin")
    _same_code_ranks_alike(user.step(f"schedlab advise examples/avionics.toml --overheads {overheads} --json"))
    user.step("schedlab run examples/robot.toml --duration 1s --check --trace robot.slt", (0, REFUSED))
    user.step("schedlab compare examples/robot.toml --run --duration 1s --schedulers P-EDF,G-EDF", (0, REFUSED))
    user.writes("robot.c", PROGRAM)
    user.step("cc -O1 robot.c -o robot")
    said = user.step("schedlab observe --duration 4s --out seen.toml -- ./robot", (0, REFUSED))
    if (user.folder / "seen.toml").exists():
        assert "20 ms" in said, said
        user.step("schedlab analyze seen.toml")
    export = "schedlab export systemd examples/robot.toml --scheduler P-RM -o services"
    user.sees(export, "systemctl link", "systemctl start", "systemctl disable")
    assert sorted(found.suffix for found in (user.folder / "services").iterdir()) == [".service", ".service"]
    user.step("schedlab example periodic.c")
    user.step("cc -Wall -Werror periodic.c -o periodic $(pkg-config --cflags --libs schedlab)")
    user.step("./periodic", (0, REFUSED))


def _same_code_ranks_alike(advice: str) -> None:
    """P-RM and P-DM give these tasks the same priorities: no noise of measuring may tell their margins apart."""
    ways = json.loads(advice)["ways"]
    found = {way["scheduler"]: (way["rank"], way["margin_percent"]) for way in ways if way["priorities"] is None}
    assert found["P-RM"] == found["P-DM"], (found["P-RM"], found["P-DM"])
