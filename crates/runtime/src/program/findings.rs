//! The findings of a run for its user: jobs, misses, latencies; and, if asked, whether all of it is as it should be.

use crate::engine::replay::replay;
use crate::program::by_kernel;
use crate::program::results::{Decider, EventFindings, RunEnding, RunFindings, RunJobs};
use crate::program::system;
use crate::program::workload::Completions;
use crate::record::call_counts::CallCounts;
use crate::record::outcome::{Ending, Outcome};
use schedlab_account::{distribution, Account, ByClass, RealRun};
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::{Duration, Instant, JobId, Overrun, TaskId};
use schedlab_report::invariants::InvariantChecks;
use schedlab_scenario::TaskSpec;
use schedlab_sim::{Setup, Summary};
use schedlab_trace::{about, Record};
use std::collections::BTreeMap;
use std::fmt;

/// The warning in every output of a run without priorities.
pub const UNPRIVILEGED: &str =
    "warning: without real-time priorities: other threads got in the way, so latencies and misses \
                                say nothing of the scheduler";

/// All findings of a run.
pub struct Findings {
    /// The findings as plain values, for programs.
    found: RunFindings,
    release: Vec<Duration>,
    /// False if this was checked, and threads did not execute in quanta that the kernel gave them in time.
    quanta_are_used: bool,
    /// The account of the run's trace.
    pub account: Account,
}

/// True if the engine decides the same again from the same inputs; none if these were too many to keep, or if they are
/// all that the engine's decisions were made from: where the kernel decided, another replay shows nothing.
fn replay_is_exact(prepared: &Prepared, outcome: &Outcome) -> Result<Option<bool>, PrepareError> {
    if outcome.native.is_some() {
        return Ok(None);
    }
    let setup = Setup { horizon: outcome.end(), ..prepared.real_setup() };
    let mut again = Vec::new();
    let event_driven: Vec<bool> = outcome.calls.iter().map(Option::is_some).collect();
    for (domain, inputs) in system::domains(prepared, &event_driven)?.into_iter().zip(&outcome.inputs) {
        again.push(inputs.as_ref().map(|inputs| replay(domain, &setup, inputs).records));
    }
    // Inputs that did not fit into memory cannot be replayed.
    let whole = !outcome.decisions.iter().any(|(_, record)| matches!(record, Record::Lost { .. }));
    let again = again.into_iter().collect::<Option<Vec<_>>>().filter(|_| whole);
    let Some(records) = again else { return Ok(None) };
    let mut all: Vec<_> = records.into_iter().flatten().collect();
    all.retain(|(_, record)| !matches!(record, Record::End));
    all.sort_by_key(|(at, _)| *at);
    Ok(Some(all == outcome.decisions[..outcome.decisions.len() - 1]))
}

/// False if this is checked, and threads that took locks by themselves did not do so as the protocol says.
fn locks_hold(outcome: &Outcome, checked: bool) -> bool {
    !checked || outcome.native.is_none_or(|native| native.locks_hold())
}

/// False if the run was to be checked and records of a scheduler in the kernel are missing, or if a thread is no task's
/// any more: what that did is in no decision.
fn is_all_known(outcome: &Outcome, checked: bool) -> bool {
    outcome.strayed.is_empty() && outcome.native.is_none_or(|native| !checked || native.lost_records == 0)
}

/// False if this is checked, and a scheduler in the kernel did not begin a job that should have executed long ago, or
/// stopped jobs so late that they asked for locks meanwhile, or let jobs wait while less urgent ones executed.
fn is_in_time(outcome: &Outcome, checked: bool) -> bool {
    let native = outcome.native.map(|counts| by_kernel::native(counts, None));
    !checked
        || native.is_none_or(|native| {
            by_kernel::begins_all(&native)
                && by_kernel::stops_in_time(&native)
                && by_kernel::keeps_the_order(&native)
                && native.early_overruns == 0
        })
}

/// False if a scheduler in the kernel gave a quantum to a job and the engine did not, or the other way round.
fn chooses_the_same(outcome: &Outcome) -> bool {
    outcome.native.and_then(|native| native.quanta).is_none_or(|quanta| quanta.other_choices == 0)
}

/// Number of jobs that used their WCETs up, where these are enforced. The record of a budget's end may also be about
/// the budget of a server, so that a client counts if it was let execute for its WCET by then.
fn overruns(prepared: &Prepared, decisions: &[(Instant, Record)]) -> usize {
    if prepared.scenario.overruns == Overrun::Ignore {
        return 0;
    }
    let mut executed: BTreeMap<JobId, (Duration, Option<Instant>)> = BTreeMap::new();
    let mut count = 0;
    for (at, record) in decisions {
        let Some(job) = record.job() else { continue };
        let (length, since) = executed.entry(job).or_default();
        if let Some(before) = since.take() {
            (*length, *since) = (*length + (*at - before), Some(*at));
        }
        match record {
            Record::Dispatch { .. } => *since = Some(*at),
            Record::Budget { .. } => {
                let task = job.task.index();
                let is_client = prepared.scenario.tasks[task].server.is_some();
                count += usize::from(!is_client || *length == prepared.tasks[task].wcet.at_unit_speed());
            }
            Record::Preempt { .. } | Record::Suspend { .. } => *since = None,
            Record::Complete { .. } | Record::Abort { .. } => _ = executed.remove(&job),
            about![
                Arrival, Ready, GiveUp, Miss, Link, Resume, Move, Priority, NpEnter, NpExit, requests,
                attempts, machine
            ] => {}
        }
    }
    count
}

/// The calls for the jobs of each event-driven task, and how many jobs arrived by them.
fn events(prepared: &Prepared, outcome: &Outcome) -> Vec<EventFindings> {
    let all = outcome.calls.iter().zip(&prepared.scenario.tasks).zip((0..).map(TaskId));
    let of = |((counts, spec), id): ((&Option<CallCounts>, &TaskSpec), TaskId)| {
        let CallCounts { calls, delayed, refused } = (*counts)?;
        let arrived = |(_, record): &&(Instant, Record)| matches!(record, Record::Arrival { job, .. } if job.task == id);
        let arrived = outcome.decisions.iter().filter(arrived).count() as u64;
        Some(EventFindings { task: spec.name.clone(), calls, arrived, delayed, refused })
    };
    all.filter_map(of).collect()
}

/// The findings where Linux decided, if they were checked.
fn judged(found: &ByClass) -> Option<(&ByClass, &InvariantChecks)> {
    found.invariants.as_ref().map(|verdict| (found, verdict))
}

impl Findings {
    /// Finds what is to be said of `outcome`, whose trace is `run`. If `checked`, also whether all is as it should be.
    /// Reports its progress to `progress`.
    pub fn of(
        prepared: &Prepared,
        outcome: &Outcome,
        run: &RealRun,
        checked: bool,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self, PrepareError> {
        let mut release: Vec<Duration> =
            outcome.release_latencies().into_iter().map(|(_, length)| length).collect();
        release.sort_unstable();
        let account = Account::of(prepared, run, checked, progress)?;
        progress("replaying the decisions");
        // Where the kernel decides, there is nothing to decide again.
        let replay_is_exact =
            account.decisions().map(|_| replay_is_exact(prepared, outcome)).transpose()?.flatten();
        let name = |task: &TaskId| prepared.scenario.tasks[task.index()].name.clone();
        let (ending, crashed) = match outcome.ending {
            Ending::Horizon => (RunEnding::Horizon, None),
            Ending::Stopped => (RunEnding::Stopped, None),
            Ending::Crashed(task) => (RunEnding::Crashed, Some(name(&task))),
            Ending::Starved => (RunEnding::Starved, None),
            Ending::StoodStill => (RunEnding::StoodStill, None),
            Ending::Ejected => (RunEnding::Ejected, None),
        };
        let Summary { jobs_arrived, jobs_completed, jobs_missed, .. } = outcome.summary;
        let agreement = account.kernel.as_ref().map(|kernel| &kernel.agreement);
        let quanta_are_used = !checked || by_kernel::quanta_are_used(outcome.native.as_ref(), agreement);
        let found = RunFindings {
            accounted: account.accounted(),
            holds: ending != RunEnding::Ejected
                && replay_is_exact != Some(false)
                && account.holds()
                && locks_hold(outcome, checked)
                && is_all_known(outcome, checked)
                && is_in_time(outcome, checked)
                && quanta_are_used
                && chooses_the_same(outcome),
            ending,
            whole: ending == RunEnding::Horizon,
            crashed,
            end_ns: outcome.end().as_ns(),
            jobs: RunJobs { arrived: jobs_arrived, completed: jobs_completed, missed: jobs_missed },
            release_latency: distribution::of(&release),
            decided_by: if account.by_class.is_some() { Decider::Kernel } else { Decider::Schedlab },
            backend: outcome.backend.name(),
            declined: by_kernel::declined(&outcome.kernel_scheduler),
            kernel_scheduler: by_kernel::findings(&outcome.kernel_scheduler),
            native: outcome.native.map(|counts| by_kernel::native(counts, agreement)),
            replay_is_exact,
            overruns: overruns(prepared, &outcome.decisions),
            tracer_lost: outcome.traced_lost,
            background_ns: outcome.background.iter().map(|got| got.map(Duration::as_ns)).collect(),
            warning: (!run.has_priorities).then_some(UNPRIVILEGED),
            overflowed: prepared.overflowed_names(),
            programs: None,
            events: events(prepared, outcome),
            runaways: outcome.runaways.iter().map(name).collect(),
            kept_waiting: outcome.kept_waiting.iter().map(name).collect(),
            escaped: outcome.escaped.iter().map(name).collect(),
            strayed: outcome.strayed.iter().map(name).collect(),
        };
        Ok(Findings { found, release, quanta_are_used, account })
    }

    /// Adds when the programs over many jobs were completed: with all of them a run has nothing left to do.
    pub fn with_programs(mut self, completions: Option<Completions>) -> Self {
        let is_done = completions.as_ref().is_some_and(|all| all.nothing_left);
        if is_done && self.found.ending == RunEnding::Stopped {
            (self.found.ending, self.found.whole) = (RunEnding::ProgramsCompleted, true);
        }
        self.found.programs = completions;
        self
    }

    /// The findings as plain values, for programs.
    pub fn result(&self) -> &RunFindings {
        &self.found
    }

    /// True if the run did what it was for: it reached its horizon, or there was nothing left to do.
    pub fn is_whole(&self) -> bool {
        self.found.whole
    }

    /// False if a check failed.
    pub fn holds(&self) -> bool {
        self.found.holds
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        distribution::write(f, "arrival to first instruction", &self.release)?;
        write!(f, "{}", self.account)?;
        self.besides(f)?;
        for name in &self.found.runaways {
            writeln!(
                f,
                "task {name} did not end with the run: its thread was shut in, without its priority"
            )?;
        }
        for name in &self.found.kept_waiting {
            writeln!(f, "task {name} waited for a section when the run was over, and never got it")?;
        }
        for name in &self.found.escaped {
            writeln!(
                f,
                "the thread of task {name} took a real-time class, and was put back: it may have executed without a decision"
            )?;
        }
        for name in &self.found.strayed {
            writeln!(f, "the thread of task {name} took other processors, and was no task's from then on")?;
        }
        let end = Instant::from_ns(self.found.end_ns);
        match self.found.ending {
            RunEnding::Horizon | RunEnding::ProgramsCompleted => {}
            RunEnding::Stopped => writeln!(f, "stopped at {end}: what comes after is not there")?,
            RunEnding::Crashed => {
                let name = self.found.crashed.as_deref().expect("a task crashed");
                writeln!(f, "the code of task {name} crashed: the run ended at {end}")?;
            }
            RunEnding::Starved if self.found.kernel_scheduler.is_some() => writeln!(
                f,
                "other threads of the machine got nothing of a processor for too long: the watchdog ended the run at \
                 {end}"
            )?,
            RunEnding::Starved => writeln!(
                f,
                "real-time threads starved the machine: the watchdog took them their priority at {end}"
            )?,
            RunEnding::StoodStill => writeln!(
                f,
                "the run stood still until {end}: its threads waited for one that it had stopped in code that others \
                 must not wait for, such as malloc. Let jobs allocate nothing, or give each thread its own memory"
            )?,
            RunEnding::Ejected => {
                let why = self.found.kernel_scheduler.as_ref().and_then(|found| found.end.as_deref());
                let why = why.unwrap_or("for an unknown reason");
                writeln!(f, "the scheduler in the kernel was gone at {end}, where the run ends: {why}")?;
            }
        }
        self.verdict(f)
    }
}

impl Findings {
    /// Prints the findings that not every run has.
    fn besides(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunFindings { overruns, background_ns, programs, tracer_lost, warning, .. } = &self.found;
        if *overruns > 0 {
            writeln!(f, "{overruns} jobs exceeded their WCETs")?;
        }
        for EventFindings { task, calls, arrived, delayed, refused } in &self.found.events {
            writeln!(
                f,
                "{calls} calls for task {task}: {arrived} jobs arrived; {delayed} calls came too early and were delayed, \
                 {refused} refused"
            )?;
        }
        for (index, got) in background_ns.iter().enumerate() {
            match got.map(Duration::from_ns) {
                Some(got) => writeln!(f, "background thread {index} got {got} of processor time")?,
                None => writeln!(f, "background thread {index} did not end")?,
            }
        }
        if let Some(completions) = programs {
            writeln!(f, "{completions}")?;
        }
        if *tracer_lost > 0 {
            writeln!(f, "{tracer_lost} of the tracer's records are missing: its rings were full")?;
        }
        by_kernel::write(f, &self.found)?;
        if let Some(warning) = warning {
            writeln!(f, "{warning}")?;
        }
        Ok(())
    }

    fn verdict(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunJobs { arrived, completed, missed } = self.found.jobs;
        if let Some(decisions) = self.account.decisions() {
            write!(f, "{}", self.account.check())?;
            let replay = match (self.found.replay_is_exact, &self.found.native) {
                (Some(true), _) => "the replay is exact".to_owned(),
                (Some(false), _) => "THE REPLAY DIFFERS".to_owned(),
                (None, Some(native)) => {
                    by_kernel::compared(native, self.account.kernel.as_ref().map(|kernel| &kernel.agreement))
                }
                (None, None) => "too long a run to replay".to_owned(),
            };
            let (holds, count) = (decisions.holds(), decisions.outcomes.len());
            let invariants = if holds { "hold" } else { "ARE VIOLATED" };
            let word = if self.holds() { "ok" } else { "FAILED" };
            let is_contradicted = self.account.contradiction().is_some();
            let kernel = if is_contradicted { "THE KERNEL CONTRADICTS THE DECISIONS; " } else { "" };
            let quanta = if self.quanta_are_used { "" } else { "QUANTA WERE NOT USED; " };
            let locks = if by_kernel::locks_hold(&self.found) { "" } else { "THE LOCKS FAILED; " };
            let gone = self.found.ending == RunEnding::Ejected;
            let gone = if gone { "THE SCHEDULER IN THE KERNEL WAS TAKEN AWAY; " } else { "" };
            write!(f, "{word}: {gone}{replay}; {count} invariants {invariants}; {kernel}{quanta}{locks}")?;
        }
        if let Some((found, verdict)) = self.account.by_class.as_ref().and_then(judged) {
            let invariants = if verdict.holds() { "hold" } else { "ARE VIOLATED" };
            let (word, count) = (if self.holds() { "ok" } else { "FAILED" }, verdict.outcomes.len());
            let (wrong, all) = found.against;
            let words = format!("{} of {all} words of threads agree with the kernel", all - wrong);
            write!(f, "{word}: Linux decided; {count} invariants {invariants}; {words}; ")?;
        }
        let latency = self.account.kernel.as_ref().and_then(|kernel| kernel.agreement.true_within());
        if let Some(latency) = latency {
            write!(f, "99.9% of decisions true within {latency}; ")?;
        }
        write!(f, "{arrived} jobs arrived, {completed} are complete, {missed} missed their deadlines")?;
        if let Some(misses) = self.account.misses() {
            write!(f, "{misses}")?;
        }
        by_kernel::write_backend(f, &self.found)?;
        writeln!(f)
    }
}
