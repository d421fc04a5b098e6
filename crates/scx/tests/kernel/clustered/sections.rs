//! Sections in which a thread does not give way.

use super::running::{begin, execute, Observed, TestTask, Turn};
use crate::support::{alone, become_fifo, processors};
use schedlab_scx::{ClusterSettings, KernelEvent, TaskPlan};

const MS: u64 = 1_000_000;

/// Two tasks on the first processor: a less urgent one whose job does `does`, and an urgent one that comes 20 ms later.
fn run(longest_section: Option<u64>, does: fn(&Turn<'_>)) -> Observed {
    let settings = ClusterSettings::of(&(0..processors()).map(|at| 1 << at).collect::<Vec<u64>>());
    let low = TaskPlan { after: 2, longest_section, ..TaskPlan::default() };
    let high = TaskPlan { after: 1, ..TaskPlan::default() };
    let tasks = vec![TestTask::doing(low, vec![0], does), TestTask::executing(high, vec![20 * MS], MS)];
    let mut run = begin(&settings, tasks);
    run.go_on(500);
    run.end()
}

/// The place of the first such record.
fn at(observed: &Observed, index: u32, wanted: fn(&KernelEvent) -> bool) -> Option<usize> {
    observed.records.iter().position(|record| record.index == index && wanted(&record.what))
}

fn is_complete(event: &KernelEvent) -> bool {
    matches!(event, KernelEvent::Completed { .. })
}

#[test]
fn without_a_section_the_urgent_job_goes_first() {
    let _alone = alone();
    become_fifo(60);
    let observed = run(None, |turn| execute(80 * MS, turn.over));
    assert!(at(&observed, 2, is_complete) < at(&observed, 1, is_complete), "{:?}", observed.records);
    assert_eq!(at(&observed, 1, |event| matches!(event, KernelEvent::SectionKept { .. })), None);
}

/// The urgent job waits for the section's end, and no longer.
#[test]
fn a_section_delays_the_preemption_until_its_end() {
    let _alone = alone();
    become_fifo(60);
    let observed = run(None, |turn| {
        turn.scheduler.enter_section(turn.index);
        execute(80 * MS, turn.over);
        turn.scheduler.leave_section(turn.index);
        execute(80 * MS, turn.over);
    });
    let kept = at(&observed, 1, |event| matches!(event, KernelEvent::SectionKept { section: 1 }));
    let left = at(&observed, 1, |event| matches!(event, KernelEvent::SectionLeft { section: 1 }));
    let arrived = at(&observed, 2, |event| matches!(event, KernelEvent::Arrived { .. }));
    assert!(arrived.is_some() && arrived < kept && kept < left, "{:?}", observed.records);
    let waits = &observed.records[arrived.unwrap_or(0)..left.unwrap_or(0)];
    assert!(waits.iter().all(|record| record.index != 2 || record.what != KernelEvent::Running), "{waits:?}");
    assert!(at(&observed, 2, is_complete) < at(&observed, 1, is_complete), "{:?}", observed.records);
    assert_eq!(at(&observed, 1, |event| matches!(event, KernelEvent::SectionBroken { .. })), None);
}

/// A section that goes on and on delays the urgent job for as long as the plan allows; a later section is heeded again.
#[test]
fn a_section_that_is_too_long_is_not_heeded_any_more() {
    let _alone = alone();
    become_fifo(60);
    let observed = run(Some(30 * MS), |turn| {
        turn.scheduler.enter_section(turn.index);
        execute(200 * MS, turn.over);
        assert!(turn.scheduler.broke_its_section(turn.index));
        turn.scheduler.leave_section(turn.index);
        turn.scheduler.enter_section(turn.index);
        assert!(!turn.scheduler.broke_its_section(turn.index));
        turn.scheduler.leave_section(turn.index);
    });
    let kept = at(&observed, 1, |event| matches!(event, KernelEvent::SectionKept { section: 1 }));
    let broken = at(&observed, 1, |event| matches!(event, KernelEvent::SectionBroken { section: 1 }));
    let kept = kept.expect("it delays the preemption");
    let broken = broken.expect("it is too long");
    let lasted = observed.records[broken].at - observed.records[kept].at;
    assert!(lasted >= 30 * MS, "it was heeded for {} us", lasted / 1_000);
    assert!(at(&observed, 2, is_complete) < at(&observed, 1, is_complete), "{:?}", observed.records);
    assert!(observed.tallies[0].alarms >= 1, "the timer ends it: {:?}", observed.tallies);
}
