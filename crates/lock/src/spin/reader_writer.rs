//! Spin locks for readers and writers: many read at once, or one writes.
//!
//! B. B. Brandenburg and J. H. Anderson, "Spin-based reader-writer synchronization for multiprocessor real-time
//! systems", Real-Time Systems 46(1), 2010. From its request to its release a job is not preempted.
//!
//! A resource of several units is one that can be read: a request for one unit reads, a request for all units
//! writes, so that units are held at once as the words say. There are at least as many units as reading tasks.
//!
//! **Task-fair**: first come, first served; readers that follow each other read together. **Phase-fair**: reading and
//! writing take turns. All readers that wait at the end of a writer's section read next, and a reader that comes
//! while a writer waits or writes waits for one writer at most.
//!
//! A reads at 0; B wants to write at 1, C to read at 2, D to write at 3, E to read at 4; each section takes four:
//!
//! ```text
//! asks          A reads, B writes, C reads, D writes, E reads
//! task-fair     A, B, C, D, E           E waits for both writers
//! phase-fair    A, B, C and E, D        E waits for one
//! ```
//!
//! In the model, a request takes O(w) for w waiting jobs, and a release O(w) for each job that it lets go on. A
//! task-fair request waits for O(m) sections on m processors. A phase-fair reader waits for one writer and one
//! phase of readers at most, O(1), and a phase-fair writer for O(m) sections.

use crate::contract::{
    BrokenRule, Ceilings, Effect, Effects, GrantOrder, LockError, LockProtocol, LockSetup, Nesting, OnLinux,
    Preemption, Protocol, Reach, Reply, Section, Turn, Waiting,
};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;
use schedlab_model::{Event, JobId, LockingClass, Resource, ResourceId, Step, TaskId};

/// Entry of "rw-task-fair" in the list of protocols.
pub(crate) const RW_TASK_FAIR: Protocol = Protocol {
    name: "rw-task-fair",
    summary: "readers and writers spinning, first come, first served (Brandenburg, Anderson 2010)",
    waiting: Waiting::Spins,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Never,
    nesting: Nesting::Never,
    several_units: true,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::RwTaskFair,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(<ReaderWriter<TaskFairly>>::new(setup)?)),
};

/// Entry of "rw-phase-fair" in the list of protocols.
pub(crate) const RW_PHASE_FAIR: Protocol = Protocol {
    name: "rw-phase-fair",
    summary: "readers and writers spinning, in turns (Brandenburg, Anderson 2010)",
    grants: GrantOrder::Phases,
    class: LockingClass::RwPhaseFair,
    make: |setup| Ok(Box::new(<ReaderWriter<PhaseFairly>>::new(setup)?)),
    ..RW_TASK_FAIR
};

/// One resource: the jobs that read or write it, and the jobs that wait.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    readers: Vec<JobId>,
    writer: Option<JobId>,
    /// Waiting jobs, the longest waiting first, each with whether it is to write.
    waiting: Vec<(JobId, bool)>,
}

impl Line {
    fn has_writer_waiting(&self) -> bool {
        self.waiting.iter().any(|(_, writes)| *writes)
    }

    /// True if a request may be granted as far as holders are concerned.
    fn admits(&self, writes: bool) -> bool {
        self.writer.is_none() && (!writes || self.readers.is_empty())
    }
}

/// Rule by which waiting jobs are granted together, while the lock is free or read by others.
pub(crate) trait Fairness: Send {
    /// Returns the place of the next job to be granted; it is called until there is none. `was_written` is true if a
    /// writer has just released.
    fn next(line: &Line, was_written: bool) -> Option<usize>;
}

/// First come, first served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskFairly;

impl Fairness for TaskFairly {
    fn next(line: &Line, _: bool) -> Option<usize> {
        let (_, writes) = line.waiting.first()?;
        line.admits(*writes).then_some(0)
    }
}

/// Readers and writers take turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhaseFairly;

impl Fairness for PhaseFairly {
    fn next(line: &Line, was_written: bool) -> Option<usize> {
        let first = |wanted: bool| line.waiting.iter().position(|(_, writes)| *writes == wanted);
        let readers_turn = was_written || !line.has_writer_waiting();
        let next = first(false).filter(|_| readers_turn).or_else(|| first(true));
        next.filter(|index| line.admits(line.waiting[*index].1))
    }
}

/// Spinning readers and writers; `F` is the rule of their turns.
#[derive(Clone, Debug)]
pub(crate) struct ReaderWriter<F> {
    lines: Vec<Line>,
    units: Vec<u32>,
    fairness: PhantomData<F>,
}

impl<F: Fairness> ReaderWriter<F> {
    /// Needs requests for one or for all units, a unit for each reading task, no nesting, and no suspension in
    /// sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let name = "reader-writer spinning";
        let usage = setup.usage()?;
        setup.demand_no_suspension(&usage, name)?;
        setup.demand_flat_globals(&usage, &vec![false; setup.resources.len()], name)?;
        demand_readers_and_writers(setup, name)?;
        let tasks = setup.tasks.len();
        let line =
            |_| Line { readers: Vec::with_capacity(tasks), writer: None, waiting: Vec::with_capacity(tasks) };
        let units = setup.resources.iter().map(|resource| resource.units);
        Ok(ReaderWriter {
            lines: (0..setup.resources.len()).map(line).collect(),
            units: units.collect(),
            fairness: PhantomData,
        })
    }

    /// Grants all requests that can be granted now.
    fn grant(&mut self, resource: usize, was_written: bool, out: &mut Effects) {
        let line = &mut self.lines[resource];
        while let Some(index) = F::next(line, was_written) {
            let (job, writes) = line.waiting.remove(index);
            line.enter(job, writes);
            out.push(Effect::Grant(job, ResourceId(resource as u32)));
        }
    }

    /// Removes `job` from the holders and waiters of `resource`.
    fn leave(&mut self, job: JobId, resource: usize, out: &mut Effects) {
        let line = &mut self.lines[resource];
        let was_written = line.writer == Some(job);
        if was_written {
            line.writer = None;
        }
        line.readers.retain(|reader| *reader != job);
        self.grant(resource, was_written, out);
    }
}

impl Line {
    fn enter(&mut self, job: JobId, writes: bool) {
        if writes {
            self.writer = Some(job);
        } else {
            self.readers.push(job);
        }
    }
}

fn demand_readers_and_writers(setup: &LockSetup<'_>, protocol: &'static str) -> Result<(), LockError> {
    let mut readers = vec![0; setup.resources.len()];
    for (index, task) in setup.tasks.iter().enumerate() {
        let mut reads = vec![false; setup.resources.len()];
        for (position, step) in task.program.iter().enumerate() {
            if let Step::Request(resource, units) = *step {
                let Resource { units: exist } = setup.resources[resource.index()];
                if units != 1 && units != exist {
                    let rule = BrokenRule::NeitherReadNorWrite { resource, units, exist, protocol };
                    return Err(rule.at(TaskId(index as u32), position));
                }
                reads[resource.index()] |= units != exist;
            }
        }
        readers.iter_mut().zip(reads).for_each(|(count, reads)| *count += usize::from(reads));
    }
    for (index, (readers, resource)) in readers.into_iter().zip(setup.resources).enumerate() {
        let (resource, exist) = (ResourceId(index as u32), resource.units);
        if readers > exist as usize {
            return Err(BrokenRule::TooFewUnits { resource, readers, exist, protocol }.into());
        }
    }
    Ok(())
}

impl<F: Fairness> LockProtocol for ReaderWriter<F> {
    fn request(&mut self, Section { job, resource, units }: Section, turn: &mut Turn<'_>) -> Reply {
        let writes = units == self.units[resource.index()];
        let line = &mut self.lines[resource.index()];
        turn.set_preemptable(job, false);
        line.waiting.push((job, writes));
        if F::next(line, false) == Some(line.waiting.len() - 1) {
            line.waiting.pop();
            line.enter(job, writes);
            return Reply::Granted;
        }
        Reply::Spin
    }

    fn release(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) {
        turn.set_preemptable(job, true);
        self.leave(job, resource.index(), turn.out);
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        if let Event::Aborted(job) = event {
            for resource in 0..self.lines.len() {
                self.lines[resource].waiting.retain(|(waiting, _)| *waiting != job);
                self.leave(job, resource, turn.out);
            }
        }
    }
}
