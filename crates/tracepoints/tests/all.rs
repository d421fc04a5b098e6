//! All integration tests.

mod answers;
mod traces;
