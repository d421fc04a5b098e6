"""`schedlab advise`: which schedulers, placements, priorities and protocols keep the deadlines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schedlab.base.defaults import NO_PROTOCOL
from schedlab.base.words import count
from schedlab.cli.shared.experience import print_overflowed, print_same, print_unknown_overheads
from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.linux import advise_for_linux, for_option, refuse_beside_linux
from schedlab.cli.shared.options import (
    FILE,
    json_option,
    next_step,
    passed_on,
    policies_of,
    policies_option,
    print_answer,
    read_scenario,
    scenario_options,
    schedulers_option,
    strict_option,
    table,
)
from schedlab.cli.shared.screen import Styled, say
from schedlab.cli.shared.statuses import DONE, strict_status
from schedlab.core.analysis import advise, analyze, best_ways, schemes_in_words
from schedlab.core.margins import percent_in_words
from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.core.scenario import Scenario
    from schedlab.outputs.results import Advice, Mixes, SingleChange, UnknownCosts, Way

#: Largest number of schedulers that meet the deadlines and are shown, unless all are asked for.
MOST_PROVED = 10

#: Largest number of schedulers that do not meet them and are shown.
MOST_FAILED = 12

#: Largest number of schedulers named in a row, if they differ in nothing else.
MOST_ALIKE = 3

#: The caution that is printed if measured overheads leave margins uncertain.
UNCERTAIN = (
    "The overheads are estimates. Schedulers of the same code share them: the largest is charged. The second margin "
    "comes of the smallest. Ways whose margins differ by less than the two are apart have the same rank. Of these, the "
    "way with the fewest changes goes first."
)

#: A file of measured costs of operations.
COSTS = "object-costs.toml"

#: Largest number of single changes of a kind that are shown.
MOST_CHANGES = 3


@click.command("advise", cls=Command)
@scenario_options
@schedulers_option("none is tried besides those that are shipped")
@policies_option
@click.option("--all", "every", is_flag=True, help="Show every way, not only the best of each scheduler.")
@click.option("--plot", type=FILE, help="Draw the margins into this file (.svg, .png, .pdf).")
@for_option("Only what stock Linux has: `linux` answers with settings of threads and mutexes.")
@click.option("--out", "-o", type=FileOf(".toml"), help="With --for, write the best proved way as a scenario.")
@json_option
@strict_option
def command(
    scenario: Path,
    schedulers: list[str],
    policies: tuple[str, ...],
    every: bool,
    plot: Path | None,
    target: str | None,
    out: Path | None,
    as_json: bool,
    strict: bool,
    **overrides: Any,
) -> int:
    """Try every scheduler, placement, priority rule, locking protocol and scheme of objects that applies to SCENARIO.

    What is proved to meet all deadlines is ranked by its margin: how much all costs may grow. What is not comes with
    the reason, and with a negative margin: costs would have to shrink by that. Margins that differ by less than
    measured overheads let know are ranked alike. A scheduler that does not heed what the scenario states, such as
    places of tasks, is ranked behind those that do, says so, and is no single change. If the scenario's own way is not
    proved, single changes that help are listed.

    Objects are tried with one scheme for all of them, then with mixes: where the first did best, all combinations of up
    to five objects. Of more, each alone gets another scheme. What operations cost under a scheme is charged as the
    overheads say. Where they do not, the answer says so. With --strict, the exit status is that of
    SCENARIO as it is.

    With `--for linux`, only what stock Linux has is tried: SCHED_FIFO and SCHED_DEADLINE, threads bound or not, mutexes
    without protocol, with inheritance or with a ceiling. The answer has the settings of each thread and mutex.
    """
    if target is None and out is not None:
        raise BadInput("--out is of the best way of stock Linux and goes with --for linux")
    if target is not None:
        refuse_beside_linux(scheduler=schedulers, policy=policies, plot=plot)
        given = read_scenario(scenario, **overrides)
        found = advise_for_linux(given, out, every, tells=not as_json)
        if as_json:
            print_answer("advise linux", **found)
        return strict_status([analyze(given)[0].answer]) if strict else DONE
    classes = policies_of(policies)
    given = read_scenario(scenario, **overrides)
    advice = advise(given, schedulers=[*schedulers, *classes])
    refusal = given._native.refusal
    overflowed = _overflowed(given)
    if plot is not None:
        # Only --plot needs the plots, whose statistics are slow to import.
        from schedlab.show.plots.margins import draw_margins

        draw_margins(advice, plot, f"{given.name or scenario.stem}: margins of schedulers, each in its best way")
    status = strict_status([_as_it_is(given, advice)]) if strict else DONE
    if as_json:
        print_answer("advise", **advice, refusal=refusal, overflowed=overflowed)
        return status
    if refusal is not None:
        say(Styled("refused as it is", "red", f": {refusal}"))
    places = {own.name or own.__name__: place for own, place in zip(classes, dict.fromkeys(policies), strict=True)}
    _print(advice, every, {*schedulers, *places}, places)
    print_overflowed(overflowed, "as it is, ")
    print_same(given)
    return status


def _as_it_is(scenario: Scenario, advice: Advice) -> str:
    """Returns the answer about the scenario as it is, which `analyze` gives, too."""
    return "schedulable" if advice["as_it_is"] else analyze(scenario)[0].answer


def _overflowed(scenario: Any) -> list[str]:
    """Returns the tasks that fit nowhere as the scenario is; none if nothing can be placed."""
    try:
        return list(scenario.overflowed)
    except BadInput:
        return []


def _print(advice: Advice, every: bool, asked: set[str], places: dict[str, str]) -> None:
    """Prints the advice. Schedulers that were `asked` for are always shown, however many are better.

    `places` maps the names of classes among them to where they are defined.
    """
    proved = [way for way in advice["ways"] if way["schedulable"]]
    failed = [way for way in advice["ways"] if not way["schedulable"]]
    good = {way["scheduler"] for way in proved}
    others = [way for way in failed if way["scheduler"] not in good]
    observed = [way for way in others if way["missed"] == 0]
    hopeless = [way for way in others if way["missed"] != 0]
    say(_verdict(advice, proved))
    if any(map(_is_uncertain, advice["ways"])):
        say(UNCERTAIN)
    if advice["mixes"] is not None:
        say(_mixes(advice["mixes"]))
    if advice["unknown_costs"]:
        say(_unknown(advice["unknown_costs"]))
    print_unknown_overheads(_unknown_kinds(advice["ways"]))
    for title, ways, of_all, most in (
        ("ways that meet all deadlines, the largest margin first", proved, proved, MOST_PROVED),
        ("schedulers that no test knows, and no job was late", observed, observed, MOST_FAILED),
        ("schedulers that do not, at their best", hopeless, [way for way in failed if way["missed"] != 0], MOST_FAILED),
    ):
        folded = _folded(ways, asked)
        late = [row for row in folded[most:] if any(way["scheduler"] in asked for way in row[0])]
        shown = [([way], 0) for way in of_all] if every else folded[:most] + late
        if shown:
            _table(title, shown).print()
        _caution([way for ways, _ in shown for way in ways])
        hidden = len(of_all) - sum(len(together) for together, _ in shown)
        if hidden:
            say(Styled(f"{hidden} more ways: --all", "dim"))
    of_classes = [places[way["scheduler"]] for way in observed if way["scheduler"] in places]
    if of_classes:
        next_step("simulate", "--policy", of_classes[0], why="what happens under it", chosen=False)
    elif proved and not advice["as_it_is"]:
        best = proved[0]
        own = places.get(best["scheduler"])
        is_own = any(way["changes"] == 0 and way["protocol"] == best["protocol"] for way in advice["ways"])
        changes = passed_on(
            scheduler=best["scheduler"] if own is None else None,
            policy=own,
            placement=best["placement"],
            priorities=best["priorities"],
            protocol=None if is_own else best["protocol"],
        )
        for name, scheme in (best["schemes"] or {}).items():
            changes += ["--scheme", f"{name}={scheme}"]
        next_step("analyze", *changes, why="what the best way guarantees", chosen=False)
    else:
        next_step("analyze", "--explain", why="what the bounds are made of, and how much costs may grow", chosen=False)


def _caution(shown: list[Way]) -> None:
    """Prints, for proved ways that are late wherever time is lost, what to do; ways with equal advice together."""
    said: dict[str, list[str]] = {}
    for way in shown:
        if way["in_a_real_run"] is not None:
            names = said.setdefault(way["in_a_real_run"], [])
            names += [way["scheduler"]] if way["scheduler"] not in names else []
    for text, names in said.items():
        say(f"{', '.join(names)} in a real run: {text}")


def _mixes(mixes: Mixes) -> str:
    """Returns a sentence: how mixes of schemes were looked for, and whether one was better."""
    objects, tried, better = mixes["objects"], mixes["tried"], mixes["better"]
    which = "all combinations" if mixes["is_exhaustive"] else "combinations"
    settings = count(mixes["searches"], "setting")
    lines = [
        f"Mixes of schemes: {which} of {objects} objects were tried under {settings} of scheduler, placement, rule and "
        f"protocol, {tried} in all.",
        f"Under {better} of them, a mix has the largest margin." if better else "No mix does better.",
    ]
    if not mixes["is_exhaustive"]:
        lines.insert(1, "Each object alone got another scheme: a better mix may exist.")
    return " ".join(lines)


def _unknown(unknown: list[UnknownCosts]) -> str:
    """Returns sentences: for which objects the overheads lack costs of operations, what follows, and what to do."""
    under: dict[str, list[str]] = {}
    for row in unknown:
        objects = under.setdefault(", ".join(row["schemes"]), [])
        objects += [f"{name} ({row['kind'] or 'no kind'})" for name in row["objects"]]
    known = "; ".join(f"{', '.join(objects)} under {schemes}" for schemes, objects in under.items())
    cure = f"`schedlab measure objects -o {COSTS}` measures them, `--overheads {COSTS}` charges them"
    if any(row["kind"] is None for row in unknown):
        cure += ", of resources with a kind and a scheme"
    return (
        f"The overheads do not say what operations cost on {known}. Each counts as its section says, so a wait-free "
        f"one seems to cost no more than others. {cure}."
    )


def _unknown_kinds(ways: Sequence[Way]) -> list[str]:
    """Lists the kinds of overheads without a value, with the schedulers that lack it if not all do."""
    known = list(dict.fromkeys(way["scheduler"] for way in ways))
    lacking: dict[str, list[str]] = {}
    for way in ways:
        for kind in way["overheads_unknown"]:
            under = lacking.setdefault(kind, [])
            under += [way["scheduler"]] if way["scheduler"] not in under else []
    return [
        kind if len(under) == len(known) else f"{kind} (under {_first_of(under)})" for kind, under in lacking.items()
    ]


def _first_of(names: Sequence[str]) -> str:
    """Returns, as text, the first of the names, and the number of the others."""
    more = f" and {len(names) - MOST_ALIKE} more" if len(names) > MOST_ALIKE else ""
    return ", ".join(names[:MOST_ALIKE]) + more


def _is_uncertain(way: Way) -> bool:
    return way["margin_at_best_percent"] > way["margin_percent"]


def _margin(way: Way) -> str:
    """Returns the margin as text, with the charged overheads and, if it differs, with the smallest measured ones."""
    least = percent_in_words(way["margin_percent"])
    return f"{least} to {percent_in_words(way['margin_at_best_percent'])}" if _is_uncertain(way) else least


def _folded(ways: list[Way], asked: set[str]) -> list[tuple[list[Way], int]]:
    """Returns the best way of each scheduler, those alike but for the scheduler together, and the number of others.

    Each scheduler that was asked for has a row of its own.
    """
    alike: dict[tuple[Any, ...], tuple[list[Way], int]] = {}
    for way, more in best_ways(ways):
        own = way["scheduler"] if way["scheduler"] in asked else None
        key = (
            own,
            way["rank"],
            way["margin_percent"],
            way["margin_at_best_percent"],
            way["protocol"],
            schemes_in_words(way["schemes"]),
            tuple(way["unheeded"]),
            _why(way),
        )
        together, others = alike.get(key, ([], 0))
        alike[key] = ([*together, way], others + more)
    return list(alike.values())


def _together(ways: list[Way]) -> str:
    """Returns, as text, the first schedulers of those alike, and the number of the others."""
    return _first_of([way["scheduler"] + (" (as it is)" if way["changes"] == 0 else "") for way in ways])


def _why(way: Way) -> str:
    """Returns the test that alone proves a way; for other proofs and for failures, the reason."""
    return way["test"] or way["reason"] if way["schedulable"] else way["reason"]


def _verdict(advice: Advice, proved: list[Way]) -> str:
    tried = f"{len(proved)} of {len(advice['ways'])} ways that were tried are proved."
    if unheeding := [way for way in proved if way["unheeded"]]:
        what = " or ".join(dict.fromkeys(word for way in unheeding for word in way["unheeded"]))
        tried += (
            f" {len(unheeding)} of them leave out what the scenario states ({what}) and are ranked behind the others."
        )
    if advice["as_it_is"]:
        return f"As it is, the scenario meets all deadlines. {tried}"
    if not advice["single_changes"]:
        return f"As it is, the scenario is not proved to meet its deadlines; no single change helps. {tried}"
    lines = [
        f"As it is, the scenario is not proved to meet its deadlines. {tried} Each of these changes alone would do:"
    ]
    kinds: dict[str, list[SingleChange]] = {}
    for change in advice["single_changes"]:
        kinds.setdefault(change["kind"], []).append(change)
    for changes in kinds.values():
        for change in changes[:MOST_CHANGES]:
            found = change["margin_percent"]
            margin = "" if found is None else f" (margin {percent_in_words(found)})"
            lines.append(f"  {change['what']}{margin}")
        if len(changes) > MOST_CHANGES:
            lines.append(f"  ... and {len(changes) - MOST_CHANGES} more of this kind: --json")
    return "\n".join(lines)


#: Columns of a table of ways.
_COLUMNS = (
    *("rank", "scheduler", "priorities", "placement", "protocol", "schemes"),
    *("unheeded", "margin", "others", "why"),
)

#: Headers of columns that are not called like what they hold.
_HEADERS = {"unheeded": "leaves out"}


def _table(title: str, rows: list[tuple[list[Way], int]]) -> Any:
    # Columns without a value in any row are left out.
    shown = [way for ways, _ in rows for way in ways]
    told = {
        "priorities": any(way["priorities"] for way in shown),
        "placement": any(way["placement"] for way in shown),
        "schemes": any(way["schemes"] for way in shown),
        "unheeded": any(way["unheeded"] for way in shown),
        "protocol": any(way["protocol"] != NO_PROTOCOL for way in shown),
        "rank": any(_is_uncertain(way) or way["unheeded"] for way in shown),
        "others": any(others for _, others in rows),
    }
    columns = [name for name in _COLUMNS if told.get(name, True)]
    made = table(title, *(_HEADERS.get(name, name) for name in columns), text=("scheduler", "why"))
    for ways, others in rows:
        best = ways[0]
        colour = "green" if best["schedulable"] else "yellow"
        cells: dict[str, str | Styled] = {
            "scheduler": _together(ways),
            "priorities": best["priorities"] or "-",
            "placement": best["placement"] or "-",
            "protocol": best["protocol"],
            "schemes": schemes_in_words(best["schemes"]) or "-",
            "unheeded": Styled(", ".join(best["unheeded"]) or "-", "yellow" if best["unheeded"] else "dim"),
            "rank": str(best["rank"]),
            "margin": Styled(_margin(best), colour),
            "others": f"+{others}" if others else "",
            "why": _why(best),
        }
        made.row(*(cells[name] for name in columns))
    return made
