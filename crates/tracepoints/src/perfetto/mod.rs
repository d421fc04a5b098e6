//! Traces of Perfetto: ftrace bundles with an event each, and in the compact form.
//!
//! A file is a sequence of packets, which are read one at a time. Bundles are those of single processors, so that the
//! file is not in order of time. The compact form names only the thread that comes: the one that leaves is the one that
//! came to the processor last.

mod compact;
mod messages;

use crate::event::{leaving_by_number, Named, Wake, What, LARGEST_CPU, LARGEST_PID};
use crate::recording::Recorder;
use crate::refusal::NotRead;
use crate::unit::Stamps;
use compact::LastIn;
use flate2::read::ZlibDecoder;
use messages::{Bundle, FtraceEvent, Packet, SchedMigrateTask, SchedPiSetprio, SchedSwitch, SchedWakeup};
use prost::bytes::Bytes;
use prost::Message;
use std::io::{self, BufRead, BufReader, Read};

/// Largest packet that is read, in bytes. Perfetto's are much smaller.
const LARGEST_PACKET: u64 = 16 * 1024 * 1024;

/// Tag of a packet in a file: field 1 of `Trace`, with a length.
const PACKET: u8 = 0x0a;

/// Returns whether a file that begins so is a trace of Perfetto: its first packet begins with a known kind of field.
pub(crate) fn is_perfetto(begin: &[u8]) -> bool {
    let Some((&PACKET, mut rest)) = begin.split_first() else { return false };
    let Ok(length) = prost::encoding::decode_varint(&mut rest) else { return false };
    let is_tag = |byte: u8| byte >> 3 != 0 && matches!(byte & 7, 0..=2 | 5);
    match rest.first() {
        // An empty packet is followed by another one.
        Some(byte) if length == 0 => *byte == PACKET,
        // A text may begin with an empty line.
        Some(byte) => {
            length <= LARGEST_PACKET && is_tag(*byte) && !begin.iter().all(|byte| is_printable(*byte))
        }
        None => false,
    }
}

fn is_printable(byte: u8) -> bool {
    byte >= 0x20 || matches!(byte, b'\n' | b'\r' | b'\t')
}

/// Reads all packets into `recorder`.
pub(crate) fn read(source: impl BufRead, recorder: &mut Recorder) -> Result<(), NotRead> {
    recorder.stamps = Some(Stamps::Nanoseconds);
    let mut reader = Packets { last_in: LastIn::default(), count: 0 };
    reader.read(source, recorder, true).map(|_| ())
}

/// Packets of a trace, one after the other.
struct Packets {
    last_in: LastIn,
    /// Number of events so far.
    count: u64,
}

impl Packets {
    /// Reads packets. Returns false if no more events are kept. Packed packets hold no packed ones.
    fn read(
        &mut self,
        mut source: impl BufRead,
        recorder: &mut Recorder,
        outer: bool,
    ) -> Result<bool, NotRead> {
        loop {
            let bytes = match field(&mut source) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => return Ok(true),
                Err(error) => {
                    recorder.flaws.damage = Some(error.to_string());
                    return Ok(true);
                }
            };
            match Packet::decode(bytes) {
                Ok(packet) => {
                    if !self.packet(packet, recorder, outer)? {
                        return Ok(false);
                    }
                }
                Err(error) => recorder.flaws.damage = Some(format!("a packet cannot be decoded ({error})")),
            }
        }
    }

    fn packet(&mut self, packet: Packet, recorder: &mut Recorder, outer: bool) -> Result<bool, NotRead> {
        for bundle in packet.ftrace_events {
            if !self.bundle(bundle, recorder)? {
                return Ok(false);
            }
        }
        if packet.zstd_compressed_packets.is_some() {
            recorder.flaws.damage = Some("packets that are packed by zstd are not read".to_owned());
        }
        match packet.compressed_packets {
            Some(packed) if outer => {
                self.read(BufReader::new(ZlibDecoder::new(io::Cursor::new(packed))), recorder, false)
            }
            Some(_) | None => Ok(true),
        }
    }

    fn bundle(&mut self, bundle: Bundle, recorder: &mut Recorder) -> Result<bool, NotRead> {
        let cpu = bundle.cpu.unwrap_or(0);
        let Some(cpu) = u16::try_from(cpu).ok().filter(|cpu| *cpu <= LARGEST_CPU) else {
            recorder.flaws.damage = Some(format!("a bundle of processor {cpu} cannot be"));
            return Ok(true);
        };
        if bundle.lost_events == Some(true) {
            recorder.lose(cpu, None);
            self.last_in.forget(cpu);
        }
        // Both forms may be in one bundle, and an event is in one of them.
        let mut found: Vec<(u64, What)> = Vec::new();
        for bytes in &bundle.event {
            self.event(bytes, cpu, recorder, &mut found);
        }
        let is_mixed = !found.is_empty();
        if let Some(compact) = &bundle.compact_sched {
            self.last_in.compact(compact, cpu, recorder, &mut found);
        }
        if is_mixed && bundle.compact_sched.is_some() {
            found.sort_by_key(|(at, _)| *at);
        }
        for (at, what) in found {
            self.count += 1;
            if let What::Switch { to, .. } = what {
                self.last_in.set(cpu, to);
            }
            if !recorder.push(self.count, at, cpu, what)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn event(&mut self, bytes: &Bytes, cpu: u16, recorder: &mut Recorder, found: &mut Vec<(u64, What)>) {
        let Ok(event) = FtraceEvent::decode(bytes.clone()) else {
            recorder.bad_line(self.count + found.len() as u64 + 1);
            return;
        };
        let by = event.pid;
        let what = if let Some(switch) = event.sched_switch {
            recorder.tally.switches += 1;
            self::switch(&switch, recorder)
        } else if let Some(wakeup) = event.sched_wakeup {
            recorder.tally.wakeups += 1;
            woken(&wakeup, Wake::Wakeup, cpu, recorder)
        } else if let Some(waking) = event.sched_waking {
            recorder.tally.wakings += 1;
            woken(&waking, Wake::Waking, cpu, recorder)
        } else if let Some(new) = event.sched_wakeup_new {
            recorder.tally.wakeups += 1;
            woken(&new, Wake::New, cpu, recorder)
        } else if let Some(inherits) = event.sched_pi_setprio {
            recorder.tally.inherits += 1;
            self::inherits(&inherits, by)
        } else if let Some(moved) = event.sched_migrate_task {
            recorder.tally.moves += 1;
            self::moved(&moved)
        } else {
            recorder.tally.others += 1;
            return;
        };
        match event.timestamp.zip(what) {
            Some(event) => found.push(event),
            None => recorder.bad_line(self.count + found.len() as u64 + 1),
        }
    }
}

/// Reads the next packet; other fields of the file are passed over. Nothing is left at the end of the file.
fn field(source: &mut impl BufRead) -> io::Result<Option<Bytes>> {
    loop {
        let Some(tag) = varint(source)? else { return Ok(None) };
        let is_cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends within a packet");
        let length = match tag & 7 {
            0 => {
                varint(source)?.ok_or_else(is_cut)?;
                continue;
            }
            1 => 8,
            5 => 4,
            2 => varint(source)?.ok_or_else(is_cut)?,
            _ => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the file is damaged between two packets",
                ))
            }
        };
        if length > LARGEST_PACKET {
            let why = format!("a packet of {length} bytes cannot be");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let mut bytes = Vec::new();
        source.by_ref().take(length).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < length {
            return Err(is_cut());
        }
        if tag == u64::from(PACKET) {
            return Ok(Some(bytes.into()));
        }
    }
}

/// Reads a number of variable length; nothing at the end of the file.
fn varint(source: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let mut byte = [0];
        match source.read_exact(&mut byte) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && shift == 0 => return Ok(None),
            Err(error) => return Err(error),
        }
        value |= u64::from(byte[0] & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte[0] < 0x80 {
            return Ok(Some(value));
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "the file is damaged between two packets"))
}

/// A thread, if its numbers can be.
fn named(
    recorder: &mut Recorder,
    pid: Option<i32>,
    name: Option<&[u8]>,
    priority: Option<i32>,
) -> Option<Named> {
    let pid = number(pid)?;
    let priority = i16::try_from(priority.unwrap_or(0)).ok()?;
    Some(Named { pid, name: recorder.names.place(pid, name.unwrap_or_default()), priority })
}

fn number(pid: Option<i32>) -> Option<u32> {
    u32::try_from(pid.unwrap_or(0)).ok().filter(|pid| *pid <= LARGEST_PID)
}

fn processor(cpu: Option<i32>) -> Option<u16> {
    u16::try_from(cpu?).ok().filter(|cpu| *cpu <= LARGEST_CPU)
}

fn switch(event: &SchedSwitch, recorder: &mut Recorder) -> Option<What> {
    let from = named(recorder, event.prev_pid, event.prev_comm.as_deref(), event.prev_prio)?;
    let to = named(recorder, event.next_pid, event.next_comm.as_deref(), event.next_prio)?;
    let leaving = leaving_by_number(event.prev_state.unwrap_or(0) as u64);
    Some(What::Switch { from, to, leaving })
}

fn woken(event: &SchedWakeup, wake: Wake, cpu: u16, recorder: &mut Recorder) -> Option<What> {
    let thread = named(recorder, event.pid, event.comm.as_deref(), event.prio)?;
    let target = processor(event.target_cpu.or(Some(i32::from(cpu))))?;
    Some(What::Woken { thread, target, wake })
}

fn inherits(event: &SchedPiSetprio, by: Option<u32>) -> Option<What> {
    let priority = |number: Option<i32>| i16::try_from(number.unwrap_or(0)).ok();
    let (pid, old, new) = (number(event.pid)?, priority(event.oldprio)?, priority(event.newprio)?);
    Some(What::Inherits { pid, old, new, by })
}

fn moved(event: &SchedMigrateTask) -> Option<What> {
    let (from, to) = (event.orig_cpu.or(Some(0)), event.dest_cpu.or(Some(0)));
    Some(What::Moved { pid: number(event.pid)?, from: processor(from)?, to: processor(to)? })
}
