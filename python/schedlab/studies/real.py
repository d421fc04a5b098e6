"""Studies whose numbers are measured: real threads on this machine, started by the target binary.

Their results depend on the machine. Only one unit is measured at a time, and only one such study on a machine; two runs
need not give the same bytes. Stored parts are reused only on the same machine with the same binary. Each row states how
busy the machine was otherwise, each figure where it was measured. Where real-time priorities are refused, so is the
study.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab import runtime
from schedlab.base.files import own_folder
from schedlab.errors import CannotRun
from schedlab.show.plots import footnote, paper_style, save_figure
from schedlab.store.locks import StoreBusy, exclusive
from schedlab.studies.study import Columns, Study, Unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from schedlab.studies.results import Results


@dataclass(frozen=True)
class RealStudy(Study):
    """A study that measures. In place of ``plot`` it has ``draw``: figures by the names of their files.

    Each figure is signed (``sign``) and saved in the style of papers. ``evaluate`` usually calls
    ``schedlab.runtime.ask``, and adapts its measurement to ``processors()``.
    """

    draw: Callable[[Results], Mapping[str, Figure]] | None = None
    alone: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.draw is not None:
            object.__setattr__(self, "plot", self._plot)

    def _plot(self, results: Results, directory: Path) -> list[Path]:
        assert self.draw is not None, "set where this is called"
        with paper_style():
            figures = self.draw(results)
            for figure in figures.values():
                sign(figure, results)
            return [path for name, figure in figures.items() for path in save_figure(figure, directory / name)]

    def surroundings(self) -> dict[str, Any]:
        """Returns the machine, the processors and the binary that measures."""
        found = hashlib.sha256(runtime.binary().read_bytes())
        return {"machine": runtime.doctor()["machine"], "processors": processors(), "binary": found.hexdigest()}

    @contextmanager
    def session(self) -> Iterator[None]:
        """Locks the machine for one study; raises `CannotRun` if real runs are impossible, or another measures."""
        refuse(runtime.doctor())
        folder = own_folder(Path(tempfile.gettempdir()) / f"schedlab-measures-{os.getuid()}")
        try:
            with exclusive(folder):
                yield
        except StoreBusy as error:
            raise CannotRun(f"another study measures on this machine (process {error}); run it afterwards") from error

    def columns(self, unit: Unit) -> Columns:
        """Returns the columns of ``evaluate``, and the noise meanwhile."""
        noise = Noise.begin()
        found = dict(self.evaluate(unit))
        rows = len(next(iter(found.values()), unit.sets))
        return {**found, **{f"noise_{name}": [share] * rows for name, share in noise.end().items()}}


def processors() -> int:
    """Returns the number of processors that a measurement may use: m."""
    return len(os.sched_getaffinity(0))


def refuse(found: Mapping[str, Any]) -> None:
    """Raises `CannotRun` if the doctor finds that real runs are not possible."""
    if not found["real_runs"]:
        missing = [finding for finding in found["findings"] if finding["state"] == "no"]
        words = "; ".join(f"{one['what']}: {one['found']}: {one['advice']}" for one in missing)
        raise CannotRun(f"this machine cannot run scenarios for real: {words}")


@dataclass(frozen=True)
class Noise:
    """The other load of the machine, from counters of the kernel."""

    load: float
    others: float
    stolen: float
    total: float

    @classmethod
    def begin(cls) -> Noise:
        """Reads the counters, in clock ticks of all processors."""
        first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
        user, nice, system, idle, iowait, irq, softirq, stolen = map(float, first.split()[1:9])
        busy = user + nice + system + irq + softirq
        own = sum(os.times()[:4]) * os.sysconf("SC_CLK_TCK")
        return cls(os.getloadavg()[0], busy - own, stolen, busy + idle + iowait + stolen)

    def end(self) -> dict[str, float]:
        """Returns the load at the beginning, and the shares of time that other processes and the host had since."""
        now = Noise.begin()
        total = max(now.total - self.total, 1)
        shares = {"others": (now.others - self.others) / total, "stolen": (now.stolen - self.stolen) / total}
        return {"load": self.load, **{name: min(max(share, 0.0), 1.0) for name, share in shares.items()}}


def place(results: Results) -> str:
    """Returns a line for figures and claims: where results were measured, and how busy the machine was otherwise."""
    found = results.provenance["surroundings"]
    machine = found["machine"]
    host = ", a virtual machine" if machine["is_virtual"] else ""
    noise = {name: max(results.table.column(f"noise_{name}").to_pylist()) for name in ("others", "stolen")}
    return (
        f"measured on this machine, {found['processors']} processors: {machine['model']}{host}, {machine['kernel']}; "
        f"at most {noise['others']:.0%} of it used by others, {noise['stolen']:.0%} taken by the host"
    )


def sign(figure: Figure, results: Results) -> None:
    """Writes below the figure, after its own ``supxlabel``, where it was measured."""
    footnote(figure, *figure.get_supxlabel().splitlines(), place(results))
