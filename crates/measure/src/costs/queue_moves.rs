//! Costs of `SCHED_FIFO`'s own moves between run queues: one push and one pull, as the threads of a program see them.
//!
//! A push: a thread wakes up where a less urgent one executes, which the kernel then pushes to an idle processor before
//! the woken thread executes. A pull: a thread goes to sleep, and its processor pulls a ready one that waits elsewhere
//! (kernels from 4.1 on ask the other processor to push it). Each time is compared with the median of the same where no
//! thread may move. What is above is the cost, with the noise of timers, switches and virtual machines in it.

use super::calls::{on, stay_on};
use crate::machine::alone::PRIORITY;
use crate::values::samples::Samples;
use schedlab_runtime::sys::{self, Tid};
use std::io;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64};
use std::thread;

/// Real-time priority of the threads that are moved.
const BELOW: u8 = PRIORITY - 10;
/// Time for which the urgent thread sleeps, in ns: others settle meanwhile.
const SLEEP: u64 = 300_000;
/// Time for which a woken thread waits until the pushed one executes elsewhere, in ns.
const PATIENCE: u64 = 200_000;

/// Values of both moves.
#[derive(Debug, Default)]
pub(crate) struct QueueMoves {
    pub(crate) pushes: Samples,
    pub(crate) pulls: Samples,
}

/// Measures `rounds` moves of each kind between two processors.
pub(crate) fn measure(here: usize, there: usize, rounds: usize) -> io::Result<QueueMoves> {
    let of = |time: fn(&Stage, usize, bool) -> io::Result<Vec<u64>>| {
        let [stays, moves] =
            [false, true].map(|moves| Stage::with(here, there, |stage| time(stage, rounds, moves)));
        Ok::<_, io::Error>(above_median(stays?, &moves?))
    };
    Ok(QueueMoves { pushes: of(time_pushes)?, pulls: of(time_pulls)? })
}

/// Returns by how much each value of `moves` is above the median of `stays`; zero for those that are not.
fn above_median(mut stays: Vec<u64>, moves: &[u64]) -> Samples {
    let mut samples = Samples::with_room(moves.len());
    stays.sort_unstable();
    if let Some(median) = stays.get(stays.len() / 2) {
        moves.iter().for_each(|ns| samples.add(ns.saturating_sub(*median)));
    }
    samples
}

/// The thread that is moved, and what it says of itself.
struct Stage {
    here: usize,
    there: usize,
    over: AtomicBool,
    /// Id of the thread that is moved.
    moved: AtomicI32,
    /// Processor where the moved thread executed last.
    place: AtomicU64,
    /// Time at which the urgent thread goes to sleep; zero while none is measured.
    slept: AtomicU64,
    /// First time after `slept` at which the moved thread executed; zero until then.
    began: AtomicU64,
}

impl Stage {
    /// Runs `time` on `here`, in real time, beside the thread that is moved.
    fn with<T: Send>(here: usize, there: usize, time: impl FnOnce(&Stage) -> T + Send) -> T {
        let stage = Stage {
            here,
            there,
            over: AtomicBool::new(false),
            moved: AtomicI32::new(0),
            place: AtomicU64::new(u64::MAX),
            slept: AtomicU64::new(0),
            began: AtomicU64::new(0),
        };
        thread::scope(|scope| {
            scope.spawn(|| stage.be_moved());
            while stage.moved.load(SeqCst) == 0 {
                sys::sleep_until(sys::monotonic_ns() + SLEEP);
            }
            let found = on(here, || time(&stage));
            stage.over.store(true, SeqCst);
            found
        })
    }

    /// Runs the thread that is moved: it executes until all is over, and says where and since when.
    fn be_moved(&self) {
        let me = sys::current_thread();
        let _ = sys::set_affinity(me, self.here);
        let _ = sys::set_fifo(me, BELOW);
        self.moved.store(me, SeqCst);
        while !self.over.load(SeqCst) {
            self.place.store(sys::current_processor() as u64, SeqCst);
            if self.slept.load(SeqCst) != 0 && self.began.load(SeqCst) == 0 {
                self.began.store(sys::monotonic_ns(), SeqCst);
            }
        }
    }

    fn moved(&self) -> Tid {
        self.moved.load(SeqCst)
    }

    fn may_use(&self, may_move: bool) -> io::Result<()> {
        let both = [self.here, self.there];
        sys::allow_processors(self.moved(), if may_move { &both } else { &both[..1] })
    }
}

/// Times the wake-ups of this thread on a processor where the other thread executes, which is then pushed if it may
/// move.
fn time_pushes(stage: &Stage, rounds: usize, may_move: bool) -> io::Result<Vec<u64>> {
    let mut found = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        // The thread executes here before it may move.
        sys::set_affinity(stage.moved(), stage.here)?;
        sys::sleep_until(sys::monotonic_ns() + SLEEP);
        stage.may_use(may_move)?;
        let due = sys::monotonic_ns() + SLEEP;
        sys::sleep_until(due);
        let late = sys::monotonic_ns() - due;
        let is_there = || stage.place.load(SeqCst) == stage.there as u64;
        while may_move && !is_there() && sys::monotonic_ns() - due < PATIENCE {
            std::hint::spin_loop();
        }
        // Without a push there is nothing to time.
        if is_there() == may_move {
            found.push(late);
        }
    }
    Ok(found)
}

/// Times how long after this thread goes to sleep the other one begins here: it waits on the other processor behind a
/// thread that executes, from where it is pulled if it may move, or on this one.
fn time_pulls(stage: &Stage, rounds: usize, may_move: bool) -> io::Result<Vec<u64>> {
    let (over, is_there) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            stay_on(stage.there);
            is_there.store(true, SeqCst);
            while !over.load(SeqCst) && !stage.over.load(SeqCst) {
                std::hint::spin_loop();
            }
        });
        sys::set_affinity(stage.moved(), stage.here)?;
        while !is_there.load(SeqCst) {
            sys::sleep_until(sys::monotonic_ns() + SLEEP);
        }
        let found = (0..rounds).map(|_| time_pull(stage, may_move)).collect::<io::Result<Vec<_>>>();
        over.store(true, SeqCst);
        Ok(found?.into_iter().flatten().collect())
    })
}

fn time_pull(stage: &Stage, may_move: bool) -> io::Result<Option<u64>> {
    if may_move {
        sys::set_affinity(stage.moved(), stage.there)?;
    }
    stage.may_use(may_move)?;
    stage.began.store(0, SeqCst);
    let until = sys::monotonic_ns() + SLEEP;
    let slept = sys::monotonic_ns();
    stage.slept.store(slept, SeqCst);
    sys::sleep_until(until);
    stage.slept.store(0, SeqCst);
    let began = stage.began.load(SeqCst);
    Ok((began > slept && began < until).then_some(began - slept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_above_the_median_counts() {
        let found = above_median(vec![5, 1, 3], &[2, 3, 10]);
        assert_eq!(found.values(), [0, 0, 7]);
        assert!(above_median(Vec::new(), &[2]).values().is_empty(), "there is nothing to compare with");
    }

    #[test]
    fn threads_are_pushed_and_pulled() {
        let cpus = sys::allowed_processors().unwrap();
        let [here, there, ..] = cpus[..] else { return eprintln!("not run: it needs two processors") };
        if on(here, || sys::priority_of(sys::current_thread()).unwrap()) != PRIORITY {
            return eprintln!("not run: it needs real-time priorities");
        }
        let found = measure(here, there, 50).unwrap();
        let counts = [&found.pushes, &found.pulls].map(|samples| samples.values().len());
        assert!(counts.into_iter().all(|count| count > 5), "pushes and pulls: {counts:?}");
    }
}
