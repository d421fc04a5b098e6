//! Private caches on one bus: how long each processor waits for memory.
//!
//! A [`Machine`] has processors that execute access programs in order. Each has a write-back cache whose lines are in
//! the four states of MESI. One bus serves one request at a time. A [`Run`] gives for each cycle the number of pending
//! requests, and for each processor how long it waited while the bus served another.
//!
//! Source: Holman, Anderson, "Adapting Pfair scheduling for symmetric multiprocessors", JEC 1(4), 2005, section V-A.
//! MESI: Papamarcos, Patel, "A low-overhead coherence solution for multiprocessors with private cache memories",
//! ISCA 1984.
//!
//! # What happens in a cycle
//!
//! The steps of cycle `t`, in this order:
//!
//! 1. A service that ends at `t` installs its line. The processor's access is done. Its next access follows `gap`
//!    cycles later.
//! 2. A processor whose next stretch begins at `t` or before takes up its program, unless it has a request. A blocking
//!    cache finishes that first. The first access follows at once. A program continues where it was left.
//! 3. A processor whose next access is due looks into its cache. A hit takes this cycle, and the next access follows
//!    `gap` cycles after it. Everything else becomes a request.
//! 4. If the bus is free, it takes the request that is next. Other caches lose or share their copies now. The victim
//!    leaves the cache now. What the request needs is decided now, as a waiting upgrade may have lost its line.
//!
//! Among the lines of a full set, the one whose last use lies back furthest gives way. A place that holds nothing is
//! taken first, the lowest of several. The access of a served request counts as a use in the last cycle of its service,
//! and a hit in its own cycle. So a line that is installed at `t` is older than a line that is hit in cycle `t`. A
//! processor uses at most one line in a cycle. Lines of the beginning were never used: the lowest place gives way
//! first.
//!
//! A request is pending from the cycle of its access until its service ends. While the bus serves another, the cycle is
//! *lost*. Cycles of the own service are not lost.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod bus;
mod cache;
mod counts;
mod error;
mod lane;
mod line;
mod machine;
mod program;
mod run;
mod shape;
mod sharing;
mod slots;
mod window;

pub use bus::{Arbitration, Bus};
pub use counts::Counts;
pub use error::{MachineError, ShapeError};
pub use line::{Slot, State};
pub use machine::{Begin, Machine, Stretch};
pub use program::{AccessOrder, AccessProgram, Kinds};
pub use run::{PendingRequests, Run};
pub use shape::Shape;
pub use slots::Slots;
pub use window::{watch, Seen, WindowPart};
