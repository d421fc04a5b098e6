//! The scheduler by quanta, without a run: what is late, and what it counts of threads.

mod held;
mod late;
mod running;
mod stops;
mod threads;
