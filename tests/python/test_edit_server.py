"""The bench's server: whom it refuses, what it answers, and how it ends."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import schedlab
from benches import Served, children, served
from conftest import ROOT
from schedlab.edit import desk
from schedlab.edit.desk import Desk, Obsolete, TooMuch
from schedlab.edit.worker import OUT_OF_MEMORY

DHALL = (ROOT / "examples/dhall.toml").read_text()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("bench")
    shutil.copy(ROOT / "examples/dhall.toml", folder / "dhall.toml")
    with served("dhall.toml", folder=folder) as running:
        yield running


def state(bench: Served) -> str:
    return f"/{bench.token}/state"


def test_it_listens_on_the_loopback_address_alone(bench: Served) -> None:
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = [line[1] for line in lines if line[3] == "0A" and line[1].endswith(f":{bench.port:04X}")]
    assert listening == [f"0100007F:{bench.port:04X}"]
    lines = [line.split() for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]]
    assert not [line for line in lines if line[3] == "0A" and line[1].endswith(f":{bench.port:04X}")]


@pytest.mark.parametrize("token", ["", "x", "A" * 32, "..", "%2e%2e", "%00", "ü"])
def test_without_the_token_nothing_is_told(bench: Served, token: str) -> None:
    for path in (f"/{token}/", f"/{token}/state", f"/{token}/bench.js"):
        status, _, content = bench.ask(path.encode("ascii", "ignore").decode())
        assert status in (400, 403, 404) and b"task" not in content
    status, _, _ = bench.ask(f"/{token.encode('ascii', 'ignore').decode()}/do/save", {"version": 1})
    assert status in (400, 403, 404)


def test_the_token_is_long_and_another_for_each_bench(bench: Served, tmp_path: Path) -> None:
    assert len(bench.token) >= 32
    with served(folder=tmp_path) as other:
        assert other.token != bench.token
        assert bench.ask(f"/{other.token}/state")[0] == 403


HOSTS = ("evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "localhost.:PORT", "0.0.0.0:PORT",
         "[::1]:PORT", "127.0.0.1:PORT.evil.example", "127.0.0.1:PORT, x")  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_other_hosts_are_refused(bench: Served, host: str) -> None:
    status, _, content = bench.ask(state(bench), Host=host.replace("PORT", str(bench.port)))
    assert status in (400, 403) and b"task" not in content
    assert bench.ask(state(bench), Host=f"localhost:{bench.port}")[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:PORT", "http://127.0.0.1:1", ""])
def test_other_origins_are_refused(bench: Served, origin: str) -> None:
    given = origin.replace("PORT", str(bench.port))
    status, headers, _ = bench.ask(f"/{bench.token}/do/undo", {"version": 1}, Origin=given)
    assert status == 403
    assert not [name for name in headers if name.lower().startswith("access-control")]
    assert bench.ask(state(bench), Origin=f"http://127.0.0.1:{bench.port}")[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_requests_that_a_browser_calls_foreign_are_refused(bench: Served, site: str) -> None:
    assert bench.ask(state(bench), Sec_Fetch_Site=site)[0] == 403
    assert bench.ask(state(bench), Sec_Fetch_Site="same-origin")[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_visit_of_the_page_may_come_from_a_file(bench: Served, site: str) -> None:
    visit = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert bench.ask(f"/{bench.token}/", **visit)[0] == 200
    for refused in ({"Sec_Fetch_Dest": "iframe"}, {"Sec_Fetch_Mode": "no-cors"}):
        assert bench.ask(f"/{bench.token}/", **(visit | refused))[0] == 403
    for path in (state(bench), f"/{bench.token}/bench.js", f"/{'A' * 32}/"):
        assert bench.ask(path, **visit)[0] == 403


PATHS = ("../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "dhall.toml", "bench.js/../dhall.toml", "/etc/passwd",
         "%2fetc%2fpasswd", "do/", "do/edit/x", "do/exec", "state/x")  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_only_the_pages_parts_are_served(bench: Served, path: str) -> None:
    status, _, content = bench.ask(f"/{bench.token}/{path}")
    assert status in (400, 403, 404, 405)
    assert b"root:" not in content and b"light" not in content


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"])
def test_other_methods_are_refused(bench: Served, method: str) -> None:
    assert bench.ask(state(bench), method=method)[0] in (403, 405)
    assert bench.ask(f"/{bench.token}/do/save", method="GET")[0] == 405


def test_requests_that_are_none_of_the_page_are_refused(bench: Served) -> None:
    act = f"/{bench.token}/do/edit"
    assert bench.ask(act, {"version": 1}, Content_Type="text/plain")[0] == 415
    now = bench.get()["version"]
    wrong: list[Any] = [[], 3, "x", None, {}, {"version": now}, {"version": now, "changes": 3, "label": ""},
                        {"version": now, "changes": [[1]], "label": ""},
                        {"version": now, "changes": [["a"]]}]  # fmt: skip
    for body in wrong:
        status, _, content = bench.ask(act, body if body is not None else [])
        assert status == 400 or b'"conflict"' in content, content
    assert bench.ask(act, method="POST", Content_Type="application/json", Content_Length="2000000")[0] in (400, 413)
    # The bench's end shows that none of them is a fault of the server: its terminal has no traceback.
    deep = b"[" * 100_000 + b"]" * 100_000
    endless = b'{"version": %d, "changes": [], "window": "w", "column": 0, "until_ns": 1e400}' % now
    for act, content in (("edit", deep), ("schedule", endless), ("schedule", b"\xff")):
        assert bench.ask(f"/{bench.token}/do/{act}", content, method="POST")[0] == 400, content[:80]


def test_every_answer_forbids_what_the_page_does_not_need(bench: Served) -> None:
    for path in (f"/{bench.token}/", f"/{bench.token}/bench.js", state(bench), "/", "/x"):
        _, headers, _ = bench.ask(path)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer" and "Server" not in headers
    _, _, page = bench.ask(f"/{bench.token}/")
    assert b"http" not in page and not re.search(rb"<script>|style=|onclick", page)
    status, headers, _ = bench.ask(f"/{bench.token}")
    assert status == 302 and headers["Location"] == f"/{bench.token}/"


def test_answers_are_those_of_the_other_commands(bench: Served) -> None:
    scenario = schedlab.Scenario.parse(bench.get()["text"])
    for scheduler in (None, "P-EDF"):
        [analysis] = schedlab.analyze(scenario.under(scheduler))
        found = bench.do("proof", scheduler=scheduler, task="heavy")
        assert found["answer"] == analysis.answer
        assert found["bounds_ns"] == [analysis.response_time_bound_ns(task) for task in range(3)]
        drawn = bench.do("schedule", scheduler=scheduler)
        metrics = schedlab.simulate(scenario, scheduler=scheduler).metrics()
        assert (drawn["jobs"], drawn["misses"]) == (metrics.jobs, metrics.misses)
        assert drawn["responses_ns"] == metrics.tasks["max_response_time_ns"]
        assert drawn["schedule"]["segments"]
    assert "<script" not in bench.do("proof")["proofs"]


def test_what_is_previewed_is_answered_and_not_kept(bench: Served) -> None:
    before = bench.get()
    found = bench.do("schedule", changes=[["task.heavy.wcet", "500 us"]])
    assert found["misses"] == 0 and found["trace"]["tasks"][2]["wcet_ns"] == 500_000
    assert "what if" not in bench.do("proof", changes=[["task.heavy.wcet", "500 us"]])["verdict"]
    assert "error" in bench.do("schedule", changes=[["task.heavy.wcet", "0"]])
    assert bench.get() == before


def test_edits_are_kept_and_refused_ones_change_nothing(bench: Served) -> None:
    before = bench.get()
    found = bench.edit(("task.heavy.wcet", "900 us"), label="cost of heavy")
    assert found["undo"] == "cost of heavy" and 'wcet = "900 us"' in found["text"] and not found["is_saved"]
    for path, value in (("task.heavy.wcet", "1e400"), ("task.light.period", "0 ms"), ("platform.processors", "0"),
                        ("scheduler", "nobody's"), ("task.light.copies", "10000"),
                        ("task.heavy.wcet", "")):  # fmt: skip
        refused = bench.edit((path, value))
        assert refused["kind"] == "input" and refused["error"] and "task.heavy.wcet:" not in refused["error"]
    once = bench.edit(("task.light.wcet", "x"))["error"]
    assert once.count("allowed") == 1, "one sentence for both copies"
    assert bench.get()["text"] == found["text"]
    old = bench.edit(("task.heavy.wcet", "1 us"), version=before["version"])
    assert old["kind"] == "conflict" and "another window" in old["error"] and old["state"]["text"] == found["text"]
    assert bench.do("undo")["text"] == before["text"]


def test_saving_asks_before_it_overwrites(bench: Served, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples/dhall.toml", tmp_path / "x.toml")
    with served("x.toml", folder=tmp_path) as own:
        own.edit(("task.heavy.wcet", "900 us"))
        (tmp_path / "x.toml").write_text(DHALL + "# theirs\n")
        refused = own.do("save")
        assert refused["kind"] == "conflict" and "was changed by another program" in refused["error"]
        assert own.do("read")["text"].endswith("# theirs\n")
        assert own.do("undo")["text"] == DHALL.replace('wcet = "1 ms"', 'wcet = "900 us"')
        assert own.do("save")["is_saved"]
        assert (tmp_path / "x.toml").read_text() == own.get()["text"]
        (tmp_path / "x.toml").write_text("nonsense")
        assert own.do("read")["kind"] == "input"
        assert own.do("save", over=True)["is_saved"]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["x.toml"]


def test_without_a_file_it_begins_with_an_example_and_writes_nothing_unasked(tmp_path: Path) -> None:
    with served(folder=tmp_path) as own:
        assert own.get()["rows"] and not own.get()["is_saved"]
        assert own.do("add", label="a task")["rows"][-1]["name"] == "task 3"
        assert not list(tmp_path.iterdir())
        assert own.do("save")["is_saved"]
    assert [path.name for path in tmp_path.iterdir()] == ["robot.toml"]
    assert len(schedlab.Scenario.read(tmp_path / "robot.toml").tasks) == 3


def test_another_tools_file_is_saved_beside_it(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples/threads.csv", tmp_path)
    before = (tmp_path / "threads.csv").read_bytes()
    with served("threads.csv", folder=tmp_path) as own:
        assert own.file == "threads.toml" and "is no TOML" in own.get()["notice"]
        assert own.do("save")["is_saved"]
    assert (tmp_path / "threads.csv").read_bytes() == before
    assert schedlab.Scenario.read(tmp_path / "threads.toml") == schedlab.Scenario.read(tmp_path / "threads.csv")


def test_a_file_that_names_its_overheads_is_saved_in_its_own_words(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "o.toml").write_text('schedlab-overheads = 1\n[all]\ncontext_switch = "5 us"\n')
    text = DHALL.replace("schedlab = 1", 'schedlab = 1\noverheads = "o.toml" # mine')
    (folder / "x.toml").write_text(text)
    with served("in/x.toml", folder=tmp_path) as own:
        assert own.get()["is_saved"] and not own.get()["notice"]
        own.edit(("task.heavy.wcet", "900 us"))
        assert "error" not in own.do("proof") | own.do("schedule")
        assert own.do("save")["is_saved"]
    assert (folder / "x.toml").read_text() == text.replace('wcet = "1 ms"', 'wcet = "900 us"')


def test_what_cannot_be_opened_is_told_before_a_server_is_there(run: Any, tmp_path: Path) -> None:
    many = tmp_path / "many.toml"
    many.write_text(DHALL.replace("copies = 2", "copies = 10000"))
    assert (found := run("edit", many)).status == 2 and "10001 tasks are too many" in found.err
    assert run("edit", tmp_path / "missing.toml").status == 2
    assert run("edit", "-").status == 2
    assert run("edit", many, "-o", tmp_path / "x.csv").status == 2
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = run("edit", ROOT / "examples/robot.toml", "--port", taken.getsockname()[1])
        assert found.status == 3 and "port" in found.err


def test_an_answer_that_takes_too_long_is_given_up_and_the_next_one_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = {"ask": "schedule", "text": DHALL.replace('"10 ms"', '"365 h"'), "file": "x", "changes": []}
    quick = endless | {"text": DHALL}

    async def asked() -> None:
        own = Desk()
        with pytest.raises(TooMuch, match="given up after 2 s"):
            await own.ask(endless, "a", seconds=2)
        assert b'"misses"' in await own.ask(quick, "a")
        # A newer question of the same place goes before; one of another place waits for its turn.
        slow = asyncio.ensure_future(own.ask(endless, "a"))
        await asyncio.sleep(0.2)
        waiting = asyncio.ensure_future(own.ask(quick, "b"))
        assert b'"misses"' in await own.ask(quick, "a")
        with pytest.raises(Obsolete):
            await slow
        assert b'"misses"' in await waiting
        await own.close()

    asyncio.run(asked())


ENDS = {
    f"exit {OUT_OF_MEMORY}": "more memory than the bench gives, 3 GiB", "kill -ABRT $$": "more memory",
    "kill -KILL $$": "ended from outside, by SIGKILL", "kill -ALRM $$": "given up", "exit 3": "ended with status 3",
}  # fmt: skip


@pytest.mark.parametrize("end", ENDS)
def test_a_worker_that_ends_is_told_and_replaced(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setattr(desk, "WORKER", ("sh", "-c", f"read line; {end}"))

    async def asked() -> None:
        own = Desk()
        with pytest.raises(TooMuch, match=ENDS[end]):
            await own.ask({"ask": "schedule"}, "a")
        monkeypatch.setattr(desk, "WORKER", ("sh", "-c", "read line; echo {}; read line"))
        assert await own.ask({"ask": "schedule"}, "a") == b"{}"
        await own.close()

    asyncio.run(asked())


def test_a_question_that_the_end_of_the_bench_cuts_off_blames_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "WORKER", ("sh", "-c", "read line; read line"))

    async def asked() -> None:
        own = Desk()
        waiting = asyncio.ensure_future(own.ask({"ask": "schedule"}, "a"))
        await asyncio.sleep(0.1)
        await own.close()
        with pytest.raises(Obsolete, match="was ended"):
            await waiting

    asyncio.run(asked())


@pytest.fixture
def hangup() -> Iterator[None]:
    """Has programs that are started notice a closed terminal, even if the tests themselves ignore it (nohup)."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangup")
def test_a_terminal_that_closes_ends_it_in_order(tmp_path: Path) -> None:
    with served(folder=tmp_path) as own:
        own.do("schedule")
        workers = children(own.process.pid)
        own.process.send_signal(signal.SIGHUP)
        assert own.process.wait(timeout=30) == 130
        assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]


def test_workers_end_with_a_server_that_is_killed(tmp_path: Path) -> None:
    with served(folder=tmp_path) as own:
        own.do("schedule")
        workers = children(own.process.pid)
        assert len(workers) == 3
        own.process.kill()
        own.process.wait()
        for _ in range(100):
            if not [worker for worker in workers if Path(f"/proc/{worker}/exe").exists()]:
                break
            time.sleep(0.1)
        else:
            pytest.fail("a worker goes on without its server")
