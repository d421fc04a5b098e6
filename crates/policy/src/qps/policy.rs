//! The on-line part of QPS: modes of execution sets, and who executes on which processor.

use super::hierarchy::{ExecutionSet, SetClient};
use super::mode::{Mode, Part, Rates, Serving};
use super::plan::{plan, NoPlan, QpsPlan, Row};
use crate::change::Change;
use crate::decisions::Decisions;
use crate::grid::Periodic;
use crate::only_execute;
use crate::setup::{ClusterSetup, SetupError};
use crate::timer::{instant, Timer};
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Priority, TaskId};

/// A task, as a client of its set.
#[derive(Clone, Copy, Debug, Default)]
struct Leaf {
    /// Nanoseconds of the grid on which its jobs begin and are due.
    grid: u64,
    /// The job, if it may execute.
    live: Option<JobId>,
    /// Begin of the current job.
    from: u64,
    /// Deadline of the current job, up to which the task is active.
    until: u64,
}

/// An execution set. Its place is that of its processor.
#[derive(Clone, Debug)]
struct Set {
    clients: Vec<(SetClient, u128)>,
    /// Rate of the master; zero for a minor set.
    excess: u128,
    /// Budgets, while all clients of a major set are active.
    mode: Option<Mode>,
    /// True if the master has budget left, and the clients have work for both master and slave.
    wants: bool,
    /// The processor on which the master executes.
    lent: Option<usize>,
}

/// A policy that executes a plan.
#[derive(Clone, Debug)]
pub(crate) struct Qps {
    one: u128,
    leaves: Vec<Leaf>,
    /// Sets, each before the one that serves its master.
    sets: Vec<Set>,
    cpus: Vec<CpuId>,
    /// By place of the processor.
    chosen: Vec<Option<JobId>>,
    /// By processor of the platform.
    links: Vec<Option<JobId>>,
    member_of: Vec<u32>,
    timer: Timer,
    counted: u64,
}

impl Qps {
    /// A policy before the first arrivals, or an error if the tasks do not suit it.
    pub(crate) fn new(setup: &ClusterSetup<'_>) -> Result<Qps, SetupError> {
        only_execute::plain_and_implicit(setup)?;
        let tasks = Periodic::members_of(setup)?;
        let processors = setup.cpus.len();
        let QpsPlan { one, grid, sets, .. } = planned(setup, &tasks)?;
        let mut leaves = vec![Leaf { grid: 1, ..Leaf::default() }; tasks.members.len()];
        let major = |set: &&ExecutionSet| set.rate > one;
        for &(client, _) in sets.iter().filter(major).flat_map(|set| &set.clients) {
            if let SetClient::Task(task) = client {
                leaves[task].grid = grid;
            }
        }
        let set = |set: ExecutionSet| Set {
            excess: set.excess(one),
            clients: set.clients,
            mode: None,
            wants: false,
            lent: None,
        };
        Ok(Qps {
            one,
            leaves,
            sets: sets.into_iter().map(set).collect(),
            cpus: setup.cpus.to_vec(),
            chosen: vec![None; processors],
            links: vec![None; setup.platform.processors().into()],
            member_of: tasks.member_of(setup.tasks.len()),
            timer: Timer::default(),
            counted: 0,
        })
    }

    /// Notes a job that may execute. On the grid it begins at the next multiple, and is due at the last one before its
    /// deadline.
    fn begin(&mut self, job: JobId, jobs: &Jobs) {
        let leaf = &mut self.leaves[self.member_of[job.task.index()] as usize];
        let its = jobs.get(job);
        leaf.live = Some(job);
        leaf.from = its.arrival.as_ns().div_ceil(leaf.grid).saturating_mul(leaf.grid);
        leaf.until = its.absolute_deadline.as_ns() / leaf.grid * leaf.grid;
    }

    fn end(&mut self, job: JobId) {
        self.leaves[self.member_of[job.task.index()] as usize].live = None;
    }

    /// Counts what servers executed since the last decision.
    fn count(&mut self, now: u64) {
        let elapsed = now - self.counted;
        self.counted = now;
        self.sets.iter_mut().filter_map(|set| set.mode.as_mut()).for_each(|mode| mode.count(elapsed));
    }

    /// Begin and deadline of a client's current job, if it is active.
    fn active(&self, client: SetClient, now: u64) -> Option<(u64, u64)> {
        match client {
            SetClient::Task(task) => {
                let Leaf { from, until, .. } = self.leaves[task];
                (from <= now && now < until).then_some((from, until))
            }
            SetClient::Master(set) => self.sets[set].mode.map(|mode| (mode.from, mode.until)),
        }
    }

    /// Begins, renews or ends the modes of major sets, those of clients first.
    fn renew(&mut self, now: u64) {
        for place in 0..self.sets.len() {
            let set = &self.sets[place];
            if set.excess == 0 || set.mode.is_some_and(|mode| now < mode.until) {
                continue;
            }
            let mut until = u64::MAX;
            let mut last: Option<(u64, usize)> = None;
            for (index, &(client, _)) in set.clients.iter().enumerate() {
                let Some((from, its)) = self.active(client, now) else {
                    last = None;
                    break;
                };
                until = until.min(its);
                last = last.max(Some((from, index)));
            }
            let Some((_, last)) = last else {
                self.sets[place].mode = None;
                continue;
            };
            let (one, set) = (self.one, &mut self.sets[place]);
            let rates = |last: usize| Rates { one, last: set.clients[last].1, excess: set.excess };
            match &mut set.mode {
                Some(mode) => mode.renew((now, until), rates(mode.last)),
                None => set.mode = Some(Mode::new(last, (now, until), rates(last))),
            }
        }
    }

    /// True if a client has work.
    fn has_work(&self, client: SetClient, now: u64) -> bool {
        match client {
            SetClient::Task(task) => self.leaves[task].live.is_some() && self.leaves[task].from <= now,
            SetClient::Master(set) => self.sets[set].wants,
        }
    }

    /// The client with work of the earliest deadline, tasks before masters, then by place. Looks only at clients at
    /// places that `of` lets pass.
    fn first(&self, set: usize, now: u64, of: impl Fn(usize) -> bool) -> Option<(u64, SetClient)> {
        let clients = self.sets[set].clients.iter().enumerate().filter(|(place, _)| of(*place));
        let with_work = clients.map(|(_, (client, _))| *client).filter(|client| self.has_work(*client, now));
        let due = |client: SetClient| match client {
            SetClient::Task(task) => self.leaves[task].until,
            SetClient::Master(set) => self.sets[set].mode.map_or(u64::MAX, |mode| mode.until),
        };
        with_work.map(|client| (due(client), client)).min()
    }

    /// Both parts' first clients with work, the part of the last active one first.
    fn parts(&self, set: usize, last: usize, now: u64) -> [Option<(u64, SetClient)>; 2] {
        [self.first(set, now, |place| place == last), self.first(set, now, |place| place != last)]
    }

    /// Finds the masters that are to execute, those of clients first.
    fn find_wanting(&mut self, now: u64) {
        for place in 0..self.sets.len() {
            let wants = self.sets[place].mode.is_some_and(|mode| {
                mode.left_of_master > 0 && self.parts(place, mode.last, now).iter().all(Option::is_some)
            });
            let set = &mut self.sets[place];
            (set.wants, set.lent) = (wants, None);
        }
    }

    /// Chooses jobs from the sets that serve masters down to those whose masters they serve.
    fn choose(&mut self, now: u64) {
        self.chosen.fill(None);
        for place in (0..self.sets.len()).rev() {
            let Some(mut mode) = self.sets[place].mode else {
                if let Some((_, client)) = self.first(place, now, |_| true) {
                    self.execute(client, place);
                }
                continue;
            };
            let lent = self.sets[place].lent;
            mode.serving = match self.parts(place, mode.last, now) {
                [Some(last), Some(others)] => {
                    let first = if last < others { Part::Last } else { Part::Others };
                    let part = mode.on_dedicated(first, lent.is_some());
                    let (here, there) = match part {
                        Part::Last => (last.1, others.1),
                        Part::Others => (others.1, last.1),
                    };
                    self.execute(here, place);
                    match lent {
                        Some(elsewhere) => {
                            self.execute(there, elsewhere);
                            Some(Serving::Both(part))
                        }
                        None => Some(Serving::Part(part)),
                    }
                }
                [Some((_, client)), None] | [None, Some((_, client))] => {
                    self.execute(client, place);
                    Some(Serving::One)
                }
                [None, None] => Some(Serving::One),
            };
            self.sets[place].mode = Some(mode);
        }
    }

    /// Lets a client have the processor at this place.
    fn execute(&mut self, client: SetClient, place: usize) {
        match client {
            SetClient::Task(task) => self.chosen[place] = self.leaves[task].live,
            SetClient::Master(set) => self.sets[set].lent = Some(place),
        }
    }

    /// Time at which a budget is used up or renewed, or a job begins on the grid.
    fn next_event(&mut self, now: u64) -> u64 {
        let begins = self.leaves.iter().filter(|leaf| leaf.from > now && leaf.live.is_some());
        let begins = begins.map(|leaf| leaf.from).min().unwrap_or(u64::MAX);
        let modes = self.sets.iter_mut().filter_map(|set| set.mode.as_mut());
        modes.map(|mode| mode.next(now)).fold(begins, u64::min)
    }
}

/// The plan of the cluster's tasks.
fn planned(setup: &ClusterSetup<'_>, tasks: &Periodic) -> Result<QpsPlan, SetupError> {
    let row = |(&task, &(cost, period)): (&TaskId, &(u64, u64))| {
        let task = &setup.tasks[task.index()];
        Row { cost, period, phase: task.offset.max(task.join).as_ns() }
    };
    let rows: Vec<Row> = tasks.members.iter().zip(&tasks.pairs).map(row).collect();
    let all_stay = tasks.members.iter().all(|task| setup.tasks[task.index()].leave == Instant::NEVER);
    let processors = setup.cpus.len();
    plan(&rows, processors, all_stay).map_err(|refused| match refused {
        NoPlan::OverUtilized => SetupError::OverUtilized { processors, is_rounded: false },
        NoPlan::OverUtilizedRounded => SetupError::OverUtilized { processors, is_rounded: true },
    })
}

impl Policy for Qps {
    /// Orders by absolute deadline. The priority only shows in traces; decisions do not read it.
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        Priority::new(jobs.get(job).absolute_deadline.as_ns().min(Priority::MAX_POINT), job)
    }

    fn note(&mut self, _: Instant, event: Event, jobs: &Jobs) {
        match Change::by(event) {
            Some(Change::Live(job)) => self.begin(job, jobs),
            Some(Change::Gone(job)) => self.end(job),
            Some(Change::Timer) => self.timer.went_off(),
            None => {}
        }
    }

    fn decide(&mut self, now: Instant, _: &Jobs, out: &mut Decisions) {
        let at = now.as_ns();
        self.count(at);
        self.renew(at);
        self.find_wanting(at);
        self.choose(at);
        for (&cpu, &job) in self.cpus.iter().zip(&self.chosen) {
            let link = &mut self.links[cpu.index()];
            if *link != job {
                *link = job;
                out.look(cpu);
            }
        }
        let due = instant(self.next_event(at));
        self.timer.set(due, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links[cpu.index()]
    }

    fn promises(&self) -> &'static [Invariant] {
        &[]
    }
}
