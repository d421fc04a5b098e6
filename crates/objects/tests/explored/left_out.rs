//! Which part of the objects a test leaves out.

use crate::sources::Part;
use std::cell::Cell;

thread_local! {
    // Loom and shuttle run all threads of a system in the thread of the test.
    static LEFT_OUT: Cell<Option<Part>> = const { Cell::new(None) };
}

/// Which test finds that a part is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finder {
    /// `shuttle_objects.rs`, from histories under random schedules.
    Schedules,
    /// `loom_objects.rs`, from what a memory model allows without an ordering.
    Orders,
    /// `shuttle_objects.rs`, with an object that reads words of two versions.
    TwoVersions,
    /// `shuttle_objects.rs`, with a task that does nothing any more.
    DeadHolder,
}

/// The test for this part.
#[allow(dead_code, reason = "not every test leaves parts out")]
pub(crate) fn finder(part: Part) -> Finder {
    match part {
        Part::EnteredReader
        | Part::SettledReader
        | Part::AgreedSlot
        | Part::CountedPointer
        | Part::SeenInQueue
        | Part::SwungHead
        | Part::LastVersion
        | Part::OwnVersion
        | Part::CopiedBlock
        | Part::Help
        | Part::HelpTurns
        | Part::OnceOnly => Finder::Schedules,
        Part::PublishedSlot
        | Part::ReaderFence
        | Part::WriterFence
        | Part::SettlerFence
        | Part::LinkedNode
        | Part::PublishedVersion
        | Part::PassedTurn => Finder::Orders,
        Part::ValidatedRead => Finder::TwoVersions,
        Part::AsksForDead => Finder::DeadHolder,
    }
}

/// The parts that this test finds.
#[allow(dead_code, reason = "not every test leaves parts out")]
pub(crate) fn found_by(one: Finder) -> impl Iterator<Item = Part> {
    Part::ALL.iter().copied().filter(move |part| finder(*part) == one)
}

/// True if the part is there.
pub(crate) fn has(part: Part) -> bool {
    LEFT_OUT.get() != Some(part)
}

/// True if `test` fails, in this thread, without the part.
#[allow(dead_code, reason = "not every test leaves parts out")]
pub(crate) fn is_missed(part: Part, test: impl FnOnce()) -> bool {
    LEFT_OUT.set(Some(part));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(test));
    LEFT_OUT.set(None);
    result.is_err()
}
