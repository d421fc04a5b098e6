#!/bin/sh
# Runs a test program that Cargo built, if it is one of a kind: `models`, or `real` for those that execute threads for real.
# Cargo calls it as the runner of test programs and says of which crate each is.
set -eu
kind=$1
shift
case "$kind ${CARGO_MANIFEST_DIR##*/}" in
    "real runtime" | "real rt" | "real capi")
        "$@" && exit 0
        # What else the machine does can make a real run late, so the program gets one second chance, and says so.
        note="${CARGO_MANIFEST_DIR##*/}: tests of real runs failed at first, and ran again"
        echo "only_tests.sh: $note" >&2
        [ -z "${SCHEDLAB_SKIPPED:-}" ] || echo "$note" >>"$SCHEDLAB_SKIPPED"
        exec "$@"
        ;;
    "models runtime" | "models rt" | "models capi" | "real "*) ;;
    "models "*) exec "$@" ;;
    *) echo "only_tests.sh: unknown kind of tests: $kind" >&2 && exit 2 ;;
esac
