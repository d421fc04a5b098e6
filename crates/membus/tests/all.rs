//! The integration tests of this crate as one program: they are linked once.

mod against_cycles;
mod by_hand;
mod coherence;
mod cycles;
mod predicates;
mod refusals;
mod slots;
