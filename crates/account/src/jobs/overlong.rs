//! Sections that took longer than the scenario states, by the kernel's context switches.
//!
//! Zone-based locking lets a section begin if it would be over before the quantum ends, by its length. That its holder
//! keeps its processor is promised on that premise, which a machine breaks that takes time from a section, or executes
//! it more slowly than calibrated. A section that is preempted before the kernel accounts for its whole length is the
//! protocol's own fault.

use crate::jobs::reconstructed::accounted;
use crate::trace::real_run::RealRun;
use schedlab_lab::Prepared;
use schedlab_lock::longest_sections;
use schedlab_lock::Ceilings;
use schedlab_model::{Duration, Instant, JobId, ResourceId};
use schedlab_trace::{about, Record};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the sections of `run` whose holders were preempted when they had held for as long as their sections take or
/// longer: the jobs, and the times of the grants. Empty where the protocol's promises do not depend on the lengths of
/// sections.
pub fn overlong_sections(prepared: &Prepared, run: &RealRun) -> BTreeSet<(JobId, Instant)> {
    if prepared.protocol.ceilings != Ceilings::Quanta {
        return BTreeSet::new();
    }
    let accounted = accounted(run);
    let count = prepared.resources.len();
    let declared: Vec<_> = prepared.tasks.iter().map(|task| longest_sections(task, count)).collect();
    let mut held: BTreeMap<JobId, (ResourceId, Instant)> = BTreeMap::new();
    let mut overlong = BTreeSet::new();
    for (at, record) in &run.decisions {
        match *record {
            Record::Acquire { job, resource, .. } => drop(held.insert(job, (resource, *at))),
            Record::Release { job, .. } => drop(held.remove(&job)),
            Record::Preempt { job, .. } => {
                // Only the first time: a section that was preempted in vain lasts for longer than its own time.
                let Some((resource, since)) = held.remove(&job) else { continue };
                let says = declared[job.task.index()][resource.index()];
                let took = accounted[job.task.index()].within(since, *at);
                if says.is_some_and(|says| took >= Duration::from_ns(says.as_ns())) {
                    overlong.insert((job, since));
                }
            }
            about![
                Link, Dispatch, Suspend, Resume, Move, Request, Spin, Delay, lives, urgencies, attempts,
                machine
            ] => {}
        }
    }
    overlong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::{one_task, ran, OTHER, OWN};
    use schedlab_model::{CpuId, TaskId};
    use schedlab_report::invariants::check;
    use schedlab_report::Context;
    use schedlab_scenario::Scenario;

    const JOB: JobId = JobId { task: TaskId(0), number: 0 };

    fn prepared(scheduler: &str, protocol: &str) -> Prepared {
        let text = format!(
            "schedlab = 1\nscheduler = \"{scheduler}\"\nprotocol = \"{protocol}\"\n[platform]\nprocessors = 1\n\
             quantum = \"1 ms\"\n[[resource]]\nname = \"r\"\n[[task]]\nname = \"a\"\nwcet = \"2 ms\"\n\
             period = \"10 ms\"\n\
             program = [\"execute 700 us\", \"request r\", \"execute 100 us\", \"release r\", \"execute 1200 us\"]\n"
        );
        Prepared::new(&Scenario::parse("zones.toml", &text).unwrap()).unwrap()
    }

    /// The section of 100 us begins `granted` us after the quantum does, and is not over when it ends, at 1,000 us. The
    /// kernel says that the thread ran until `until`, and then another one, if no switches are missing. How often is
    /// the holder preempted against the promise, and how often because its section took too long?
    fn preempted(prepared: &Prepared, granted: u64, until: u64, missing: u64) -> (u64, u64) {
        let at = |us: u64| Instant::from_ns(us * 1_000);
        let (cpu, job, resource, units) = (CpuId(0), JOB, ResourceId(0), 1);
        // The other one stays.
        let switches = [&ran(OWN, 0, until)[..], &ran(OTHER, until, 3_000)[..1]];
        let run = one_task(
            vec![
                (at(0), Record::Dispatch { cpu, job }),
                (at(granted), Record::Request { job, resource, units }),
                (at(granted), Record::Acquire { job, resource, units }),
                (at(1_000), Record::Preempt { cpu, job }),
                (at(2_000), Record::Dispatch { cpu, job }),
                (at(2_010), Record::Preempt { cpu, job }),
                (at(3_000), Record::End),
            ],
            switches.concat(),
            missing,
        );
        let promises = vec![schedlab_model::Invariant::HoldersAreNotPreempted];
        let overlong = overlong_sections(prepared, &run);
        let context = Context { overlong, promises, ..prepared.context() };
        let verdict = check(&context, run.decisions.iter().copied());
        let of = |found: &schedlab_report::invariants::InvariantCheck| {
            (found.invariant == schedlab_model::Invariant::HoldersAreNotPreempted)
                .then_some((found.found.count, found.found.excused))
        };
        verdict.outcomes.iter().find_map(of).unwrap()
    }

    #[test]
    fn only_a_section_that_took_as_long_as_it_says_excuses_its_preemptions() {
        let zones = prepared("PD2", "zone-skip");
        assert_eq!(preempted(&zones, 900, 1_000, 0), (0, 2), "it executed for 100 us, and had not ended");
        assert_eq!(preempted(&zones, 900, 950, 0), (0, 2), "half of that was taken from it");
        assert_eq!(preempted(&zones, 901, 1_000, 0), (2, 0), "it was granted within its zone");
        assert_eq!(preempted(&zones, 900, 950, 1), (2, 0), "half of its time is not accounted for");
    }

    /// No job may preempt holders under MSRP, however long their sections take.
    #[test]
    fn other_protocols_presuppose_no_lengths() {
        let msrp = prepared("P-RM", "msrp");
        assert_eq!(preempted(&msrp, 100, 1_000, 0), (2, 0));
    }
}
