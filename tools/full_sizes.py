"""Says what all studies cost at their sources' size: runs a few units of each, chosen at random, and extrapolates.

    python tools/full_sizes.py out/studies                 # runs, then writes the table of docs/study-results.md
    python tools/full_sizes.py out/studies --seconds 60    # more units of each study: narrower intervals

Units run one after the other. What is stored is not run again, neither here nor by `schedlab study run NAME --full`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from schedlab.errors import CannotRun
from schedlab.studies import Study, list_studies
from schedlab.studies.runner import sample_study
from schedlab.studies.share import Share

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "study-results.md"
BEGIN, END = "<!-- full sizes: tools/full_sizes.py writes this table -->\n", "<!-- end of full sizes -->\n"

#: Units of a study that are run at least, unless two of them take too long.
LEAST = 4


def sampled(study: Study, path: Path, folder: Path, seconds: float) -> Share:
    """A random share of a study's full size that takes about so many seconds."""
    units = len(study.at_size(True).units(study.sets if study.fixed_sets else study.full_sets, 1))

    def run(count: int) -> Share:
        return sample_study(study, path, folder / study.name, min(1.0, count / units), full=True)

    share = run(1)
    while share.stored < min(LEAST, units) or (share.spent < seconds / 2 and share.stored < units):
        if share.spent > 2 * seconds and share.stored > 1:
            break
        # Not many more than there are: cheap units may be followed by dear ones.
        wanted = round(seconds / max(share.spent / share.stored, 1e-4))
        share = run(max(share.stored + 1, min(wanted, 4 * share.stored)))
    return share


def row(study: Study, share: Share | None, same_as: str | None) -> str:
    """A line of the table."""
    if same_as is not None:
        return f"| `{study.name}` | the units of `{same_as}` | | | |"
    if share is None:
        return f"| `{study.name}` | not run | | | |"
    part = f"| `{study.name}` | {share.units:,} | {share.stored:,} | {hours(share.spent)} |"
    if share.total is None or share.stored == share.units:
        return f"{part} all ran |"
    between = "unknown" if share.low is None or share.high is None else f"{hours(share.low)} to {hours(share.high)}"
    return f"{part} {hours(share.total)} ({between}) |"


def hours(seconds: float) -> str:
    """Seconds as hours: two digits."""
    found = seconds / 3600
    if found < 0.001:
        return "< 0.001"
    return f"{found:,.0f}" if found >= 10 else f"{found:.2g}"


def main() -> int:
    """Runs, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    families: dict[str, str] = {}
    lines = []
    for study, path in list_studies():
        same_as = families.setdefault(study.family, study.name) if study.family else study.name
        share = None
        if same_as == study.name:
            try:
                share = sampled(study, path, asked.folder, asked.seconds)
            except CannotRun as error:
                print(f"{study.name}: not run: {error}", file=sys.stderr)
        lines.append(row(study, share, None if same_as == study.name else same_as))
        print(lines[-1], flush=True)
    head = "| study | units | run | hours that they took | hours that all take (95%) |\n|---|---|---|---|---|\n"
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{head}" + "\n".join(lines) + f"\n\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
