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

/// The four groups of seven bits of a value of at most 28 bits, each in a byte, the lowest first; all bits are moved at once.
#[inline(always)]
pub(crate) fn spread(value: u32) -> u32 {
    // Halves of 14 bits, then sevenths of 7: each goes to the beginning of its half, then of its byte.
    let halves = (value & 0x3fff) | (value & 0x0fff_c000) << 2;
    (halves & 0x007f_007f) | (halves & 0x3f80_3f80) << 1
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
        for value in (0..28).flat_map(|bits| [1u32 << bits, (1 << bits) - 1, 0x0a5a_5a5a >> bits]) {
            let mut written = Vec::new();
            write(&mut written, value.into());
            written.iter_mut().for_each(|byte| *byte &= 0x7f);
            written.resize(4, 0);
            assert_eq!(spread(value).to_le_bytes()[..], written);
        }
    }
}
