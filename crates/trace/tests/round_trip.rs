//! What is written is what is read; what is cut or garbled is said to be.

use schedlab_model::*;
use schedlab_trace::*;

fn samples() -> Vec<Record> {
    let job = JobId::new(TaskId(300), 70_000);
    let (cpu, resource) = (CpuId(129), ResourceId(7));
    let priority = Priority::in_band(Band::Background, Priority::MAX_POINT, job);
    vec![
        Record::Arrival { job, absolute_deadline: Instant::from_ns(u64::MAX), cost: Work::from_ns(1 << 40) },
        Record::Ready { job, priority, cluster: ClusterId(3) },
        Record::Link { cpu, job: None },
        Record::Link { cpu, job: Some(job) },
        Record::Dispatch { cpu, job },
        Record::Preempt { cpu, job },
        Record::Suspend { job, reason: SuspendReason::Itself },
        Record::Suspend { job, reason: SuspendReason::Resource(resource) },
        Record::Suspend { job, reason: SuspendReason::HeldBack },
        Record::Resume { job },
        Record::Priority { job, priority },
        Record::NpEnter { job },
        Record::NpExit { job },
        Record::Request { job, resource, units: 2 },
        Record::Spin { job, resource },
        Record::Delay { job, resource },
        Record::Attempt { job, resource },
        Record::Retry { job, resource },
        Record::Commit { job, resource },
        Record::Acquire { job, resource, units: 2 },
        Record::Release { job, resource, units: u32::MAX },
        Record::Quantum { cpu },
        Record::Subtask { cpu, job, release: Instant::from_ns(7), deadline: Instant::NEVER },
        Record::Waste { cpu, until: Instant::from_ns(u64::MAX - 1) },
        Record::ServerUse { server: 1, used: Work::from_ns(u64::MAX) },
        Record::ServerBudget { server: u32::MAX, left: Work::ZERO, absolute_deadline: Instant::NEVER },
        Record::GiveUp { job },
        Record::Budget { job },
        Record::Move { job, cluster: ClusterId(u16::MAX) },
        Record::OverheadBegin { cpu, kind: OverheadKind::SyscallExit, job: Some(job) },
        Record::OverheadEnd { cpu, kind: OverheadKind::Release },
        Record::Abort { job },
        Record::Complete { job },
        Record::Miss { job },
        Record::Join { task: TaskId(9) },
        Record::Leave { task: TaskId(9) },
        Record::Lost { count: u64::MAX },
        Record::Run(RunRecord::Dispatch { cpu, job }),
        Record::Run(RunRecord::Preempt { cpu, job }),
        Record::Run(RunRecord::SwitchIn { cpu, thread: Thread::Task(TaskId(300)) }),
        Record::Run(RunRecord::SwitchIn { cpu, thread: Thread::Other(u32::MAX) }),
        Record::Run(RunRecord::SwitchOut { cpu, thread: Thread::Other(1) }),
        Record::Run(RunRecord::SwitchOutReady { cpu, thread: Thread::Task(TaskId(0)) }),
        Record::Run(RunRecord::Switches { missing: u64::MAX }),
        Record::Run(RunRecord::Stolen { cpu, since: Instant::ZERO, length: Duration::from_ns(1 << 50) }),
        Record::Run(RunRecord::Standstill { since: Instant::from_ns(1) }),
        Record::Run(RunRecord::Afterwards { task: TaskId(9), length: Duration::from_ns(u64::MAX) }),
        Record::End,
    ]
}

fn encoded() -> (Vec<(Instant, Record)>, Vec<u8>) {
    let mut encoder = Encoder::new();
    let times = (0u64..).map(|i| Instant::from_ns(i * i * 1_000_003));
    let timeline: Vec<_> = times.zip(samples()).collect();
    for (at, record) in &timeline {
        encoder.record(*at, *record);
    }
    (timeline, encoder.bytes)
}

#[test]
fn every_kind_comes_back() {
    let (timeline, bytes) = encoded();
    let read: Result<Vec<_>, _> = Decoder::new(&bytes).collect();
    assert_eq!(read.unwrap(), timeline);
}

#[test]
fn each_kind_is_tried_and_numbers_have_no_gap() {
    // A reader passes over a kind that it does not know.
    let known: Vec<u8> = (0..=u8::MAX).filter(|kind| Decoder::new(&[*kind, 1, 0]).next().is_some()).collect();
    let untried = known.iter().find(|kind| samples().iter().all(|record| record.kind() != **kind));
    assert_eq!(untried, None, "`samples` lacks a record of this kind");
    let missing = (1..).zip(&known).find(|(number, kind)| number != *kind);
    assert_eq!(
        missing, None,
        "a new kind has the first number that none has, of `Record` and `RunRecord` together"
    );
}

#[test]
fn a_cut_trace_gives_what_came_before_and_says_where() {
    let (timeline, bytes) = encoded();
    for length in 0..bytes.len() {
        let items: Vec<_> = Decoder::new(&bytes[..length]).collect();
        let whole: Vec<_> = items.iter().filter_map(|item| item.ok()).collect();
        assert_eq!(whole, timeline[..whole.len()]);
        if let Some(Err(error)) = items.last() {
            assert!(matches!(error, DecodeError::Truncated { .. }), "{error:?}");
        }
    }
}

#[test]
fn unknown_kinds_are_skipped_by_their_length_but_their_time_counts() {
    let mut bytes = vec![200, 3, 5, 1, 1];
    bytes.extend([26, 1, 2]);
    let read: Vec<_> = Decoder::new(&bytes).map(Result::unwrap).collect();
    assert_eq!(read, [(Instant::from_ns(7), Record::End)]);
}

/// No sequence of bytes makes the reader panic; a fixed generator stands in for a fuzzer here.
#[test]
fn garbage_is_an_error_not_a_panic() {
    let (_, good) = encoded();
    let mut x = 88172645463325252u64;
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..3 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let index = (x as usize >> 8) % bytes.len();
            bytes[index] = x as u8;
        }
        let _ = Decoder::new(&bytes).count();
    }
}

#[test]
fn headers_come_back_and_bad_ones_are_named() {
    let header = Header::new(Backend::Simulation)
        .with("scenario", "a\nb")
        .with("clock", "old")
        .with("clock", "simulated");
    let mut bytes = Vec::new();
    header.encode(&mut bytes);
    let mut rest = bytes.as_slice();
    assert_eq!(Header::decode(&mut rest).unwrap(), header);
    assert_eq!((rest.len(), header.get("clock")), (0, Some("simulated")));

    assert_eq!(Header::decode(&mut &b"PK"[..]), Err(HeaderError::NotATrace));
    for length in 8..bytes.len() {
        assert_eq!(Header::decode(&mut &bytes[..length]), Err(HeaderError::Truncated));
    }
    bytes[8] = 9;
    assert_eq!(Header::decode(&mut bytes.as_slice()), Err(HeaderError::NewerFormat(9)));
}

/// Headers of versions 1 and 2 name no backend: it follows from what they say, and they are written as they were read.
#[test]
fn older_headers_say_who_decided() {
    let entries = |pairs: &[(&str, &str)]| -> Vec<u8> {
        let text = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
        let all = pairs.iter().flat_map(|(name, value)| [text(name), text(value)].concat());
        [pairs.len() as u8].into_iter().chain(all).collect()
    };
    for (pairs, backend) in [
        (&[("source", "simulation"), ("scheduler", "SCHED_FIFO")][..], Some(Backend::Simulation)),
        (&[("source", "threads on Linux"), ("scheduler", "P-RM")], Some(Backend::Threads)),
        (&[("source", "kernel"), ("scheduler", "P-RM")], Some(Backend::Threads)),
        (&[("source", "threads on Linux"), ("scheduler", "P-SCHED_FIFO")], Some(Backend::Class)),
        (&[("source", "kernel"), ("scheduler", "SCHED_DEADLINE")], Some(Backend::Class)),
        (&[("source", "threads on Linux")], None),
        (&[("clock", "simulated")], None),
    ] {
        for version in [1u8, 2] {
            let old = [b"SCHEDLAB", &[version, 0][..], &entries(pairs)].concat();
            let header = Header::decode(&mut old.as_slice()).unwrap();
            assert_eq!(header.backend(), backend, "{pairs:?}");
            let mut again = Vec::new();
            header.encode(&mut again);
            assert_eq!(again, old);
        }
        // The third version has to name it.
        let new = [b"SCHEDLAB", &[3, 0][..], &entries(pairs)].concat();
        assert_eq!(Header::decode(&mut new.as_slice()), Err(HeaderError::NoBackend));
    }
    let unknown = [b"SCHEDLAB", &[3, 0][..], &entries(&[("backend", "magic")])].concat();
    assert_eq!(Header::decode(&mut unknown.as_slice()), Err(HeaderError::NoBackend));
    for (name, backend) in Backend::NAMED {
        let header = Header::new(backend);
        assert_eq!(
            (header.backend(), header.get("backend"), backend.name()),
            (Some(backend), Some(name), name)
        );
    }
}

#[test]
fn a_record_of_a_run_that_names_no_thread_is_malformed() {
    let switch = [35, 4, 0, 1, 2, 7];
    let read: Vec<_> = Decoder::new(&switch).collect();
    assert_eq!(read, [Err(DecodeError::Malformed { offset: 0, kind: 35 })]);
}
