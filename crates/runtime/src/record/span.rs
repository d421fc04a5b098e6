//! The time that the runtime itself takes, for each input of an engine.

use crate::machine::sys;
use schedlab_model::{Instant, TaskId};
use schedlab_sim::Input;

/// The reason why an engine had an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A timer was due at this time of the monotonic clock.
    Timer(u64),
    /// A job of the task did something.
    Does(TaskId, Input),
}

/// The time that one input of an engine took. Times are the monotonic clock's, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The reason for the input.
    pub cause: Trigger,
    /// The machine's number of the processor where it happened.
    pub processor: usize,
    /// The time when the thread began to wait for the engine.
    pub begin: u64,
    /// The time when the thread had the engine.
    pub locked: u64,
    /// The time when the engine had decided, before the first gate was changed.
    pub chosen: u64,
    /// The time when all gates followed the decision.
    pub done: u64,
    /// The time of the decision, which its records bear.
    pub decided: Instant,
}

/// A span that has begun; nothing where spans are not kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    cause: Trigger,
    begin: u64,
    locked: u64,
    chosen: u64,
}

impl Begun {
    /// Notes that the engine has decided.
    #[inline]
    pub(crate) fn choose(begun: &mut Option<Begun>) {
        if let Some(begun) = begun {
            begun.chosen = sys::monotonic_ns();
        }
    }
}

/// The measurements of a domain of its own work.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The span of each input.
    pub spans: Vec<Span>,
    /// The length of each move of a thread to another processor, in nanoseconds.
    pub moves: Vec<u64>,
}

/// The measurements of a domain while it runs, with a bound.
#[derive(Debug)]
pub(crate) struct Spans(Measured);

impl Spans {
    /// Room for `capacity` values of each kind; zero for no measurements.
    pub(crate) fn new(capacity: usize) -> Self {
        Spans(Measured { spans: Vec::with_capacity(capacity), moves: Vec::with_capacity(capacity) })
    }

    /// Moves a thread by `move_it`, and measures how long that takes.
    pub(crate) fn time_move(&mut self, move_it: impl FnOnce()) {
        let moves = &mut self.0.moves;
        if moves.len() < moves.capacity() {
            let begin = sys::monotonic_ns();
            move_it();
            moves.push(sys::monotonic_ns() - begin);
        } else {
            move_it();
        }
    }

    /// Begins a span: the engine's lock was asked for at `begin`, and is held now.
    #[inline]
    pub(crate) fn begin(&self, cause: Trigger, begin: u64) -> Option<Begun> {
        (self.0.spans.len() < self.0.spans.capacity()).then(|| Begun {
            cause,
            begin,
            locked: sys::monotonic_ns(),
            chosen: 0,
        })
    }

    /// Ends a span: the decision is carried out.
    #[inline]
    pub(crate) fn end(&mut self, begun: Option<Begun>, decided: Instant) {
        if let Some(Begun { cause, begin, locked, chosen }) = begun {
            let (processor, done) = (sys::current_processor(), sys::monotonic_ns());
            self.0.spans.push(Span { cause, processor, begin, locked, chosen, done, decided });
        }
    }

    /// Takes all measurements.
    pub(crate) fn take(&mut self) -> Measured {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_not_measured_but_done() {
        let (mut spans, mut moved) = (Spans::new(2), 0);
        for at in 1..4 {
            let asked = sys::monotonic_ns();
            let mut begun = spans.begin(Trigger::Timer(at), asked);
            Begun::choose(&mut begun);
            spans.end(begun, Instant::from_ns(at));
            spans.time_move(|| moved += 1);
        }
        let Measured { spans, moves } = spans.take();
        assert_eq!((spans.len(), moves.len(), moved), (2, 2, 3));
        for (span, at) in spans.iter().zip(1..) {
            assert_eq!((span.cause, span.decided), (Trigger::Timer(at), Instant::from_ns(at)));
            let times = [span.begin, span.locked, span.chosen, span.done];
            assert!(times.is_sorted() && span.done - span.begin < 10_000_000_000, "{span:?}");
        }
    }
}
