//! Processors: which job occupies each, what that job receives, until when, and which processors have to look at their
//! links.

use crate::ends::Ends;
use crate::looks::Looks;
use schedlab_model::{
    at, at_mut, ClusterId, CpuId, Instant, JobId, Occupant, OverheadKind, Platform, TaskId, Work,
};

/// What a processor is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Nothing: no job is scheduled here, or the one that is has nothing to do at this instant.
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
    /// Which job occupies it, whether or not it executes right now.
    job: Occupant,
    /// The last recorded link.
    link: Occupant,
    /// Since when the activity goes on.
    since: Instant,
    activity: Activity,
    cluster: ClusterId,
}

/// All processors. Looks are counted where looking costs something.
#[derive(Default)]
pub(crate) struct Processors<const COUNTED: bool> {
    cpus: Vec<Cpu>,
    /// When what occupies each ends.
    ends: Ends,
    /// Those that look at their links soon.
    looks: Looks<COUNTED>,
    /// Tasks whose job another processor has to let go of, and the processor that waits for it: one for each task.
    awaited: Vec<(TaskId, CpuId)>,
}

impl<const COUNTED: bool> Processors<COUNTED> {
    /// Those of `platform`, all idle, in the memory of these.
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

    /// The same memory, of processors whose looks are counted.
    pub(crate) fn counted(self) -> Processors<true> {
        let Processors { cpus, ends, looks, awaited } = self;
        Processors { cpus, ends, looks: looks.renewed(0), awaited }
    }

    /// All of them.
    pub(crate) fn ids(&self) -> impl Iterator<Item = CpuId> {
        (0..self.cpus.len() as u16).map(CpuId)
    }

    #[inline(always)]
    pub(crate) fn cluster_of(&self, cpu: CpuId) -> ClusterId {
        at(&self.cpus, cpu.index()).cluster
    }

    /// Which job occupies `cpu`.
    #[inline(always)]
    pub(crate) fn job_on(&self, cpu: CpuId) -> Occupant {
        at(&self.cpus, cpu.index()).job
    }

    /// The same where there is one.
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

    /// True if the job executes there, and is linked there since the last decision.
    #[inline(always)]
    pub(crate) fn executes_where_linked(&self, cpu: CpuId, job: JobId) -> bool {
        let processor = at(&self.cpus, cpu.index());
        processor.activity == Activity::Executing && processor.link == Occupant::job(job)
    }

    /// True if an overhead occupies it.
    #[inline(always)]
    pub(crate) fn is_in_overhead(&self, cpu: CpuId) -> bool {
        matches!(self.activity(cpu), Activity::Overhead(_))
    }

    /// The job begins to occupy the processor.
    #[inline(always)]
    pub(crate) fn occupy(&mut self, cpu: CpuId, job: JobId) {
        at_mut(&mut self.cpus, cpu.index()).job = Occupant::job(job);
    }

    /// The job lets go of the processor, which is idle then, unless an overhead occupies it. The processor's cluster.
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

    /// The job begins to occupy the processor and receives service from now on: the processor's cluster.
    #[inline(always)]
    pub(crate) fn run(&mut self, cpu: CpuId, job: JobId, now: Instant, until: Instant) -> ClusterId {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.job = Occupant::job(job);
        processor.activity = Activity::Executing;
        processor.since = now;
        self.ends.set(cpu, until);
        processor.cluster
    }

    /// The scheduled job receives service from now on.
    #[inline(always)]
    pub(crate) fn execute(&mut self, cpu: CpuId, now: Instant, until: Instant) {
        self.begin(cpu, Activity::Executing, now);
        self.ends.set(cpu, until);
    }

    /// The scheduled job, whose end was not taken, receives service on, until then. [`Processors::settle`] follows
    /// before the first end is asked for.
    #[inline(always)]
    pub(crate) fn execute_on(&mut self, cpu: CpuId, until: Instant) {
        self.ends.set_before_settling(cpu, until);
    }

    /// What the processor does ends then.
    #[inline(always)]
    pub(crate) fn end_at(&mut self, cpu: CpuId, until: Instant) {
        self.ends.set(cpu, until);
    }

    /// What the processor does has no end that is known.
    pub(crate) fn end_never(&mut self, cpu: CpuId) {
        self.ends.clear(cpu);
    }

    /// The processor does this from now on.
    #[inline(always)]
    pub(crate) fn begin(&mut self, cpu: CpuId, activity: Activity, now: Instant) {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.activity = activity;
        processor.since = now;
    }

    /// The processor does nothing from now on; its job, if any, stays scheduled.
    #[inline]
    pub(crate) fn idle(&mut self, cpu: CpuId) {
        at_mut(&mut self.cpus, cpu.index()).activity = Activity::Idle;
        self.ends.clear(cpu);
    }

    /// The same of one whose end was taken.
    #[inline(always)]
    pub(crate) fn end(&mut self, cpu: CpuId) {
        at_mut(&mut self.cpus, cpu.index()).activity = Activity::Idle;
    }

    /// If the scheduled job executes: which job, and what it has received since this was asked last.
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

    /// The scheduled job has executed a step of its, and begins the next one: which job that is. What it has received
    /// is accounted for when it stops.
    #[inline(always)]
    pub(crate) fn pass(&mut self, cpu: CpuId, now: Instant) -> JobId {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.since = now;
        processor.job.get().expect("a job executes")
    }

    /// The scheduled job, whose end was taken, and the processor's cluster.
    #[inline(always)]
    pub(crate) fn ending(&self, cpu: CpuId) -> (JobId, ClusterId) {
        let processor = at(&self.cpus, cpu.index());
        (processor.job.get().expect("a job executes"), processor.cluster)
    }

    /// The scheduled job, whose end was taken, is done.
    #[inline(always)]
    pub(crate) fn end_job(&mut self, cpu: CpuId) {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.job = Occupant::NOBODY;
        processor.activity = Activity::Idle;
    }

    /// The scheduled job, whose end was taken, is done. Another one is linked, occupies the processor instead of it,
    /// and receives service from now on.
    #[inline(always)]
    pub(crate) fn run_instead(&mut self, cpu: CpuId, job: JobId, now: Instant, until: Instant) {
        let processor = at_mut(&mut self.cpus, cpu.index());
        processor.job = Occupant::job(job);
        processor.link = Occupant::job(job);
        processor.since = now;
        self.ends.set(cpu, until);
    }

    /// `cpu` is linked to this job: true if it was to another before.
    #[inline(always)]
    pub(crate) fn link(&mut self, cpu: CpuId, link: Occupant) -> bool {
        let known = &mut at_mut(&mut self.cpus, cpu.index()).link;
        let is_new = *known != link;
        if is_new {
            *known = link;
        }
        is_new
    }

    /// When what each does ends: its changes are those above.
    #[inline(always)]
    pub(crate) fn ends(&self) -> &Ends {
        &self.ends
    }

    /// Takes the end of the lowest processor whose activity ends at that instant, if it is the first one.
    #[inline(always)]
    pub(crate) fn take_end(&mut self, now: Instant) -> Option<CpuId> {
        self.ends.take(now)
    }

    /// The instant is over: no end changes any more.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        self.ends.settle();
    }

    /// The one processor whose activity ends now, if it is one alone, and its job executes. Beside it an instant before
    /// which no other activity ends: not after the first one of the others.
    #[inline(always)]
    pub(crate) fn alone_to_end(&self, now: Instant) -> Option<(CpuId, Instant)> {
        self.ends.alone_at(now).filter(|(cpu, _)| self.is_executing(*cpu))
    }

    /// `cpu` has to look at its link.
    #[inline(always)]
    pub(crate) fn look_soon(&mut self, cpu: CpuId) {
        self.looks.insert(cpu);
    }

    /// True if processors have to look at their links.
    #[inline(always)]
    pub(crate) fn are_looks(&self) -> bool {
        !self.looks.is_empty()
    }

    /// The processor that looks at its link next.
    #[inline(always)]
    pub(crate) fn take_look(&mut self) -> Option<CpuId> {
        self.looks.take_first()
    }

    /// `cpu` looks again when the job has left the processor where it still is.
    #[cold]
    pub(crate) fn await_job(&mut self, cpu: CpuId, job: JobId) {
        assert_ne!(self.job_on(cpu), Occupant::job(job), "the scheduled job was preempted");
        self.awaited.retain(|(awaited, _)| *awaited != job.task);
        self.awaited.push((job.task, cpu));
    }

    /// The job has left its processor: the one that waits for it looks again.
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
