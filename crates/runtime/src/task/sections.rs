//! The sections that a task's program declares for its jobs, and those that its job is in.
//!
//! Protocols know ceilings and groups from the programs. A request that no program declares would break their rules, so
//! it is refused before the engine knows of it.

use schedlab_model::{Duration, ResourceId, Step};

/// The error of a call that the task's program, or the state of its job, does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.explain(|resource| resource.to_string()))]
pub enum Misuse {
    /// A forked child of the run's process asks.
    OtherProcess,
    /// No job of the task executes.
    NoJob,
    /// The program never asks for these units while it holds what the job holds.
    Undeclared(ResourceId, u32),
    /// The job does not hold these units.
    NotHeld(ResourceId, u32),
    /// The job is in a non-preemptive section, and wants to suspend itself.
    NonPreemptive,
    /// The job holds this resource and wants to suspend itself, which its program never does there.
    Holding(ResourceId),
    /// The job is not in a non-preemptive section.
    Preemptable,
    /// The job holds this resource, which is no lock-free object that it operates on.
    NoAttempt(ResourceId),
    /// A server executes the sections on this resource.
    Served(ResourceId),
    /// The task serves no resource, or its job has no section to execute.
    NoServer,
    /// A budget server executes the task's jobs.
    Client,
    /// The kernel schedules the thread, and has neither non-preemptive sections nor attempts on objects.
    KernelDecides,
}

impl Misuse {
    /// The error in words, with each resource called what `name` calls it.
    pub fn explain(&self, name: impl Fn(ResourceId) -> String) -> String {
        match self {
            Misuse::OtherProcess => {
                "this is another process than that of the run: a forked child has no part in it".to_owned()
            }
            Misuse::NoJob => {
                "no job executes: allowed between one wait for the next job and the following".to_owned()
            }
            Misuse::Undeclared(resource, units) => format!(
                "the task's program does not request {units} of {} here: declare the section, nested as it is used",
                name(*resource)
            ),
            Misuse::NotHeld(resource, units) => {
                format!("the job does not hold {units} of {}", name(*resource))
            }
            Misuse::NonPreemptive => {
                "the job is in a non-preemptive section, where it cannot suspend itself".to_owned()
            }
            Misuse::Holding(resource) => format!(
                "the job holds {}, and the task's program does not suspend itself there: protocols forbid it or have to know",
                name(*resource)
            ),
            Misuse::KernelDecides => {
                "the kernel schedules this thread, and has neither non-preemptive sections nor attempts on objects for it"
                    .to_owned()
            }
            Misuse::Served(resource) => format!(
                "a server executes the sections on {}: state the section's code (Context::section, schedlab_section)",
                name(*resource)
            ),
            Misuse::Client => {
                "a budget server executes the task's jobs: its clients neither suspend themselves nor have \
                 non-preemptive sections"
                    .to_owned()
            }
            Misuse::NoServer => "the task is no server whose job has a section to execute".to_owned(),
            Misuse::Preemptable => "the job is not in a non-preemptive section".to_owned(),
            Misuse::NoAttempt(resource) => {
                format!("the job holds {}: only attempts on lock-free objects fail", name(*resource))
            }
        }
    }
}

/// A call by which a job does something besides executing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Wait for units of a resource.
    Lock(ResourceId, u32),
    /// Give units of a resource back.
    Unlock(ResourceId, u32),
    /// Record that the attempt on an object failed, and that another one begins.
    Retry(ResourceId),
    /// Enter a non-preemptive section.
    EnterNonPreemptive,
    /// Leave a non-preemptive section.
    ExitNonPreemptive,
    /// Give up the processor for this long.
    Suspend(Duration),
}

type Part = (ResourceId, u32);

/// The sections that a task's jobs may enter, and those that its job is in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sections {
    /// For each request of the program, in their order: what the job holds then, and what it asks for.
    declared: Vec<(Vec<Part>, Part)>,
    /// For each suspension of the program: what the job holds then.
    suspends: Vec<Vec<Part>>,
    held: Vec<Part>,
    np_depth: u32,
}

impl Sections {
    /// The sections of `program`.
    pub(crate) fn of(program: &[Step]) -> Self {
        let (mut held, mut declared, mut suspends) = (Vec::<Part>::new(), Vec::new(), Vec::new());
        for step in program {
            match step {
                Step::Request(resource, units) => {
                    declared.push((held.clone(), (*resource, *units)));
                    held.push((*resource, *units));
                }
                Step::Release(resource, units) => held.retain(|part| *part != (*resource, *units)),
                Step::Suspend(_) => suspends.push(held.clone()),
                Step::Execute(_) | Step::NpEnter | Step::NpExit | Step::Serve(_) => {}
            }
        }
        let deepest = declared.len();
        Sections { declared, suspends, held: Vec::with_capacity(deepest), np_depth: 0 }
    }

    /// Notes that the job asks for these units, which it will hold. Refused if the program does not declare it.
    #[inline]
    pub(crate) fn request(&mut self, resource: ResourceId, units: u32) -> Result<(), Misuse> {
        let part = (resource, units);
        if !self.declared.iter().any(|(held, asked)| *asked == part && *held == self.held) {
            return Err(Misuse::Undeclared(resource, units));
        }
        self.held.push(part);
        Ok(())
    }

    /// Notes that the thread asks for these units after the end of the run, whatever its program declares.
    pub(crate) fn request_anything(&mut self, resource: ResourceId, units: u32) {
        self.held.push((resource, units));
    }

    /// Notes that the thread is in no section.
    pub(crate) fn leave_all(&mut self) {
        self.held.clear();
        self.np_depth = 0;
    }

    /// Notes that the job gives these units back.
    #[inline]
    pub(crate) fn release(&mut self, resource: ResourceId, units: u32) -> Result<(), Misuse> {
        // Sections mostly nest, and a removal from the middle is a call.
        if self.held.last() == Some(&(resource, units)) {
            self.held.pop();
            return Ok(());
        }
        let place = self.held.iter().rposition(|part| *part == (resource, units));
        self.held.remove(place.ok_or(Misuse::NotHeld(resource, units))?);
        Ok(())
    }

    /// Checks that the job is in a section on this resource.
    pub(crate) fn check_held(&self, resource: ResourceId) -> Result<(), Misuse> {
        let is_held = self.held.iter().any(|(held, _)| *held == resource);
        is_held.then_some(()).ok_or(Misuse::NotHeld(resource, 1))
    }

    /// Checks that the job may suspend itself now.
    pub(crate) fn check_suspension(&self) -> Result<(), Misuse> {
        if self.is_non_preemptive() {
            return Err(Misuse::NonPreemptive);
        }
        match self.last_held() {
            Some((resource, _)) if !self.suspends.contains(&self.held) => Err(Misuse::Holding(resource)),
            _ => Ok(()),
        }
    }

    /// Notes that the job enters a non-preemptive section.
    #[inline]
    pub(crate) fn enter_non_preemptive(&mut self) {
        self.np_depth += 1;
    }

    /// Notes that the job leaves a non-preemptive section.
    #[inline]
    pub(crate) fn exit_non_preemptive(&mut self) -> Result<(), Misuse> {
        self.np_depth = self.np_depth.checked_sub(1).ok_or(Misuse::Preemptable)?;
        Ok(())
    }

    /// True if the job holds nothing and can be preempted.
    #[inline]
    pub(crate) fn is_outside(&self) -> bool {
        self.held.is_empty() && self.np_depth == 0
    }

    /// True if the job is in a section within another one.
    pub(crate) fn are_nested(&self) -> bool {
        self.held.len() + self.np_depth as usize > 1
    }

    /// The units that the job holds and took last.
    pub(crate) fn last_held(&self) -> Option<Part> {
        self.held.last().copied()
    }

    /// True if the job is in a non-preemptive section of its own.
    #[inline]
    pub(crate) fn is_non_preemptive(&self) -> bool {
        self.np_depth > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Work;

    const A: ResourceId = ResourceId(0);
    const B: ResourceId = ResourceId(1);

    #[test]
    fn only_what_is_declared_may_be_asked_for_and_as_it_nests() {
        let (ask, give) = (|r| Step::Request(r, 1), |r| Step::Release(r, 1));
        // The last section of A ends before that of B, which began within it.
        let program = [
            ask(A),
            ask(B),
            Step::Execute(Work::from_ns(1)),
            give(B),
            give(A),
            ask(A),
            ask(B),
            give(A),
            ask(A),
            give(A),
            give(B),
        ];
        let mut sections = Sections::of(&program);
        assert_eq!(sections.request(B, 1), Err(Misuse::Undeclared(B, 1)), "only within A");
        assert_eq!(sections.request(A, 2), Err(Misuse::Undeclared(A, 2)));
        sections.request(A, 1).unwrap();
        assert_eq!(sections.request(A, 1), Err(Misuse::Undeclared(A, 1)), "it has it");
        sections.request(B, 1).unwrap();
        assert_eq!(sections.last_held(), Some((B, 1)));
        assert!(sections.are_nested());
        sections.release(B, 1).unwrap();
        assert_eq!(sections.release(B, 1), Err(Misuse::NotHeld(B, 1)));
        sections.release(A, 1).unwrap();
        assert!(sections.is_outside());
        sections.request(A, 1).unwrap();
        assert!(!sections.is_outside());
        sections.request(B, 1).unwrap();
        sections.release(A, 1).unwrap();
        assert_eq!(sections.last_held(), Some((B, 1)));
        sections.request(A, 1).unwrap();
        sections.release(A, 1).unwrap();
        sections.release(B, 1).unwrap();
        assert_eq!(sections.exit_non_preemptive(), Err(Misuse::Preemptable));
        sections.enter_non_preemptive();
        assert!(!sections.are_nested());
        assert!(sections.is_non_preemptive() && !sections.is_outside());
        sections.exit_non_preemptive().unwrap();
        assert!(!sections.is_non_preemptive() && sections.is_outside());
    }

    /// Anywhere outside of sections; within one only as the program does, since the protocol was asked about that
    /// alone.
    #[test]
    fn a_job_suspends_itself_in_a_section_only_where_its_program_does() {
        let (ask, give) = (|r| Step::Request(r, 1), |r| Step::Release(r, 1));
        let wait = Step::Suspend(schedlab_model::Duration::from_ns(1));
        let mut sections = Sections::of(&[ask(A), wait, ask(B), give(B), give(A)]);
        assert_eq!(sections.check_suspension(), Ok(()));
        sections.request(A, 1).unwrap();
        assert_eq!(sections.check_suspension(), Ok(()));
        sections.request(B, 1).unwrap();
        assert_eq!(sections.check_suspension(), Err(Misuse::Holding(B)));
        sections.release(B, 1).unwrap();
        sections.enter_non_preemptive();
        assert_eq!(sections.check_suspension(), Err(Misuse::NonPreemptive));
    }
}
