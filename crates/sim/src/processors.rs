//! Processors: the job that occupies each, what that job receives and until when, and the looks that are due.

use crate::ends::Ends;
use crate::looks::Looks;
use schedlab_model::{
    at, at_mut, ClusterId, CpuId, Instant, JobId, Occupant, OverheadKind, Platform, TaskId, Work,
};

/// The activity of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Nothing: no job is scheduled here, or the scheduled one has nothing to do at this instant.
    Idle,
    /// The scheduled job receives service.
    Executing,
    /// The scheduled job waits for a resource without giving up the processor.
    Spinning,
    /// The scheduled job loads its working set again.
    Reloading(OverheadKind),
    /// The system works; the scheduled job, if any, waits.
    Overhead(OverheadKind),
}

/// One processor.
#[derive(Clone, Copy, Debug)]
struct Cpu {
    /// The job that occupies the processor, whether or not it executes right now.
    job: Occupant,
    /// The last recorded link.
    link: Occupant,
    /// Begin of the activity, or of the part of it that is not accounted for.
    since: Instant,
    activity: Activity,
    cluster: ClusterId,
}

/// All processors. Looks are counted if looking costs something.
#[derive(Default)]
pub(crate) struct Processors<const COUNTED: bool> {
    cpus: Vec<Cpu>,
    /// Ends of the activities of all processors.
    ends: Ends,
    /// Processors that have to look at their links.
    looks: Looks<COUNTED>,
    /// Tasks whose jobs still occupy a processor while another one waits for them, with that other one: one for each
    /// task.
    awaited: Vec<(TaskId, CpuId)>,
}

impl<const COUNTED: bool> Processors<COUNTED> {
    /// Replaces the processors by those of `platform`, all idle, in the same memory.
    pub(crate) fn renewed<const NOW_COUNTED: bool>(
        mut self,
        platform: &Platform,
        tasks: usize,
    ) -> Processors<NOW_COUNTED> {
        let processors = platform.processors();
        let idle = |cpu| Cpu {
            job: Occupant::NOBODY,
            link: Occupant::NOBODY,
            since: Instant::ZERO,
            activity: Activity::Idle,
            cluster: platform.cluster_of(CpuId(cpu)),
        };
        self.cpus.clear();
        self.cpus.extend((0..processors).map(idle));
        self.ends.renew(processors.into());
        self.awaited.clear();
        self.awaited.reserve(tasks);
        let Processors { cpus, ends, looks, awaited } = self;
        Processors { cpus, ends, looks: looks.renewed(processors.into()), awaited }
    }

    /// Keeps the memory, for processors whose looks are counted.
    pub(crate) fn counted(self) -> Processors<true> {
        let Processors { cpus, ends, looks, awaited } = self;
        Processors { cpus, ends, looks: looks.renewed(0), awaited }
    }

    /// Iterates over all processors.
    pub(crate) fn ids(&self) -> impl Iterator<Item = CpuId> {
        (0..self.cpus.len() as u16).map(CpuId)
    }

    #[inline(always)]
    pub(crate) fn cluster_of(&self, cpu: CpuId) -> ClusterId {
        at(&self.cpus, cpu.index()).cluster
    }

    /// Returns the job that occupies `cpu`.
    #[inline(always)]
    pub(crate) fn job_on(&self, cpu: CpuId) -> Occupant {
        at(&self.cpus, cpu.index()).job
    }

    /// Returns the job that occupies `cpu`, where there is one.
    #[inline(always)]
    pub(crate) fn busy_with(&self, cpu: CpuId) -> JobId {
        self.job_on(cpu).get().expect("a job occupies the processor")
    }

    #[inline(always)]
    pub(crate) fn activity(&self, cpu: CpuId) -> Activity {
        at(&self.cpus, cpu.index()).activity
    }

    #[inline(always)]
    pub(crate) fn is_executing(&self, cpu: CpuId) -> bool {
        self.activity(cpu) == Activity::Executing
    }

    /// True if the job executes on `cpu`, and is linked there since the last decision.
    #[inline(always)]
    pub(crate) fn executes_where_linked(&self, cpu: CpuId, job: JobId) -> bool {
        let processor = at(&self.cpus, cpu.index());
        processor.activity == Activity::Executing && processor.link == Occupant::job(job)
    }

    /// True if an overhead occupies `cpu`.
    #[inline(always)]
    pub(crate) fn is_in_overhead(&self, cpu: CpuId) -> bool {
        matches!(self.activity(cpu), Activity::Overhead(_))
    }

    /// Lets the job occupy the processor.
    #[inline(always)]
    pub(crate) fn occupy(&mut self, cpu: CpuId, job: JobId) {
        at_mut(&mut self.cpus, cpu.index()).job = Occupant::job(job);
    }

    /// Takes the job off the processor, which becomes idle unless an overhead occupies it. Returns the processor's
    /// cluster.
    #[inline(always)]
    pub(crate) fn vacate(&mut self, cpu: CpuId) -> ClusterId {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.job = Occupant::NOBODY;
        let cluster = processor.cluster;
        if !COUNTED || !matches!(processor.activity, Activity::Overhead(_)) {
            processor.activity = Activity::Idle;
            self.ends.clear(cpu);
        }
        cluster
    }

    /// Lets the job occupy the processor and execute from now on; returns the processor's cluster.
    #[inline(always)]
    pub(crate) fn run(&mut self, cpu: CpuId, job: JobId, now: Instant, until: Instant) -> ClusterId {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.job = Occupant::job(job);
        processor.activity = Activity::Executing;
        processor.since = now;
        self.ends.set(cpu, until);
        processor.cluster
    }

    /// Lets the scheduled job execute from now on.
    #[inline(always)]
    pub(crate) fn execute(&mut self, cpu: CpuId, now: Instant, until: Instant) {
        self.begin(cpu, Activity::Executing, now);
        self.ends.set(cpu, until);
    }

    /// Lets the scheduled job, whose end was not taken, execute on until `until`. [`Processors::settle`] follows before
    /// the first end is read.
    #[inline(always)]
    pub(crate) fn execute_on(&mut self, cpu: CpuId, until: Instant) {
        self.ends.set_before_settling(cpu, until);
    }

    /// Sets the end of the processor's activity.
    #[inline(always)]
    pub(crate) fn end_at(&mut self, cpu: CpuId, until: Instant) {
        self.ends.set(cpu, until);
    }

    /// Removes the end of the processor's activity, which is not known.
    pub(crate) fn end_never(&mut self, cpu: CpuId) {
        self.ends.clear(cpu);
    }

    /// Begins an activity of the processor.
    #[inline(always)]
    pub(crate) fn begin(&mut self, cpu: CpuId, activity: Activity, now: Instant) {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.activity = activity;
        processor.since = now;
    }

    /// Makes the processor idle; its job, if any, stays scheduled.
    #[inline]
    pub(crate) fn idle(&mut self, cpu: CpuId) {
        at_mut(&mut self.cpus, cpu.index()).activity = Activity::Idle;
        self.ends.clear(cpu);
    }

    /// Makes a processor idle whose end was taken; its job stays scheduled.
    #[inline(always)]
    pub(crate) fn end(&mut self, cpu: CpuId) {
        at_mut(&mut self.cpus, cpu.index()).activity = Activity::Idle;
    }

    /// Returns the job that executes on `cpu`, and what it has received since the last call; `None` if none executes.
    #[inline(always)]
    pub(crate) fn received(&mut self, cpu: CpuId, now: Instant) -> Option<(JobId, Work)> {
        let processor = at_mut(&mut self.cpus, cpu.index());
        if processor.activity != Activity::Executing {
            return None;
        }
        let received = Work::done_in(now - processor.since);
        processor.since = now;
        Some((processor.job.get().expect("a job executes"), received))
    }

    /// Begins the next step of the scheduled job, and returns the job. Its execution is accounted for when it stops.
    #[inline(always)]
    pub(crate) fn pass(&mut self, cpu: CpuId, now: Instant) -> JobId {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.since = now;
        processor.job.get().expect("a job executes")
    }

    /// Returns the scheduled job, whose end was taken, and the processor's cluster.
    #[inline(always)]
    pub(crate) fn ending(&self, cpu: CpuId) -> (JobId, ClusterId) {
        let processor = at(&self.cpus, cpu.index());
        (processor.job.get().expect("a job executes"), processor.cluster)
    }

    /// Takes the scheduled job, which is done and whose end was taken, off the processor.
    #[inline(always)]
    pub(crate) fn end_job(&mut self, cpu: CpuId) {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.job = Occupant::NOBODY;
        processor.activity = Activity::Idle;
    }

    /// Replaces the scheduled job, which is done and whose end was taken, by another one, which is linked and executes
    /// from now on.
    #[inline(always)]
    pub(crate) fn run_instead(&mut self, cpu: CpuId, job: JobId, now: Instant, until: Instant) {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.job = Occupant::job(job);
        processor.link = Occupant::job(job);
        processor.since = now;
        self.ends.set(cpu, until);
    }

    /// Sets the link of `cpu`. Returns true if it was another one before.
    #[inline(always)]
    pub(crate) fn link(&mut self, cpu: CpuId, link: Occupant) -> bool {
        let known = &mut at_mut(&mut self.cpus, cpu.index()).link;
        let is_new = *known != link;
        if is_new {
            *known = link;
        }
        is_new
    }

    /// Returns the ends of the activities; the functions above change them.
    #[inline(always)]
    pub(crate) fn ends(&self) -> &Ends {
        &self.ends
    }

    /// Takes the end of the lowest processor whose activity ends at `now`, if that is the first end.
    #[inline(always)]
    pub(crate) fn take_end(&mut self, now: Instant) -> Option<CpuId> {
        self.ends.take(now)
    }

    /// Finds the first end, once the instant is over and no end changes any more.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        self.ends.settle();
    }

    /// Returns the processor whose activity ends now, if it is the only one and its job executes. Also returns an
    /// instant that is not after the first end of the others.
    #[inline(always)]
    pub(crate) fn alone_to_end(&self, now: Instant) -> Option<(CpuId, Instant)> {
        self.ends.alone_at(now).filter(|(cpu, _)| self.is_executing(*cpu))
    }

    /// Requests a look of `cpu` at its link.
    #[inline(always)]
    pub(crate) fn look_soon(&mut self, cpu: CpuId) {
        self.looks.insert(cpu);
    }

    /// True if processors have to look at their links.
    #[inline(always)]
    pub(crate) fn are_looks(&self) -> bool {
        !self.looks.is_empty()
    }

    /// Takes the processor that looks at its link next.
    #[inline(always)]
    pub(crate) fn take_look(&mut self) -> Option<CpuId> {
        self.looks.take_first()
    }

    /// Lets `cpu` look again when the job has left the processor where it still is.
    #[cold]
    pub(crate) fn await_job(&mut self, cpu: CpuId, job: JobId) {
        assert_ne!(self.job_on(cpu), Occupant::job(job), "the scheduled job was preempted");
        self.awaited.retain(|(awaited, _)| *awaited != job.task);
        self.awaited.push((job.task, cpu));
    }

    /// Requests the look of the processor that waits for the job, which has left its processor.
    #[inline(always)]
    pub(crate) fn end_await(&mut self, job: JobId) {
        if !self.awaited.is_empty() {
            self.end_await_of(job);
        }
    }

    fn end_await_of(&mut self, job: JobId) {
        if let Some(index) = self.awaited.iter().position(|(awaited, _)| *awaited == job.task) {
            let (_, waiting) = self.awaited.swap_remove(index);
            self.look_soon(waiting);
        }
    }
}
