//! All integration tests.

mod answers;
