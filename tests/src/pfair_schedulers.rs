//! The Pfair schedulers, as the list of schedulers has them.

use schedlab_model::OrderClass;
use schedlab_policy::{all_schedulers, Scheduler};
use std::sync::LazyLock;

/// Their names.
pub static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let pfair = |scheduler: &Scheduler| matches!(scheduler.class(), OrderClass::Pfair { .. });
    all_schedulers().into_iter().filter(pfair).map(|scheduler| scheduler.name).collect()
});

/// Whether the scheduler of this name is one of them.
pub fn is_pfair(name: &str) -> bool {
    NAMES.iter().any(|known| known == name)
}
