"""The bench's server: on the loopback address alone, for those who have the token of its address."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from hmac import compare_digest
from socket import SO_REUSEADDR, SOL_SOCKET
from socket import socket as Socket
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.web import Application, HTTPError, RequestHandler

from schedlab.edit.desk import Desk, Obsolete, TooMuch
from schedlab.edit.page import assets
from schedlab.edit.session import Conflict, Session
from schedlab.errors import BadInput, CannotRun, SchedlabError

#: The only address on which the server listens.
LOOPBACK = "127.0.0.1"

#: Largest size of a request in bytes.
MOST_OF_REQUEST = 1 << 20

#: Headers of every answer: the page asks nothing of others, and no other page may show it.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

#: Words for the page by what went wrong; input that is refused has none of them.
_KINDS: dict[type[SchedlabError], str] = {Conflict: "conflict", Obsolete: "obsolete", TooMuch: "too much"}


class Bench:
    """A session and the desks that answer about it, behind a token."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self.hosts: frozenset[str] = frozenset()
        #: Changes, schedules and proofs wait for none of the others.
        self.changes, self.schedules, self.proofs = Desk(), Desk(), Desk()

    async def change(self, ask: str, given: dict[str, Any]) -> None:
        """Changes the scenario as a request says; raises `BadInput` if the result is no scenario."""
        session = self.session
        session.expect(given["version"])
        form = json.loads(await self.changes.ask(self.question(ask) | given["with"]))
        if "error" in form:
            raise BadInput(form["error"])
        session.expect(given["version"])
        session.change(form, str(given["label"]), given.get("gesture"))

    def question(self, ask: str) -> dict[str, Any]:
        """Returns the beginning of a question about the present text."""
        path = self.session.path
        return {"ask": ask, "text": self.session.step.text, "file": path.name, "folder": str(path.parent)}

    async def close(self) -> None:
        """Ends the workers."""
        for desk in (self.changes, self.schedules, self.proofs):
            await desk.close()


class Guarded(RequestHandler):
    """A request that is refused unless it comes from this machine's browser, from the bench's own page."""

    bench: Bench

    def initialize(self, bench: Bench) -> None:
        self.bench = bench

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def prepare(self) -> None:
        # Other names may lead here, too, which is how pages of others reach servers of this machine.
        if self.request.headers.get_list("Host") != [self.request.host] or self.request.host not in self.bench.hosts:
            raise HTTPError(403, "this host is not the bench's")
        origin = self.request.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.bench.hosts}:
            raise HTTPError(403, "requests of other pages are refused")
        if self.request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site") and not self.is_visit():
            raise HTTPError(403, "requests of other pages are refused")
        if not compare_digest(self.path_kwargs["token"].encode(), self.bench.token.encode()):
            raise HTTPError(403, "the token of the address is not the bench's: see where schedlab edit was started")

    def is_visit(self) -> bool:
        """True if a browser goes to the page itself, such as from the file that leads there; the token is needed."""
        return False

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        # A request that is refused is told to who sent it, and not in the terminal.
        if not isinstance(value, HTTPError):
            super().log_exception(typ, value, tb)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        error = kwargs.get("exc_info", (None, None, None))[1]
        told = error.log_message if isinstance(error, HTTPError) and error.log_message else self._reason
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps({"error": told}))


class Asset(Guarded):
    """The page, its style and its script."""

    def is_visit(self) -> bool:
        asked = {name: self.request.headers.get(f"Sec-Fetch-{name}") for name in ("Mode", "Dest")}
        return not self.path_kwargs["name"] and asked == {"Mode": "navigate", "Dest": "document"}

    def get(self, token: str, name: str) -> None:
        if not name and not self.request.path.endswith("/"):
            # Addresses in the page follow its own.
            self.redirect(f"{self.request.path}/")
            return
        found = assets(self.bench.session.path.name)
        if name not in found:
            raise HTTPError(404, "there is no such page")
        kind, content = found[name]
        self.set_header("Content-Type", kind)
        self.finish(content)


class State(Guarded):
    """The present state of the scenario."""

    def get(self, token: str) -> None:
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps(self.bench.session.told()))


class Act(Guarded):
    """What the page asks for: changes, answers, saving."""

    async def post(self, token: str, act: str) -> None:
        self.set_header("Content-Type", "application/json")
        try:
            answer = await self._acts()[act](self._given())
        except SchedlabError as error:
            # An answer like others: browsers report failed requests as faults of the page.
            kind = _KINDS.get(type(error), "input")
            answer = json.dumps({"error": str(error), "kind": kind, "state": self.bench.session.told()}).encode()
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise HTTPError(400, f"this is no request of the page: {error!r}") from error
        self.finish(answer)

    def _given(self) -> dict[str, Any]:
        """Returns the content of the request."""
        if self.request.headers.get("Content-Type") != "application/json":
            raise HTTPError(415, "requests of the page are JSON")
        given = json.loads(self.request.body)
        if not isinstance(given, dict):
            raise ValueError("no table")
        return given

    def _acts(self) -> dict[str, Callable[..., Any]]:
        return {
            "edit": self._edit, "add": self._add, "remove": self._remove, "undo": self._undo, "redo": self._redo,
            "save": self._save, "read": self._read, "schedule": self._schedule, "proof": self._proof,
        }  # fmt: skip

    async def _edit(self, given: dict[str, Any]) -> bytes:
        return await self._changed("edit", given | {"with": {"changes": _changes(given)}})

    async def _add(self, given: dict[str, Any]) -> bytes:
        return await self._changed("add", given | {"with": {}})

    async def _remove(self, given: dict[str, Any]) -> bytes:
        return await self._changed("remove", given | {"with": {"task": str(given["task"])}})

    async def _changed(self, ask: str, given: dict[str, Any]) -> bytes:
        await self.bench.change(ask, given)
        return self._state()

    async def _undo(self, given: dict[str, Any]) -> bytes:
        self.bench.session.expect(given["version"])
        self.bench.session.undo()
        return self._state()

    async def _redo(self, given: dict[str, Any]) -> bytes:
        self.bench.session.expect(given["version"])
        self.bench.session.redo()
        return self._state()

    async def _save(self, given: dict[str, Any]) -> bytes:
        self.bench.session.expect(given["version"])
        self.bench.session.save(over=given.get("over") is True)
        return self._state()

    async def _read(self, given: dict[str, Any]) -> bytes:
        session = self.bench.session
        session.expect(given["version"])
        content = session.content()
        if content is None:
            raise Conflict(f"{session.path} is not there")
        asked = self.bench.question("read") | {"path": str(session.path)}
        form = json.loads(await self.bench.changes.ask(asked))
        if "error" in form:
            raise BadInput(form["error"])
        session.expect(given["version"])
        session.was_read(content, form)
        return self._state()

    async def _schedule(self, given: dict[str, Any]) -> bytes:
        until = given.get("until_ns")
        more = {"until_ns": None if until is None else int(until)}
        return await self._answered(self.bench.schedules, "schedule", given, more)

    async def _proof(self, given: dict[str, Any]) -> bytes:
        task = given.get("task")
        more = {"task": None if task is None else str(task), "id": f"proof-{int(given['column'])}"}
        return await self._answered(self.bench.proofs, "proof", given, more)

    async def _answered(self, desk: Desk, ask: str, given: dict[str, Any], more: dict[str, Any]) -> bytes:
        self.bench.session.expect(given["version"])
        scheduler = given.get("scheduler")
        asked = self.bench.question(ask) | {"changes": _changes(given)} | more
        asked["scheduler"] = None if scheduler is None else str(scheduler)
        answer = await desk.ask(asked, place=f"{given['window']}/{given['column']}")
        return answer

    def _state(self) -> bytes:
        return json.dumps(self.bench.session.told()).encode()


def _changes(given: dict[str, Any]) -> list[list[str | None]]:
    """Returns the changes of a request: paths with values."""
    return [[str(path), None if value is None else str(value)] for path, value in given["changes"]]


def application(bench: Bench) -> Application:
    """Returns the application: the token is the first part of every path."""
    given = {"bench": bench}
    return Application(
        [
            (r"/(?P<token>[^/]+)/state", State, given),
            (r"/(?P<token>[^/]+)/do/(?P<act>edit|add|remove|undo|redo|save|read|schedule|proof)", Act, given),
            (r"/(?P<token>[^/]*)/?(?P<name>.*)", Asset, given),
        ],
        log_function=lambda handler: None,
    )


def _listening(port: int) -> Socket:
    """Returns a socket that listens on the loopback address alone."""
    socket = Socket()
    socket.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
    try:
        socket.bind((LOOPBACK, port))
    except OSError as error:
        socket.close()
        raise CannotRun(f"port {port}: {error.strerror}; allowed: another one, or none for a free one") from error
    socket.listen()
    socket.setblocking(False)
    return socket


async def serve(bench: Bench, port: int, ready: Callable[[str], None]) -> None:
    """Serves the bench until it is cancelled; `ready` is called with its address."""
    socket = _listening(port)
    port = socket.getsockname()[1]
    bench.hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
    server = HTTPServer(application(bench), max_body_size=MOST_OF_REQUEST, max_buffer_size=2 * MOST_OF_REQUEST)
    server.add_sockets([socket])
    try:
        ready(f"http://{LOOPBACK}:{port}/{bench.token}/")
        for desk in (bench.schedules, bench.proofs, bench.changes):
            await desk.warm()
        await asyncio.Event().wait()
    finally:
        server.stop()
        await bench.close()
        await server.close_all_connections()
