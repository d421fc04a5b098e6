//! The kernel's own context switches as a witness: how far they were from the decisions, and whether they keep the
//! invariants.

pub(crate) mod agreement;
pub mod distribution;
pub(crate) mod kernel_trace;

use crate::jobs::Jobs;
use crate::results::Witness;
use crate::trace::real_run::RealRun;
use crate::witness::agreement::Agreement;
use crate::witness::kernel_trace::KernelTrace;
use schedlab_lab::{Prepared, OF_DECISIONS};
use schedlab_model::{Invariant, TaskId};
use schedlab_report::invariants::{check, InvariantChecks};
use schedlab_report::Context;
use std::fmt;

/// Account of the kernel's context switches.
#[derive(Debug)]
pub struct Witnessed {
    /// Agreement of the kernel with the decisions.
    pub agreement: Agreement,
    /// The run as the kernel saw it, if no switches are missing.
    pub trace: Option<KernelTrace>,
    /// Result for the invariants of that trace, if they were checked.
    pub invariants: Option<InvariantChecks>,
    /// False if threads had no real-time priorities: then only one invariant is promised.
    has_priorities: bool,
}

/// Context in which kernel traces are judged. Their preemptions are also those by interrupting threads, to which no
/// protocol can promise anything: that holders keep their processors, decisions alone can show, as they alone keep
/// budgets.
pub fn kernel_context(prepared: &Prepared) -> Context {
    let mut context = prepared.context();
    let is_of_decisions =
        |promise: &Invariant| *promise == Invariant::HoldersAreNotPreempted || OF_DECISIONS.contains(promise);
    context.promises.retain(|promise| !is_of_decisions(promise));
    context
}

impl Witnessed {
    /// Accounts for the kernel's switches; `None` if it was not asked. If `judged`, the invariants are checked.
    pub fn of(prepared: &Prepared, run: &RealRun, judged: bool) -> Option<Self> {
        let (mut agreement, trace) = (Agreement::of(run)?, run.kernel_trace());
        // A trace whose jobs cannot be known is refused where the misses are explained.
        let jobs = judged.then(|| Jobs::of(prepared, run).ok()).flatten();
        agreement.late = jobs.and_then(|jobs| jobs.latest_release(run));
        let context = kernel_context(prepared);
        let judge = |found: &KernelTrace| check(&context, found.records.iter().copied());
        let invariants = trace.as_ref().filter(|_| judged).map(judge);
        Some(Witnessed { agreement, trace, invariants, has_priorities: run.has_priorities })
    }

    /// Describes which decisions did not become true; `None` if all did. Threads that went on without a decision count
    /// where they had real-time priorities, and if that is `looked_at`.
    pub fn contradiction(&self, looked_at: bool) -> Option<String> {
        let Agreement { untrue, on_two, decisions, .. } = self.agreement;
        let is_contradicted = on_two > 0 || looked_at && self.has_priorities && !self.agreement.holds();
        is_contradicted.then(|| {
            let unused = self.agreement.never_came();
            let unused = unused.map(|(_, length)| format!("; one left {length} unused"));
            let late = self.agreement.never_woke();
            let late = late.map(|(_, length)| format!("; one woke up {length} after a release"));
            format!(
                "{untrue} times a thread went on for over {} without a decision, of {decisions} decisions; \
                 {on_two} times one was on two processors{}{}",
                self.agreement.allowed(),
                unused.unwrap_or_default(),
                late.unwrap_or_default()
            )
        })
    }

    /// Describes by how much the kernel trace may be wrong; `name` names a task.
    pub fn measuring_error(&self, name: impl Fn(TaskId) -> String) -> String {
        let mut said = Vec::new();
        if let Some(latency) = self.agreement.true_within() {
            said.push(format!("99.9% of decisions true within {latency}"));
        }
        if let Some((task, at, length)) = self.trace.as_ref().and_then(|found| found.clipped) {
            let name = name(task);
            said.push(format!("clipped as no job's: at most {length}, of the thread of {name} at {at}"));
        }
        said.join("; ")
    }

    /// Prints the verdict on the invariants; `names` are those of the tasks.
    pub(crate) fn write_verdict(&self, f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
        let Some(verdict) = &self.invariants else { return Ok(()) };
        write_violations(f, "by the kernel's switches, ", verdict)?;
        let holds = if verdict.holds() { "hold" } else { "ARE VIOLATED" };
        let error = self.measuring_error(|task| names[task.index()].clone());
        writeln!(f, "by the kernel's switches: {} invariants {holds}; {error}", verdict.outcomes.len())
    }

    /// The account as plain values, for programs.
    pub(crate) fn witness(&self) -> Witness {
        let Witnessed { agreement: found, trace, invariants, .. } = self;
        Witness {
            invariants_hold: invariants.as_ref().map(InvariantChecks::holds),
            clipped_ns: trace.as_ref().map(|found| found.clipped.map_or(0, |(.., length)| length.as_ns())),
            holds: found.holds(),
            starts: distribution::of(&found.starts),
            stops: distribution::of(&found.stops),
            never_ran: found.never_ran,
            on_two_processors: found.on_two,
            untrue: found.untrue as u64,
            lost: found.missing,
        }
    }
}

/// Prints the first violations of each invariant.
pub(crate) fn write_violations(
    f: &mut fmt::Formatter<'_>,
    by: &str,
    verdict: &InvariantChecks,
) -> fmt::Result {
    for outcome in &verdict.outcomes {
        for violation in outcome.found.violations.iter().take(3) {
            writeln!(f, "{by}{}: {violation}", outcome.invariant.name())?;
        }
    }
    Ok(())
}

/// Prints the agreement; `names` are those of the tasks.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, found: &Agreement, names: &[String]) -> fmt::Result {
    distribution::write(f, "decision to run until it was true", &found.starts)?;
    distribution::write(f, "decision to stop until it was true", &found.stops)?;
    if let Some((task, at, length)) = found.unasked {
        let name = &names[task.index()];
        writeln!(f, "longest without a decision that let it: the thread of {name}, {length} at {at}")?;
    }
    if found.never_ran > 0 {
        writeln!(f, "{} decisions changed before they became true", found.never_ran)?;
    }
    if found.unused_quanta > 0 {
        let count = found.unused_quanta;
        writeln!(f, "{count} times a job had a quantum in which its thread never executed")?;
    }
    if found.untrue > 0 {
        writeln!(
            f,
            "{} times a thread went on for over {} without a decision, of {} decisions",
            found.untrue,
            found.allowed(),
            found.decisions
        )?;
    }
    if let Some((task, length)) = found.never_came() {
        let name = &names[task.index()];
        writeln!(
            f,
            "the thread of {name} left {length} in a row unused that decisions gave it: it slept by itself, or may not \
             execute there"
        )?;
    }
    if let Some((task, length)) = found.never_woke() {
        let name = &names[task.index()];
        writeln!(f, "the thread of {name} woke up for a job {length} after its release: its wake-up was lost or held up")?;
    }
    if found.on_two > 0 {
        writeln!(f, "{} times a thread was on two processors", found.on_two)?;
    }
    if found.missing > 0 {
        writeln!(f, "{} context switches are missing: the kernel's rings were full", found.missing)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::of;
    use crate::trace::real_run::Switch;
    use schedlab_model::{CpuId, Instant, JobId, Priority, ResourceId, Work};
    use schedlab_scenario::Scenario;
    use schedlab_trace::{Record, Thread};

    const R: ResourceId = ResourceId(0);
    const JOBS: [JobId; 2] = [JobId { task: TaskId(0), number: 0 }, JobId { task: TaskId(1), number: 0 }];

    /// Under partitioned EDF and MSRP, each of two jobs, on its own processor, executes until 60 ms in all; the
    /// decisions besides, in ms, are `more`. Switches: the time in ms, the task, the processor, and whether its thread
    /// got it. Returns the account of the kernel's switches.
    fn kernel(more: &[(u64, Record)], switches: &[(u64, u32, u16, bool)]) -> Witnessed {
        let task = |name, cpu| {
            format!(
                "[[task]]\nname = \"{name}\"\nwcet = \"20 ms\"\nperiod = \"100 ms\"\nprocessor = {cpu}\n\
                 program = [\"execute 8 ms\", \"request r\", \"execute 4 ms\", \"release r\", \"execute 8 ms\"]\n"
            )
        };
        let text = format!(
            "schedlab = 1\nscheduler = \"P-EDF\"\nprotocol = \"msrp\"\n[platform]\nprocessors = 2\n[[resource]]\nname = \"r\"\n{}{}",
            task("a", 0),
            task("b", 1)
        );
        let prepared = Prepared::new(&Scenario::parse("word.toml", &text).unwrap()).unwrap();
        let at = |ms: u64| Instant::from_ns(ms * 1_000_000);
        let mut decisions = Vec::new();
        for (cpu, job) in JOBS.into_iter().enumerate() {
            let (cluster, cpu) = (schedlab_model::ClusterId(cpu as u16), CpuId(cpu as u16));
            let priority = Priority::new(1, job);
            decisions.extend([
                (at(0), Record::Arrival { job, cost: Work::ZERO, absolute_deadline: at(100) }),
                (at(0), Record::Ready { job, priority, cluster }),
                (at(0), Record::Link { cpu, job: Some(job) }),
                (at(0), Record::Dispatch { cpu, job }),
                (at(60), Record::Complete { job }),
                (at(60), Record::Link { cpu, job: None }),
            ]);
        }
        decisions.extend(more.iter().map(|(ms, record)| (at(*ms), *record)));
        decisions.push((at(99), Record::End));
        decisions.sort_by_key(|(at, _)| *at);
        let switch = |&(ms, task, cpu, to): &(u64, u32, u16, bool)| Switch {
            at: at(ms),
            cpu: CpuId(cpu),
            thread: Thread::Task(TaskId(task)),
            to,
            ready: false,
        };
        let run = of(2, 2, decisions, switches.iter().map(switch).collect(), 0);
        Witnessed::of(&prepared, &run, true).unwrap()
    }

    fn violated(kernel: &Witnessed) -> Vec<Invariant> {
        let verdict = kernel.invariants.as_ref().unwrap();
        verdict.outcomes.iter().filter(|outcome| !outcome.holds()).map(|outcome| outcome.invariant).collect()
    }

    const BOTH: [(u64, u32, u16, bool); 4] =
        [(1, 0, 0, true), (1, 1, 1, true), (61, 0, 0, false), (61, 1, 1, false)];

    #[test]
    fn a_run_that_is_as_decided_is_not_contradicted() {
        let found = kernel(&[], &BOTH);
        assert_eq!((violated(&found), found.contradiction(true)), (vec![], None));
        let error = found.measuring_error(|task| task.to_string());
        assert_eq!(error, "99.9% of decisions true within 1 ms; clipped as no job's: at most 1 ms, of the thread of T0 at 60 ms");
    }

    /// Each holds the resource while the kernel runs the other one in its section.
    #[test]
    fn two_in_a_section_are_seen() {
        let [one, two] = JOBS.map(|job| Record::Acquire { job, resource: R, units: 1 });
        let release = JOBS.map(|job| Record::Release { job, resource: R, units: 1 });
        let found = kernel(&[(10, one), (12, two), (14, release[0]), (16, release[1])], &BOTH);
        assert!(violated(&found).contains(&Invariant::MutualExclusion));
        let found = kernel(&[(10, one), (12, release[0]), (14, two), (16, release[1])], &BOTH);
        assert!(!violated(&found).contains(&Invariant::MutualExclusion));
    }

    /// The first thread appears on the other processor while it is on its own; that one's thread is elsewhere
    /// meanwhile.
    #[test]
    fn a_job_on_two_processors_is_seen() {
        let switches = [(1, 0, 0, true), (20, 0, 1, true), (30, 0, 1, false), (61, 0, 0, false)];
        let apart = kernel(&[], &switches);
        assert_eq!((apart.agreement.on_two, apart.contradiction(false).is_some()), (1, true));
        // Where it was let, for a moment: the invariants see it, too.
        let (cpu, job) = (CpuId(1), JOBS[0]);
        let moved = [(20, Record::Preempt { cpu: CpuId(0), job }), (20, Record::Dispatch { cpu, job })];
        assert!(violated(&kernel(&moved, &switches)).contains(&Invariant::OneProcessorAtATime));
    }

    /// The first job is preempted for good at 10 ms; its thread executes on. It is forgiven once, for hosts stop
    /// processors.
    #[test]
    fn a_job_that_executes_where_another_is_linked_is_seen() {
        let (cpu, job) = (CpuId(0), JOBS[0]);
        let preempted = [(10, Record::Preempt { cpu, job })];
        let once = kernel(&preempted, &BOTH);
        assert_eq!((once.agreement.untrue, once.contradiction(true)), (1, None));
        let twice = [(1, 0, 0, true), (25, 0, 0, false), (30, 0, 0, true), (61, 0, 0, false)];
        let again = kernel(&preempted, &twice);
        let said = "2 times a thread went on for over 10 ms without a decision, of 2 decisions; 0 times one was on two processors";
        assert_eq!(again.contradiction(true).as_deref(), Some(said));
        assert_eq!(again.contradiction(false), None);
        let again = Witnessed { has_priorities: false, ..again };
        assert_eq!(again.contradiction(true), None, "without priorities no more is promised");
    }
}
