//! Traces of the Linux scheduler's tracepoints: read from what tools wrote, and turned into a scenario and a trace.
//!
//! | modules | what they hold |
//! |---|---|
//! | [`mod@read`], `text`, `perfetto` | readers of the forms of files |
//! | `event`, `unit`, `recording` | events in order of time, and the flaws of the file |
//! | `threads` | a sweep over the events: lives of threads, their jobs and releases |
//! | `period`, `figures` | periods, costs and jitters of a thread |
//! | `notes`, `result`, `scenario`, `records` | what comes out |
//!
//! What an event says is believed; what it does not say is named, and never guessed. A file that is cut or damaged is
//! read as far as it goes. This crate starts no program: `trace.dat` has to be turned into text first.

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

mod classes;
mod event;
mod figures;
mod findings;
mod notes;
mod order;
mod perfetto;
mod period;
mod read;
mod recording;
mod records;
mod refusal;
mod result;
mod scenario;
mod text;
mod threads;
mod unit;

pub use figures::Examined;
pub use order::{order_of, SeenClass, SeenOrder, CLASSES, DEADLINE};
pub use read::{read, read_bytes};
pub use recording::Recording;
pub use records::Tasks;
pub use refusal::{NotRead, OtherFile, HOW_TO_RECORD};
pub use result::{LostEvents, MutexWaits, RecordedThread, RecordingResult, ThreadClass};
pub use scenario::Concluded;
pub use unit::{StampUnit, Unit};
