//! The parts of the objects without which they are wrong.
//!
//! Tests leave one out at a time, and have to find that: `tests/explored/left_out.rs` says which test finds which. In
//! the library all are there, and asking for them costs nothing.
//!
//! | object | parts |
//! |---|---|
//! | locked ones | [`Part::PassedTurn`], [`Part::AsksForDead`] |
//! | lock-free buffer | [`Part::EnteredReader`], [`Part::PublishedSlot`] |
//! | wait-free buffer | [`Part::SettledReader`] to [`Part::AgreedSlot`] |
//! | lock-free queue | [`Part::CountedPointer`] to [`Part::SwungHead`] |
//! | lock-free and wait-free heaps, wait-free queue | [`Part::ValidatedRead`] to [`Part::PublishedVersion`] |
//! | wait-free queue and heap | [`Part::Help`], [`Part::HelpTurns`], [`Part::OnceOnly`] |
//!
//! No test finds that a reader of the lock-free buffer leaves its slot without release. Its reads would then come after
//! its leave, and find what a later writer wrote. Loom and Miri execute a task's accesses in order: a read finds
//! earlier writes only. RC11, a model that GenMC checks, excludes such executions, too. Processors such as ARM's have
//! them. `object/buffer/lock_free.rs` argues why release is needed.

macro_rules! parts {
    ($($(#[$about:meta])* $part:ident,)*) => {
        /// A part of an object that a test may leave out, to find that the object is wrong without it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Part {
            $($(#[$about])* $part,)*
        }

        impl Part {
            /// Every part.
            #[allow(dead_code, reason = "tests leave out each")]
            pub const ALL: &'static [Part] = &[$(Part::$part,)*];
        }
    };
}

parts! {
    /// Lock-free buffer: the reader is counted where it learns its slot.
    EnteredReader,
    /// Lock-free buffer: a written slot is published with release.
    PublishedSlot,
    /// Wait-free buffer: a writer settles which slot an undecided reader takes.
    SettledReader,
    /// Wait-free buffer: the reader's fence between its word and the latest slot.
    ReaderFence,
    /// Wait-free buffer: the writer's fence between the latest slot and the readers' words.
    WriterFence,
    /// Wait-free buffer: the fence of a writer that settles, between the reader's word and the latest slot.
    SettlerFence,
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
    /// Ticket lock: the turn is passed on with release.
    PassedTurn,
    /// Robust lock: a waiter asks whether others live.
    AsksForDead,
}
