//! A job whose release comes after its arrival has no window that begins before the release.
//!
//! The job before is complete after the arrival, but before the release: the job did not wait for it. Found by random
//! runs, where such a job was too urgent and made others exceed their bounds.

use crate::support;
use schedlab_model::*;
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::{Record, Timeline};
use support::*;

/// Two jobs of given arrivals and releases.
struct Jobs(std::vec::IntoIter<(u64, u64)>);

impl JobSource for Jobs {
    fn next_job(&mut self, _: TaskId, _: &mut Vec<Step>) -> Option<NextJob> {
        let (arrival, release) = self.0.next()?;
        let (arrival, release) = (Instant::from_ns(arrival), Instant::from_ns(release));
        Some(NextJob { arrival, release, cost: Work::from_ns(8) })
    }
}

/// When the windows begin that job 1 runs in. Job 0 runs from 20 to 28.
fn windows_of_second(name: &str, arrival: u64, release: u64) -> Vec<u64> {
    let tasks = vec![Task { jitter: Duration::from_ns(20), ..task(8, 10, 10) }];
    let platform = Platform { quantum: Duration::from_ns(10), ..Platform::global(1) };
    let policies = policies(name, &platform, &tasks);
    let source = Jobs(vec![(0, 12), (arrival, release)].into_iter());
    let mut timeline = Timeline::default();
    simulate(ideal(tasks, platform, 100), policies, NoLocks, source, &mut timeline);
    let begin = |(_, record): &(Instant, Record)| match record {
        Record::Subtask { job, release, .. } if job.number == 1 => Some(release.as_ns()),
        _ => None,
    };
    timeline.records.iter().filter_map(begin).collect()
}

#[test]
fn no_window_begins_before_the_release() {
    for name in ["PD2", "ER-PD2", "PF", "PD", "S-PD2"] {
        assert_eq!(windows_of_second(name, 25, 42), [50], "{name}");
        assert_eq!(windows_of_second(name, 25, 25), [30], "{name}: it waits for the job before");
    }
}
