//! Tasks beside supertasks: bounds on their response times.
//!
//! A supertask whose weight is enough competes as a task of that weight: its cost are the quanta, its period the slots.

use crate::analyze::{analyze, ClusterAnalysis};
use crate::pfair::lateness;
use crate::reason::Reason;
use crate::system::{AnalysedOrder, AnalysedScheduler, Arrivals, Quanta};
use crate::system_error::SystemError;
use crate::verdict::{Answer, Verdict};
use schedlab_model::{Alignment, Duration, Platform, Task, Work};

/// Reason why tasks and supertasks may not run within their windows.
#[derive(Clone, Debug)]
pub enum NotBeside {
    /// The windows of the supertask at this place are too long.
    LongWindows(usize),
    /// The tasks cannot be analysed.
    System(SystemError),
    /// The Pfair test does not prove that windows are kept.
    Windows(Reason),
}

/// Bounds on the response times of `plain` tasks among supertasks of these weights, in quanta and slots, under an order
/// that `breaks_ties` or not.
///
/// In [`NotBeside::System`] and [`NotBeside::Windows`] the supertasks are numbered after the tasks.
pub fn bounds_beside(
    plain: &[Task],
    weights: &[(u64, u64)],
    platform: &Platform,
    arrivals: Arrivals,
    breaks_ties: bool,
) -> Result<Vec<Option<Duration>>, NotBeside> {
    let quantum = platform.quantum.as_ns();
    let mut tasks = plain.to_vec();
    for (index, (quanta, slots)) in weights.iter().enumerate() {
        let times = (quanta.checked_mul(quantum), slots.checked_mul(quantum));
        let (Some(cost), Some(period)) = times else { return Err(NotBeside::LongWindows(index)) };
        tasks.push(Task::implicit(Work::from_ns(cost), Duration::from_ns(period)));
    }
    let quanta = Quanta {
        length: platform.quantum,
        staggered: platform.alignment == Alignment::Staggered,
        guaranteed: false,
        breaks_ties,
    };
    let scheduler = AnalysedScheduler {
        order: AnalysedOrder::Pfair(quanta),
        preemptive: true,
        ranks: &[],
        points: &[],
        arrivals,
    };
    let analysis = analyze(&tasks, platform, &scheduler).map_err(NotBeside::System)?;
    if let Some(verdict) = analysis.clusters.iter().find_map(not_within_windows) {
        return Err(NotBeside::Windows(verdict.reason.clone()));
    }
    Ok(analysis.response_times[..plain.len()].to_vec())
}

/// Returns the verdict by which windows may not be kept to, if there is one.
fn not_within_windows(cluster: &ClusterAnalysis) -> Option<&Verdict> {
    let of_windows = |verdict: &&Verdict| verdict.test == lateness::TEST.name;
    cluster.verdicts.iter().find(of_windows).filter(|verdict| verdict.answer != Answer::Schedulable)
}
