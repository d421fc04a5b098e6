//! One task of a [`Scene`], as text.

use super::scene::Scene;
use std::fmt::Write as _;

/// When its jobs arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// Every period.
    Periodic,
    /// Each up to so much later.
    Sporadic(u64),
    /// At these times.
    Listed(Vec<u64>),
}

/// A stretch of its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// It executes.
    Execute(u64),
    /// It executes without being preempted.
    NonPreemptive(u64),
    /// It suspends itself.
    Suspend(u64),
    /// It holds units of a resource.
    Section {
        /// Which.
        resource: u64,
        /// How many units.
        units: u64,
        /// For how long.
        length: u64,
        /// Afterwards it requests this resource too, for so long.
        inner: Option<(u64, u64)>,
    },
    /// It executes the sections of this resource for others.
    Serve(u64),
}

/// How much less than its WCET jobs need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Less {
    /// Nothing.
    Never,
    /// A quarter of all costs.
    Always,
    /// Anything.
    Random,
}

/// One task; times in nanoseconds.
#[derive(Clone, Debug)]
pub struct SceneTask {
    /// Of its arrivals, or their least distance.
    pub period: u64,
    /// After the arrival.
    pub relative_deadline: u64,
    /// When its first job may arrive.
    pub offset: u64,
    /// Of its releases.
    pub jitter: u64,
    /// At unknown points.
    pub suspension: u64,
    /// After the arrival; read where priority points are given.
    pub point: u64,
    /// Where it is.
    pub cluster: u64,
    /// Smaller is more urgent.
    pub priority: u64,
    /// In bytes.
    pub working_set: u64,
    /// When its jobs arrive.
    pub when: When,
    /// What they need.
    pub less: Less,
    /// When it joins and leaves.
    pub stay: Option<(u64, u64)>,
    /// It has another WCET and period from a time on.
    pub change: Option<(u64, u64, u64)>,
    /// Whose component it is.
    pub supertask: Option<u64>,
    /// What completions are worth, as the scenario says it.
    pub worth: Option<String>,
    /// What a job executes when it is given up: for how long, and what that is worth.
    pub handler: Option<(u64, u64)>,
    /// What a job does.
    pub program: Vec<Part>,
}

impl SceneTask {
    /// The sum of its executions.
    pub fn wcet(&self) -> u64 {
        self.program.iter().map(Part::executes).sum()
    }

    pub(super) fn scale(&mut self, factor: u64) {
        let scale = |length: &mut u64| *length = (*length * factor / 10_000).max(1);
        for part in &mut self.program {
            match part {
                Part::Execute(length) | Part::NonPreemptive(length) => scale(length),
                Part::Section { length, inner, .. } => {
                    scale(length);
                    inner.iter_mut().for_each(|(_, length)| scale(length));
                }
                Part::Suspend(_) | Part::Serve(_) => {}
            }
        }
        if let Some((_, wcet, _)) = &mut self.change {
            scale(wcet);
        }
    }

    pub(super) fn write(&self, scene: &Scene, text: &mut String) {
        let SceneTask { period, relative_deadline, offset, jitter, suspension, .. } = self;
        let join = self.stay.map_or(0, |stay| stay.0);
        let _ = writeln!(text, "period = \"{period}ns\"\ndeadline = \"{relative_deadline}ns\"");
        let _ = writeln!(text, "offset = \"{}ns\"\njitter = \"{jitter}ns\"", offset + join);
        if *suspension > 0 {
            let _ = writeln!(text, "suspension = \"{suspension}ns\"");
        }
        if self.working_set > 0 {
            let _ = writeln!(text, "working_set = {}", self.working_set);
        }
        if scene.scheduler.ends_with("-FP") {
            let _ = writeln!(text, "priority = {}", self.priority);
        }
        if scene.scheduler.ends_with("-GEL") {
            let _ = writeln!(text, "priority_point = \"{}ns\"", self.point);
        }
        if scene.cluster_count() > 1 && scene.split.is_none() {
            let _ = writeln!(text, "cluster = {}", self.cluster);
        }
        if let Some(supertask) = self.supertask {
            let _ = writeln!(text, "supertask = \"s{supertask}\"");
        }
        if let Some((join, leave)) = self.stay {
            let _ = writeln!(text, "join = \"{join}ns\"\nleave = \"{leave}ns\"");
        }
        if let Some((at, wcet, period)) = self.change {
            let _ = writeln!(
                text,
                "weights = [{{ at = \"{at}ns\", wcet = \"{wcet}ns\", period = \"{period}ns\" }}]"
            );
        }
        match &self.when {
            When::Periodic => {}
            When::Sporadic(delay) => drop(writeln!(text, "arrival = {{ sporadic = \"{delay}ns\" }}")),
            When::Listed(times) => {
                let times: Vec<String> = times.iter().map(|time| format!("\"{}ns\"", time + join)).collect();
                let _ = writeln!(text, "arrival = {{ at = [{}] }}", times.join(", "));
            }
        }
        if let Some(worth) = &self.worth {
            let _ = writeln!(text, "utility = {worth}");
        }
        if let Some((cost, worth)) = self.handler {
            let _ = writeln!(text, "abort_handler = {{ cost = \"{cost}ns\", utility = {worth} }}");
        }
        self.write_costs(text);
    }

    fn write_costs(&self, text: &mut String) {
        let wcet = self.wcet();
        match self.less {
            Less::Never => {}
            Less::Always => text.push_str("cost = { fraction = 0.75 }\n"),
            Less::Random => drop(writeln!(text, "cost = {{ uniform = [\"1ns\", \"{wcet}ns\"] }}")),
        }
        if wcet > self.relative_deadline {
            text.push_str("wcet_may_exceed_deadline = true\n");
        }
        if let [Part::Execute(wcet)] = self.program[..] {
            let _ = writeln!(text, "wcet = \"{wcet}ns\"");
            return;
        }
        let steps: Vec<String> = self.program.iter().map(Part::text).collect();
        let _ = writeln!(text, "program = [{}]", steps.join(", "));
    }
}

impl Part {
    fn executes(&self) -> u64 {
        match self {
            Part::Execute(length) | Part::NonPreemptive(length) => *length,
            Part::Section { length, inner, .. } => length + inner.map_or(0, |inner| inner.1),
            Part::Suspend(_) | Part::Serve(_) => 0,
        }
    }

    fn text(&self) -> String {
        match self {
            Part::Execute(length) => format!("\"execute {length}ns\""),
            Part::NonPreemptive(length) => format!("\"np_enter\", \"execute {length}ns\", \"np_exit\""),
            Part::Suspend(length) => format!("\"suspend {length}ns\""),
            Part::Serve(resource) => format!("\"serve R{resource}\""),
            Part::Section { resource, units, length, inner } => {
                let inside = inner.map_or(String::new(), |(inner, length)| {
                    format!("\"request R{inner} {units}\", \"execute {length}ns\", \"release R{inner} {units}\", ")
                });
                let (request, release) =
                    (format!("request R{resource} {units}"), format!("release R{resource} {units}"));
                format!("\"{request}\", \"execute {length}ns\", {inside}\"{release}\"")
            }
        }
    }
}
