//! Schedules of tiny job sets, written down instant by instant from the definition alone.

use schedlab_analysis::explore::{Choice, JobSpan, Span};

/// Numbers without pattern, the same in every run (xorshift).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn up_to(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % (most + 1)
    }
}

/// When each job completes: at every instant, each free processor takes the ready job of the smallest point and id.
/// A job waits for its task's earlier ones.
pub fn completions(jobs: &[JobSpan], choices: &[Choice], processors: usize) -> Vec<u64> {
    let mut done = vec![None; jobs.len()];
    let mut now = 0;
    while done.contains(&None) {
        let is_complete = |job: usize| done[job].is_some_and(|end| end <= now);
        let waits = |job: usize| {
            let before =
                |other: usize| jobs[other].id.task == jobs[job].id.task && jobs[other].id < jobs[job].id;
            (0..jobs.len()).any(|other| before(other) && !is_complete(other))
        };
        let busy = done.iter().filter(|end| end.is_some_and(|end: u64| end > now)).count();
        let ready =
            (0..jobs.len()).filter(|&job| done[job].is_none() && choices[job].release <= now && !waits(job));
        let first = ready.min_by_key(|&job| (jobs[job].point, jobs[job].id));
        match first {
            Some(job) if busy < processors => done[job] = Some(now + choices[job].cost),
            _ => now += 1,
        }
    }
    done.into_iter().map(|end| end.expect("every job completes")).collect()
}

/// Calls `visit` with every combination of releases and costs.
pub fn for_all(jobs: &[JobSpan], mut visit: impl FnMut(&[Choice])) {
    let mut choices: Vec<Choice> =
        jobs.iter().map(|job| Choice { release: job.release.low, cost: job.cost.low }).collect();
    loop {
        visit(&choices);
        let mut index = 0;
        loop {
            let Some(job) = jobs.get(index) else { return };
            let choice = &mut choices[index];
            if choice.cost < job.cost.high {
                choice.cost += 1;
                break;
            }
            choice.cost = job.cost.low;
            if choice.release < job.release.high {
                choice.release += 1;
                break;
            }
            choice.release = job.release.low;
            index += 1;
        }
    }
}

/// What brute force says: when each job may complete, and whether one may be late.
pub fn all_completions(jobs: &[JobSpan], processors: usize) -> (Vec<Span>, bool) {
    let mut spans: Vec<Option<Span>> = vec![None; jobs.len()];
    let mut late = false;
    for_all(jobs, |choices| {
        for (job, end) in completions(jobs, choices, processors).into_iter().enumerate() {
            late |= end > jobs[job].due;
            let one = Span::new(end, end);
            spans[job] = Some(spans[job].map_or(one, |span| span.hull(one)));
        }
    });
    (spans.into_iter().map(|span| span.expect("there is a combination")).collect(), late)
}
