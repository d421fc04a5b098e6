//! Reads the platform's caches and bus.

use crate::document::Table;
use crate::memory::MemorySpec;
use crate::quantity;
use crate::words::ARBITRATIONS;
use schedlab_membus::{AccessProgram, Bus, ShapeError};

const BYTES: &str = "a size such as \"64 KiB\"";

/// Reads `[platform.memory]` over the defaults.
pub(super) fn read(table: &Table<'_, '_>, memory: &mut MemorySpec) {
    let number = |name, range| table.get(name).and_then(|value| value.integer(range));
    let bytes = |name| table.get(name).and_then(|value| value.parsed_number(BYTES, quantity::bytes));
    if let Some(mhz) = number("clock_mhz", 1..=100_000) {
        memory.clock_mhz = mhz as u32;
    }
    let cache = &mut memory.cache;
    for (value, field) in [
        (bytes("cache"), &mut cache.bytes),
        (bytes("line"), &mut cache.line_bytes),
        (number("ways", 1..=u64::from(u32::MAX)), &mut cache.ways),
    ] {
        *field = value.unwrap_or(*field);
    }
    let bus = &mut memory.bus;
    for (name, least, field) in [
        ("read_miss", 1, &mut bus.read_miss),
        ("write_miss", 1, &mut bus.write_miss),
        ("upgrade", 1, &mut bus.upgrade),
        ("write_back", 0, &mut bus.write_back),
    ] {
        *field = number(name, least..=Bus::MOST_CYCLES).unwrap_or(*field);
    }
    if let Some(arbitration) = table.get("arbitration").and_then(|v| v.choice("arbitration", ARBITRATIONS)) {
        memory.bus.arbitration = arbitration;
    }
    memory.gap = number("gap", 0..=AccessProgram::MOST_GAP).unwrap_or(memory.gap);
    if let Err(error) = memory.cache.check() {
        refuse(table, &error);
    }
}

/// Says it of the field that is wrong, or of the one that was given.
fn refuse(table: &Table<'_, '_>, error: &ShapeError) {
    let given = |names: &[&str]| names.iter().find_map(|name| table.get(name));
    let (value, why, allowed) = match error {
        ShapeError::LineBytes(_) => {
            (given(&["line"]), "is no power of two".to_owned(), "a power of two of bytes")
        }
        ShapeError::CacheBelowLine { bytes, line_bytes } => match table.get("cache") {
            Some(cache) => {
                (Some(cache), format!("is less than a line of {line_bytes} bytes"), "at least one line")
            }
            None => {
                (given(&["line"]), format!("is more than the cache of {bytes} bytes"), "at most the cache")
            }
        },
        ShapeError::CacheBytes(_) => (given(&["cache"]), "is too large".to_owned(), "at most 4 GiB"),
        ShapeError::Ways { ways, bytes, line_bytes } => {
            let why = format!("leaves {bytes} bytes for sets of {ways} times {line_bytes} bytes");
            (given(&["ways", "cache", "line"]), why, "1, 2, 4, 8, ... whole sets")
        }
    };
    value.expect("the defaults are a cache: a field was given").refuse(&why, allowed);
}
