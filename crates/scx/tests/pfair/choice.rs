//! Who gets which quantum: random systems are simulated, and the kernel's program decides by what their jobs did.

use crate::in_c::{computed, Numbers};
use crate::system::{Rough, System, QUANTUM};
use schedlab_model::{CpuId, Instant, JobId};
use schedlab_policy::pfair::Affinity;
use schedlab_trace::{about, Record};

/// Kinds of events, as in `choice.c`.
const DECIDES: u64 = 0;
const COMPLETES: u64 = 1;
const SLEEPS: u64 = 2;
const WAKES: u64 = 3;
const BEGINS: u64 = 4;
const SUCCEEDS: u64 = 5;

const SMOOTH: Rough = Rough { late: false, early: false, suspend: false, overrun: false };
const ROUGH: Rough = Rough { late: true, early: true, suspend: true, overrun: true };

/// The decisions of a system before its horizon: when they are due.
fn decisions(system: &System) -> Vec<Instant> {
    let slots = system.horizon.as_ns() / QUANTUM;
    let m = u64::from(system.processors);
    let offset = |place: u64| if system.is_staggered() { place * QUANTUM / m } else { 0 };
    let turns = if system.is_staggered() { m } else { 1 };
    let due = |slot: u64| (0..turns).map(move |place| Instant::from_ns(slot * QUANTUM + offset(place)));
    (0..slots).flat_map(due).collect()
}

impl System {
    fn is_staggered(&self) -> bool {
        self.scheduler == "S-PD2"
    }

    /// The words by which the program in C knows the system.
    fn words(&self, decisions: usize) -> Vec<u64> {
        let keeps = self.affinity == Affinity::BackToBack;
        let (tasks, early) = (self.tasks.len() as u64, self.scheduler == "ER-PD2");
        let head =
            [QUANTUM, self.processors.into(), tasks, self.is_staggered().into(), keeps.into(), early.into()];
        let shares = self
            .tasks
            .iter()
            .flat_map(|task| [task.wcet.as_ns().div_ceil(QUANTUM), task.period.as_ns() / QUANTUM]);
        head.into_iter().chain([decisions as u64]).chain(shares).collect()
    }
}

/// An event of the job's task.
fn event(kind: u64, job: JobId, one: u64, other: u64) -> [u64; 4] {
    [kind, u64::from(job.task.0) + 1, one, other]
}

/// The events of what happened at `at`.
fn events(system: &System, at: Instant, record: &Record) -> Option<[u64; 4]> {
    match *record {
        Record::Complete { job } => {
            let next = system.job(job.task.index(), job.number + 1);
            let follows = next.is_some_and(|next| next.release <= at);
            Some(event(COMPLETES, job, at.as_ns(), follows.into()))
        }
        Record::Suspend { job, .. } => Some(event(SLEEPS, job, 0, 0)),
        Record::Resume { job } => Some(event(WAKES, job, 0, 0)),
        Record::Ready { job, .. } => {
            let known = system.job(job.task.index(), job.number).expect("it came");
            Some(event(BEGINS, job, known.arrival.as_ns(), known.release.as_ns()))
        }
        about![Arrival, GiveUp, Abort, Miss, Link, Dispatch, Preempt, Move, urgencies, requests] => None,
        about![attempts, machine] => None,
    }
}

/// What happens in the system, with the decisions, as the program in C reads it.
fn story(system: &System, records: &[(Instant, Record)], decisions: &[Instant]) -> Vec<u64> {
    let mut words = system.words(decisions.len());
    let mut next = records.iter().peekable();
    // By task: the live job.
    let mut live: Vec<Option<JobId>> = vec![None; system.tasks.len()];
    for due in decisions {
        while let Some((at, record)) = next.next_if(|(at, _)| at <= due) {
            if let Record::Ready { job, .. } = *record {
                live[job.task.index()] = Some(job);
            } else if let Record::Complete { job } = *record {
                live[job.task.index()] = None;
            }
            words.extend(events(system, *at, record).into_iter().flatten());
        }
        for job in live.iter().flatten() {
            let next = system.job(job.task.index(), job.number + 1);
            if next.is_some_and(|next| next.release <= *due) {
                words.extend(event(SUCCEEDS, *job, 0, 0));
            }
        }
        words.extend([DECIDES, 0, 0, 0]);
    }
    words
}

/// The task of each quantum, in the order of the decisions: 0 for none.
fn given(system: &System, records: &[(Instant, Record)], decisions: &[Instant]) -> Vec<u64> {
    let m = usize::from(system.processors);
    let mut given = vec![0; decisions.len() * if system.is_staggered() { 1 } else { m }];
    for (at, record) in records {
        let Record::Subtask { cpu: CpuId(cpu), job, .. } = *record else { continue };
        let decision = decisions.binary_search(at).expect("quanta begin at boundaries");
        let place = if system.is_staggered() { decision } else { decision * m + usize::from(cpu) };
        given[place] = u64::from(job.task.0) + 1;
    }
    given
}

/// Simulates `count` systems and has the kernel's program decide them, slot by slot. Returns the number of quanta.
fn check(scheduler: &'static str, affinity: Affinity, rough: Rough, count: usize) -> usize {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let systems: Vec<System> =
        (0..count).map(|_| System::random(scheduler, affinity, 120, rough, &mut numbers)).collect();
    let (mut words, mut expected) = (Vec::new(), Vec::new());
    for system in &systems {
        let (records, decisions) = (system.simulate(), decisions(system));
        words.extend(story(system, &records, &decisions));
        expected.push(given(system, &records, &decisions));
    }
    let name = format!("choice-{scheduler}-{}-{}", affinity.name(), rough.late);
    let found = computed(&name, "pfair/choice.c", words.into_iter());
    let mut found = found.as_slice();
    for (number, (system, expected)) in systems.iter().zip(&expected).enumerate() {
        let (own, rest) = found.split_at(expected.len().min(found.len()));
        found = rest;
        let first = own.iter().zip(expected).position(|(own, expected)| own != expected);
        assert!(
            first.is_none() && own.len() == expected.len(),
            "{scheduler}, system {number} on {} processors: quantum {first:?} of {own:?}, not {expected:?}; {:?}",
            system.processors,
            system.words(0)
        );
    }
    assert!(found.is_empty());
    expected.iter().flatten().filter(|task| **task > 0).count()
}

#[test]
fn aligned_quanta_go_to_the_same_tasks() {
    for affinity in [Affinity::BackToBack, Affinity::None] {
        assert!(check("PD2", affinity, SMOOTH, 2_000) > 300_000);
        assert!(check("PD2", affinity, ROUGH, 4_000) > 300_000);
    }
}

#[test]
fn staggered_quanta_go_to_the_same_tasks() {
    assert!(check("S-PD2", Affinity::BackToBack, SMOOTH, 2_000) > 300_000);
    assert!(check("S-PD2", Affinity::BackToBack, ROUGH, 4_000) > 300_000);
}

#[test]
fn quanta_of_early_releases_go_to_the_same_tasks() {
    assert!(check("ER-PD2", Affinity::BackToBack, SMOOTH, 2_000) > 300_000);
    assert!(check("ER-PD2", Affinity::BackToBack, ROUGH, 4_000) > 300_000);
}
