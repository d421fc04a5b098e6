//! The C interface. Its documentation is the header, which is made from these sources.
//!
//! Functions that can fail return a negative number or a null pointer; [`schedlab_error`] returns the reason.

#![warn(unreachable_pub)]

mod error;
mod event;
mod job;
mod member;
mod object;
mod system;

pub use error::{schedlab_error, SCHEDLAB_CRASHED, SCHEDLAB_DEAD, SCHEDLAB_ERROR, SCHEDLAB_REFUSED};
pub use event::*;
pub use job::*;
pub use member::*;
pub use object::*;
pub use system::*;
