//! What threads record of the spin locks that they take by themselves, and whether the locks were what they ought to
//! be: held by one job at a time, first come, first served.

use schedlab_model::{Duration, Instant, JobId, ResourceId, TaskId};
use std::collections::BTreeMap;

/// What a thread did with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LockRecord {
    /// Number of the job.
    pub job: u32,
    pub resource: ResourceId,
    pub what: LockEvent,
}

/// An event of a spin lock, by the clock of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockEvent {
    /// The thread has joined the queue between these times.
    Asked { from: Instant, to: Instant },
    /// The thread holds the resource, by this time.
    Acquired(Instant),
    /// The thread gives the resource back, after this time.
    Released {
        at: Instant,
        /// True if the thread is in no section any more, not even in a non-preemptive one.
        is_outside: bool,
    },
}

/// A critical section that a job began, outermost or nested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LockSection {
    pub job: JobId,
    pub resource: ResourceId,
    /// The lock that protects the resource.
    pub mutex: usize,
    /// When the job has asked: a time at which it may have done so, so that jobs asked in the order in which they
    /// acquired, as far as that is possible.
    pub asked: Instant,
    pub acquired: Option<Instant>,
    pub released: Option<Instant>,
    /// True if the job was in no section any more when it had released the resource.
    pub is_last: bool,
    /// True if the job held the mutex already.
    pub is_nested: bool,
    /// The times between which the job has asked.
    between: (Instant, Instant),
}

/// The critical sections of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct LockSections {
    /// By mutex, in the order in which jobs acquired it; those that did not come last. Nested sections follow the
    /// outermost one.
    pub sections: Vec<LockSection>,
    /// Number of times that a job acquired a mutex before another one had given it back.
    pub overlaps: u64,
    /// Number of times that a job acquired a mutex before another one that had asked earlier.
    pub overtaken: u64,
    /// Longest time by which a request counts later than it may have been made.
    pub longest_move: Duration,
}

impl LockSections {
    /// The sections by the records of each task's thread before `end`. `mutex_of` by resource.
    pub(crate) fn of(records: &[&[LockRecord]], mutex_of: &[Option<usize>], end: Instant) -> LockSections {
        let mut by_mutex: BTreeMap<usize, Vec<LockSection>> = BTreeMap::new();
        for (task, own) in (0..).map(TaskId).zip(records) {
            for section in sections_of(task, own, mutex_of, end) {
                by_mutex.entry(section.mutex).or_default().push(section);
            }
        }
        let mut all = LockSections::default();
        by_mutex.into_values().for_each(|sections| all.add(sections));
        all
    }

    /// Adds the sections of one mutex.
    fn add(&mut self, mut sections: Vec<LockSection>) {
        sections.sort_by_key(|section| (section.acquired.unwrap_or(Instant::NEVER), section.between.0));
        let (mut asked, mut free) = (Instant::ZERO, Instant::ZERO);
        for section in &mut sections {
            let (from, to) = section.between;
            if !section.is_nested {
                // In this order, the job has asked after all before it.
                self.overtaken += u64::from(asked > to);
                asked = asked.max(from);
                section.asked = asked.min(to);
                self.longest_move = self.longest_move.max(section.asked - from);
                self.overlaps += u64::from(section.acquired.is_some_and(|acquired| acquired < free));
            }
            if section.acquired.is_some() {
                free = free.max(section.released.unwrap_or(Instant::NEVER));
            }
        }
        self.sections.append(&mut sections);
    }
}

/// The sections of a task's thread, as it began them.
fn sections_of(
    task: TaskId,
    records: &[LockRecord],
    mutex_of: &[Option<usize>],
    end: Instant,
) -> Vec<LockSection> {
    let (mut sections, mut open): (Vec<LockSection>, Vec<usize>) = (Vec::new(), Vec::new());
    for record in records {
        match record.what {
            LockEvent::Asked { from, to } if from < end => {
                let mutex = mutex_of[record.resource.index()].expect("a thread asks for declared resources");
                let is_nested = open.iter().any(|place| sections[*place].mutex == mutex);
                open.push(sections.len());
                sections.push(LockSection {
                    job: JobId::new(task, record.job),
                    resource: record.resource,
                    mutex,
                    asked: from,
                    acquired: None,
                    released: None,
                    is_last: false,
                    is_nested,
                    between: (from, to),
                });
            }
            LockEvent::Acquired(at) if at < end => {
                if let Some(place) = open.last() {
                    sections[*place].acquired = Some(at);
                }
            }
            LockEvent::Released { at, is_outside } if at < end => {
                let is_own = |place: &usize| sections[*place].resource == record.resource;
                if let Some(place) = open.iter().rposition(is_own) {
                    let section = &mut sections[open.remove(place)];
                    (section.released, section.is_last) = (Some(at), is_outside);
                }
            }
            LockEvent::Asked { .. } | LockEvent::Acquired(_) | LockEvent::Released { .. } => {}
        }
    }
    sections
}

#[cfg(test)]
mod tests;
