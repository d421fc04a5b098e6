//! The utility-accrual schedulers, as the list of schedulers has them.

use schedlab_policy::{all_schedulers, Scheduler};
use std::sync::LazyLock;

/// Their names.
pub static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    all_schedulers().into_iter().filter(Scheduler::accrues_utility).map(|scheduler| scheduler.name).collect()
});

/// Whether the scheduler of this name is one of them.
pub fn accrues_utility(name: &str) -> bool {
    NAMES.iter().any(|known| known == name)
}
