//! The schedule that a trace tells of, in the words of [`crate::brute`].

use crate::brute::Schedule;
use schedlab_model::{Instant, JobId};
use schedlab_trace::{Record, Timeline};
use std::fmt;

/// Who completed and missed when, and who occupied which of the `processors` processors, until `horizon`.
pub fn schedule_of(timeline: &Timeline, processors: u16, horizon: Instant) -> Schedule {
    let mut on: Vec<Option<JobId>> = vec![None; processors.into()];
    let mut schedule = Schedule { occupied: vec![(0, on.clone())], ..Schedule::default() };
    for (place, (at, record)) in timeline.records.iter().enumerate() {
        match *record {
            Record::Dispatch { cpu, job } => on[cpu.index()] = Some(job),
            Record::Preempt { cpu, .. } => on[cpu.index()] = None,
            Record::Complete { job } => {
                schedule.completions.push((job, at.as_ns()));
                leave(&mut on, job);
            }
            Record::Suspend { job, .. } => leave(&mut on, job),
            Record::Miss { job } => schedule.misses.push(job),
            _ => {}
        }
        let is_last = timeline.records.get(place + 1).is_none_or(|(next, _)| next > at);
        let changed = schedule.occupied.last().map(|(_, who)| who) != Some(&on);
        if is_last && changed && *at < horizon {
            schedule.occupied.retain(|(since, _)| *since < at.as_ns());
            schedule.occupied.push((at.as_ns(), on.clone()));
        }
    }
    schedule.completions.sort_unstable();
    schedule.misses.sort_unstable();
    schedule
}

fn leave(on: &mut [Option<JobId>], job: JobId) {
    on.iter_mut().filter(|occupant| **occupant == Some(job)).for_each(|occupant| *occupant = None);
}

/// The first difference of two schedules, in words.
pub fn difference(simulated: &Schedule, brute: &Schedule) -> Option<String> {
    let mut pairs = simulated.occupied.iter().zip(&brute.occupied);
    if let Some((ours, theirs)) = pairs.find(|(ours, theirs)| ours != theirs) {
        return Some(format!("processors: simulated {}, brute force {}", draw(ours), draw(theirs)));
    }
    if simulated.occupied.len() != brute.occupied.len() {
        return Some("one schedule has more changes than the other".into());
    }
    first_of("completion", &simulated.completions, &brute.completions)
        .or_else(|| first_of("miss", &simulated.misses, &brute.misses))
}

/// The first element that only one of two sorted lists has.
fn first_of<T: Ord + fmt::Debug>(what: &str, simulated: &[T], brute: &[T]) -> Option<String> {
    let only = |ours: &[T], theirs: &[T], whose: &str| {
        let first = ours.iter().find(|element| theirs.binary_search(element).is_err())?;
        Some(format!("{what} {first:?}: {whose} only"))
    };
    only(simulated, brute, "simulated").or_else(|| only(brute, simulated, "brute force"))
}

fn draw((at, who): &(u64, Vec<Option<JobId>>)) -> String {
    let name = |job: &Option<JobId>| job.map_or("-".into(), |job| job.to_string());
    format!("from {at}: {}", who.iter().map(name).collect::<Vec<_>>().join(" "))
}
