"""`schedlab windows`: where the quanta of a Pfair task have to lie."""

from __future__ import annotations

from pathlib import Path

import click

from schedlab import _native
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import FILE, json_option, print_answer, table, write_output
from schedlab.errors import BadInput

COLUMNS = ("subtask", "eligible", "release", "deadline", "b_bit", "group_deadline")


@click.command("windows", cls=Command)
@click.argument("weight")
@click.option("--er", "early", is_flag=True, help="Early release: a pattern's subtasks may run as soon as it begins.")
@click.option(
    "--is",
    "delays",
    metavar="SUBTASK:SLOTS[,...]",
    help="Intra-sporadic: these subtasks, and all after them, are this many slots late, such as 2:6.",
)
@click.option(
    "--gis",
    "absent",
    metavar="SUBTASK[,...]",
    help="Generalized intra-sporadic: these subtasks are absent; such as 3.",
)
@click.option("--subtasks", "-n", type=int, help="Number of subtasks. If not given, one pattern, at most 100.")
@click.option("--draw", type=click.Choice(["text", "svg"]), help="Draw the windows, one row per subtask, alone.")
@click.option(
    "--out", "-o", type=FILE, help="File for the drawing: .svg, .png, .pdf or .txt; with --draw of any other name, too."
)
@json_option
def command(
    weight: str,
    early: bool,
    delays: str | None,
    absent: str | None,
    subtasks: int | None,
    draw: str | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """List release, deadline, b-bit and group deadline of the subtasks of a task of WEIGHT, such as 3/10.

    A task of weight e/p has e subtasks of one quantum in every p slots. Prints a table and a drawing. With --draw it
    prints the drawing alone, with --out FILE it writes one. --er, --is and --gis show the task models ER, IS and GIS,
    alone or together.
    """
    late = [(_number(number), _number(slots)) for number, slots in map(_pair, _items(delays))]
    rows, text, svg = _native.windows(weight, early, late, list(map(_number, _items(absent))), subtasks)
    kind = draw or (None if out is None else _kind(out))
    if draw is not None and out is not None and _ENDINGS.get(out.suffix.lower(), draw) != draw:
        raise BadInput(f"{out} does not end like a drawing by --draw {draw}; allowed: that ending without --draw")
    if as_json and draw is not None and out is None:
        raise BadInput("--json and --draw both print; allowed: one of the two, or a file for the drawing (--out)")
    if as_json and str(out) == "-":
        raise BadInput("--json and --out - both print; allowed: one of the two, or another file")
    if kind is not None:
        write_output(_drawn(weight, rows, text, svg, kind), out)
    if as_json:
        print_answer("windows", weight=weight, subtasks=[dict(zip(COLUMNS, row, strict=True)) for row in rows])
    elif kind is None:
        _print(weight, rows, text)
    return 0


def _drawn(
    weight: str, rows: list[tuple[int, int, int, int, bool, int]], text: str, svg: str, kind: str
) -> str | bytes:
    """Returns the drawing as a file of a kind."""
    if kind in ("png", "pdf"):
        # Only these kinds need the plots, whose statistics are slow to import.
        from schedlab.show.plots.windows import rendered_windows

        return rendered_windows(weight, rows, kind)
    return svg if kind == "svg" else text


#: The kind of drawing by the ending of its file.
_ENDINGS = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".txt": "text"}


def _kind(out: Path) -> str:
    """Returns the kind of drawing that the ending of a file states."""
    if str(out) == "-":
        raise BadInput("--out -: which drawing? allowed: --draw text or --draw svg beside it")
    if out.suffix.lower() not in _ENDINGS:
        raise BadInput(f"{out} does not end like a drawing; allowed: {', '.join(_ENDINGS)}, or --draw beside it")
    return _ENDINGS[out.suffix.lower()]


def _print(weight: str, rows: list[tuple[int, int, int, int, bool, int]], text: str) -> None:
    shown = table(f"windows of weight {weight}, in slots", *(name.replace("_", " ") for name in COLUMNS))
    for number, eligible, release, deadline, overlaps, group in rows:
        cells = (number, eligible, release, deadline, int(overlaps), group or "-")
        shown.row(*map(str, cells))
    shown.print()
    click.echo(text, nl=False)


def _pair(item: str) -> tuple[str, str]:
    number, colon, slots = item.partition(":")
    if not colon:
        raise BadInput(f'--is: "{item}" is no delay; allowed: SUBTASK:SLOTS such as 2:6')
    return number, slots


def _items(text: str | None) -> list[str]:
    return [] if text is None else text.replace(",", " ").split()


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise BadInput(f'"{text}" is no number of subtasks or slots; allowed: whole numbers from 0')
    return int(text)
