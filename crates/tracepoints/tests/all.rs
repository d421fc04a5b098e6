//! All integration tests.

mod answers;
mod support;
mod traces;
