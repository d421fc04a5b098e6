//! Text of ftrace, `trace-cmd report` and `perf script`, also within the pages of systrace.

pub(crate) mod fields;
pub(crate) mod line;
mod marks;
mod page;

use crate::event::{Named, Wake, What};
use crate::recording::Recorder;
use crate::refusal::{NotRead, OtherFile};
use crate::unit::{Stamps, Unit};
use fields::Thread;
use line::Line;
use marks::{mark, processors_in, Mark};
use memchr::memmem::find;
use page::Page;
use std::io::{BufRead, Read};

/// Longest line that is read, in bytes. What goes beyond is no event of the scheduler.
const LONGEST_LINE: u64 = 64 * 1024;

/// Reads all lines of a text into `recorder`.
pub(crate) fn read(
    mut source: impl BufRead,
    unit: Option<Unit>,
    recorder: &mut Recorder,
) -> Result<(), NotRead> {
    let mut reader = Lines { unit, page: Page::default(), number: 0 };
    let mut line = Vec::new();
    loop {
        line.clear();
        match source.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                recorder.flaws.damage = Some(error.to_string());
                break;
            }
        }
        reader.number += 1;
        let is_whole = line.ends_with(b"\n");
        if !is_whole && line.len() as u64 == LONGEST_LINE {
            skip_line(&mut source);
        } else if !is_whole && is_like_an_event(&line) {
            // Its last number may have lost digits.
            recorder.flaws.cut_line = Some(reader.number);
            break;
        }
        if !reader.take(&line, recorder)? {
            break;
        }
    }
    match reader.page.is_without_trace() {
        true if recorder.tally.used() == 0 => Err(NotRead::Other(OtherFile::Html)),
        _ => Ok(()),
    }
}

/// Skips what is left of a line.
fn skip_line(source: &mut impl BufRead) {
    loop {
        let (used, is_over) = match source.fill_buf() {
            Ok(bytes) => match memchr::memchr(b'\n', bytes) {
                Some(end) => (end + 1, true),
                None => (bytes.len(), bytes.is_empty()),
            },
            Err(_) => return,
        };
        source.consume(used);
        if is_over {
            return;
        }
    }
}

/// Returns whether a line that cannot be read names an event of the scheduler as tools print it.
fn is_like_an_event(line: &[u8]) -> bool {
    [&b"sched_switch:"[..], b"sched_wak"].iter().any(|name| find(line, name).is_some())
}

/// Lines of a text, one after the other.
struct Lines {
    unit: Option<Unit>,
    page: Page,
    number: u64,
}

impl Lines {
    /// Takes a line. Returns false if no more events are kept.
    fn take(&mut self, line: &[u8], recorder: &mut Recorder) -> Result<bool, NotRead> {
        let Some(line) = self.page.text(line) else { return Ok(true) };
        let line = line.trim_ascii_end();
        match line::parse(line) {
            Some(parts) => self.event(&parts, recorder),
            None => {
                self.no_event(line, recorder);
                Ok(true)
            }
        }
    }

    fn no_event(&self, line: &[u8], recorder: &mut Recorder) {
        match mark(line) {
            Some(Mark::Lost(cpu, lost)) => recorder.lose(cpu, lost),
            Some(Mark::BeginsLate(cpu)) => recorder.begins_late(cpu),
            Some(Mark::Processors(count)) => {
                recorder.has_header = true;
                recorder.processors = Some(count);
            }
            Some(Mark::Entries(kept, written)) => {
                recorder.has_header = true;
                recorder.flaws.overwritten = written.saturating_sub(kept);
                recorder.processors = recorder.processors.or(processors_in(line));
            }
            Some(Mark::Tracer) => recorder.has_header = true,
            Some(Mark::Comment) => recorder.processors = recorder.processors.or(processors_in(line)),
            None if is_like_an_event(line) && find(line, b": ").is_some() => recorder.bad_line(self.number),
            None => {}
        }
    }

    fn event(&self, line: &Line<'_>, recorder: &mut Recorder) -> Result<bool, NotRead> {
        let lost = match line.event {
            b"PERF_RECORD_LOST" => Some(fields::lost(line.rest)),
            _ => None,
        };
        if let Some(lost) = lost {
            recorder.lose(line.cpu, lost);
            return Ok(true);
        }
        let is_known = |known: &[u8]| line.event == known;
        if line.event.starts_with(b"sched_wak") && fields::failed(line.rest) {
            recorder.tally.others += 1;
            return Ok(true);
        }
        let what = if is_known(b"sched_switch") {
            fields::switch(line.rest).map(|(from, leaving, to)| {
                recorder.tally.switches += 1;
                What::Switch { from: name(recorder, from), to: name(recorder, to), leaving }
            })
        } else if is_known(b"sched_waking") {
            woken(recorder, line, Wake::Waking)
        } else if is_known(b"sched_wakeup") {
            woken(recorder, line, Wake::Wakeup)
        } else if is_known(b"sched_wakeup_new") {
            woken(recorder, line, Wake::New)
        } else if is_known(b"sched_migrate_task") {
            fields::moved(line.rest).map(|(pid, from, to)| {
                recorder.tally.moves += 1;
                What::Moved { pid, from, to }
            })
        } else if is_known(b"sched_pi_setprio") {
            fields::inherits(line.rest).map(|(pid, old, new)| {
                recorder.tally.inherits += 1;
                What::Inherits { pid, old, new, by: line.pid }
            })
        } else {
            recorder.tally.others += 1;
            return Ok(true);
        };
        let stamps = *recorder.stamps.get_or_insert(line.stamps);
        match what {
            Some(what) if stamps == line.stamps => {
                let at = match self.unit {
                    Some(unit) if stamps == Stamps::Bare => unit.ns(line.at),
                    Some(_) | None => line.at,
                };
                recorder.push(self.number, at, line.cpu, what)
            }
            Some(_) | None => {
                recorder.bad_line(self.number);
                Ok(true)
            }
        }
    }
}

fn name(recorder: &mut Recorder, thread: Thread<'_>) -> Named {
    let name = recorder.names.place(thread.pid, thread.name);
    Named { pid: thread.pid, name, priority: thread.priority }
}

/// Reads an event that wakes a thread.
fn woken(recorder: &mut Recorder, line: &Line<'_>, wake: Wake) -> Option<What> {
    let (thread, target) = fields::wake(line.rest)?;
    match wake {
        Wake::Waking => recorder.tally.wakings += 1,
        Wake::Wakeup | Wake::New => recorder.tally.wakeups += 1,
    }
    Some(What::Woken { thread: name(recorder, thread), target: target.unwrap_or(line.cpu), wake })
}
