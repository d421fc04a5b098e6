//! How the threads of a run decide, as a user says it: under which lock, and what other processors do meanwhile.

use schedlab_runtime::{Architecture, Options, QueueLock};

/// Chronos-scalability-2011, section 2, has both choices.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct Dispatch {
    /// The queue lock under which threads decide: ticket or mcs.
    #[arg(long, default_value_t, value_parser = |text: &str| choice(&QueueLock::NAMED, text))]
    pub dispatch_lock: QueueLock,
    /// Whether other processors execute while one decides: concurrent or stop-the-world.
    #[arg(long, default_value_t, value_parser = |text: &str| choice(&Architecture::NAMED, text))]
    pub architecture: Architecture,
}

impl Dispatch {
    /// `options`, but for these choices.
    pub fn with(self, options: Options) -> Options {
        Options { dispatch_lock: self.dispatch_lock, architecture: self.architecture, ..options }
    }
}

fn choice<T: Copy>(named: &[(&str, T)], text: &str) -> Result<T, String> {
    let known = named.iter().find(|(name, _)| *name == text).map(|(_, one)| *one);
    known.ok_or_else(|| {
        format!("allowed: {}", named.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (name, lock) in QueueLock::NAMED {
            assert_eq!((lock.to_string().as_str(), choice(&QueueLock::NAMED, name)), (name, Ok(lock)));
        }
        for (name, one) in Architecture::NAMED {
            assert_eq!((one.to_string().as_str(), choice(&Architecture::NAMED, name)), (name, Ok(one)));
        }
        assert_eq!(choice(&QueueLock::NAMED, "tas"), Err("allowed: ticket, mcs".to_owned()));
        let stop = choice(&Architecture::NAMED, "stw");
        assert_eq!(stop, Err("allowed: concurrent, stop-the-world".to_owned()));
    }
}
