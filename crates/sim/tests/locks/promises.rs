//! What each protocol promises, held against a trace from the definitions.

mod counts;
mod urgency;

use crate::locks::groups::groups;
use schedlab_lock::{GrantOrder, Preemption, Protocol, Waiting};
use schedlab_model::*;
use schedlab_trace::{Record, SuspendReason, Timeline};
use std::collections::{BTreeMap, BTreeSet};

/// A request that is not granted.
#[derive(Clone, Copy, Debug)]
struct Wait {
    resource: ResourceId,
    units: u32,
    since: Instant,
    /// Counts requests over the whole trace.
    turn: usize,
    /// It is in the queue; under the clustered OMLP, its job may have to wait to ask.
    is_issued: bool,
    /// How many writers have released the resource meanwhile.
    writers: u32,
}

#[derive(Clone, Debug)]
struct Seen {
    base: Priority,
    effective: Priority,
    cluster: ClusterId,
    cpu: Option<CpuId>,
    is_ready: bool,
    np: u32,
    /// What it holds, in units, and when it asked.
    holds: Vec<(ResourceId, u32, Instant)>,
    waits: Option<Wait>,
    asked: Option<(ResourceId, u32, Instant)>,
}

/// A system, and the protocol that a trace of it is held against.
pub struct Promises<'a> {
    pub protocol: &'a Protocol,
    pub tasks: &'a [Task],
    pub resources: &'a [Resource],
    pub is_local: Vec<bool>,
    pub processors: usize,
    processors_of: Vec<usize>,
    /// By resource: the lowest of those that have one lock with it.
    group: Vec<usize>,
    pub are_partitions: bool,
    /// Jobs are given up at their deadlines.
    pub aborts: bool,
    /// Decisions take no time.
    pub is_ideal: bool,
    /// By task: its longest wait for one request, and the sum of a job's waits, in all that was checked.
    pub longest_wait: Vec<u64>,
    jobs: BTreeMap<JobId, Seen>,
    now: Instant,
    turns: usize,
    /// How often a job had to wait.
    pub waits: usize,
    /// By resource: who stands in the OMLP's line, and who in its queue.
    lines: BTreeMap<usize, (Vec<JobId>, Vec<JobId>)>,
}

impl<'a> Promises<'a> {
    pub fn new(
        protocol: &'a Protocol,
        tasks: &'a [Task],
        resources: &'a [Resource],
        platform: &Platform,
    ) -> Self {
        let users = |resource: usize| {
            let uses = move |task: &&Task| {
                task.program.iter().any(|step| matches!(step, Step::Request(r, _) if r.index() == resource))
            };
            let clusters: BTreeSet<u16> = tasks.iter().filter(uses).map(|task| task.cluster.0).collect();
            clusters.len() <= 1
        };
        let are_partitions = platform.clusters.iter().all(|cluster| cluster.cpus.len() == 1);
        Promises {
            protocol,
            tasks,
            resources,
            is_local: (0..resources.len()).map(|r| are_partitions && users(r)).collect(),
            processors: platform.processors().into(),
            processors_of: platform.clusters.iter().map(|cluster| cluster.cpus.len()).collect(),
            group: groups(protocol, tasks, resources.len()),
            are_partitions,
            aborts: false,
            is_ideal: true,
            longest_wait: vec![0; tasks.len()],
            jobs: BTreeMap::new(),
            now: Instant::ZERO,
            turns: 0,
            waits: 0,
            lines: BTreeMap::new(),
        }
    }

    /// Panics at the first broken promise.
    pub fn check(mut self, timeline: &Timeline) -> Self {
        for (at, record) in &timeline.records {
            if *at > self.now {
                self.waiters_wait_for_holders();
                self.time_passes();
                self.now = *at;
            }
            self.note(record);
        }
        if self.protocol.deadlock_free {
            assert!(self.jobs.is_empty(), "{:?} never end", self.jobs.keys());
        }
        self
    }

    fn name(&self) -> &'static str {
        self.protocol.name
    }

    fn job(&mut self, job: JobId) -> &mut Seen {
        self.jobs.get_mut(&job).unwrap_or_else(|| panic!("{job} is not there"))
    }

    /// True if the protocol's own rules are for this resource, not those for local ones.
    fn is_its_own(&self, resource: ResourceId) -> bool {
        !self.is_local[resource.index()]
            || !matches!(self.name(), "msrp" | "mpcp" | "mpcp-all" | "mrsp" | "dpcp" | "fmlp" | "fmlp-long")
                && !self.name().starts_with("spin-")
    }

    /// True if who is preempted while it spins asks anew.
    fn asks_anew(&self) -> bool {
        self.protocol.preemption == Preemption::NeverOnceHeld
    }

    fn holds_its_own(&self, seen: &Seen) -> bool {
        seen.holds.iter().any(|(resource, ..)| self.is_its_own(*resource))
    }

    fn note(&mut self, record: &Record) {
        match *record {
            Record::Ready { job, priority, cluster } => {
                assert_eq!(cluster, self.tasks[job.task.index()].cluster, "{job} begins elsewhere");
                let seen = Seen {
                    base: priority,
                    effective: priority,
                    cluster,
                    cpu: None,
                    is_ready: true,
                    np: 0,
                    holds: Vec::new(),
                    waits: None,
                    asked: None,
                };
                self.jobs.insert(job, seen);
            }
            Record::Priority { job, priority } => self.job(job).effective = priority,
            Record::Move { job, cluster } => {
                if let Some(seen) = self.jobs.get_mut(&job) {
                    seen.cluster = cluster;
                }
            }
            Record::NpEnter { job } => self.job(job).np += 1,
            Record::NpExit { job } => self.job(job).np -= 1,
            Record::Dispatch { cpu, job } => {
                self.turns += 1;
                let (turn, asks_anew) = (self.turns, self.asks_anew());
                let seen = self.job(job);
                seen.cpu = Some(cpu);
                if let Some(wait) = seen.waits.as_mut().filter(|_| asks_anew) {
                    wait.turn = turn;
                }
            }
            Record::Preempt { job, .. } => self.preempt(job),
            Record::Suspend { job, reason } => self.suspend(job, reason),
            Record::Resume { job } => {
                self.job(job).is_ready = true;
                self.job(job).waits = None;
            }
            Record::Request { job, resource, units } => {
                self.turns += 1;
                self.job(job).asked = Some((resource, units, self.now));
            }
            Record::Spin { job, .. } => self.wait(job, true),
            Record::Acquire { job, resource, units } => self.acquire(job, resource, units),
            Record::Release { job, resource, units } => self.release(job, resource, units),
            Record::Complete { job } => {
                assert!(self.job(job).holds.is_empty(), "{job} completes and holds");
                self.jobs.remove(&job);
            }
            Record::Abort { job } => self.abort(job),
            _ => {}
        }
    }

    fn preempt(&mut self, job: JobId) {
        let seen = self.jobs[&job].clone();
        self.job(job).cpu = None;
        let waits = seen.waits.is_some_and(|wait| self.is_its_own(wait.resource));
        let holds = self.holds_its_own(&seen);
        if self.protocol.preemption == Preemption::Never {
            assert!(!holds && !waits, "{job} is preempted while it holds or spins");
        }
        if self.protocol.preemption == Preemption::NeverOnceHeld
            || (self.name() == "fmlp-long" && self.are_partitions)
        {
            assert!(!holds, "{job} is preempted while it holds");
        }
    }

    fn suspend(&mut self, job: JobId, reason: SuspendReason) {
        self.job(job).cpu = None;
        self.job(job).is_ready = false;
        if let SuspendReason::Resource(_) = reason {
            assert_ne!(self.protocol.waiting, Waiting::Never, "{job} has to wait");
            self.wait(job, false);
        }
    }

    fn wait(&mut self, job: JobId, spins: bool) {
        let (resource, units, since) = self.job(job).asked.take().expect("it asked");
        let turn = self.turns;
        assert!(!(spins && self.protocol.waiting == Waiting::Suspends), "{job} spins");
        assert!(spins || self.protocol.waiting != Waiting::Spins, "{job} suspends itself");
        self.waits += 1;
        let is_issued = self.name() != "omlp-clustered" || self.may_certainly_ask(job);
        self.job(job).waits = Some(Wait { resource, units, since, turn, is_issued, writers: 0 });
        let room = self.processors;
        let (line, queue) = self.lines.entry(self.group[resource.index()]).or_default();
        if line.len() < room {
            line.push(job)
        } else {
            queue.push(job)
        }
    }

    fn acquire(&mut self, job: JobId, resource: ResourceId, units: u32) {
        let seen = self.jobs[&job].clone();
        if let Some(wait) = seen.waits {
            self.granted_in_order(job, &seen, wait);
            let longest = &mut self.longest_wait[job.task.index()];
            *longest = (*longest).max((self.now - wait.since).as_ns());
            if self.protocol.grants == GrantOrder::Phases && units == 1 {
                assert!(wait.writers <= 1, "{job} reads after {} writers", wait.writers);
            }
        } else if seen.holds.is_empty() {
            self.lines.entry(self.group[resource.index()]).or_default().0.push(job);
        }
        let asked_at = seen.waits.map(|wait| wait.since).or(seen.asked.map(|asked| asked.2));
        if matches!(self.name(), "pcp" | "dpcp") {
            self.is_above_ceilings(job, &seen, resource);
        }
        self.job(job).holds.push((resource, units, asked_at.expect("it asked")));
        self.job(job).waits = None;
        self.job(job).asked = None;
        let held = self.jobs.values().flat_map(|seen| &seen.holds).filter(|held| held.0 == resource);
        let sum: u32 = held.map(|held| held.1).sum();
        assert!(sum <= self.resources[resource.index()].units, "{sum} units of {resource} are held");
    }

    /// PCP and DPCP: the job is more urgent than every user of what others hold on the same processor; the boosted
    /// among themselves.
    fn is_above_ceilings(&self, job: JobId, seen: &Seen, wanted: ResourceId) {
        let is_local = |resource: ResourceId| self.is_local[resource.index()];
        let others = self.jobs.iter().filter(|(other, its)| **other != job && its.cluster == seen.cluster);
        let held = others.flat_map(|(_, its)| its.holds.iter().map(|held| held.0));
        for resource in held.filter(|resource| is_local(*resource) == is_local(wanted)) {
            for (index, task) in self.tasks.iter().enumerate() {
                let uses = |step: &Step| matches!(step, Step::Request(r, _) if *r == resource);
                let user = Priority::new(task.fixed_priority.into(), JobId::new(TaskId(index as u32), 0));
                let own = if is_local(wanted) { seen.effective } else { seen.base };
                let is_below = task.program.iter().any(uses) && !own.is_higher_than(user);
                assert!(!is_below, "{job} is granted {wanted} below the ceiling of {resource}");
            }
        }
    }

    /// Who waits for the same as `job`, but `job`.
    fn rivals(&self, job: JobId, resource: ResourceId) -> impl Iterator<Item = (JobId, &Seen, Wait)> {
        let others = self.jobs.iter().filter(move |(other, _)| **other != job);
        others.filter_map(|(other, seen)| seen.waits.map(|wait| (*other, seen, wait))).filter(
            move |(.., wait)| {
                wait.is_issued && self.group[wait.resource.index()] == self.group[resource.index()]
            },
        )
    }

    /// Clustered OMLP: `job` is among the most urgent pending jobs of its cluster, and none needs a donor.
    fn may_certainly_ask(&self, job: JobId) -> bool {
        let cluster = self.jobs[&job].cluster;
        let here = || self.jobs.iter().filter(move |(_, seen)| seen.cluster == cluster);
        let above = |base: Priority| here().filter(|(_, other)| other.base.is_higher_than(base)).count();
        let is_low = |seen: &Seen| above(seen.base) >= self.processors_of[cluster.index()];
        let asks = |seen: &Seen| !seen.holds.is_empty() || seen.waits.is_some();
        !is_low(&self.jobs[&job]) && !here().any(|(_, seen)| is_low(seen) && asks(seen))
    }

    /// Where the schedule picks who gets a resource, no job is kept from asking for one that is free.
    fn waiters_wait_for_holders(&self) {
        if self.protocol.grants != GrantOrder::BySchedule {
            return;
        }
        for (job, seen) in self.jobs.iter().filter(|(_, seen)| !seen.is_ready) {
            let Some(wait) = seen.waits else { continue };
            let is_held = |seen: &Seen| seen.holds.iter().any(|held| held.0 == wait.resource);
            assert!(self.jobs.values().any(is_held), "{job} waits for {}, which is free", wait.resource);
        }
    }

    fn granted_in_order(&mut self, job: JobId, seen: &Seen, wait: Wait) {
        if !self.is_its_own(wait.resource) {
            return;
        }
        let order = self.protocol.grants;
        assert!(!self.asks_anew() || seen.cpu.is_some(), "{job} is granted what it does not ask for now");
        for (other, rival, its) in self.rivals(job, wait.resource) {
            if self.asks_anew() && rival.cpu.is_none() {
                continue;
            }
            let is_first = match order {
                GrantOrder::Fifo | GrantOrder::FifoOfScheduled => wait.turn < its.turn,
                GrantOrder::ByBase | GrantOrder::ByBaseOfScheduled => seen.base.is_higher_than(rival.base),
                GrantOrder::ByEffective => !rival.effective.is_higher_than(seen.effective),
                GrantOrder::Phases => wait.units != its.units || wait.units == 1 || wait.turn < its.turn,
                // Who has a token is granted in order; the tokens' order is the tests' business elsewhere.
                GrantOrder::FifoOnceAdmitted => self.name() != "omlp-clustered" || wait.turn < its.turn,
                GrantOrder::FifoThenBase | GrantOrder::None | GrantOrder::Any | GrantOrder::BySchedule => {
                    true
                }
            };
            assert!(is_first, "{job} is granted {} before {other}", wait.resource);
        }
        if self.name() == "omlp" {
            let (line, _) = &self.lines[&self.group[wait.resource.index()]];
            assert_eq!(line.first(), Some(&job), "{job} is not first in line");
        }
    }

    fn release(&mut self, job: JobId, resource: ResourceId, units: u32) {
        let last = self.job(job).holds.pop().map(|(resource, units, _)| (resource, units));
        assert_eq!(last, Some((resource, units)), "{job} releases what it does not hold");
        if units == self.resources[resource.index()].units {
            for seen in self.jobs.values_mut() {
                if let Some(wait) = seen.waits.as_mut().filter(|wait| wait.resource == resource) {
                    wait.writers += 1;
                }
            }
        }
        if self.job(job).holds.is_empty() {
            self.leave_line(job, self.group[resource.index()]);
        }
    }

    /// The OMLP's line closes up, and the highest base priority of the queue joins it.
    fn leave_line(&mut self, job: JobId, group: usize) {
        if self.name() != "omlp" {
            return;
        }
        let (jobs, room) = (&self.jobs, self.processors);
        let (line, queue) = self.lines.entry(group).or_default();
        line.retain(|other| *other != job);
        queue.retain(|other| *other != job);
        queue.sort_by_key(|other| jobs[other].base.key());
        if line.len() < room && !queue.is_empty() {
            line.push(queue.remove(0));
        }
    }

    fn abort(&mut self, job: JobId) {
        (0..self.resources.len()).for_each(|group| self.leave_line(job, group));
        self.jobs.remove(&job);
    }
}
