//! Which backend a test's run has.

use schedlab_runtime::{BackendChoice, Options};

/// The backend by which all tests run: `SCHEDLAB_TEST_BACKEND`, for virtual machines whose kernel has sched_ext.
pub fn wished_backend() -> Option<BackendChoice> {
    let wish = std::env::var("SCHEDLAB_TEST_BACKEND").ok()?;
    let known = BackendChoice::NAMED.iter().find(|(name, _)| *name == wish);
    Some(known.unwrap_or_else(|| panic!("no backend {wish}")).1)
}

/// Has a run happen everywhere: without privileges, where `SCHEDLAB_TEST_BACKEND` does not ask for a backend that takes
/// them.
#[allow(dead_code, reason = "tests whose machine has to allow real-time priorities do not call it")]
pub fn anywhere(options: &mut Options) {
    options.backend = wished_backend();
    options.unprivileged = options.backend.is_none();
}
