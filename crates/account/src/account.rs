//! Account of a real run, from its trace: which threads the kernel ran, which of them took processor time, and why
//! deadlines were missed.

use crate::jobs::misses::{self, Misses};
use crate::jobs::overlong::overlong_sections;
use crate::lost::by_class::ByClass;
use crate::lost::interfering::{self, InterferingThreads};
use crate::results::{AccountResult, Accounted, FromOutsideResult};
use crate::trace::real_run::RealRun;
use crate::witness::{self, Witnessed};
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::Duration;
use schedlab_report::invariants::{check, CheckedResult, InvariantChecks};
use schedlab_report::Context;
use schedlab_trace::Record;
use std::fmt;

/// Account of a real run.
#[derive(Debug)]
pub struct Account {
    /// Account of the kernel's context switches; `None` if the kernel was not asked for them.
    pub kernel: Option<Witnessed>,
    /// Account of the kernel's context switches where the kernel itself decided, so that there are no decisions of
    /// schedlab.
    pub by_class: Option<ByClass>,
    interfering: Option<InterferingThreads>,
    outside: FromOutsideResult,
    checked: Option<Checked>,
    /// Number of jobs that missed their deadlines.
    missed: usize,
    /// Names of the tasks.
    names: Vec<String>,
}

/// Results of a check.
#[derive(Debug)]
struct Checked {
    /// Result for the invariants of the decisions.
    decisions: InvariantChecks,
    /// Reasons for missed deadlines; `None` if the kernel was not asked.
    misses: Option<Misses>,
}

impl Account {
    /// Accounts for `run`. If `checked`, it also judges invariants, and explains missed deadlines. It reports its
    /// progress to `progress`.
    pub fn of(
        prepared: &Prepared,
        run: &RealRun,
        checked: bool,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self, PrepareError> {
        progress("what the kernel says that ran");
        let by_class = ByClass::of(prepared, run, checked);
        let decided = by_class.is_none();
        let kernel = decided.then(|| Witnessed::of(prepared, run, checked)).flatten();
        let checked = checked && decided;
        Ok(Account {
            by_class,
            interfering: kernel.is_some().then(|| interfering::find(run)),
            kernel,
            outside: FromOutsideResult::of(run),
            checked: checked.then(|| Checked::of(prepared, run, progress)).transpose()?,
            missed: run.decisions.iter().filter(|(_, record)| matches!(record, Record::Miss { .. })).count(),
            names: prepared.scenario.tasks.iter().map(|task| task.name.clone()).collect(),
        })
    }

    /// Describes which decisions did not become true; `None` if all did. Without a check, it only examines whether a
    /// thread was on two processors.
    pub fn contradiction(&self) -> Option<String> {
        self.kernel.as_ref()?.contradiction(self.checked.is_some())
    }

    /// False if a check failed.
    pub fn holds(&self) -> bool {
        let by_kernel = self.kernel.as_ref().and_then(|kernel| kernel.invariants.as_ref());
        let agrees = self.contradiction().is_none() && by_kernel.is_none_or(InvariantChecks::holds);
        let keeps = self.by_class.as_ref().is_none_or(ByClass::holds);
        keeps && agrees && self.checked.as_ref().is_none_or(Checked::holds)
    }

    /// Result for the invariants of the decisions, if they were checked.
    pub fn decisions(&self) -> Option<&InvariantChecks> {
        self.checked.as_ref().map(|checked| &checked.decisions)
    }

    /// Result for the invariants of the decisions, or of the kernel's schedule where the kernel decided, if they were
    /// checked.
    fn verdict(&self) -> Option<&InvariantChecks> {
        let of_kernel = self.by_class.as_ref().and_then(|found| found.invariants.as_ref());
        self.decisions().or(of_kernel)
    }

    /// Reasons for missed deadlines, if they were checked and the kernel was asked.
    pub fn misses(&self) -> Option<&Misses> {
        self.checked.as_ref()?.misses.as_ref()
    }

    /// Number of preemptions of holders whose section took longer than the scenario states, if that was checked.
    fn preempted_in_overlong_sections(&self) -> Option<u64> {
        Some(self.decisions()?.outcomes.iter().map(|outcome| outcome.found.excused).sum())
    }

    /// The account as plain values, for programs.
    pub fn accounted(&self) -> Accounted {
        Accounted {
            witness: self
                .by_class
                .as_ref()
                .map(ByClass::witness)
                .or(self.kernel.as_ref().map(Witnessed::witness)),
            lost_time: self.interfering.as_ref().map(InterferingThreads::result),
            from_outside: self.outside.clone(),
            misses: self.misses().map(Misses::result),
            longest_responses: self.misses().map(|misses| misses.longest.clone()),
            invariants_hold: self.verdict().map(InvariantChecks::holds),
            holders_preempted_in_overlong_sections: self.preempted_in_overlong_sections(),
        }
    }

    /// The account as plain values, with its text and the judgements.
    pub fn result(&self) -> AccountResult {
        AccountResult { accounted: self.accounted(), judgements: self.judgements(), text: self.to_string() }
    }

    /// Judgements of a check besides the invariants of the schedule that the threads recorded; empty if the kernel was
    /// not asked.
    pub fn judgements(&self) -> Vec<CheckedResult> {
        let contradicted =
            |name, detail: Option<String>| CheckedResult { name, holds: detail.is_none(), detail };
        let keeps = |name, verdict: &InvariantChecks| {
            let broken = verdict.outcomes.iter().find(|outcome| !outcome.holds());
            let detail = broken.map(|outcome| {
                format!("{}: {}", outcome.invariant.name(), outcome.detail().unwrap_or_default())
            });
            CheckedResult { name, holds: verdict.holds(), detail }
        };
        if let Some(found @ ByClass { invariants: Some(verdict), .. }) = &self.by_class {
            let agree = contradicted("threads_and_kernel_agree", found.contradiction());
            return vec![keeps("kernel_schedule_keeps_invariants", verdict), agree];
        }
        let (Some(checked), Some(kernel)) = (&self.checked, &self.kernel) else { return Vec::new() };
        let missed = checked.misses.as_ref().map(|misses| CheckedResult {
            name: "misses_are_explained",
            holds: misses.unexplained.is_empty(),
            detail: Some(format!("{} missed their deadlines{misses}", self.missed)),
        });
        let came_true = contradicted("decisions_came_true", self.contradiction());
        let seen = kernel.invariants.as_ref().map(|verdict| keeps("kernel_trace_keeps_invariants", verdict));
        [keeps("decisions_keep_invariants", &checked.decisions)]
            .into_iter()
            .chain(seen)
            .chain([came_true])
            .chain(missed)
            .collect()
    }

    /// Results of a check as text: violated invariants, by decisions and as the kernel saw the run. One line each, if
    /// there are any.
    pub fn check(&self) -> impl fmt::Display + '_ {
        Check(self)
    }
}

struct Check<'a>(&'a Account);

impl fmt::Display for Check<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Account { checked, kernel, names, .. } = self.0;
        let Some(checked) = checked else { return Ok(()) };
        witness::write_violations(f, "", &checked.decisions)?;
        if let Some(kernel) = kernel {
            kernel.write_verdict(f, names)?;
        }
        match self.0.preempted_in_overlong_sections() {
            None | Some(0) => Ok(()),
            Some(count) => writeln!(
                f,
                "{count} times a holder was preempted whose section took longer than the scenario says"
            ),
        }
    }
}

/// Prints the measurements, a line each, without the results of a check.
impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.by_class, &self.kernel) {
            (Some(found), _) => write!(f, "{found}")?,
            (None, None) => {
                writeln!(f, "the kernel's context switches are missing: it needs CAP_PERFMON or root")?
            }
            (None, Some(found)) => witness::write(f, &found.agreement, &self.names)?,
        }
        if let Some(interfering) = &self.interfering {
            write!(f, "{interfering}")?;
        }
        write!(f, "{}", self.outside)
    }
}

impl Checked {
    fn of(prepared: &Prepared, run: &RealRun, progress: &mut dyn FnMut(&str)) -> Result<Self, PrepareError> {
        progress("the invariants on the decisions");
        // Decisions have no measuring error: they are what the engine says. How true they became, the kernel says.
        let overlong = overlong_sections(prepared, run);
        let context = Context { tolerance: Duration::ZERO, overlong, ..prepared.context() };
        let decisions = check(&context, run.decisions.iter().copied());
        Ok(Checked { decisions, misses: misses::explain(prepared, run, progress)? })
    }

    fn holds(&self) -> bool {
        let explained = self.misses.as_ref().is_none_or(|misses| misses.unexplained.is_empty());
        self.decisions.holds() && explained
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::{one_task, ran, OWN};
    use cpu_time::ThreadTime;
    use schedlab_scenario::Scenario;
    use schedlab_trace::Timeline;

    /// A task of 180 us each 20 us, for which nine of ten jobs wait: the kernel says that its thread had the processor
    /// all the time.
    fn overloaded(jobs: u64) -> (Prepared, RealRun) {
        let text = format!(
            "schedlab = 1\nscheduler = \"G-EDF\"\nhorizon = \"{} us\"\n[platform]\nprocessors = 1\n[[task]]\n\
             name = \"a\"\nwcet = \"180 us\"\nperiod = \"20 us\"\nwcet_may_exceed_deadline = true\n",
            20 * jobs
        );
        let prepared = Prepared::new(&Scenario::parse("late.toml", &text).unwrap()).unwrap();
        let mut timeline = Timeline::default();
        prepared.simulate(&mut timeline, &mut |_| true).unwrap();
        (prepared, one_task(timeline.records, ran(OWN, 0, 20 * jobs).to_vec(), 0))
    }

    /// Many late jobs are judged soon: if each were looked for among all others, this would take minutes.
    #[test]
    fn many_late_jobs_are_judged_soon() {
        let jobs = 150_000;
        let (prepared, run) = overloaded(jobs);
        let start = ThreadTime::now();
        let account = Account::of(&prepared, &run, true, &mut |_| {}).unwrap();
        let took = start.elapsed();
        assert!(account.holds());
        assert_eq!(account.misses().unwrap().of_schedule as u64, jobs);
        let judged: Vec<_> = account.judgements().into_iter().map(|one| (one.name, one.holds)).collect();
        let names = [
            "decisions_keep_invariants",
            "kernel_trace_keeps_invariants",
            "decisions_came_true",
            "misses_are_explained",
        ];
        assert_eq!(judged, names.map(|name| (name, true)));
        let why = account.judgements()[3].detail.clone();
        assert_eq!(why.as_deref(), Some("150000 missed their deadlines (150000 by the schedule itself)"));
        assert!(took.as_secs() < 15, "{took:?}");
    }

    /// Without the kernel's switches their results are missing, and the decisions are judged all the same.
    #[test]
    fn without_the_kernel_nothing_is_explained() {
        let (prepared, run) = overloaded(3);
        let unasked = RealRun { switches: None, ..run };
        let account = Account::of(&prepared, &unasked, true, &mut |_| {}).unwrap();
        assert!(account.misses().is_none() && account.decisions().unwrap().holds() && account.holds());
        assert!(account.to_string().starts_with("the kernel's context switches are missing"), "{account}");
        assert!(account.accounted().misses.is_none() && account.judgements().is_empty());
    }
}
