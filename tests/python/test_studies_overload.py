"""Table I of chronos-scalability-2011: where overload begins, by made-up tardiness with known knees."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import schedlab
from schedlab.studies import Claim, Results, find_study
from schedlab.studies.claims import DOES_NOT_HOLD, HOLDS, INDISTINGUISHABLE, told

pytestmark = pytest.mark.usefixtures("as_png")

STUDY, _ = find_study("2011-table1")
TABLE = sys.modules[STUDY.plot.__module__]  # type: ignore[union-attr]
COLUMNS = TABLE.COLUMNS
#: By scheduler: where overload begins in each column.
Knees = Mapping[str, tuple[int, ...]]
SETS = 4


def results(free: Knees, deciding: Knees, wavering: float = 0.0, sets: int = SETS) -> Results:
    """Tardiness that is flat up to a knee and rises by 20 ms a load from there; sets waver about that."""

    def tardiness(knee: int, load: int, index: int) -> float:
        return 30 + 20 * max(0, load - knee) + wavering * (index - (SETS - 1) / 2)

    rows = []
    for point in STUDY.points:
        load, column = int(str(point.parameters["load"])), COLUMNS.index(str(point.parameters["distribution"]))
        for index in range(sets):
            row = {**point.parameters, "set": index}
            for suffix, knees in (("", free), (" with decisions", deciding)):
                for scheduler in STUDY.parameters["schedulers"]:
                    knee = knees.get(scheduler, (48,) * 6)[column]
                    row[f"{scheduler} tardiness{suffix}"] = tardiness(knee, load, index)
            rows.append(row)
    return Results(pa.Table.from_pylist(rows), {"sets": sets, "overheads": None})


def judged(found: Results) -> dict[str, Claim]:
    assert STUDY.claims is not None
    return {claim.text: claim for claim in STUDY.claims(found)}


def answer(found: dict[str, Claim], begin: str, variant: str) -> Claim:
    """The claim that begins so, with its part in this variant alone."""
    [claim] = [
        one for text, one in found.items()
        if text.startswith(begin) and (text.endswith(f"[{variant}]") or not text.endswith("]"))
    ]  # fmt: skip
    parts = [part for part in claim.parts if part.name == variant]
    return replace(claim, parts=tuple(parts)) if parts else claim


NEAR = "overload begins within 2 loads of the paper's: "
EARLY = "G-EDF's scaling"
SHIFTED = "P-EDF's row is the paper's, later by a constant"


def test_the_papers_own_table_would_pass() -> None:
    paper = {scheduler: tuple(row) for scheduler, row in TABLE.PAPER.items()}
    found = judged(results(paper, paper))
    assert {claim.answer for claim in found.values()} == {HOLDS}


def test_the_mutant_of_each_sentence_refutes_it() -> None:
    paper = {scheduler: tuple(row) for scheduler, row in TABLE.PAPER.items()}
    found = results(paper, paper)
    for text, claim in judged(found).items():
        assert claim.mutant is not None
        again = judged(claim.mutant.of(found))[text]
        assert again.answer == DOES_NOT_HOLD, f"{text}: {claim.refuted_by}: {again}"


@pytest.mark.parametrize(
    ("begin", "variant", "change", "expected"),
    [
        (NEAR + "P-EDF", "no overheads", lambda row: (row[0] + 3, *row[1:]), DOES_NOT_HOLD),
        (NEAR + "P-EDF", "no overheads", lambda row: (row[0] + 2, *row[1:]), HOLDS),
        (SHIFTED, "no overheads", lambda row: tuple(min(load + 2, 47) for load in row), HOLDS),
        (SHIFTED, "no overheads", lambda row: (row[0] + 5, *row[1:]), DOES_NOT_HOLD),
        # Never counts as an end of nothing: it is no number that could be shifted.
        (SHIFTED, "no overheads", lambda row: (*row[:5], 48), HOLDS),
        ("partitioned algorithms", "decisions", lambda row: (row[0], 47, *row[2:]), DOES_NOT_HOLD),
    ],
)
def test_rows_of_p_edf_are_judged(
    begin: str, variant: str, change: Callable[[tuple[int, ...]], tuple[int, ...]], expected: str
) -> None:
    paper = {scheduler: tuple(row) for scheduler, row in TABLE.PAPER.items()}
    changed = {**paper, "P-EDF": change(paper["P-EDF"])}
    assert answer(judged(results(changed, changed)), begin, variant).answer == expected


def test_an_architecture_that_stops_later_is_refuted() -> None:
    paper = {scheduler: tuple(row) for scheduler, row in TABLE.PAPER.items()}
    late = {**paper, "G-EDF": (47,) * 6}
    found = judged(results(paper, late))
    assert answer(found, "the concurrent architecture", "decisions").answer == DOES_NOT_HOLD
    rising = {**paper, "G-EDF": (36, 24, 37, 44, 38, 45)}
    assert answer(judged(results(paper, rising)), EARLY, "decisions").answer == DOES_NOT_HOLD


def test_what_is_near_the_table_is_our_own_check_and_says_what_is_fitted_to_it() -> None:
    paper = {scheduler: tuple(row) for scheduler, row in TABLE.PAPER.items()}
    found = judged(results(paper, paper))
    own = {text for text, claim in found.items() if claim.is_own}
    assert len(own) == 12 and {text for text in found if text.startswith((NEAR, SHIFTED))} == own
    fitted = {text.removeprefix(NEAR).split(",")[0] for text in own if "fitted" in text}
    assert fitted == {"G-EDF", "P-EDF", "G-NP-EDF"}
    assert all("with decisions" in text or "decisions]" in text for text in own if "fitted" in text)
    told_apart = told(list(found.values())).split("checks of our own:\n")
    assert [part.count(NEAR) for part in told_apart] == [0, 11]


def test_what_an_interval_leaves_open_is_not_decided() -> None:
    paper = {scheduler: tuple(row) for scheduler, row in TABLE.PAPER.items()}
    wide = results(paper, paper, wavering=16.0)
    near = answer(judged(wide), NEAR + "P-EDF", "no overheads")
    assert near.answer == INDISTINGUISHABLE and near.because.startswith("at this size: BHB ")
    assert STUDY.undecided is not None and STUDY.undecided(wide)
    assert "P-EDF BHB [no overheads]: " in "\n".join(STUDY.undecided(wide))
    assert STUDY.undecided(results(paper, paper)) == []


def test_one_set_decides_nothing() -> None:
    paper = {scheduler: tuple(row) for scheduler, row in TABLE.PAPER.items()}
    one = results(paper, paper, sets=1)
    near = answer(judged(one), NEAR + "P-EDF", "decisions")
    assert near.answer == INDISTINGUISHABLE and "BHB 39 [20, never]" in near.because
    assert STUDY.undecided is not None and len(STUDY.undecided(one)) == 11 * len(COLUMNS)


def test_three_definitions_are_drawn(tmp_path: Path) -> None:
    paper = {scheduler: tuple(row) for scheduler, row in TABLE.PAPER.items()}
    assert STUDY.plot is not None
    [path] = STUDY.plot(results(paper, paper), tmp_path)
    assert path.stat().st_size > 5000
    assert [definition.heading.split()[:2] for definition in TABLE.DEFINITIONS] == [
        ["knee"], ["above", "2"], ["above", "100"],
    ]  # fmt: skip


def test_the_fitted_profile_is_a_file_that_says_what_is_fitted(tmp_path: Path) -> None:
    text = sys.modules[STUDY.evaluate.__module__].PROFILE
    told = {of["name"]: of for of in tomllib.loads(text)["scheduler"]}
    file = tmp_path / "fitted.toml"
    file.write_text(text)
    given = schedlab.generate(utilizations="uniform 0.1 0.4", stop="tasks 6", seed=1, index=0, processors=4)
    charged = given.replace(scheduler="G-EDF", overheads=str(file))
    assert "scheduling" not in charged.overheads_unknown and "tick" not in charged.overheads_unknown
    # Table II, in ticks of 1.7 GHz.
    assert told["G-EDF"]["decisions"]["migration"] == f"{round(14_866 / 1.7)} ns"
    assert told["G-FIFO"]["decisions"]["migration"] == f"{round(4_516 / 1.7)} ns"
    # Section 3.5.2: a quarter of the time for data of the same processor.
    of_all, of_cluster = (
        float(told[name]["decisions"]["hand_over"].removesuffix(" ns")) for name in ("G-EDF", "C-EDF")
    )
    assert of_cluster == pytest.approx(of_all / 4, abs=0.5)
