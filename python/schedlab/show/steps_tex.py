"""Computations of tests as LaTeX, for exercise sheets and papers. Needs nothing but `amsmath`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.base.files import write_whole
from schedlab.core.analysis import Analysis
from schedlab.core.conventions import conventions
from schedlab.core.steps import Computation, Line, computations, tex_text

#: Terms of a sum in one line of a formula.
_TERMS = 4

#: Letters of formulas in a text, as LaTeX prints them.
_LETTERS = {
    "·": "\\,$\\cdot$\\,",
    "⌈": "$\\lceil$",
    "⌉": "$\\rceil$",
    "⌊": "$\\lfloor$",
    "⌋": "$\\rfloor$",
    "λ": "$\\lambda$",
    "\\textless{}=": "$\\le$",
}


def write_steps(found: Sequence[tuple[str, Analysis]], path: Path | str) -> Path:
    """Writes the computations of analyses, each with its file's name, to `path`, and returns the path."""
    path = Path(path)
    write_whole(path, steps_tex(found))
    return path


def steps_tex(found: Sequence[tuple[str, Analysis]]) -> str:
    """Returns the computations of analyses as LaTeX that another document includes."""
    out = ["% Needs \\usepackage{amsmath}"]
    for file, analysis in found:
        title = f"{file} under {analysis.scheduler}: {analysis.answer}"
        out.append(f"\\subsection*{{{tex_text(title)}}}")
        for verdict in analysis.verdicts:
            title = f"{verdict.test}: {verdict.answer}."
            out.append(f"\\paragraph{{{tex_text(title)}}} {_words(verdict.reason)}.")
            out += [f"\n{_words(line)}." for line in conventions(verdict)]
            if verdict.steps is not None:
                for one in computations(verdict.steps, by_cluster=analysis.has_clusters):
                    out += _computation(one)
    return "\n".join(out) + "\n"


def _computation(one: Computation) -> list[str]:
    """Returns a computation: its result as a sentence, its formula, and its lines."""
    out = ["", f"{_words(one.head)}:", f"\\[ {one.tex_formula} \\]"]
    if one.given:
        out.append(f"Here {_words(one.given)}.")
    for index, group in enumerate(one.groups):
        if one.left_out and index == len(one.groups) - 1:
            out.append(f"({one.left_out} more are left out.)")
        if group.title:
            out.append(f"{_words(group.title)}:")
        if group.lines:
            rows = [row for line in group.lines for row in _rows(line, one.unit)]
            if group.left_out:
                rows.insert(-1, f"&\\quad \\text{{({group.left_out} more are left out)}}")
            out += ["\\begin{align*}", " \\\\\n".join(f"  {row}" for row in rows), "\\end{align*}"]
        if group.result:
            out.append(f"{_words(group.result)}.")
    return out


def _rows(line: Line, unit: str) -> list[str]:
    """Returns a line as rows of an alignment, with few terms each."""
    sign = " \\cdot " if line.is_product else " + "
    terms = [f"{part.tex}{_whose(part.whose)}" for part in line.parts]
    relation = line.tex_compared
    if not line.value:
        return [f"{line.tex_name}{{:}}\\quad& " + ",\\; ".join(terms) + f"; \\quad {relation}"]
    value = tex_text(line.value) + (f"\\,\\text{{{unit}}}" if unit else "")
    if not terms:
        return [f"{line.tex_name} &= {value}"]
    rows = [sign.join(terms[first : first + _TERMS]) for first in range(0, len(terms), _TERMS)]
    head = f"{line.tex_name} &= {rows[0]}"
    more = [f"&\\quad {sign.strip()} {row}" for row in rows[1:]]
    is_plain = len(terms) == 1 and line.parts[0].text == line.value
    end = f" {relation}" if relation else ""
    if is_plain:
        return [head + (f"\\,\\text{{{unit}}}" if unit else "") + end]
    if len(terms) > 1:
        more.append(f"&= {sign.join(tex_text(part.value) for part in line.parts)}")
    return [head, *more, f"&= {value}{end}"]


def _whose(name: str) -> str:
    return f"\\;[\\text{{{tex_text(name)}}}]" if name else ""


def _words(text: str) -> str:
    """Returns words and numbers of a computation, whose letters of formulas LaTeX prints."""
    told = tex_text(text)
    for plain, tex in _LETTERS.items():
        told = told.replace(plain, tex)
    return told
