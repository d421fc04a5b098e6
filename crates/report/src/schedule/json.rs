//! A schedule as JSON: rows of plain numbers, times in nanoseconds, tasks, jobs and processors from zero.

use super::{Mark, Schedule};
use serde_json::{json, Value};

impl Schedule {
    /// `segments` `[cpu, task, job, start, end]` (those that spin are in `spinning` too), `overheads` `[cpu, kind, start,
    /// end]`, `waits` `[task, job, reason, start, end]`, `critical_sections` `[task, job, resource, start, end]`,
    /// `blockings` `[task, job, holder's task, holder's job, start, end]`, `arrivals`, `deadlines`, `completions`,
    /// `aborts`, `misses`, `budgets` (used up) `[task, job, at]`, `subtasks` `[task, job, release, deadline]` and `wastes` `[cpu, start, end]`.
    pub fn to_json(&self) -> Value {
        let row = |segment: &super::Segment| {
            let (job, cpu) = (segment.job, segment.cpu.0);
            json!([cpu, job.task.0, job.number, segment.from.as_ns(), segment.to.as_ns()])
        };
        let overheads = self.overheads.iter().map(|overhead| {
            json!([overhead.cpu.0, overhead.kind.name(), overhead.from.as_ns(), overhead.to.as_ns()])
        });
        let waits = self.waits.iter().map(|wait| {
            let (from, to) = (wait.from.as_ns(), wait.to.as_ns());
            json!([wait.job.task.0, wait.job.number, wait.reason.as_ref(), from, to])
        });
        let sections = self.critical_sections.iter().map(|section| {
            let (job, from, to) = (section.job, section.from.as_ns(), section.to.as_ns());
            json!([job.task.0, job.number, section.resource.0, from, to])
        });
        json!({
            "window": [self.window.from.as_ns(), self.window.to.as_ns()],
            "segments": self.segments.iter().map(row).collect::<Value>(),
            "spinning": self.segments.iter().filter(|segment| segment.spinning.is_some()).map(row).collect::<Value>(),
            "overheads": overheads.collect::<Value>(),
            "waits": waits.collect::<Value>(),
            "critical_sections": sections.collect::<Value>(),
            "blockings": self.blockings.iter().map(|blocking| {
                let (waiter, holder) = (blocking.waiter, blocking.holder);
                let (from, to) = (blocking.from.as_ns(), blocking.to.as_ns());
                json!([waiter.task.0, waiter.number, holder.task.0, holder.number, from, to])
            }).collect::<Value>(),
            "arrivals": marks(&self.arrivals),
            "deadlines": marks(&self.deadlines),
            "completions": marks(&self.completions),
            "aborts": marks(&self.aborts),
            "misses": marks(&self.misses),
            "budgets": marks(&self.budgets),
            "subtasks": self.subtasks.iter().map(|subtask| {
                let (job, release, deadline) = (subtask.job, subtask.release.as_ns(), subtask.deadline.as_ns());
                json!([job.task.0, job.number, release, deadline])
            }).collect::<Value>(),
            "wastes": self.wastes.iter().map(|waste| {
                json!([waste.cpu.0, waste.from.as_ns(), waste.to.as_ns()])
            }).collect::<Value>(),
        })
    }
}

fn marks(marks: &[Mark]) -> Value {
    marks.iter().map(|mark| json!([mark.job.task.0, mark.job.number, mark.at.as_ns()])).collect()
}
