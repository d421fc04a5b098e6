//! The bytes of one record, before they are appended.

use crate::varint;

/// No record has more bytes: one has five numbers of ten bytes at most besides its kind, its length and a tag.
pub(crate) const MOST: usize = 64;

/// A record that is being written. The length is kept apart from the bytes, and so in a register.
pub(crate) struct Frame<'a> {
    pub(crate) bytes: &'a mut [u8; MOST],
    pub(crate) length: usize,
}

impl Frame<'_> {
    /// Neither an index nor the length is checked here: the length is, once, where the record ends.
    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes[self.length % MOST] = byte;
        self.length = self.length.wrapping_add(1);
    }

    /// Most numbers are below 2^7, and most others below 2^14.
    #[inline(always)]
    pub(crate) fn number(&mut self, value: u64) {
        if value < 1 << 7 {
            self.byte(value as u8);
        } else if value < 1 << 14 {
            self.byte(value as u8 | 0x80);
            self.byte((value >> 7) as u8);
        } else {
            self.length = long_number(self.bytes, self.length, value);
        }
    }
}

/// The same for numbers that take more bytes: how long the record is with it.
#[inline(never)]
fn long_number(bytes: &mut [u8; MOST], at: usize, value: u64) -> usize {
    if value < 1 << 28 {
        let four = varint::spread(value as u32);
        let is_longest = value >= 1 << 21;
        put_four(bytes, at, four | 0x8080 | u32::from(is_longest) << 23);
        return at + 3 + usize::from(is_longest);
    }
    // All of the lowest 28 bits, and others follow.
    put_four(bytes, at, varint::spread(value as u32 & 0x0fff_ffff) | 0x8080_8080);
    let (at, rest) = (at + 4, value >> 28);
    if rest < 1 << 14 {
        let is_longer = rest >= 1 << 7;
        bytes[at % MOST] = rest as u8 & 0x7f | u8::from(is_longer) << 7;
        bytes[(at + 1) % MOST] = (rest >> 7) as u8;
        return at + 1 + usize::from(is_longer);
    }
    long_number(bytes, at, rest)
}

#[inline(always)]
fn put_four(bytes: &mut [u8; MOST], at: usize, four: u32) {
    bytes[at..at + 4].copy_from_slice(&four.to_le_bytes());
}
