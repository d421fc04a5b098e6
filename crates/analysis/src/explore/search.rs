//! Breadth first: all states with k jobs dispatched, then all with k + 1.

use super::expand::{Expander, KnownJobs, NeedJobs, Next};
use super::jobs::Span;
use super::level::{Level, Merging};

/// Result of extending the search by one job.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// There are further jobs, and no job is late, or the search goes on although one is.
    Further,
    /// There is no job left.
    Done,
    /// A job is late, and the search ends there.
    Late(Miss),
    /// More jobs have to be known before the search can go on.
    Need(NeedJobs),
    /// The budget is spent.
    OutOfBudget,
}

/// A job that may complete too late when it is dispatched in a state of the present level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Miss {
    pub state: usize,
    pub next: Next,
}

/// A dispatch that led to a state of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub parent: u32,
    pub child: u32,
    pub next: Next,
}

/// A level as it was passed: when its states' first processors are free, and what led to them.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    pub free: Vec<Span>,
    pub edges: Vec<Edge>,
}

/// An exploration under way.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub known: KnownJobs,
    pub processors: usize,
    pub merging: Merging,
    pub completions: Vec<Option<Span>>,
    pub states: u64,
    pub dispatches: u64,
    /// Number of dispatched jobs in each state of `level`.
    pub depth: usize,
    pub level: Level,
    after: Level,
    expander: Expander,
    budget: u64,
    /// Record of how the present level was reached, if it is wanted.
    pub passed: Option<Vec<Passed>>,
    /// True if the search goes on after a late job, so that the completions of all jobs become known.
    pub goes_on: bool,
    /// True once a job was late, in a search that goes on after late jobs.
    pub is_late: bool,
}

impl Search {
    pub(crate) fn new(known: KnownJobs, processors: usize, merging: Merging, most_states: u64) -> Search {
        Search {
            completions: vec![None; known.jobs.len()],
            known,
            processors,
            merging,
            states: 1,
            dispatches: 0,
            depth: 0,
            level: Level::initial(processors, merging),
            after: Level::empty(processors, merging),
            expander: Expander::default(),
            budget: most_states,
            passed: None,
            goes_on: false,
            is_late: false,
        }
    }

    /// Repeats the search from the start to the level before the late job, and records the way.
    pub(crate) fn again_until_late(&self, most_states: u64) -> (Search, Miss) {
        let mut again = Search::new(self.known.clone(), self.processors, self.merging, most_states);
        again.passed = Some(Vec::new());
        loop {
            match again.step() {
                Step::Further => {}
                Step::Late(miss) => return (again, miss),
                Step::Done | Step::Need(_) | Step::OutOfBudget => unreachable!("it was late before"),
            }
        }
    }

    /// Dispatches one more job in every state.
    pub(crate) fn step(&mut self) -> Step {
        if self.depth == self.known.jobs.len() && self.known.complete_until == u64::MAX {
            return Step::Done;
        }
        self.after.begin(&self.level);
        let mut edges = self.passed.is_some().then(Vec::new);
        let (mut late, goes_on) = (None, self.goes_on);
        let mut free = vec![Span::new(0, 0); self.processors];
        for state in 0..self.level.len() {
            let (level, after, known) = (&self.level, &mut self.after, &self.known);
            let (completions, dispatches) = (&mut self.completions, &mut self.dispatches);
            let looked = self.expander.expand(known, level, state, goes_on, |next| {
                *dispatches += 1;
                if next.finish.high > known.jobs[next.job].due {
                    late.get_or_insert(Miss { state, next });
                    if !goes_on {
                        return;
                    }
                }
                let known = &mut completions[next.job];
                *known = Some(known.map_or(next.finish, |span| span.hull(next.finish)));
                become_free(level.free(state), &next, &mut free);
                let child = after.add(level, state, next.job, &free);
                if let Some(edges) = &mut edges {
                    edges.push(Edge { parent: state as u32, child, next });
                }
            });
            match looked {
                Ok(jobs) => {
                    match late {
                        Some(miss) if !goes_on => return Step::Late(miss),
                        Some(_) => self.is_late = true,
                        None => {}
                    }
                    // A state that looks at many jobs counts for several.
                    let cost = 1 + jobs as u64 / 16;
                    let Some(left) = self.budget.checked_sub(cost) else { return Step::OutOfBudget };
                    self.budget = left;
                }
                Err(need) => return Step::Need(need),
            }
        }
        if let (Some(passed), Some(edges)) = (&mut self.passed, edges) {
            let free = (0..self.level.len()).map(|state| self.level.free(state)[0]).collect();
            passed.push(Passed { free, edges });
        }
        std::mem::swap(&mut self.level, &mut self.after);
        self.states += self.level.len() as u64;
        self.depth += 1;
        assert!(self.level.len() > 0, "a work-conserving scheduler always dispatches some job");
        Step::Further
    }
}

/// Computes when processors become free after a dispatch, for which the job takes the first free processor.
#[inline]
fn become_free(before: &[Span], next: &Next, after: &mut [Span]) {
    let (mut low, mut high) = (next.finish.low, next.finish.high);
    let last = before.len() - 1;
    // Both ends are sorted on their own: insert the new ones into what remains of the old.
    for index in 0..last {
        let (l, h) = (before[index + 1].low.max(next.start.low), before[index + 1].high.max(next.start.low));
        after[index] = Span::new(low.min(l), high.min(h));
        (low, high) = (low.max(l), high.max(h));
    }
    after[last] = Span::new(low, high);
}
