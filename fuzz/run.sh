#!/bin/sh
# Feeds mutated files to every reader, or to the targets named: fuzz/run.sh SECONDS [TARGET...]
# Begins with what schedlab itself writes and with what earlier runs found (fuzz/corpus); stops at the first finding.
set -eu
cd "$(dirname "$0")/.."
seconds=$1
shift
schedlab=${SCHEDLAB:-.venv/bin/schedlab}

command -v cargo-fuzz >/dev/null 2>&1 || {
    echo "not fuzzed: cargo-fuzz is not there; 'cargo install cargo-fuzz --locked' installs it"
    exit 0
}

corpus() { mkdir -p "fuzz/corpus/$1" && echo "fuzz/corpus/$1"; }

corpus scenario >/dev/null
corpus prepared >/dev/null
cp examples/*.toml crates/scenario/tests/data/*.toml "$(corpus scenario)"
cp examples/*.toml crates/scenario/tests/data/*.toml "$(corpus prepared)"
cp crates/scenario/src/overheads/*.toml "$(corpus overheads)"
for format in schedcat simso rt-app csv; do
    "$schedlab" export $format examples/avionics.toml -o "$(corpus "$(echo $format | tr - _)")/avionics" 2>/dev/null
done
cp examples/threads.csv "$(corpus csv)"
printf '1, 1, 0, 0, 1, 2, 10, 10\n2, 7, 0, 0, 7, 8, 30, 30\n' >"$(corpus jobs)/seed.csv"
"$schedlab" jobs fuzz/corpus/jobs/seed.csv --out fuzz/corpus/jobs/seed.yaml >/dev/null
"$schedlab" simulate examples/avionics-locks.toml --horizon "100 ms" --trace "$(corpus trace)/seed" >/dev/null

for trace in tests/golden/kernel-traces/*.gz; do
    gzip -dc "$trace" | head -c 12000 >"$(corpus kernel_text)/$(basename "$trace" .gz)"
done
cp tests/golden/kernel-traces/*.pftrace "$(corpus kernel_perfetto)"

[ $# -gt 0 ] || set -- $(cargo fuzz list)
for target in "$@"; do
    echo "== fuzz $target"
    # No sanitizer: the readers are safe Rust, and so a stable compiler will do.
    cargo fuzz run --sanitizer none "$target" -- -max_total_time="$seconds" -max_len=16384 -timeout=20
done
