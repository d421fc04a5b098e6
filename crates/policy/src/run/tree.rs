//! The on-line part of RUN: budgets of servers, and who runs in the tree.

use super::reduction::{idle_rates, reduce, Server};
use crate::change::Change;
use crate::chosen::Chosen;
use crate::decisions::Decisions;
use crate::grid::{gcd, Periodic, Rates};
use crate::setup::{ClusterSetup, SetupError};
use crate::timer::instant;
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Priority};

/// A deadline that never comes, or a budget that is never spent: that of idle tasks.
const NEVER: u64 = u64::MAX;

/// The servers of each level of a reduction, the lowest first.
type Levels = Vec<Vec<Server<u128>>>;

/// A task, as a client of its server.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    period: u64,
    /// Time on a processor that each job may have: the cost, or the rounded rate times the period.
    budget: u64,
    deadline: u64,
    left: u64,
    /// Its server, a node of the lowest level.
    server: u32,
}

/// A server. The deadline and what is left are those of its dual's current job.
#[derive(Clone, Debug)]
struct Node {
    /// Clients: leaves on the lowest level, nodes on the others.
    clients: Vec<u32>,
    /// Rate of the dual, in parts of [`Run::one`].
    dual_rate: u128,
    deadline: u64,
    left: u64,
    runs: bool,
    /// On the lowest level: the client of the earliest deadline among those that have budget left.
    first: Option<u32>,
}

/// A policy that executes the tree of a reduction.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    one: u128,
    leaves: Vec<Leaf>,
    /// The lowest level first.
    nodes: Vec<Node>,
    /// Number of nodes of the lowest level.
    lowest: usize,
    chosen: Chosen,
    member_of: Vec<u32>,
    live: Vec<Option<JobId>>,
    /// Leaves that execute, whose jobs may be complete.
    executing: Vec<u32>,
    /// Nodes whose duals execute.
    dual_executing: Vec<u32>,
    counted: u64,
}

impl Run {
    /// An idle tree, or an error if the tasks do not suit it.
    pub(crate) fn new(setup: &ClusterSetup<'_>) -> Result<Run, SetupError> {
        let tasks = Periodic::new(setup)?;
        let processors = setup.cpus.len();
        let (rates, levels) = reduction(&tasks, processors)?;
        let leaf = |(&(_, period), &rate): (&(u64, u64), &u128)| Leaf {
            period,
            budget: (rate * u128::from(period) / rates.one) as u64,
            deadline: 0,
            left: 0,
            server: 0,
        };
        let mut leaves: Vec<Leaf> = tasks.pairs.iter().zip(&rates.rates).map(leaf).collect();
        let lowest = levels[0].len();
        let nodes = nodes(&levels, rates.one, leaves.len());
        for (server, node) in (0..).zip(&nodes[..lowest]) {
            node.clients.iter().for_each(|&leaf| leaves[leaf as usize].server = server);
        }
        Ok(Run {
            one: rates.one,
            chosen: Chosen::new(setup),
            live: vec![None; leaves.len()],
            executing: Vec::with_capacity(processors),
            dual_executing: Vec::with_capacity(nodes.len()),
            counted: 0,
            member_of: tasks.member_of(setup.tasks.len()),
            leaves,
            nodes,
            lowest,
        })
    }

    /// Counts what the clients that executed had since the last decision.
    fn count(&mut self, now: u64) {
        let elapsed = now - self.counted;
        self.counted = now;
        for index in 0..self.executing.len() {
            let Leaf { left, server, .. } = &mut self.leaves[self.executing[index] as usize];
            *left = left.saturating_sub(elapsed);
            if *left == 0 {
                let server = *server as usize;
                self.find_first(server);
            }
        }
        for &node in &self.dual_executing {
            let left = &mut self.nodes[node as usize].left;
            if *left != NEVER {
                *left = left.saturating_sub(elapsed);
            }
        }
    }

    /// Finds the client that a server of the lowest level executes when it runs.
    fn find_first(&mut self, server: usize) {
        let with_budget =
            self.nodes[server].clients.iter().filter(|leaf| self.leaves[**leaf as usize].left > 0);
        let first = with_budget.min_by_key(|leaf| (self.leaves[**leaf as usize].deadline, **leaf));
        self.nodes[server].first = first.copied();
    }

    /// Begins the jobs of a server's tasks whose deadlines have come. Returns the next deadline of one.
    fn renew_leaves(&mut self, server: usize, now: u64) -> u64 {
        let mut next = NEVER;
        for &leaf in &self.nodes[server].clients {
            let leaf = &mut self.leaves[leaf as usize];
            if leaf.deadline <= now {
                while leaf.deadline <= now {
                    leaf.deadline += leaf.period;
                }
                leaf.left = leaf.budget;
            }
            next = next.min(leaf.deadline);
        }
        self.find_first(server);
        next
    }

    /// Begins the jobs of tasks and servers whose deadlines have come. The deadline of a server is the first of its
    /// clients', so that only servers whose own has come have such clients.
    fn renew(&mut self, now: u64) {
        for index in 0..self.nodes.len() {
            if self.nodes[index].deadline > now {
                continue;
            }
            let next = if index < self.lowest {
                self.renew_leaves(index, now)
            } else {
                let of_client = |&client: &u32| self.nodes[client as usize].deadline;
                self.nodes[index].clients.iter().map(of_client).min().unwrap_or(NEVER)
            };
            let node = &mut self.nodes[index];
            node.deadline = next;
            node.left = match next {
                NEVER if node.dual_rate > 0 => NEVER,
                NEVER => 0,
                _ => (node.dual_rate * u128::from(next - now) / self.one) as u64,
            };
        }
    }

    /// Decides from the servers of rate 1 down which servers run, and which leaves execute.
    fn choose(&mut self) {
        self.executing.clear();
        self.dual_executing.clear();
        for index in (self.lowest..self.nodes.len()).rev() {
            let runs = self.nodes[index].runs;
            let mut first: Option<(u64, u32)> = None;
            for place in 0..self.nodes[index].clients.len() {
                let client = self.nodes[index].clients[place];
                let Node { deadline, left, runs: client_runs, .. } = &mut self.nodes[client as usize];
                *client_runs = true;
                if runs && *left > 0 && first.is_none_or(|first| (*deadline, client) < first) {
                    first = Some((*deadline, client));
                }
            }
            if let Some((_, client)) = first {
                self.nodes[client as usize].runs = false;
                self.dual_executing.push(client);
            }
        }
        let running = self.nodes[..self.lowest].iter().filter(|node| node.runs);
        self.executing.extend(running.filter_map(|node| node.first));
    }

    /// Returns the time of the next deadline, or at which a client that executes has spent its budget.
    fn next_event(&self) -> u64 {
        let deadlines = self.nodes[..self.lowest].iter().map(|server| server.deadline);
        let leaves = self.executing.iter().map(|&leaf| self.leaves[leaf as usize].left);
        let duals = self.dual_executing.iter().map(|&node| self.nodes[node as usize].left);
        let spent = leaves.chain(duals).map(|left| self.counted.saturating_add(left));
        deadlines.chain(spent).min().unwrap_or(NEVER)
    }
}

/// The reduction of tasks such that budgets are whole nanoseconds: of the rates as they are, or rounded up to multiples
/// of one by the greatest common divisor of all periods.
fn reduction(tasks: &Periodic, processors: usize) -> Result<(Rates, Levels), SetupError> {
    let reduced = |rates: &Rates| {
        let sum: u128 = rates.rates.iter().sum();
        let left = (processors as u128 * rates.one).checked_sub(sum)?;
        let mut units = rates.rates.clone();
        units.extend(idle_rates(left, &rates.one, &0));
        Some(reduce(units, &rates.one))
    };
    let over = |is_rounded| SetupError::OverUtilized { processors, is_rounded };
    if let Some(rates) = tasks.exact() {
        let levels = reduced(&rates).ok_or(over(false))?;
        if are_whole(&tasks.pairs, &rates, &levels) {
            return Ok((rates, levels));
        }
    }
    let rates = tasks.rounded();
    let levels = reduced(&rates).ok_or(over(true))?;
    Ok((rates, levels))
}

/// True if the budgets of all servers below those of rate 1 are whole.
fn are_whole(pairs: &[(u64, u64)], rates: &Rates, levels: &[Vec<Server<u128>>]) -> bool {
    let mut below: Vec<u128> = pairs.iter().map(|&(_, period)| period.into()).collect();
    for level in &levels[..levels.len() - 1] {
        let divisor = |server: &Server<u128>| {
            // Idle tasks have no deadlines.
            server.clients.iter().filter_map(|&client| below.get(client)).fold(0, |all, &one| gcd(all, one))
        };
        let divisors: Vec<u128> = level.iter().map(divisor).collect();
        let is_whole = |(server, divisor): (&Server<u128>, &u128)| server.rate * divisor % rates.one == 0;
        if !level.iter().zip(&divisors).all(is_whole) {
            return false;
        }
        below = divisors;
    }
    true
}

/// The nodes of all levels, the lowest first; idle tasks are left out.
fn nodes(levels: &[Vec<Server<u128>>], one: u128, leaves: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut first_below = 0;
    for (level, servers) in levels.iter().enumerate() {
        let first_here = nodes.len();
        for server in servers {
            let clients = server.clients.iter().filter(|&&client| level > 0 || client < leaves);
            nodes.push(Node {
                clients: clients.map(|&client| (first_below + client) as u32).collect(),
                dual_rate: one - server.rate,
                deadline: 0,
                left: 0,
                runs: true,
                first: None,
            });
        }
        first_below = first_here;
    }
    nodes
}

impl Policy for Run {
    /// Orders by absolute deadline. The priority only shows in traces; decisions do not read it.
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        Priority::new(jobs.get(job).absolute_deadline.as_ns().min(Priority::MAX_POINT), job)
    }

    fn note(&mut self, _: Instant, event: Event, _: &Jobs) {
        match Change::by(event) {
            Some(Change::Live(job)) => self.live[self.member_of[job.task.index()] as usize] = Some(job),
            Some(Change::Gone(job)) => {
                self.live[self.member_of[job.task.index()] as usize] = None;
                self.chosen.forget(job);
            }
            Some(Change::Timer) => self.chosen.timer_went_off(),
            None => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.count(now.as_ns());
        self.renew(now.as_ns());
        self.choose();
        self.chosen.renew(self.executing.iter().filter_map(|&leaf| self.live[leaf as usize]));
        let next = instant(self.next_event());
        self.chosen.tell(next, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.chosen.on(cpu)
    }

    fn promises(&self) -> &'static [Invariant] {
        &[]
    }
}
