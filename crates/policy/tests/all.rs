//! The integration tests of this crate as one program: they are linked once.

mod dasa;
mod gua;
mod pfair_admission;
mod pfair_aligned;
mod pfair_dynamic;
mod pfair_events;
mod pfair_orders;
mod pfair_staggered;
mod pfair_support;
mod pfair_windows;
mod utility;
