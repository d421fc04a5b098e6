//! What staggered quanta cost: the formulas of section IV of P. Holman and J. Anderson, "Adapting Pfair scheduling
//! for symmetric multiprocessors", Journal of Embedded Computing 1(4), 2005.
//!
//! Two side effects: what happens at t under aligned quanta may happen as late as t + Delta (E1), and a slot
//! overlaps 2(m-1) others instead of m-1 (E2).

use super::{largest_offset, Share};
use crate::exact::Fraction;
use crate::system::Quanta;
use schedlab_model::Duration;

/// Quantum boundaries of processors, as far as costs depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundaries {
    /// The length of a quantum.
    pub quantum: Duration,
    /// m.
    pub processors: u32,
    /// Whether processor k's quanta begin floor(k Q / m) later.
    pub staggered: bool,
}

impl Boundaries {
    /// Delta: how much later an event may occur than with aligned quanta (E1).
    pub fn delay(&self) -> Duration {
        let quanta = Quanta { length: self.quantum, staggered: self.staggered, guaranteed: false };
        largest_offset(quanta, self.processors)
    }

    /// How many slots of other processors a slot overlaps (E2): as many tasks may interfere with an operation.
    pub fn overlapped_slots(&self) -> u32 {
        self.processors.saturating_sub(1) * if self.staggered { 2 } else { 1 }
    }

    /// How many quanta are wasted, at worst, by a task that suspends itself and is not the server of a request: what
    /// is left of the current one, and the next one if that is selected already (fig. 8).
    pub fn wasted_by_suspension(&self) -> u32 {
        if self.staggered && self.processors > 1 {
            2
        } else {
            1
        }
    }

    /// From the slot in which a request is sent to the one in which the client goes on, at worst, if the
    /// server needs a single slot and both are scheduled as soon as they are ready (fig. 9): 2 slots or 4.
    pub fn slots_of_request(&self) -> u32 {
        // Each of the two messages may come after the decisions about the next slot.
        let late = u32::from(self.staggered && self.processors > 1);
        2 * (1 + late)
    }

    /// Least processor time that is left of a supertask's `supply` in an interval that ends with a slot in which it
    /// is scheduled; less by Delta with staggered quanta (fig. 10).
    pub fn supply(&self, supply: Duration) -> Duration {
        Duration::from_ns(supply.as_ns().saturating_sub(self.delay().as_ns()))
    }
}

/// How much the weight of a task of `share` grows where its period is shortened by one slot: a/(b-1) - a/b =
/// a / (b (b-1)) (section IV-F). `None` if no slot would be left, or fewer than it needs.
pub fn weight_increase(share: Share) -> Option<Fraction> {
    let Share { quanta, slots } = share;
    let left = slots.checked_sub(1).filter(|&left| left >= quanta && left > 0)?;
    Some(Fraction::new(quanta, u128::from(slots) * u128::from(left)))
}
