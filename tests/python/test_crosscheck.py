"""Cross-checks, and with them the golden vectors."""

from __future__ import annotations

import gzip
import json

import pytest

from conftest import ROOT
from schedlab import _native
from schedlab.crosscheck import FAMILIES, Crosscheck
from schedlab.crosscheck.schedules import finish, simulated

VECTORS = ROOT / "tests" / "golden" / "vectors"

#: What the golden files hold and we compute: a test that silently skips would agree with anything.
EXPECTED = {
    "sim": {"G-EDF": 363, "G-RM": 363, "G-DM": 363, "G-FIFO": 363, "P-EDF": 259, "P-RM": 363, "NG-EDF": 363,
            "NG-RM": 363, "PD2": 130},
    "uni": {"edf_qpa": 912, "edf_pdc_ref": 912, "fp_rta": 848, "fp_rta_jitter_blocking": 843, "liu_layland": 252,
            "hyperbolic": 252, "fp_rta_suspension_blocking": 843, "edf_wcrt": 638, "edf_wcrt_approx_gy": 627,
            "c_eq_d_max_cost": 527},
    "partition": {f"{weight}:{heuristic}{order}": count
                  for weight, count in (("utilization", 603), ("density", 154))
                  for heuristic in ("first_fit", "worst_fit", "best_fit", "almost_worst_fit", "next_fit")
                  for order in ("", "_decreasing")},
    "gfp": {"guan": 790, "bertogna_slack": 790, "bertogna_noslack": 790, "uni_rta": 60},
    "gedf": {"gfb": 1474, "bak": 1474, "bcl": 1474, "bcl_iterative": 1474, "rta": 1474, "rta_response": 1474,
             "bar": 1474, "la": 1474, "ffdbf": 1474, "load": 1601, "any_default": 1474,
             "srt.da_x": 1474, "srt.da_np_x": 1474,
             "srt.gel_gedf_response": 1474, "srt.gel_gfl_priority_points": 1464, "srt.gel_gfl_response": 1464},
    "proto_uni": {"NONE": 201, "PCP": 202, "PIP": 206, "IPCP": 195, "NPCS": 142, "SRP-EDF": 205, "SRP-FP": 195},
    "proto_multi": {"MSRP-EDF": 78, "MPCP": 76, "MSRP-FP": 75},
    "locking": {
        **{f"{order}.{bound}": 885 for order in ("fp", "edf")
           for bound in ("msrp_classic", "msrp_holistic", "part_omlp", "tf_mutex_c1")},
        **{f"fp.{bound}": 885 for bound in ("dpcp", "fmlp_plus", "fmlp_plus_np", "mpcp", "mpcp_vs")},
        **{f"edf.{bound}": 885 for bound in ("global_fmlp_sob", "global_omlp", "pedf_msrp_classic_schedulable",
                                             "tf_mutex_global")},
        **{f"pfp_rta_with_bounds.{bound}": 885
           for bound in ("dpcp", "fmlp_plus", "mpcp", "mpcp_vs", "msrp_holistic")},
        "fp.clust_omlp_c2": 645, "edf.clust_omlp_c2": 645, "fp.global_pip": 738, "fp.ppcp": 738,
        "edf.rw.tf_rw_c1": 222, "edf.rw.pf_rw_c1": 222,
        **{f"lp.lp_{bound}": 124
           for bound in ("pfp_msrp", "pfp_fifo_preempt", "pfp_prio_spin", "fmlp_plus", "dflp")},
        "lp.lp_mpcp": 121,
    },
    "ua": dict.fromkeys(("HVDF", "GHVDF", "LBESA", "LBESA_schedule", "DASA_ND", "DASA_ND_schedule", "GMUA", "NGGUA",
                         "NGGUA_schedules", "GGUA", "GGUA_schedules"), 1187),
    "np_jitter": {"NP-EDF": 265, "NP-RM": 265, "NP-EDF/-m1": 131, "NP-RM/-m1": 131},
    "pfair": {"pd2_slots": 698, "pf_slots": 698, "erpd2_slots": 698},
    "overheads": {
        "locking_spinlock": 440, "locking_dpcp": 437,
        **{f"locking_semaphore_pre{p}_saware{s}": 437 for p in (0, 1) for s in (0, 1)},
        **dict.fromkeys(("jlfp_raw", "jlfp_quantized", "fp_quantized", "quantize_wcet", "quantize_period",
                         "account_for_delayed_release", "account_for_staggering", "pfair_aligned",
                         "pfair_aligned_periodic", "pfair_staggered", "pfair_aligned_weight1_allowed"), 440),
    },
}  # fmt: skip

#: Results in which the other tool is wrong, as docs/peers.md proves, and how many.
WRONG = {
    "locking": {"lp.lp_mpcp": 3},
    "overheads": {**{f"locking_semaphore_pre{p}_saware{s}": 3 for p in (0, 1) for s in (0, 1)}, "locking_dpcp": 3},
}


@pytest.mark.parametrize("family", FAMILIES)
def test_golden_vectors_agree(family):
    run = Crosscheck()
    for _ in run.over([VECTORS / f"{family}.jsonl.gz"]):
        pass
    assert [f"{found.id} {found.test}: theirs {found.theirs}, ours {found.ours}" for found in run.found[:5]] == []
    theirs = {test: counts["theirs"] for (_, test), counts in run.counts.items()}
    assert WRONG.get(family, {}).items() <= theirs.items()
    agree = {test: counts["agree"] for (_, test), counts in run.counts.items() if counts["agree"]}
    assert agree == EXPECTED[family]


@pytest.fixture
def record(tmp_path):
    """A record with one right and one wrong result, and one that we do not compute."""
    path = tmp_path / "theirs.jsonl"
    value = {
        "id": "a-1", "family": "gedf", "m": 2, "tasks": [[2, 10, 10], [2, 10, 10], [10, 11, 11]],
        "results": {"gfb": True, "bak": False, "magic": 7, "srt": {"da_x": 3, "gel": 1}},
        "disputed": {"da_x": {"peer": 3, "ref": 2, "bug": "theirs"}},
    }  # fmt: skip
    path.write_text(json.dumps(value) + "\n\n")
    return path


def test_a_disagreement_is_listed_with_its_replay(run, record):
    found = run("crosscheck", record)
    assert found.status == 1
    assert "a-1 gfb: theirs true, ours false" in found.out
    replay = f"schedlab crosscheck {record} --id a-1 --tests gfb"
    assert replay in found.out
    again = run(*replay.split()[1:])
    assert again.status == 1
    assert "a-1 gfb" in again.out
    assert run("crosscheck", record, "--tests", "bak").status == 0


def test_a_disagreement_with_a_proof_is_theirs(run, tmp_path):
    tasks = [[2, 3, 3], [2, 3, 3], [2, 3, 3]]
    value = {"id": "f", "family": "gedf", "m": 2, "tasks": tasks, "results": {"srt": {"gel_gfl_response": None}}}
    path = tmp_path / "full.jsonl"
    path.write_text(json.dumps(value))
    found = run("crosscheck", path, "--json")
    assert (found.status, found.json["tests"][0]["theirs"]) == (0, 1)
    path.write_text(json.dumps(value | {"tasks": tasks[:2]}))
    assert run("crosscheck", path).status == 1


def counts(run, path, value):
    """Of one record: how many results are theirs by a proof, and how many disagree."""
    path.write_text(json.dumps(value))
    rows = run("crosscheck", path, "--json").json["tests"]
    return sum(row["theirs"] for row in rows), sum(row["disagree"] for row in rows)


#: By the published cap; at changes of demand alone, as docs/peers.md has them.
LET_THROUGH = [
    (2, [[10, 20, 10], [10, 20, 10], [1, 20, 10]]),
    (3, [[13, 42, 23], [17, 26, 20], [1, 23, 23], [3, 23, 23], [8, 50, 23]]),
]


@pytest.mark.parametrize(("m", "tasks"), LET_THROUGH)
def test_what_readings_of_baruahs_condition_let_through_is_theirs(run, tmp_path, m, tasks):
    accepted = {"id": "b", "family": "gedf", "m": m, "tasks": tasks, "results": {"bar": True, "la": True}}
    assert counts(run, tmp_path / "bar.jsonl", accepted) == (2, 0)
    # No reading accepts two tasks that keep both processors, and a third.
    full = accepted | {"m": 2, "tasks": [[9, 10, 10], [9, 10, 10], [2, 20, 10]]}
    assert counts(run, tmp_path / "bar.jsonl", full) == (0, 2)


def test_the_published_cap_lets_a_miss_through():
    m, tasks = LET_THROUGH[0]
    assert _native.is_proved("baruah_published", tasks, m, edf=True)
    schedule = simulated({"id": "b", "m": m, "tasks": tasks}, "G-EDF", 1)
    assert [2, 0, 11] in finish(schedule.jobs)


def test_sums_in_floating_point_are_theirs(run, tmp_path):
    """Ten requests of 0.1 + 0.2 us make 3.0000000000000004 us: one more than the deadline has room for."""
    assert 10 * (0.1 + 0.2) > 3
    names = ("read_lock", "read_unlock", "syscall_in", "syscall_out")
    lock = {"lock": 0.1, "unlock": 0.2, **dict.fromkeys(names, 0)}
    oh = dict.fromkeys(("schedule", "ctx_switch", "ipi_latency"), 0)
    value = {"id": "s", "family": "overheads", "m": 1, "tasks": [[7, 10, 10], [5, 20, 20]], "oh": oh, "lock": lock,
             "cpmd": [0, 0], "res": [[[1, 10, 1, 0, 0]], []]}  # fmt: skip

    def recorded(cost):
        tasks = [[cost, 0, [[1, 10, 2, 0, 0, None]]], [5, 0, []]]
        return value | {"results": {"locking_spinlock": {"ok": cost <= 10, "tasks": tasks}}}

    path = tmp_path / "spin.jsonl"
    assert counts(run, path, recorded(10)) == (0, 0)
    assert counts(run, path, recorded(11)) == (1, 0)
    assert counts(run, path, recorded(12)) == (0, 1)


def test_looser_bounds_on_several_processors_are_theirs(run, tmp_path):
    with gzip.open(VECTORS / "np_jitter.jsonl.gz", "rt") as lines:
        value = next(record for line in lines if (record := json.loads(line))["id"] == "sagB-00046")
    rows = value["results"]["NP-EDF"]["completion"]

    def recorded(change):
        changed = [[*row[:3], row[3] + change] for row in rows]
        return value | {"results": {"NP-EDF": {"schedulable": True, "completion": changed}}}

    path = tmp_path / "jitter.jsonl"
    assert counts(run, path, recorded(0)) == (0, 0)
    assert counts(run, path, recorded(1)) == (1, 0)
    assert counts(run, path, recorded(-1)) == (0, 1)


def test_skipped_results_are_counted(run, record):
    rows = {row["test"]: row for row in run("crosscheck", record, "--json").json["tests"]}
    assert (rows["magic"]["skipped"], rows["srt.gel"]["skipped"]) == (1, 1)
    assert (rows["gfb"]["disagree"], rows["bak"]["agree"]) == (1, 1)


def test_emit_writes_our_values_under_the_same_keys(run, record, tmp_path):
    out = tmp_path / "ours.jsonl"
    assert run("crosscheck", record, "--emit", out).status == 1
    [line] = out.read_text().splitlines()
    ours = json.loads(line)
    assert ours["id"] == "a-1"
    assert set(ours["results"]) == {"gfb", "bak", "srt"}
    assert ours["results"]["gfb"] is False
    assert set(ours["results"]["srt"]) == {"da_x"}
    # A record that holds our values agrees with us.
    theirs = json.loads(record.read_text().splitlines()[0]) | {"results": ours["results"], "disputed": {}}
    record.write_text(json.dumps(theirs))
    assert run("crosscheck", record).status == 0


def test_a_disputed_result_is_compared_with_the_reference(run, record):
    rows = {row["test"]: row for row in run("crosscheck", record, "--json").json["tests"]}
    settled = rows["srt.da_x"]
    assert settled["agree"] + settled["disagree"] == 1
    value = json.loads(record.read_text().splitlines()[0])
    ours = Crosscheck()._compare(value, record)["srt"]["da_x"]
    assert settled["agree"] == int(ours == 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", ":1: not JSON"),
        (b'{"id": "x"}', '"id" and "results"'),
        (b'{"id": "x", "results": {}, "tasks": [[1, 2]]}', "tasks"),
        (b'{"id": "x", "results": {}, "tasks": [[-1, 2, 2]]}', "tasks"),
        (b'{"id": "x", "results": {}, "tasks": [[1, 2, 2], [1, 0, 2]]}', "record x: tasks[1] has a period of 0"),
        (b'{"id": "x", "m": true, "results": {}}', "number of processors"),
        (b'{"id": "x", "results": {}, "tasks": [[true, 2, 2]]}', "tasks"),
        (b'{"id": "x", "results": {}, "tasks": [[1, 2, 2]], "tasks": []}', ":1: tasks: stands there twice"),
        (b"", "no records"),
        (b"\xff", "UTF-8"),
    ],
)
def test_bad_records_are_refused(run, tmp_path, content, message):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    found = run("crosscheck", path, "--emit", tmp_path / "out.jsonl")
    assert found.status == 2
    assert message in found.err
    assert not (tmp_path / "out.jsonl").exists()


def test_a_broken_gzip_file_is_refused(run, tmp_path):
    path = tmp_path / "uni.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}" * 1000)[:-9])
    assert run("crosscheck", path).status == 2
    path.write_bytes(b"plain")
    assert run("crosscheck", path).status == 2


def test_an_unknown_id_is_refused(run, record):
    found = run("crosscheck", record, "--id", "nobody")
    assert found.status == 2
    assert "nobody" in found.err


@pytest.mark.parametrize(
    "broken", [{"weights": [[1, 2, 3]]}, {"weights": None}, {"H": "12"}, {"weights": [[3, 2]]}, {"weights": [[0, 2]]}]
)
def test_a_broken_pfair_record_is_bad_input(run, tmp_path, broken):
    path = tmp_path / "pfair.jsonl"
    value = {"id": "p", "m": 1, "weights": [[1, 2]], "H": 4, "results": {"pd2_slots": [1, 0, 1, 0]}}
    path.write_text(json.dumps(value))
    assert run("crosscheck", path).status == 0
    path.write_text(json.dumps(value | broken))
    found = run("crosscheck", path)
    assert found.status == 2
    assert "Traceback" not in found.err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"inputs": {}}, "a partitioned scheduler needs a processor for each task"),
        ({"inputs": {"P-EDF": {"cpu": [0]}}}, "processor: 1 values"),
        ({"offsets": [0]}, "offsets: 1 values"),
        ({"releases_until": 1 << 40}, "jobs arrive before"),
        ({"inputs": {"P-EDF": {"cpu": [0, 7]}}}, "task[1].processor"),
    ],
)
def test_a_broken_record_of_schedules_is_bad_input(run, tmp_path, changed, message):
    path = tmp_path / "sim.jsonl"
    value = {
        "id": "s", "m": 2, "tasks": [[1, 2, 2], [3, 4, 4]], "offsets": [0, 0], "releases_until": 4,
        "observe_releases_before": 4, "inputs": {"P-EDF": {"cpu": [0, 1]}},
        "results": {"P-EDF": {"finish": [[0, 0, 1], [0, 1, 3], [1, 0, 3]], "misses": 0}},
    }  # fmt: skip
    path.write_text(json.dumps(value))
    assert run("crosscheck", path).status == 0
    path.write_text(json.dumps(value | changed))
    found = run("crosscheck", path)
    assert found.status == 2
    assert message in found.err
