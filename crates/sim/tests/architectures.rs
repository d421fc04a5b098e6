//! Decisions under the two architectures of chronos-scalability-2011: schedules computed by hand from section 2, and
//! random systems whose traces are replayed lock by lock, stop by stop.

use crate::support;
use schedlab_model::*;
use schedlab_sim::{Charges, Setup};
use schedlab_trace::{Record, Timeline};
use std::collections::{BTreeMap, VecDeque};
use support::{draw, ideal, platform, run_setup, task};

fn ns(length: u64) -> Duration {
    Duration::from_ns(length)
}

fn costs(architecture: Architecture, lock: QueueLock) -> Deciding {
    let access = if architecture == Architecture::StopTheWorld { ns(1) } else { ns(0) };
    Deciding { architecture, lock, hand_over: ns(1), access, migration: ns(0), queue: None }
}

fn concurrent(lock: QueueLock, scheduling: u64) -> Charges {
    let deciding = Some(costs(Architecture::Concurrent, lock));
    Charges { scheduling: ns(scheduling), deciding, ..Charges::default() }
}

fn stopped(lock: QueueLock, scheduling: u64) -> Charges {
    let deciding = Some(costs(Architecture::StopTheWorld, lock));
    Charges { scheduling: ns(scheduling), deciding, ..Charges::default() }
}

fn run(tasks: Vec<Task>, name: &str, processors: u16, charges: Charges, horizon: u64) -> Timeline {
    let platform = platform(schedlab_policy::find(name).unwrap().scope, processors, 2);
    run_setup(Setup { charges, ..ideal(tasks, platform, horizon) }, name)
}

#[track_caller]
fn drawn(tasks: Vec<Task>, charges: Charges, name: &str, processors: u16, expected: &str) {
    let until = expected.split(" / ").next().unwrap().len() as u64;
    assert_eq!(draw(&run(tasks, name, processors, charges, until), processors, until), expected);
}

/// So many tasks that arrive at once, each with three to do.
fn alike(count: u16) -> Vec<Task> {
    (0..count).map(|_| task(3, 100, 100)).collect()
}

/// Each decides for itself: the second waits until the first gives the lock back at 2, for the hand-over, and decides.
#[test]
fn a_processor_waits_for_the_queues_lock() {
    drawn(alike(2), concurrent(QueueLock::Mcs, 2), "G-EDF", 2, "ssAAA.... / sssssBBB.");
    drawn(alike(1), concurrent(QueueLock::Ticket, 2), "P-EDF", 1, "ssAAA.");
}

/// With one ready job choosing takes 1, with two 3, whether they execute or wait.
#[test]
fn choosing_takes_by_the_ready_jobs() {
    let cost = Cost::ByReadyJobs(vec![(0, ns(0)), (1, ns(1)), (2, ns(3))]);
    let mut overheads = Overheads::default();
    overheads.set(OverheadKind::Scheduling, cost.into());
    let tasks = alike(2);
    let charged = Charges::evaluate(&overheads, Statistic::Max, &tasks, &Platform::global(2));
    assert_eq!((charged.scheduling, &charged.scheduling_by_ready[..]), (ns(3), &[ns(0), ns(1), ns(3)][..]));
    drawn(tasks.clone(), charged.clone(), "P-EDF", 1, "sssAAAsBBB.");
    let deciding = Some(costs(Architecture::Concurrent, QueueLock::Mcs));
    drawn(tasks.clone(), Charges { deciding, ..charged.clone() }, "G-EDF", 2, "sssAAA..... / sssssssBBB.");
    let deciding = Some(costs(Architecture::StopTheWorld, QueueLock::Mcs));
    let stopped = draw(&run(tasks, "G-EDF", 2, Charges { deciding, ..charged }, 8), 2, 8);
    assert_eq!(stopped, "sssssAAA / ssssssBB", "3, and 1 for each of two descriptors");
}

/// A hand-over of the ticket lock takes as long as there are waiters: 2 and 1. Those of the MCS lock take 1 and 1.
#[test]
fn a_ticket_is_handed_over_among_all_waiters() {
    drawn(alike(3), concurrent(QueueLock::Mcs, 1), "G-EDF", 3, "sAAA...... / sssBBB.... / sssssCCC..");
    drawn(alike(3), concurrent(QueueLock::Ticket, 1), "G-EDF", 3, "sAAA...... / ssssBBB... / ssssssCCC.");
}

/// Choosing takes 2, and 1 for each of two descriptors; the other processor gets its part a hand-over later. When A is
/// complete at 7 the world stops again, B with it, which is the only descriptor then.
#[test]
fn the_world_stops_for_each_decision() {
    let expected = "ssssAAAsss..ss.. / sssssBBssssBsss.";
    drawn(alike(2), stopped(QueueLock::Mcs, 2), "G-EDF", 2, expected);
    drawn(alike(1), stopped(QueueLock::Mcs, 2), "P-EDF", 1, "sssAAAss.");
    // Four decide; three get their parts after 1, 2, 3 hand-overs, or after 3, 3 + 2, 3 + 2 + 1.
    let first = |lock| draw(&run(alike(4), "G-EDF", 4, stopped(lock, 1), 14), 4, 12);
    assert_eq!(first(QueueLock::Mcs), "sssssAAAssss / ssssssBBssss / sssssssCssss / ssssssssssss");
    assert_eq!(first(QueueLock::Ticket), "sssssAAAssss / ssssssssssss / ssssssssssss / ssssssssssss");
}

/// The processor of the event stands still at once, the other works on until it hears of it two later.
#[test]
fn others_stop_when_they_hear_of_it() {
    let charges = Charges { ipi: ns(2), ..stopped(QueueLock::Mcs, 1) };
    let free = Deciding { hand_over: ns(0), access: ns(0), ..charges.deciding.unwrap() };
    let charges = Charges { deciding: Some(free), ..charges };
    let third = Task { offset: Instant::from_ns(3), ..task(2, 100, 10) };
    let tasks = vec![task(8, 100, 20), task(8, 100, 30), third];
    drawn(tasks, charges, "G-EDF", 2, "sAAsssAAAAsAA / sBBBBsCCsssBB");
}

/// B was preempted on processor 1 and goes on on processor 0, which pulls it from there: 3, and nothing else.
#[test]
fn a_task_is_pulled_from_where_it_was() {
    let at = |offset, task| Task { offset: Instant::from_ns(offset), ..task };
    let free =
        Deciding { hand_over: ns(0), migration: ns(3), ..costs(Architecture::Concurrent, QueueLock::Mcs) };
    let charges = Charges { deciding: Some(free), ..Charges::default() };
    let tasks = vec![at(2, task(9, 100, 20)), task(6, 100, 50), task(4, 100, 10)];
    drawn(tasks, charges, "G-EDF", 2, "CCCCcccBBBB. / BBAAAAAAAAA.");
}

/// The queue has a lock of its own under stop-the-world: P1 waits until P0 has made A ready, at 2, and for the
/// hand-over, makes B ready until 5, and only then all stand still. The example of the engine's file.
#[test]
fn releases_wait_for_the_queues_own_lock() {
    let drawn = |tasks: u16, processors: u16, queue: Option<OwnLock>| {
        let known = Deciding { access: ns(0), queue, ..costs(Architecture::StopTheWorld, QueueLock::Mcs) };
        let charges =
            Charges { release: ns(2), scheduling: ns(1), deciding: Some(known), ..Charges::default() };
        draw(&run(alike(tasks), "G-EDF", processors, charges, 12), processors, 9)
    };
    let own = |lock| Some(OwnLock { lock, hand_over: ns(1) });
    assert_eq!(drawn(2, 2, None), "rrsAAAs.. / rrssBBssB");
    assert_eq!(drawn(2, 2, own(QueueLock::Mcs)), "rrssssAAA / rrrrrssBB");
    // Of three, the second gets a ticket among two waiters: 2, 2 and 2, then 1 and 2. With MCS: 2, 1 and 2, 1 and 2.
    assert_eq!(drawn(3, 3, own(QueueLock::Mcs)), "rrsssssss / rrrrrssss / rrrrrrrrs");
    assert_eq!(drawn(3, 3, own(QueueLock::Ticket)), "rrsssssss / rrrrrrsss / rrrrrrrrr");
}

/// The lock of a queue does not stop the world: where stops take no time, releases alone take turns.
#[test]
fn a_queues_own_lock_needs_no_stop() {
    let queue = Some(OwnLock { lock: QueueLock::Mcs, hand_over: ns(1) });
    let known = costs(Architecture::StopTheWorld, QueueLock::Mcs);
    let known = Deciding { access: ns(0), hand_over: ns(0), queue, ..known };
    let charges = Charges { release: ns(2), deciding: Some(known), ..Charges::default() };
    assert_eq!(draw(&run(alike(2), "G-EDF", 2, charges, 9), 2, 9), "rrAAABBB. / rrrrr....");
}

/// Numbers of a seed.
struct Draw(u32);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u64::from(self.0 >> 8) % limit
    }
}

const SCHEDULERS: [(&str, u16); 4] = [("G-EDF", 1), ("NG-EDF", 1), ("G-FIFO", 1), ("C-EDF", 2)];

/// Eight tasks on four processors.
fn random(draw: &mut Draw, clusters: u16) -> Vec<Task> {
    let mut one = |index: u16| {
        let (cost, period) = (4 + draw.below(40), 60 + draw.below(90));
        let offset = Instant::from_ns(draw.below(30));
        Task { offset, cluster: ClusterId(index % clusters), ..task(cost, period, period) }
    };
    (0..8).map(&mut one).collect()
}

/// The same charges with others beside them.
fn beside(draw: &mut Draw, charges: Charges) -> Charges {
    let mut some = |limit| ns(draw.below(limit));
    let migration = some(4);
    let deciding = charges.deciding.map(|known| Deciding { migration, ..known });
    Charges { release: some(3), context_switch: some(3), ipi: some(4), deciding, ..charges }
}

fn each_trace(make: impl Fn(QueueLock, u64) -> Charges, mut look: impl FnMut(&str, &Charges, u16, Timeline)) {
    for seed in 0..200 {
        let mut draw = Draw(seed);
        let lock = if draw.below(2) == 0 { QueueLock::Ticket } else { QueueLock::Mcs };
        let scheduling = 1 + draw.below(4);
        let charges = make(lock, scheduling);
        let charges = beside(&mut draw, charges);
        for (name, clusters) in SCHEDULERS {
            let timeline = run(random(&mut draw, clusters), name, 4, charges.clone(), 900);
            look(&format!("{name}, seed {seed}"), &charges, clusters, timeline);
        }
    }
}

fn cluster(cpu: CpuId, clusters: u16) -> u16 {
    cpu.0 * clusters / 4
}

/// One processor holds the lock at a time, the first to come is the next, each holds it once for as long as its own
/// work takes, and each hand-over takes what it takes among those that wait at that instant.
#[test]
fn the_lock_is_granted_in_the_order_of_coming() {
    let mut contended = 0;
    each_trace(concurrent, |what, charges, clusters, timeline| {
        let known = charges.deciding.unwrap();
        let mut queues: BTreeMap<u16, VecDeque<(CpuId, Duration)>> = BTreeMap::new();
        let mut due: BTreeMap<u16, Instant> = BTreeMap::new();
        for (at, record) in &timeline.records {
            let (Record::OverheadBegin { cpu, kind, .. } | Record::OverheadEnd { cpu, kind }) = record else {
                continue;
            };
            let hold = match kind {
                OverheadKind::Release => charges.release,
                OverheadKind::Scheduling => charges.scheduling,
                _ => continue,
            };
            let which = cluster(*cpu, clusters);
            let queue = queues.entry(which).or_default();
            if matches!(record, Record::OverheadBegin { .. }) {
                queue.push_back((*cpu, hold));
                if queue.len() == 1 {
                    due.insert(which, *at + hold);
                }
                contended += usize::from(queue.len() > 2);
                continue;
            }
            assert_eq!((queue.pop_front(), due[&which]), (Some((*cpu, hold)), *at), "{what} at {at}");
            if let Some((_, hold)) = queue.front() {
                due.insert(which, *at + known.hand_over_among(queue.len()) + *hold);
            }
        }
    });
    assert!(contended > 2_000, "{contended} decisions found two before them");
}

/// An independent small model of the queue's own lock under stop-the-world: from the times at which releases begin, it
/// computes the time at which each ends. A release finds the lock free, or waits for those before it, in the order of
/// coming.
#[test]
fn releases_end_as_turns_at_the_queue_say() {
    let (mut releases, mut waited) = (0, 0);
    let with_queue = |lock, scheduling| {
        let charges = stopped(lock, scheduling);
        let queue = Some(OwnLock { lock, hand_over: ns(2) });
        Charges { deciding: charges.deciding.map(|known| Deciding { queue, ..known }), ..charges }
    };
    each_trace(with_queue, |what, charges, clusters, timeline| {
        let own = charges.deciding.unwrap().queue.unwrap();
        let mut begun: BTreeMap<CpuId, Instant> = BTreeMap::new();
        let mut spans: BTreeMap<u16, Vec<(Instant, Instant)>> = BTreeMap::new();
        for (at, record) in &timeline.records {
            match record {
                Record::OverheadBegin { cpu, kind: OverheadKind::Release, .. } => {
                    begun.insert(*cpu, *at);
                }
                Record::OverheadEnd { cpu, kind: OverheadKind::Release } => {
                    let since = begun.remove(cpu).unwrap();
                    spans.entry(cluster(*cpu, clusters)).or_default().push((since, *at));
                }
                _ => {}
            }
        }
        for spans in spans.values() {
            for (index, (since, until)) in spans.iter().enumerate() {
                releases += 1;
                // Ends are in the order of coming, so that the one before is the holder before.
                let free = index.checked_sub(1).map(|before| spans[before].1).filter(|free| free >= since);
                let Some(free) = free else {
                    assert_eq!(*until, *since + charges.release, "{what} at {since}: it finds the lock free");
                    continue;
                };
                waited += 1;
                // Those that come at the instant of a hand-over may come before it, or after it.
                let waiters = |comes: &dyn Fn(Instant) -> bool| {
                    spans.iter().filter(|(came, end)| comes(*came) && *end > free).count() as u64
                };
                let (least, most) = (waiters(&|came| came < free), waiters(&|came| came <= free));
                let times = |waiters: u64| match own.lock {
                    QueueLock::Mcs => waiters.min(1),
                    QueueLock::Ticket => waiters,
                };
                let expected =
                    (least..=most).map(|waiters| free + own.hand_over * times(waiters) + charges.release);
                let expected: Vec<Instant> = expected.collect();
                assert!(expected.contains(until), "{what} at {since}: {until}, not one of {expected:?}");
            }
        }
    });
    assert!(releases > 5_000 && waited > 500, "{waited} of {releases} releases waited");
}

/// A cluster's stop, as the records tell it.
#[derive(Default)]
struct Stops {
    standing: Vec<CpuId>,
    due: BTreeMap<u16, Instant>,
    /// Something happened that the next decision has to answer.
    asked: bool,
    since: Instant,
    decided: Option<Instant>,
    made: usize,
}

/// All processors of a cluster stand still until one has decided, which each decision pays once; then each goes on when
/// it is granted its part, in the order of coming. Other clusters work on meanwhile.
#[test]
fn every_decision_stops_its_cluster_once() {
    let (mut made, mut beside) = (0, 0);
    each_trace(stopped, |what, charges, clusters, timeline| {
        let known = charges.deciding.unwrap();
        let size = 4 / usize::from(clusters);
        let mut stops: BTreeMap<u16, Stops> = (0..clusters).map(|which| (which, Stops::default())).collect();
        stops.values_mut().for_each(|stop| stop.asked = true); // Each cluster decides at 0.
        let mut ready: BTreeMap<u32, u32> = BTreeMap::new();
        for (at, record) in &timeline.records {
            match record {
                Record::Ready { job, .. } => *ready.entry(job.task.0).or_default() += 1,
                Record::Complete { job } => *ready.get_mut(&job.task.0).unwrap() -= 1,
                _ => {}
            }
            match record {
                Record::Ready { job, .. } | Record::Complete { job } => {
                    let stop = stops.get_mut(&(job.task.0 as u16 % clusters)).unwrap();
                    // What happens at the instant of a decision is part of it.
                    if !stop.asked && stop.decided != Some(*at) {
                        (stop.asked, stop.since) = (true, *at);
                    }
                }
                Record::OverheadBegin { cpu, kind: OverheadKind::Scheduling, .. } => {
                    let which = cluster(*cpu, clusters);
                    let stop = stops.get_mut(&which).unwrap();
                    stop.standing.push(*cpu);
                    if stop.standing.len() < size {
                        continue;
                    }
                    assert!(std::mem::take(&mut stop.asked), "{what} at {at}: a stop for nothing");
                    let here = |(task, jobs): &(&u32, &u32)| **jobs > 0 && **task as u16 % clusters == which;
                    let read = ready.iter().filter(here).count().min(size) as u64;
                    let mut end = *at + charges.scheduling + known.access * read;
                    for (before, cpu) in std::mem::take(&mut stop.standing).into_iter().enumerate() {
                        if before > 0 {
                            end += known.hand_over_among(size - before);
                        }
                        stop.due.insert(cpu.0, end);
                    }
                    stop.decided = Some(*at);
                    stop.made += 1;
                }
                Record::OverheadEnd { cpu, kind: OverheadKind::Scheduling } => {
                    let stop = stops.get_mut(&cluster(*cpu, clusters)).unwrap();
                    assert_eq!(stop.due.remove(&cpu.0), Some(*at), "{what} at {at}, {cpu}");
                }
                Record::Dispatch { cpu, .. } => {
                    let which = cluster(*cpu, clusters);
                    let stop = &stops[&which];
                    let stands = stop.standing.contains(cpu) || stop.due.contains_key(&cpu.0);
                    assert!(!stands, "{what} at {at}: {cpu} stands still");
                    beside += usize::from(stops.values().any(|other| !other.due.is_empty()));
                }
                _ => {}
            }
        }
        made += stops.values().map(|stop| stop.made).sum::<usize>();
        // The last may not have come to it before the end.
        let answered = |stop: &Stops| !stop.asked || stop.since.as_ns() > 850;
        assert!(stops.values().all(answered), "{what}: a decision that no stop paid for");
    });
    assert!(made > 10_000 && beside > 1_000, "{made} stops, {beside} dispatches beside one");
}

/// Where no processor waits for another, the concurrent architecture is scheduling as ever.
#[test]
fn without_others_it_costs_what_scheduling_does() {
    for seed in 0..100 {
        let mut draw = Draw(seed);
        let charges = beside(&mut draw, concurrent(QueueLock::Ticket, 3));
        let free = charges.deciding.map(|known| Deciding { migration: ns(0), ..known });
        let tasks = random(&mut draw, 4);
        let [with, without] = [free, None].map(|deciding| {
            run(tasks.clone(), "P-EDF", 4, Charges { deciding, ..charges.clone() }, 900).records
        });
        assert_eq!(with, without, "seed {seed}");
    }
}

/// An architecture whose parts take no time leaves each trace as it is without.
#[test]
fn what_takes_no_time_changes_nothing() {
    for seed in 0..100 {
        let mut draw = Draw(seed);
        for architecture in [Architecture::Concurrent, Architecture::StopTheWorld] {
            let free = Deciding { hand_over: ns(0), access: ns(0), ..costs(architecture, QueueLock::Ticket) };
            let switch = ns(draw.below(3));
            let plain = Charges { context_switch: switch, ..Charges::default() };
            let tasks = random(&mut draw, 1);
            let [with, without] = [Some(free), None].map(|deciding| {
                run(tasks.clone(), "G-EDF", 4, Charges { deciding, ..plain.clone() }, 900).records
            });
            assert_eq!(with, without, "seed {seed}");
        }
    }
}
