//! Traces of Perfetto. Bytes that are none stand for the content of its packets.

#![no_main]

use libfuzzer_sys::fuzz_target;
use schedlab_fuzz::kernel_trace;

fuzz_target!(|bytes: &[u8]| {
    kernel_trace(bytes);
    // A packet whose length is right, so that what is in it is looked at.
    let length = bytes.len().min(0x3fff);
    let mut packet = vec![0x0a, (length & 0x7f) as u8 | 0x80, (length >> 7) as u8];
    packet.extend_from_slice(&bytes[..length]);
    kernel_trace(&packet);
});
