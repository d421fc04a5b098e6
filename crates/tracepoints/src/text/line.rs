//! The parts of a line of text: thread, processor, stamp, event, and what the event says.
//!
//! A thread's name may hold blanks, brackets and colons, and tools print different columns before the stamp. So a line
//! is read by its shape: a processor in brackets, perhaps one word of flags, a stamp with a colon, an event. In the
//! latency format the processor and the flags are one word without brackets. The name at a line's begin is that of the
//! thread when the trace was printed, and is not used.

use crate::event::LARGEST_CPU;
use crate::unit::Stamps;
use memchr::memchr_iter;

/// Longest name of a thread, in bytes.
const LONGEST_NAME: usize = 15;

/// A line of text, in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Number of the thread on the processor, if the line states it.
    pub(crate) pid: Option<u32>,
    /// The processor.
    pub(crate) cpu: u16,
    /// Stamp: in nanoseconds, if its unit is known.
    pub(crate) at: u64,
    /// How the stamp is written.
    pub(crate) stamps: Stamps,
    /// Name of the event, without that of its group.
    pub(crate) event: &'a [u8],
    /// Content of the event.
    pub(crate) rest: &'a [u8],
}

/// Reads a line without its end.
pub(crate) fn parse(line: &[u8]) -> Option<Line<'_>> {
    let mut found: Option<Line<'_>> = None;
    for bracket in memchr_iter(b'[', line) {
        let Some((cpu, rest)) = processor(&line[bracket + 1..]) else { continue };
        let Some((name, pid)) = thread(&line[..bracket]) else { continue };
        // A name can look like a processor, and so can what an event says. Only the first of them fits into a name.
        if found.is_some() && name.len() > LONGEST_NAME {
            break;
        }
        if let Some((at, stamps, rest)) = after_flags(rest) {
            let (event, rest) = event(rest)?;
            found = Some(Line { pid, cpu, at, stamps, event, rest });
        }
    }
    found.or_else(|| latency(line))
}

/// Reads a processor and its closing bracket.
fn processor(text: &[u8]) -> Option<(u16, &[u8])> {
    let (cpu, rest) = number(text)?;
    let cpu = u16::try_from(cpu).ok().filter(|cpu| *cpu <= LARGEST_CPU)?;
    Some((cpu, rest.strip_prefix(b"]")?))
}

/// Reads the thread before the processor: `name-12`, `name 12` or `name 11/12`, perhaps with the process in
/// parentheses. A thread that perf does not know any more is `-1`. A line may begin with the processor.
fn thread(text: &[u8]) -> Option<(&[u8], Option<u32>)> {
    let text = text.trim_ascii();
    if text.is_empty() {
        return Some((text, None));
    }
    let text = match text.strip_suffix(b")") {
        Some(inside) => text[..inside.iter().rposition(|byte| *byte == b'(')?].trim_ascii_end(),
        None => text,
    };
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, digits) = text.split_at(text.len() - digits);
    let (pid, _) = number(digits)?;
    let name = match before {
        [name @ .., b'/'] => {
            let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            &name[..name.len() - digits]
        }
        // Either `name-12`, or `name -1` of perf.
        [name @ .., b' ' | b'/', b'-'] | [name @ .., b'-' | b' '] => name,
        [] => before,
        _ => return None,
    };
    let is_unknown = before.ends_with(b" -") || before.ends_with(b"/-");
    Some((name.trim_ascii_end(), (!is_unknown).then_some(pid as u32)))
}

/// Reads a stamp, perhaps after a word of flags.
fn after_flags(text: &[u8]) -> Option<(u64, Stamps, &[u8])> {
    let text = text.trim_ascii_start();
    if let Some(found) = stamp(text) {
        return Some(found);
    }
    let end = text.iter().position(u8::is_ascii_whitespace)?;
    let (flags, rest) = text.split_at(end);
    let is_flag = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'#' | b'?' | b'-');
    if flags.len() > 12 || !flags.iter().all(is_flag) {
        return None;
    }
    stamp(rest.trim_ascii_start())
}

/// Reads a stamp and its colon: seconds with a point, or a whole number.
fn stamp(text: &[u8]) -> Option<(u64, Stamps, &[u8])> {
    let (whole, rest) = number(text)?;
    if let Some(rest) = rest.strip_prefix(b":") {
        return Some((whole, Stamps::Bare, rest));
    }
    let (part, digits, rest) = fraction(rest.strip_prefix(b".")?)?;
    let ns = whole.checked_mul(1_000_000_000)?.checked_add(part * 10_u64.pow(9 - digits))?;
    Some((ns, Stamps::Seconds, rest.strip_prefix(b":")?))
}

/// Reads digits after a point, at most nine, with their number.
fn fraction(text: &[u8]) -> Option<(u64, u32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (part, _) = number(text)?;
    (digits <= 9).then(|| (part, digits as u32, &text[digits..]))
}

/// Reads the name of an event, after that of its group, and its content.
fn event(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let word = word.strip_suffix(b":").unwrap_or(word);
    let name = word.iter().rposition(|byte| *byte == b':').map_or(word, |colon| &word[colon + 1..]);
    (!name.is_empty()).then(|| (name, rest.trim_ascii_start()))
}

/// Reads a line of the latency format: `bash-12  0d..2. 31654us+: sched_switch: ...`.
fn latency(line: &[u8]) -> Option<Line<'_>> {
    let text = line.trim_ascii();
    // The thread ends where a number is followed by blanks and by a processor with its flags.
    for blank in memchr_iter(b' ', text) {
        let Some((_, pid)) = thread(&text[..blank]) else { continue };
        let rest = text[blank..].trim_ascii_start();
        let Some((cpu, flags)) = number(rest) else { continue };
        let Some(end) = flags.iter().position(u8::is_ascii_whitespace) else { continue };
        let Some((at, stamps, rest)) = relative(flags[end..].trim_ascii_start()) else { continue };
        if end == 0 || cpu > u64::from(LARGEST_CPU) {
            continue;
        }
        let (event, rest) = event(rest)?;
        return Some(Line { pid, cpu: cpu as u16, at, stamps, event, rest });
    }
    None
}

/// Reads microseconds with the mark of a long delay, such as `31740us#:`, or any other stamp.
fn relative(text: &[u8]) -> Option<(u64, Stamps, &[u8])> {
    let (us, rest) = number(text)?;
    let Some(rest) = rest.strip_prefix(b"us") else { return stamp(text) };
    let rest = match rest {
        [b' ' | b'+' | b'!' | b'#' | b'*' | b'@' | b'$', rest @ ..] => rest,
        rest => rest,
    };
    Some((us.checked_mul(1_000)?, Stamps::Relative, rest.strip_prefix(b":")?))
}

/// Reads a whole number at the begin of a text.
pub(crate) fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 20 {
        return None;
    }
    let mut value: u64 = 0;
    for digit in &text[..digits] {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    Some((value, &text[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(Option<u32>, u16, u64, &str)> {
        let found = parse(line.as_bytes())?;
        Some((found.pid, found.cpu, found.at, std::str::from_utf8(found.event).unwrap()))
    }

    #[test]
    fn all_tools_lines_are_read() {
        let switch = |pid, cpu, at| Some((pid, cpu, at, "sched_switch"));
        for (line, expected) in [
            (
                "  fast-8812    [000] d..2.  2350.115461: sched_switch: x",
                switch(Some(8812), 0, 2_350_115_461_000),
            ),
            (
                "fast  8812 [001]  2350.078830: sched:sched_switch: x",
                switch(Some(8812), 1, 2_350_078_830_000),
            ),
            (
                " servo B 10085/10088 [001]  2.168584622: sched:sched_switch: x",
                switch(Some(10088), 1, 2_168_584_622),
            ),
            (" :-1    -1 [000]  2.5: sched:sched_switch: x", switch(None, 0, 2_500_000_000)),
            (" :-1 8812/-1 [000]  2.5: sched:sched_switch: x", switch(None, 0, 2_500_000_000)),
            (
                "bash-10073 [001]  2.655677938:  sched_switch:    bash:1 [120] S",
                switch(Some(10073), 1, 2_655_677_938),
            ),
            (" x: y [3]-7  (  9) [012] d..2.  1.000001: sched_switch: x", switch(Some(7), 12, 1_000_001_000)),
            (" <idle>-0  (-----) [002] dN.4  1.1: sched_switch: x", switch(Some(0), 2, 1_100_000_000)),
            (
                "<...>-8950    [000] d..2. 5839026637563: sched_switch: x",
                switch(Some(8950), 0, 5_839_026_637_563),
            ),
            (" a-1 [0] 1.0: b:-123 [001] d..2. 5.0: sched_switch: x", switch(Some(123), 1, 5_000_000_000)),
            (" planner-1220    [000] dNLh4.1  2.5: sched_switch: x", switch(Some(1220), 0, 2_500_000_000)),
            ("    bash-8921      0d..2. 30250us#: sched_switch: x", switch(Some(8921), 0, 30_250_000)),
            ("    a b-8921      11d..2.   7us : sched_switch: x", switch(Some(8921), 11, 7_000)),
            (" bgload-10082   1d..2.  2625.65: sched_switch: x", switch(Some(10082), 1, 2_625_650_000_000)),
            ("[003] 1.5: sched:sched_switch: x", switch(None, 3, 1_500_000_000)),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
    }

    #[test]
    fn text_within_an_event_is_no_event() {
        let marker = "RenderThread-2210  ( 2100) [005] ...1  6.5: tracing_mark_write: B|1|a-1 [001] d..2 1.0: sched_switch: x";
        assert_eq!(read(marker), Some((Some(2210), 5, 6_500_000_000, "tracing_mark_write")));
        let call = "work-501     [000] ...1.   12.000000: schedule <-do_nanosleep";
        assert_eq!(read(call), Some((Some(501), 0, 12_000_000_000, "schedule")));
        for other in [
            "",
            "hello",
            "12:00:01 sched_switch happened",
            "# tracer: nop",
            "CPU:0 [LOST 139 EVENTS]",
            "a-1 [99999] 1.0: x:",
            "a-1 [000] d..2. 1.0000000001: x: y",
            "a-1 [000] d..2. 99999999999999.0: x: y",
            "ffffffff81 [kernel.kallsyms]",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
