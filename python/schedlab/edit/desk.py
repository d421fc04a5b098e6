"""A desk answers questions one after another, in a process that is ended where an answer takes too long."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from contextlib import suppress
from typing import Any

from schedlab.edit.worker import MOST_MEMORY, OUT_OF_MEMORY
from schedlab.errors import SchedlabError

#: Seconds after which an answer is given up.
MOST_SECONDS = 10

#: Seconds that an answer may still take for which the page waits no longer: a new process mostly needs more.
GRACE = 0.3

#: Largest size of an answer in bytes.
MOST_BYTES = 1 << 26

#: The command of a worker's process.
WORKER = (sys.executable, "-m", "schedlab.edit.worker")


class Obsolete(SchedlabError):
    """A newer question of the same place made an answer needless."""

    exit_status = 4


class TooMuch(SchedlabError):
    """An answer took too long, or more memory than it may have, or its process was ended."""

    exit_status = 4


class Desk:
    """A worker's process with its questions; each place of a page asks one at a time, and a newer one goes first."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._newest: dict[str, asyncio.Event] = {}

    async def ask(self, question: dict[str, Any], place: str = "", seconds: int = MOST_SECONDS) -> bytes:
        """Returns the answer as JSON.

        Raises `Obsolete` if the same place has asked again meanwhile, and `TooMuch` beyond a limit.
        """
        if (before := self._newest.get(place)) is not None and place:
            before.set()
        obsolete = self._newest[place] = asyncio.Event()
        try:
            async with self._turn:
                if obsolete.is_set():
                    raise Obsolete("a newer question was asked")
                return await self._answer(question | {"seconds": seconds}, obsolete, seconds)
        finally:
            if self._newest.get(place) is obsolete:
                del self._newest[place]

    async def _answer(self, question: dict[str, Any], obsolete: asyncio.Event, seconds: float) -> bytes:
        process = await self._started()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(question).encode() + b"\n")
        answer = asyncio.ensure_future(process.stdout.readline())
        newer = asyncio.ensure_future(obsolete.wait())
        try:
            await asyncio.wait({answer, newer}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done() and newer.done():
                await asyncio.wait({answer}, timeout=GRACE)
        finally:
            newer.cancel()
            if not answer.done():
                answer.cancel()
                await self.close()
        if answer.cancelled() or not answer.done():
            if obsolete.is_set():
                raise Obsolete("a newer question was asked")
            raise TooMuch(f"this was given up after {seconds} s: {_LESS}")
        try:
            found = answer.result()
        except ValueError:
            await self.close()
            raise TooMuch(f"the answer has more than {MOST_BYTES >> 20} MiB: {_LESS}") from None
        if not found.endswith(b"\n"):
            if self._process is not process:
                raise Obsolete("schedlab edit was ended")
            raise TooMuch(_ended(await process.wait(), seconds))
        return found[:-1]

    async def _started(self) -> asyncio.subprocess.Process:
        """Returns the process, started anew if it has ended."""
        if self._process is None or self._process.returncode is not None:
            pipe = asyncio.subprocess.PIPE
            # In a session of its own, as Ctrl-C in the terminal is the server's to handle, which ends its workers.
            self._process = await asyncio.create_subprocess_exec(
                *WORKER, stdin=pipe, stdout=pipe, limit=MOST_BYTES, start_new_session=True
            )
        return self._process

    async def warm(self) -> None:
        """Starts the process before the first question."""
        async with self._turn:
            await self._started()

    async def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _ended(status: int, seconds: float) -> str:
    """Returns what is known of a process that ended without an answer."""
    if status in (OUT_OF_MEMORY, -signal.SIGABRT):
        # Where memory is refused, Rust aborts.
        return f"this took more memory than the bench gives, {MOST_MEMORY >> 30} GiB: {_LESS}"
    if status == -signal.SIGALRM:
        return f"this was given up after {seconds} s: {_LESS}"
    if status < 0:
        name = signal.Signals(-status).name
        return f"the process that computed this was ended from outside, by {name}: change a number to ask again"
    return f"the process that computed this ended with status {status}; where schedlab edit was started may say why"


#: Advice where an answer is too much.
_LESS = "fewer tasks, longer periods, a shorter horizon or smaller numbers are quicker"
