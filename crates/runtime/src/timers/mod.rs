//! When does a thread have to report the time to the engine: timer threads, threads that sleep, threads that execute?

pub(crate) mod alarm;
pub(crate) mod owner;
pub(crate) mod sleep_timer;
pub(crate) mod thread_timer;
