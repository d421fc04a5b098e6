//! Distributes pieces of work to several threads.

use rayon::prelude::*;
use rayon::{ThreadBuilder, ThreadPoolBuilder};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Most pieces that a thread takes at once with one workspace: enough that making a workspace costs nothing.
const CHUNK: usize = 64;

/// Minimum number of chunks per thread, so that all threads end at about the same time.
const TURNS: usize = 16;

/// Progress of the work, and a way to end it, for another thread.
#[derive(Debug, Default)]
pub struct Control {
    done: AtomicU64,
    stop: AtomicBool,
}

impl Control {
    /// Returns the number of pieces that are done, without those just begun.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Ends the work after the pieces at hand.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the work is to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Reason why there are no results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure<E> {
    /// [`Control::stop`] was called.
    Stopped,
    /// The failed piece with the smallest number, and its error.
    Failed(u64, E),
}

/// Does `work` for every number of `pieces` on `threads` threads; each result goes to its place in `results`, `width`
/// of them for each piece.
///
/// A workspace serves one piece after the other. Of several failures the one of the smallest number is returned: every
/// piece before a failed one is tried.
pub fn each<W: Default, R: Send, E: Send>(
    pieces: Range<u64>,
    results: &mut [R],
    width: usize,
    mut threads: usize,
    control: &Control,
    work: impl Fn(&mut W, u64, &mut [R]) -> Result<(), E> + Sync,
) -> Result<(), Failure<E>> {
    assert_eq!(
        results.len() as u64,
        (pieces.end - pieces.start.min(pieces.end)) * width as u64,
        "a place for each result"
    );
    let width = width.max(1);
    threads = threads.min(results.len() / width);
    let chunk = (results.len() / width / (TURNS * threads.max(1))).clamp(1, CHUNK);
    let first_failed = AtomicU64::new(u64::MAX);
    let one = |workspace: &mut W, (index, places): (usize, &mut [R])| {
        let number = pieces.start + index as u64;
        if control.is_stopped() || number > first_failed.load(Ordering::Relaxed) {
            return None;
        }
        match work(workspace, number, places) {
            Ok(()) => control.done.fetch_add(1, Ordering::Relaxed),
            Err(error) => {
                first_failed.fetch_min(number, Ordering::Relaxed);
                return Some((number, error));
            }
        };
        None
    };
    let failure = loop {
        if threads <= 1 {
            let mut workspace = W::default();
            let all = results.chunks_mut(width).enumerate();
            break all.filter_map(|piece| one(&mut workspace, piece)).next();
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        let failure = pool.build_scoped(ThreadBuilder::run, |pool| {
            let all = results.par_chunks_mut(width).enumerate().with_max_len(chunk);
            let failures = all.map_init(W::default, &one).flatten_iter();
            pool.install(|| failures.min_by_key(|(number, _)| *number))
        });
        match failure {
            Ok(failure) => break failure,
            // Where there is no room for so many threads, fewer do the work: the answers are the same.
            Err(_) => threads /= 2,
        }
    };
    match failure {
        Some((number, error)) => Err(Failure::Failed(number, error)),
        None if control.is_stopped() => Err(Failure::Stopped),
        None => Ok(()),
    }
}

/// Returns the results of `find` for pieces 0 to `pieces` - 1, in order.
pub(crate) fn find_all<W: Default, T: Send + Clone, E: Send>(
    count: usize,
    threads: usize,
    control: &Control,
    find: impl Fn(&mut W, usize) -> Option<T> + Sync,
) -> Result<Vec<T>, Failure<E>> {
    let mut found: Vec<Option<T>> = vec![None; count];
    let work = |workspace: &mut W, index: u64, place: &mut [Option<T>]| {
        place[0] = find(workspace, index as usize);
        Ok(())
    };
    each(0..count as u64, &mut found, 1, threads, control, work)?;
    Ok(found.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(threads: usize) -> Vec<u64> {
        let mut results = vec![0; 2 * 1_000];
        let control = Control::default();
        let work = |calls: &mut u64, number: u64, places: &mut [u64]| {
            *calls += 1;
            places.copy_from_slice(&[number, number * number]);
            Ok::<(), ()>(())
        };
        each(7..1_007, &mut results, 2, threads, &control, work).unwrap();
        assert_eq!(control.done(), 1_000);
        results
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let alone = squares(1);
        assert_eq!(alone[..4], [7, 49, 8, 64]);
        for threads in [0, 2, 3, 8] {
            assert_eq!(squares(threads), alone);
        }
    }

    /// Numbers 500 and all above 600 fail; whichever thread fails first, 500 is returned.
    #[test]
    fn the_first_failure_is_told() {
        for threads in [1, 2, 4] {
            for _ in 0..20 {
                let mut results = vec![(); 1_000];
                let work = |_: &mut (), number: u64, _: &mut [()]| match number == 500 || number > 600 {
                    true => Err(number),
                    false => Ok(()),
                };
                let found = each(0..1_000, &mut results, 1, threads, &Control::default(), work);
                assert_eq!(found, Err(Failure::Failed(500, 500)));
            }
        }
    }

    #[test]
    fn no_more_threads_than_pieces() {
        let work = |_: &mut (), _: u64, _: &mut [()]| {
            assert!(rayon::current_num_threads() <= 3);
            Ok::<(), ()>(())
        };
        assert_eq!(each(0..3, &mut [(); 3], 1, 1_000, &Control::default(), work), Ok(()));
    }

    #[test]
    fn stops_soon() {
        let control = Control::default();
        let mut results = vec![0u8; 100_000];
        let work = |_: &mut (), number: u64, _: &mut [u8]| {
            if number == 1_000 {
                control.stop();
            }
            Ok::<(), ()>(())
        };
        assert_eq!(each(0..100_000, &mut results, 1, 2, &control, work), Err(Failure::Stopped));
        assert!(control.done() < 10_000, "{}", control.done());
    }

    #[test]
    fn nothing_to_do_is_done() {
        let work = |_: &mut (), _: u64, _: &mut [u8]| Err::<(), ()>(());
        assert_eq!(each(5..5, &mut [], 1, 2, &Control::default(), work), Ok(()));
    }
}
