"""The examples that schedlab ships: the files that the documents' commands name."""

from __future__ import annotations

from pathlib import Path

from schedlab.base.files import expect_folder, make_folder, read_bytes, write_whole
from schedlab.errors import BadInput

#: Every file with a line about it, in an order that suits newcomers.
EXAMPLES = {
    "robot.toml": "two tasks on two processors: the scenario of the first session",
    "avionics.toml": "the generic avionics platform: 16 tasks of a fighter aircraft",
    "avionics-locks.toml": "four copies of it on four processors, with shared resources",
    "dhall.toml": "the Dhall effect: light tasks make a heavy one late",
    "full.toml": "tasks that fill three processors: optimal schedulers meet all deadlines, global EDF does not",
    "dasa.toml": "utility accrual with resources: chains of holders, a deadlock that ends with an abort",
    "overload.toml": "more work than two processors can do: EDF collapses, utility accrual does not",
    "pathfinder.toml": "the Mars Pathfinder: priority inversion, and what inheritance changes",
    "deadlock.toml": "nested requests that deadlock, but for priority ceilings",
    "mixed-schemes.toml": "a buffer and a heap that no scheme for both suits",
    "objects.toml": "a buffer, a queue and a heap, each shared by another scheme",
    "retries.toml": "a lock-free heap that is fought for: operations that are tried again",
    "papabench.toml": "PapaBench: the autopilot of a small aircraft on two processors",
    "caseva.toml": "the controller of an industrial robot",
    "waters2019.toml": "an autonomous car: the industrial challenge of WATERS 2019",
    "automotive.toml": "engine control, drawn from the statistics of WATERS 2015",
    "automotive.py": "the program that draws it",
    "litmus2006-fig1.toml": "three tasks on two processors that only Pfair schedules",
    "litmus2006-a.toml": "a backlogged task set of LITMUS^RT, 2006",
    "litmus2006-b.toml": "another one",
    "litmus2006-c.toml": "the third one",
    "servers.toml": "control tasks beside messages that wait in a budget server",
    "overrun.toml": "control tasks beside a client that needs more than its budget server has, for real",
    "components.toml": "two subsystems, each under a scheduler of its own in a budget server",
    "supertasks.toml": "Pfair: short jobs that share a supertask",
    "pfair-server.toml": "Pfair: a long section that a server executes",
    "pfair-zones.toml": "Pfair: zones at the ends of staggered quanta",
    "staggered-events.toml": "Pfair: two staggered processors",
    "cache.toml": "an image pipeline with caches and a bus, for membus",
    "python_policy.py": "a scheduler in Python, for --policy",
    "dp_wrap.py": "a scheduler in Python that migrates jobs that run: DP-Wrap",
    "dp-wrap.toml": "three tasks that need two processors all the time, for dp_wrap.py",
    "sets.jsonl": "many task sets, one a line, for analyze and simulate --jsonl",
    "threads.csv": "a table of twelve measured threads and two mutexes: a template, also as `csv`",
    "linux.toml": "twelve threads and two mutexes on Linux, for advise --for linux",
    "jobs.yaml": "a job set of the schedule-abstraction tools, for jobs",
    "vectors.jsonl.gz": "another tool's results, for crosscheck",
    "notebooks/tour.ipynb": "a notebook: are both tasks always on time? A tour",
    "notebooks/dhall.ipynb": "a notebook: Dhall's effect, and what helps",
    "notebooks/blocking.ipynb": "a notebook: blocking under five locking protocols",
    "c/periodic.c": "two periodic tasks in C",
    "c/events.c": "a task in C that events release",
    "c/aborts.c": "jobs in C that are cut at their termination times",
    "c/buffer.c": "a wait-free buffer between two processes, in C",
    "c/heap.c": "a wait-free heap between two processes, in C",
}

#: Other words for examples.
_ALSO_CALLED = {"csv": "threads.csv"}

#: Folders of several examples, each of which may be named as a whole.
_FOLDERS = {name.partition("/")[0] for name in EXAMPLES if "/" in name}

_FOLDER = Path(__file__).resolve().parent / "_examples"


def example(name: str) -> Path:
    """Returns the place of the example `name`, a key of `EXAMPLES`, in this installation."""
    return _FOLDER / name


def write_examples(names: list[str] | None = None, folder: Path | str | None = None) -> list[Path]:
    """Writes examples, and returns their paths.

    `names` are keys of `EXAMPLES`, with or without their folder and `.toml`, or folders, such as "notebooks". They are
    written to `folder`, or to the current folder. Without names, all examples are written to `folder`, or to
    `examples`, which is made. A file that is there with the same content stays. Raises `BadInput` for a name that is
    not an example's, and for a file that would be overwritten.
    """
    target = Path(folder if folder is not None else "examples" if names is None else ".")
    chosen = {name: name for name in EXAMPLES} if names is None else {}
    for word in names or ():
        if word in _FOLDERS:
            chosen |= {name: name for name in EXAMPLES if name.startswith(f"{word}/")}
        else:
            # A single example is written into the folder itself, not into one below it.
            chosen[_named(word)] = Path(_named(word)).name
    content = {target / place: read_bytes(_FOLDER / name) for name, place in chosen.items()}
    for path, data in content.items():
        if path.exists() and (path.is_dir() or read_bytes(path) != data):
            raise BadInput(f"{path}: there is something else already; choose another folder: --out FOLDER")
    for path, data in content.items():
        if names is None:
            make_folder(path.parent)
        elif path.parent != target:
            expect_folder(path.parent)
            make_folder(path.parent)
        expect_folder(path)
        if not path.exists():
            write_whole(path, data)
    return list(content)


def _named(word: str) -> str:
    word = _ALSO_CALLED.get(word, word)
    for name in EXAMPLES:
        if word.removeprefix("examples/") in (name, Path(name).name, name.removesuffix(".toml")):
            return name
    raise BadInput(f'there is no example "{word}"; allowed: {", ".join(EXAMPLES)}')
