//! How the threads of a run decide, as a user says it: under which lock, and what other processors do meanwhile.

use schedlab_runtime::{Architecture, DispatchLock, Options};

/// Chronos-scalability-2011, section 2, has both choices.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct Dispatch {
    /// The queue lock under which threads decide: ticket or mcs.
    #[arg(long, default_value_t)]
    pub dispatch_lock: DispatchLock,
    /// Whether other processors execute while one decides: concurrent or stop-the-world.
    #[arg(long, default_value_t)]
    pub architecture: Architecture,
}

impl Dispatch {
    /// `options`, but for these choices.
    pub fn with(self, options: Options) -> Options {
        Options { dispatch_lock: self.dispatch_lock, architecture: self.architecture, ..options }
    }
}
