//! What the kernel recorded, as inputs of the engine that decides again.

use crate::record::inputs::EngineInput;
use crate::record::lock_records::LockSection;
use schedlab_model::{CpuId, Instant, JobId, TaskId};
use schedlab_scx::{KernelEvent, KernelRecord};
use schedlab_sim::Input;
use std::collections::BTreeMap;

/// An input of a domain, with its job and its time.
pub(crate) type Timed = (Instant, JobId, EngineInput);

/// How the numbers of the kernel are those of the run.
pub(crate) struct Numbers<'a> {
    /// Time zero, by the monotonic clock in ns.
    pub zero: u64,
    /// By processor of the system: the machine's number of it.
    pub processors: &'a [usize],
    /// By task: its domain.
    pub domain_of: &'a [usize],
    /// By task: true if it has no further job.
    pub left: Vec<bool>,
    /// The critical sections of all jobs, by mutex in the order in which jobs acquired it.
    pub sections: &'a [LockSection],
}

/// The inputs of each domain before `end`, by time.
pub(crate) fn inputs_of(
    records: &[KernelRecord],
    numbers: &Numbers<'_>,
    domains: usize,
    end: Instant,
) -> Vec<Vec<Timed>> {
    let mut inputs: Vec<Vec<Timed>> = vec![Vec::new(); domains];
    let ends = ends_of(numbers.sections);
    for record in records.iter().filter(|record| record.job > 0) {
        let task = TaskId(record.index - 1);
        let at = Instant::from_ns(record.at.saturating_sub(numbers.zero));
        let own = &mut inputs[numbers.domain_of[task.index()]];
        let job = JobId::new(task, record.job - 1);
        if let Some((at, what)) = input(record, at, job, (numbers, &ends), own).filter(|_| at < end) {
            own.push((at, job, what));
        }
    }
    for (index, _) in numbers.left.iter().enumerate().filter(|(_, left)| **left) {
        inputs[numbers.domain_of[index]].push((end, JobId::new(TaskId(index as u32), 0), EngineInput::Left));
    }
    for section in numbers.sections {
        let (job, resource) = (section.job, section.resource);
        let own = &mut inputs[numbers.domain_of[job.task.index()]];
        own.push((section.asked, job, EngineInput::Reported(Input::Request(resource, 1))));
        let released =
            section.released.map(|at| (at, job, EngineInput::Reported(Input::Release(resource, 1))));
        own.extend(released);
    }
    for own in &mut inputs {
        own.sort_by_key(|(at, ..)| *at);
    }
    inputs
}

/// The input that a record of `job` stands for, and its time.
fn input(
    record: &KernelRecord,
    at: Instant,
    job: JobId,
    (numbers, ends): (&Numbers<'_>, &BTreeMap<JobId, Vec<Instant>>),
    before: &[Timed],
) -> Option<(Instant, EngineInput)> {
    match record.what {
        KernelEvent::Arrived { arrival } => Some((at, EngineInput::Began(Instant::from_ns(arrival)))),
        KernelEvent::Completed { .. } => Some((at, EngineInput::Reported(Input::Complete))),
        KernelEvent::Suspended => Some((at, EngineInput::Reported(Input::Suspend))),
        KernelEvent::Resumed => Some((at, EngineInput::Resumed)),
        KernelEvent::Running => {
            let known = numbers.processors.iter().position(|known| *known == record.processor as usize);
            known.map(|cpu| (at, EngineInput::Executes(CpuId(cpu as u16))))
        }
        KernelEvent::SectionKept { .. } => {
            Some((before_cause(job, before).unwrap_or(at), EngineInput::Reported(Input::NpEnter)))
        }
        KernelEvent::SectionLeft { .. } | KernelEvent::SectionBroken { .. } => {
            let ends = ends.get(&job).map_or(&[][..], Vec::as_slice);
            Some((by_release(job, at, ends, before).unwrap_or(at), EngineInput::Reported(Input::NpExit)))
        }
        KernelEvent::Overran { .. } => Some((at, EngineInput::Reported(Input::Overran))),
        KernelEvent::Stopped { .. }
        | KernelEvent::TooEarly { .. }
        | KernelEvent::Strayed
        // The engine knows no job that sleeps in a section: this one keeps its processor, as any other in a section.
        | KernelEvent::SectionSlept { .. }
        | KernelEvent::SectionWoke { .. }
        | KernelEvent::Given { .. } => None,
    }
}

/// By job: when it released the last resource that it held, and was in no section any more; by time.
fn ends_of(sections: &[LockSection]) -> BTreeMap<JobId, Vec<Instant>> {
    let mut ends: BTreeMap<JobId, Vec<Instant>> = BTreeMap::new();
    for section in sections.iter().filter(|section| section.is_last) {
        ends.entry(section.job).or_default().extend(section.released);
    }
    ends.values_mut().for_each(|own| own.sort_unstable());
    ends
}

/// When a kept section of `job` was over that the kernel saw end at `left`, if it ended by one of the releases at
/// `ends`: the thread tells the kernel a moment later, and the job is in no section in that moment.
fn by_release(job: JobId, left: Instant, ends: &[Instant], before: &[Timed]) -> Option<Instant> {
    let last = ends.partition_point(|at| *at <= left).checked_sub(1).map(|place| ends[place])?;
    let is_kept = |(_, other, what): &&Timed| *other == job && *what == EngineInput::Reported(Input::NpEnter);
    let (kept, ..) = before.iter().rev().find(is_kept)?;
    (last >= *kept).then_some(last)
}

/// The time just before the job that a section of `job` keeps waiting was ready: the section had begun by then.
fn before_cause(job: JobId, before: &[Timed]) -> Option<Instant> {
    for (at, other, what) in before.iter().rev() {
        match what {
            EngineInput::Executes(_) if *other == job => return None,
            EngineInput::Began(_) | EngineInput::Resumed if *other != job => {
                return Some(Instant::from_ns(at.as_ns().saturating_sub(1)));
            }
            EngineInput::Executes(_)
            | EngineInput::Began(_)
            | EngineInput::Resumed
            | EngineInput::Reported(_)
            | EngineInput::FastSection(_)
            | EngineInput::Called(_)
            | EngineInput::Left => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::lock_records::{LockEvent, LockRecord, LockSections};
    use schedlab_model::ResourceId;

    /// A record of the first job of a task: its time, the number of its task, and what happened.
    fn record((at, index, what): (u64, u32, KernelEvent)) -> KernelRecord {
        KernelRecord { at, processor: 4, index, job: 1, what }
    }

    fn numbers(sections: &[LockSection]) -> Numbers<'_> {
        Numbers { zero: 100, processors: &[4], domain_of: &[0, 0], left: vec![false; 2], sections }
    }

    /// An input of the first job of a task.
    fn timed((at, task, what): (u64, u32, EngineInput)) -> Timed {
        (Instant::from_ns(at), JobId::new(TaskId(task), 0), what)
    }

    /// The second task's job sleeps in a section, and then in none; the first task's job comes during the section.
    #[test]
    fn sleep_in_a_section_is_no_input() {
        let records = [
            (100, 2, KernelEvent::Arrived { arrival: 0 }),
            (101, 2, KernelEvent::Running),
            (120, 2, KernelEvent::SectionSlept { section: 1 }),
            (130, 1, KernelEvent::Arrived { arrival: 20 }),
            (180, 2, KernelEvent::SectionWoke { section: 1 }),
            (181, 2, KernelEvent::SectionKept { section: 1 }),
            (190, 2, KernelEvent::SectionLeft { section: 1 }),
            (200, 2, KernelEvent::Suspended),
            (210, 2, KernelEvent::Resumed),
        ]
        .map(record);
        let reported = EngineInput::Reported;
        let expected = [
            (0, 1, EngineInput::Began(Instant::ZERO)),
            (1, 1, EngineInput::Executes(CpuId(0))),
            (29, 1, reported(Input::NpEnter)),
            (30, 0, EngineInput::Began(Instant::from_ns(20))),
            (90, 1, reported(Input::NpExit)),
            (100, 1, reported(Input::Suspend)),
            (110, 1, EngineInput::Resumed),
        ]
        .map(timed);
        assert_eq!(inputs_of(&records, &numbers(&[]), 1, Instant::from_ns(900)), [expected.to_vec()]);
    }

    /// The second task's job holds two resources, one within the other, while the first task's job comes. The kernel
    /// sees the section end 50 ns after the job released the last resource: by then the job is in no section. A
    /// non-preemptive section around them ends when the kernel sees it end.
    #[test]
    fn a_section_on_resources_ends_with_its_last_release() {
        let records = [
            (100, 2, KernelEvent::Arrived { arrival: 0 }),
            (101, 2, KernelEvent::Running),
            (130, 1, KernelEvent::Arrived { arrival: 20 }),
            (135, 2, KernelEvent::SectionKept { section: 1 }),
            (220, 2, KernelEvent::SectionLeft { section: 1 }),
        ]
        .map(record);
        let ends = |is_outside: bool| {
            let own = |resource: u32, what| LockRecord { job: 0, resource: ResourceId(resource), what };
            let (at, asked) = (Instant::from_ns, |at| LockEvent::Asked { from: at, to: at });
            let released = |at: u64, is_outside| LockEvent::Released { at: Instant::from_ns(at), is_outside };
            let section = [
                own(0, asked(at(10))),
                own(0, LockEvent::Acquired(at(10))),
                own(1, asked(at(40))),
                own(1, LockEvent::Acquired(at(40))),
                own(1, released(60, false)),
                own(0, released(70, is_outside)),
            ];
            let all = LockSections::of(&[&[], &section], &[Some(0), Some(1)], Instant::NEVER);
            let inputs = inputs_of(&records, &numbers(&all.sections), 1, Instant::from_ns(900));
            let is_end = |what| {
                matches!(what, EngineInput::Reported(Input::NpEnter | Input::NpExit | Input::Release(..)))
            };
            inputs[0].iter().filter(|(.., what)| is_end(*what)).copied().collect::<Vec<Timed>>()
        };
        let reported = |at, input| timed((at, 1, EngineInput::Reported(input)));
        let [first, last] =
            [(60, 1), (70, 0)].map(|(at, resource)| reported(at, Input::Release(ResourceId(resource), 1)));
        let kept = reported(29, Input::NpEnter);
        let left = |at| reported(at, Input::NpExit);
        // At one instant, the job stays in a section until its release, which comes behind.
        assert_eq!(ends(true), [kept, first, left(70), last]);
        assert_eq!(ends(false), [kept, first, last, left(120)]);
    }
}
