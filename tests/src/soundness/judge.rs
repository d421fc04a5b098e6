//! What every test that applies says of each cluster, overheads accounted for.

use crate::system::{Arrivals, Order, System};
use schedlab_analysis as analysis;
use schedlab_analysis::overheads::jlfp::{inflate, Accounting};
use schedlab_analysis::{Test, Verdict};
use schedlab_model::{ClusterId, Duration, Point, ReleasePoint, Statistic, Task, TaskId};

/// What one test says of one cluster.
#[derive(Debug)]
pub struct ClusterVerdict {
    /// The tasks that it is about, in the order of its bounds.
    pub tasks: Vec<TaskId>,
    /// What it says.
    pub verdict: Verdict,
}

/// The verdicts of all tests on all clusters; none if the overheads do not fit. Panics if two tests contradict each
/// other.
pub fn verdicts(system: &System) -> Vec<ClusterVerdict> {
    let Some(tasks) = inflated(system) else { return Vec::new() };
    let ordered = Ordered::of(system);
    let scheduler = ordered.scheduler(system);
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
    let ordered = Ordered::of(system);
    let scheduler = ordered.scheduler(system);
    let late = match platform.releases {
        ReleasePoint::Timer => Duration::ZERO,
        ReleasePoint::Tick => platform.quantum,
    };
    let ids = members(system, cluster).into_iter().map(|task| TaskId(task as u32));
    let processors = platform.clusters[cluster].cpus.len() as u32;
    analysis::System::new(tasks, ids, processors, &scheduler, late).expect("a system that can be analysed")
}

fn members(system: &System, cluster: usize) -> Vec<usize> {
    let here = ClusterId(cluster as u16);
    (0..system.tasks.len()).filter(|&task| system.tasks[task].cluster == here).collect()
}

/// The order of a system as analysis is told of it.
struct Ordered {
    order: analysis::AnalysedOrder,
    ranks: Vec<u32>,
    points: Vec<Point>,
    arrivals: analysis::Arrivals,
}

impl Ordered {
    fn of(system: &System) -> Ordered {
        let ranks = |key: fn(&Task) -> u64| {
            let mut keys: Vec<u64> = system.tasks.iter().map(key).collect();
            keys.sort_unstable();
            let rank = |task| keys.partition_point(|other| *other < key(task)) as u32;
            (analysis::AnalysedOrder::FixedPriority, system.tasks.iter().map(rank).collect(), Vec::new())
        };
        // Costs with overheads do not move the points.
        let points = |point: &dyn Fn(&Task) -> Point| {
            (analysis::AnalysedOrder::AfterArrival, Vec::new(), system.tasks.iter().map(point).collect())
        };
        let (order, ranks, points) = match system.order {
            Order::Edf => (analysis::AnalysedOrder::Edf, Vec::new(), Vec::new()),
            Order::Rm => ranks(|task| task.period.as_ns()),
            Order::Dm => ranks(|task| task.relative_deadline.as_ns()),
            Order::Fp => ranks(|task| task.fixed_priority.into()),
            Order::Fifo => points(&|_| Point::whole(0)),
            Order::Fl => points(&|task| fair_point(system, task)),
        };
        // Overheads delay releases, and accounting for them moves arrivals: nothing is where a period says.
        let arrivals = match system.arrivals {
            Arrivals::Periodic if system.overheads.are_none() => analysis::Arrivals::Periodic,
            Arrivals::Periodic | Arrivals::Sporadic => analysis::Arrivals::Sporadic,
        };
        Ordered { order, ranks, points, arrivals }
    }

    fn scheduler(&self, system: &System) -> analysis::AnalysedScheduler<'_> {
        let Ordered { order, ranks, points, arrivals } = self;
        let preemptive = system.preemptive;
        analysis::AnalysedScheduler { order: *order, preemptive, ranks, points, arrivals: *arrivals }
    }
}

/// From arrival to the point of fair lateness.
fn fair_point(system: &System, task: &Task) -> Point {
    let parts = system.platform.clusters[task.cluster.index()].cpus.len() as u32;
    let earlier = task.wcet.as_ns() * u64::from(parts - 1);
    let after = (task.relative_deadline.as_ns() * u64::from(parts)).saturating_sub(earlier);
    Point { after, parts }
}

/// The tasks with their overheads, cluster by cluster.
fn inflated(system: &System) -> Option<Vec<Task>> {
    let mut tasks = system.tasks.clone();
    if system.overheads.are_none() {
        return Some(tasks);
    }
    for cluster in 0..system.platform.clusters.len() {
        let places = members(system, cluster);
        let members: Vec<Task> = places.iter().map(|&index| system.tasks[index].clone()).collect();
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
        let inflated = inflate(&members, &accounting).ok()?;
        places.into_iter().zip(inflated).for_each(|(index, task)| tasks[index] = task);
    }
    Some(tasks)
}
