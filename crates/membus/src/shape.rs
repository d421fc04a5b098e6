//! The size of a cache, and the set of each line.

use crate::error::ShapeError;

/// A set-associative cache; direct-mapped with one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Capacity in bytes.
    pub bytes: u64,
    /// Bytes of a line.
    pub line_bytes: u64,
    /// Lines of a set, of which the least recently used one gives way; the crate's header defines a use.
    pub ways: u64,
}

impl Shape {
    /// The cache of staggered-pfair-2005: 256 KB, direct-mapped, lines of 32 bytes.
    pub const OF_2005: Shape = Shape { bytes: 256 * 1024, line_bytes: 32, ways: 1 };

    /// Upper limit of a cache's bytes.
    const MOST_BYTES: u64 = 1 << 32;

    /// Returns the number of lines that the cache holds.
    pub fn lines(&self) -> u64 {
        self.bytes / self.line_bytes
    }

    /// Returns the number of sets.
    pub fn sets(&self) -> u64 {
        self.lines() / self.ways
    }

    /// Refuses sizes that make no cache.
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
