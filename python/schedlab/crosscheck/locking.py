"""Family `locking`: blocking bounds, and response times with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schedlab import _native

Record = Mapping[str, Any]

#: Each bound, and the parts that records list besides `blocking`, the sum.
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


def _bound(name: str, order: str) -> Callable[[Record], dict[str, list[int | None]]]:
    def compute(record: Record) -> dict[str, list[int | None]]:
        remote, local, total = _native.blocking_bounds(
            name,
            record["m"],
            record["tasks"],
            record["partition"],
            record["pending_interval"],
            record["requests"],
            order == "edf",
        )
        found: dict[str, list[int | None]] = {"blocking": total}
        for part in _BOUNDS[name]:
            found[part] = remote if part == "remote" else list(local)
        return found

    return compute


def _response_times(name: str) -> Callable[[Record], dict[str, Any]]:
    def compute(record: Record) -> dict[str, Any]:
        responses = _native.response_times_with_blocking(
            name, record["m"], record["tasks"], record["partition"], record["requests"]
        )
        return {"ok": None not in responses, "resp": responses}

    return compute


def _program(name: str) -> Callable[[Record], list[int | None]]:
    return lambda record: _native.program_bounds(
        name,
        record["m"],
        record["tasks"],
        record["partition"],
        [[tuple(row) for row in rows] for rows in record["requests"]],
        record["pending_interval"],
    )


def _pedf_msrp(record: Record) -> bool:
    return _native.pedf_msrp_schedulable(record["m"], record["tasks"], record["partition"], record["requests"])


TESTS: Mapping[str, Callable[[Record], Any]] = {
    **{f"{order}.{name}": _bound(name, order) for order in ("fp", "edf") for name in _BOUNDS},
    **{
        f"pfp_rta_with_bounds.{name}": _response_times(name)
        for name in ("dpcp", "fmlp_plus", "mpcp", "mpcp_vs", "msrp_holistic")
    },
    "edf.pedf_msrp_classic_schedulable": _pedf_msrp,
    "lp.lp_pfp_msrp": _program("msrp"),
    "lp.lp_pfp_fifo_preempt": _program("fifo-preemptable"),
    # All requests tie there, and waits take no time: no bound (docs/peers.md), but the recorded number.
    "lp.lp_pfp_prio_spin": _program("unordered-instant"),
    "lp.lp_mpcp": _program("mpcp"),
    "lp.lp_fmlp_plus": _program("fmlp+"),
    "lp.lp_dflp": _program("dflp"),
}
