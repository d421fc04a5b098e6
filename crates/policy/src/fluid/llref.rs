//! Largest local remaining execution first, LLREF: H. Cho, B. Ravindran and E. D. Jensen, *An optimal real-time
//! scheduling algorithm for multiprocessors*, RTSS 2006.
//!
//! At the begin of each slice, and whenever a local execution is done (event B) or must not wait any longer (event C),
//! the m tokens with the most left execute ([`super::plane`]). Of equal ones, those that execute already go on, then
//! the lower task does.
//!
//! A slice takes O(n log n), and each of its at most n + 1 events O(m + log n). Where U <= m and no utilization is
//! above 1, no job of synchronous periodic tasks with implicit deadlines is late.
//!
//! Tasks of 1/4, 2/4, 3/4 and 2/4 on two processors, by hand from the rules. C and B have the most to execute, and B
//! the lower number than D. At 2 B is done, D has to go on, and C goes before A; at 3 A has to:
//!
//! ```text
//! P0  CCCA
//! P1  BBDD
//! ```

use super::plane::Choice;

/// Chooses the largest local executions at each event.
pub(crate) const LLREF: Choice = Choice::Largest;
