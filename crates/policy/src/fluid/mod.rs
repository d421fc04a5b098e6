//! Deadline partitioning: how much of each task runs between two deadlines, and when?
//!
//! The deadlines of all tasks cut time into *slices*. A fluid schedule would give each task its utilization C/T of a
//! processor all the time. A scheduler of this folder gives each task a *local execution* in each slice such that it is
//! where the fluid schedule is at the slice's end, and is free in between (G. Levin, S. Funk, C. Sadowski, I. Pye and
//! S. Brandt, *DP-FAIR: a simple model for understanding optimal multiprocessor scheduling*, ECRTS 2010). If local
//! executions add up to at most m times the length of the slice, and none is longer than the slice, they fit (R.
//! McNaughton, *Scheduling with deadlines and loss functions*, Management Science 6(1), 1959).
//!
//! The fluid schedule is not whole nanoseconds: [`plan`] says how local executions are, and why no job is late by it.
//! Tasks arrive together at time zero and then periodically, so that slices are known without looking at arrivals. A
//! job that completes early leaves its local execution unused; the schedulers are not work-conserving.

mod bf;
mod dp_wrap;
mod llref;
mod lre_tl;
mod plan;
mod plane;
mod share;
mod strings;
mod timeline;

pub(crate) use bf::boundary_fair;
pub(crate) use dp_wrap::dp_wrap;
pub(crate) use llref::LLREF;
pub(crate) use lre_tl::LRE_TL;
pub(crate) use plane::LocalPlane;
