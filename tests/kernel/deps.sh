#!/bin/sh
# Installs what make kernel, make test-kernel and make renew-bpf need, where the system is Debian or Ubuntu.
set -eu
packages="qemu-system-x86 busybox-static cpio build-essential bc bison flex kmod rsync libelf-dev zlib1g-dev libssl-dev
dwarves xz-utils pkg-config clang-19 llvm-19 linux-source-6.12"
if ! command -v apt-get >/dev/null; then
    echo "kernel-deps: this system has no apt-get; install what Debian calls:" $packages >&2
    exit 3
fi
apt-get update -qq
# Not every release has each of them: what is missing is named, the rest is installed.
for package in $packages; do
    DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq --no-install-recommends "$package" >/dev/null ||
        missing="${missing:-} $package"
done
if [ -n "${missing:-}" ]; then
    echo "kernel-deps: not installed:$missing" >&2
    echo "without linux-source-6.12, set SCHEDLAB_KERNEL to a folder with the bzImage of a kernel with sched_ext" >&2
    exit 3
fi
