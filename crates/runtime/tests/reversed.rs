//! A scheduler in the kernel whose priorities are the wrong way round, for jobs of a millisecond or two: no stretch is
//! long enough that the kernel's switches alone would contradict the decisions. In a virtual machine whose kernel has
//! sched_ext, by `make test-kernel`.

#![cfg(feature = "kernel")]

use schedlab_model::{Duration, Work};
use schedlab_runtime::{each_job, App, BackendChoice, Finished, TaskSpec};
use schedlab_trace::Backend;
use std::time::Duration as Span;

const US: u64 = 1_000;

/// Commands of bpf(2), as the kernel numbers them.
const LOOKUP: libc::c_int = 1;
const UPDATE: libc::c_int = 2;
const NEXT_ID: libc::c_int = 12;
const BY_ID: libc::c_int = 14;
const INFO: libc::c_int = 15;

/// Makes a call of bpf(2) with these numbers; returns what the kernel returns.
fn bpf<const N: usize>(command: libc::c_int, numbers: &mut [u32; N]) -> i64 {
    // SAFETY: the numbers are an argument of the command, whose addresses are those of buffers that live meanwhile.
    unsafe { libc::syscall(libc::SYS_bpf, command, numbers.as_mut_ptr(), size_of::<[u32; N]>()) }
}

/// The halves of an address.
fn halves<T>(buffer: &mut [T]) -> [u32; 2] {
    let address = buffer.as_mut_ptr() as usize as u64;
    [address as u32, (address >> 32) as u32]
}

/// The least id of a map that is greater than this one, if there is one.
fn next_id(id: u32) -> Option<u32> {
    let mut next = [id, 0, 0];
    (bpf(NEXT_ID, &mut next) == 0).then_some(next[1])
}

/// What the scheduler knows of tasks: a map of the kernel, by index of the task.
struct Plans {
    map: u32,
    bytes: usize,
}

impl Plans {
    /// The map whose id is the next one after `before`, if a scheduler was loaded since then.
    fn after(before: u32) -> Option<Plans> {
        let mut id = before;
        while let Some(next) = next_id(id) {
            id = next;
            let Ok(map) = u32::try_from(bpf(BY_ID, &mut [id, 0, 0])) else { continue };
            // Type, id, sizes of key and value, number of entries, flags; and four numbers of a name.
            let mut about = [0_u32; 10];
            let [low, high] = halves(&mut about);
            assert_eq!(bpf(INFO, &mut [map, size_of_val(&about) as u32, low, high]), 0);
            if about[6..8] == [u32::from_ne_bytes(*b"plan"), u32::from_ne_bytes(*b"s\0\0\0")] {
                return Some(Plans { map, bytes: about[3] as usize });
            }
        }
        None
    }

    fn access(&self, command: libc::c_int, index: u32, plan: &mut [u64]) {
        let mut key = [index];
        let ([key_low, key_high], [low, high]) = (halves(&mut key), halves(plan));
        assert_eq!(bpf(command, &mut [self.map, 0, key_low, key_high, low, high, 0, 0]), 0, "{index}");
    }

    fn read(&self, index: u32) -> Vec<u64> {
        let mut plan = vec![0; self.bytes / size_of::<u64>()];
        self.access(LOOKUP, index, &mut plan);
        plan
    }

    /// Gives the first one of so many tasks the priority of the last one, and so on, once the scheduler has them all.
    fn reverse(&self, tasks: u32) {
        let plans: Vec<Vec<u64>> = loop {
            let plans: Vec<_> = (1..=tasks).map(|index| self.read(index)).collect();
            if plans.iter().all(|plan| plan[2] > 0) {
                break plans;
            }
            std::thread::sleep(Span::from_millis(1));
        };
        for (index, (mut plan, other)) in (1..).zip(plans.iter().cloned().zip(plans.iter().rev())) {
            plan[0] = other[0];
            self.access(UPDATE, index, &mut plan);
        }
    }
}

const TASKS: u32 = 8;

/// Jobs of 2 ms of tasks whose periods are alike, on this number of processors.
fn run(scheduler: &str, processors: u16, reversed: bool) -> Finished {
    let mut app = App::new(scheduler, "none", processors).unwrap();
    for task in 0..TASKS {
        let ns = |us: u32| u64::from(us) * US;
        let spec = TaskSpec::new(
            format!("t{task}"),
            Work::from_ns(ns(2_500)),
            Duration::from_ns(ns(20_000 + 2_000 * task)),
        );
        let spec = TaskSpec { processor: Some(task as u16 % processors), ..spec };
        app.task(spec, each_job(|_| execute(Span::from_millis(2))));
    }
    app.options.backend = Some(BackendChoice::Only(Backend::ScxNative));
    // The kernel keeps the maps of the run before for a moment.
    let before = std::iter::successors(Some(0), |id| next_id(*id)).last().unwrap_or(0);
    let reverses = std::thread::spawn(move || {
        while reversed {
            if let Some(plans) = Plans::after(before) {
                return plans.reverse(TASKS);
            }
            std::thread::sleep(Span::from_millis(1));
        }
    });
    let finished = app.run(Some(Duration::from_ns(2_000_000 * US))).unwrap();
    reverses.join().unwrap();
    finished
}

/// Executes for so long.
fn execute(length: Span) {
    let executed = || {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call writes to `time` only.
        assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
        Span::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let end = executed() + length;
    while executed() < end {}
}

/// The check of such a run fails, with preemption and without, on one processor and on two.
#[test]
fn a_scheduler_in_reverse_is_found() {
    for (scheduler, processors) in
        [("P-RM", 1), ("P-EDF", 1), ("NP-RM", 1), ("NP-EDF", 1), ("G-RM", 2), ("NG-RM", 2)]
    {
        let sound = run(scheduler, processors, false).findings(true).unwrap();
        let reversed = run(scheduler, processors, true).findings(true).unwrap();
        let counts = [&sound, &reversed].map(|found| {
            let native = found.result().native.as_ref().unwrap();
            (native.waits, native.overtaken_waits, native.longest_overtaking_ns)
        });
        println!("{scheduler}: {counts:?}\n{sound}\n{reversed}");
        assert!(!reversed.holds(), "{scheduler}: {counts:?}: {reversed}");
        assert!(reversed.to_string().contains("LESS URGENT JOBS WENT FIRST"), "{scheduler}: {reversed}");
    }
}
