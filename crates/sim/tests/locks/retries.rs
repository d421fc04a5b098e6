//! Each part of the bound on lock-free retries matters: with less of it, some job repeats more.

use super::*;
use schedlab_analysis::blocking::retry::lock_free::{bounds, OwnProcessor};
use schedlab_analysis::blocking::{Requests, Sharer, Sharing};

/// What the bound is computed from instead, for the task at a place: requests, and response times of this and of
/// other tasks.
struct Weaker {
    lacks: &'static str,
    request: fn(&mut Requests),
    /// Of the bound on a response time.
    others: fn(u64) -> u64,
    own: fn(u64) -> u64,
}

const WHOLE: Weaker = Weaker { lacks: "", request: |_| {}, others: |all| all, own: |all| all };

const WEAKER: [Weaker; 4] = [
    Weaker { lacks: "the last part of attempts", request: |request| request.write_length -= 1, ..WHOLE },
    Weaker { lacks: "second operations", request: |request| request.writes = 1, ..WHOLE },
    Weaker { lacks: "jobs that arrived before", others: |_| 0, ..WHOLE },
    Weaker { lacks: "jobs that arrive later", own: |_| 1, ..WHOLE },
];

impl Weaker {
    /// How long one job of the task at `index` repeats.
    fn bound(&self, sharing: &Sharing, responses: &[u64], own: OwnProcessor, index: usize) -> u64 {
        let mut made = Sharing::new(sharing.clusters(), sharing.units().to_vec());
        for (place, sharer) in sharing.tasks().iter().enumerate() {
            let mut requests = sharing.requests(place).to_vec();
            requests.iter_mut().for_each(self.request);
            made.push(Sharer { ..*sharer }, &requests).expect("it is a smaller one");
        }
        let of = |(place, &response): (usize, &u64)| match place == index {
            true => (self.own)(response),
            false => (self.others)(response),
        };
        let responses: Vec<u64> = responses.iter().enumerate().map(of).collect();
        bounds(&made, &[], &responses, own)[index].remote.expect("it is bounded")
    }
}

/// Whether some job of this seed's system repeats more than the weaker bound says; the whole one it never exceeds.
fn is_noticed(weaker: &Weaker, seed: u64, scheduler: &str) -> bool {
    let mut system = drawn(seed, "lock-free", scheduler);
    let mut random = Random(seed ^ 0xF2EE);
    for task in &mut system.tasks {
        // Response times near the periods: jobs that arrived before a job matter to it.
        let cost = task.wcet.as_ns();
        let period = Duration::from_ns(cost + 1 + random.below(3 * cost));
        (task.period, task.relative_deadline) = (period, period);
    }
    let levels: Vec<u32> = system.tasks.iter().map(|task| task.fixed_priority).collect();
    let sharing =
        derive(&system.tasks, &system.resources, &system.platform, &levels, Sections::Flat, Lengths::ALIKE)
            .unwrap();
    let own = match scheduler {
        "P-FP" => OwnProcessor::ByLevel,
        "P-EDF" => OwnProcessor::ByDeadline,
        _ => OwnProcessor::Beside,
    };
    let setup = ideal(system.tasks.clone(), system.platform.clone(), 5_000);
    let seen = seen(&run_locked(setup, &system.resources, scheduler, maker("lock-free")), &system.tasks);
    seen.waited.iter().any(|(job, repeated)| {
        let whole = WHOLE.bound(&sharing, &seen.responses, own, job.task.index());
        assert!(*repeated <= whole, "{scheduler} seed {seed}: {job} repeats {repeated}, bound {whole}");
        *repeated > weaker.bound(&sharing, &seen.responses, own, job.task.index())
    })
}

/// A job of 7 with an attempt from 2 to 5: its WCET of 4 cuts it when that has ended.
#[test]
fn an_attempt_is_never_cut() {
    let object = ResourceId(0);
    let execute = |ns| Step::Execute(Work::from_ns(ns));
    let program =
        vec![execute(2), Step::Request(object, 1), execute(3), Step::Release(object, 1), execute(2)];
    let task = Task { program, ..crate::support::task(4, 10, 10) };
    let setup = schedlab_sim::Setup { overruns: Overrun::Cut, ..ideal(vec![task], Platform::global(1), 10) };
    let timeline = run_locked(setup, &[Resource { units: 1 }], "G-EDF", maker("lock-free"));
    let ends = timeline.records.iter().filter_map(|(at, record)| match record {
        Record::Commit { .. } => Some((at.as_ns(), "commit")),
        Record::Complete { .. } => Some((at.as_ns(), "complete")),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [(5, "commit"), (5, "complete")]);
}

#[test]
fn weakened_bounds_on_retries_are_noticed() {
    for scheduler in ["P-FP", "P-EDF", "G-EDF"] {
        for weaker in &WEAKER {
            let noticed = (0..60_000).find(|&seed| is_noticed(weaker, seed, scheduler));
            println!("{scheduler} without {}: {noticed:?}", weaker.lacks);
            assert!(noticed.is_some(), "{scheduler}: without {}", weaker.lacks);
        }
    }
}
