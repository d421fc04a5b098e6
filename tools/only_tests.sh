#!/bin/sh
# Runs a test program that Cargo built, if it is one of a kind: `models`, or `real` for those that execute threads for real.
# Cargo calls it as the runner of test programs and says of which crate each is.
set -eu
kind=$1
shift
case "$kind ${CARGO_MANIFEST_DIR##*/}" in
    "real runtime" | "real rt" | "real capi") exec "$@" ;;
    "models runtime" | "models rt" | "models capi" | "real "*) ;;
    "models "*) exec "$@" ;;
    *) echo "only_tests.sh: unknown kind of tests: $kind" >&2 && exit 2 ;;
esac
