"""A bench that runs, and requests to it, for tests."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Served:
    """A bench's process, and its address."""

    process: subprocess.Popen[str]
    address: str
    file: str

    @property
    def port(self) -> int:
        port = urlsplit(self.address).port
        assert port is not None
        return port

    @property
    def token(self) -> str:
        return urlsplit(self.address).path.strip("/")

    def ask(
        self, path: str, body: object = None, *, method: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """A request as given, with bytes or JSON: status, headers and content of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Content-Type": "application/json"} if content is not None else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method or ("GET" if content is None else "POST"), path, content, given)
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return found

    def get(self, name: str = "state") -> Any:
        status, _, content = self.ask(f"/{self.token}/{name}")
        assert status == 200, content
        return json.loads(content)

    def do(self, act: str, **given: Any) -> Any:
        """The answer to what the page asks for; about the present state, unless a `version` is given."""
        given.setdefault("version", self.get()["version"])
        if act in ("schedule", "proof"):
            given = {"changes": [], "window": "w", "column": 0} | given
        status, _, content = self.ask(f"/{self.token}/do/{act}", given)
        assert status == 200, content
        return json.loads(content)

    def edit(self, *changes: tuple[str, str | None], label: str = "a change", **given: Any) -> Any:
        return self.do("edit", changes=changes, label=label, **given)


@contextmanager
def served(*words: object, folder: Path, **environment: str) -> Iterator[Served]:
    """`schedlab edit` in a folder; at the end, Ctrl-C ends it, and no worker stays."""
    command = [sys.executable, "-m", "schedlab", "edit", "--no-open", "--json", *map(str, words)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
        env=os.environ | environment,
    )
    assert process.stdout is not None and process.stderr is not None
    text = ""
    while not text.endswith("}\n"):
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.stderr.read())
        text += line
    told = json.loads(text)
    try:
        yield Served(process, told["address"], told["file"])
        is_killed = process.poll() is not None
    except BaseException:
        process.kill()
        process.communicate()
        raise
    if is_killed:
        process.communicate()
        return
    workers = children(process.pid)
    # As a terminal sends it: to all processes of its session.
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors and errors.endswith("schedlab: interrupted\n"), errors
    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]


def children(number: int) -> list[int]:
    """The processes that a process began."""
    return [int(word) for word in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
