"""Advice for stock Linux on the terminal, and the option `--for`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from schedlab.base.words import count
from schedlab.cli.shared.files import in_a_shell
from schedlab.cli.shared.options import next_step, print_next, table, tell_caveats, write_output
from schedlab.cli.shared.screen import Styled, say
from schedlab.core.linux import LINUX_SCHEDULERS, best_of_kinds, linux_advice, mutexes_in_words
from schedlab.core.margins import percent_in_words
from schedlab.core.scenario import Scenario
from schedlab.errors import BadInput
from schedlab.outputs.results import LinuxAdvice, LinuxWay

Command = TypeVar("Command", bound=Callable[..., Any])

#: The only target of `--for`.
LINUX = "linux"

#: Largest number of kinds of proved ways, and of others, that are shown unless all are asked for.
MOST_WAYS = 6


def for_option(what: str) -> Callable[[Command], Command]:
    """Makes the option `--for`; `what` says what a command then does."""
    return click.option("--for", "target", type=click.Choice([LINUX]), help=what)


def refuse_beside_linux(**given: Any) -> None:
    """Raises if an option is given that says nothing of Linux."""
    for name, value in given.items():
        if value:
            raise BadInput(f"--{name} and --for {LINUX} exclude each other: only what stock Linux has is tried")


def expect_linux(scenarios: Sequence[Scenario], *, quiet: bool = False) -> list[Scenario]:
    """Returns the scenarios as `on_linux` does. Raises if one asks for what stock Linux lacks; the error says where,
    and what Linux has instead.
    """
    refusals = dict.fromkeys(refusal for one in scenarios if (refusal := one._native.linux_refusal))
    if refusals:
        raise BadInput("\n".join(refusals))
    return on_linux(scenarios, quiet=quiet)


def on_linux(scenarios: Iterable[Scenario], *, quiet: bool = False) -> list[Scenario]:
    """Returns the scenarios with the kernel's default throttling where they state none, and tells the user of it."""
    made = [one.on_linux() for one in scenarios]
    for one in made:
        tell_caveats(one, quiet=quiet)
    return made


def expect_linux_schedulers(named: Sequence[str]) -> list[str]:
    """Returns the schedulers to compare: those of Linux that are `named`, else all; raises if another one is."""
    others = [name for name in named if name.upper() not in LINUX_SCHEDULERS]
    if others:
        raise BadInput(
            f"--scheduler {', '.join(others)}: is no scheduler of stock Linux; allowed with --for {LINUX}: "
            f"{', '.join(LINUX_SCHEDULERS)}"
        )
    return list(named) or list(LINUX_SCHEDULERS)


def advise_for_linux(scenario: Any, out: Path | None, every: bool, tells: bool) -> LinuxAdvice:
    """Finds the ways of Linux, writes the best one into `out` if that is given, and tells the answer."""
    advice = linux_advice(scenario)
    if out is not None and advice["scenario"] is None:
        if tells:
            _print(advice, every, None)
        raise BadInput(f"{out}: not written, because no way of stock Linux is proved")
    if out is not None:
        write_output(advice["scenario"] or "", out)
    if tells:
        _print(advice, every, out)
    return advice


def _print(advice: LinuxAdvice, every: bool, out: Path | None) -> None:
    ways = advice["ways"]
    proved = [way for way in ways if way["schedulable"]]
    say(_verdict(advice, proved))
    if (own := _as_it_is(ways)) is not None:
        say(own)
    if proved:
        _print_settings(proved[0])
    _print_ways(ways, every)
    for line in advice["not_judged"]:
        say(f"not judged: {line}")
    if not proved:
        next_step("advise", why="which schedulers besides those of stock Linux would do", chosen=False)
        return
    best = proved[0]
    say("this rests on:")
    lines = [*best["assumptions"], *best["rests_on"]]
    for line in dict.fromkeys(lines):
        say(f"  * {line}")
    for line in best["left_out"]:
        say(f"left out: {line}")
    if best["overheads_unknown"]:
        say(f"overheads without a value, not charged: {', '.join(best['overheads_unknown'])}")
    if best["export_refuses"] is not None:
        say(f"`schedlab export threads` refuses the best way: {best['export_refuses']}")
    if out is None:
        next_step("advise", "--for", LINUX, "-o", "linux.toml", why="writes the best way as a scenario", chosen=False)
    elif best["export_refuses"] is None:
        script = in_a_shell(out.with_suffix(".sh"))
        print_next(
            f"schedlab export threads {in_a_shell(out)} -o {script}",
            f"a script that sets the threads of a running program; -o {out.stem}.h makes a header, for C",
        )
    else:
        print_next(f"schedlab analyze {in_a_shell(out)} --for {LINUX}", "what it guarantees")


def _verdict(advice: LinuxAdvice, proved: list[LinuxWay]) -> Styled:
    """Returns the answer: whether stock Linux can keep the deadlines, how, and with which margin."""
    tried = f"{len(proved)} of {count(len(advice['ways']), 'way')} that were tried are proved."
    if not proved:
        return Styled("not proved on stock Linux", "yellow", f": {tried}")
    best = proved[0]
    margin = percent_in_words(best["margin_percent"])
    return Styled("schedulable on stock Linux", "green", f": {_how(best)}; margin {margin}. {tried}")


def _as_it_is(ways: Sequence[LinuxWay]) -> Styled | None:
    """Says what is proved of the scenario as it is; None if Linux lacks its scheduler or protocol."""
    own = next((way for way in ways if way["is_own"]), None)
    if own is None:
        return None
    if own["schedulable"]:
        return Styled("as it is", "green", f": schedulable, margin {percent_in_words(own['margin_percent'])}")
    return Styled("as it is", "yellow", f": not proved; {own['reason']}")


def _how(way: LinuxWay) -> str:
    """Says in a few words how the threads of a way run."""
    places = {
        "P-SCHED_FIFO": "threads under SCHED_FIFO, each bound to a processor",
        "SCHED_FIFO": "threads under SCHED_FIFO on all processors",
        "SCHED_DEADLINE": "threads under SCHED_DEADLINE",
    }
    told = places.get(way["scheduler"], way["scheduler"])
    mutexes = mutexes_in_words(way["mutexes"])
    return told if mutexes is None else f"{told}, {mutexes}"


def _print_settings(way: LinuxWay) -> None:
    """Prints the tables that can be typed in."""
    fixed = any(thread["priority"] is not None for thread in way["threads"])
    shares = bool(way["mutexes"])
    columns = ["thread", "class", *(["priority"] if fixed else []), "processors", *(["mutexes"] if shares else []),
               "chrt", "taskset"]  # fmt: skip
    rows = table("settings of the best way; TID is the thread's id (ps -L -o tid,comm -p PID)", *columns)
    for thread in way["threads"]:
        cells = {
            "thread": thread["name"],
            "class": thread["class"],
            "priority": "-" if thread["priority"] is None else str(thread["priority"]),
            "processors": ",".join(map(str, thread["processors"])),
            "mutexes": ", ".join(thread["mutexes"]) or "-",
            "chrt": thread["chrt"].removeprefix("chrt "),
            "taskset": (thread["taskset"] or "-").removeprefix("taskset "),
        }
        rows.row(*(cells[name] for name in columns))
    rows.print()
    if shares:
        rows = table("", "mutex", "pthread_mutexattr_setprotocol", "ceiling", "threads", text=("threads",))
        for mutex in way["mutexes"]:
            ceiling = "-" if mutex["ceiling"] is None else str(mutex["ceiling"])
            rows.row(mutex["name"], mutex["attribute"], ceiling, ", ".join(mutex["users"]))
        rows.print()


def _print_ways(ways: list[LinuxWay], every: bool) -> None:
    """Prints the ways by rank: of each kind the best one, and how many others there are."""
    proved, failed = (best_of_kinds([way for way in ways if way["schedulable"] == wanted]) for wanted in (True, False))
    # Classes that no test knows are told apart from the many reasons of bound threads.
    failed.sort(key=lambda one: (not one[0]["is_own"], one[0]["scheduler"] == LINUX_SCHEDULERS[0]))
    shown = [(way, 0) for way in ways] if every else proved[:MOST_WAYS] + failed[:MOST_WAYS]
    columns = ["rank", "scheduler", "places", "priorities", "mutexes", "margin", "others", "why"]
    if all(way["placement"] is None for way, _ in shown):
        columns.remove("places")
    if not any(way["mutexes"] for way, _ in shown):
        columns.remove("mutexes")
    if not any(others for _, others in shown):
        columns.remove("others")
    rows = table("ways of stock Linux, the largest margin first", *columns, text=("why",))
    for way, others in shown:
        moved = " (bound ones moved)" if "places" in way["unheeded"] else ""
        cells: dict[str, str | Styled] = {
            "rank": str(way["rank"]),
            "scheduler": way["scheduler"] + (" (as it is)" if way["is_own"] else ""),
            "places": (way["placement"] or "-") + moved,
            "priorities": way["priorities"] or ("-" if way["scheduler"] == "SCHED_DEADLINE" else "given"),
            "mutexes": ", ".join(f"{one['name']} {one['protocol']}" for one in way["mutexes"]) or "-",
            "margin": Styled(percent_in_words(way["margin_percent"]), "green" if way["schedulable"] else "yellow"),
            "others": f"+{others}" if others else "",
            "why": (way["test"] if way["schedulable"] else None) or way["reason"],
        }
        rows.row(*(cells[name] for name in columns))
    rows.print()
    hidden = len(ways) - sum(1 + others for _, others in shown)
    if hidden:
        say(Styled(f"{hidden} more ways: --all", "dim"))
