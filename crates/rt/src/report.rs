//! What a run's user wants to know: jobs, misses, latencies; and, if asked, whether all of it is as it should be.

use crate::distribution;
use crate::intruders::{self, Intruders};
use crate::kernel_word::{self, KernelWord};
use crate::misses::{self, Misses};
use crate::overlong;
use crate::progress::{Progress, Stage};
use crate::run::UNPRIVILEGED;
use crate::stolen::FromOutside;
use crate::system;
use crate::workload::Completions;
use schedlab_lab::Prepared;
use schedlab_model::{Duration, Instant, TaskId};
use schedlab_report::invariants::{check, Verdict};
use schedlab_report::Context;
use schedlab_runtime::{replay, Ending, Outcome};
use schedlab_sim::Setup;
use schedlab_trace::Record;
use serde_json::{json, Value};
use std::fmt;

/// Everything that is said of a run.
pub struct Findings {
    ending: Ending,
    end: Instant,
    jobs: (u64, u64, u64),
    release: Vec<Duration>,
    /// What the kernel says; nothing if it was not asked.
    pub kernel: Option<KernelWord>,
    intruders: Option<Intruders>,
    from_outside: FromOutside,
    names: Vec<String>,
    runaways: Vec<TaskId>,
    kept_waiting: Vec<TaskId>,
    /// Budgets that ended before their jobs.
    overruns: usize,
    traced_lost: u64,
    background: Vec<Option<Duration>>,
    unprivileged: bool,
    checked: Option<Checked>,
    completions: Option<Completions>,
}

/// What a check found.
struct Checked {
    /// Whether the engine decides the same again when it is told the same; `None` if that was too much to remember.
    replay: Option<bool>,
    invariants: Verdict,
    /// Why deadlines were missed, by the kernel's word.
    misses: Option<Misses>,
}

impl Checked {
    /// How often a holder was preempted whose section took longer than the scenario says.
    fn overlong(&self) -> u64 {
        self.invariants.outcomes.iter().map(|outcome| outcome.found.excused).sum()
    }

    fn holds(&self) -> bool {
        let explained = self.misses.as_ref().is_none_or(|misses| misses.unexplained.is_empty());
        self.replay != Some(false) && self.invariants.holds() && explained
    }
}

/// Looks at `outcome`.
pub fn findings(
    prepared: &Prepared,
    outcome: &Outcome,
    checked: bool,
    unprivileged: bool,
) -> Result<Findings, String> {
    let overran = |(_, record): &&(Instant, Record)| matches!(record, Record::Budget { .. });
    let mut release: Vec<Duration> =
        outcome.release_latencies().into_iter().map(|(_, length)| length).collect();
    release.sort_unstable();
    let mut progress = Progress::begin();
    progress.at(Stage::Kernel);
    let kernel = KernelWord::of(prepared, outcome, checked);
    let checked = if checked { Some(examine(prepared, outcome, &mut progress)?) } else { None };
    drop(progress);
    let summary = &outcome.summary;
    Ok(Findings {
        ending: outcome.ending,
        end: outcome.end(),
        jobs: (summary.jobs_arrived, summary.jobs_completed, summary.jobs_missed),
        release,
        kernel,
        intruders: outcome.witness.is_some().then(|| intruders::find(outcome)),
        from_outside: FromOutside::of(outcome),
        names: prepared.scenario.tasks.iter().map(|task| task.name.clone()).collect(),
        runaways: outcome.runaways.clone(),
        kept_waiting: outcome.kept_waiting.clone(),
        overruns: outcome.decisions.iter().filter(overran).count(),
        traced_lost: outcome.traced_lost,
        background: outcome.background.clone(),
        unprivileged,
        checked,
        completions: None,
    })
}

fn examine(prepared: &Prepared, outcome: &Outcome, progress: &mut Progress) -> Result<Checked, String> {
    progress.at(Stage::Replay);
    let setup = Setup { horizon: outcome.end(), ..system::setup(prepared) };
    let domains = system::domains(prepared).map_err(|error| error.to_string())?;
    let mut again = Vec::new();
    for (domain, told) in domains.into_iter().zip(&outcome.told) {
        again.push(told.as_ref().map(|told| replay(domain, &setup, told).records));
    }
    // What did not fit into memory cannot be compared.
    let whole = !outcome.decisions.iter().any(|(_, record)| matches!(record, Record::Lost { .. }));
    let again = again.into_iter().collect::<Option<Vec<_>>>().filter(|_| whole);
    let replay = again.map(|records| {
        let mut all: Vec<_> = records.into_iter().flatten().collect();
        all.retain(|(_, record)| !matches!(record, Record::End));
        all.sort_by_key(|(at, _)| *at);
        all == outcome.decisions[..outcome.decisions.len() - 1]
    });
    progress.at(Stage::Invariants);
    // Decisions have no measuring error: they are what the engine says. How true they became, the witness says.
    let overlong = overlong::sections(prepared, outcome);
    let context = Context { tolerance: Duration::ZERO, overlong, ..prepared.context() };
    let invariants = check(&context, outcome.decisions.iter().copied());
    Ok(Checked { replay, invariants, misses: misses::explain(prepared, outcome, progress)? })
}

impl Findings {
    /// With when the programs over many jobs were completed.
    pub fn with_programs(self, completions: Option<Completions>) -> Self {
        Findings { completions, ..self }
    }

    /// True if the run did what it was for: it reached its horizon, or there was nothing left to do.
    pub fn is_whole(&self) -> bool {
        let done = self.completions.as_ref().is_some_and(|all| all.nothing_left);
        self.ending == Ending::Horizon || self.ending == Ending::Stopped && done
    }

    /// True if the kernel says that decisions did not become true. Without priorities only one thing is promised, and without a
    /// check only that is looked at: no thread is on two processors.
    fn is_contradicted(&self) -> bool {
        let looked_at = self.checked.is_some() && !self.unprivileged;
        self.kernel.as_ref().is_some_and(|kernel| kernel.word.is_contradicted(looked_at))
    }

    /// False if a check failed.
    pub fn holds(&self) -> bool {
        let by_kernel = self.kernel.as_ref().and_then(|kernel| kernel.invariants.as_ref());
        let agrees = !self.is_contradicted() && by_kernel.is_none_or(Verdict::holds);
        agrees && self.checked.as_ref().is_none_or(Checked::holds)
    }
}

impl Findings {
    /// The findings for programs.
    pub fn to_json(&self) -> Value {
        let ending = match self.ending {
            Ending::Horizon => "horizon".to_owned(),
            Ending::Stopped if self.is_whole() => "programs completed".to_owned(),
            Ending::Stopped => "stopped".to_owned(),
            Ending::Crashed(task) => format!("crashed: {}", self.names[task.index()]),
            Ending::Starved => "starved".to_owned(),
        };
        let (arrived, completed, missed) = self.jobs;
        json!({
            "holds": self.holds(),
            "ending": ending,
            "end_ns": self.end.as_ns(),
            "jobs": { "arrived": arrived, "completed": completed, "missed": missed },
            "release_latency": distribution::to_json(&self.release),
            "witness": self.kernel.as_ref().map(kernel_word::to_json),
            "lost_time": self.intruders.as_ref().map(Intruders::to_json),
            "from_outside": self.from_outside.to_json(),
            "misses": self.checked.as_ref().and_then(|checked| checked.misses.as_ref()).map(Misses::to_json),
            "longest_responses": self.checked.as_ref().and_then(|checked| checked.misses.as_ref()).map(Misses::longest_json),
            "replay_is_exact": self.checked.as_ref().and_then(|checked| checked.replay),
            "invariants_hold": self.checked.as_ref().map(|checked| checked.invariants.holds()),
            "holders_preempted_in_overlong_sections": self.checked.as_ref().map(Checked::overlong),
            "overruns": self.overruns,
            "tracer_lost": self.traced_lost,
            "background_ns": self.background.iter().map(|got| got.map(Duration::as_ns)).collect::<Vec<_>>(),
            "warning": self.unprivileged.then_some(UNPRIVILEGED),
            "programs": self.completions.as_ref().map(Completions::to_json),
            "runaways": self.runaways.iter().map(|task| &self.names[task.index()]).collect::<Vec<_>>(),
            "kept_waiting": self.kept_waiting.iter().map(|task| &self.names[task.index()]).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        distribution::write(f, "arrival to first instruction", &self.release)?;
        match &self.kernel {
            None => {
                writeln!(f, "the kernel's own word of what ran is missing: it needs CAP_PERFMON or root")?
            }
            Some(found) => kernel_word::write(f, &found.word.agreement, &self.names)?,
        }
        if let Some(intruders) = &self.intruders {
            write!(f, "{intruders}")?;
        }
        write!(f, "{}", self.from_outside)?;
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
        if let Some(checked) = &self.checked {
            kernel_word::write_violations(f, "", &checked.invariants)?;
            if let Some(kernel) = &self.kernel {
                kernel.write_verdict(f, &self.names)?;
            }
            if checked.overlong() > 0 {
                let count = checked.overlong();
                writeln!(
                    f,
                    "{count} times a holder was preempted whose section took longer than the scenario says"
                )?;
            }
            let replay = match checked.replay {
                Some(true) => "the replay is exact",
                Some(false) => "THE REPLAY DIFFERS",
                None => "too long a run to replay",
            };
            let (holds, count) = (checked.invariants.holds(), checked.invariants.outcomes.len());
            let invariants = if holds { "hold" } else { "ARE VIOLATED" };
            let word = if self.holds() { "ok" } else { "FAILED" };
            let kernel = if self.is_contradicted() { "THE KERNEL CONTRADICTS THE DECISIONS; " } else { "" };
            write!(f, "{word}: {replay}; {count} invariants {invariants}; {kernel}")?;
        }
        let latency = self.kernel.as_ref().and_then(|kernel| kernel.word.agreement.true_within());
        if let Some(latency) = latency {
            write!(f, "99.9% of decisions true within {latency}; ")?;
        }
        write!(f, "{arrived} jobs arrived, {completed} are complete, {missed} missed their deadlines")?;
        if let Some(misses) = self.checked.as_ref().and_then(|checked| checked.misses.as_ref()) {
            write!(f, "{misses}")?;
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::ran;
    use cpu_time::ThreadTime;
    use schedlab_scenario::Scenario;
    use schedlab_trace::Timeline;

    /// A task of 180 us each 20 us, for which nine of ten jobs wait: the kernel says that its thread had the processor all the time.
    fn overloaded(jobs: u64) -> (Prepared, Outcome) {
        let text = format!(
            "schedlab = 1\nscheduler = \"G-EDF\"\nhorizon = \"{} us\"\n[platform]\nprocessors = 1\n[[task]]\n\
             name = \"a\"\nwcet = \"180 us\"\nperiod = \"20 us\"\nwcet_may_exceed_deadline = true\n",
            20 * jobs
        );
        let prepared = Prepared::new(&Scenario::parse("late.toml", &text).unwrap()).unwrap();
        let mut timeline = Timeline::default();
        prepared.simulate(&mut timeline, &mut |_| true).unwrap();
        let outcome = Outcome {
            decisions: timeline.records,
            told: vec![None],
            processors: vec![0],
            threads: vec![7],
            witness: Some((ran(7, 0, 20 * jobs).to_vec(), 0)),
            ..Outcome::default()
        };
        (prepared, outcome)
    }

    /// Where each late job was looked for among all others, these took minutes.
    #[test]
    fn many_late_jobs_are_judged_soon() {
        let jobs = 150_000;
        let (prepared, outcome) = overloaded(jobs);
        let start = ThreadTime::now();
        let kernel = KernelWord::of(&prepared, &outcome, true).unwrap();
        let checked = examine(&prepared, &outcome, &mut Progress::hidden()).unwrap();
        let took = start.elapsed();
        assert!(kernel.invariants.unwrap().holds() && checked.holds());
        assert_eq!(checked.misses.unwrap().of_schedule as u64, jobs);
        assert!(took.as_secs() < 15, "{took:?}");
    }
}
