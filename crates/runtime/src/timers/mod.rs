//! When does a thread report the time to the engine: a timer thread, a thread that sleeps, a thread that executes?

pub(crate) mod alarm;
pub(crate) mod owner;
pub(crate) mod sleep_timer;
pub(crate) mod thread_timer;
