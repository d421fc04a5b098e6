//! For how long threads go on without a quantum: what the scheduler counts, between what the threads themselves and the
//! kernel's switches say.

use super::held::Held;
use super::running::{begin, now, share, TestTask, MS};
use crate::clustered::switches::{Switch, SwitchTrace};
use crate::support::{alone, become_fifo, processors, settings};
use schedlab_scx::{KernelEvent, KernelRecord, QuantumSettings};
use std::sync::{Arc, Mutex};

/// An interval of the monotonic clock, in ns.
type Interval = (u64, u64);

/// What a thread did on a processor: from when to when it executed there.
struct Stretch {
    processor: u32,
    /// The switch of the processor before the one by which the thread came.
    before: u64,
    executed: Interval,
}

/// The stretches of a thread that are over.
fn stretches(switches: &[Switch], thread: i32) -> Vec<Stretch> {
    let mut found = Vec::new();
    for processor in 0..processors() {
        let own: Vec<&Switch> = switches.iter().filter(|switch| switch.processor == processor).collect();
        for three in own.windows(3).filter(|three| three[1].to == thread) {
            let executed = (three[1].at, three[2].at);
            found.push(Stretch { processor, before: three[0].at, executed });
        }
    }
    found
}

/// The quanta of a task on a processor, by time; those that follow one another are one.
fn quanta(records: &[KernelRecord], index: u32, processor: u32, length: u64) -> Vec<Interval> {
    let given =
        |record: &&KernelRecord| record.index == index && record.what == KernelEvent::Given { processor };
    let mut all: Vec<Interval> = Vec::new();
    for begin in records.iter().filter(given).map(|record| record.at) {
        match all.last_mut() {
            Some((_, end)) if *end == begin => *end += length,
            _ => all.push((begin, begin + length)),
        }
    }
    all
}

/// The parts of `whole` that are in none of `quanta`.
fn without(whole: Interval, quanta: &[Interval]) -> Vec<Interval> {
    let (mut parts, mut at) = (Vec::new(), whole.0);
    for (begin, end) in quanta.iter().filter(|(begin, end)| *end > whole.0 && *begin < whole.1) {
        parts.push((at, *begin));
        at = *end;
    }
    parts.push((at, whole.1));
    parts.retain(|(from, to)| from < to);
    parts
}

/// Length of a quantum, in ns.
const QUANTUM: u64 = 10 * MS;

/// What is known of a run in which one thread holds its processor for several quanta, again and again.
struct Known {
    /// The shortest and the longest time that the scheduler may have counted.
    shortest: u64,
    longest: u64,
    counted: u64,
}

/// Runs a task that holds its processor for so many quanta at a time, beside tasks that execute all the time.
fn run(length: u64) -> Known {
    let count = processors() + 1;
    let all: Vec<u32> = (0..processors()).collect();
    let settings = QuantumSettings { common: settings(), ..QuantumSettings::of(&all, QUANTUM, count) };
    let seen: Arc<Mutex<Vec<u64>>> = Arc::default();
    let (held, notes) = (Held::new(), seen.clone());
    let holds = TestTask::doing(share(1, 6), move |turn| {
        while !turn.is_over() {
            let end = held.until(now() + length * QUANTUM);
            notes.lock().unwrap().push(end);
            let until = now() + QUANTUM;
            while now() < until {}
        }
        1
    });
    let others = (1..count).map(|_| TestTask::hog(share(1, 2)));
    let trace = SwitchTrace::begin();
    let mut run = begin(&settings, [holds].into_iter().chain(others).collect());
    run.go_on(1_500);
    let before = now();
    let counted = (0..processors()).map(|at| run.scheduler.lateness(at).longest_stop).max().unwrap();
    let after = now();
    let missed = (0..processors()).any(|at| run.scheduler.lateness(at).missed > 0);
    let (threads, zero) = (run.threads.clone(), run.zero);
    let records = run.end();
    let switches = trace.end();
    let quanta_of = |task: usize, processor| quanta(&records, task as u32 + 1, processor, QUANTUM);
    let all: Vec<Vec<Stretch>> = threads.iter().map(|thread| stretches(&switches, *thread)).collect();
    let mut known = Known { shortest: 0, longest: 0, counted };
    // When a thread came by the first of its quanta in a row: by then that had been decided, and all before it.
    let mut decided: Vec<(u64, u64)> = Vec::new();
    for (task, own) in all.iter().enumerate() {
        for stretch in own.iter().filter(|stretch| stretch.executed.1 > zero) {
            let quanta = quanta_of(task, stretch.processor);
            let came = stretch.executed.0;
            let first = quanta.iter().map(|(begin, _)| *begin);
            let mut by = first.filter(|begin| (*begin..begin + QUANTUM).contains(&came));
            decided.extend(by.next().map(|begin| (begin, came)));
            for (from, to) in without(stretch.executed, &quanta) {
                // A quantum that was decided late, up to its end, was not there yet as the thread stopped in it. Where
                // one was missed, this may be so of any other.
                let (begin, end) = match (missed, from == came) {
                    (true, _) => (stretch.before, stretch.executed.1),
                    (false, true) => (stretch.before, to + QUANTUM),
                    (false, false) => (from, to + QUANTUM),
                };
                if begin < after {
                    known.longest = known.longest.max(end.min(after) - begin);
                }
            }
        }
    }
    // The thread executed for certain at the end of a hold. If another one had come by a later quantum before that, the
    // scheduler knew by then that this one's was over.
    for end in seen.lock().unwrap().iter().copied().filter(|end| *end < before) {
        let there = |stretch: &&Stretch| (stretch.executed.0..stretch.executed.1).contains(&end);
        let Some(stretch) = all[0].iter().find(there).filter(|stretch| stretch.executed.1 < before) else {
            continue;
        };
        let parts = without(stretch.executed, &quanta_of(0, stretch.processor));
        for (from, _) in parts.into_iter().filter(|(from, to)| (*from..*to).contains(&end)) {
            if decided.iter().any(|(begin, came)| *begin >= from && *came < end) {
                known.shortest = known.shortest.max(end - from);
            }
        }
    }
    known
}

/// The kernel prints switches in microseconds.
const PRINTED: u64 = 1_000;

/// A task has one quantum in six. It holds its processor for four, and so stops without one; or for nine, and so has
/// its next one while it holds.
#[test]
fn a_thread_that_goes_on_for_several_quanta_is_counted_as_long_as_it_does() {
    let _alone = alone();
    become_fifo(60);
    for length in [4, 9] {
        let Known { shortest, longest, counted } = run(length);
        println!("of {length} quanta: {counted} ns are counted, between {shortest} and {longest}");
        assert!(shortest > QUANTUM, "it went on after its quantum: {shortest}");
        assert!(counted + PRINTED >= shortest, "{counted} of {shortest}");
        assert!(counted <= longest + PRINTED, "{counted} of {longest}");
    }
}
