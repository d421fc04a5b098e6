//! Traces in streams: written and read in pieces, cut short, and no traces at all.

use schedlab_model::{CpuId, Duration, Instant, JobId, TaskId, Work};
use schedlab_report::{TraceFile, TraceWriter};
use schedlab_trace::{Header, Record, Sink, Timeline};

/// Enough records for several pieces.
fn long() -> Timeline {
    let mut timeline = Timeline::default();
    for number in 0..60_000u32 {
        let (at, job) = (Instant::from_ns(u64::from(number) * 1_000), JobId::new(TaskId(number % 7), number));
        let (absolute_deadline, cost) = (at + Duration::from_ms(1), Work::from_ns(5));
        timeline.record(at, Record::Arrival { job, absolute_deadline, cost });
        timeline.record(at, Record::Dispatch { cpu: CpuId(1), job });
    }
    timeline.record(Instant::from_ns(60_000_000), Record::End);
    timeline
}

fn written(timeline: &Timeline) -> Vec<u8> {
    let mut writer = TraceWriter::new(
        Vec::new(),
        &Header::new(schedlab_trace::Backend::Simulation).with("scheduler", "G-EDF"),
    );
    for (at, record) in &timeline.records {
        writer.record(*at, *record);
    }
    writer.finish().unwrap()
}

/// A stream that gives little at a time, as pipes do.
struct Drip<'a>(&'a [u8]);

impl std::io::Read for Drip<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let length = out.len().min(self.0.len()).min(7_919);
        out[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

#[test]
fn what_is_written_in_pieces_is_read_in_pieces() {
    let timeline = long();
    let bytes = written(&timeline);
    assert!(bytes.len() > 600_000, "several pieces");
    let mut file = TraceFile::open(Drip(&bytes)).unwrap();
    assert_eq!(file.header().get("scheduler"), Some("G-EDF"));
    let mut read = Timeline::default();
    file.play(&mut read).unwrap();
    assert!(read == timeline);
    let read: Result<Vec<_>, _> = TraceFile::open(bytes.as_slice()).unwrap().collect();
    assert!(read.unwrap() == timeline.records);
}

#[test]
fn skipped_kinds_at_the_end_of_a_piece_keep_their_time() {
    let mut bytes = Vec::new();
    Header::new(schedlab_trace::Backend::Simulation).encode(&mut bytes);
    // Each skipped record lets two nanoseconds pass.
    let skipped = 200_000;
    for _ in 0..skipped {
        bytes.extend([200, 1, 2]);
    }
    bytes.extend([26, 1, 0]);
    let read: Result<Vec<_>, _> = TraceFile::open(bytes.as_slice()).unwrap().collect();
    assert_eq!(read.unwrap(), [(Instant::from_ns(2 * skipped), Record::End)]);
}

#[test]
fn a_cut_file_gives_what_came_before_and_says_where() {
    let timeline = long();
    let bytes = written(&timeline);
    let cut = &bytes[..bytes.len() - 2];
    let items: Vec<_> = TraceFile::open(cut).unwrap().collect();
    let (last, whole) = items.split_last().unwrap();
    let whole: Vec<_> = whole.iter().map(|item| *item.as_ref().unwrap()).collect();
    assert!(whole == timeline.records[..whole.len()]);
    assert_eq!(whole.len(), 120_000);
    let message = last.as_ref().unwrap_err().to_string();
    assert!(message.contains("cut short after"), "{message}");
    assert!(message.contains("at time 59.999 ms"), "{message}");
}

/// Between two records, only the missing end tells. What is kept of a killed run has none.
#[test]
fn a_file_that_is_cut_between_records_is_no_whole_trace() {
    let timeline = long();
    let bytes = written(&timeline);
    let mut places = Vec::new();
    let mut whole = TraceFile::open(bytes.as_slice()).unwrap();
    let read = whole.each_record(|_, _, offset| {
        places.push(offset as usize);
        true
    });
    read.unwrap();
    let begin = bytes.len() - places.last().unwrap();
    for count in [0, 1, 70_001, 120_000] {
        let end = begin + if count == 0 { 0 } else { places[count - 1] };
        let items: Vec<_> = TraceFile::open(&bytes[..end]).unwrap().collect();
        assert_eq!(items.len(), count + 1);
        let message = items[count].as_ref().unwrap_err().to_string();
        assert!(message.contains(&format!("cut short after {} bytes", end - begin)), "{message}");
    }
    let mut partial = Vec::new();
    Header::new(schedlab_trace::Backend::Simulation).with("partial", "it was killed").encode(&mut partial);
    partial.extend(&bytes[begin..begin + places[70_000]]);
    let mut kept = TraceFile::open(partial.as_slice()).unwrap();
    assert_eq!(kept.by_ref().filter(|item| item.is_ok()).count(), 70_001);
    assert!(kept.next().is_none());
}

#[test]
fn what_is_no_trace_is_refused() {
    let refused = |bytes: &[u8]| TraceFile::open(bytes).unwrap_err().to_string();
    assert_eq!(
        refused(b"PK\x03\x04"),
        "not a schedlab trace; `schedlab simulate SCENARIO --trace FILE` writes one"
    );
    assert_eq!(refused(b"SCHEDLAB\x01\x00\x05"), "the trace ends within its header");
    let mut bytes = Vec::new();
    Header::new(schedlab_trace::Backend::Simulation).encode(&mut bytes);
    bytes.extend([24, 6, 0, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    let error = TraceFile::open(bytes.as_slice()).unwrap().next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "a record names task 4294967295, but a trace has at most 131072 tasks");
}

/// A disk that fills up.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.checked_sub(bytes.len()) {
            Some(left) => self.0 = left,
            None => return Err(std::io::Error::other("disk full")),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_first_error_of_a_stream_is_kept() {
    let mut writer = TraceWriter::new(Full(100_000), &Header::new(schedlab_trace::Backend::Simulation));
    for (at, record) in &long().records {
        writer.record(*at, *record);
    }
    assert_eq!(writer.finish().map(|_| ()).unwrap_err().to_string(), "disk full");
}
