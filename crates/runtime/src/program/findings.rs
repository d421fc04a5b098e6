//! What a run's user wants to know: jobs, misses, latencies; and, if asked, whether all of it is as it should be.

use crate::decide::replay::replay;
use crate::program::found::{Decider, RunEnding, RunFindings, RunJobs};
use crate::program::system;
use crate::program::workload::Completions;
use crate::record::outcome::{Ending, Outcome};
use schedlab_account::{distribution, Account, ByClass, RealRun};
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::{Duration, Instant, TaskId};
use schedlab_report::invariants::InvariantChecks;
use schedlab_sim::Setup;
use schedlab_trace::Record;
use std::fmt;

/// What every output of a run without priorities says.
pub const UNPRIVILEGED: &str =
    "warning: without real-time priorities: other threads got in the way, so latencies and misses \
                                say nothing of the scheduler";

/// Everything that is said of a run.
pub struct Findings {
    ending: Ending,
    end: Instant,
    jobs: (u64, u64, u64),
    release: Vec<Duration>,
    /// What the run's trace says of it.
    pub account: Account,
    names: Vec<String>,
    runaways: Vec<TaskId>,
    kept_waiting: Vec<TaskId>,
    /// Budgets that ended before their jobs.
    overruns: usize,
    traced_lost: u64,
    background: Vec<Option<Duration>>,
    unprivileged: bool,
    /// Whether the engine decides the same again when it is given the same inputs, if that was checked;
    /// [`Replay::Unknown`] if that was too much to remember.
    replay: Option<Replay>,
    completions: Option<Completions>,
}

/// What a replay of the decisions found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replay {
    Exact,
    Differs,
    Unknown,
}

fn replay_of(prepared: &Prepared, outcome: &Outcome) -> Result<Replay, PrepareError> {
    let setup = Setup { horizon: outcome.end(), ..prepared.setup_without_overheads() };
    let mut again = Vec::new();
    for (domain, inputs) in system::domains(prepared)?.into_iter().zip(&outcome.inputs) {
        again.push(inputs.as_ref().map(|inputs| replay(domain, &setup, inputs).records));
    }
    // What did not fit into memory cannot be compared.
    let whole = !outcome.decisions.iter().any(|(_, record)| matches!(record, Record::Lost { .. }));
    let again = again.into_iter().collect::<Option<Vec<_>>>().filter(|_| whole);
    let Some(records) = again else { return Ok(Replay::Unknown) };
    let mut all: Vec<_> = records.into_iter().flatten().collect();
    all.retain(|(_, record)| !matches!(record, Record::End));
    all.sort_by_key(|(at, _)| *at);
    let is_same = all == outcome.decisions[..outcome.decisions.len() - 1];
    Ok(if is_same { Replay::Exact } else { Replay::Differs })
}

/// Where the kernel decided: what was found, if that was checked.
fn judged(found: &ByClass) -> Option<(&ByClass, &InvariantChecks)> {
    found.invariants.as_ref().map(|verdict| (found, verdict))
}

impl Findings {
    /// Looks at `outcome`, whose trace says `run`. If `checked`, also at whether all is as it should be. Says in
    /// `progress` what it does.
    pub fn of(
        prepared: &Prepared,
        outcome: &Outcome,
        run: &RealRun,
        checked: bool,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self, PrepareError> {
        let overran = |(_, record): &&(Instant, Record)| matches!(record, Record::Budget { .. });
        let mut release: Vec<Duration> =
            outcome.release_latencies().into_iter().map(|(_, length)| length).collect();
        release.sort_unstable();
        let account = Account::of(prepared, run, checked, progress)?;
        progress("replaying the decisions");
        // Where the kernel decides, there is nothing to decide again.
        let decided = checked && account.by_class.is_none();
        let summary = &outcome.summary;
        Ok(Findings {
            replay: decided.then(|| replay_of(prepared, outcome)).transpose()?,
            ending: outcome.ending,
            end: outcome.end(),
            jobs: (summary.jobs_arrived, summary.jobs_completed, summary.jobs_missed),
            release,
            account,
            names: prepared.scenario.tasks.iter().map(|task| task.name.clone()).collect(),
            runaways: outcome.runaways.clone(),
            kept_waiting: outcome.kept_waiting.clone(),
            overruns: outcome.decisions.iter().filter(overran).count(),
            traced_lost: outcome.traced_lost,
            background: outcome.background.clone(),
            unprivileged: !run.has_priorities,
            completions: None,
        })
    }

    /// With when the programs over many jobs were completed.
    pub fn with_programs(self, completions: Option<Completions>) -> Self {
        Findings { completions, ..self }
    }

    /// True if the run did what it was for: it reached its horizon, or there was nothing left to do.
    pub fn is_whole(&self) -> bool {
        let done = self.completions.as_ref().is_some_and(|all| all.nothing_left);
        self.ending == Ending::Horizon || self.ending == Ending::Stopped && done
    }

    /// False if a check failed.
    pub fn holds(&self) -> bool {
        self.replay != Some(Replay::Differs) && self.account.holds()
    }
}

impl Findings {
    /// The findings for programs.
    pub fn result(&self) -> RunFindings {
        let (ending, crashed) = match self.ending {
            Ending::Horizon => (RunEnding::Horizon, None),
            Ending::Stopped if self.is_whole() => (RunEnding::ProgramsCompleted, None),
            Ending::Stopped => (RunEnding::Stopped, None),
            Ending::Crashed(task) => (RunEnding::Crashed, Some(self.names[task.index()].clone())),
            Ending::Starved => (RunEnding::Starved, None),
        };
        let (arrived, completed, missed) = self.jobs;
        let names =
            |of: &[TaskId]| of.iter().map(|task| self.names[task.index()].clone()).collect::<Vec<_>>();
        RunFindings {
            accounted: self.account.accounted(),
            holds: self.holds(),
            ending,
            whole: self.is_whole(),
            crashed,
            end_ns: self.end.as_ns(),
            jobs: RunJobs { arrived, completed, missed },
            release_latency: distribution::of(&self.release),
            decided_by: if self.account.by_class.is_some() { Decider::Kernel } else { Decider::Schedlab },
            replay_is_exact: match self.replay {
                Some(Replay::Exact) => Some(true),
                Some(Replay::Differs) => Some(false),
                Some(Replay::Unknown) | None => None,
            },
            overruns: self.overruns,
            tracer_lost: self.traced_lost,
            background_ns: self.background.iter().map(|got| got.map(Duration::as_ns)).collect(),
            warning: self.unprivileged.then_some(UNPRIVILEGED),
            programs: self.completions.clone(),
            runaways: names(&self.runaways),
            kept_waiting: names(&self.kept_waiting),
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        distribution::write(f, "arrival to first instruction", &self.release)?;
        write!(f, "{}", self.account)?;
        self.besides(f)?;
        for task in &self.runaways {
            let name = &self.names[task.index()];
            writeln!(
                f,
                "task {name} did not end with the run: its thread was shut in, without its priority"
            )?;
        }
        for task in &self.kept_waiting {
            let name = &self.names[task.index()];
            writeln!(f, "task {name} waited for a section when the run was over, and never got it")?;
        }
        match self.ending {
            Ending::Horizon => {}
            Ending::Stopped if self.is_whole() => {}
            Ending::Stopped => writeln!(f, "stopped at {}: what comes after is not there", self.end)?,
            Ending::Crashed(task) => {
                writeln!(
                    f,
                    "the code of task {} crashed: the run ended at {}",
                    self.names[task.index()],
                    self.end
                )?;
            }
            Ending::Starved => writeln!(
                f,
                "real-time threads starved the machine: the watchdog took them their priority at {}",
                self.end
            )?,
        }
        self.verdict(f)
    }
}

impl Findings {
    /// What not every run has.
    fn besides(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.overruns > 0 {
            writeln!(f, "{} jobs exceeded their WCETs", self.overruns)?;
        }
        for (at, got) in self.background.iter().enumerate() {
            match got {
                Some(got) => writeln!(f, "background thread {at} got {got} of processor time")?,
                None => writeln!(f, "background thread {at} did not end")?,
            }
        }
        if let Some(completions) = &self.completions {
            writeln!(f, "{completions}")?;
        }
        if self.traced_lost > 0 {
            writeln!(f, "{} of the tracer's records are missing: its rings were full", self.traced_lost)?;
        }
        if self.unprivileged {
            writeln!(f, "{UNPRIVILEGED}")?;
        }
        Ok(())
    }

    fn verdict(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (arrived, completed, missed) = self.jobs;
        if let (Some(replay), Some(decisions)) = (self.replay, self.account.decisions()) {
            write!(f, "{}", self.account.check())?;
            let replay = match replay {
                Replay::Exact => "the replay is exact",
                Replay::Differs => "THE REPLAY DIFFERS",
                Replay::Unknown => "too long a run to replay",
            };
            let (holds, count) = (decisions.holds(), decisions.outcomes.len());
            let invariants = if holds { "hold" } else { "ARE VIOLATED" };
            let word = if self.holds() { "ok" } else { "FAILED" };
            let is_contradicted = self.account.contradiction().is_some();
            let kernel = if is_contradicted { "THE KERNEL CONTRADICTS THE DECISIONS; " } else { "" };
            write!(f, "{word}: {replay}; {count} invariants {invariants}; {kernel}")?;
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
        writeln!(f)
    }
}
