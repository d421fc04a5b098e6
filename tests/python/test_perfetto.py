"""Traces for Perfetto, decoded by the protos of the `perfetto` package, keep the rules of its importer."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import ROOT, dhall

pb2 = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="the package perfetto is missing")

#: States of GenericKernelTaskStateEvent.
RUNNABLE, RUNNING = 2, 3
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def avionics() -> schedlab.Scenario:
    scenario = schedlab.Scenario.read(ROOT / "examples" / "avionics.toml")
    return scenario.replace(processors=4, copies=4, overheads="paper-2008-4k", horizon="400 ms")


CASES = {
    "late jobs": (dhall(), "G-EDF"),
    "partitions": (dhall(), "P-EDF"),
    "overheads": (avionics(), "G-EDF"),
    "without preemption": (avionics(), "NG-EDF"),
}


@pytest.fixture(scope="module", params=CASES)
def decoded(request: pytest.FixtureRequest) -> tuple[schedlab.Schedule, Any]:
    scenario, scheduler = CASES[request.param]
    schedule = schedlab.simulate(scenario, scheduler=scheduler)
    trace = pb2.Trace()
    trace.ParseFromString(schedule.to_perfetto())
    return schedule, trace


def test_nothing_is_unknown_to_the_protos(decoded):
    _, trace = decoded
    assert trace.packet
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id > 0
        assert packet.WhichOneof("data") is not None
    again = pb2.Trace()
    again.ParseFromString(trace.SerializeToString())
    again.DiscardUnknownFields()
    assert again == trace


def test_processor_lanes_are_the_schedule(decoded):
    """One job at a time per processor, one processor at a time per task, one state per task and nanosecond."""
    schedule, trace = decoded
    running: dict[int, tuple[int, int]] = {}  # by processor: task and since when
    where: dict[int, int] = {}
    stamps: Counter[tuple[int, int]] = Counter()
    occupied: Counter[tuple[int, int]] = Counter()
    last = 0
    for packet in trace.packet:
        if packet.WhichOneof("data") != "generic_kernel_task_state_event":
            continue
        event, now = packet.generic_kernel_task_state_event, packet.timestamp
        assert now >= last
        last = now
        stamps[event.tid, now] += 1
        if event.state == RUNNING:
            assert event.cpu not in running, "a processor's job must be stopped before the next one runs"
            assert event.tid not in where, "a task runs on one processor"
            running[event.cpu] = (event.tid, now)
            where[event.tid] = event.cpu
        elif event.tid in where:
            assert event.cpu == where.pop(event.tid), "the stop names the processor"
            tid, since = running.pop(event.cpu)
            occupied[event.cpu, tid] += now - since
    assert not running
    assert max(stamps.values()) == 1
    expected: Counter[tuple[int, int]] = Counter()
    for segment in schedule.segments():
        expected[segment["cpu"], segment["task"]] += segment["end_ns"] - segment["start_ns"]
    for lane, length in Counter({(cpu, _task(trace, tid)): ns for (cpu, tid), ns in occupied.items()}).items():
        # A processor that works for the system does not let its job go; a same-instant migration begins 1 ns late.
        assert length >= expected[lane] - schedule.metrics().migrations
    assert {lane for lane, ns in expected.items() if ns > 1} <= {(cpu, _task(trace, tid)) for cpu, tid in occupied}


def _task(trace: Any, tid: int) -> int:
    """The index of the task that a thread stands for: threads are named in the order of tasks."""
    tids = [thread.tid for packet in trace.packet for thread in packet.generic_kernel_process_tree.threads]
    return tids.index(tid)


def test_slices_nest_on_tracks_that_are_described_before(decoded):
    _, trace = decoded
    described: set[int] = set()
    depth: Counter[int] = Counter()
    latest: dict[int, int] = defaultdict(int)
    for packet in trace.packet:
        kind = packet.WhichOneof("data")
        if kind == "track_descriptor":
            assert packet.track_descriptor.uuid not in described
            parent = packet.track_descriptor.parent_uuid
            assert parent == 0 or parent in described
            described.add(packet.track_descriptor.uuid)
        elif kind == "track_event":
            event = packet.track_event
            assert event.track_uuid in described
            assert packet.timestamp >= latest[event.track_uuid]
            latest[event.track_uuid] = packet.timestamp
            depth[event.track_uuid] += {BEGIN: 1, END: -1}.get(event.type, 0)
            assert depth[event.track_uuid] >= 0
    assert described
    assert set(depth.values()) <= {0}


def test_each_job_is_a_slice_and_each_miss_an_instant(decoded):
    schedule, trace = decoded
    metrics = schedule.metrics()
    tops, misses = 0, 0
    depth: Counter[int] = Counter()
    for packet in trace.packet:
        if packet.WhichOneof("data") != "track_event":
            continue
        event = packet.track_event
        if event.type == BEGIN:
            if depth[event.track_uuid] == 0 and re.match(r"T\d+J\d+\b", event.name):
                tops += 1
            depth[event.track_uuid] += 1
        elif event.type == END:
            depth[event.track_uuid] -= 1
        elif event.type == INSTANT:
            misses += "miss" in event.name
    assert tops == metrics.jobs
    assert misses == metrics.misses


@pytest.mark.realtime
def test_a_real_run_has_the_processors_by_the_tracer_and_by_the_kernel(tmp_path: Path, run: Any) -> None:
    made = tmp_path / "run.pftrace"
    done = run(
        "run", ROOT / "examples" / "avionics.toml", "--scheduler", "P-EDF", "--duration", "500 ms", "--perfetto", made
    )
    if done.status == 3:
        pytest.skip(done.err.strip())
    trace = pb2.Trace()
    trace.ParseFromString(made.read_bytes())
    tracks = {
        packet.track_descriptor.uuid: packet.track_descriptor
        for packet in trace.packet
        if packet.HasField("track_descriptor")
    }
    kernel = {uuid for uuid, track in tracks.items() if track.name == "processor 0, by the kernel"}
    if not kernel:
        pytest.skip("the kernel does not say here what runs")
    slices = [packet.track_event for packet in trace.packet if packet.track_event.track_uuid in kernel]
    begun = [event.name for event in slices if event.type == BEGIN]
    assert len(begun) == sum(event.type == END for event in slices) > 50
    assert {"Radar_Tracking_Filter", "RWR_Contact_Mgmt"} <= set(begun)
    by_tracer = [packet for packet in trace.packet if packet.HasField("generic_kernel_task_state_event")]
    assert any(packet.generic_kernel_task_state_event.state == RUNNING for packet in by_tracer)
