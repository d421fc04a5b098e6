//! Unsigned integers in as few bytes as they need (LEB128): seven bits a byte, the lowest first.

use alloc::vec::Vec;

/// Appends `value`.
#[inline]
pub(crate) fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns the four groups of seven bits of a value of at most 28 bits, each in a byte, the lowest first; all bits are
/// moved at once.
#[inline(always)]
pub(crate) fn spread(value: u32) -> u32 {
    // Halves of 14 bits, then sevenths of 7: each goes to the beginning of its half, then of its byte.
    let halves = (value & 0x3fff) | (value & 0x0fff_c000) << 2;
    (halves & 0x007f_007f) | (halves & 0x3f80_3f80) << 1
}

/// Returns the bytes of a value below 2^14, one or two, the lowest first, and their number.
#[inline(always)]
pub(crate) fn two_bytes(value: u32) -> (u64, usize) {
    match value < 1 << 7 {
        true => (value.into(), 1),
        false => ((value & 0x7f | 0x80 | (value & 0x3f80) << 1).into(), 2),
    }
}

/// Returns the bytes of a value below 2^14 as [`two_bytes`] does, without a branch, for values whose lengths are not
/// easy to predict.
#[inline(always)]
pub(crate) fn two_bytes_evenly(value: u32) -> (u64, usize) {
    let more = u32::from(value >= 1 << 7);
    ((value & 0x7f | more << 7 | (value & 0x3f80) << 1).into(), 1 + more as usize)
}

/// True if a value takes at most eight bytes.
#[inline(always)]
pub(crate) fn is_in_a_word(value: u64) -> bool {
    value < 1 << 56
}

/// Returns the bytes of a value that takes at most eight, the lowest first, and their number.
#[inline(always)]
pub(crate) fn in_a_word(value: u64) -> (u64, usize) {
    // Halves of 28 bits, then quarters of 14, then sevenths of 7.
    let halves = (value & 0x0fff_ffff) | (value & 0x0fff_ffff << 28) << 4;
    let quarters = (halves & 0x0000_3fff_0000_3fff) | (halves & 0x0fff_c000_0fff_c000) << 2;
    let eighths = (quarters & 0x007f_007f_007f_007f) | (quarters & 0x3f80_3f80_3f80_3f80) << 1;
    // Of n bits, (9 n + 64) / 64 is a seventh rounded up, for all n up to 64.
    let length = ((value | 1).ilog2() * 9 + 73) / 64;
    // All bytes but the last one say that another follows.
    let others_follow = 0x0080_8080_8080_8080_u64 >> (64 - 8 * length);
    (eighths | others_follow, length as usize)
}

/// Takes a value from the front of `bytes`; `None` if they end too early or it exceeds 64 bits.
#[inline(always)]
pub(crate) fn read(bytes: &mut &[u8]) -> Option<u64> {
    match bytes.split_first() {
        Some((&byte, rest)) if byte < 0x80 => {
            *bytes = rest;
            Some(byte.into())
        }
        _ => read_long(bytes),
    }
}

/// Reads a value of several bytes. Nine of them fit into 64 bits whatever they are; of a tenth, one bit does.
fn read_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (place, &byte) in bytes.iter().take(9).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            *bytes = &bytes[place + 1..];
            return Some(value);
        }
    }
    let (&tenth, rest) = bytes.get(9..)?.split_first()?;
    *bytes = rest;
    (tenth <= 1).then_some(value | u64::from(tenth) << 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_as_the_loop_writes() {
        for value in (0..28).flat_map(|bits| [1u32 << bits, (1 << bits) - 1, 0x0a5a_5a5a >> bits]) {
            let mut written = Vec::new();
            write(&mut written, value.into());
            written.iter_mut().for_each(|byte| *byte &= 0x7f);
            written.resize(4, 0);
            assert_eq!(spread(value).to_le_bytes()[..], written);
        }
    }

    #[test]
    fn words_hold_what_the_loop_writes() {
        for value in (0..56).flat_map(|bits| [1_u64 << bits, (2 << bits) - 1, 0x00a5_5a5a_5a5a_5a5a >> bits])
        {
            let mut written = Vec::new();
            write(&mut written, value);
            assert!(is_in_a_word(value));
            let (word, length) = in_a_word(value);
            assert_eq!(word.to_le_bytes()[..length], written);
            if value < 1 << 14 {
                for (word, length) in [two_bytes(value as u32), two_bytes_evenly(value as u32)] {
                    assert_eq!(word.to_le_bytes()[..length], written);
                }
            }
        }
    }
}
