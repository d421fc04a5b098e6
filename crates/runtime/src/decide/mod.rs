//! Who decides, under which lock, and how do gates follow?

pub(crate) mod alarm;
pub(crate) mod dispatch_lock;
pub(crate) mod domain;
pub(crate) mod enforcer;
mod gates;
pub(crate) mod raised;
pub(crate) mod replay;
pub(crate) mod stop_barrier;
pub(crate) mod surroundings;
