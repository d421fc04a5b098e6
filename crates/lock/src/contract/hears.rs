//! Which events a protocol hears of.

use schedlab_model::Event;

/// The events that matter to a protocol. It does not hear of others, which costs less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hears {
    /// Jobs are given up.
    Aborts,
    /// These, and jobs become ready or are resumed: some may be held back.
    Readiness,
    /// All events.
    #[default]
    All,
}

impl Hears {
    /// True if the protocol hears of `event`.
    #[inline(always)]
    pub fn of(self, event: Event) -> bool {
        match event {
            Event::Aborted(_) => true,
            Event::Ready(_) | Event::Resumed(_) => self >= Hears::Readiness,
            Event::Completed(_)
            | Event::Suspended(_)
            | Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => self == Hears::All,
        }
    }
}
