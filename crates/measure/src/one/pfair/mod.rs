//! Costs of Pfair decisions on this machine, aligned and staggered.
//!
//! *A decision* is one task given one quantum: fetch the most urgent, charge it, let it compete again. *A slot* is what
//! the decisions of one slot cost a processor: all of them under a master, which decides for the others
//! (aligned PD2), one invocation of `Schedule` under the staggered algorithm. Weights are random and add up to at most
//! M. Both sorts of scheduler are timed in turn in batches below a millisecond, in processor time of the thread, and
//! medians taken over batches: what else the machine does then disturbs both alike, and seldom.

pub(crate) mod slot;
mod systems;

use cpu_time::ThreadTime;

/// Returns the processor time in ns that `work` takes, with its result.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = ThreadTime::now();
    let result = work();
    (begin.elapsed().as_nanos() as f64, result)
}
