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
