//! A recording as a trace of schedlab: which thread ran where, when it was woken, and which thread took its place.
//!
//! Every thread is a task of the trace, whatever its releases are like, and each processor is a cluster: a thread that
//! waits in its queue is kept waiting by the thread that runs there. What Linux does is what it decides, so that links
//! follow its switches. Jobs of which something is missed are given up where it is missed, and a record says that
//! others are missing there.

use crate::classes::classes;
use crate::event::Urgency;
use crate::figures::Examined;
use crate::period::Pattern;
use crate::recording::printable;
use crate::scenario::{unique, LONGEST};
use crate::threads::{sweep, Fact, Life};
use crate::unit::StampUnit;
use schedlab_model::{ClusterId, CpuId, Duration, Instant, JobId, Priority, ResourceId, TaskId, Work};
use schedlab_policy::{self as policy, Scope, EDF};
use schedlab_scenario::{
    Arrival, PlatformSpec, ResourceSpec, Scenario, SchedulerSpec, TaskSpec, UrgentPriority, Wcets,
};
use schedlab_trace::{Backend, Header, Record, Sink, SuspendReason};
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of threads in a trace: those that ran longest.
const MOST_THREADS: usize = 1_000;

/// Remark in the scenario of a trace.
const OF_THREADS: &str =
    "This scenario describes the threads of a recording, for those who read its trace: deadlines are the next releases where a \
     period was seen, and else the end of the recording. The scenario to analyse is the other file of `schedlab observe`.";

/// The threads of a recording as tasks of a trace.
#[derive(Debug)]
pub struct Tasks {
    /// By life: the task of the thread.
    of: Vec<Option<TaskId>>,
    /// By task: its relative deadline, if its period was seen.
    deadlines: Vec<Option<Duration>>,
    /// By life of a holder: the mutex that others wanted from it.
    mutexes: BTreeMap<usize, ResourceId>,
    /// The machine's numbers of the processors.
    cpus: Vec<u16>,
    scenario: Scenario,
    /// Number of threads that are left out.
    pub left_out: usize,
}

impl Examined {
    /// Makes the threads that ran tasks of a trace. There is none without times, of more than a year, or if no thread
    /// ran.
    pub fn tasks(&self, file: &str) -> Option<Tasks> {
        if self.stamp_unit() != StampUnit::Time || self.recording.end - self.recording.begin > LONGEST {
            return None;
        }
        let cpus: Vec<u16> = self.recording.seen().into_iter().collect();
        let mut ran: Vec<(usize, &Life)> = self
            .swept
            .lives
            .iter()
            .enumerate()
            .filter(|(_, life)| life.switches_in + life.partial_runs > 0)
            .collect();
        ran.sort_by_key(|(place, life)| (std::cmp::Reverse(life.run), *place));
        if ran.is_empty() {
            return None;
        }
        let left_out = ran.len().saturating_sub(MOST_THREADS);
        ran.truncate(MOST_THREADS);
        // By names, the regular threads first: two recordings of a program have the same tasks then.
        let is_regular = |place: usize| self.figures[place].period().is_some();
        ran.sort_by_cached_key(|(place, life)| (!is_regular(*place), self.name(life), life.pid, *place));
        let length = (self.recording.end - self.recording.begin).max(1);
        let mut names = BTreeSet::new();
        let (mut of, mut deadlines) = (vec![None; self.swept.lives.len()], Vec::new());
        let mut specs = Vec::new();
        for (place, life) in ran {
            of[place] = Some(TaskId(specs.len() as u32));
            let (spec, deadline) =
                self.task_of(place, life, unique(&mut names, &self.name(life)), &cpus, length);
            specs.push(spec);
            deadlines.push(deadline);
        }
        let holders: BTreeSet<usize> =
            self.swept.lives.iter().flat_map(|life| life.waits.keys().copied()).collect();
        let mutexes: BTreeMap<usize, ResourceId> = holders.into_iter().zip((0..).map(ResourceId)).collect();
        let mutex = |holder: &usize| {
            let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            format!(
                "mutex_of_{}",
                self.name(&self.swept.lives[*holder]).chars().map(word).collect::<String>()
            )
        };
        let mut names = BTreeSet::new();
        let resources =
            mutexes.keys().map(|holder| ResourceSpec::new(unique(&mut names, &mutex(holder)))).collect();
        let file = printable(file);
        let mut scenario = Scenario::new(specs);
        scenario.title = format!("Recorded: {file}");
        scenario.source = format!("all threads of the kernel trace {file}");
        scenario.notes = OF_THREADS.to_owned();
        scenario.wcets = Wcets::Observed;
        scenario.resources = resources;
        // A damaged stamp may lie far beyond the others; jobs have numbers of 32 bits.
        let shortest = scenario.tasks.iter().map(|task| task.period.as_ns()).min().unwrap_or(length);
        scenario.horizon = Instant::from_ns(length.min(shortest.saturating_mul(u64::from(u32::MAX) - 1)));
        scenario.platform = PlatformSpec { processors: cpus.len().max(1) as u16, ..PlatformSpec::default() };
        let name = policy::Scheduler::of_order(EDF, true, Scope::Partitioned).name;
        scenario.scheduler =
            SchedulerSpec { name, urgent_priority: UrgentPriority::Largest, ..SchedulerSpec::default() };
        Some(Tasks { of, deadlines, mutexes, cpus, scenario, left_out })
    }

    /// A thread as a task, and its relative deadline if its period was seen.
    fn task_of(
        &self,
        place: usize,
        life: &Life,
        name: String,
        cpus: &[u16],
        length: u64,
    ) -> (TaskSpec, Option<Duration>) {
        let figures = &self.figures[place];
        let cost = figures.costs.last().copied().unwrap_or(life.run).max(1);
        let period = match figures.pattern {
            Some(Pattern::Periodic { period, .. }) if period > 0 => Some(period),
            Some(Pattern::Periodic { .. } | Pattern::Irregular { .. }) | None => None,
        };
        let (arrival, stated) = match period {
            Some(period) => (Arrival::Periodic, period),
            None => (Arrival::Sporadic { delay: Duration::ZERO, like: None }, length),
        };
        let spec = TaskSpec::new(name, Work::from_ns(cost), Duration::from_ns(stated.max(cost)));
        let used = life
            .cpus
            .iter()
            .chain(&life.own_cpus)
            .filter_map(|cpu| place_of(cpus, *cpu))
            .collect::<BTreeSet<_>>();
        let processor = used.first().map(|cpu| cpu.0);
        let priority = match Urgency::of(life.priority) {
            Urgency::RealTime(priority) => Some(u32::from(priority)),
            Urgency::Deadline | Urgency::Ordinary(_) | Urgency::Unknown(_) => None,
        };
        (TaskSpec { arrival, processor, priority, ..spec }, period.map(Duration::from_ns))
    }

    /// The header of the trace; `file` names the recording.
    pub fn header(&self, tasks: &Tasks, file: &str) -> Header {
        let cpus: Vec<String> = tasks.cpus.iter().map(u16::to_string).collect();
        let named = self.swept.lives.iter().zip(&tasks.of);
        let threads =
            named.filter_map(|(life, task)| Some((life.priority, tasks.scenario.task_name((*task)?))));
        Header::new(Backend::Class)
            .with("scenario", &tasks.scenario.to_toml())
            .with("scheduler", "Linux")
            .with("classes", &classes(threads))
            .with("protocol", &tasks.scenario.protocol)
            .with("promises", "")
            .with("source", &format!("the kernel trace {file}"))
            .with("clock", "that of the kernel trace, nanoseconds from its first event")
            .with("machine", "that of the kernel trace")
            .with("processors", &cpus.join(" "))
            .with("findings", &self.findings().join("\n"))
            .with("producer", concat!("schedlab ", env!("CARGO_PKG_VERSION")))
    }

    /// Hands all records of the trace to `sink`, in order of time.
    pub fn play(&self, tasks: &Tasks, sink: &mut impl Sink) {
        let begin = self.recording.begin;
        let (jobs, cpus) =
            (vec![Live::default(); tasks.deadlines.len()], vec![Place::default(); tasks.cpus.len()]);
        let mut writer = Writer { tasks, jobs, cpus, sink };
        sweep(&self.recording, |at, fact| {
            writer.fact(Instant::from_ns(at - begin), fact, &self.swept.lives);
        });
        let end = Instant::from_ns(self.recording.end - begin);
        for live in &writer.jobs {
            if let Some(job) = live.job.filter(|_| live.deadline.is_some_and(|deadline| deadline <= end)) {
                writer.sink.record(end, Record::Miss { job });
            }
        }
        writer.sink.record(end, Record::End);
    }
}

fn place_of(cpus: &[u16], cpu: u16) -> Option<CpuId> {
    cpus.binary_search(&cpu).ok().map(|place| CpuId(place as u16))
}

/// Priority of a job by its thread's kernel priority. Those of equal urgency are no more urgent than one another, as
/// threads without real-time priority are not.
fn priority(kernel: i16) -> Priority {
    const ORDINARY: u64 = 200;
    let point = match Urgency::of(kernel) {
        Urgency::Deadline => 0,
        Urgency::RealTime(priority) => u64::from(100 - priority),
        Urgency::Ordinary(_) | Urgency::Unknown(_) => ORDINARY,
    };
    Priority::new(point, JobId::new(TaskId(0), 0))
}

/// The job of a task that is live, and the number of the next one.
#[derive(Clone, Copy, Debug, Default)]
struct Live {
    next: u32,
    job: Option<JobId>,
    on: bool,
    cluster: ClusterId,
    deadline: Option<Instant>,
    priority: Option<Priority>,
    holds: bool,
}

/// State of a processor.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Job whose thread runs there.
    occupant: Option<JobId>,
    /// Job that is to run there, with its priority.
    linked: Option<(JobId, Priority)>,
}

/// Writes facts as records.
struct Writer<'a, S> {
    tasks: &'a Tasks,
    jobs: Vec<Live>,
    cpus: Vec<Place>,
    sink: &'a mut S,
}

impl<S: Sink> Writer<'_, S> {
    fn fact(&mut self, at: Instant, fact: Fact, lives: &[Life]) {
        let life = match fact {
            Fact::Idle { cpu } => return self.leave_empty(at, cpu),
            Fact::Hole { lost } => return self.sink.record(at, Record::Lost { count: lost.unwrap_or(1) }),
            Fact::Released { life, .. }
            | Fact::Found { life, .. }
            | Fact::In { life, .. }
            | Fact::Out { life, .. }
            | Fact::Waits { life, .. }
            | Fact::Resumed { life }
            | Fact::Done { life }
            | Fact::Lost { life }
            | Fact::Moved { life, .. }
            | Fact::Priority { life, .. } => life,
        };
        let Some(task) = self.tasks.of.get(life).copied().flatten() else {
            // A thread that is left out occupies its processor, and no job does.
            if let Fact::In { cpu, .. } = fact {
                self.leave_empty(at, cpu);
            }
            return;
        };
        match fact {
            Fact::Released { queue, .. } => self.arrive(at, task, queue, &lives[life], true),
            Fact::Found { queue, .. } => self.arrive(at, task, queue, &lives[life], false),
            Fact::In { cpu, .. } => self.dispatch(at, task, cpu),
            Fact::Moved { queue, .. } => self.go(at, task, queue),
            Fact::Out { cpu, .. } => {
                let live = &mut self.jobs[task.index()];
                if let (Some(job), true, Some(cpu)) = (live.job, live.on, place_of(&self.tasks.cpus, cpu)) {
                    live.on = false;
                    self.cpus[cpu.index()].occupant = None;
                    self.sink.record(at, Record::Preempt { cpu, job });
                }
            }
            Fact::Waits { holder, .. } => self.suspend(at, task, holder),
            Fact::Resumed { .. } => {
                if let Some(job) = self.jobs[task.index()].job {
                    self.sink.record(at, Record::Resume { job });
                    self.link_if_urgent(at, task);
                }
            }
            Fact::Done { .. } => self.end(at, task, life, true),
            Fact::Lost { .. } => self.end(at, task, life, false),
            Fact::Priority { priority: kernel, .. } => self.inherit(at, task, life, kernel, &lives[life]),
            Fact::Idle { .. } | Fact::Hole { .. } => {}
        }
    }

    /// A job arrives and is ready. Where it is not known when it was released, it has no deadline.
    fn arrive(&mut self, at: Instant, task: TaskId, queue: u16, life: &Life, is_release: bool) {
        if self.jobs[task.index()].job.is_some() {
            self.give_up(at, task);
        }
        let live = &mut self.jobs[task.index()];
        let job = JobId::new(task, live.next);
        let cluster = place_of(&self.tasks.cpus, queue).map_or(live.cluster, |cpu| ClusterId(cpu.0));
        let deadline = self.tasks.deadlines[task.index()]
            .filter(|_| is_release)
            .and_then(|length| at.checked_add(length));
        *live = Live {
            next: live.next + 1,
            job: Some(job),
            on: false,
            cluster,
            deadline,
            priority: None,
            holds: false,
        };
        let absolute_deadline = deadline.unwrap_or(Instant::NEVER);
        self.sink.record(at, Record::Arrival { job, absolute_deadline, cost: Work::ZERO });
        let priority = priority(life.priority);
        self.jobs[task.index()].priority = Some(priority);
        self.sink.record(at, Record::Ready { job, priority, cluster });
        self.link_if_urgent(at, task);
    }

    /// The processor runs no job.
    fn leave_empty(&mut self, at: Instant, cpu: u16) {
        if let Some(cpu) = place_of(&self.tasks.cpus, cpu) {
            self.cpus[cpu.index()] = Place::default();
            self.sink.record(at, Record::Link { cpu, job: None });
        }
    }

    /// Links a job that has become ready to the processor of its queue, if nothing as urgent is to run there: the
    /// kernel marks the processor for a switch then.
    fn link_if_urgent(&mut self, at: Instant, task: TaskId) {
        let live = self.jobs[task.index()];
        let (Some(job), Some(priority), false) = (live.job, live.priority, live.on) else { return };
        let cpu = CpuId(live.cluster.0);
        let Some(place) = self.cpus.get_mut(cpu.index()) else { return };
        if place.linked.is_none_or(|(_, other)| priority.is_higher_than(other)) {
            place.linked = Some((job, priority));
            self.sink.record(at, Record::Link { cpu, job: Some(job) });
        }
    }

    /// Takes the job's link away, if it has one and has not been switched to: what runs there goes on.
    fn unlink(&mut self, at: Instant, task: TaskId) {
        let live = self.jobs[task.index()];
        let cpu = CpuId(live.cluster.0);
        let (Some(job), Some(place)) = (live.job, self.cpus.get_mut(cpu.index())) else { return };
        if live.on {
            place.occupant = place.occupant.filter(|occupant| *occupant != job);
        } else if place.linked.is_some_and(|(linked, _)| linked == job) {
            let before = place.occupant;
            let priority = before.and_then(|job| self.jobs[job.task.index()].priority);
            place.linked = before.zip(priority);
            self.sink.record(at, Record::Link { cpu, job: before });
        }
    }

    fn dispatch(&mut self, at: Instant, task: TaskId, cpu: u16) {
        self.go(at, task, cpu);
        let live = &mut self.jobs[task.index()];
        if let (Some(job), Some(cpu)) = (live.job, place_of(&self.tasks.cpus, cpu)) {
            live.on = true;
            let place = &mut self.cpus[cpu.index()];
            if place.linked.is_none_or(|(linked, _)| linked != job) {
                self.sink.record(at, Record::Link { cpu, job: Some(job) });
            }
            *place = Place { occupant: Some(job), linked: live.priority.map(|priority| (job, priority)) };
            self.sink.record(at, Record::Dispatch { cpu, job });
        }
    }

    /// The job goes to the queue of a processor.
    fn go(&mut self, at: Instant, task: TaskId, queue: u16) {
        let live = self.jobs[task.index()];
        let cluster = place_of(&self.tasks.cpus, queue).map(|cpu| ClusterId(cpu.0));
        if let (Some(job), Some(cluster)) = (live.job, cluster.filter(|cluster| *cluster != live.cluster)) {
            self.unlink(at, task);
            self.jobs[task.index()].cluster = cluster;
            self.sink.record(at, Record::Move { job, cluster });
        }
    }

    fn suspend(&mut self, at: Instant, task: TaskId, holder: usize) {
        self.unlink(at, task);
        let live = &mut self.jobs[task.index()];
        if let Some(job) = live.job {
            live.on = false;
            let mutex = self.tasks.mutexes.get(&holder);
            let reason = mutex.map_or(SuspendReason::Itself, |mutex| SuspendReason::Resource(*mutex));
            self.sink.record(at, Record::Suspend { job, reason });
        }
    }

    /// The job has another priority. One that inherits holds a mutex.
    fn inherit(&mut self, at: Instant, task: TaskId, life: usize, kernel: i16, of: &Life) {
        let live = &mut self.jobs[task.index()];
        let Some(job) = live.job else { return };
        live.priority = Some(priority(kernel));
        self.sink.record(at, Record::Priority { job, priority: priority(kernel) });
        let Some(resource) = self.tasks.mutexes.get(&life).copied() else { return };
        let holds = kernel < of.priority;
        if holds != live.holds {
            live.holds = holds;
            let record = match holds {
                true => Record::Acquire { job, resource, units: 1 },
                false => Record::Release { job, resource, units: 1 },
            };
            self.sink.record(at, record);
        }
    }

    fn end(&mut self, at: Instant, task: TaskId, life: usize, is_complete: bool) {
        let live = self.jobs[task.index()];
        let Some(job) = live.job else { return };
        if let (true, Some(resource)) = (live.holds, self.tasks.mutexes.get(&life).copied()) {
            self.sink.record(at, Record::Release { job, resource, units: 1 });
        }
        if !is_complete {
            return self.give_up(at, task);
        }
        self.unlink(at, task);
        self.sink.record(at, Record::Complete { job });
        if live.deadline.is_some_and(|deadline| deadline < at) {
            self.sink.record(at, Record::Miss { job });
        }
        self.forget(task);
    }

    /// What becomes of the job is not known.
    fn give_up(&mut self, at: Instant, task: TaskId) {
        let live = self.jobs[task.index()];
        if let Some(job) = live.job {
            self.unlink(at, task);
            self.sink.record(at, Record::Abort { job });
            if live.deadline.is_some_and(|deadline| deadline < at) {
                self.sink.record(at, Record::Miss { job });
            }
        }
        self.forget(task);
    }

    fn forget(&mut self, task: TaskId) {
        let live = &mut self.jobs[task.index()];
        *live = Live { next: live.next, cluster: live.cluster, ..Live::default() };
    }
}
