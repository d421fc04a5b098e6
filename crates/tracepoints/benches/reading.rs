//! Processor time of reading a kernel trace of a million events, of each form, and of what follows.
//!
//! `cargo bench -p schedlab-tracepoints [-- EVENTS]`. The fixed reference is the same process that counts the lines of
//! the same text, byte by byte: a busy machine slows both. `-- --once FORM` reads one form once, for callgrind.

use cpu_time::ProcessTime;
use schedlab_trace::Encoder;
use schedlab_tracepoints::{read_bytes, Examined};
use std::fmt::Write as _;
use std::hint::black_box;

const EVENTS: usize = 1_000_000;

/// How often each is measured; an odd number.
const ROUNDS: usize = 5;

/// Processors, and threads of each: thread `n` runs every `n + 1` rounds.
const CPUS: u64 = 8;
const THREADS: u64 = 6;

/// A switch or a wake-up, before it is written in a form.
#[derive(Clone, Copy)]
struct Event {
    ns: u64,
    cpu: u64,
    /// Threads before and after a switch; a wake-up has the one that is woken.
    from: u64,
    to: Option<u64>,
}

/// Threads of a processor that are woken together and run one after the other, and then the idle thread.
fn events(count: usize) -> Vec<Event> {
    let mut all = Vec::with_capacity(count);
    for round in 0.. {
        for cpu in 0..CPUS {
            let mut ns = 1_000_000_000 + round * 1_000_000 + cpu * 10_000;
            let due: Vec<u64> = (0..THREADS)
                .filter(|thread| round % (thread + 1) == 0)
                .map(|thread| 1_000 + cpu * 100 + thread)
                .collect();
            for thread in &due {
                ns += 2_000;
                all.push(Event { ns, cpu, from: *thread, to: None });
            }
            let mut before = 0;
            for thread in due.iter().copied().chain([0]) {
                ns += if before == 0 { 5_000 } else { 100_000 };
                all.push(Event { ns, cpu, from: before, to: Some(thread) });
                before = thread;
            }
        }
        if all.len() >= count {
            break;
        }
    }
    all.truncate(count);
    all.sort_by_key(|event| event.ns);
    all
}

fn name(pid: u64, cpu: u64) -> String {
    if pid == 0 {
        format!("swapper/{cpu}")
    } else {
        format!("worker {pid}")
    }
}

fn priority(pid: u64) -> u64 {
    if pid == 0 {
        120
    } else {
        10 + pid % 100
    }
}

fn text(events: &[Event], is_perf: bool) -> Vec<u8> {
    let mut out = String::new();
    for Event { ns, cpu, from, to } in events {
        let (seconds, us) = (ns / 1_000_000_000, ns / 1_000 % 1_000_000);
        let running = if to.is_some() { *from } else { 0 };
        match is_perf {
            true => write!(out, "{:>16} {running:>5} [{cpu:03}] {seconds:>5}.{us:06}: ", name(running, *cpu)),
            false => write!(
                out,
                "{:>16}-{running:<7} [{cpu:03}] d..2. {seconds:>5}.{us:06}: ",
                name(running, *cpu)
            ),
        }
        .expect("text takes all");
        let group = if is_perf { "sched:" } else { "" };
        let (of, at) = (name(*from, *cpu), priority(*from));
        match to {
            Some(to) => {
                let state = if *from == 0 { "R" } else { "S" };
                let (next, next_at) = (name(*to, *cpu), priority(*to));
                writeln!(out, "{group}sched_switch: prev_comm={of} prev_pid={from} prev_prio={at} prev_state={state} ==> next_comm={next} next_pid={to} next_prio={next_at}")
            }
            None => writeln!(out, "{group}sched_wakeup: comm={of} pid={from} prio={at} target_cpu={cpu:03}"),
        }
        .expect("text takes all");
    }
    out.into_bytes()
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn uint(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3);
    varint(out, value);
}

fn bytes(out: &mut Vec<u8>, field: u64, content: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, content.len() as u64);
    out.extend_from_slice(content);
}

/// A trace of Perfetto, with an event in each message, and bundles of some hundred events of a processor.
fn perfetto(events: &[Event]) -> Vec<u8> {
    let mut out = Vec::new();
    for some in events.chunks(4_096) {
        for cpu in 0..CPUS {
            let mut bundle = Vec::new();
            uint(&mut bundle, 1, cpu);
            for Event { ns, from, to, .. } in some.iter().filter(|event| event.cpu == cpu) {
                let (mut event, mut content) = (Vec::new(), Vec::new());
                uint(&mut event, 1, *ns);
                uint(&mut event, 2, if to.is_some() { *from } else { 0 });
                bytes(&mut content, 1, name(*from, cpu).as_bytes());
                uint(&mut content, 2, *from);
                uint(&mut content, 3, priority(*from));
                match to {
                    Some(to) => {
                        uint(&mut content, 4, u64::from(*from != 0));
                        bytes(&mut content, 5, name(*to, cpu).as_bytes());
                        uint(&mut content, 6, *to);
                        uint(&mut content, 7, priority(*to));
                        bytes(&mut event, 4, &content);
                    }
                    None => {
                        uint(&mut content, 5, cpu);
                        bytes(&mut event, 17, &content);
                    }
                }
                bytes(&mut bundle, 2, &event);
            }
            let mut packet = Vec::new();
            bytes(&mut packet, 1, &bundle);
            bytes(&mut out, 1, &packet);
        }
    }
    out
}

/// Everything that `schedlab observe --file --trace` does, without writing to files.
fn all(trace: &[u8]) -> usize {
    let examined = Examined::of(read_bytes(trace, None).expect("it is a trace"));
    let concluded = examined.concluded("bench");
    let tasks = examined.tasks("bench").expect("threads run");
    let mut encoder = Encoder::new();
    examined.play(&tasks, &mut encoder);
    black_box(concluded.notes.len()) + encoder.bytes.len()
}

fn seconds(work: impl Fn() -> usize) -> f64 {
    let mut taken: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begin = ProcessTime::now();
            black_box(work());
            begin.elapsed().as_secs_f64()
        })
        .collect();
    taken.sort_by(f64::total_cmp);
    taken[ROUNDS / 2]
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let count = arguments.iter().filter_map(|text| text.parse().ok()).next().unwrap_or(EVENTS);
    let events = events(count);
    let forms: [(&str, &dyn Fn() -> Vec<u8>); 3] = [
        ("ftrace", &|| text(&events, false)),
        ("perf", &|| text(&events, true)),
        ("perfetto", &|| perfetto(&events)),
    ];
    if let Some(place) = arguments.iter().position(|text| text == "--once") {
        let form = arguments.get(place + 1).map(String::as_str);
        let (_, make) = forms.iter().find(|(name, _)| Some(*name) == form).expect("ftrace, perf or perfetto");
        black_box(all(&make()));
        return;
    }
    println!("{} events; processor time, medians of {ROUNDS}\n", events.len());
    println!("| form | MB | read | all, with scenario and trace | reference: bytes counted |\n|---|---|---|---|---|");
    for (name, make) in forms {
        let trace = make();
        let reading = seconds(|| usize::from(read_bytes(&trace, None).is_ok()));
        let everything = seconds(|| all(&trace));
        let reference =
            seconds(|| trace.iter().fold(0, |lines, byte| black_box(lines) + usize::from(*byte == b'\n')));
        let size = trace.len() as f64 / 1e6;
        println!("| {name} | {size:.0} | {reading:.2} s | {everything:.2} s | {reference:.3} s |");
    }
}
