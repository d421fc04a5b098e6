//! Bounds on suspension and on blocking by ceilings, against their definitions spelled out on random tasks: every
//! request that may come in between is listed, and those that may delay are picked from the list.

use crate::mixer;
use crate::sharing as support;

use mixer::Mixer;
use schedlab_analysis::blocking::{
    clustered_omlp, dflp, dpcp, fmlp_plus, global_fmlp, global_omlp, global_pip, mrsp, npcs, pcp, pip, ppcp,
    srp, task_fair_mutex,
};
use schedlab_analysis::blocking::{Requests, Sharing, Terms};
use support::{drawn, others, request, sharing};

/// A system, bounds on its response times, and the task that one looks at.
struct Look<'a> {
    sharing: &'a Sharing,
    responses: &'a [u64],
    task: usize,
}

impl Look<'_> {
    fn level(&self) -> u32 {
        self.sharing.tasks()[self.task].level
    }

    fn cluster(&self) -> u32 {
        self.sharing.tasks()[self.task].cluster
    }

    fn own(&self) -> &[Requests] {
        self.sharing.requests(self.task)
    }

    fn others(&self) -> Vec<usize> {
        others(self.sharing, self.task).map(|(other, _)| other).collect()
    }

    /// Others of `cluster`.
    fn others_of(&self, cluster: u32) -> Vec<usize> {
        self.others().into_iter().filter(|other| self.sharing.tasks()[*other].cluster == cluster).collect()
    }

    /// The sections of `other`'s jobs that may overlap with one job here, of resources that are `wanted`, longest
    /// first.
    fn sections(&self, other: usize, wanted: impl Fn(u32) -> bool) -> Vec<u64> {
        let period = self.sharing.tasks()[other].period;
        let jobs = (self.responses[self.task] + self.responses[other]).div_ceil(period);
        let mut lengths = Vec::new();
        for request in self.sharing.requests(other).iter().filter(|request| wanted(request.resource)) {
            lengths.extend((0..jobs * request.count()).map(|_| request.length()));
        }
        longest_first(lengths)
    }

    /// First come, first served: of each cluster as many of the longest as processors can have requests in the queue
    /// (one less where the job is), of each task one for each of `issued` requests.
    fn fifo(&self, resource: u32, issued: u64, processors: u64) -> u64 {
        let of = |cluster: u32| {
            let mut ahead = Vec::new();
            for other in self.others_of(cluster) {
                ahead.extend(self.sections(other, |of| of == resource).into_iter().take(issued as usize));
            }
            let others = processors - u64::from(cluster == self.cluster());
            sum_of(&longest_first(ahead), others * issued)
        };
        (0..self.sharing.clusters()).map(of).sum()
    }
}

fn longest_first(mut lengths: Vec<u64>) -> Vec<u64> {
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    lengths
}

/// The sum of the first `count`.
fn sum_of(lengths: &[u64], count: u64) -> u64 {
    lengths.iter().take(count as usize).sum()
}

/// The most urgent level of all users.
fn ceiling(sharing: &Sharing, resource: u32) -> u32 {
    let users = (0..sharing.tasks().len()).filter(|task| request(sharing, *task, resource).is_some());
    users.map(|task| sharing.tasks()[task].level).min().unwrap_or(u32::MAX)
}

/// Waiting as in a queue that is FIFO; on arrival, one such wait and section of a task of the cluster that is not more
/// urgent.
fn first_come(look: &Look<'_>, processors: u64) -> Terms {
    let remote =
        look.own().iter().map(|request| look.fifo(request.resource, request.count(), processors)).sum();
    let mut local = 0;
    for other in look.others_of(look.cluster()) {
        let there = Look { task: other, ..*look };
        if there.level() >= look.level() {
            let spans = there
                .own()
                .iter()
                .map(|request| there.fifo(request.resource, 1, processors) + request.length());
            local = local.max(spans.max().unwrap_or(0));
        }
    }
    Terms::new(remote, local)
}

/// Of each other user one request for each of the job's.
fn fmlp_long(look: &Look<'_>) -> Terms {
    let before = |request: &Requests, other: usize| {
        sum_of(&look.sections(other, |of| of == request.resource), request.count())
    };
    let wait = |request| look.others().into_iter().map(|other| before(request, other)).sum::<u64>();
    Terms::new(look.own().iter().map(wait).sum(), 0)
}

/// Each request waits for 2m - 1 others, two of one task; for each other user once if there are at most m + 1.
fn omlp(look: &Look<'_>, processors: u64) -> Terms {
    let wait = |request: &Requests| {
        let on_it = |of| of == request.resource;
        let uses = |other: &usize| {
            self::request(look.sharing, *other, request.resource).is_some_and(|request| request.count() > 0)
        };
        let users: Vec<usize> = look.others().into_iter().filter(uses).collect();
        let few = users.len() as u64 <= processors;
        let (of_one, ahead) = if few { (1, users.len() as u64) } else { (2, 2 * processors - 1) };
        let count = request.count();
        let mut lengths = Vec::new();
        for other in users {
            lengths.extend(look.sections(other, on_it).into_iter().take((of_one * count) as usize));
        }
        sum_of(&longest_first(lengths), ahead * count)
    };
    Terms::new(look.own().iter().map(wait).sum(), 0)
}

/// What others execute on the processor of the job, of the resources that live there.
fn at_home(look: &Look<'_>, home: &[u32]) -> u64 {
    let here = |resource: u32| home[resource as usize] == look.cluster();
    look.others().into_iter().map(|other| look.sections(other, here).iter().sum::<u64>()).sum()
}

/// The other processors, and how many requests the job has there.
fn elsewhere(look: &Look<'_>, home: &[u32]) -> Vec<(u32, u64)> {
    let count = |processor: u32| {
        let there = look.own().iter().filter(|request| home[request.resource as usize] == processor);
        there.map(Requests::count).sum()
    };
    let processors = (0..look.sharing.clusters()).filter(|processor| *processor != look.cluster());
    processors.map(|processor| (processor, count(processor))).filter(|(_, count)| *count > 0).collect()
}

/// At each other processor: all requests of more urgent tasks, and for each of the job's one of others whose ceiling
/// reaches it.
fn dpcp(look: &Look<'_>, home: &[u32]) -> Terms {
    let mut remote = 0;
    for (processor, issued) in elsewhere(look, home) {
        let there = |resource: u32| home[resource as usize] == processor;
        let mut lower = Vec::new();
        for other in look.others() {
            if look.sharing.tasks()[other].level < look.level() {
                remote += look.sections(other, there).iter().sum::<u64>();
            } else {
                let reaches = |resource| there(resource) && ceiling(look.sharing, resource) <= look.level();
                lower.extend(look.sections(other, reaches));
            }
        }
        remote += sum_of(&longest_first(lower), issued);
    }
    Terms::new(remote, at_home(look, home))
}

/// At each other processor: for each of the job's requests one of each other task.
fn dflp(look: &Look<'_>, home: &[u32]) -> Terms {
    let mut remote = 0;
    for (processor, issued) in elsewhere(look, home) {
        let there = |resource: u32| home[resource as usize] == processor;
        remote +=
            look.others().into_iter().map(|other| sum_of(&look.sections(other, there), issued)).sum::<u64>();
    }
    Terms::new(remote, at_home(look, home))
}

/// Direct blocking: of each other user one request for each of the job's. Wherever a request of another processor
/// blocks directly, each task there delays it by one section, and a holder that is not preempted by one more; locally
/// each less urgent task by one on arrival and at each resumption.
fn fmlp_plus(look: &Look<'_>, preemptive: bool) -> Terms {
    let (mut remote, mut blocked) = (0, 0);
    for cluster in 0..look.sharing.clusters() {
        let (mut direct, mut may_meet) = (0, 0);
        for request in look.own() {
            let of = |other: usize| look.sections(other, |of| of == request.resource).len() as u64;
            let counts: Vec<u64> = look.others_of(cluster).into_iter().map(of).collect();
            direct += counts.iter().map(|count| request.count().min(*count)).sum::<u64>();
            let uses = |other: &usize| {
                self::request(look.sharing, *other, request.resource)
                    .is_some_and(|request| request.count() > 0)
            };
            may_meet += if look.others_of(cluster).iter().any(uses) { request.count() } else { 0 };
        }
        blocked += direct;
        if cluster == look.cluster() {
            continue;
        }
        let mut later = Vec::new();
        for other in look.others_of(cluster) {
            remote += sum_of(&look.sections(other, |_| true), direct.min(may_meet));
            for resource in 0..look.sharing.units().len() as u32 {
                later.extend(look.sections(other, |of| of == resource).into_iter().take(direct as usize));
            }
        }
        remote += if preemptive { 0 } else { sum_of(&longest_first(later), direct) };
    }
    let issued: u64 = look.own().iter().map(Requests::count).sum();
    let lower = look.others_of(look.cluster()).into_iter();
    let lower = lower.filter(|other| look.sharing.tasks()[*other].level >= look.level());
    let local = lower.map(|other| sum_of(&look.sections(other, |_| true), issued.min(blocked) + 1)).sum();
    Terms::new(remote, local)
}

/// The least urgent others of the same cluster, with sections that have a ceiling at least as urgent: by task, the
/// longest of each.
fn blockers(look: &Look<'_>, any_ceiling: bool) -> Vec<u64> {
    let lower = look.others_of(look.cluster()).into_iter();
    let lower = lower.filter(|other| look.sharing.tasks()[*other].level > look.level());
    let longest = |other| {
        let reaches =
            |request: &&Requests| any_ceiling || ceiling(look.sharing, request.resource) <= look.level();
        look.sharing.requests(other).iter().filter(reaches).map(Requests::length).max().unwrap_or(0)
    };
    lower.map(longest).collect()
}

/// A resource blocks if what less urgent tasks may hold leaves fewer units than the job, or a more urgent one, may
/// need.
fn stack(look: &Look<'_>) -> u64 {
    let blocks = |resource: u32| {
        let lower = look.others_of(look.cluster()).into_iter();
        let lower = lower.filter(|other| look.sharing.tasks()[*other].level > look.level());
        let on_it: Vec<&Requests> =
            lower.filter_map(|other| request(look.sharing, other, resource)).collect();
        let held: u32 = on_it.iter().map(|request| request.units).sum();
        let free = look.sharing.units()[resource as usize].saturating_sub(held);
        let needs =
            |task: usize| request(look.sharing, task, resource).is_some_and(|request| request.units > free);
        let is_wanted = (0..look.sharing.tasks().len())
            .any(|task| look.sharing.tasks()[task].level <= look.level() && needs(task));
        on_it.iter().filter(|_| is_wanted).map(|request| request.length()).max().unwrap_or(0)
    };
    (0..look.sharing.units().len() as u32).map(blocks).max().unwrap_or(0)
}

/// Each request takes as long as the longest section on each processor that uses the resource; once blocked by one that
/// is longest.
fn helped(look: &Look<'_>) -> Terms {
    let users = |resource: u32| {
        let all = look.sharing.tasks().iter().enumerate();
        all.filter_map(move |(at, task)| Some((task, request(look.sharing, at, resource)?)))
    };
    let takes = |resource: u32| {
        let clusters = (0..look.sharing.clusters())
            .filter(|cluster| users(resource).any(|(task, _)| task.cluster == *cluster));
        clusters.count() as u64 * users(resource).map(|(_, request)| request.length()).max().unwrap_or(0)
    };
    let spin =
        look.own().iter().map(|request| request.count() * (takes(request.resource) - request.length())).sum();
    let blocks = |resource: &u32| {
        let here = || users(*resource).filter(|(task, _)| task.cluster == look.cluster());
        here().any(|(task, _)| task.level <= look.level())
            && here().any(|(task, _)| task.level > look.level())
    };
    let arrival = (0..look.sharing.units().len() as u32).filter(blocks).map(takes).max().unwrap_or(0);
    Terms::new(spin, arrival)
}

/// Equations 5 to 10, and 14 with `ceilings`, of Easwaran and Andersson.
fn under_global_priorities(look: &Look<'_>, processors: u64, ceilings: bool) -> Terms {
    let (tasks, response) = (look.sharing.tasks(), look.responses[look.task]);
    let work = |other: usize, x: u64| {
        let span = (response + tasks[other].relative_deadline).saturating_sub(x);
        span / tasks[other].period * x + x.min(span % tasks[other].period)
    };
    let held = |other: usize, wanted: &dyn Fn(u32) -> bool| {
        let wanted = look.sharing.requests(other).iter().filter(|request| wanted(request.resource));
        wanted.map(|request| request.count() * request.length()).sum::<u64>()
    };
    let (lower, higher): (Vec<usize>, Vec<usize>) =
        look.others().into_iter().partition(|other| tasks[*other].level > look.level());
    let direct = |own: &Requests| {
        let on_it = lower.iter().filter_map(|other| request(look.sharing, *other, own.resource));
        own.count() * on_it.map(Requests::length).max().unwrap_or(0)
    };
    let refused = |own: &Requests| {
        let off_it = |other: &usize| {
            let requests =
                look.sharing.requests(*other).iter().filter(|request| request.resource != own.resource);
            requests.map(Requests::length).max().unwrap_or(0)
        };
        own.count() * sum_of(&longest_first(lower.iter().map(off_it).collect()), processors)
    };
    let mut remote: u64 = look.own().iter().map(direct).sum();
    if u64::from(look.level()) >= processors {
        let boosted = |resource: u32| ceiling(look.sharing, resource) < look.level();
        let sum: u64 = lower.iter().map(|other| work(*other, held(*other, &boosted))).sum();
        remote += sum.div_ceil(processors);
        remote += if ceilings { look.own().iter().map(refused).sum() } else { 0 };
    }
    let shared = |resource: u32| request(look.sharing, look.task, resource).is_some();
    Terms::new(remote, higher.iter().map(|other| work(*other, held(*other, &shared))).sum())
}

/// Holds `found` against `expected` for each task of many systems; says how many terms were positive.
fn compare(
    seed: u64,
    draw: impl Fn(&mut Mixer) -> Sharing,
    found: impl Fn(&Sharing, &[u64], u32) -> Vec<Terms>,
    expected: impl Fn(&Look<'_>, u64) -> Terms,
) {
    let (mut random, mut waits, mut blocked) = (Mixer(seed), 0, 0);
    for _ in 0..2_500 {
        let sharing = draw(&mut random);
        let processors = 1 + random.below(3) as u32;
        let responses: Vec<u64> = sharing.tasks().iter().map(|_| random.below(300)).collect();
        for (task, terms) in found(&sharing, &responses, processors).into_iter().enumerate() {
            let look = Look { sharing: &sharing, responses: &responses, task };
            let by_hand = expected(&look, processors.into());
            assert_eq!(terms, by_hand, "task {task} of {sharing:?} with {responses:?} on {processors}");
            waits += u64::from(terms.remote > Some(0));
            blocked += u64::from(terms.local > 0);
        }
    }
    assert!(waits + blocked > 3_000, "{waits} wait, {blocked} are delayed");
}

#[test]
fn queues_first_come_first_served() {
    compare(1, sharing, task_fair_mutex::bounds, first_come);
    compare(2, sharing, clustered_omlp::bounds, first_come);
    compare(
        3,
        sharing,
        |sharing, responses, _| clustered_omlp::bounds(sharing, responses, 1),
        |look, _| first_come(look, 1),
    );
    let global = |random: &mut Mixer| drawn(random, 1, |random, _| random.below(6) as u32);
    compare(
        4,
        global,
        |sharing, responses, _| global_fmlp::bounds(sharing, responses),
        |look, _| fmlp_long(look),
    );
    compare(5, global, global_omlp::bounds, omlp);
}

#[test]
fn semaphores_of_partitions() {
    let home = |sharing: &Sharing| dpcp::in_turn(sharing.units().len(), sharing.clusters());
    compare(
        6,
        sharing,
        |sharing, responses, _| dpcp::bounds(sharing, responses, &home(sharing)),
        |look, _| dpcp(look, &home(look.sharing)),
    );
    compare(
        7,
        sharing,
        |sharing, responses, _| dflp::bounds(sharing, responses, &home(sharing)),
        |look, _| dflp(look, &home(look.sharing)),
    );
    for preemptive in [true, false] {
        compare(
            8,
            sharing,
            |sharing, responses, _| fmlp_plus::bounds(sharing, responses, preemptive),
            |look, _| fmlp_plus(look, preemptive),
        );
    }
}

/// Resources of one cluster each are what these speak of; what they say of others is computed all the same.
#[test]
fn one_section_on_one_processor() {
    let once = |look: &Look<'_>, any| Terms::new(0, blockers(look, any).into_iter().max().unwrap_or(0));
    compare(9, sharing, |sharing, _, _| pcp::bounds(sharing), |look, _| once(look, false));
    compare(10, sharing, |sharing, _, _| npcs::bounds(sharing), |look, _| once(look, true));
    compare(11, sharing, |sharing, _, _| srp::bounds(sharing), |look, _| Terms::new(0, stack(look)));
    compare(
        12,
        sharing,
        |sharing, _, _| pip::once_per_task(sharing),
        |look, _| Terms::new(0, blockers(look, false).iter().sum()),
    );
}

#[test]
fn distinct_priorities() {
    // Levels from 0 by falling priority are what the global bounds assume.
    let ranked = |most: u64| move |random: &mut Mixer| drawn(random, most, |_, task| task as u32);
    compare(13, ranked(4), |sharing, _, _| mrsp::bounds(sharing), |look, _| helped(look));
    compare(14, ranked(1), global_pip::bounds, |look, processors| {
        under_global_priorities(look, processors, false)
    });
    compare(15, ranked(1), ppcp::bounds, |look, processors| under_global_priorities(look, processors, true));
}
