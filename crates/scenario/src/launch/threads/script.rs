//! A shell script that gives running threads their policies by `chrt` and their processors by `taskset` (util-linux).

use super::super::comment::{hashed, Remarks};
use super::super::sched_deadline::demand;
use super::super::settings::{Setting, Settings};
use super::Thread;

const ABOUT: &str = r#"#!/bin/sh
# Sets the threads of a running program: sh THIS_FILE [--dry-run] PID [NAME=TID]...
# Threads are found by their names in the process PID; NAME=TID says which thread has another name. If one is missing,
# none is set, and the status is 1. To run it once more does no harm. Needs root or CAP_SYS_NICE.
"#;

const FUNCTIONS: &str = r#"is_number() {
    case $1 in
    '' | *[!0-9]*) return 1 ;;
    esac
}
dry=false
if [ "${1-}" = --dry-run ]; then
    dry=true
    shift
fi
is_number "${1-}" || usage
pid=$1
shift
if ! [ -d "/proc/$pid/task" ]; then
    echo "process $pid was not found" >&2
    exit 1
fi
for given in "$@"; do
    is_task "${given%=*}" || usage
    is_number "${given##*=}" || usage
done
missing=false
# Finds the thread called $1, or as the other arguments say; leaves its id in $tid.
find_thread() {
    wanted=$1
    shift
    tid=
    for given in "$@"; do
        if [ "${given%=*}" = "$wanted" ]; then
            tid=${given##*=}
        fi
    done
    if [ -z "$tid" ]; then
        for folder in "/proc/$pid/task/"*; do
            if [ "$(cat "$folder/comm" 2>/dev/null)" = "$wanted" ]; then
                tid="$tid ${folder##*/}"
            fi
        done
        tid=${tid# }
    fi
    case $tid in
    '')
        echo "thread \"$wanted\" was not found in process $pid" >&2
        missing=true
        ;;
    *' '*)
        echo "thread \"$wanted\": process $pid has several, $tid; say which: \"$wanted=TID\"" >&2
        missing=true
        ;;
    *)
        if ! [ -d "/proc/$pid/task/$tid" ]; then
            echo "thread \"$wanted\" was not found: process $pid has no thread $tid" >&2
            missing=true
        fi
        ;;
    esac
}
apply() {
    if "$dry"; then
        echo "$@"
    else
        "$@" >/dev/null
    fi
}
"#;

const ALL_OR_NONE: &str = r#"if "$missing"; then
    echo "no thread was set" >&2
    exit 1
fi
"#;

/// The script.
pub(super) fn write(settings: &Settings<'_>, threads: &[Thread<'_>], remarks: &Remarks) -> String {
    let names: Vec<String> = threads.iter().map(|thread| format!("'{}'", thread.name)).collect();
    let find = |(number, name): (usize, &String)| format!("find_thread {name} \"$@\"\ntid_{number}=$tid\n");
    let found: String = names.iter().enumerate().map(find).collect();
    let set: String = threads.iter().enumerate().map(|(number, thread)| one(number, thread)).collect();
    let about = hashed(&remarks.general);
    let (named, demand) = (of_names(&names), demand(settings));
    format!("{ABOUT}{about}set -eu\n{named}{FUNCTIONS}{demand}{found}{ALL_OR_NONE}{set}")
}

/// The functions that know the names of threads, each in quotes.
fn of_names(names: &[String]) -> String {
    let (listed, either) = (names.join(" "), names.join(" | "));
    format!(
        r#"usage() {{
    echo "usage: $0 [--dry-run] PID [NAME=TID]...; names of threads:" >&2
    printf '  %s\n' {listed} >&2
    exit 2
}}
is_task() {{
    case $1 in
    {either}) ;;
    *) return 1 ;;
    esac
}}
"#
    )
}

/// The commands that set a thread.
fn one(number: usize, thread: &Thread<'_>) -> String {
    let policy = match thread.setting {
        Setting::Fifo(priority) => {
            let list: Vec<String> = thread.processors.iter().map(u16::to_string).collect();
            let place = format!("taskset --cpu-list --pid {}", list.join(","));
            format!("apply {place} \"$tid_{number}\"\napply chrt --fifo --pid {priority} \"$tid_{number}\"\n")
        }
        // The kernel refuses SCHED_DEADLINE threads whose affinity is less than their cpuset's.
        Setting::Deadline => format!(
            "apply chrt --deadline --sched-runtime {} --sched-deadline {} --sched-period {} --pid 0 \
             \"$tid_{number}\"\n",
            thread.spec.wcet.as_ns(),
            thread.spec.relative_deadline.as_ns(),
            thread.spec.period.as_ns()
        ),
    };
    format!("\n# {}\n{}{policy}", thread.name, hashed(thread.remarks))
}
