//! Response times of global fixed priorities, found in long steps, against the published equations, one unit of time
//! after the other.

use crate::draw;
use crate::mixer;

use draw::{system, tasks, Freedoms};
use mixer::Mixer;
use schedlab_analysis::multiprocessor::bertogna_cirinei_fp::{self, Carry};
use schedlab_analysis::multiprocessor::guan;
use schedlab_analysis::{AnalysedOrder, SporadicTask};

/// C, T and D, and what bounds the response time once it is known.
#[derive(Clone, Copy, Debug)]
struct Known {
    cost: u64,
    period: u64,
    relative_deadline: u64,
    response: u64,
}

/// Guan et al., RTSS 2009: equations 3, 5 and 8.
fn by_guan(more_urgent: &[Known], cost: u64, length: u64, processors: usize) -> u64 {
    let cap = length - cost + 1;
    let without = |task: &Known| {
        let whole = length / task.period * task.cost;
        (whole + task.cost.min(length % task.period)).min(cap)
    };
    let with = |task: &Known| {
        let rest = length.saturating_sub(task.cost);
        let late = (rest % task.period).saturating_sub(task.period - task.response);
        (rest / task.period * task.cost + task.cost + late.min(task.cost.saturating_sub(1))).min(cap)
    };
    let mut more: Vec<u64> =
        more_urgent.iter().map(|task| with(task).saturating_sub(without(task))).collect();
    more.sort_by(|a, b| b.cmp(a));
    more_urgent.iter().map(without).sum::<u64>() + more.iter().take(processors - 1).sum::<u64>()
}

/// Bertogna and Cirinei, RTSS 2007: equations 4 and 6, and Theorem 7.
fn by_bertogna_cirinei(more_urgent: &[Known], cost: u64, length: u64, carry: Carry, capped: bool) -> u64 {
    let work = |task: &Known| {
        let until = if carry == Carry::Response { task.response } else { task.relative_deadline };
        let reach = length + until - task.cost;
        let work = reach / task.period * task.cost + task.cost.min(reach % task.period);
        if capped {
            work.min(length - cost + 1)
        } else {
            work
        }
    };
    more_urgent.iter().map(work).sum()
}

/// The least response time of each task by falling priority, up to the first without.
fn least(tasks: &[Known], interference: impl Fn(&[Known], u64, u64) -> u64) -> Vec<Option<u64>> {
    let mut known: Vec<Known> = Vec::new();
    for task in tasks {
        let is_fixed = |length: &u64| *length >= task.cost + interference(&known, task.cost, *length);
        let Some(response) = (task.cost..=task.relative_deadline).find(is_fixed) else { break };
        known.push(Known { response, ..*task });
    }
    let mut found: Vec<Option<u64>> = known.iter().map(|task| Some(task.response)).collect();
    found.resize(tasks.len(), None);
    found
}

#[test]
fn long_steps_find_the_same_fixed_points() {
    let freedoms = Freedoms { constrained: true, arbitrary: false, jitter: false, suspension: false };
    let mut random = Mixer(11);
    let (mut whole, mut late) = (0, 0);
    for round in 0..4_000 {
        let m = 2 + round % 4;
        let system = system(&tasks(&mut random, m, freedoms), m as u32, AnalysedOrder::FixedPriority, true);
        let known = |task: &usize| {
            let SporadicTask { cost, period, relative_deadline, .. } = system.tasks[*task];
            Known { cost, period, relative_deadline, response: 0 }
        };
        let ordered: Vec<Known> = system.by_priority().iter().map(known).collect();
        let found = guan::bounds(&system);
        let waits = |known: &[Known], cost, length| by_guan(known, cost, length, m as usize) / m;
        assert_eq!(found, least(&ordered, waits), "guan: {ordered:?} on {m}");
        for (carry, capped) in [
            (Carry::Response, true),
            (Carry::Deadline, true),
            (Carry::Response, false),
            (Carry::Deadline, false),
        ] {
            let waits = |known: &[Known], cost, length| match !capped && known.len() < m as usize {
                true => 0,
                false => by_bertogna_cirinei(known, cost, length, carry, capped) / m,
            };
            let found = bertogna_cirinei_fp::bounds(&system, carry, capped);
            assert_eq!(found, least(&ordered, waits), "{carry:?} {capped}: {ordered:?} on {m}");
        }
        whole += u32::from(found.iter().all(Option::is_some) && found.len() > m as usize);
        late += u32::from(found.last() == Some(&None));
    }
    assert!(whole > 500 && late > 500, "{whole} with bounds for all, {late} without");
}
