//! Who decides, under which lock, and what is asked of a backend that makes decisions true?

pub(crate) mod dispatch_lock;
pub(crate) mod domain;
pub(crate) mod enforcer;
pub(crate) mod native;
pub(crate) mod permission;
pub(crate) mod raised;
pub(crate) mod replay;
pub(crate) mod stop_barrier;
pub(crate) mod surroundings;
