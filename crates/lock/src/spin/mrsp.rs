//! MrsP: the multiprocessor resource sharing protocol, in which those that spin help the holder.
//!
//! A. Burns and A. J. Wellings, "A schedulability compatible multiprocessor resource sharing protocol - MrsP", ECRTS
//! 2013. A job that asks for a global resource is at once as urgent as the resource's ceiling on its own processor, and
//! spins there, first come, first served; more urgent jobs preempt it. A holder that was preempted goes on in the place
//! of one that spins for the resource and has its processor: it moves there with that one's priority, and that one
//! stands back. It goes home before anything below its ceiling executes there, as it is active with that priority all
//! the time: or else that processor could issue a second request. The resources of one processor follow the immediate
//! ceiling rule there.
//!
//! B holds the resource, and C, on P1, spins for it, when A preempts B at 2. B goes on in C's place, and returns to P0
//! when it releases the resource at 4:
//!
//! ```text
//! P0  BBAAAAB...
//! P1  .CBBCCC...   C spins during [1, 2), helps until 4, and holds during [4, 6)
//! ```
//!
//! In the model, a request and a release of a global resource take O(n + w) for n tasks and w waiting jobs. Each
//! job that gets or loses a processor takes O(r (n + w)) for r resources, since a preempted holder may need the
//! place. A request waits for one section of each other processor at most: O(m) on m processors.

use crate::contract::{
    Ceilings, Effect, GrantOrder, LockError, LockProtocol, LockSetup, Nesting, OnLinux, Preemption, Protocol,
    Reach, Reply, Section, Turn, Waiting,
};
use crate::shared::mutexes::Mutexes;
use crate::shared::scoped::Scoped;
use crate::shared::wait_queue::Fifo;
use crate::uniprocessor::ipcp::Ipcp;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{
    Band, ClusterId, Event, JobId, JobState, Jobs, LockingClass, Priority, ResourceId, TaskId,
};

/// Entry of "mrsp" in the list of protocols.
pub(crate) const MRSP: Protocol = Protocol {
    name: "mrsp",
    summary: "spinning at local ceilings, helping preempted holders (Burns, Wellings 2013)",
    waiting: Waiting::Spins,
    reach: Reach::Partitioned,
    ceilings: Ceilings::Priorities,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Ceiling,
    nesting: Nesting::Local,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::Mrsp,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Mrsp::new(setup)?)),
};

/// Spinning at the local ceiling, with help for preempted holders.
#[derive(Clone, Debug)]
pub(crate) struct Helping {
    /// By resource and cluster: the priority of its most urgent user there.
    ceiling: Vec<Vec<Option<Priority>>>,
    mutexes: Mutexes<Fifo>,
    /// By resource: whether its holder is ready, and does not have a processor.
    is_stranded: Vec<bool>,
    /// By resource: the job that stands back for its holder.
    helper: Vec<Option<JobId>>,
}

/// Helping between processors, immediate ceilings within each.
pub(crate) type Mrsp = Scoped<Ipcp, Helping>;

impl Mrsp {
    /// Needs partitions, fixed priorities, resources of one unit, global ones without nesting, and no suspension in
    /// sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_partitions("MrsP")?;
        let local = Ipcp::for_locals(setup, "MrsP")?;
        Scoped::of(local, Helping::new(setup)?, setup, "MrsP")
    }
}

impl Helping {
    fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let (usage, priorities) = (setup.usage()?, setup.fixed_priorities("MrsP")?);
        let highest = |needs: &[(TaskId, u32)], cluster: ClusterId| {
            let here = needs.iter().filter(|(task, _)| setup.tasks[task.index()].cluster == cluster);
            here.map(|(task, _)| priorities[task.index()]).reduce(Priority::higher_of)
        };
        let clusters = setup.platform.clusters.len() as u16;
        let by_cluster =
            |needs: &[(TaskId, u32)]| (0..clusters).map(|index| highest(needs, ClusterId(index))).collect();
        let count = setup.resources.len();
        Ok(Helping {
            ceiling: usage.users.iter().map(|users| by_cluster(&users.needs)).collect(),
            mutexes: Mutexes::new(count, setup.tasks.len()),
            is_stranded: vec![false; count],
            helper: vec![None; count],
        })
    }

    /// Raises `job`, which holds `mutex` or spins for it, to the ceiling on `cluster`.
    fn raise(&self, job: JobId, mutex: usize, cluster: ClusterId, turn: &mut Turn<'_>) {
        let ceiling = self.ceiling[mutex][cluster.index()].expect("it has a user there");
        turn.set_priority(job, ceiling);
    }

    /// Lets the job that stood back for the holder of `mutex` spin again.
    fn dismiss(&mut self, mutex: usize, turn: &mut Turn<'_>) {
        if let Some(helper) = self.helper[mutex].take() {
            self.raise(helper, mutex, turn.jobs.get(helper).cluster, turn);
        }
    }

    /// True if nothing on the processor of `holder` itself is more urgent than the ceiling of `mutex` there.
    fn is_home_free(&self, mutex: usize, holder: JobId, jobs: &Jobs) -> bool {
        let home = jobs.task(holder.task).cluster;
        let ceiling = self.ceiling[mutex][home.index()].expect("it has a user there");
        if self.mutexes.waiters(mutex).any(|other| jobs.task(other.task).cluster == home) {
            return false; // It is as urgent, and lends its place.
        }
        let mut ready = jobs.live().filter(|other| other.state == JobState::Ready && other.id != holder);
        !ready.any(|other| other.cluster == home && other.effective.is_higher_than(ceiling))
    }

    /// Finds a processor for the holder of `mutex`: its own if that is free for it, or that of a job that spins there.
    fn assist(&mut self, mutex: usize, turn: &mut Turn<'_>) {
        let holder = self.mutexes.holder(mutex).expect("its holder is stranded");
        let former = self.helper[mutex];
        let jobs = turn.jobs;
        let has_cpu = |job: &JobId| jobs.get(*job).scheduled_on.is_some() && Some(*job) != former;
        let helper = match self.is_home_free(mutex, holder, jobs) {
            true => None,
            false => self.mutexes.waiters(mutex).find(has_cpu),
        };
        let place = helper.map_or(jobs.task(holder.task).cluster, |helper| jobs.get(helper).cluster);
        self.dismiss(mutex, turn);
        // Not yet dispatched where it goes: someone else may take that place.
        self.is_stranded[mutex] = true;
        self.helper[mutex] = helper;
        if helper.is_some() || jobs.get(holder).cluster != place {
            self.raise(holder, mutex, place, turn);
            turn.out.push(Effect::Move(holder, place));
        }
        if let Some(helper) = helper {
            let last = Priority::in_band(Band::Background, 0, helper);
            turn.set_priority(helper, last);
        }
    }

    /// Hands `mutex` over to the next job, which may have been preempted while it spun.
    fn hand_over(&mut self, mutex: usize, turn: &mut Turn<'_>) {
        // The holder leaves the place of the job that lent it.
        let has_cpu_again = self.helper[mutex];
        self.dismiss(mutex, turn);
        self.is_stranded[mutex] = false;
        if let Some(next) = self.mutexes.hand_over(mutex, turn.jobs) {
            turn.out.push(Effect::Grant(next, ResourceId(mutex as u32)));
            self.is_stranded[mutex] = turn.jobs.get(next).scheduled_on.is_none();
            if self.is_stranded[mutex] && has_cpu_again != Some(next) {
                self.assist(mutex, turn);
            }
        }
    }

    /// Handles that `job` lost its processor, or got one, which a stranded holder may need.
    fn moved(&mut self, job: JobId, has_cpu: bool, turn: &mut Turn<'_>) {
        let jobs = turn.jobs;
        for mutex in 0..self.mutexes.len() {
            let Some(holder) = self.mutexes.holder(mutex) else { continue };
            if holder == job {
                self.is_stranded[mutex] = !has_cpu;
            }
            let (place, home) = (jobs.get(holder).cluster, jobs.task(holder.task).cluster);
            let left_home = holder != job && jobs.get(job).cluster == home;
            if place != home && left_home && self.is_home_free(mutex, holder, jobs) {
                self.assist(mutex, turn);
                continue;
            }
            if self.helper[mutex].is_some_and(|helper| jobs.get(helper).cluster != place) {
                continue; // The holder is on its way there.
            }
            let is_rival = place == jobs.get(job).cluster;
            let concerns = is_rival || self.mutexes.waiters(mutex).any(|other| other == job);
            if self.is_stranded[mutex] && concerns && (has_cpu || holder == job) {
                self.assist(mutex, turn);
            }
        }
    }

    fn withdraw(&mut self, job: JobId, turn: &mut Turn<'_>) {
        self.mutexes.withdraw(job, turn.jobs);
        for mutex in 0..self.mutexes.len() {
            if self.helper[mutex] == Some(job) {
                self.helper[mutex] = None;
            }
            if self.mutexes.holder(mutex) == Some(job) {
                self.hand_over(mutex, turn);
            }
        }
        turn.out.push(Effect::Move(job, turn.jobs.task(job.task).cluster));
    }
}

impl LockProtocol for Helping {
    fn request(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) -> Reply {
        let mutex = resource.index();
        self.raise(job, mutex, turn.jobs.get(job).cluster, turn);
        if self.mutexes.try_take(mutex, job) {
            return Reply::Granted;
        }
        self.mutexes.wait(mutex, job);
        if self.is_stranded[mutex] {
            self.assist(mutex, turn);
        }
        Reply::Spin
    }

    fn release(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) {
        turn.restore(job);
        turn.go_home(job);
        self.hand_over(resource.index(), turn);
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        match event {
            Event::Undispatched { job, .. } => self.moved(job, false, turn),
            Event::Dispatched { job, .. } => self.moved(job, true, turn),
            Event::Completed(job) | Event::Suspended(job) => self.moved(job, false, turn),
            Event::Aborted(job) => {
                self.withdraw(job, turn);
                self.moved(job, false, turn);
            }
            Event::Ready(_)
            | Event::Resumed(_)
            | Event::PriorityChanged(_)
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }
}
