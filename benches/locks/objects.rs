//! Operations on buffers, queues and heaps without contention, beside what people use, in the same run.
//!
//! `cargo bench -p schedlab-bench-locks --bench objects`. The peers: arc-swap (buffer), crossbeam's bounded queue, and
//! parking_lot's mutex around an array, a ring and the standard library's heap. Both sides take turns in short rounds; the ratio is the
//! median of the rounds' ratios, so that what else the machine does falls on both. Heaps are measured empty and half full.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

use arc_swap::ArcSwap;
use crossbeam_queue::ArrayQueue;
use parking_lot::Mutex;
use schedlab_objects::{Kind, Request, Scheme, Shape, TicketLock, Together, Words};
use std::collections::{BinaryHeap, VecDeque};
use std::hint::black_box;
use std::ptr::from_ref;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;
use std::time::Instant;

const ROUNDS: usize = 301;
/// Operations in a round.
const ROUND: usize = 500;
const WORDS: usize = 10;
const VALUES: usize = 1_000;
/// Tasks that the object is made for.
const TASKS: usize = 8;
/// Words of two cache lines, which processors fetch together.
const LINE: usize = 16;
const LIVES: &str = "the only task lives";

/// A way to do an operation: the first argument says whether it puts or writes.
type Way<'m> = Box<dyn FnMut(bool, u64) + 'm>;

fn time(way: &mut Way<'_>) -> f64 {
    let begin = Instant::now();
    (0..ROUND).for_each(|at| way(at % 2 == 0, black_box(at as u64)));
    begin.elapsed().as_nanos() as f64 / ROUND as f64
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn ours<'m>(shape: Shape, words: &'m [AtomicU64], lock: &'m TicketLock) -> Way<'m> {
    let words = Words::new(words);
    shape.set_up(words);
    if shape.kind == Kind::Buffer {
        let (mut buffer, mut value) = (shape.buffer(lock, words, 0), [0; WORDS]);
        return Box::new(move |writes, new| {
            value[0] = new;
            let done = if writes {
                buffer.write(black_box(&value), &Together)
            } else {
                buffer.read(black_box(&mut value), &Together)
            };
            done.expect(LIVES);
        });
    }
    let mut container = shape.container(lock, words, 0);
    Box::new(move |puts, value| {
        let request = if puts { Request::Put(value) } else { Request::Take };
        black_box(container.apply(request, &Together)).expect(LIVES);
    })
}

fn peers(kind: Kind) -> Vec<(&'static str, Way<'static>)> {
    match kind {
        Kind::Buffer => {
            let (swap, mutex) = (ArcSwap::from_pointee([0; WORDS]), Mutex::new([0; WORDS]));
            let lock: Way<'_> = Box::new(move |writes, new| {
                let mut shared = mutex.lock();
                if writes {
                    *shared = black_box([new; WORDS]);
                } else {
                    black_box(*shared);
                }
            });
            let swap: Way<'_> = Box::new(move |writes, new| {
                if writes {
                    swap.store(Arc::new(black_box([new; WORDS])));
                } else {
                    black_box(**swap.load());
                }
            });
            vec![("parking_lot mutex", lock), ("arc-swap", swap)]
        }
        Kind::Queue => {
            let (bounded, mutex) = (ArrayQueue::new(VALUES), Mutex::new(VecDeque::with_capacity(VALUES)));
            let lock: Way<'_> = Box::new(move |puts, value| {
                let mut queue = mutex.lock();
                if puts {
                    queue.push_back(value);
                } else {
                    black_box(queue.pop_front());
                }
            });
            let bounded: Way<'_> = Box::new(move |puts, value| {
                if puts {
                    black_box(bounded.push(value)).expect("there is room");
                } else {
                    black_box(bounded.pop());
                }
            });
            vec![("parking_lot mutex", lock), ("crossbeam", bounded)]
        }
        Kind::Heap => {
            let mutex = Mutex::new(BinaryHeap::with_capacity(VALUES));
            let lock: Way<'_> = Box::new(move |puts, value| {
                let mut heap = mutex.lock();
                if puts {
                    heap.push(value);
                } else {
                    black_box(heap.pop());
                }
            });
            vec![("parking_lot mutex", lock)]
        }
    }
}

/// Values that are in a container before and after each round.
fn fills(kind: Kind) -> &'static [u64] {
    match kind {
        Kind::Buffer | Kind::Queue => &[0],
        // The deeper, the more levels an operation walks and the more blocks it copies.
        Kind::Heap => &[0, VALUES as u64 / 2],
    }
}

fn measure(kind: Kind, scheme: Scheme, fill: u64) {
    let size = if kind == Kind::Buffer { WORDS } else { VALUES };
    let shape = Shape::new(kind, scheme, size, TASKS);
    let words: Vec<AtomicU64> = (0..shape.words() + LINE).map(|_| AtomicU64::new(0)).collect();
    let lock = TicketLock::new();
    // As an object in memory that processes map, it begins with a cache line.
    let begin = words.iter().position(|word| from_ref(word).addr() % (8 * LINE) == 0).expect("a line begins");
    let mut own = ours(shape, &words[begin..], &lock);
    (0..fill).for_each(|value| own(true, value));
    for (name, mut peer) in peers(kind) {
        (0..fill).for_each(|value| peer(true, value));
        let rounds: Vec<(f64, f64)> = (0..ROUNDS).map(|_| (time(&mut own), time(&mut peer))).collect();
        let ratio = median(rounds.iter().map(|(own, peer)| own / peer).collect());
        let own = median(rounds.iter().map(|(own, _)| *own).collect());
        let (kind, scheme) = (kind.name(), scheme.name());
        println!("{kind:<7} {scheme:<10} {fill:>4} values {own:>8.1} ns, {ratio:>6.2} of {name}");
    }
}

fn main() {
    for kind in Kind::ALL {
        for scheme in Scheme::ALL {
            fills(kind).iter().for_each(|fill| measure(kind, scheme, *fill));
        }
    }
}
