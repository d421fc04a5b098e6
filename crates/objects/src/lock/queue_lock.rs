//! The interface that the ticket lock and the array lock have in common: a position in the queue is a plain value.

use super::super::sync::spin;

/// A lock that grants in the order in which positions in its queue were drawn.
///
/// # Safety
///
/// An implementation grants at most one drawn position that was not left, and what happened before
/// [`QueueLock::leave`] happens before [`QueueLock::is_granted`] says `true` for the next.
pub unsafe trait QueueLock: Sync {
    /// A position in the queue.
    type Position: Copy;

    /// Draws the next position. It has to be waited for and left, or all later ones wait for ever.
    #[must_use = "a position that is not left stops the queue"]
    fn enter(&self) -> Self::Position;

    /// Draws a position only if it is granted at once.
    fn try_enter(&self) -> Option<Self::Position>;

    /// True if the position's turn has come.
    fn is_granted(&self, position: Self::Position) -> bool;

    /// Ends the turn of the position; the next one is granted.
    ///
    /// # Safety
    ///
    /// `position` was drawn from this lock, is granted and was not left before.
    unsafe fn leave(&self, position: Self::Position);

    /// Spins until the position's turn has come.
    fn wait(&self, position: Self::Position) {
        while !self.is_granted(position) {
            spin();
        }
    }
}
