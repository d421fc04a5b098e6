//! The MPCP: the most urgent waits first, and holders are boosted to their ceilings.
//!
//! Brandenburg, RTAS 2013, section IV, for the protocol of R. Rajkumar, ICDCS 1990. Why each limit holds stands beside
//! it.
//!
//! *Waiting for one request.* A section on resource q takes at most W on its processor: see [`Prepared`]. A
//! request waits at most once for a less urgent job (the one that holds q when it is issued), and for every request for
//! q that more urgent jobs issue meanwhile: the least fixed point of
//!
//! ```text
//! B = max(W of less urgent users) + sum over more urgent users of jobs(B) requests W
//! ```
//!
//! with ceil((B + R) / T) jobs of a task within B. B is never more than the response time of the job that waits, so
//! that this bound counts where the fixed point is larger.

use super::columns::{own_requests, Columns};
use super::fmlp_plus::meetings;
use crate::program::LinearProgram;
use crate::users::least_fixed_point;
use schedlab_analysis::blocking::mpcp::{Prepared, Users};
use schedlab_analysis::blocking::Sharing;

/// Data that the programs of all tasks have in common.
#[derive(Clone, Debug)]
pub struct Mpcp<'a> {
    sharing: &'a Sharing,
    prepared: Prepared,
}

impl<'a> Mpcp<'a> {
    /// Reads `sharing`.
    pub fn new(sharing: &'a Sharing) -> Self {
        Self::boosted_by(Users::Elsewhere, sharing)
    }

    /// Reads `sharing`, with ceilings over `users`.
    pub(crate) fn boosted_by(users: Users, sharing: &'a Sharing) -> Self {
        let mut prepared = Prepared::boosted_by(users);
        prepared.prepare(sharing, false);
        Mpcp { sharing, prepared }
    }

    /// The program whose optimum bounds the blocking of one job of `task`.
    pub fn program(&self, responses: &[u64], task: usize) -> LinearProgram {
        let mut program = LinearProgram::default();
        let columns = Columns::add(&mut program, self.sharing, responses, task);
        let direct = self.limit_direct(&mut program, &columns, responses, task);
        self.limit_indirect(&mut program, &columns, &direct);
        self.limit_local(&mut program, &columns, responses, task);
        self.limit_waiting(&mut program, &columns, responses, task);
        program
    }

    /// Returns B: the longest wait of one request of the task at `index` for `resource`.
    pub fn wait(&self, responses: &[u64], index: usize, resource: u32) -> u64 {
        let level = self.sharing.tasks()[index].level;
        let users = || self.prepared.users(resource).iter().filter(|user| user.task as usize != index);
        let lower = users().filter(|user| user.level >= level).map(|user| user.occupies).max().unwrap_or(0);
        least_fixed_point(responses[index], |wait| {
            let higher = users().filter(|user| user.level < level).map(|user| {
                let task = user.task as usize;
                user.by_job.saturating_mul(self.sharing.jobs_within(task, wait, responses[task]))
            });
            higher.fold(lower, u64::saturating_add)
        })
    }

    /// Limits direct blocking, and returns by column triple the most requests of its task for its resource that block
    /// directly.
    fn limit_direct(
        &self,
        program: &mut LinearProgram,
        columns: &Columns,
        responses: &[u64],
        index: usize,
    ) -> Vec<u64> {
        let (tasks, counts) = (self.sharing.tasks(), own_requests(self.sharing, index));
        let more_urgent = |task: usize| tasks[task].level < tasks[index].level;
        let mut lower: Vec<Vec<usize>> = vec![Vec::new(); counts.len()];
        let mut limits = Vec::with_capacity(columns.parts.len());
        for parts in &columns.parts {
            let issued = program.columns()[parts.direct].limit;
            let mut limit = counts[parts.resource];
            if limit > 0 && more_urgent(parts.task) {
                // All that are issued while one of the job's requests waits, for each of these.
                let wait = self.wait(responses, index, parts.resource as u32);
                let jobs = self.sharing.jobs_within(parts.task, wait, responses[parts.task]);
                let mine = self.sharing.requests(parts.task).iter();
                let each = mine.filter(|request| request.resource as usize == parts.resource);
                let each: u64 = each.map(|request| request.count()).sum();
                limit = limit.saturating_mul(jobs.saturating_mul(each));
                program.at_most([parts.direct], limit);
            } else {
                lower[parts.resource].push(parts.direct);
            }
            limits.push(issued.min(limit));
        }
        // Each request of the job meets one less urgent holder at most. It waits for nothing that it does not request.
        for (resource, direct) in lower.into_iter().enumerate() {
            program.at_most(direct, counts[resource]);
        }
        limits
    }

    /// Limits indirect blocking by sections that preempt the holder for which the job waits. While a boosted holder has
    /// not finished, no other job of its processor executes outside of sections, so each has at most one section, which
    /// it requested before.
    fn limit_indirect(&self, program: &mut LinearProgram, columns: &Columns, direct: &[u64]) {
        let tasks = self.sharing.tasks();
        let ceiling =
            |task: usize, resource: usize| self.prepared.ceiling(resource as u32, tasks[task].cluster);
        let blockers = |task: usize| {
            let here =
                move |task: usize, other: usize| other != task && tasks[other].cluster == tasks[task].cluster;
            let both = columns.parts.iter().zip(direct);
            both.filter(move |(parts, count)| **count > 0 && here(task, parts.task))
        };
        for parts in columns.by_task() {
            let task = parts[0].task;
            let sum = |may: &dyn Fn(usize, usize) -> bool| {
                let all = blockers(task)
                    .filter(|(held, _)| may(ceiling(held.task, held.resource) as usize, held.resource));
                all.map(|(_, count)| *count).fold(0, u64::saturating_add)
            };
            for own in parts {
                // It preempts only sections of other resources whose ceilings are no more urgent.
                let boost = ceiling(task, own.resource) as usize;
                let limit = sum(&|held, resource| resource != own.resource && boost <= held);
                program.at_most([own.indirect], limit);
            }
            let most =
                parts.iter().map(|own| ceiling(task, own.resource) as usize).min().unwrap_or(usize::MAX);
            program.at_most(parts.iter().map(|own| own.indirect), sum(&|held, _| most <= held));
        }
    }

    /// Limits local blocking. A less urgent job of the same processor issues a request only while the job is not ready:
    /// one is left when it arrives, and one each time that it has been suspended, which needs a request of another
    /// processor.
    fn limit_local(&self, program: &mut LinearProgram, columns: &Columns, responses: &[u64], index: usize) {
        let cluster = |task: usize| self.sharing.tasks()[task].cluster;
        let suspensions = meetings(self.sharing, responses, index, |other| cluster(other) != cluster(index));
        for task in columns.by_task().filter(|task| cluster(task[0].task) == cluster(index)) {
            let all = task.iter().flat_map(|parts| [parts.direct, parts.indirect, parts.preempting]);
            program.at_most(all, suspensions.saturating_add(1));
        }
    }

    /// Limits waiting: other processors delay a job only while it waits, which is no longer than its requests wait.
    fn limit_waiting(&self, program: &mut LinearProgram, columns: &Columns, responses: &[u64], task: usize) {
        let tasks = self.sharing.tasks();
        let waits = self.sharing.requests(task).iter();
        let wait = |resource| self.wait(responses, task, resource);
        let all = waits.map(|request| wait(request.resource).saturating_mul(request.count()));
        let sum = all.fold(0, u64::saturating_add);
        let remote = columns.parts.iter().filter(|parts| tasks[parts.task].cluster != tasks[task].cluster);
        let gains = |column: usize| (column, program.columns()[column].gain as i64);
        let terms: Vec<_> = remote
            .flat_map(|parts| [parts.direct, parts.indirect])
            .map(gains)
            .filter(|term| term.1 > 0)
            .collect();
        program.row(terms, sum);
    }
}
