"""Family `locking`: blocking bounds, and response times with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schedlab import _native
from schedlab.crosscheck.records import Record, Test, Tests, response_times

#: The parts of each bound that records list besides `blocking`, the sum.
_BOUNDS: Mapping[str, tuple[str, ...]] = {
    "mpcp": ("remote", "local"),
    "mpcp_vs": ("remote", "local"),
    "dpcp": ("remote", "local"),
    "fmlp_plus": ("remote", "local"),
    "fmlp_plus_np": ("remote", "local"),
    "msrp_classic": ("remote", "local"),
    "msrp_holistic": ("remote", "arrival"),
    "tf_mutex_c1": ("remote", "arrival"),
    "tf_mutex_global": ("remote", "arrival"),
    "part_omlp": ("arrival",),
    "clust_omlp_c2": ("arrival",),
    "global_fmlp_sob": (),
    "global_omlp": (),
    "global_pip": ("local",),
    "ppcp": ("local",),
    "rw.tf_rw_c1": ("arrival",),
    "rw.pf_rw_c1": ("arrival",),
}


def _bound(name: str, order: str) -> Test:
    def compute(record: Record) -> dict[str, Any]:
        remote, local, total = _native.blocking_bounds(name, record, order == "edf")
        return {"blocking": total} | {part: remote if part == "remote" else [*local] for part in _BOUNDS[name]}

    return compute


def _response_times(name: str) -> Test:
    return lambda record: response_times(_native.response_times_with_blocking(name, record))


def _program(name: str) -> Test:
    return lambda record: _native.program_bounds(name, record)


TESTS: Tests = {
    **{f"{order}.{name}": _bound(name, order) for order in ("fp", "edf") for name in _BOUNDS},
    **{
        f"pfp_rta_with_bounds.{name}": _response_times(name)
        for name in ("dpcp", "fmlp_plus", "mpcp", "mpcp_vs", "msrp_holistic")
    },
    "edf.pedf_msrp_classic_schedulable": _native.pedf_msrp_schedulable,
    "lp.lp_pfp_msrp": _program("msrp"),
    "lp.lp_pfp_fifo_preempt": _program("fifo-preemptable"),
    # All requests tie there, and waits take no time: no bound (docs/peers.md), but the recorded number.
    "lp.lp_pfp_prio_spin": _program("unordered-instant"),
    "lp.lp_mpcp": _program("mpcp"),
    "lp.lp_fmlp_plus": _program("fmlp+"),
    "lp.lp_dflp": _program("dflp"),
}
