//! Keeps processors out of deep idle states: waking from one takes up to a millisecond.

use std::fs::{File, OpenOptions};
use std::io::Write;

/// The wish that processors stay awake: while it lives, the kernel keeps every processor's time to wake up as short as
/// it can. The wish ends with the process at the latest, however that ends: the kernel forgets it when the file is
/// closed.
#[derive(Debug)]
pub(crate) struct Awake(#[expect(dead_code, reason = "the open file is the wish")] File);

impl Awake {
    /// Wishes that processors stay awake; `None` where that is not allowed, or not known.
    pub(crate) fn wish() -> Option<Self> {
        let mut file = OpenOptions::new().write(true).open("/dev/cpu_dma_latency").ok()?;
        // So many microseconds, as a 32-bit number.
        file.write_all(&0i32.to_ne_bytes()).ok()?;
        Some(Awake(file))
    }
}
