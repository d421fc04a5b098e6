//! The kernel's arithmetic, in C, and the engine's, in Rust: the same points, and the same order of jobs.

use schedlab_model::{Band, Instant, JobId, Point, Priority, TaskId};
use schedlab_scx::TaskPlan;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A generator of numbers, the same ones in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number of up to `bits` bits: small ones and those near powers of two are as frequent as large ones.
    fn up_to(&mut self, bits: u32) -> u64 {
        let most = u64::MAX >> (63 - self.next() % u64::from(bits));
        match self.next() % 4 {
            0 => most,
            1 => most.saturating_sub(self.next() % 3),
            _ => self.next() & most,
        }
    }
}

/// Operands of one computation.
#[derive(Clone, Copy, Debug)]
struct Operands {
    after: u64,
    parts: u64,
    arrival: u64,
    index: u64,
    band: u64,
    other: u64,
}

const COUNT: usize = 1_000_000;

/// Compiles the header with the C compiler of this machine, and computes with it.
fn computed_in_c(name: &str, operands: &[Operands]) -> Vec<[u64; 4]> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::temp_dir().join(format!("schedlab-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let program = folder.join("points");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-I"])
        .arg(root.join("src/bpf"))
        .arg(root.join("tests/points/main.c"))
        .arg("-o")
        .arg(&program)
        .output()
        .expect("a C compiler is installed");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let words = |it: &Operands| [it.after, it.parts, it.arrival, it.index, it.band, it.other];
    let bytes: Vec<u8> = operands.iter().flat_map(words).flat_map(u64::to_ne_bytes).collect();
    let mut input = child.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads everything");
    std::fs::remove_dir_all(&folder).expect("it is ours");
    assert!(output.status.success(), "{:?}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    let row = |bytes: &[u8]| [0, 8, 16, 24].map(|at| word(&bytes[at..at + 8]));
    output.stdout.chunks_exact(32).map(row).collect()
}

/// The priority that the engine gives the job, if the kernel can order it.
fn priority(it: &Operands) -> Option<Priority> {
    let arrival = Instant::from_ns(it.arrival);
    let point = match it.parts as u32 {
        0 => it.after,
        parts => Point { after: it.after, parts }.of_arrival(arrival),
    };
    let band = if it.band == 0 { Band::Base } else { Band::Background };
    let job = JobId::new(TaskId(it.index as u32 - 1), 0);
    (point <= TaskPlan::MOST_POINT).then(|| Priority::in_band(band, point, job))
}

#[test]
fn points_and_the_order_of_jobs_are_those_of_the_engine() {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let mut draw = || Operands {
        after: numbers.up_to(60),
        parts: [0, 1, 1, numbers.up_to(6)][numbers.next() as usize % 4],
        arrival: numbers.up_to(60),
        index: numbers.next() % 255 + 1,
        band: numbers.next() % 2,
        other: numbers.up_to(64),
    };
    let operands: Vec<Operands> = (0..COUNT).map(|_| draw()).collect();
    let computed = computed_in_c("points", &operands);
    assert_eq!(computed.len(), COUNT);
    let (mut ordered, mut beyond, mut before) = (0, 0, None);
    for (it, [point, key, sum, left]) in operands.iter().zip(computed) {
        assert_eq!(sum, it.arrival.saturating_add(it.other), "{it:?}");
        assert_eq!(left, it.arrival.saturating_sub(it.other), "{it:?}");
        let plan = TaskPlan { after: it.after, parts: it.parts, ..TaskPlan::default() };
        let Some(priority) = priority(it) else {
            assert_eq!(point, TaskPlan::MOST_POINT, "{it:?}");
            assert_eq!(plan.last_point(it.arrival), None, "such a run is refused: {it:?}");
            beyond += 1;
            continue;
        };
        assert_eq!(point, priority.point(), "{it:?}");
        if let Some((other, its_key)) = before.replace((priority, key)) {
            assert_eq!(priority.is_higher_than(other), key < its_key, "{it:?}");
            ordered += 1;
        }
    }
    assert!(ordered > COUNT / 3 && beyond > COUNT / 20, "{ordered} compared, {beyond} beyond");
}

/// Equal points are ordered by the task, as in the engine.
#[test]
fn ties_go_by_index() {
    let at = |index| Operands { after: 7, parts: 1, arrival: 5, index, band: 0, other: 0 };
    let computed = computed_in_c("ties", &[at(1), at(2), at(255)]);
    let keys: Vec<u64> = computed.iter().map(|row| row[1]).collect();
    assert!(keys.is_sorted() && keys[0] < keys[1] && keys[1] < keys[2], "{keys:?}");
}
