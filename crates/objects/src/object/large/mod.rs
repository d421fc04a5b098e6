//! Any sequential object, without locks: universal constructions for large objects.
//!
//! J. Anderson and M. Moir, *Universal constructions for large objects*, IEEE TPDS 10(12), 1999. An object's words are
//! in blocks. A version of the object is a list of its blocks (`long.rs`). An operation works on copies of the blocks
//! that it writes (`draft.rs`), and puts a new list in place of the old one, if that is still there. The blocks that it
//! replaced are its copies for the next operation.
//!
//! * `lock_free.rs`: it tries until it succeeds.
//! * `wait_free.rs`: it announces its operation; a task that succeeds executes some others' operations, too.

mod draft;
mod lock_free;
mod long;
mod wait_free;

pub use lock_free::LockFree;
pub use wait_free::WaitFree;
