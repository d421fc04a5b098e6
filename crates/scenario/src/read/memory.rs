//! Reads the platform's caches and bus.

use crate::document::{Table, Value};
use crate::memory::MemorySpec;
use crate::quantity;
use crate::words::ARBITRATIONS;
use schedlab_membus::{AccessProgram, Bus, ShapeError};

const BYTES: &str = "a size such as \"64 KiB\"";

/// Reads `[platform.memory]` over the defaults.
pub(super) fn read(table: &Table<'_, '_>, memory: &mut MemorySpec) {
    table.set("clock_mhz", &mut memory.clock_mhz, |v| Some(v.integer(1..=100_000)? as u32));
    let cache = &mut memory.cache;
    table.set("cache", &mut cache.bytes, bytes);
    table.set("line", &mut cache.line_bytes, bytes);
    table.set("ways", &mut cache.ways, |v| v.integer(1..=u64::from(u32::MAX)));
    let bus = &mut memory.bus;
    for (name, least, field) in [
        ("read_miss", 1, &mut bus.read_miss),
        ("write_miss", 1, &mut bus.write_miss),
        ("upgrade", 1, &mut bus.upgrade),
        ("write_back", 0, &mut bus.write_back),
    ] {
        table.set(name, field, |v| v.integer(least..=Bus::MOST_CYCLES));
    }
    table.set("arbitration", &mut bus.arbitration, |v| v.choice("arbitration", ARBITRATIONS));
    table.set("gap", &mut memory.gap, |v| v.integer(0..=AccessProgram::MOST_GAP));
    if let Err(error) = memory.cache.check() {
        refuse(table, &error);
    }
}

fn bytes(value: &Value<'_, '_>) -> Option<u64> {
    value.parsed_number(BYTES, quantity::bytes)
}

/// Reports the error at the field that is wrong, or else at a field that was given.
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
