//! Sections of others that add to a bound on blocking, as published examples have them, and their sums.

use crate::mixer::Mixer;
use crate::sharing::drawn;
use schedlab_analysis::blocking::methods::METHODS;
use schedlab_analysis::blocking::{Case, Locking, Method, Requests, Sections, Sharer, Sharing};
use schedlab_analysis::steps::{Computation, DelayCause, DelaySum, Recorder, ResponseSteps, Show, Steps};
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler};
use schedlab_model::{
    ClusterId, Duration, LockingClass, Platform, Resource, ResourceId, Step, Task, TaskId, Work,
};

fn method(name: &str) -> &'static Method {
    METHODS.iter().find(|method| method.test.name == name).unwrap()
}

/// What a method hands out for tasks that are known by their requests alone.
fn watched(
    method: &Method,
    class: LockingClass,
    platform: &Platform,
    tasks: &[Task],
    sharing: &Sharing,
) -> Steps {
    let scheduler = AnalysedScheduler { order: AnalysedOrder::FixedPriority, ..AnalysedScheduler::EDF };
    let case = case(class, platform, &scheduler, tasks);
    let mut recorder = Recorder::of(Show::All);
    let judged = (method.watched.unwrap())(&case, sharing, &mut recorder);
    let plain = (method.judge)(&case, sharing);
    assert_eq!((&judged.terms, &judged.met), (&plain.terms, &plain.met), "watching changes nothing");
    let steps = recorder.into_steps();
    for sum in delays(&steps) {
        let parts = sum.parts.iter().map(|part| part.section.total()).sum::<u64>();
        let terms = judged.terms[sum.of.index()].total();
        assert_eq!((Some(parts), terms), (sum.total, sum.total), "{}: {sum:?} {sharing:?}", method.test.name);
    }
    steps
}

fn case<'c>(
    class: LockingClass,
    platform: &'c Platform,
    scheduler: &'c AnalysedScheduler<'c>,
    tasks: &'c [Task],
) -> Case<'c> {
    let locking = Locking {
        protocol: "of the test",
        class,
        resources: &[Resource { units: 1 }; 4],
        short: &[true, false, true, false],
        attempts: &[],
        fails: &[],
        mutexes: &[],
    };
    Case { tasks, platform, scheduler, locking }
}

fn delays(steps: &Steps) -> Vec<&DelaySum> {
    let mut found = Vec::new();
    for computation in &steps.computations {
        if let Computation::Delays(sum) = computation {
            found.push(sum);
        }
    }
    found
}

/// A part as cause, task, length and count.
type Part = (DelayCause, u32, u64, u64);

fn parts(sum: &DelaySum) -> Vec<Part> {
    sum.parts
        .iter()
        .map(|part| (part.cause, part.section.task.0, part.section.length, part.section.count))
        .collect()
}

use DelayCause::{AheadOfHolder, Arrival, ArrivalSpinning, HolderKeptOff, KeptOff, Waiting};

/// Six tasks on three processors and one resource, `msrp-bounds` of the worked examples: cluster, period, number and
/// length of requests.
fn gai() -> Sharing {
    let rows = [
        (0, 100_000, 1, 77),
        (0, 50_000, 1, 6),
        (0, 10_000, 1, 5),
        (1, 10_000, 1, 7),
        (2, 20_000, 4, 1),
        (2, 30_000, 1, 7),
    ];
    let mut sharing = Sharing::new(3, vec![1]);
    for (level, (cluster, period, count, length)) in rows.into_iter().enumerate() {
        let sharer = Sharer { cost: 100, period, relative_deadline: period, cluster, level: level as u32 };
        sharing.push(sharer, &[Requests::mutex(0, count, length)]).unwrap();
    }
    sharing
}

/// P. Gai, G. Lipari and M. Di Natale, RTSS 2001: each request spins for the longest section of each other
/// processor; on
/// arrival a job finds a less urgent one spinning and in its section.
#[test]
fn spinning_and_arrival_of_gai_lipari_and_di_natale() {
    let steps = watched(method("msrp_demand"), LockingClass::Msrp, &Platform::partitioned(3), &[], &gai());
    let all = delays(&steps);
    let first = [
        (Waiting, 3, 7, 1),
        (Waiting, 5, 7, 1),
        (Arrival, 1, 6, 1),
        (ArrivalSpinning, 3, 7, 1),
        (ArrivalSpinning, 5, 7, 1),
    ];
    // The second of two equally long ones is not named: the first that was found is.
    let fifth = [
        (Waiting, 0, 77, 4),
        (Waiting, 3, 7, 4),
        (Arrival, 5, 7, 1),
        (ArrivalSpinning, 0, 77, 1),
        (ArrivalSpinning, 3, 7, 1),
    ];
    assert_eq!((parts(all[0]), all[0].total), (first.to_vec(), Some(14 + 20)));
    assert_eq!((parts(all[4]), all[4].total), (fifth.to_vec(), Some(336 + 91)));
    assert_eq!(parts(all[2]), [(Waiting, 3, 7, 1), (Waiting, 5, 7, 1)]);
}

/// B. Brandenburg, dissertation 2011, section 5.4.5: four requests of a job meet no more than the requests that are
/// issued meanwhile: of each processor, the longest.
#[test]
fn requests_of_a_whole_job_are_counted() {
    let steps =
        watched(method("msrp_response_time"), LockingClass::Msrp, &Platform::partitioned(3), &[], &gai());
    let fifth = delays(&steps).into_iter().find(|sum| sum.of == TaskId(4)).unwrap();
    // Two jobs of each are pending at most: 77 and 77, 6 and 6; 7 of the other processor four times, if it
    // comes so often.
    let waiting: Vec<Part> = parts(fifth).into_iter().filter(|part| part.0 == Waiting).collect();
    assert_eq!(waiting, [(Waiting, 0, 77, 1), (Waiting, 1, 6, 1), (Waiting, 2, 5, 1), (Waiting, 3, 7, 1)]);
    let responses: Vec<&ResponseSteps> = steps
        .computations
        .iter()
        .filter_map(|one| match one {
            Computation::Response(steps) => Some(steps),
            _ => None,
        })
        .collect();
    // Each task once, with the blocking of the last round; spinning of more urgent tasks is a part of their costs.
    assert_eq!(responses.len(), 6);
    let last = responses.iter().find(|one| one.task == TaskId(5)).unwrap();
    assert_eq!((last.higher[0].task, last.higher[0].spinning), (TaskId(4), 77 + 6 + 5 + 7));
    assert_eq!(last.higher[0].cost, 100 + 95);
}

/// Three tasks on three processors that share one resource, and one more: `mpcp-bounds` of the worked examples.
fn lakshmanan() -> Sharing {
    let mut sharing = Sharing::new(5, vec![1]);
    for (level, (cluster, period, length)) in
        [(2, 10, 3), (3, 25, 5), (4, 50, 7), (1, 100, 0)].into_iter().enumerate()
    {
        let sharer =
            Sharer { cost: length.max(1), period, relative_deadline: period, cluster, level: level as u32 };
        let request = Requests::mutex(0, 1, length);
        sharing.push(sharer, if length > 0 { std::slice::from_ref(&request) } else { &[] }).unwrap();
    }
    sharing
}

/// K. Lakshmanan, D. de Niz and R. Rajkumar, RTSS 2009, equations 2 and 3: waits of 7, 7 + 3 3 and 3 3 + 2 5.
/// First come,
/// first served, it is one request of each other task: 5 + 7, 3 + 7, 3 + 5.
#[test]
fn waits_of_lakshmanan_de_niz_and_rajkumar() {
    let steps = watched(
        method("mpcp_response_time"),
        LockingClass::Mpcp,
        &Platform::partitioned(5),
        &[],
        &lakshmanan(),
    );
    let of = |steps: &Steps| delays(steps).into_iter().map(parts).collect::<Vec<_>>();
    let expected = [
        vec![(Waiting, 2, 7, 1)],
        vec![(Waiting, 2, 7, 1), (Waiting, 0, 3, 3)],
        vec![(Waiting, 0, 3, 3), (Waiting, 1, 5, 2)],
        vec![],
    ];
    assert_eq!(of(&steps), expected);
    for name in ["fmlp_plus_response_time", "task_fair_response_time"] {
        let steps =
            watched(method(name), method(name).classes[0], &Platform::partitioned(5), &[], &lakshmanan());
        let expected = [
            vec![(Waiting, 1, 5, 1), (Waiting, 2, 7, 1)],
            vec![(Waiting, 0, 3, 1), (Waiting, 2, 7, 1)],
            vec![(Waiting, 0, 3, 1), (Waiting, 1, 5, 1)],
            vec![],
        ];
        let mut found = of(&steps);
        found.iter_mut().for_each(|parts| parts.sort_unstable_by_key(|part| part.1));
        assert_eq!(found, expected, "{name}");
    }
}

/// By hand: A of processor 0 waits for B's section of 4; C of B's processor, boosted as high, may hold S for 6
/// before it.
/// On arrival and after its request, D of A's processor delays it by its section of 5.
#[test]
fn a_section_ahead_of_the_holder_counts() {
    let mut sharing = Sharing::new(2, vec![1, 1]);
    let rows: [(u32, &[(u32, u64)]); 4] =
        [(0, &[(0, 2), (1, 1)]), (1, &[(0, 4)]), (1, &[(1, 6)]), (0, &[(1, 5)])];
    for (level, (cluster, requests)) in rows.into_iter().enumerate() {
        let requests: Vec<Requests> =
            requests.iter().map(|(of, length)| Requests::mutex(*of, 1, *length)).collect();
        let sharer = Sharer { cost: 10, period: 1000, relative_deadline: 1000, cluster, level: level as u32 };
        sharing.push(sharer, &requests).unwrap();
    }
    let steps =
        watched(method("mpcp_response_time"), LockingClass::Mpcp, &Platform::partitioned(2), &[], &sharing);
    // For S the longest less urgent user is C, 6 with B's 4 ahead of it.
    let expected = [
        (Waiting, 1, 4, 1),
        (AheadOfHolder, 2, 6, 1),
        (Waiting, 2, 6, 1),
        (AheadOfHolder, 1, 4, 1),
        (KeptOff, 3, 5, 3),
    ];
    assert_eq!(parts(delays(&steps)[0]), expected);
}

/// A. Block et al., RTCSA 2007, by hand as in `fmlp_by_hand.rs`: A and C on one processor, B on another. When A is
/// granted its long resource, two jobs of C may precede it, 18 in all, so that B waits for 18 + 10.
#[test]
fn long_and_short_resources_of_block_et_al() {
    let mut sharing = Sharing::new(2, vec![1, 1]);
    let requests: [&[(u32, u64)]; 3] = [&[(0, 2), (1, 10)], &[(0, 3), (1, 4)], &[(0, 1)]];
    for ((cluster, cost), requests) in [(0, 20), (1, 20), (0, 6)].into_iter().zip(requests) {
        let requests: Vec<Requests> =
            requests.iter().map(|(of, length)| Requests::mutex(*of, 1, *length)).collect();
        sharing
            .push(Sharer { cost, period: 100, relative_deadline: 100, cluster, level: 0 }, &requests)
            .unwrap();
    }
    let steps = watched(method("fmlp_demand"), LockingClass::Fmlp, &Platform::partitioned(2), &[], &sharing);
    let steps = delays(&steps);
    assert_eq!(parts(steps[1]), [(Waiting, 0, 2, 1), (Waiting, 0, 10, 1), (HolderKeptOff, 0, 18, 1)]);
    assert_eq!(steps[1].total, Some(2 + 18 + 10));
    // When A resumes, C may be in its section, and so it may on arrival: 3 + 1 each.
    let first = parts(steps[0]);
    let of = |cause: DelayCause| {
        first.iter().filter(|part| part.0 == cause).map(|part| part.2 * part.3).sum::<u64>()
    };
    assert_eq!([Waiting, KeptOff, Arrival, ArrivalSpinning].map(of), [3 + 4, 3 + 1, 1, 3]);
}

/// A. Block et al., RTCSA 2007, and B. Brandenburg and J. Anderson, RTSS 2010, `global-fmlp-omlp` of the worked
/// examples:
/// of five other tasks, each delays once under the FMLP; under the OMLP, three requests do.
#[test]
fn waits_under_the_global_fmlp_and_the_omlp() {
    let program = vec![
        Step::Request(ResourceId(1), 1),
        Step::Execute(Work::from_ns(10_000)),
        Step::Release(ResourceId(1), 1),
    ];
    let task = Task { program, ..Task::implicit(Work::from_ns(10_000), Duration::from_ns(1_000_000)) };
    let tasks = vec![Task { cluster: ClusterId(0), ..task }; 6];
    let platform = Platform::global(2);
    for (name, expected) in [("fmlp_long_oblivious", 5), ("omlp_oblivious", 3)] {
        let method = method(name);
        let scheduler = AnalysedScheduler::EDF;
        let sharing =
            case(method.classes[0], &platform, &scheduler, &tasks).sharing(method.sections).unwrap();
        let steps = watched(method, method.classes[0], &platform, &tasks, &sharing);
        for sum in delays(&steps) {
            let counts: u64 = sum.parts.iter().map(|part| part.section.count).sum();
            assert_eq!((counts, sum.total), (expected, Some(expected * 10_000)), "{name}");
            assert!(sum.parts.iter().all(|part| part.cause == Waiting && part.section.task != sum.of));
        }
    }
}

/// For many systems and every method that hands out sections, these add up to the terms, and watching changes nothing.
#[test]
fn sections_add_up_to_the_bound() {
    let names = METHODS.iter().filter(|method| method.watched.is_some()).map(|method| method.test.name);
    let mut names: Vec<&str> = names.collect();
    // Those of one processor show what may block, not what counts alone.
    names.retain(|name| !["pip_", "pcp_", "srp_", "npcs_"].iter().any(|one| name.starts_with(one)));
    assert!(names.len() > 14, "{names:?}");
    for name in names {
        let method = method(name);
        let mut shown = 0;
        for seed in 1..200 {
            let mut random = Mixer(seed * 0x9e37_79b9 + 1);
            let global = matches!(name, "fmlp_long_oblivious" | "fmlp_oblivious" | "omlp_oblivious");
            let sharing = drawn(&mut random, if global { 1 } else { 4 }, |_, index| index as u32);
            // Only mutexes: some methods take no reads.
            let mut plain = Sharing::new(sharing.clusters(), vec![1; sharing.units().len()]);
            for (index, task) in sharing.tasks().iter().enumerate() {
                let requests = sharing.requests(index).iter();
                let mutex =
                    |one: &Requests| Requests::mutex(one.resource, one.writes.max(1), one.write_length);
                let requests: Vec<Requests> = requests.map(mutex).collect();
                let period = 40 * task.period;
                plain.push(Sharer { period, relative_deadline: period, ..*task }, &requests).unwrap();
            }
            let platform = match global {
                true => Platform::global(2),
                false => Platform::partitioned(plain.clusters() as u16),
            };
            let tasks: Vec<Task> = plain.tasks().iter().map(of_sharer).collect();
            let class = method.classes[seed as usize % method.classes.len()];
            let steps = watched(method, class, &platform, &tasks, &plain);
            shown += delays(&steps).iter().filter(|sum| !sum.parts.is_empty()).count();
        }
        assert!(shown > 100, "{name}: {shown}");
        assert_ne!(method.sections, Sections::ReadsAndWrites);
    }
}

/// The task without its requests.
fn of_sharer(sharer: &Sharer) -> Task {
    let (period, due) = (Duration::from_ns(sharer.period), Duration::from_ns(sharer.relative_deadline));
    let task = Task::constrained(Work::from_ns(sharer.cost), period, due);
    Task { cluster: ClusterId(sharer.cluster as u16), ..task }
}
