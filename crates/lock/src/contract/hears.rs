//! Events that a protocol notes.

use schedlab_model::Event;

/// Events that matter to a protocol. Others are not passed to it, which costs less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hears {
    /// Aborts of jobs.
    Aborts,
    /// Aborts, and jobs that become ready or are resumed: some may be held back.
    Readiness,
    /// All events.
    #[default]
    All,
}

impl Hears {
    /// True if the protocol notes `event`.
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
