//! The size of a cache, and where its lines go.

use crate::error::ShapeError;

/// A set-associative cache; direct-mapped with one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Capacity in bytes.
    pub bytes: u64,
    /// Bytes of a line.
    pub line_bytes: u64,
    /// Lines of a set. Among them the least recently used one gives way; the crate's header says what is a use.
    pub ways: u64,
}

impl Shape {
    /// The cache of staggered-pfair-2005: 256 KB, direct-mapped, lines of 32 bytes.
    pub const OF_2005: Shape = Shape { bytes: 256 * 1024, line_bytes: 32, ways: 1 };

    /// More bytes than any cache has.
    const MOST_BYTES: u64 = 1 << 32;

    /// How many lines it holds.
    pub fn lines(&self) -> u64 {
        self.bytes / self.line_bytes
    }

    /// How many sets it has.
    pub fn sets(&self) -> u64 {
        self.lines() / self.ways
    }

    /// Refuses what is no cache.
    pub fn check(&self) -> Result<(), ShapeError> {
        if !self.line_bytes.is_power_of_two() || self.line_bytes > Self::MOST_BYTES {
            return Err(ShapeError::LineBytes(self.line_bytes));
        }
        if self.bytes < self.line_bytes {
            return Err(ShapeError::CacheBelowLine { bytes: self.bytes, line_bytes: self.line_bytes });
        }
        if self.bytes > Self::MOST_BYTES {
            return Err(ShapeError::CacheBytes(self.bytes));
        }
        let lines = self.lines();
        let is_whole = self.ways > 0 && lines % self.ways == 0 && lines * self.line_bytes == self.bytes;
        if !is_whole || !self.sets().is_power_of_two() {
            return Err(ShapeError::Ways { ways: self.ways, bytes: self.bytes, line_bytes: self.line_bytes });
        }
        Ok(())
    }
}
