"""Identity and provenance of results: what a stored piece of work depended on, and what readers are told.

The *identity* decides whether a stored part may be reused. It includes a hash of the installed package, so that a
rebuilt library never resumes an older one's run. The *provenance* is for readers of the Parquet file; it holds nothing
that differs between two runs of the same work.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from schedlab.studies.study import Study

FORMAT = 1

#: The facts that the provenance of results has at least.
FACTS = {"study", "code", "version", "seed", "sets", "points", "machine", "overheads"}

#: Version of the files of parts; another version begins again.
PARTS = 2


def code_hash(path: Path) -> str:
    """Returns a hash of the study's file and of the helpers beside it (``_*.py``)."""
    return _hash([path, *helpers(path)], path.parent)


def helpers(path: Path) -> list[Path]:
    """Returns the files beside a study that it may import."""
    return sorted(path.parent.glob("_*.py"))


def _hash(files: Sequence[Path], folder: Path) -> str:
    """Returns a hash of files with their names in a folder."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(str(file.relative_to(folder)).encode() + b"\0")
        digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def build_hash() -> str:
    """Returns a hash of the installed package: its Python files and its native library."""
    package = Path(__file__).resolve().parents[1]
    return _hash(sorted([*package.rglob("*.py"), *package.glob("_native*.so"), *package.glob("_native*.pyd")]), package)


@cache
def schedlab_version() -> str:
    """Returns the installed version, or ``unknown`` when run from a source tree that is not installed."""
    try:
        return importlib.metadata.version("schedlab")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def identity(study: Study, path: Path, seed: int) -> str:
    """Returns a short name for everything that a part's content depends on, apart from its point and its sets."""
    facts = {
        "format": PARTS,
        "study": study.family or study.name,
        # The function that a family evaluates is in its helpers.
        "code": _hash(helpers(path), path.parent) if study.family else code_hash(path),
        "build": build_hash(),
        "seed": seed,
        "sets_per_unit": study.sets_per_unit,
        "surroundings": study.surroundings(),
        "overheads": study.overheads,
        "settings": study.settings.told(),
    }
    return hashlib.sha256(canonical_json(facts).encode()).hexdigest()[:16]


def provenance(study: Study, path: Path, seed: int, sets: int) -> dict[str, Any]:
    """Returns what a reader needs to make the same file again."""
    return {
        "format": FORMAT,
        "study": study.name,
        "title": study.full_title,
        "source": study.source,
        "code": code_hash(path),
        "version": schedlab_version(),
        "build": build_hash(),
        "seed": seed,
        "sets": sets,
        "points": [dict(point.parameters) for point in study.points],
        "parameters": {**study.parameters, **study.settings.told()},
        "settings": study.settings.told(),
        "machine": {"architecture": platform.machine(), "processors": len(os.sched_getaffinity(0))},
        "surroundings": study.surroundings(),
        "overheads": tomllib.loads(study.overheads).get("title", "without a title") if study.overheads else None,
    }


def canonical_json(value: Any) -> str:
    """Returns a value as its one text: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
