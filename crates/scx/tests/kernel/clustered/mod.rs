//! The clustered scheduler: who executes, limits of tasks, and what is recorded.

mod checked;
mod exits;
mod faults;
mod limits;
mod order;
mod running;
mod sections;
pub mod switches;
