//! The published exploration of non-preemptive job sets on several processors, from its definition and without haste.
//!
//! M. Nasri, G. Nelissen and B. Brandenburg, *A response-time analysis for non-preemptive job sets under global
//! scheduling*, ECRTS 2018, with the intervals of ECRTS 2019. States with the same jobs merge if their intervals
//! intersect everywhere. The rule leaves open which of several a state merges with, and when it ends.

use schedlab_analysis::explore::{JobSpan, Span};

/// What is left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A new state merges with the newest that it intersects. Jobs that may be released when a processor may be free
    /// are dispatched in the order given, then the others by release: as in the tool that the authors published.
    Newest,
    /// States merge until no two intersect.
    UntilNoneIntersect,
}

struct State {
    dispatched: Vec<bool>,
    /// For each k, when k processors become free.
    free: Vec<Span>,
}

/// When each job may complete.
pub fn completions(jobs: &[JobSpan], processors: usize, order: Order) -> Vec<Span> {
    let mut found: Vec<Option<Span>> = vec![None; jobs.len()];
    let mut states =
        vec![State { dispatched: vec![false; jobs.len()], free: vec![Span::new(0, 0); processors] }];
    for _ in jobs {
        let mut after: Vec<State> = Vec::new();
        for state in &states {
            for (job, start) in next(jobs, state) {
                let cost = jobs[job].cost;
                let finish = Span::new(start.low + cost.low, start.high + cost.high);
                found[job] = Some(found[job].map_or(finish, |span| span.hull(finish)));
                merge(&mut after, successor(state, job, start, finish), order);
            }
        }
        states = after;
    }
    found.into_iter().map(|span| span.expect("every job is dispatched in some state")).collect()
}

/// The jobs that may be next, and when they may start.
fn next(jobs: &[JobSpan], state: &State) -> Vec<(usize, Span)> {
    let open = || (0..jobs.len()).filter(|&job| !state.dispatched[job]);
    let free = state.free[0];
    let certain = open().map(|job| jobs[job].release.high).min().expect("a job is left");
    let mut next = Vec::new();
    for job in open() {
        let urgency = |job: usize| (jobs[job].point, jobs[job].id);
        let urgent =
            open().filter(|&other| urgency(other) < urgency(job)).map(|other| jobs[other].release.high);
        let earliest = jobs[job].release.low.max(free.low);
        // One unit before a more urgent job is certainly there; the end of the interval is exclusive.
        let end = urgent.min().unwrap_or(u64::MAX).min(free.high.max(certain) + 1);
        if earliest < end {
            next.push((job, Span::new(earliest, end - 1)));
        }
    }
    next.sort_by_key(|(job, _)| match jobs[*job].release.low {
        early if early <= free.low => (0, *job),
        later => (later, *job),
    });
    next
}

fn successor(state: &State, job: usize, start: Span, finish: Span) -> State {
    let mut dispatched = state.dispatched.clone();
    dispatched[job] = true;
    let others = || state.free[1..].iter();
    let mut lows: Vec<u64> = others().map(|span| span.low.max(start.low)).chain([finish.low]).collect();
    let mut highs: Vec<u64> = others().map(|span| span.high.max(start.low)).chain([finish.high]).collect();
    lows.sort_unstable();
    highs.sort_unstable();
    State { dispatched, free: lows.into_iter().zip(highs).map(|(low, high)| Span::new(low, high)).collect() }
}

fn merge(states: &mut Vec<State>, mut new: State, order: Order) {
    let fits = |old: &State, new: &State| {
        old.dispatched == new.dispatched && old.free.iter().zip(&new.free).all(|(a, b)| a.intersects(*b))
    };
    let join = |old: &mut State, new: &State| {
        old.free.iter_mut().zip(&new.free).for_each(|(old, new)| *old = old.hull(*new));
    };
    while let Some(index) = states.iter().rposition(|old| fits(old, &new)) {
        match order {
            Order::Newest => return join(&mut states[index], &new),
            Order::UntilNoneIntersect => join(&mut new, &states.swap_remove(index)),
        }
    }
    states.push(new);
}
