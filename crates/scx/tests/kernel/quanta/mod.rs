//! The scheduler by quanta, without a run: what is late, how it ends, and what it counts of threads.

mod faults;
mod held;
mod late;
mod running;
mod stops;
mod threads;
