//! Which protocols are spin locks.

use super::*;

/// Each protocol is refused for a fact, or is one of these.
#[test]
fn protocols_of_spin_locks_are_known_by_their_facts() {
    let own = ALL_PROTOCOLS.iter().filter(|protocol| other_rule(protocol).is_none());
    let mut names: Vec<&str> = own.map(|protocol| protocol.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["fmlp-short", "msrp", "task-fair"]);
}
