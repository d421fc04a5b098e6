//! Unsigned integers in as few bytes as they need (LEB128): seven bits a byte, the lowest first.

use alloc::vec::Vec;

/// Appends `value`.
#[inline]
pub fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The bytes of a value of at most 56 bits, the first one lowest, and how many they are; all bits are moved at once.
#[inline]
pub(crate) fn spread(value: u64) -> Option<(u64, usize)> {
    if value >> 56 != 0 {
        return None;
    }
    // Halves of 28 bits, then quarters of 14, then sevenths of 7: each goes to the beginning of its half, quarter, byte.
    let halves = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let quarters = (halves & 0x0000_3fff_0000_3fff) | (halves & 0x0fff_c000_0fff_c000) << 2;
    let bytes = (quarters & 0x007f_007f_007f_007f) | (quarters & 0x3f80_3f80_3f80_3f80) << 1;
    let last = (63 - (bytes | 1).leading_zeros()) / 8;
    // Each byte but the last says that another follows.
    let follows = 0x0080_8080_8080_8080 & ((1u64 << (8 * last)) - 1);
    Some((bytes | follows, last as usize + 1))
}

/// Takes a value from the front of `bytes`; `None` if they end too early or it exceeds 64 bits.
#[inline(always)]
pub fn read(bytes: &mut &[u8]) -> Option<u64> {
    match bytes.split_first() {
        Some((&byte, rest)) if byte < 0x80 => {
            *bytes = rest;
            Some(byte.into())
        }
        _ => read_long(bytes),
    }
}

/// A value of several bytes.
fn read_long(bytes: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if shift > 63 || (shift == 63 && part > 1) {
            return None;
        }
        value |= part << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_as_the_loop_writes() {
        for value in
            (0..64).flat_map(|bits| [1u64 << bits, (1u64 << bits) - 1, 0xa5a5_5a5a_dead_beef >> bits])
        {
            let mut written = Vec::new();
            write(&mut written, value);
            let Some((bytes, length)) = spread(value) else {
                assert!(written.len() > 8, "{value} has 56 bits");
                continue;
            };
            assert_eq!(bytes.to_le_bytes()[..length], written);
        }
    }
}
