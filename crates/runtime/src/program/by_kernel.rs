//! The findings of a run about the scheduler in the kernel: whether there was one, what others had beside, how it
//! ended.

use crate::program::results::{
    KernelSchedulerFindings, NativeFindings, OutsideTime, QuantaFindings, RunFindings,
};
use crate::record::kernel_scheduler::{KernelScheduler, NativeCounts};
use schedlab_account::{Agreement, TRUE_WITHIN};
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
        inputs: counts.inputs,
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
        sections: counts.sections,
        overlapping_sections: counts.overlapping_sections,
        overtaking_sections: counts.overtaking_sections,
        sections_granted_otherwise: counts.sections_granted_otherwise,
        sections_compared: counts.sections_compared,
        outermost_sections: counts.outermost_sections,
        broken_sections: counts.broken_sections,
        slept_sections: counts.slept_sections,
        late_requests: counts.late_requests,
        never_begun: counts.never_begun,
        longest_unbegun_ns: counts.longest_unbegun.as_ns(),
        waits: counts.waits,
        overtaken_waits: counts.overtaken_waits,
        longest_overtaking_ns: counts.longest_overtaking.as_ns(),
        early_overruns: counts.early_overruns,
    }
}

/// False if threads did not execute in their quanta more often than the missed ones explain.
pub(crate) fn quanta_are_used(counts: Option<&NativeCounts>, agreement: Option<&Agreement>) -> bool {
    let missed = counts.and_then(|native| native.quanta).map_or(0, |quanta| quanta.missed);
    agreement.is_none_or(|found| found.uses_quanta(missed))
}

/// False if threads that took locks by themselves did not do so as the protocol says.
pub(crate) fn locks_hold(found: &RunFindings) -> bool {
    found.native.as_ref().is_none_or(|native| {
        native.overlapping_sections + native.overtaking_sections + native.sections_granted_otherwise == 0
    })
}

/// A job that the kernel has not begun for longer than this, although it should have executed, is no delayed one.
const LONGEST_DELAY: Duration = Duration::from_ms(1_000);

/// True if the kernel has begun all jobs, or will after a delay: a host may delay a processor by as much.
pub(crate) fn begins_all(native: &NativeFindings) -> bool {
    native.longest_unbegun_ns <= LONGEST_DELAY.as_ns()
}

/// True if hardly any job went on for over [`TRUE_WITHIN`] before it asked for a lock although the engine had stopped
/// it: so many as may go on without a decision by the kernel's switches, which do not show these.
pub(crate) fn stops_in_time(native: &NativeFindings) -> bool {
    native.late_requests <= 1 + native.inputs / 100
}

/// True if hardly any job waited while the kernel had less urgent ones execute. A host that delays a processor delays
/// what the kernel asks of it, too.
pub(crate) fn keeps_the_order(native: &NativeFindings) -> bool {
    native.overtaken_waits <= 1 + native.waits / 25
}

/// What was compared in a run in which the kernel decided, in words. There is no replay: the engine's decisions follow
/// from all that the kernel recorded, and so does whatever it would decide again.
pub(crate) fn compared(native: &NativeFindings, kernel: Option<&Agreement>) -> String {
    if native.lost_records > 0 {
        return "RECORDS ARE MISSING, so nothing can be compared".to_owned();
    }
    let moved = native.late_stops + native.late_starts + native.early_starts;
    // Sections of locks are moved apart from inputs, and have the longest time in common with them.
    let furthest = Duration::from_ns(native.longest_move_ns);
    let moves = match moved {
        0 => format!("none of {} inputs moved", native.inputs),
        _ => format!("{moved} of {} inputs moved, by at most {furthest}", native.inputs),
    };
    let decisions = match kernel {
        Some(found) => {
            let all = found.decisions;
            format!("{} of {all} decisions are in the kernel's switches", all - found.never_ran)
        }
        None => "no decision was compared with the kernel's switches".to_owned(),
    };
    let jobs = if begins_all(native) { "" } else { "; JOBS DID NOT BEGIN" };
    let stops = if stops_in_time(native) { "" } else { "; JOBS WENT ON TOO LONG BEFORE REQUESTS" };
    let order = if keeps_the_order(native) { "" } else { "; LESS URGENT JOBS WENT FIRST" };
    let budgets = if native.early_overruns == 0 { "" } else { "; BUDGETS ENDED EARLY" };
    format!("{decisions}; {moves}{jobs}{stops}{order}{budgets}")
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

/// Prints what lasted longer than decisions may take. A move alone fails no check, as no late thread does under any
/// backend: one that went on without a decision for so long is seen by the kernel's switches, and one that waited is a
/// delay, as loaded hosts have them.
fn write_delays(f: &mut fmt::Formatter<'_>, native: &NativeFindings) -> fmt::Result {
    let (longest, waited) = (Duration::from_ns(native.longest_move_ns), native.longest_unbegun_ns);
    if longest > TRUE_WITHIN {
        writeln!(
            f,
            "warning: something counts {longest} earlier or later than it came, which is over {TRUE_WITHIN}: what the \
             kernel did wrongly for that long, only its switches show"
        )?;
    }
    if native.late_requests > 0 {
        writeln!(
            f,
            "{} jobs went on for over {TRUE_WITHIN} after the engine would have stopped them, and asked for a lock or \
             had just given one back: they count as not preempted",
            native.late_requests,
        )?;
    }
    if native.overtaken_waits > 0 {
        writeln!(
            f,
            "{} of {} times that a job was ready for over 1 ms before it executed, the kernel had less urgent ones execute \
             instead; the longest time is {}",
            native.overtaken_waits,
            native.waits,
            Duration::from_ns(native.longest_overtaking_ns),
        )?;
    }
    if native.early_overruns > 0 {
        writeln!(f, "{} budgets ended before their jobs had executed for so long", native.early_overruns)?;
    }
    if native.never_begun > 0 {
        writeln!(
            f,
            "{} jobs did not begin although the engine would have let them execute for over {TRUE_WITHIN}; the longest of \
             these is {}, of which up to {LONGEST_DELAY} count as a delay",
            native.never_begun,
            Duration::from_ns(waited),
        )?;
    }
    Ok(())
}

/// Prints the sections that were not as they ought to be.
fn write_sections(f: &mut fmt::Formatter<'_>, native: &NativeFindings) -> fmt::Result {
    if native.broken_sections > 0 {
        let count = native.broken_sections;
        writeln!(f, "{count} sections were too long, and were not heeded any more")?;
    }
    if native.slept_sections > 0 {
        let count = native.slept_sections;
        writeln!(f, "{count} times a job slept in a section: it counts as executing meanwhile")?;
    }
    Ok(())
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
    write_delays(f, native)?;
    if native.sections > 0 {
        writeln!(
            f,
            "threads took spin locks by themselves: {} sections, of which {} overlapped another one, and {} overtook one \
             that was asked for earlier; of {} outermost ones {} were compared, and {} of them were granted by the engine \
             in another order",
            native.sections,
            native.overlapping_sections,
            native.overtaking_sections,
            native.outermost_sections,
            native.sections_compared,
            native.sections_granted_otherwise,
        )?;
    }
    write_sections(f, native)?;
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
mod tests;
