#!/usr/bin/env bash
# Builds Linux 6.12 with sched_ext for QEMU, from Debian's own source package, into DIR: build.sh DIR
# Writes DIR/bzImage and DIR/vmlinux.btf, both or none. About eight minutes of two processors.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
source=/usr/src/linux-source-6.12.tar.xz
[ -e "$source" ] || { echo "$source is missing: run make kernel-deps" >&2; exit 3; }
mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$(dirname "$out")/building.XXXXXX")
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xf "$source"
cd "$work/linux-source-6.12"
make -s tinyconfig
scripts/kconfig/merge_config.sh -m .config "$here/linux.config" >/dev/null
make -s olddefconfig
# What a dependency switched off again would be missed only in a test, long after.
while read -r wanted; do
  grep -qx "$wanted" .config || echo "$wanted"
done < <(grep -v '^#' "$here/linux.config" | grep '=y$') >"$work/lost"
[ ! -s "$work/lost" ] || { echo "the kernel's configuration lost: $(tr '\n' ' ' <"$work/lost")" >&2; exit 1; }
make -s -j"$(nproc)" bzImage
mkdir "$work/done"
cp arch/x86/boot/bzImage "$work/done/bzImage"
objcopy --dump-section .BTF="$work/done/vmlinux.btf" vmlinux /dev/null
rm -rf "$out"
mv "$work/done" "$out"
