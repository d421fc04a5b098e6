//! The greatest demand of a supertask's components, as goals that its supply must reach.
//!
//! A [`Goal`] says that `quanta` quanta must be there within `slots` slots. Components are schedulable if of each
//! [clause](Demands) one goal is reached:
//!
//! * EDF: one goal per clause, one for each length of interval at which demand grows (Baruah, Mok, Rosier 1990, on
//!   a supply as in I. Shin and I. Lee, "Periodic resource model for compositional real-time guarantees", RTSS 2003).
//! * Fixed priorities: a clause for each component, a goal for each time at which it may be complete (J. Lehoczky,
//!   L. Sha, Y. Ding, "The rate monotonic scheduling algorithm: exact characterization", RTSS 1989, on such a supply).
//!
//! *Fully preemptive* components demand their costs, in time. A demand of n quanta and z more nanoseconds (0 < z <= Q)
//! is met by the time l, less the delay of staggered quanta, if n + 1 quanta are there within floor((l - z) / Q) + 1
//! slots.
//!
//! *Quantum-based* components demand whole quanta, in slots. A job is served in slots that begin at or after its
//! release and end, with the delay, by its deadline. A job served in an earlier slot was released within it, after its
//! quantum began; hence in L slots all jobs can be due whose release and deadline are less than (L + 2) Q + delay
//! apart, and exactly L Q (or (L + 1) Q with staggering) if releases and deadlines lie at quantum boundaries.

use super::supply::least_quanta;
use crate::exact::Pair;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::system::System;
use num_integer::gcd;

/// A component task, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Bound on the cost of a job; positive.
    pub cost: u64,
    /// Least distance of arrivals; positive.
    pub period: u64,
    /// Relative deadline. Under fixed priorities a relative deadline above the period counts as the period.
    pub relative_deadline: u64,
    /// Longest time from arrival to release.
    pub jitter: u64,
    /// True if every job is released and due at multiples of the quantum.
    pub at_boundaries: bool,
}

impl Component {
    /// Returns the longest time from a job's arrival to its completion if the weight is enough.
    ///
    /// EDF orders components by their absolute deadlines, also beyond the period. Under fixed priorities a single job
    /// is analysed, which has to be complete when the next one arrives.
    pub fn guaranteed_response(&self, order: ComponentRule) -> u64 {
        match order {
            ComponentRule::Edf => self.relative_deadline,
            ComponentRule::FixedPriority => self.relative_deadline.min(self.period),
        }
    }
}

/// Order in which components execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentRule {
    /// The earliest absolute deadline goes first.
    Edf,
    /// The first component in the list goes first.
    FixedPriority,
}

/// The quanta of the supertask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerQuanta {
    /// The quantum in nanoseconds; positive.
    pub quantum: u64,
    /// The largest offset of staggered quanta, below the quantum; 0 if they are aligned.
    pub delay: u64,
    /// True if components are chosen only where quanta begin.
    pub quantum_based: bool,
}

/// Supply of `quanta` quanta that is needed within `slots` slots, wherever these begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Number of quanta.
    pub quanta: u64,
    /// Number of slots within which the quanta are needed.
    pub slots: u64,
}

impl Goal {
    /// True if a server of weight `weight` always reaches the goal.
    pub(crate) fn is_reached_by(self, weight: Pair) -> bool {
        least_quanta(weight, self.slots) >= self.quanta
    }

    /// Returns, as a fraction, the weight from which on every weight reaches the goal.
    pub(crate) fn threshold(self) -> Pair {
        (self.quanta + 1, self.slots.max(1))
    }
}

/// Components with their order and quanta, well-formed.
#[derive(Clone, Debug)]
pub struct Demands {
    pub(super) components: Vec<Component>,
    pub(super) order: ComponentRule,
    pub(super) quanta: ServerQuanta,
}

/// Times beyond the longest that a file may state, a year, are refused: sums of them do not overflow.
pub const LONGEST: u64 = System::LONGEST.as_ns();

impl Demands {
    /// Checks the components and returns their demands, or an error.
    pub fn new(components: &[Component], order: ComponentRule, quanta: ServerQuanta) -> Result<Self, Reason> {
        if quanta.quantum == 0 || quanta.quantum > LONGEST || quanta.delay >= quanta.quantum {
            return Err(Reason::OddQuantum);
        }
        for component in components {
            let times = [component.cost, component.period, component.relative_deadline];
            if times.contains(&0) || times.iter().chain([&component.jitter]).any(|&time| time > LONGEST) {
                return Err(Reason::OddComponent { longest: Ns(LONGEST) });
            }
        }
        let guaranteed = |given: &Component| {
            let relative_deadline = given.guaranteed_response(order);
            Component {
                relative_deadline,
                at_boundaries: given.at_boundaries
                    && given.jitter == 0
                    && relative_deadline % quanta.quantum == 0
                    && given.period % quanta.quantum == 0,
                ..*given
            }
        };
        let components = components.iter().map(guaranteed).collect();
        Ok(Demands { components, order, quanta })
    }

    /// Returns the demand of a job, as time or in quanta.
    pub(super) fn cost(&self, component: &Component) -> u64 {
        match self.quanta.quantum_based {
            true => component.cost.div_ceil(self.quanta.quantum),
            false => component.cost,
        }
    }

    /// The share of a processor that the components demand in the long run, as terms of a sum.
    pub(crate) fn utilization(&self) -> Vec<Pair> {
        let unit = if self.quanta.quantum_based { self.quanta.quantum } else { 1 };
        self.components.iter().map(|component| (self.cost(component) * unit, component.period)).collect()
    }

    /// Returns by how much demand may exceed utilization times length, rounded up.
    pub(super) fn excess(&self) -> u128 {
        let excess = |component: &Component| {
            let reach = if self.quanta.quantum_based { self.reach(component) } else { 0 };
            // Below 2^58, so that the products fit. A deadline far beyond the period leaves no excess.
            let length =
                (component.period + component.jitter + reach).saturating_sub(component.relative_deadline);
            let cost = u128::from(self.cost(component)) * u128::from(self.unit());
            (cost * u128::from(length)).div_ceil(u128::from(component.period))
        };
        self.components.iter().map(excess).sum()
    }

    /// Returns the length after which demand and quanta repeat, in time or in slots; `None` if it is too long.
    ///
    /// Demand of jobs that are due long after their period repeats only once their first deadline may have passed.
    pub(super) fn pattern(&self) -> Option<u128> {
        let common = |a: u128, period: u64| {
            let shared = gcd((a % u128::from(period)) as u64, period);
            Some(a / u128::from(shared) * u128::from(period)).filter(|all| *all < 1 << 62)
        };
        let mut periods = self.components.iter().map(|component| component.period);
        let all = periods.try_fold(u128::from(self.quanta.quantum), common)?;
        let beyond = |component: &Component| component.relative_deadline.saturating_sub(component.period);
        let begin = self.components.iter().map(beyond).max().unwrap_or(0);
        Some((all + u128::from(begin)).div_ceil(u128::from(self.unit())) + 1)
    }

    /// Returns the time from the release to the deadline of a job, as far as it counts.
    fn window(component: &Component) -> Option<u64> {
        component.relative_deadline.checked_sub(component.jitter)
    }

    /// The goal of `demand` time within `length`.
    fn goal_in_time(&self, demand: u128, length: u64) -> Option<Goal> {
        let quantum = u128::from(self.quanta.quantum);
        let quanta = demand.div_ceil(quantum);
        let rest = (demand - (quanta - 1) * quantum) as u64;
        let begin = length.checked_sub(self.quanta.delay)?.checked_sub(rest)?;
        Some(Goal { quanta: u64::try_from(quanta).ok()?, slots: begin / self.quanta.quantum + 1 })
    }

    /// Returns by how much more than L Q release and deadline may be apart for a job to count in L slots.
    fn reach(&self, component: &Component) -> u64 {
        let ServerQuanta { quantum, delay, .. } = self.quanta;
        match (component.at_boundaries, delay) {
            (true, 0) => 0,
            (true, _) => quantum,
            (false, _) => 2 * quantum - 2 + delay,
        }
    }

    /// The length, in time or in slots, within which `nth` jobs (from 0) and one more are released and due.
    fn length_of(&self, component: &Component, nth: u64) -> Option<u64> {
        let span = Self::window(component)?.checked_add(nth.checked_mul(component.period)?)?;
        match self.quanta.quantum_based {
            true => Some(span.saturating_sub(self.reach(component)).div_ceil(self.quanta.quantum)),
            false => Some(span),
        }
    }

    /// EDF: each length at which demand grows and its goal, rising; a goal that no supply reaches is `None`.
    pub(super) fn edf_goals(&self) -> impl Iterator<Item = (u64, Option<Goal>)> + '_ {
        let mut counts = vec![0u64; self.components.len()];
        let mut demand = 0u128;
        core::iter::from_fn(move || {
            let next = |(component, &count): (&Component, &u64)| self.length_of(component, count);
            let lengths = self.components.iter().zip(&counts).map(next);
            // A job that cannot be in time even with its release at its arrival ends the search.
            let length = lengths.map(|length| length.unwrap_or(0)).min()?;
            for (component, count) in self.components.iter().zip(&mut counts) {
                while self.length_of(component, *count).is_some_and(|at| at <= length) {
                    *count += 1;
                    demand += u128::from(self.cost(component));
                }
                if Self::window(component).is_none() {
                    return Some((length, None));
                }
            }
            Some((length, self.goal(demand, length)))
        })
    }

    fn goal(&self, demand: u128, length: u64) -> Option<Goal> {
        match self.quanta.quantum_based {
            true => Some(Goal { quanta: u64::try_from(demand).ok()?, slots: length }),
            false => self.goal_in_time(demand, length),
        }
    }

    /// Fixed priorities: the goals of the component at `index`, one of which must be reached.
    pub(super) fn fixed_priority_goals(&self, index: usize) -> Vec<Goal> {
        let component = &self.components[index];
        let Some(last) = self.last_length(component) else { return Vec::new() };
        let higher = &self.components[..index];
        let mut lengths = vec![last];
        for other in higher {
            let extra = self.extra(other);
            let mut arrivals = other.period;
            while arrivals < last.saturating_mul(self.unit()).saturating_add(extra) {
                lengths.push(arrivals.saturating_sub(extra) / self.unit());
                arrivals += other.period;
            }
        }
        lengths.sort_unstable();
        lengths.dedup();
        let goal = |&length: &u64| {
            let of = |other: &Component| {
                let jobs = (length * self.unit() + self.extra(other)).div_ceil(other.period);
                u128::from(jobs) * u128::from(self.cost(other))
            };
            let demand = u128::from(self.cost(component)) + higher.iter().map(of).sum::<u128>();
            self.goal(demand, length)
        };
        lengths.iter().filter(|&&length| length > 0).filter_map(goal).collect()
    }

    /// Unit in which lengths are counted, in ns: 1, or a quantum.
    fn unit(&self) -> u64 {
        if self.quanta.quantum_based {
            self.quanta.quantum
        } else {
            1
        }
    }

    /// Returns by how much the range of arrivals that count in an interval is longer than the interval.
    fn extra(&self, other: &Component) -> u64 {
        match (self.quanta.quantum_based, other.at_boundaries) {
            (true, true) => 0,
            (true, false) => self.quanta.delay + other.jitter,
            (false, _) => other.jitter,
        }
    }

    /// Returns the longest length after which a job is certainly in time.
    fn last_length(&self, component: &Component) -> Option<u64> {
        let window = Self::window(component)?;
        let ServerQuanta { quantum, delay, quantum_based } = self.quanta;
        match (quantum_based, component.at_boundaries) {
            (false, _) => Some(window),
            (true, true) => Some(window.checked_sub(delay)? / quantum),
            (true, false) => ((window + 1).checked_sub(delay)? / quantum).checked_sub(1),
        }
    }
}
