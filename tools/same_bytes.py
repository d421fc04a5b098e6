"""Do two states of schedlab say the same? Verdicts, traces, pages and refusals of all examples and golden files.

Wall by wall: record what the code says before, move the wall, record again, compare.

    python tools/same_bytes.py record before/
    python tools/same_bytes.py record after/
    python tools/same_bytes.py compare before/ after/
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEDULERS = (
    *("P-EDF", "P-RM", "P-DM", "G-EDF", "G-RM", "G-FIFO", "G-FL", "C-EDF"),
    *("NG-EDF", "NP-EDF", "NP-RM", "PD2", "S-PD2", "ER-PD2", "PF", "PD"),
)
#: Answers that are a trace, of which other commands say more.
TRACED = {f"{path.stem}-trace" for path in (ROOT / "examples").glob("*.toml")}
#: Commands of which the schema of `--json` is asked.
OUTPUTS = (
    *("analyze", "place", "advise", "simulate", "run", "compare", "check", "why", "diff", "trace", "windows"),
    *("generate", "membus", "jobs", "doctor", "crosscheck"),
)
PROTOCOLS = (
    *("pip", "pcp", "ipcp", "srp", "npcs", "msrp", "mpcp", "fmlp"),
    *("fmlp-long", "fmlp+", "omlp", "dpcp", "dflp", "mrsp", "gpip", "ppcp"),
)


def commands() -> dict[str, list[str]]:
    """By name: what schedlab is asked. `@` stands for a file that the command writes."""
    asked: dict[str, list[str]] = {"names": ["schema", "names"]}
    for kind in ("scenario", "overheads"):
        asked[f"schema-{kind}"] = ["schema", kind]
    for path in sorted((ROOT / "examples").glob("*.toml")):
        name, file = path.stem, str(path.relative_to(ROOT))
        asked[f"{name}-own"] = ["analyze", file, "--json", "--explain"]
        asked[f"{name}-trace"] = ["simulate", file, "--trace", "@.slt"]
        for scheduler in SCHEDULERS:
            asked[f"{name}-{scheduler}-analyze"] = ["analyze", file, "--json", "--all-tests", "--scheduler", scheduler]
            asked[f"{name}-{scheduler}-trace"] = ["simulate", file, "--scheduler", scheduler, "--trace", "@.slt"]
    locks = "examples/avionics-locks.toml"
    for protocol in PROTOCOLS:
        for scheduler in ("P-RM", "P-EDF", "G-EDF", "G-RM"):
            asked[f"locks-{scheduler}-{protocol}"] = [
                "analyze", locks, "--json", "--explain", "--scheduler", scheduler, "--protocol", protocol,
            ]  # fmt: skip
    for path in sorted((ROOT / "tests" / "golden" / "vectors").glob("*.jsonl.gz")):
        asked[f"crosscheck-{path.name}"] = ["crosscheck", str(path.relative_to(ROOT))]
    cache, spinning = "examples/cache.toml", "examples/deadlock.toml"
    asked["place"] = ["place", "examples/papabench.toml", "--scheduler", "P-EDF", "--json"]
    asked["split"] = [
        "place", "examples/avionics.toml", "-m", "4", "--copies", "4", "--scheduler", "P-EDF", "--placement", "C=D",
        "--simulate", "--json",
    ]  # fmt: skip
    for method in ("run", "affinities"):
        asked[f"feasible-{method}"] = ["place", "examples/dhall.toml", "--method", method, "--json"]
        asked[f"infeasible-{method}"] = [
            "place", "examples/avionics.toml", "-m", "1", "--copies", "3", "--method", method, "--json",
        ]  # fmt: skip
    asked["simulate"] = ["simulate", spinning, "--json"]
    asked["simulate-two"] = ["simulate", "examples/dhall.toml", "--scheduler", "G-EDF,P-EDF", "--json"]
    asked["membus"] = ["membus", cache, "--schedulers", "PD2,P-EDF", "--horizon", "20ms", "--json"]
    asked["windows"] = ["windows", "8/11", "--json"]
    asked["generate"] = ["generate", "-n", "3", "--sets", "2", "--seed", "7", "--json"]
    for output in OUTPUTS:
        asked[f"schema-output-{output.replace(' ', '-')}"] = ["schema", "output", *output.split()]
    asked["advise"] = ["advise", "examples/avionics.toml", "--json"]
    asked["compare"] = ["compare", "examples/avionics.toml", "--overheads", "paper-2008-4k", "--out", "@"]
    return asked


def record(folder: Path, package: Path, matching: str) -> None:
    """Writes what `package` answers to each command whose name matches into `folder`, a file each."""
    folder.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "PYTHONPATH": str(package), "COLUMNS": "120", "NO_COLOR": "1"}

    def ask(item: tuple[str, list[str]]) -> None:
        name, words = item
        made = folder / f"{name}.made"
        words = [word.replace("@", str(made), 1) if word.startswith("@") else word for word in words]
        done = subprocess.run(
            [sys.executable, "-m", "schedlab", *words], cwd=ROOT, env=env, capture_output=True, text=True
        )
        text = f"status {done.returncode}\n{done.stdout}\n{done.stderr}".replace(str(folder), "FOLDER")
        if name in TRACED:
            for words in (["check", "@"], ["trace", "@"], ["why", "@", "T0J0"], ["diff", "@", "@"]):
                words = [f"{made}.slt" if word == "@" else word for word in words]
                done = subprocess.run(
                    [sys.executable, "-m", "schedlab", *words, "--json"],
                    cwd=ROOT,
                    env=env,
                    capture_output=True,
                    text=True,
                )
                text += f"\n{words[0]} {done.stdout}{done.stderr}".replace(str(folder), "FOLDER")
        for path in sorted(folder.glob(f"{name}.made*")):
            for file in [path] if path.is_file() else sorted(path.rglob("*")):
                if file.is_file():
                    text += f"\n{file.name.removeprefix(name)} {hashlib.sha256(file.read_bytes()).hexdigest()}"
        (folder / f"{name}.txt").write_text(text)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(ask, (item for item in commands().items() if re.search(matching, item[0]))))


def compare(before: Path, after: Path) -> int:
    """Prints which answers differ; their number."""
    names = sorted({path.name for folder in (before, after) for path in folder.glob("*.txt")})
    differing = [name for name in names if text(before / name) != text(after / name)]
    for name in differing:
        print(f"differs: diff {before / name} {after / name}")
    print(f"{len(names)} answers, {len(differing)} differ")
    return len(differing)


def text(path: Path) -> str | None:
    """What the file holds, if it is there."""
    return path.read_text() if path.exists() else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parsers = parser.add_subparsers(dest="command", required=True)
    writing = parsers.add_parser("record")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--package", type=Path, default=ROOT / "python", help="the folder with the package schedlab")
    writing.add_argument("--matching", default="", help="a regular expression: only commands with such names")
    comparing = parsers.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.command == "record":
        record(given.folder.resolve(), given.package.resolve(), given.matching)
        return 0
    return min(compare(given.before, given.after), 1)


if __name__ == "__main__":
    sys.exit(main())
