//! Jobs that waited for a processor while the kernel had it execute less urgent ones.
//!
//! An engine that decides by what the kernel recorded follows the kernel as far as it can: where the two differ for a
//! few milliseconds, inputs are moved. So the kernel's order is judged by itself, too, from its records alone and from
//! the priorities that the engine gave the jobs.

use schedlab_model::{ClusterId, Duration, Instant, JobId, Priority, TaskId};
use schedlab_scx::{KernelEvent, KernelRecord};
use schedlab_trace::Record;
use std::collections::BTreeMap;

/// How long a wait is that counts, and for how long less urgent jobs execute in it that count, in ns.
const LEAST: u64 = 1_000_000;

/// How long the kernel may take until a processor stops its job for one that has become ready, in ns. An emulated
/// processor takes more than 1 ms now and then.
const ON_ITS_WAY: u64 = 2_000_000;

/// The waits of a run's jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overtaken {
    /// Number of times that a job was ready for over 1 ms before it executed.
    pub waits: u64,
    /// Waits in which less urgent jobs executed for over 1 ms on the processor that the job got in the end, since it
    /// had been stopped there or since 2 ms after it was ready. Where jobs are not preempted: waits in which one of
    /// them began in the job's cluster after it had been ready for over 1 ms.
    pub overtaken: u64,
    /// Longest time for which one of these jobs waited that way: while less urgent ones executed or, where jobs are not
    /// preempted, until the last of them began.
    pub longest: Duration,
}

/// What the kernel is to do with jobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// True if a job gives way to one that goes before it.
    pub preemptive: bool,
    /// True if a job goes to the background once its budget is used up.
    pub demotes: bool,
}

/// Looks at the waits in `records`, in any order. `decisions` hold the priorities. Jobs whose sections delay a
/// preemption, and jobs in the background, are let pass from then on.
pub(crate) fn overtaken(
    records: &[KernelRecord],
    decisions: &[(Instant, Record)],
    rules: Rules,
) -> Overtaken {
    let mut known = BTreeMap::new();
    for (_, record) in decisions {
        if let Record::Ready { job, priority, cluster } = record {
            known.insert(*job, (*priority, *cluster));
        }
    }
    let mut waits = Waits {
        known,
        rules,
        threads: BTreeMap::new(),
        stretches: BTreeMap::new(),
        found: Overtaken::default(),
    };
    let mut by_time: Vec<&KernelRecord> = records.iter().filter(|record| record.index > 0).collect();
    by_time.sort_by_key(|record| record.at);
    by_time.into_iter().for_each(|record| waits.take(record));
    waits.found
}

/// What a task's thread does.
#[derive(Clone, Copy, Default)]
struct Thread {
    /// Since when its job waits for a processor.
    waits_since: Option<u64>,
    /// The processor on which it executes its job.
    on: Option<u32>,
    /// The processor on which its job was stopped while it could go on, if it waits because of that.
    stopped_on: Option<u32>,
    /// True if its job has executed since it was ready.
    begun: bool,
    /// True if a section of its job delays a preemption, so that the job may go before more urgent ones.
    in_section: bool,
    /// True if its job is in the background.
    in_background: bool,
}

impl Thread {
    /// True if its job is let pass.
    fn passes(&self) -> bool {
        self.in_section || self.in_background
    }
}

/// From a job's getting a processor to its leaving it.
struct Stretch {
    job: JobId,
    from: u64,
    /// Its end, or when the job was let pass; the greatest number while neither is known.
    to: u64,
    /// True if the job had not executed since it was ready.
    begins: bool,
}

struct Waits {
    /// The priorities and the clusters of jobs.
    known: BTreeMap<JobId, (Priority, ClusterId)>,
    rules: Rules,
    /// By index of the task.
    threads: BTreeMap<u32, Thread>,
    /// By processor: what it executed, by time.
    stretches: BTreeMap<u32, Vec<Stretch>>,
    found: Overtaken,
}

impl Waits {
    fn take(&mut self, record: &KernelRecord) {
        let KernelRecord { at, processor, index, .. } = *record;
        let job = record.job.checked_sub(1).map(|number| JobId::new(TaskId(index - 1), number));
        match record.what {
            KernelEvent::Arrived { .. } | KernelEvent::Resumed => {
                let own = self.threads.entry(index).or_default();
                (own.waits_since, own.stopped_on) = (Some(at), None);
                own.begun = false;
                if record.what != KernelEvent::Resumed {
                    (own.in_section, own.in_background) = (false, false);
                }
            }
            KernelEvent::Running => {
                if let Some(job) = job {
                    self.begin(job, index, processor, at);
                }
            }
            KernelEvent::Stopped { ready } => {
                let on = self.stop(index, at);
                if on.is_some() && ready && job.is_some() {
                    let own = self.threads.entry(index).or_default();
                    (own.waits_since, own.stopped_on) = (Some(at), on);
                }
            }
            KernelEvent::Completed { .. } | KernelEvent::Suspended => {
                self.stop(index, at);
                self.threads.entry(index).or_default().waits_since = None;
            }
            KernelEvent::SectionKept { .. } | KernelEvent::SectionSlept { .. } => {
                self.end_stretch(index, at);
                self.threads.entry(index).or_default().in_section = true;
            }
            // From the end of a section on, the job is judged again once it has been stopped.
            KernelEvent::SectionLeft { .. } | KernelEvent::SectionBroken { .. } => {
                self.threads.entry(index).or_default().in_section = false;
            }
            KernelEvent::Overran { .. } if self.rules.demotes => {
                self.end_stretch(index, at);
                self.threads.entry(index).or_default().in_background = true;
            }
            KernelEvent::Overran { .. } => {}
            KernelEvent::Strayed => drop(self.threads.remove(&index)),
            KernelEvent::SectionWoke { .. } | KernelEvent::TooEarly { .. } | KernelEvent::Given { .. } => {}
        }
    }

    /// The job gets the processor at `at`.
    fn begin(&mut self, job: JobId, index: u32, processor: u32, at: u64) {
        let own = self.threads.entry(index).or_default();
        let before = *own;
        (own.on, own.begun, own.waits_since) = (Some(processor), true, None);
        if let Some(since) = before.waits_since.filter(|_| !before.passes()) {
            self.found.waits += u64::from(at - since > LEAST);
            let was_here = before.stopped_on == Some(processor);
            if let Some(length) = self.length_of(job, (since, at), processor, was_here) {
                self.found.overtaken += 1;
                self.found.longest = self.found.longest.max(Duration::from_ns(length));
            }
        }
        let to = if before.passes() { at } else { u64::MAX };
        let stretch = Stretch { job, from: at, to, begins: !before.begun };
        self.stretches.entry(processor).or_default().push(stretch);
    }

    /// For how long less urgent jobs had the processor in this wait of `job`, from when it ought to have had it
    /// (`was_here` if it was stopped there) or, where jobs are not preempted, for how long it had waited when the last
    /// one of its cluster began; if that counts.
    fn length_of(&self, job: JobId, (since, at): (u64, u64), processor: u32, was_here: bool) -> Option<u64> {
        let (own, cluster) = *self.known.get(&job)?;
        let is_less_urgent = |stretch: &&Stretch| {
            let other = self.known.get(&stretch.job);
            other.is_some_and(|other| other.1 == cluster && own.is_higher_than(other.0))
        };
        let length = if self.rules.preemptive {
            let there = self
                .stretches
                .get(&processor)
                .into_iter()
                .flat_map(|all| after(all, since))
                .filter(is_less_urgent);
            let due = if was_here { since } else { since + ON_ITS_WAY };
            there.map(|it| it.to.min(at).saturating_sub(it.from.max(due))).sum()
        } else {
            let anywhere = self.stretches.values().flat_map(|all| after(all, since)).filter(is_less_urgent);
            let begun = anywhere.filter(|stretch| stretch.begins).map(|stretch| stretch.from);
            begun.map(|from| from.saturating_sub(since)).max().unwrap_or(0)
        };
        (length > LEAST).then_some(length)
    }

    /// The task's thread leaves its processor, if it has one. Returns that.
    fn stop(&mut self, index: u32, at: u64) -> Option<u32> {
        self.end_stretch(index, at);
        self.threads.entry(index).or_default().on.take()
    }

    /// What the task's thread executes counts until now at most.
    fn end_stretch(&mut self, index: u32, at: u64) {
        let Some(on) = self.threads.get(&index).and_then(|own| own.on) else { return };
        if let Some(last) = self.stretches.get_mut(&on).and_then(|all| all.last_mut()) {
            last.to = last.to.min(at);
        }
    }
}

/// The last of these stretches of a processor, which follow each other: those that begin or count after `since`.
fn after(stretches: &[Stretch], since: u64) -> impl Iterator<Item = &Stretch> {
    stretches.iter().rev().take_while(move |stretch| stretch.from > since || stretch.to > since)
}

#[cfg(test)]
mod tests;
