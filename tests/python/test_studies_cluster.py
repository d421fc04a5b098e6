"""Studies on a cluster: real processes that are killed, clients that share, and the bytes of one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from schedlab.errors import BadInput, CannotRun
from schedlab.store.remote import Remote
from schedlab.studies import StudyError, load_study, run_study
from schedlab.studies import shipped as shipped_module
from schedlab.studies.executor import SerialExecutor
from schedlab.studies.shipped import ShippedWork, own_version
from schedlab.studies.worker import Work

psutil = pytest.importorskip("psutil", reason="the extra cluster is not installed")
pytest.importorskip("distributed", reason="the extra cluster is not installed")

#: Units that take a while each, so that workers are killed amid them; the paces of points differ.
STUDY = """
import os, random, time
from schedlab.studies import Study, grid
from . import _walk

def evaluate(unit):
    time.sleep(float(os.environ.get("TOY_DELAY", "0")) * unit.parameters["steps"] / 50)
    return {"end": [_walk.end(random.Random(unit.set_seed(i)), unit.parameters["steps"]) for i in unit.sets]}

study = Study(name="toy", title="A toy", points=grid(steps=[5, 50], bound=[0.0, 2.5]),
              evaluate=evaluate, sets=40, sets_per_unit=4)
"""
WALK = "def end(random, steps):\n    return sum(random.choice((-1, 1)) for _ in range(steps))\n"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    folder = tmp_path / "a-paper"
    folder.mkdir()
    (folder / "_walk.py").write_text(WALK)
    (folder / "toy.py").write_text(STUDY)
    return folder / "toy.py"


@pytest.fixture
def whole(toy: Path, tmp_path: Path) -> bytes:
    """What one process stores."""
    return run_study(load_study(toy), toy, tmp_path / "whole", executor=SerialExecutor()).results.read_bytes()


def started(toy: Path, out: Path, *options: str, delay: float = 0.0, **environment: str) -> subprocess.Popen[str]:
    """A client on a cluster of its own with two workers, or of the one that the options name."""
    arguments = ["study", "run", str(toy), "--out", str(out), "--no-plot", "--workers", "2", "--cluster"]
    program = [sys.executable, "-m", "schedlab", *arguments, *(options or ["local"])]
    told = {**os.environ, "TOY_DELAY": str(delay), **environment}
    return subprocess.Popen(program, env=told, stderr=subprocess.PIPE, text=True)


def ended(client: subprocess.Popen[str]) -> str:
    """What it said when it was done."""
    _, said = client.communicate(timeout=300)
    assert client.returncode == 0, said
    return said


def workers_of(client: subprocess.Popen[str]) -> list[int]:
    """The processes of its workers."""
    try:
        found = psutil.Process(client.pid).children(recursive=True)
        return [one.pid for one in found if "resource_tracker" not in " ".join(one.cmdline())]
    except psutil.NoSuchProcess:
        return []


def wait_until(condition: Any, client: subprocess.Popen[str]) -> None:
    give_up = time.monotonic() + 600
    while not condition():
        assert client.poll() is None, client.communicate()[1]
        assert time.monotonic() < give_up, "ten minutes were not enough"
        time.sleep(0.05)


def parts(out: Path) -> int:
    return len(list(out.rglob("parts/*/*/*.parquet")))


def results(out: Path) -> bytes:
    return (out / "toy" / "results.parquet").read_bytes()


def kill_some(toy: Path, out: Path, workers: int, seed: int) -> None:
    """Kills so many workers amid their work, then the client, and has the same command end the run."""
    client = started(toy, out, delay=0.6)
    for one in range(workers):
        wait_until(lambda enough=one + 1: len(workers_of(client)) >= 2 and parts(out) >= enough, client)
        victims = workers_of(client)
        os.kill(victims[(seed + one) % len(victims)], signal.SIGKILL)
    client.kill()
    client.communicate()
    ended(started(toy, out))


def test_killed_workers_and_a_killed_client_change_no_byte(toy: Path, whole: bytes, tmp_path: Path) -> None:
    out = tmp_path / "out"
    kill_some(toy, out, workers=2, seed=0)
    assert results(out) == whole


@pytest.mark.soak
def test_twenty_kills_change_no_byte(toy: Path, whole: bytes, tmp_path: Path) -> None:
    for at in range(5):
        out = tmp_path / f"out-{at}"
        kill_some(toy, out, workers=3, seed=at)
        assert results(out) == whole


@pytest.mark.soak
def test_two_clients_share_one_store_and_a_part_is_about_a_second(toy: Path, whole: bytes, tmp_path: Path) -> None:
    out = tmp_path / "out"
    clients = [started(toy, out, delay=0.2) for _ in range(2)]
    for client in clients:
        ended(client)
    assert results(out) == whole
    assert not list(out.rglob("*.part"))
    assert parts(out) < 40, "units of 20 to 200 ms are stored together"


@pytest.mark.soak
def test_a_unit_that_kills_its_workers_is_named(toy: Path, tmp_path: Path) -> None:
    toy.write_text(STUDY.replace("def evaluate(unit):", "def evaluate(unit):\n    if unit.first == 8: os._exit(9)"))
    client = started(toy, tmp_path / "out", DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    _, said = client.communicate(timeout=300)
    assert client.returncode == 2 and "sets 8..11: its workers died again and again" in said


def test_workers_of_another_version_are_refused(toy: Path) -> None:
    shipped = ShippedWork.of(Work(toy))
    assert [part.pieces[0].rows for part in shipped(load_study(toy).units(4, 1)[:1])] == [4]
    [folder] = {Path(one.name) for one in shipped_module._FOLDERS if (Path(one.name) / "toy.py").is_file()}
    assert folder.stat().st_mode & 0o777 == 0o700 and folder.stat().st_uid == os.getuid()
    other = ShippedWork(shipped.files, type(own_version())("0.0.1", "abcdef0123", "3.11"))
    with pytest.raises(CannotRun, match=r"has schedlab .* this client schedlab 0\.0\.1 \(build abcdef01\)"):
        other(load_study(toy).units(4, 1)[:1])


def test_no_scheduler_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from schedlab.studies import cluster

    monkeypatch.setattr(cluster, "FIRST_ANSWER", 0.2)
    said = "--cluster tcp://127.0.0.1:9: no scheduler answers there"
    with pytest.raises(CannotRun, match=said), cluster._connected("tcp://127.0.0.1:9", 1):
        pass


@pytest.mark.soak
def test_a_lost_scheduler_is_said_and_the_same_command_continues(toy: Path, whole: bytes, tmp_path: Path) -> None:
    out, port = tmp_path / "out", "18786"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", port, "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1"]
    told = {**os.environ, "TOY_DELAY": "0.6"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": told}
    scheduler = subprocess.Popen(dask, **quiet)  # type: ignore[call-overload]
    serving = subprocess.Popen([*worker, "--no-dashboard", "--no-nanny"], **quiet)  # type: ignore[call-overload]
    try:
        client = started(toy, out, f"tcp://127.0.0.1:{port}")
        wait_until(lambda: parts(out) > 1, client)
        scheduler.kill()
        _, said = client.communicate(timeout=120)
        assert client.returncode == 3 and "the scheduler was lost" in said, said
    finally:
        for process in (scheduler, serving):
            process.kill()
            process.wait()
    ended(started(toy, out))
    assert results(out) == whole


def test_nothing_of_dask_is_imported_without_a_cluster(toy: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from schedlab.cli.main import main\n"
        f"assert main(['study', 'run', {str(toy)!r}, '--out', {str(tmp_path)!r}, '--workers', '1']) == 0\n"
        "assert not {'dask', 'distributed', 'fsspec'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_store_of_objects_has_the_parts_and_the_results(toy: Path, whole: bytes, tmp_path: Path) -> None:
    report = run_study(load_study(toy), toy, tmp_path / "here", store="memory://a/b")
    assert report.results.read_bytes() == whole == Remote("memory://a/b/toy").read("results.parquet")
    assert Remote("memory://a/b/toy/parts").list() and not (tmp_path / "here" / "parts").exists()
    again = run_study(load_study(toy), toy, tmp_path / "there", store="memory://a/b")
    assert again.reused == again.units and again.results.read_bytes() == whole


def test_a_store_in_which_files_are_seen_half_written_is_refused(toy: Path, tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="files there may be seen half written; allowed: s3://"):
        run_study(load_study(toy), toy, tmp_path, store="sftp://somewhere/x")


@pytest.mark.parametrize(
    ("store", "said"),
    [
        ("s3://", "--store s3://: names no bucket; allowed: s3://BUCKET/FOLDER"),
        ("gs:///x", "--store gs:///x: names no bucket"),
        ("s3://bucket/x", r"--store s3://bucket/x: cannot be listed: .* Look at its address \(AWS_ENDPOINT_URL\)"),
    ],
)
def test_a_store_that_cannot_be_used_is_said_before_anything_is_evaluated(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str, said: str
) -> None:
    keys = {"ENDPOINT_URL": "http://127.0.0.1:9", "ACCESS_KEY_ID": "a", "SECRET_ACCESS_KEY": "b", "REGION": "none"}
    for name, value in keys.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    toy.write_text(STUDY.replace("def evaluate(unit):", "def evaluate(unit):\n    1 / 0"))
    with pytest.raises((CannotRun, BadInput), match=said):
        run_study(load_study(toy), toy, tmp_path, store=store)


def test_a_store_that_is_lost_amid_a_run_is_said(
    toy: Path, tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no route to host\nmore of it")

    with monkeypatch.context() as lost:
        lost.setattr("fsspec.implementations.memory.MemoryFileSystem.pipe_file", refuse)
        with pytest.raises(CannotRun, match=r"cannot be written: no route to host\. Look at"):
            run_study(load_study(toy), toy, tmp_path, store="memory://lost/b")
    report = run_study(load_study(toy), toy, tmp_path, store="memory://lost/b")
    assert report.results.read_bytes() == whole


#: What the server is told; it believes everything.
KEYS = {"access_key": "a", "secret_key": "b", "region": "us-east-1"}


@pytest.fixture
def bucket() -> Iterator[str]:
    """The address of a server that speaks S3, with a bucket."""
    program = ROOT / ".venv" / "s3" / "bin" / "moto_server"
    if not program.is_file():
        pytest.skip("no server that speaks S3: make .venv/stamps/s3 installs one")
    port = "15555"
    server = subprocess.Popen([program, "-p", port], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    from pyarrow.fs import S3FileSystem

    try:
        for _ in range(300):
            try:
                address = f"http://127.0.0.1:{port}"
                files = S3FileSystem(
                    endpoint_override=address,
                    access_key="a",
                    secret_key="b",
                    allow_bucket_creation=True,
                    region="us-east-1",
                )
                files.create_dir("studies")
                break
            except OSError:
                time.sleep(0.2)
        yield address
    finally:
        server.kill()
        server.wait()


@pytest.mark.soak
def test_results_are_kept_by_a_real_server_that_speaks_s3(toy: Path, whole: bytes, bucket: str, tmp_path: Path) -> None:
    keys = {
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_ENDPOINT_URL": bucket,
        "AWS_REGION": "us-east-1",
    }
    options = ("local", "--store", "s3://studies/all")
    first = started(toy, tmp_path / "first", *options, delay=0.6, **keys)
    time.sleep(8)
    first.kill()
    first.communicate()
    ended(started(toy, tmp_path / "second", *options, **keys))
    assert results(tmp_path / "second") == whole
    assert not (tmp_path / "second" / "toy" / "parts").exists()


@pytest.mark.soak
def test_a_study_error_on_a_cluster_is_that_of_one_process(toy: Path, tmp_path: Path) -> None:
    toy.write_text(STUDY.replace("def evaluate(unit):", "def evaluate(unit):\n    1 / 0"))
    client = started(toy, tmp_path / "out")
    _, said = client.communicate(timeout=120)
    assert client.returncode == 4 and "its code raised ZeroDivisionError" in said
    with pytest.raises(StudyError, match="its code raised ZeroDivisionError"):
        run_study(load_study(toy), toy, tmp_path / "one")
