#!/usr/bin/env bash
# Compiles the schedulers for the kernel anew and writes down from what: tools/renew_bpf.sh. Needs clang, version 16 or
# later, and llvm-strip. The headers of libbpf are those of the library that loads the object.
set -euo pipefail
cd "$(dirname "$0")/.."
find_tool() {
  for name in "$1" "$1"-{25..16}; do command -v "$name" && return; done
  echo "renew_bpf: $1 was not found; install clang and llvm, version 16 or later" >&2
  return 3
}
clang=${CLANG:-$(find_tool clang)}
strip=${LLVM_STRIP:-$(find_tool llvm-strip)}
# Where Cargo keeps the library's sources.
libbpf=$(cargo metadata --format-version 1 --locked --features schedlab-scx/kernel |
  python3 -c 'import json, pathlib, sys
found = [p for p in json.load(sys.stdin)["packages"] if p["name"] == "libbpf-sys"]
print(pathlib.Path(found[0]["manifest_path"]).parent / "libbpf")')
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
mkdir "$headers/bpf"
cp "$libbpf"/src/bpf_*.h "$headers/bpf"
cd crates/scx/src/bpf
for source in *.bpf.c; do
  object=${source%.c}.o
  # No path of this machine gets into the object.
  "$clang" -O2 -g -target bpf -mcpu=v3 -Wall -Werror -fdebug-compilation-dir=. -ffile-prefix-map="$headers=." -I "$headers" -I "$libbpf/include/uapi" \
    -I "/usr/include/$(uname -m)-linux-gnu" -c "$source" -o "$object"
  # Types stay, which the loader needs; tables for debuggers go.
  "$strip" -g "$object"
done
sha256sum -- *.c *.h *.o >objects.sha256
