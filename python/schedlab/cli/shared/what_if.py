"""Options for what-if questions: other values of a scenario's fields, and a factor of its costs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import click

from schedlab.cli.shared.screen import say
from schedlab.errors import BadInput

Command = TypeVar("Command", bound=Callable[..., Any])


def stacked(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Joins several options into one decorator, in the order in which the help lists them."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


#: The options for what-if questions; --processors is the short form of a setting.
what_if_options = stacked(
    click.option(
        "--set",
        "settings",
        metavar="PATH=VALUE",
        multiple=True,
        callback=lambda context, option, given: [_setting(text) for text in given] or None,
        help="What if: another value of a field of the scenario, such as `task.NAME.wcet=5ms`; repeatable.",
    ),
    click.option(
        "--scale",
        metavar="FACTOR",
        callback=lambda context, option, given: None if given is None else _factor(given),
        help="What if: all costs times this factor, such as 1.2, after each --set.",
    ),
    click.option(
        "--processors", "-m", type=click.IntRange(min=1), help="Number of processors: --set platform.processors=N."
    ),
)

#: Key under which a command notes lines that follow its answer.
_LATER = "schedlab.later"


def say_later(lines: Iterable[str]) -> None:
    """Notes lines that follow the answer of the command."""
    click.get_current_context().meta.setdefault(_LATER, []).extend(lines)


def say_now() -> None:
    """Prints the lines that were noted to follow the answer, once."""
    for line in click.get_current_context().meta.pop(_LATER, []):
        say(line)


#: Paths of fields that options set, too, by the option.
_SHORT_FORMS = {
    "processors": "platform.processors",
    "cluster_size": "platform.cluster_size",
    "protocol": "protocol",
    "placement": "scheduler.placement",
    "priorities": "scheduler.priorities",
    "overheads": "overheads",
    "statistic": "overheads.statistic",
    "horizon": "horizon",
    "seed": "seed",
}


def refuse_both(overrides: Mapping[str, Any], schedulers: Sequence[Any]) -> None:
    """Raises if --set has a field that another option sets; `Scenario.replace` finds less plain cases."""
    of_options = {option: path for option, path in _SHORT_FORMS.items() if overrides.get(option) is not None}
    if schedulers or overrides.get("scheduler") is not None:
        of_options["scheduler"] = "scheduler.name"
    for path, value in overrides.get("settings") or ():
        full = {"scheduler": "scheduler.name"}.get(path, path)
        for option, of_option in of_options.items():
            if full == of_option:
                name = f"--{option.replace('_', '-')}"
                raise BadInput(f"{name} and --set {path}={value}; allowed: one of the two")


def is_undone(path: str, options: Sequence[str]) -> bool:
    """Returns whether one of the `options` says what a setting of the field at `path` says."""
    undone = [of_option for option, of_option in _SHORT_FORMS.items() if f"--{option.replace('_', '-')}" in options]
    undone += ["scheduler"] if "--scheduler" in options else []
    return any(path == one or path.startswith(f"{one}.") for one in undone)


def as_given(value: object) -> str:
    """Returns an option's value as a command line has it; a factor of costs as a decimal number if it is one."""
    if isinstance(value, Fraction) and Fraction(decimal := f"{float(value):.12g}") == value:
        return decimal
    return str(value)


def _setting(text: str) -> tuple[str, str]:
    """Returns the path and the value of a field. Names in a path may be in quotes, with what else would end them."""
    found = re.fullmatch(r'((?:"[^"]*"|[^"=])+)=(.*)', text, re.DOTALL)
    if found is None:
        raise BadInput(f"--set: {text!r} is not PATH=VALUE; allowed: such as task.NAME.wcet=5ms")
    return found[1].strip(), found[2].strip()


def _factor(text: str) -> Fraction:
    """Returns a factor of costs, of at most six decimals."""
    try:
        factor = Fraction(text)
    except (ValueError, ZeroDivisionError):
        factor = Fraction(0)
    if not 0 < factor <= 1_000_000 or factor.denominator > 1_000_000:
        raise BadInput(
            f"--scale: {text!r} is no factor of costs; allowed: from 0.000001 to 1000000, such as 1.2 or 6/5"
        )
    return factor
