//! A buffer of some words, of which every task may read the latest value or write a new one, as a whole.
//!
//! | scheme | file | reading | writing | slots for N tasks |
//! |---|---|---|---|---|
//! | locked | `locked.rs` | waits | waits | 1 |
//! | lock-free | `lock_free.rs` | constant | once more when another writer took a free slot | N + 1 |
//! | wait-free | `wait_free.rs` | constant | linear in N | N (N + 1) |

mod lock_free;
mod locked;
mod wait_free;

pub use lock_free::LockFreeBuffer;
pub use locked::LockedBuffer;
pub use wait_free::WaitFreeBuffer;
