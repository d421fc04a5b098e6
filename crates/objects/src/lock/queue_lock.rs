//! What the ticket lock and the array lock have in common: a place in the queue is a plain value.

use super::super::sync::spin;

/// A lock that grants in the order in which places in its queue were drawn.
///
/// # Safety
///
/// An implementation grants at most one drawn place that was not left, and what happened before
/// [`QueueLock::leave`] happens before [`QueueLock::is_granted`] says `true` for the next.
pub unsafe trait QueueLock: Sync {
    /// A place in the queue.
    type Place: Copy;

    /// Draws the next place. It has to be waited for and left, or all later ones wait for ever.
    #[must_use = "a place that is not left stops the queue"]
    fn enter(&self) -> Self::Place;

    /// Draws a place only if it is granted at once.
    fn try_enter(&self) -> Option<Self::Place>;

    /// Whether the place's turn has come.
    fn is_granted(&self, place: Self::Place) -> bool;

    /// Ends the turn of the place; the next one is granted.
    ///
    /// # Safety
    ///
    /// `place` was drawn from this lock, is granted and was not left before.
    unsafe fn leave(&self, place: Self::Place);

    /// Spins until the place's turn has come.
    fn wait(&self, place: Self::Place) {
        while !self.is_granted(place) {
            spin();
        }
    }
}
