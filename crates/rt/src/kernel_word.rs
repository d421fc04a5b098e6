//! What the kernel says that ran: how far it was from what was decided, and whether it keeps the invariants; in words and as JSON.

use crate::distribution;
use schedlab_app::kernel_trace::{self, Word};
use schedlab_lab::Prepared;
use schedlab_report::invariants::{check, Verdict};
use schedlab_runtime::{Agreement, Outcome, TRUE_WITHIN};
use serde_json::{json, Value};
use std::fmt;

/// What the kernel says that ran, and what is to be thought of it.
pub struct KernelWord {
    pub word: Word,
    /// Whether it keeps the invariants, if it was asked.
    pub invariants: Option<Verdict>,
}

impl KernelWord {
    /// Nothing if the kernel was not asked.
    pub fn of(prepared: &Prepared, outcome: &Outcome, checked: bool) -> Option<Self> {
        let word = Word::of(outcome)?;
        let invariants = word
            .by_kernel
            .as_ref()
            .filter(|_| checked)
            .map(|found| check(&kernel_trace::context(prepared), found.records.iter().copied()));
        Some(KernelWord { word, invariants })
    }

    /// The verdict on the invariants for people; `names` are those of the tasks.
    pub fn write_verdict(&self, f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
        let Some(verdict) = &self.invariants else { return Ok(()) };
        write_violations(f, "by the kernel's word, ", verdict)?;
        let holds = if verdict.holds() { "hold" } else { "ARE VIOLATED" };
        let error = self.word.measuring_error(|task| names[task.index()].clone());
        writeln!(f, "by the kernel's word: {} invariants {holds}; {error}", verdict.outcomes.len())
    }
}

/// The first violations of each invariant.
pub fn write_violations(f: &mut fmt::Formatter<'_>, by: &str, verdict: &Verdict) -> fmt::Result {
    for outcome in &verdict.outcomes {
        for violation in outcome.found.violations.iter().take(3) {
            writeln!(f, "{by}{}: {violation}", outcome.invariant.name())?;
        }
    }
    Ok(())
}

/// For programs.
pub fn to_json(kernel: &KernelWord) -> Value {
    let Word { agreement: found, by_kernel } = &kernel.word;
    json!({
        "invariants_hold": kernel.invariants.as_ref().map(Verdict::holds),
        "clipped_ns": by_kernel.as_ref().map(|found| found.clipped.map_or(0, |(.., length)| length.as_ns())),
        "holds": found.holds(),
        "starts": distribution::to_json(&found.starts),
        "stops": distribution::to_json(&found.stops),
        "never_ran": found.never_ran,
        "on_two_processors": found.on_two,
        "untrue": found.untrue,
        "lost": found.lost,
    })
}

/// The agreement for people; `names` are those of the tasks.
pub fn write(f: &mut fmt::Formatter<'_>, found: &Agreement, names: &[String]) -> fmt::Result {
    distribution::write(f, "decision to run until it was true", &found.starts)?;
    distribution::write(f, "decision to stop until it was true", &found.stops)?;
    if let Some((task, at, length)) = found.unasked {
        let name = &names[task.index()];
        writeln!(f, "longest without a decision that let it: the thread of {name}, {length} at {at}")?;
    }
    if found.never_ran > 0 {
        writeln!(f, "{} decisions changed before they became true", found.never_ran)?;
    }
    if found.untrue > 0 {
        writeln!(
            f,
            "{} times a thread went on for over {TRUE_WITHIN} without a decision, of {} decisions",
            found.untrue, found.decisions
        )?;
    }
    if found.on_two > 0 {
        writeln!(f, "{} times a thread was on two processors", found.on_two)?;
    }
    if found.lost > 0 {
        writeln!(f, "{} context switches are missing: the kernel's rings were full", found.lost)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{CpuId, Instant, Invariant, JobId, Priority, ResourceId, TaskId, Work};
    use schedlab_runtime::Switched;
    use schedlab_scenario::Scenario;
    use schedlab_trace::Record;

    const R: ResourceId = ResourceId(0);
    const JOBS: [JobId; 2] = [JobId { task: TaskId(0), number: 0 }, JobId { task: TaskId(1), number: 0 }];

    /// Under partitioned EDF and MSRP, each of two jobs, on its own processor, executes until 60 ms in all; the decisions besides, in ms, are
    /// `more`. Switches: when, in ms, to or from the thread of which task, on which processor. What does the kernel say?
    fn word(more: &[(u64, Record)], switches: &[(u64, usize, usize, bool)]) -> KernelWord {
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
        let switched = |&(ms, task, processor, to): &(u64, usize, usize, bool)| Switched {
            at: ms * 1_000_000,
            thread: 10 + task as i32,
            process: 1,
            processor,
            to,
            preempted: false,
        };
        let outcome = Outcome {
            decisions,
            processors: vec![0, 1],
            threads: vec![10, 11],
            witness: Some((switches.iter().map(switched).collect(), 0)),
            ..Outcome::default()
        };
        KernelWord::of(&prepared, &outcome, true).unwrap()
    }

    fn violated(word: &KernelWord) -> Vec<Invariant> {
        let verdict = word.invariants.as_ref().unwrap();
        verdict.outcomes.iter().filter(|outcome| !outcome.holds()).map(|outcome| outcome.invariant).collect()
    }

    const BOTH: [(u64, usize, usize, bool); 4] =
        [(1, 0, 0, true), (1, 1, 1, true), (61, 0, 0, false), (61, 1, 1, false)];

    #[test]
    fn a_run_that_is_as_decided_is_not_contradicted() {
        let word = word(&[], &BOTH);
        assert_eq!((violated(&word), word.word.is_contradicted(true)), (vec![], false));
        let error = word.word.measuring_error(|task| task.to_string());
        assert_eq!(error, "99.9% of decisions true within 1ms; clipped as no job's: at most 1ms, of the thread of T0 at 60ms");
    }

    /// Each holds the resource while the kernel runs the other one in its section.
    #[test]
    fn two_in_a_section_are_seen() {
        let [one, two] = JOBS.map(|job| Record::Acquire { job, resource: R, units: 1 });
        let release = JOBS.map(|job| Record::Release { job, resource: R, units: 1 });
        let found = word(&[(10, one), (12, two), (14, release[0]), (16, release[1])], &BOTH);
        assert!(violated(&found).contains(&Invariant::MutualExclusion));
        let found = word(&[(10, one), (12, release[0]), (14, two), (16, release[1])], &BOTH);
        assert!(!violated(&found).contains(&Invariant::MutualExclusion));
    }

    /// The first thread appears on the other processor while it is on its own; that one's thread is elsewhere meanwhile.
    #[test]
    fn a_job_on_two_processors_is_seen() {
        let switches = [(1, 0, 0, true), (20, 0, 1, true), (30, 0, 1, false), (61, 0, 0, false)];
        let apart = word(&[], &switches);
        assert_eq!((apart.word.agreement.on_two, apart.word.is_contradicted(false)), (1, true));
        // Where it was let, for a moment: the invariants see it, too.
        let (cpu, job) = (CpuId(1), JOBS[0]);
        let moved = [(20, Record::Preempt { cpu: CpuId(0), job }), (20, Record::Dispatch { cpu, job })];
        assert!(violated(&word(&moved, &switches)).contains(&Invariant::OneProcessorAtATime));
    }

    /// The first job is preempted for good at 10 ms; its thread executes on. It is forgiven once, for hosts stop processors.
    #[test]
    fn a_job_that_executes_where_another_is_linked_is_seen() {
        let (cpu, job) = (CpuId(0), JOBS[0]);
        let preempted = [(10, Record::Preempt { cpu, job })];
        let once = word(&preempted, &BOTH);
        assert_eq!((once.word.agreement.untrue, once.word.is_contradicted(true)), (1, false));
        let twice = [(1, 0, 0, true), (25, 0, 0, false), (30, 0, 0, true), (61, 0, 0, false)];
        let again = word(&preempted, &twice);
        assert_eq!((again.word.agreement.untrue, again.word.is_contradicted(true)), (2, true));
        assert!(!again.word.is_contradicted(false), "without priorities nobody promises more");
    }
}
