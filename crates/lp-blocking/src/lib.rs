//! Blocking bounds by linear programs: no inflation of costs, and each request of another job counts at most once.
//!
//! A. Wieder and B. Brandenburg, *On spin locks in AUTOSAR: blocking analysis of FIFO, unordered, and priority-ordered
//! spin locks*, RTSS 2013; B. Brandenburg, *Improved analysis and evaluation of real-time semaphore protocols for P-FP
//! scheduling*, RTAS 2013. Partitioned fixed priorities, constrained deadlines, no nesting. A bound maximises the
//! blocking over all schedules that a few provable constraints allow; here it is the value of a dual solution, checked
//! in integers ([`certificate`]).
//!
//! Every bound takes bounds on response times, for counting jobs, and gives the whole blocking of one job of the task:
//! spinning or suspension, blocking on arrival, and (spin locks) the spinning of its processor's more urgent jobs while
//! it is pending.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod certificate;
pub mod methods;
pub mod program;
pub mod semaphore;
pub mod solve;
pub mod spin;
mod users;

pub use methods::PROGRAMS;
pub use program::LinearProgram;
pub use solve::maximum;
