//! The findings of a run about the scheduler in the kernel: whether there was one, what others had beside, how it
//! ended.

use crate::program::results::{
    KernelSchedulerFindings, NativeFindings, OutsideTime, QuantaFindings, RunFindings,
};
use crate::record::kernel_scheduler::{KernelScheduler, NativeCounts};
use schedlab_account::Agreement;
use schedlab_model::Duration;
use schedlab_scx::SchedulerEnd;
use std::fmt;

/// What a run loses that has no scheduler in the kernel.
pub const WITHOUT: &str = "threads stop by signals, a thread that executes in the kernel only at its return";

/// The reason why there was no scheduler in the kernel although the user would have preferred one.
pub(crate) fn declined(scheduler: &KernelScheduler) -> Option<String> {
    match scheduler {
        KernelScheduler::Declined(why) => Some(why.clone()),
        KernelScheduler::NotAsked | KernelScheduler::Loaded { .. } => None,
    }
}

/// The findings about the scheduler, if there was one.
pub(crate) fn findings(scheduler: &KernelScheduler) -> Option<KernelSchedulerFindings> {
    match scheduler {
        KernelScheduler::NotAsked | KernelScheduler::Declined(_) => None,
        KernelScheduler::Loaded { reserve, outside, .. } => Some(KernelSchedulerFindings {
            reserve_ns: reserve.as_nanos() as u64,
            outside: outside
                .iter()
                .map(|one| OutsideTime {
                    kernel_ns: one.kernel_ns,
                    ordinary_ns: one.ordinary_ns,
                    reserve_ns: one.reserve_ns,
                })
                .collect(),
            end: scheduler.irregular_end().map(words),
        }),
    }
}

/// The findings about a scheduler that decided by itself; `agreement` is that of the kernel's switches with its
/// decisions.
pub(crate) fn native(counts: NativeCounts, agreement: Option<&Agreement>) -> NativeFindings {
    NativeFindings {
        kicks: counts.kicks,
        needless_kicks: counts.needless_kicks,
        late_stops: counts.late_stops,
        late_starts: counts.late_starts,
        early_starts: counts.early_starts,
        longest_move_ns: counts.longest_move.as_ns(),
        quanta: counts.quanta.map(|quanta| QuantaFindings {
            missed: quanta.missed,
            unused: agreement.map_or(0, |found| found.unused_quanta as u64),
            longest_stop_ns: quanta.longest_stop.as_ns(),
            other_choices: quanta.other_choices,
        }),
        lost_records: counts.lost_records,
        strayed: counts.strayed,
        sections: counts.sections,
        overlapping_sections: counts.overlapping_sections,
        overtaking_sections: counts.overtaking_sections,
        sections_granted_otherwise: counts.sections_granted_otherwise,
    }
}

/// False if no quantum was missed, and yet threads did not execute in theirs.
pub(crate) fn quanta_are_used(counts: Option<&NativeCounts>, agreement: Option<&Agreement>) -> bool {
    let missed = counts.and_then(|native| native.quanta).map_or(0, |quanta| quanta.missed);
    missed > 0 || agreement.is_none_or(Agreement::uses_quanta)
}

/// False if threads that took locks by themselves did not do so as the protocol says.
pub(crate) fn locks_hold(found: &RunFindings) -> bool {
    found.native.as_ref().is_none_or(|native| {
        native.overlapping_sections + native.overtaking_sections + native.sections_granted_otherwise == 0
    })
}

/// The end of a scheduler, in words: its kind, and what the kernel adds.
fn words(end: &SchedulerEnd) -> String {
    let added: Vec<&str> =
        [&end.reason, &end.message].into_iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    match added.is_empty() {
        true => end.name().to_owned(),
        false => format!("{} ({})", end.name(), added.join(": ")),
    }
}

/// Prints what threads outside of the scenario had on its processors.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, found: &RunFindings) -> fmt::Result {
    let Some(scheduler) = &found.kernel_scheduler else { return Ok(()) };
    let time = |part: fn(&OutsideTime) -> u64| {
        let all: u64 = scheduler.outside.iter().map(part).sum();
        Duration::from_ns(all)
    };
    writeln!(
        f,
        "scheduler in the kernel: of each second {} are reserved for other threads; on the scenario's processors they \
         had {} ({} by the reserve), and bound kernel threads {}",
        Duration::from_ns(scheduler.reserve_ns),
        time(|one| one.ordinary_ns),
        time(|one| one.reserve_ns),
        time(|one| one.kernel_ns),
    )?;
    let Some(native) = &found.native else { return Ok(()) };
    writeln!(
        f,
        "it decided by itself: {} kicks, {} of them needless; jobs went on {} times after the engine would have stopped \
         them, waited {} times although it would have let them go, and went {} times before it would have; the longest \
         of these took {}",
        native.kicks,
        native.needless_kicks,
        native.late_stops,
        native.late_starts,
        native.early_starts,
        Duration::from_ns(native.longest_move_ns),
    )?;
    if native.sections > 0 {
        writeln!(
            f,
            "threads took spin locks by themselves: {} sections, of which {} overlapped another one, {} overtook one that \
             was asked for earlier, and {} were granted by the engine in another order",
            native.sections,
            native.overlapping_sections,
            native.overtaking_sections,
            native.sections_granted_otherwise,
        )?;
    }
    if let Some(quanta) = &native.quanta {
        writeln!(
            f,
            "by quanta: {} were over before the kernel gave them; in {} a job's thread never executed; a job stopped at \
             most {} after its quantum; {} went to other jobs than the engine's",
            quanta.missed,
            quanta.unused,
            Duration::from_ns(quanta.longest_stop_ns),
            quanta.other_choices,
        )?;
    }
    if native.strayed > 0 {
        let count = native.strayed;
        writeln!(f, "{count} threads took other processors, and were no tasks' from then on")?;
    }
    match native.lost_records {
        0 => Ok(()),
        lost => writeln!(f, "{lost} of its records found no room: this run cannot be checked"),
    }
}

/// Adds the backend to the verdict, where it is not the one that every machine has.
pub(crate) fn write_backend(f: &mut fmt::Formatter<'_>, found: &RunFindings) -> fmt::Result {
    match (&found.declined, &found.kernel_scheduler) {
        (Some(why), _) => write!(f, "; by threads, since {why}"),
        (None, Some(_)) => write!(f, "; by a scheduler in the kernel ({})", found.backend),
        (None, None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::kernel_scheduler::QuantaCounts;

    #[test]
    fn an_end_is_said_in_words() {
        let end = |reason: &str, message: &str| SchedulerEnd {
            kind: 1026,
            code: 0,
            reason: reason.into(),
            message: message.into(),
        };
        let name = "a ready thread got no processor in time";
        assert_eq!(words(&end("", "")), name);
        assert_eq!(words(&end("stall", "")), format!("{name} (stall)"));
        assert_eq!(words(&end("stall", "x[7]")), format!("{name} (stall: x[7])"));
    }
    /// Where quanta were missed, it is no wonder that threads did not execute in others.
    #[test]
    fn quanta_that_are_not_used_count_if_none_was_missed() {
        let native = |missed| NativeCounts {
            quanta: Some(QuantaCounts { missed, ..QuantaCounts::default() }),
            ..NativeCounts::default()
        };
        let unused = |unused_quanta| Agreement { unused_quanta, decisions: 150, ..Agreement::default() };
        for (missed, count, holds) in [(0, 2, true), (0, 3, false), (1, 3, true)] {
            assert_eq!(quanta_are_used(Some(&native(missed)), Some(&unused(count))), holds);
            assert_eq!(
                super::native(native(missed), Some(&unused(count))).quanta.unwrap().unused,
                count as u64
            );
        }
        assert!(quanta_are_used(None, Some(&unused(0))) && quanta_are_used(None, None));
    }
}
