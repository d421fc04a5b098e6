//! How are decisions made true? By gates, or by links in the kernel, where the engine decides; or by a scheduler in the
//! kernel or a scheduling class of Linux, which decide themselves.

pub(crate) mod enforcement;
pub(crate) mod gates;
pub(crate) mod kernel_class;
pub(crate) mod linked_thread;
pub(crate) mod links;
pub(crate) mod native;
