//! What every test that applies says of each cluster, overheads accounted for.

use crate::system::{Arrivals, Order, System};
use schedlab_analysis as analysis;
use schedlab_analysis::overheads::jlfp::{inflate, Accounting, Inflation};
use schedlab_analysis::{Test, Verdict};
use schedlab_model::{ClusterId, Duration, ReleasePoint, Statistic, Task, TaskId};

/// What one test says of one cluster.
#[derive(Debug)]
pub struct ClusterVerdict {
    /// The tasks that it is about, in the order of its bounds.
    pub tasks: Vec<TaskId>,
    /// What it says.
    pub verdict: Verdict,
}

/// The verdicts of all tests on all clusters; none if the overheads do not fit. Panics if two tests contradict each other.
pub fn verdicts(system: &System) -> Vec<ClusterVerdict> {
    let Some(tasks) = inflated(system) else { return Vec::new() };
    let (scheduler, ranks) = scheduler(system);
    let scheduler = analysis::Scheduler { ranks: &ranks, ..scheduler };
    let found =
        analysis::analyze(&tasks, &system.platform, &scheduler).expect("a system that can be analysed");
    let of_cluster = |cluster: analysis::ClusterAnalysis| {
        let tasks = cluster.tasks;
        cluster.verdicts.into_iter().map(move |verdict| ClusterVerdict { tasks: tasks.clone(), verdict })
    };
    found.clusters.into_iter().flat_map(of_cluster).collect()
}

/// Whether `test` accepts every cluster that has tasks.
pub fn accepts(test: &Test, system: &System) -> bool {
    let Some(tasks) = inflated(system) else { return false };
    (0..system.platform.clusters.len()).all(|cluster| {
        let reduced = reduce(system, &tasks, cluster);
        reduced.tasks.is_empty() || (test.run)(&reduced).answer == analysis::Answer::Schedulable
    })
}

fn reduce(system: &System, tasks: &[Task], cluster: usize) -> analysis::System {
    let platform = &system.platform;
    let (scheduler, ranks) = scheduler(system);
    let scheduler = analysis::Scheduler { ranks: &ranks, ..scheduler };
    let late = match platform.releases {
        ReleasePoint::Timer => Duration::ZERO,
        ReleasePoint::Tick => platform.quantum,
    };
    let ids = members(system, cluster).into_iter().map(|at| TaskId(at as u32));
    let processors = platform.clusters[cluster].cpus.len() as u32;
    analysis::System::new(tasks, ids, processors, &scheduler, late).expect("a system that can be analysed")
}

fn members(system: &System, cluster: usize) -> Vec<usize> {
    let here = ClusterId(cluster as u16);
    (0..system.tasks.len()).filter(|&at| system.tasks[at].cluster == here).collect()
}

fn scheduler(system: &System) -> (analysis::Scheduler<'static>, Vec<u32>) {
    let by = |key: fn(&Task) -> u64| {
        let mut keys: Vec<u64> = system.tasks.iter().map(key).collect();
        keys.sort_unstable();
        let rank = |task| keys.partition_point(|other| *other < key(task)) as u32;
        (analysis::Order::FixedPriority, system.tasks.iter().map(rank).collect())
    };
    let (order, ranks) = match system.order {
        Order::Edf => (analysis::Order::Edf, Vec::new()),
        Order::Rm => by(|task| task.period.as_ns()),
        Order::Dm => by(|task| task.relative_deadline.as_ns()),
        Order::Fp => by(|task| task.fixed_priority.into()),
        Order::Fifo => (analysis::Order::Fifo, Vec::new()),
        Order::Fl => (analysis::Order::FairLateness, Vec::new()),
    };
    // Overheads delay releases, and accounting for them moves arrivals: nothing is where a period says.
    let arrivals = match system.arrivals {
        Arrivals::Periodic if system.overheads.are_none() => analysis::Arrivals::Periodic,
        Arrivals::Periodic | Arrivals::Sporadic => analysis::Arrivals::Sporadic,
    };
    (analysis::Scheduler { order, preemptive: system.preemptive, ranks: &[], arrivals }, ranks)
}

/// The tasks with their overheads, cluster by cluster.
fn inflated(system: &System) -> Option<Vec<Task>> {
    let mut tasks = system.tasks.clone();
    if system.overheads.are_none() {
        return Some(tasks);
    }
    // Fair lateness orders jobs by costs without overheads, of which inflated tasks tell nothing.
    if system.order == Order::Fl {
        return None;
    }
    for cluster in 0..system.platform.clusters.len() {
        let places = members(system, cluster);
        let members: Vec<Task> = places.iter().map(|&at| system.tasks[at].clone()).collect();
        let accounting = Accounting {
            overheads: &system.overheads,
            statistic: Statistic::Max,
            quantum: system.platform.quantum,
            processors: system.platform.clusters[cluster].cpus.len() as u32,
            machine_tasks: system.tasks.len(),
            // The delay of releases at ticks is accounted for as jitter.
            release_latency: Duration::ZERO,
            polled: system.platform.release_delay(),
            dedicated_interrupts: false,
            switches_in_progress: true,
        };
        let Inflation::Fits(inflated) = inflate(&members, &accounting) else { return None };
        places.into_iter().zip(inflated).for_each(|(at, task)| tasks[at] = task);
    }
    Some(tasks)
}
