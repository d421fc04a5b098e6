//! Rows of plain numbers for a picture of a schedule: times in nanoseconds, tasks, jobs and processors counted from
//! zero.

use super::{Mark, Schedule, Segment};
use schemars::JsonSchema;
use serde::Serialize;

/// A processor; a task, and its job; begin and end.
type SegmentCells = (u16, u32, u32, u64, u64);

/// A task, its job, and the time.
type MarkCells = (u32, u32, u64);

/// A server; begin and end of a stretch; budget at both.
type BudgetCells = (u32, u64, u64, u64, u64);

/// Rows of numbers for a picture of a schedule, with jobs counted from 0. A mark is a task, its job, and the time.
// In the order of the alphabet, as all results are for Python.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Drawing {
    aborts: Vec<MarkCells>,
    arrivals: Vec<MarkCells>,
    /// Task and job, those of the holder, begin, end.
    blockings: Vec<(u32, u32, u32, u32, u64, u64)>,
    /// Budgets that were used up.
    budgets: Vec<MarkCells>,
    completions: Vec<MarkCells>,
    /// Task, job, resource, begin, end.
    critical_sections: Vec<(u32, u32, u32, u64, u64)>,
    deadlines: Vec<MarkCells>,
    /// Begins of abort handlers.
    handlers: Vec<MarkCells>,
    /// Missed deadlines, at the times of the deadlines.
    misses: Vec<MarkCells>,
    /// Processor, kind by its word in the glossary, begin, end.
    overheads: Vec<(u16, &'static str, u64, u64)>,
    /// Budgets that servers are given back: server, time, amount.
    replenishments: Vec<(u32, u64, u64)>,
    /// Processor, task, job, begin, end.
    segments: Vec<SegmentCells>,
    /// Budgets of servers: server, begin, end, budget at the begin and at the end.
    server_budgets: Vec<BudgetCells>,
    /// Deadlines of servers: server, time.
    server_deadlines: Vec<(u32, u64)>,
    /// Names of the budget servers.
    servers: Vec<String>,
    /// Segments in which the job spins.
    spinning: Vec<SegmentCells>,
    /// Windows of granted quanta (Pfair): task, job, release, deadline.
    subtasks: Vec<(u32, u32, u64, u64)>,
    /// Task, job, reason, begin, end.
    waits: Vec<(u32, u32, &'static str, u64, u64)>,
    /// Rests of quanta (Pfair): processor, begin, end.
    wastes: Vec<(u16, u64, u64)>,
    window: (u64, u64),
}

impl Schedule {
    /// Returns the rows of numbers for a picture of the schedule.
    pub fn drawing(&self) -> Drawing {
        let segment = |segment: &Segment| {
            let (job, cpu) = (segment.job, segment.cpu.0);
            (cpu, job.task.0, job.number, segment.from.as_ns(), segment.to.as_ns())
        };
        let overheads = self.overheads.iter().map(|overhead| {
            (overhead.cpu.0, overhead.kind.name(), overhead.from.as_ns(), overhead.to.as_ns())
        });
        let waits = self.waits.iter().map(|wait| {
            let (from, to) = (wait.from.as_ns(), wait.to.as_ns());
            (wait.job.task.0, wait.job.number, wait.reason.into(), from, to)
        });
        let sections = self.critical_sections.iter().map(|section| {
            let (job, from, to) = (section.job, section.from.as_ns(), section.to.as_ns());
            (job.task.0, job.number, section.resource.0, from, to)
        });
        let blockings = self.blockings.iter().map(|blocking| {
            let (waiter, holder) = (blocking.waiter, blocking.holder);
            let (from, to) = (blocking.from.as_ns(), blocking.to.as_ns());
            (waiter.task.0, waiter.number, holder.task.0, holder.number, from, to)
        });
        let subtasks = self.subtasks.iter().map(|subtask| {
            let (job, release, deadline) = (subtask.job, subtask.release.as_ns(), subtask.deadline.as_ns());
            (job.task.0, job.number, release, deadline)
        });
        let wastes = self.wastes.iter().map(|waste| (waste.cpu.0, waste.from.as_ns(), waste.to.as_ns()));
        let stretches = self.servers.stretches.iter().map(|one| {
            let (from, to) = (one.from.as_ns(), one.to.as_ns());
            (one.server, from, to, one.left.as_ns(), one.left_at_end.as_ns())
        });
        let returned = self.servers.replenishments.iter();
        let deadlines = self.servers.deadlines.iter();
        Drawing {
            server_budgets: stretches.collect(),
            server_deadlines: deadlines.map(|one| (one.server, one.at.as_ns())).collect(),
            servers: self.servers.names.clone(),
            replenishments: returned.map(|one| (one.server, one.at.as_ns(), one.amount.as_ns())).collect(),
            window: (self.window.from.as_ns(), self.window.to.as_ns()),
            segments: self.segments.iter().map(segment).collect(),
            spinning: self.segments.iter().filter(|one| one.spinning.is_some()).map(segment).collect(),
            critical_sections: sections.collect(),
            overheads: overheads.collect(),
            waits: waits.collect(),
            blockings: blockings.collect(),
            arrivals: marks(&self.arrivals),
            deadlines: marks(&self.deadlines),
            completions: marks(&self.completions),
            handlers: marks(&self.handlers),
            aborts: marks(&self.aborts),
            misses: marks(&self.misses),
            budgets: marks(&self.budgets),
            wastes: wastes.collect(),
            subtasks: subtasks.collect(),
        }
    }
}

fn marks(marks: &[Mark]) -> Vec<MarkCells> {
    marks.iter().map(|mark| (mark.job.task.0, mark.job.number, mark.at.as_ns())).collect()
}
