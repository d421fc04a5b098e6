//! Protocols of POSIX mutexes.

use crate::named::named;

named! {
    /// Protocol of a POSIX mutex (IEEE Std 1003.1, `pthread_mutexattr_setprotocol`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MutexProtocol {
        /// No thread becomes more urgent (`PTHREAD_PRIO_NONE`).
        None: "none",
        /// The holder is as urgent as the most urgent thread that waits for it (`PTHREAD_PRIO_INHERIT`).
        Inherit: "inherit",
        /// The holder has the priority of the most urgent user at once (`PTHREAD_PRIO_PROTECT`).
        Protect: "protect",
    }
}
