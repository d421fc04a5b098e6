"""Cross-checks: another tool's results beside our own, key by key.

`FAMILIES` lists the families of records and their files; two families may share a file, and two files a family. Each
file has a table from the name of a result, dots for nested ones (`srt.da_x`), to a function that computes it from the
record. Results that no table has are counted as skipped. `records` and `schedules` hold what families share, and
`peers` the results that are wrong by a proof in `docs/peers.md`. `docs/crosscheck.md` describes the format.
"""

from __future__ import annotations

import gzip
import json
import math
import shlex
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schedlab.base.files import read_bytes
from schedlab.crosscheck import (
    accounting,
    gedf,
    gfp,
    locking,
    np_jitter,
    overheads,
    partition,
    pfair,
    protocols,
    sim,
    ua,
    uni,
)
from schedlab.crosscheck.peers import explained
from schedlab.crosscheck.records import Record, Tests
from schedlab.errors import BadInput, SchedlabError
from schedlab.lines import json_lines
from schedlab.outputs.answers import Disagreement

__all__ = ["FAMILIES", "Crosscheck", "Disagreement"]

#: The one list of families. A new family is one file and one line here.
FAMILIES: Mapping[str, Tests] = {
    "sim": sim.TESTS,
    "uni": uni.TESTS,
    "partition": partition.TESTS,
    "gedf": gedf.TESTS,
    "gfp": gfp.TESTS,
    "pfair": pfair.TESTS,
    "np_jitter": np_jitter.TESTS,
    "locking": locking.TESTS,
    "overheads": {**accounting.TESTS, **overheads.TESTS},
    "ua": ua.TESTS,
    "proto_uni": protocols.UNI,
    "proto_multi": protocols.MULTI,
}


@dataclass
class Crosscheck:
    """One run over files of records, which counts as it goes."""

    ids: Sequence[str] | None = None
    tests: Sequence[str] | None = None
    #: Numbers of results by family and test that `agree`, `disagree`, are `skipped`, or disagree by a fault of
    #: `theirs`, as docs/peers.md proves.
    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    records: int = 0
    found: list[Disagreement] = field(default_factory=list)

    @property
    def disagreements(self) -> int:
        """Number of results that differ."""
        return sum(counts["disagree"] for counts in self.counts.values())

    def over(
        self, files: Sequence[Path], progress: Callable[[float], None] = lambda share: None
    ) -> Iterator[dict[str, Any]]:
        """Computes the records one by one; yields our results under their keys."""
        for index, file in enumerate(files):
            for share, record in _read(file):
                if self.ids is None or record["id"] in self.ids:
                    yield {"id": record["id"], "results": self._compare(record, file)}
                progress((index + share) / len(files))
        if self.ids and not self.records:
            raise BadInput(f"no record is called {', '.join(self.ids)}")
        if not self.records:
            raise BadInput(f"{', '.join(map(str, files))}: no records")

    def _compare(self, record: Record, file: Path) -> dict[str, Any]:
        self.records += 1
        family = record.get("family") or file.name.split(".")[0]
        computable = FAMILIES.get(family, {})
        ours: dict[str, Any] = {}
        for test, theirs in _leaves(record["results"]):
            key = (family, test)
            if test not in computable or (self.tests is not None and test not in self.tests):
                self.counts[key]["skipped"] += 1
                continue
            try:
                value = computable[test](record)
            except SchedlabError as error:
                raise BadInput(f"{file}: record {record['id']}, {test}: {error}") from error
            _put(ours, test, value)
            expected, note = _settled(record, test, theirs)
            if _same(value, expected):
                self.counts[key]["agree"] += 1
            elif explained(family, test, record, expected):
                self.counts[key]["theirs"] += 1
            else:
                self.counts[key]["disagree"] += 1
                self.found.append(_disagreement(record["id"], family, test, expected, value, note, file))
        return ours

    def first_disagreements(self, first: int) -> list[Disagreement]:
        """Returns the first few disagreements of each test."""
        seen: Counter[tuple[str, str]] = Counter()
        chosen = []
        for item in self.found:
            seen[item.family, item.test] += 1
            if seen[item.family, item.test] <= first:
                chosen.append(item)
        return chosen

    def summary(self, first: int = 5) -> dict[str, Any]:
        """Returns plain values, for JSON."""
        kinds = ("agree", "disagree", "theirs", "skipped")
        return {
            "records": self.records,
            "tests": [
                {"family": family, "test": test, **{kind: counts[kind] for kind in kinds}}
                for (family, test), counts in sorted(self.counts.items())
            ],
            "disagreements": [vars(item) for item in self.first_disagreements(first)],
        }


#: Names of results that contain results of their own.
_NESTED = ("srt", "fp", "edf", "rw", "lp", "pfp_rta_with_bounds")


def _leaves(results: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in results.items():
        if name in _NESTED and isinstance(value, dict):
            yield from ((f"{name}.{inner}", leaf) for inner, leaf in _leaves(value))
        else:
            yield name, value


def _put(results: dict[str, Any], test: str, value: Any) -> None:
    outer, dot, inner = test.partition(".")
    if dot:
        _put(results.setdefault(outer, {}), inner, value)
    else:
        results[test] = value


def _settled(record: Record, test: str, theirs: Any) -> tuple[Any, str]:
    """Returns the expected result, and a note: if a dispute names a reference value, that one."""
    disputed = record.get("disputed") or {}
    note = ""
    for name in (test, test.partition(".")[2]):
        entry = disputed.get(name)
        if name and isinstance(entry, dict):
            note = f" (disputed: {entry.get('bug', 'see the record')})"
            return entry.get("ref", theirs), note
    if isinstance(theirs, dict):
        for inner in theirs:
            entry = disputed.get(f"{test}.{inner}")
            if isinstance(entry, dict):
                note = f" ({inner} is disputed: {entry.get('bug', 'see the record')})"
                if "ref" in entry:
                    theirs = theirs | {inner: entry["ref"]}
    return theirs, note


def _same(ours: Any, theirs: Any) -> bool:
    """True if two values are equal as JSON: `true` is not 1. Numbers with a fraction agree to nine digits."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(_same(*pair) for pair in zip(ours, theirs, strict=True))
    if isinstance(ours, float) or isinstance(theirs, float):
        numbers = not isinstance(ours, bool) and not isinstance(theirs, bool)
        numbers = numbers and isinstance(ours, (int, float)) and isinstance(theirs, (int, float))
        return numbers and math.isclose(ours, theirs, rel_tol=1e-9)
    if type(ours) is type(theirs) and isinstance(ours, (int, str)):
        # Most values are of this kind, and text would take twenty times as long.
        return bool(ours == theirs)
    return json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True)


def _disagreement(id_: str, family: str, test: str, theirs: Any, ours: Any, note: str, file: Path) -> Disagreement:
    theirs_text, ours_text = _difference(theirs, ours)
    replay = f"schedlab crosscheck {shlex.quote(str(file))} --id {shlex.quote(id_)} --tests {shlex.quote(test)}"
    return Disagreement(id_, family, test, theirs_text, ours_text, note, replay)


def _difference(theirs: Any, ours: Any) -> tuple[str, str]:
    """Returns both values as text, without what is equal in both."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        names = [name for name in {**theirs, **ours} if not _same(theirs.get(name), ours.get(name))]
        pairs = {name: _difference(theirs.get(name), ours.get(name)) for name in names}
        written = ["{" + ", ".join(f"{name}: {pair[i]}" for name, pair in pairs.items()) + "}" for i in (0, 1)]
        return written[0], written[1]
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours) > 4:
        index = next((i for i, pair in enumerate(zip(theirs, ours, strict=True)) if not _same(*pair)), 0)
        return f"[{index}] = {json.dumps(theirs[index])}", f"[{index}] = {json.dumps(ours[index])}"
    return json.dumps(theirs), json.dumps(ours)


def _read(path: Path) -> Iterator[tuple[float, Record]]:
    """Yields the records of a file, each with the share of the file that is read."""
    content = read_bytes(path)
    try:
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        lines = content.decode().splitlines()
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{path}: not a whole gzip file: {error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 at byte {error.start}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number / len(lines), _record(path, number, line)


def _record(path: Path, number: int, line: str) -> Record:
    try:
        record = json_lines.parsed(line)
    except BadInput as error:
        raise BadInput(f"{path}:{number}: {error}") from error
    if not isinstance(record, dict) or not isinstance(record.get("results"), dict) or "id" not in record:
        raise BadInput(f'{path}:{number}: a record is an object with "id" and "results"')
    if "m" in record and not json_lines.is_whole(record["m"]):
        raise BadInput(f'{path}:{number}: "m" is a number of processors')
    tasks = record.get("tasks", [])
    if not isinstance(tasks, list) or not all(
        isinstance(task, list) and len(task) == 3 and all(map(json_lines.is_whole, task)) for task in tasks
    ):
        raise BadInput(f'{path}:{number}: "tasks" is a list of [cost, period, relative deadline], whole numbers')
    for task, (_, period, _) in enumerate(tasks):
        if period == 0:
            raise BadInput(f"{path}:{number}: record {record['id']}: tasks[{task}] has a period of 0; allowed: above 0")
    return record
