//! Threads of a file or a trace that was made on Linux: priorities of those that have none, and equal ones.

use schedlab_policy::Scope;
use std::collections::BTreeMap;

/// Priority of a thread of `SCHED_DEADLINE` beside others of `SCHED_FIFO`, where each task needs one: nothing reads it.
pub const ABOVE_ALL: u32 = 99;

/// True if two threads of these processors and priorities may meet on a processor and have the same priority. Linux
/// takes such threads first come, first served; fixed priorities take them by the order of the file. A thread without a
/// processor may meet all others, and under a global scope each may meet each.
pub fn has_ties(threads: impl Iterator<Item = (Option<u16>, Option<u32>)>, scope: Scope) -> bool {
    let mut seen: BTreeMap<Option<u32>, Vec<Option<u16>>> = BTreeMap::new();
    for (processor, priority) in threads {
        let place = processor.filter(|_| scope == Scope::Partitioned);
        let equals = seen.entry(priority).or_default();
        let meets = |other: &Option<u16>| place.is_none() || other.is_none() || *other == place;
        if equals.iter().any(meets) {
            return true;
        }
        equals.push(place);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_without_a_processor_may_meet_all_of_its_priority() {
        let tied = |threads: &[(Option<u16>, u32)]| {
            let threads = || threads.iter().map(|(processor, priority)| (*processor, Some(*priority)));
            [Scope::Partitioned, Scope::Global].map(|scope| has_ties(threads(), scope))
        };
        assert_eq!(tied(&[(Some(0), 10), (Some(1), 10)]), [false, true]);
        assert_eq!(tied(&[(Some(0), 10), (Some(0), 10)]), [true, true]);
        assert_eq!(tied(&[(Some(0), 10), (None, 10)]), [true, true]);
        assert_eq!(tied(&[(None, 10), (Some(0), 10)]), [true, true]);
        assert_eq!(tied(&[(Some(0), 10), (None, 11)]), [false, false]);
    }
}
