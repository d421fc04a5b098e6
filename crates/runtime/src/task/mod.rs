//! What may a task's code ask for, and how does its thread go on?

pub(crate) mod context;
pub(crate) mod current;
pub(crate) mod drawn_jobs;
mod fast_section;
pub(crate) mod gated;
pub(crate) mod kernel_class_thread;
mod native_locks;
pub(crate) mod native_thread;
pub(crate) mod sections;
pub(crate) mod services;
pub(crate) mod shutdown;
pub(crate) mod task_thread;
