//! Search for the length of a window at which a job's wait is over, without a step for each unit of time.
//!
//! A job that waits for w while m processors execute E(w) for more urgent tasks, whatever E is, waits for the least w
//! with floor(E(w) / m) <= w, or E(w) < m (w + 1). Where E is a sum over tasks, each rises, unit by unit, and then
//! pauses. Iterating w = floor(E(w) / m) adds a share of what was added before, over and over, while tasks rise
//! together; here one step does.

use super::carry_in::largest;

/// Most work that a task executes in a window, and in a longer window before there is a pause: at least the smaller of
/// `plateau` and `now + d` if the window is longer by d.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub now: u64,
    pub plateau: u64,
}

impl Part {
    /// Caps the work at `limit`, the time that the job waits and one unit, which rises as the window does.
    pub(crate) fn up_to(self, limit: u64) -> Part {
        Part { now: self.now.min(limit), ..self }
    }
}

/// Working memory, reused for all steps.
pub(super) type Rises = Vec<u64>;

/// Returns a longer wait that is not beyond the least fixed point; `None` if `wait` is a fixed point.
///
/// With `excess = E(w) - m (w + 1)`, a wait that is longer by d is a fixed point only if
///
/// ```text
/// excess + sum of all min(d, rise_i) < m d,
/// which is: for some j < m, excess + sum of all rises but the j largest < (m - j) d
/// ```
pub(super) fn longer(
    wait: u64,
    parts: impl Iterator<Item = Part>,
    processors: u64,
    rises: &mut Rises,
) -> Option<u64> {
    rises.clear();
    let mut executed = 0;
    rises.extend(parts.inspect(|part| executed += part.now).map(|part| part.plateau - part.now));
    let excess = executed.checked_sub(processors * (wait + 1))?;
    let mut rest: u64 = rises.iter().sum();
    let mut least = (excess + rest) / processors;
    for (others, rise) in (1..processors).rev().zip(largest(rises, processors as usize - 1)) {
        rest -= *rise;
        least = least.min((excess + rest) / others);
    }
    Some(wait + least + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps agree with trying every wait in turn, if each part does no more than it must.
    #[test]
    fn steps_over_no_fixed_point() {
        let sets: [&[(u64, u64)]; 5] = [
            &[(3, 3), (3, 9)],
            &[(4, 20), (4, 20), (0, 50)],
            &[(9, 9); 4],
            &[(1, 30), (2, 3), (3, 40), (1, 1)],
            &[(5, 100)],
        ];
        for (parts, processors, wait) in sets.iter().flat_map(|parts| {
            (1..5).flat_map(move |processors| (0..8).map(move |wait| (parts, processors, wait)))
        }) {
            let parts = parts.iter().map(|&(now, plateau)| Part { now, plateau });
            let at = |longer: u64| parts.clone().map(|part| part.plateau.min(part.now + longer)).sum::<u64>();
            let is_fixed = |longer: &u64| at(*longer) / processors <= wait + *longer;
            let found = longer(wait, parts.clone(), processors, &mut Rises::new());
            assert_eq!(
                found.unwrap_or(wait),
                wait + (0..1_000).find(is_fixed).unwrap(),
                "{processors} {wait}"
            );
        }
    }
}
