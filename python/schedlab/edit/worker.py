"""A process that reads, changes and answers about scenarios: questions come as lines of JSON, and so do answers.

A process can be ended, unlike a computation within one, and has a limit of memory.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
from pathlib import Path
from typing import Any

from schedlab.core.scenario import Scenario
from schedlab.edit import answers
from schedlab.edit.document import Edited, edited, read, scenario_in
from schedlab.edit.form import form
from schedlab.edit.tasks import with_task, without_task
from schedlab.errors import SchedlabError

#: Largest number of lines of an error that are shown.
MOST_LINES = 3

#: Largest size of a worker's data in bytes.
MOST_MEMORY = 3 << 30

#: Status of a worker that was refused memory.
OUT_OF_MEMORY = 77


def answered(question: dict[str, Any]) -> bytes:
    """Returns the answer to a question as JSON; `error` says why there is none."""
    try:
        found: bytes = _ASKED[question["ask"]](question)
    except SchedlabError as error:
        return json.dumps({"error": _plainly(str(error), question)}).encode()
    return found


def _plainly(error: str, question: dict[str, Any]) -> str:
    """Returns an error as it is read beside a field: without the file and the field, and once for all copies."""
    fields = [path.replace('"', "") for path, _ in question.get("changes") or ()]
    place_of_text = rf"^({re.escape(question['file'])}(:\d+:\d+)?|settings): "
    lines = []
    for line in error.splitlines():
        place, colon, rest = re.sub(place_of_text, "", line).partition(": ")
        is_known = colon and any(place == field or _without_copy(place) == field for field in fields)
        lines.append(rest if is_known else f"{place}{colon}{rest}")
    different = list(dict.fromkeys(lines))
    more = len(different) - MOST_LINES
    return "\n".join([*different[:MOST_LINES], *([f"and {more} more of this kind"] if more > 0 else [])])


def _without_copy(path: str) -> str:
    """Returns the path of a field of a copy, such as `task.a.2.wcet`, as that of all copies."""
    return re.sub(r"\.\d+(?=\.[a-z_]+$)", "", path)


def _read(question: dict[str, Any]) -> bytes:
    return _shown(read(Path(question["path"]).read_bytes(), question["path"]))


def _edit(question: dict[str, Any]) -> bytes:
    return _shown(edited(question["text"], question["file"], question["changes"], _folder(question)))


def _add(question: dict[str, Any]) -> bytes:
    return _shown(with_task(question["text"], question["file"], _folder(question)))


def _remove(question: dict[str, Any]) -> bytes:
    return _shown(without_task(question["text"], question["file"], question["task"], _folder(question)))


def _folder(question: dict[str, Any]) -> Path:
    """Returns the folder of the scenario's file, in which its references are read."""
    return Path(question.get("folder", ""))


def _shown(found: Edited) -> bytes:
    return json.dumps(form(found), ensure_ascii=False, separators=(",", ":")).encode()


def _schedule(question: dict[str, Any]) -> bytes:
    return answers.schedule(_scenario(question), question.get("until_ns"))


def _proof(question: dict[str, Any]) -> bytes:
    scenario, task = _scenario(question), question.get("task")
    known = task in scenario.tasks["name"]
    return answers.proof(scenario, task if known else None, question["id"])


def _scenario(question: dict[str, Any]) -> Scenario:
    found = edited(question["text"], question["file"], question["changes"], _folder(question))
    # Of what was set, answers would say that it is supposed; here the numbers shown are the scenario.
    scenario = (
        found.scenario if not question["changes"] else scenario_in(found.text, question["file"], _folder(question))
    )
    return scenario.under(question.get("scheduler"))


_ASKED = {"read": _read, "edit": _edit, "add": _add, "remove": _remove, "schedule": _schedule, "proof": _proof}


#: A scenario with which a process begins, because the first answer of each kind takes longest.
_SMALL = 'schedlab = 1\n[[task]]\nname = "a"\nwcet = "1 ms"\nperiod = "3 ms"\n'


def main() -> None:
    """Answers until the input ends, or a question has taken its `seconds`: then the system ends the process."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    output = sys.stdout.buffer
    for ask in ("edit", "schedule", "proof"):
        answered({"ask": ask, "text": _SMALL, "file": "", "changes": [["task.a.wcet", "2 ms"]], "id": "first"})
    for line in sys.stdin.buffer:
        question = json.loads(line)
        signal.alarm(question["seconds"] + 1)
        try:
            found = answered(question)
        except MemoryError:
            sys.exit(OUT_OF_MEMORY)
        signal.alarm(0)
        output.write(found + b"\n")
        output.flush()


if __name__ == "__main__":
    main()
