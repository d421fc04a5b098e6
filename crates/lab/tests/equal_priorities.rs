//! Equal priorities under the model of `SCHED_FIFO`, which serves them first come, first served: what is simulated
//! stays within the bounds that hold whichever of the equals goes first.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, Prepared};
use schedlab_model::{Instant, JobId};
use schedlab_scenario::Scenario;
use schedlab_trace::{Life, Timeline};
use std::collections::BTreeMap;

/// A linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Two to five tasks of few priorities on one processor.
fn drawn(numbers: &mut Numbers) -> Prepared {
    let mut text = "schedlab = 1\nhorizon = \"240 ms\"\nscheduler = \"P-SCHED_FIFO\"\n".to_owned();
    for task in 0..2 + numbers.below(4) {
        let period = [4, 6, 8, 12, 24][numbers.below(5) as usize];
        let (cost, offset) = (1 + numbers.below(period / 2), numbers.below(period));
        let priority = numbers.below(2);
        text += &format!(
            "[[task]]\nname = \"t{task}\"\nwcet = \"{cost} ms\"\nperiod = \"{period} ms\"\n\
             offset = \"{offset} ms\"\npriority = {priority}\n"
        );
    }
    Prepared::new(&Scenario::parse("drawn", &text).unwrap()).unwrap()
}

/// By task: its longest response in a simulation.
fn simulated(prepared: &Prepared) -> BTreeMap<usize, u64> {
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).unwrap();
    let mut arrivals: BTreeMap<JobId, Instant> = BTreeMap::new();
    let mut longest = BTreeMap::new();
    for (at, record) in &timeline.records {
        match record.life() {
            Some(Life::Arrival(job, _)) => {
                arrivals.insert(job, *at);
            }
            Some(Life::Completion(job)) => {
                let response = at.as_ns() - arrivals[&job].as_ns();
                let known = longest.entry(job.task.index()).or_default();
                *known = response.max(*known);
            }
            Some(Life::Abort(_) | Life::Miss(_)) | None => {}
        }
    }
    longest
}

#[test]
fn first_come_first_served_is_within_the_bounds() {
    let mut numbers = Numbers(7);
    let (mut proved, mut reached, mut refuted) = (0, 0, 0);
    for _ in 0..600 {
        let prepared = drawn(&mut numbers);
        let found = analyze(&prepared).unwrap().analysis.unwrap();
        let simulated = simulated(&prepared);
        let late =
            |(task, response): (&usize, &u64)| *response > prepared.tasks[*task].relative_deadline.as_ns();
        let is_late = simulated.iter().any(late);
        assert!(!(is_late && found.hard == Answer::Schedulable), "{}", prepared.scenario.to_toml());
        proved += u32::from(found.hard == Answer::Schedulable);
        refuted += u32::from(is_late);
        for (task, response) in &simulated {
            let Some(bound) = found.response_times[*task] else { continue };
            assert!(
                *response <= bound.as_ns(),
                "t{task}: {response}, {bound}\n{}",
                prepared.scenario.to_toml()
            );
            reached += u32::from(*response == bound.as_ns());
        }
    }
    assert!(proved > 150 && reached > 200 && refuted > 100, "{proved} {reached} {refuted}");
}
