//! The values that every other crate uses: time, tasks, jobs, resources, processors, priorities.
//!
//! This crate knows nothing of the rest of schedlab. It does no I/O and holds no randomness, needs
//! no standard library, and allocates only when a table is set up.

#![no_std]
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod arrival;
mod bit_set;
mod caches;
mod class;
mod deciding;
mod event;
mod heap;
mod ids;
mod invariant;
mod job;
mod largest_first;
mod locking;
mod mutex;
mod named;
mod natural;
mod object;
mod overheads;
mod overrun;
mod piece;
mod platform;
mod priority;
mod resource;
mod sharing;
mod table;
mod task;
mod theorem;
mod thread_class;
mod time;
mod utility;

pub use arrival::{JobSource, NextJob};
pub use bit_set::BitSet;
pub use caches::{MigrationPath, SharedCache};
pub use class::{OrderClass, Point};
pub use deciding::{Architecture, Deciding, OwnLock, QueueLock};
pub use event::Event;
pub use heap::{Heap, HeapKey};
pub use ids::{ClusterId, CpuId, JobId, Occupant, ResourceId, TaskId, TimerKey};
pub use invariant::Invariant;
pub use job::{Job, JobState, Jobs};
pub use largest_first::LargestFirst;
pub use locking::LockingClass;
pub use mutex::MutexProtocol;
pub use natural::Natural;
pub use object::{ObjectKind, Scheme, MOST_OBJECT_SIZE, MOST_OBJECT_TASKS};
pub use overheads::{Cost, OverheadKind, OverheadSpec, Overheads, Statistic};
pub use overrun::Overrun;
pub use piece::TaskPiece;
pub use platform::{Alignment, Cluster, Platform, ReleasePoint};
pub use priority::{Band, Priority};
pub use resource::Resource;
pub use table::{at, at_mut};
pub use task::{AbortHandler, Step, Suspension, Task};
pub use theorem::{HeavyFirst, LightOrder, Theorem, Threshold};
pub use thread_class::ThreadClass;
pub use time::{Duration, Instant, OneWord, Work};
pub use utility::{TimeUtility, Utility};
