//! The integration tests of this crate as one program: they are linked once.

mod golden;
#[path = "../../analysis/tests/support/mixer.rs"]
mod mixer;
mod random;
mod support;
