"""Options and output that several commands share."""

from __future__ import annotations

import io
import json
import shlex
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from schedlab.base.files import write_whole, writing_whole
from schedlab.cli.shared.files import in_a_shell
from schedlab.cli.shared.rows import Rows
from schedlab.cli.shared.screen import painted, printable, say, width
from schedlab.cli.shared.what_if import as_given, is_undone, refuse_both, say_later, say_now, stacked, what_if_options
from schedlab.core.policy import load_policy
from schedlab.core.scenario import Scenario, supposed_in_words
from schedlab.core.schedule import Schedule
from schedlab.errors import BadInput
from schedlab.outputs import OUTPUTS
from schedlab.schemas import names as known

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Exit with status 1 if a task set is unschedulable, a deadline is missed, or jobs deadlock; else with 5 if an "
    "answer is unknown.",
)


policies_option = click.option(
    "--policy",
    "policies",
    metavar="FILE.py:CLASS",
    multiple=True,
    help="Take this scheduler, too: a class in Python; repeatable.",
)


def schedulers_option(instead: str = "the scenario's own") -> Callable[[Command], Command]:
    """Makes the option for schedulers; `instead` states which ones are taken if none is named."""
    return click.option(
        "--scheduler",
        "--schedulers",
        "schedulers",
        metavar="NAME[,NAME...]",
        multiple=True,
        callback=_all_names,
        shell_complete=_known_schedulers,
        help=f"Take this scheduler; repeatable. If not given, {instead}.",
    )


def scheduler_option(instead: str = "the scenario's own") -> Callable[[Command], Command]:
    """Makes the option for the one scheduler of a scenario that is written."""
    return click.option(
        "--scheduler",
        metavar="NAME",
        multiple=True,
        callback=_only_name,
        shell_complete=_known_schedulers,
        help=f"Scheduler; if not given, {instead}.",
    )


def _all_names(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> list[str]:
    return [name for text in given for name in names(text) or []]


def _only_name(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> str | None:
    if len(given) > 1:
        raise BadInput(f"--scheduler: {' and '.join(given)}; allowed: one, as a scenario has one")
    return given[0] if given else None


def _known_schedulers(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    return [name for name in known()["schedulers"] if name.lower().startswith(begun.lower())]


#: The option for overheads that simulations and analyses charge.
_overheads = click.option(
    "--overheads",
    metavar="NAME|FILE",
    help="Overheads to charge: a shipped name such as `paper-2008-4k`, a file, or SchedCAT's tables (.csv,...). "
    "`schedlab schema names` lists the shipped ones.",
)
#: The option for overheads of real runs, which only enlarge weights, because nothing is charged there.
_inflate = click.option(
    "--inflate",
    "overheads",
    metavar="NAME|FILE",
    help="Enlarge the weights of Pfair schedulers by these overheads, such as a file of `schedlab measure`.",
)


#: The option for contents of another tool's file that may be left out.
ignore_option = click.option(
    "--ignore",
    metavar="KIND[,KIND...]",
    multiple=True,
    callback=lambda context, option, given: _all_names(context, option, given) or None,
    help="Leave out what another tool's file says and a scenario cannot, such as `speed` or `overheads`. Answers may "
    "be too good without it, and say so. Repeatable.",
)


def _overriding(overheads: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Makes the options that override what a scenario's file states."""
    return stacked(
        what_if_options,
        click.option(
            "--cluster-size",
            type=click.IntRange(min=1),
            help="Processors of each cluster under C- schedulers. If not given, clusters are halves.",
        ),
        click.option("--copies", type=click.IntRange(min=1), help="Repeat the task set this many times."),
        click.option(
            "--protocol", metavar="NAME", help="Locking protocol: `pip`, `pcp`, `msrp`, `fmlp`, ... or `none`."
        ),
        click.option(
            "--scheme",
            "schemes",
            metavar="OBJECT=SCHEME",
            multiple=True,
            callback=lambda context, option, given: given or None,
            help="Give an object another scheme: `locked`, `lock-free` or `wait-free`; repeatable.",
        ),
        click.option(
            "--placement",
            metavar="WORDS",
            help="Where tasks go, such as `worst_fit_decreasing qpa`: a packing, a test at each step, `together` for "
            "tasks that share resources, a split by `C=D`. `schedlab schema names` lists the words.",
        ),
        click.option(
            "--priorities",
            metavar="RULE",
            help="Rule for priorities under FP, such as `DM` or `Audsley`. `schedlab schema names` lists them.",
        ),
        overheads,
        click.option("--statistic", metavar="NAME", help="Which overheads to charge: `max`, `mean`, `p50` to `p99_9`."),
        ignore_option,
        click.option("--horizon", metavar="TIME", help='When the experiment ends, such as "10 s".'),
        click.option("--seed", type=click.IntRange(min=0, max=2**64 - 1), help="Seed of everything that is random."),
    )


override_options = _overriding(_overheads)
#: The argument SCENARIO and the overriding options.
scenario_options = stacked(click.argument("scenario", type=FILE), override_options)
#: The argument SCENARIO and the overriding options of a command that only runs for real.
real_options = stacked(click.argument("scenario", type=FILE), _overriding(_inflate))


def read_scenario(path: Path, *, quiet: bool = False, **overrides: Any) -> Any:
    """Reads the scenario in `path` (`-`: standard input) and applies the overrides that were given.

    Reports what is left out of it, and what answers rest on: see `tell_caveats`, also for `quiet`.
    """
    [scenario] = read_scenarios(path, [], quiet=quiet, **overrides)
    return scenario


def read_scenarios(
    path: Path,
    schedulers: Sequence[Any],
    *,
    quiet: bool = False,
    tells: bool = True,
    heeds_places: bool = False,
    **overrides: Any,
) -> list[Any]:
    """Reads the scenario in `path` under each of `schedulers`, else under its own scheduler: see `read_scenario`.

    If it does not tell (`tells`), the caller reports what its own answers leave out. A command that `heeds_places`
    answers about these, whatever the scheduler does.
    """
    ignore = overrides.get("ignore") or ()
    if str(path) == "-":
        # Standard input may be no text, such as a trace.
        content = sys.stdin.buffer.read() if isinstance(sys.stdin, io.TextIOWrapper) else sys.stdin.read()
        scenario = Scenario.read_text(content, "<stdin>", ignore=ignore)
    else:
        scenario = Scenario.read(path, ignore=ignore)
    if scenario.lost:
        print(f"schedlab: not read: {'; '.join(scenario.lost)}", file=sys.stderr)
    given = settings_of(overrides, schedulers)
    # The scheduler matters if more processors are asked for, because some heed where threads are bound.
    settings = [given | {"scheduler": one} for one in schedulers] or [given]
    scenarios = [scenario.replace(**one) if one else scenario for one in settings]
    for one in scenarios if tells else ():
        tell_caveats(one, quiet=quiet, heeds_places=heeds_places)
    return scenarios


def read_trace(path: Path, *, quiet: bool = False) -> Any:
    """Reads the trace in `path`, and reports what its scenario leaves out: see `tell_caveats`."""
    schedule = Schedule.read(path)
    tell_caveats(schedule.scenario, quiet=quiet)
    return schedule


#: Key under which a command notes what its answers leave out and rest on.
_CAVEATS = "schedlab.caveats"

#: What is said of scenarios, by the key in JSON; and the words before each line.
_SAID = {"what_if": "what if:", "left_out": "left out of", "rests_on": "rests on:"}


def tell_caveats(scenario: Any, *, quiet: bool = False, heeds_places: bool = False) -> None:
    """Reports, once, what was set from outside, what answers about a scenario leave out, and what they rest on.

    Of the places of tasks nothing is said to a command that `heeds_places` itself.

    The report goes to standard error if the output is `quiet` data. With --json, `print_answer` includes it.
    """
    context = click.get_current_context()
    told: dict[str, list[Any]] = context.meta.setdefault(_CAVEATS, {key: [] for key in _SAID})
    for key in _SAID:
        of_file = heeds_places and key == "left_out"
        lines = scenario._native.left_out_of_file if of_file else getattr(scenario, key)
        new = [line for line in lines if line not in told[key]]
        told[key] += new
        if context.params.get("as_json"):
            continue
        if key != "what_if":
            say_caveats(**{key: new}, quiet=quiet)
        elif quiet:
            say_caveats(what_if=[supposed_in_words(one) for one in new], quiet=True)
        else:
            # The answer comes first.
            say_later(f"{_SAID[key]} {supposed_in_words(one)}" for one in new)


def say_caveats(
    *,
    what_if: Sequence[str] = (),
    left_out: Sequence[str] = (),
    rests_on: Sequence[str] = (),
    quiet: bool = False,
) -> None:
    """Prints what was set from outside, what answers leave out and what they rest on, a line each.

    The lines go to standard error if the output is data.
    """
    for key, lines in (("what_if", what_if), ("left_out", left_out), ("rests_on", rests_on)):
        for line in lines:
            if quiet:
                print(f"schedlab: {_SAID[key]} {line}", file=sys.stderr)
            else:
                say(f"{_SAID[key]} {line}")


def settings_of(overrides: Mapping[str, Any], schedulers: Sequence[Any] = ()) -> dict[str, Any]:
    """Returns the settings that options gave, as a scenario takes them. Raises if --set says what another option says.

    `schedulers` are those that are asked for besides.
    """
    refuse_both(overrides, schedulers)
    given = {name: value for name, value in overrides.items() if value is not None}
    if "overheads" not in given:
        # From here on, only tables of overheads lose anything.
        given.pop("ignore", None)
    if "schemes" in given:
        given["schemes"] = dict(map(_scheme, given["schemes"]))
    return given


def _scheme(text: str) -> tuple[str, str]:
    """Returns an object and its scheme."""
    name, is_said, scheme = text.partition("=")
    if not (name and is_said and scheme):
        raise BadInput(f"--scheme: {text!r} is not OBJECT=SCHEME; allowed: such as events=wait-free")
    return name, scheme


def passed_on(**options: Any) -> list[str]:
    """Returns options of a command as words: flags, and names with values, without those that were not given."""
    words = []
    for name, value in options.items():
        if value is not None and value is not False:
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return words


def print_supertasks(scenario: Any) -> None:
    """Prints one line for each supertask that the scheduler knows, with its components."""
    for found in scenario.supertasks():
        inside = f"{found['order']}, {found['scheduling']}, weight {found['weight']}"
        guarantee = f"not guaranteed: {found['doubt']}" if found["doubt"] else "deadlines guaranteed without overheads"
        components = ", ".join(found["components"])
        say(f"supertask {found['name']} ({inside}; {guarantee}): {components}")


def table(title: str, *columns: str, text: Sequence[str] = ()) -> Rows:
    """Makes an empty table; if it does not fit, the first column and those in `text` are shortened."""
    return Rows(title, columns, text)


def names(text: str | None) -> list[str] | None:
    """Splits a list of names at commas and blanks; None stays None."""
    if text is None:
        return None
    found = text.replace(",", " ").split()
    if not found:
        raise BadInput("an empty list of names; separate names by commas")
    return found


def policies_of(places: Sequence[str]) -> list[Any]:
    """Returns the classes that --policy names."""
    return [load_policy(place) for place in dict.fromkeys(places)]


def print_json(value: Any) -> None:
    """Prints `value` as JSON, keys in their own order."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def print_answer(command: str, **content: Any) -> None:
    """Prints a command's answer with --json: its format and version, then the content."""
    head = {"format": OUTPUTS[command].format, "version": OUTPUTS[command].version}
    told = click.get_current_context().meta.get(_CAVEATS, {})
    print_json(head | {key: lines for key, lines in told.items() if lines} | content)


def write_output(content: str | bytes, out: Path | None) -> None:
    """Writes content to `out`, whole or not at all, or to standard output."""
    if out is not None and str(out) != "-":
        write_whole(out, content)
    elif isinstance(content, bytes):
        with _binary_output() as write:
            write(content)
    else:
        sys.stdout.write(content if content.endswith("\n") or not content else content + "\n")


def write_pieces(export: Callable[[Callable[[bytes], object]], None], out: Path | None, *, text: bool) -> None:
    """Writes content of any length, which `export` passes in pieces, as `write_output`; `text` ends in a newline."""
    if out is not None and str(out) != "-":
        with writing_whole(out, "wb") as stream:
            export(stream.write)
    elif text:
        # A piece may end within a letter, and the output may have another encoding.
        letters = getincrementaldecoder("utf-8")()
        export(lambda piece: sys.stdout.write(letters.decode(piece)))
    else:
        with _binary_output() as write:
            export(write)


@contextmanager
def _binary_output() -> Iterator[Callable[[bytes], object]]:
    if sys.stdout.isatty():
        raise BadInput("binary output does not go to a terminal; use --out FILE")
    yield sys.stdout.buffer.write
    sys.stdout.buffer.flush()


#: Options that the next command keeps: those of the scenario and, if it is to keep them, the schedulers.
KEPT = {"processors", "cluster_size", "copies", "protocol", "schemes", "placement", "priorities", "overheads",
        "statistic", "ignore", "horizon", "seed", "settings", "scale"}  # fmt: skip
CHOSEN = {"schedulers", "policies"}


def next_step(command: str, *more: str, why: str = "", chosen: bool = True) -> None:
    """Prints the command that is most useful next, on the same scenario with the same settings."""
    context = click.get_current_context()
    words = ["schedlab", command, in_a_shell(context.params["scenario"])]
    if words[-1] == "-":
        return
    kept = KEPT | CHOSEN if chosen else KEPT
    for option in context.command.params:
        if isinstance(option, click.Option) and option.name in kept and option.opts[0] not in more:
            value = context.params[option.name]
            for one in value or () if option.multiple else [value]:
                # A setting is a path and a value.
                if isinstance(one, tuple):
                    words += [] if is_undone(one[0], more) else ["--set", "=".join(one)]
                else:
                    words += [] if one is None else [_spelled(option, command), as_given(one)]
    print_next(shlex.join([*words, *more]), why)


def _spelled(option: click.Option, command: str) -> str:
    """Returns the name of an option for another command, which may call it differently."""
    return "--overheads" if option.name == "overheads" and command != "run" else option.opts[0]


def print_next(command: str, why: str = "") -> None:
    """Prints the command that is most useful next; it stays in one line, to be copied."""
    say_now()
    most = width()
    comment = f"  # {why}" if why and (most is None or len(command) + len(why) + 10 <= most) else ""
    sys.stdout.write(f"{painted('next:', 'bold')} {printable(command)}{comment}\n")


@contextmanager
def progress(description: str, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """Shows a progress bar on standard error, only on a terminal; yields a function that takes the share done."""
    if quiet or not sys.stderr.isatty():
        yield lambda share: None
        return
    # Rich is slow to import, and only a terminal has a progress bar.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=1.0)
        yield lambda share: bar.update(task, completed=share)
