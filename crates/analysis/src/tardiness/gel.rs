//! Response times under any global scheduler that is like EDF: the job with the earliest priority point first, a
//! constant after its arrival.
//!
//! J. Erickson and J. Anderson, *Fair lateness scheduling: reducing maximum lateness in G-EDF-like scheduling*, ECRTS
//! 2012 (compliant vectors; before, J. Erickson, U. Devi and S. Baruah, *Improved tardiness bounds for global EDF*,
//! ECRTS 2010); H. Leontyev and J. Anderson, *Generalized tardiness bounds for global multiprocessor scheduling*, RTSS
//! 2007, and *Tardiness bounds for FIFO scheduling on multiprocessors*, ECRTS 2007, for whom tardiness is bounded at
//! all. A job of task i with the priority point y = arrival + Y_i completes by y + x_i + C_i if U <= m, C_i <= T_i,
//! where
//!
//! ```text
//! x_i = (s - C_i) / m,  and s is the least solution of s = sum of all S_i + G(s)
//! S_i = max(0, C_i (1 - Y_i / T_i))
//! G   = sum of the ceil(U) - 1 largest x_i U_i + C_i - S_i
//! ```
//!
//! Only differences of priority points matter to a schedule: the least of them is moved to 0 first. G-EDF has Y = D,
//! for any D; G-FIFO has Y = 0; G-FL has Y = D - (m - 1) / m C, in whole parts 1 / m of a nanosecond. No relation
//! between D and T is assumed.
//!
//! G grows by less than m for each unit of s m (ceil(U) - 1 utilizations of at most 1), so the solution is unique, and
//! the iteration that solves the linear equation of the largest terms and chooses them anew rises to it in finitely
//! many steps. Floating point with a bound on its error does that; where the rounded results are not certain, fractions
//! do, or, for very many tasks, the upper end of the interval.
//!
//! Jitter and self-suspension count as execution, as in [`super::devi_anderson`]. O(n log n) for each of a few steps.

use super::unbounded;
use crate::assumption::Assumption;
use crate::exact::{ceiling_of_sum, filter, Fraction, Pair};
use crate::reason::Reason;
use crate::system::{AnalysedOrder, System};
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use num_traits::ToPrimitive;
use schedlab_model::Duration;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "compliant_vector",
    guarantee: Guarantee::Soft,
    exact: false,
    assumptions: &[
        Assumption::GlobalAfterArrival,
        Assumption::JobsInSequence,
        Assumption::DelaysAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Erickson and Anderson, ECRTS 2012; Leontyev and Anderson, RTSS 2007",
    cost: "O(n log n) for each of a few steps",
    applies: |system| {
        system.preemptive && matches!(system.order, AnalysedOrder::Edf | AnalysedOrder::AfterArrival)
    },
    run,
};

fn run(system: &System) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    let utilizations = system.pending_utilizations();
    if let Some(unbounded) = unbounded(&utilizations, system.processors) {
        return TEST.unknown(unbounded.reason(system, &utilizations));
    }
    let points: Vec<u128> = system.tasks.iter().map(|task| priority_point(system, task)).collect();
    match responses_by(&utilizations, &points, parts(system), system.processors) {
        Some(bounds) => {
            let reason = Reason::ResponsesAfterPoint;
            TEST.schedulable(reason, Bounds::ResponseTime(bounds))
        }
        None => TEST.unknown(Reason::NoBound),
    }
}

/// Number of parts into which a nanosecond is divided for priority points to be whole numbers.
fn parts(system: &System) -> u32 {
    match system.order {
        AnalysedOrder::AfterArrival => system.tasks.first().map_or(1, |task| task.priority_point.parts),
        AnalysedOrder::Edf
        | AnalysedOrder::FixedPriority
        | AnalysedOrder::FixedPriorityOpenTies
        | AnalysedOrder::Pfair(_)
        | AnalysedOrder::Theorem(_)
        | AnalysedOrder::Unanalysed => 1,
    }
}

/// Returns the distance from a job's arrival to its priority point, in [`parts`] of a nanosecond.
fn priority_point(system: &System, task: &crate::SporadicTask) -> u128 {
    match system.order {
        AnalysedOrder::AfterArrival => task.priority_point.after.into(),
        AnalysedOrder::Edf => task.relative_deadline.into(),
        AnalysedOrder::FixedPriority
        | AnalysedOrder::FixedPriorityOpenTies
        | AnalysedOrder::Pfair(_)
        | AnalysedOrder::Theorem(_)
        | AnalysedOrder::Unanalysed => {
            unreachable!("the test does not apply")
        }
    }
}

/// Bounds on the response times of tasks with these (cost, period) and priority points, rounded up; `None` if U > m or
/// some C > T. A bound beyond 64 bits is `None`.
pub fn responses(utilizations: &[Pair], points: &[u64], processors: u32) -> Option<Vec<Option<Duration>>> {
    let points: Vec<u128> = points.iter().copied().map(u128::from).collect();
    responses_by(utilizations, &points, 1, processors)
}

/// Bounds response times for priority points in `parts` of a nanosecond.
fn responses_by(
    utilizations: &[Pair],
    points: &[u128],
    parts: u32,
    processors: u32,
) -> Option<Vec<Option<Duration>>> {
    if processors == 0 || unbounded(utilizations, processors).is_some() {
        return None;
    }
    let least = points.iter().min().copied().unwrap_or(0);
    let tasks: Vec<Task> = utilizations
        .iter()
        .zip(points)
        .map(|(&(cost, period), point)| Task { cost, period, point: point - least })
        .collect();
    let carried = ceiling_of_sum(utilizations).saturating_sub(1) as usize;
    let machine = Machine { tasks: &tasks, parts, carried, processors };
    Some(machine.responses())
}

struct Task {
    cost: u64,
    period: u64,
    /// Y: the priority point less the least one of all tasks, in parts of a nanosecond.
    point: u128,
}

impl Task {
    /// S as numerator and denominator, in a unit of 1 / `parts` ns.
    fn excess(&self, parts: u32) -> (u128, u128) {
        let period = u128::from(self.period) * u128::from(parts);
        (u128::from(self.cost) * period.saturating_sub(self.point), period)
    }

    /// Returns the excess in floating point.
    fn excess_about(&self, parts: u32) -> f64 {
        let (above, below) = self.excess(parts);
        above as f64 / below as f64
    }

    /// Whole part and remainder of C / m.
    fn share(&self, processors: u32) -> (u64, u64) {
        (self.cost / u64::from(processors), self.cost % u64::from(processors))
    }

    /// Slope and constant of the task's term as a function of s: the utilization, and C - S - U C / m.
    fn term(&self, parts: u32, processors: f64) -> (f64, f64) {
        let (cost, period) = (self.cost as f64, self.period as f64);
        let utilization = cost / period;
        (utilization, cost - self.excess_about(parts) - utilization * cost / processors)
    }
}

struct Machine<'a> {
    tasks: &'a [Task],
    /// Parts of a nanosecond in which priority points are counted.
    parts: u32,
    carried: usize,
    processors: u32,
}

/// Most tasks for which fractions are computed.
const MOST_EXACT: usize = 300;

/// Steps of the floating-point iteration; it ends after a few.
const MOST_STEPS: usize = 64;

impl Machine<'_> {
    fn responses(&self) -> Vec<Option<Duration>> {
        let interval = self.interval();
        let certain = interval.and_then(|(low, high)| {
            let (low, high) =
                (self.rounded(|task| self.after(task, low)), self.rounded(|task| self.after(task, high)));
            (low == high || self.tasks.len() > MOST_EXACT).then_some(high)
        });
        certain.unwrap_or_else(|| self.exactly())
    }

    fn rounded(&self, bound: impl Fn(&Task) -> Option<u64>) -> Vec<Option<Duration>> {
        self.tasks.iter().map(|task| bound(task).map(Duration::from_ns)).collect()
    }

    /// Y + s / m - C / m + C, rounded up, where `share` is s / m in 2^-20 parts of a nanosecond.
    fn after(&self, task: &Task, share: i128) -> Option<u64> {
        let (m, parts) = (i128::from(self.processors), i128::from(self.parts));
        let (whole, rest) = task.share(self.processors);
        // C - C/m = C - whole - rest/m.
        let own = (i128::from(task.cost) - i128::from(whole)) << 20;
        let after_point = m * (own + share) - (i128::from(rest) << 20);
        let bound = parts * after_point + m * (i128::try_from(task.point).ok()? << 20);
        u64::try_from(num_integer::Integer::div_ceil(&bound, &((m * parts) << 20))).ok()
    }

    /// Returns an interval that contains s / m, in 2^-20 parts of a nanosecond. `None` if the numbers are beyond the
    /// precision of floating point.
    fn interval(&self) -> Option<(i128, i128)> {
        let m = f64::from(self.processors);
        let terms: Vec<(f64, f64)> = self.tasks.iter().map(|task| task.term(self.parts, m)).collect();
        let excess: f64 = self.tasks.iter().map(|task| task.excess_about(self.parts)).sum();
        let costs: f64 = self.tasks.iter().map(|task| task.cost as f64).sum();
        let mut chosen: Vec<(f64, f64)> = Vec::with_capacity(terms.len());
        let mut share = 0.0;
        for _ in 0..MOST_STEPS {
            let (slope, constant) = largest(&terms, share, self.carried, &mut chosen);
            let next = (excess + constant) / (m - slope);
            if next <= share {
                break;
            }
            share = next;
        }
        // The residue of m x = S + G falls by at least one for each unit of x, so that it bounds the distance to the
        // solution.
        let (slope, constant) = largest(&terms, share, self.carried, &mut chosen);
        let size = excess + 4.0 * costs + (slope + m) * share;
        let error = 8.0 * filter::relative_error(self.tasks.len()) * size;
        let distance = (excess + constant + slope * share - m * share).abs() + error;
        let parts = |value: f64| (value * f64::from(1 << 20)) as i128;
        (share + distance < 1e18).then(|| (parts(share - distance) - 1, parts(share + distance) + 1))
    }

    /// Bounds response times with fractions: m x = S + G(x), where x stands for s / m.
    fn exactly(&self) -> Vec<Option<Duration>> {
        let m = Fraction::integer(self.processors);
        let excess = |task: &Task| {
            let (above, below) = task.excess(self.parts);
            Fraction::new(above, below)
        };
        let of = |task: &Task| {
            let utilization = Fraction::new(task.cost, task.period);
            let share = Fraction::new(task.cost, self.processors);
            let excess = excess(task);
            let lost = excess.plus(&utilization.times(&share));
            (utilization, Fraction::integer(task.cost).minus(&lost))
        };
        let terms: Vec<(Fraction, Fraction)> = self.tasks.iter().map(of).collect();
        let excess = Fraction::sum_of(self.tasks.iter().map(excess).collect());
        let mut share = Fraction::integer(0);
        loop {
            let at = |term: &(Fraction, Fraction)| term.0.times(&share).plus(&term.1);
            let mut valued: Vec<_> = terms.iter().map(|term| (at(term), term)).collect();
            valued.sort_by(|a, b| b.0.compare(&a.0));
            valued.truncate(self.carried);
            let slope = Fraction::sum_of(valued.iter().map(|(_, term)| term.0.clone()).collect());
            let constant = Fraction::sum_of(valued.iter().map(|(_, term)| term.1.clone()).collect());
            let next = excess.plus(&constant).over(&m.minus(&slope)).reduced();
            if next.compare(&share).is_le() {
                break;
            }
            share = next;
        }
        self.rounded(|task| {
            let own = Fraction::new(task.point, self.parts).plus(&Fraction::integer(task.cost));
            let own = own.minus(&Fraction::new(task.cost, self.processors));
            own.plus(&share).ceiling().to_u64()
        })
    }
}

/// The sums of slopes and constants of the `count` largest terms at `share`.
fn largest(terms: &[(f64, f64)], share: f64, count: usize, chosen: &mut Vec<(f64, f64)>) -> (f64, f64) {
    chosen.clear();
    chosen.extend_from_slice(terms);
    let value = |term: &(f64, f64)| term.0 * share + term.1;
    if (1..chosen.len()).contains(&count) {
        chosen.select_nth_unstable_by(count - 1, |a, b| value(b).total_cmp(&value(a)));
    }
    chosen.truncate(count);
    chosen.iter().fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(bounds: Option<Vec<Option<Duration>>>) -> Vec<u64> {
        bounds.unwrap().into_iter().map(|bound| bound.unwrap().as_ns()).collect()
    }

    /// By hand: Y = (0, 98), S = (1, 1), U = 1 carries nothing, m x = 2: x = (1/2, -24), in units of which responses
    /// are 1.5 and 124.
    #[test]
    fn the_least_point_is_moved_to_zero() {
        assert_eq!(ns(responses(&[(1, 2), (50, 100)], &[2, 100], 2)), [2, 124]);
    }

    /// FIFO: S = C. Three tasks (2, 3) on two processors: m x = 6 + (2/3)(x - 1), x = 4; responses 4 - 1 + 2.
    #[test]
    fn fifo_by_hand() {
        assert_eq!(ns(responses(&[(2, 3); 3], &[0; 3], 2)), [5, 5, 5]);
    }

    #[test]
    fn overload_has_no_bound() {
        assert!(responses(&[(2, 3); 4], &[0; 4], 2).is_none());
        assert!(responses(&[(4, 3)], &[0], 2).is_none());
        assert!(responses(&[(1, 3)], &[0], 0).is_none());
    }

    /// Fractions and intervals agree where both are certain, and the interval holds the truth.
    #[test]
    fn intervals_hold_the_exact_solution() {
        let mut state = 88_172_645_463_325_252u64;
        let mut below = |most: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % most
        };
        let mut same = 0;
        for _ in 0..300 {
            let scale = [10, 1_000, 1 << 40][below(3) as usize];
            let parts = 1 + below(4) as u32;
            let tasks: Vec<Task> = (0..2 + below(20))
                .map(|_| {
                    let period = 2 + below(scale);
                    Task {
                        cost: 1 + below(period),
                        period,
                        point: below(2 * scale * u64::from(parts)).into(),
                    }
                })
                .collect();
            let pairs: Vec<Pair> = tasks.iter().map(|task| (task.cost, task.period)).collect();
            let processors = ceiling_of_sum(&pairs) as u32 + below(2) as u32;
            let carried = ceiling_of_sum(&pairs) as usize - 1;
            let machine = Machine { tasks: &tasks, parts, carried, processors };
            let exact = machine.exactly();
            let (low, high) = machine.interval().unwrap();
            let (low, high) = (
                machine.rounded(|task| machine.after(task, low)),
                machine.rounded(|task| machine.after(task, high)),
            );
            let holds =
                low.iter().zip(&exact).zip(&high).all(|((low, exact), high)| low <= exact && exact <= high);
            assert!(holds, "{low:?} {exact:?} {high:?}");
            same += u32::from(low == high);
        }
        assert!(same > 100, "{same}");
    }
}
