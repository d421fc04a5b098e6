//! The parts of the objects without which they are wrong.
//!
//! Tests leave one out at a time, and have to find that. In the library all are there, and asking for them costs
//! nothing.

/// What a test may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Lock-free buffer: the reader is counted where it learns its slot.
    EnteredReader,
    /// Lock-free buffer: a written slot is published with release.
    PublishedSlot,
    /// Wait-free buffer: a writer settles which slot an undecided reader takes.
    SettledReader,
    /// Wait-free buffer: the reader's fence between its word and the latest slot.
    ReaderFence,
    /// Wait-free buffer: the reader takes the slot that a writer settled.
    AgreedSlot,
    /// Lock-free queue: numbers in the words that are compared.
    CountedPointer,
    /// Lock-free queue: a node is linked with release.
    LinkedNode,
    /// Lock-free queue: a node of which the link was read had not been taken out.
    SeenInQueue,
    /// Lock-free queue: the head is swung forward by one task only.
    SwungHead,
    /// Large objects: a read looks whether what it read is of the version that the attempt began with.
    ValidatedRead,
    /// Large objects: a task knows its draft only while its own version is there.
    LastVersion,
    /// Large objects: a task knows its draft only if the version before was its own, too.
    OwnVersion,
    /// Large objects: the first write to a block writes a copy.
    CopiedBlock,
    /// Large objects: a new version is published with release.
    PublishedVersion,
    /// Wait-free large objects: an attempt executes what others have announced.
    Help,
    /// Wait-free large objects: the next tasks to be helped are others each time.
    HelpTurns,
    /// Wait-free large objects: what was executed is not executed again.
    OnceOnly,
    /// Robust lock: a waiter asks whether others live.
    AsksForDead,
}
