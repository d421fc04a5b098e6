//! Local remaining execution in planes, LRE-TL: S. Funk, *LRE-TL: an optimal multiprocessor algorithm for sporadic task
//! sets with unconstrained deadlines*, Real-Time Systems 46(3), 2010.
//!
//! Events are those of [LLREF](super::llref), but a chosen token stays chosen until its local execution is done: then
//! the largest waiting one takes its place. A token that must not wait any longer takes the place of the one with the
//! least left. Each slice begins with the first m tasks that have something to execute.
//!
//! A slice takes O(n), and each of its at most n + 1 events O(m + log n) instead of a new choice of m among n; fewer
//! jobs are preempted and migrate. Where U <= m and no utilization is above 1, no job of synchronous periodic tasks
//! with implicit deadlines is late. The paper also has sporadic arrivals. They are not here: a slice that begins at an
//! arrival that no plan could foresee needs fractions of a nanosecond, and the scheduler refuses them.
//!
//! Tasks of 1/4, 2/4, 3/4 and 2/4 on two processors, by hand from the rules. C has to execute at 1, when A is done
//! anyway; D has to at 2:
//!
//! ```text
//! P0  ACCC
//! P1  BBDD
//! ```

use super::plane::Choice;

/// Keeps chosen tokens, and exchanges them at events only where it must.
pub(crate) const LRE_TL: Choice = Choice::Kept;
