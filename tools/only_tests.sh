#!/bin/sh
# Runs a test program that Cargo built, if it is one of a kind: `models`, or `real` for those that execute threads for real.
# Cargo calls it as the runner of test programs and says of which crate each is. A program of real runs that fails is noted
# in the file SCHEDLAB_AGAIN, and `again FILE` runs those.
set -eu
kind=$1
shift
if [ "$kind" = again ]; then
    while IFS="$(printf '\t')" read -r folder program; do
        (cd "$folder" && CARGO_MANIFEST_DIR=$folder "$program" --quiet) </dev/null
    done <"$1"
    exit
fi
case "$kind ${CARGO_MANIFEST_DIR##*/}" in
    "real runtime" | "real rt" | "real capi")
        [ -n "${SCHEDLAB_AGAIN:-}" ] || exec "$@"
        "$@" && exit 0
        note="${CARGO_MANIFEST_DIR##*/}: tests of real runs failed at first, and ran again"
        echo "only_tests.sh: $note" >&2
        [ -z "${SCHEDLAB_SKIPPED:-}" ] || echo "$note" >>"$SCHEDLAB_SKIPPED"
        printf '%s\t%s\n' "$CARGO_MANIFEST_DIR" "$1" >>"$SCHEDLAB_AGAIN"
        ;;
    "models runtime" | "models rt" | "models capi" | "real "*) ;;
    "models "*) exec "$@" ;;
    *) echo "only_tests.sh: unknown kind of tests: $kind" >&2 && exit 2 ;;
esac
