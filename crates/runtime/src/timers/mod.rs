//! When does a thread report the time to the engine: a timer thread, a thread that sleeps, a thread that executes? And
//! how do other threads report events?

pub(crate) mod alarm;
pub(crate) mod calls;
pub(crate) mod owner;
pub(crate) mod sleep_timer;
pub(crate) mod thread_timer;
