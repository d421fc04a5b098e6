//! Lines of a trace that are no events: its header, and marks of lost events.

use crate::event::LARGEST_CPU;
use crate::text::line::number;
use memchr::memmem::find;

/// What a line that is no event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Events of the processor are missing before its next one: this many, if that is stated.
    Lost(u16, Option<u64>),
    /// The processor's events begin here, since earlier ones were overwritten.
    BeginsLate(u16),
    /// Number of the machine's processors.
    Processors(u16),
    /// Number of events in the ring, of those that were written.
    Entries(u64, u64),
    /// The first line of a trace.
    Tracer,
    /// Another comment.
    Comment,
}

/// Reads the mark in a line, if it is one.
pub(crate) fn mark(line: &[u8]) -> Option<Mark> {
    let text = line.trim_ascii();
    if let Some(rest) = text.strip_prefix(b"##### CPU ") {
        let (cpu, rest) = cpu(rest)?;
        return rest.starts_with(b" buffer started").then_some(Mark::BeginsLate(cpu));
    }
    if text.starts_with(b"#") {
        return Some(header(text));
    }
    if let Some(rest) = text.strip_prefix(b"cpus=") {
        let (count, rest) = number(rest)?;
        return rest.is_empty().then_some(Mark::Processors(processors(count)?));
    }
    let (cpu, rest) = cpu(text.strip_prefix(b"CPU:")?)?;
    let words = rest.strip_prefix(b" [")?.strip_suffix(b"]")?;
    let count = words.split(u8::is_ascii_whitespace).find_map(|word| Some(number(word)?.0));
    let is_loss = find(words, b"EVENTS").is_some()
        && [&b"LOST"[..], b"DROPPED"].iter().any(|word| find(words, word).is_some());
    is_loss.then_some(Mark::Lost(cpu, count))
}

/// Reads a line of the header: the numbers of events and of processors, or nothing of use.
fn header(text: &[u8]) -> Mark {
    if let Some(place) = find(text, b"entries-in-buffer/entries-written: ") {
        let counts = &text[place + b"entries-in-buffer/entries-written: ".len()..];
        let read = || {
            let (kept, rest) = number(counts)?;
            let (written, _) = number(rest.strip_prefix(b"/")?)?;
            Some((kept, written))
        };
        if let Some((kept, written)) = read() {
            return Mark::Entries(kept, written);
        }
    }
    if text.starts_with(b"# tracer:") {
        Mark::Tracer
    } else {
        Mark::Comment
    }
}

/// Reads the number of processors in a header's line.
pub(crate) fn processors_in(text: &[u8]) -> Option<u16> {
    let (count, _) = number(&text[find(text, b"#P:")? + 3..])?;
    processors(count)
}

fn processors(count: u64) -> Option<u16> {
    u16::try_from(count).ok().filter(|count| *count <= LARGEST_CPU)
}

fn cpu(text: &[u8]) -> Option<(u16, &[u8])> {
    let (cpu, rest) = number(text.trim_ascii_start())?;
    Some((u16::try_from(cpu).ok().filter(|cpu| *cpu <= LARGEST_CPU)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_have_four_forms() {
        for (line, expected) in [
            ("CPU:0 [LOST 139 EVENTS]", Some(Mark::Lost(0, Some(139)))),
            ("CPU:12 [LOST EVENTS]", Some(Mark::Lost(12, None))),
            ("CPU:3 [5 EVENTS DROPPED]", Some(Mark::Lost(3, Some(5)))),
            ("CPU:3 [EVENTS DROPPED]\r", Some(Mark::Lost(3, None))),
            ("##### CPU 1 buffer started ####", Some(Mark::BeginsLate(1))),
            ("cpus=2", Some(Mark::Processors(2))),
            ("# entries-in-buffer/entries-written: 141/1410   #P:2", Some(Mark::Entries(141, 1410))),
            ("# tracer: nop", Some(Mark::Tracer)),
            ("CPU:0 [x]", None),
            ("CPU 0 is empty", None),
            ("CPU:99999 [LOST EVENTS]", None),
        ] {
            assert_eq!(mark(line.as_bytes()), expected, "{line}");
        }
        assert_eq!(processors_in(b"# latency: 0 us, #150/150, CPU#0 | (M:PREEMPT(none) VP:0 #P:8)"), Some(8));
    }
}
