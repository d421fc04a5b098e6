//! Operations on buffers, queues and heaps without contention, beside what people use, in the same run.
//!
//! `cargo bench -p schedlab-bench-locks --bench objects`. The peers: arc-swap (buffer), crossbeam's bounded queue, and
//! parking_lot's mutex around an array, a ring and the standard library's heap. Both sides take turns in short
//! rounds; the ratio is the median of the rounds' ratios, so that what else the machine does falls on both. Heaps are
//! measured empty and half full, then with values of two kinds. Queues and heaps have the paper's mix, too.

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

fn time(way: &mut Way<'_>, kind: Values, values: &[u64]) -> f64 {
    let begin = Instant::now();
    values.iter().enumerate().for_each(|(index, value)| way(kind.puts(index, *value), black_box(*value)));
    begin.elapsed().as_nanos() as f64 / ROUND as f64
}

/// Which values are put.
#[derive(Clone, Copy)]
enum Values {
    /// The same ones in each round. A heap soon has no other than the smallest, so that what is put is taken out again.
    Same,
    /// Smaller ones with time, in no order: as times of events, the earliest first. A value travels from a leaf to
    /// the root.
    Falling,
    /// Random ones, of which 60% are put while there is room: the mix that block-or-not-2008 measured.
    Published,
}

impl Values {
    fn round(self, round: usize) -> Vec<u64> {
        let numbers = round * ROUND..(round + 1) * ROUND;
        match self {
            Values::Same => (0..ROUND as u64).collect(),
            Values::Published => numbers.map(|index| mixed(index as u64 + 1)).collect(),
            Values::Falling => {
                numbers.map(|index| u64::MAX / 2 - ((index as u64) << 32) - mixed(index as u64)).collect()
            }
        }
    }

    /// Whether the operation puts.
    fn puts(self, index: usize, value: u64) -> bool {
        match self {
            Values::Same | Values::Falling => index % 2 == 0,
            Values::Published => mixed(value) % 10 < 6,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Values::Same => "",
            Values::Falling => ", falling",
            Values::Published => ", 60/40",
        }
    }
}

/// The finalizer of S. Vigna's SplitMix64, of which 42 bits are left: a thousand values lie in between.
fn mixed(at: u64) -> u64 {
    let at = (at ^ at >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let at = (at ^ at >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (at ^ at >> 31) >> 22
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
                    if queue.len() < VALUES {
                        queue.push_back(value);
                    }
                } else {
                    black_box(queue.pop_front());
                }
            });
            let bounded: Way<'_> = Box::new(move |puts, value| {
                if puts {
                    // A full one gives the value back.
                    let _ = black_box(bounded.push(value));
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
                    if heap.len() < VALUES {
                        heap.push(value);
                    }
                } else {
                    black_box(heap.pop());
                }
            });
            vec![("parking_lot mutex", lock)]
        }
    }
}

/// Values that are in a container before and after each round.
fn fills(kind: Kind) -> &'static [(usize, Values)] {
    match kind {
        Kind::Buffer => &[(0, Values::Same)],
        Kind::Queue => &[(0, Values::Same), (0, Values::Published)],
        // The deeper, the more levels an operation walks and the more blocks it copies.
        Kind::Heap => &[
            (0, Values::Same),
            (VALUES / 2, Values::Same),
            (VALUES / 2, Values::Falling),
            (0, Values::Published),
        ],
    }
}

fn measure(kind: Kind, scheme: Scheme, fill: usize, values: Values) {
    let size = if kind == Kind::Buffer { WORDS } else { VALUES };
    let shape = Shape::new(kind, scheme, size, TASKS);
    let words: Vec<AtomicU64> = (0..shape.words() + LINE).map(|_| AtomicU64::new(0)).collect();
    let lock = TicketLock::new();
    // As an object in memory that processes map, it begins with a cache line.
    let begin = words.iter().position(|word| from_ref(word).addr() % (8 * LINE) == 0).expect("a line begins");
    let mut own = ours(shape, &words[begin..], &lock);
    values.round(0)[..fill].iter().for_each(|value| own(true, *value));
    for (name, mut peer) in peers(kind) {
        values.round(0)[..fill].iter().for_each(|value| peer(true, *value));
        let both = |round| {
            let given = values.round(round);
            (time(&mut own, values, &given), time(&mut peer, values, &given))
        };
        let rounds: Vec<(f64, f64)> = (1..=ROUNDS).map(both).collect();
        let ratio = median(rounds.iter().map(|(own, peer)| own / peer).collect());
        let own = median(rounds.iter().map(|(own, _)| *own).collect());
        let (kind, scheme, values) = (kind.name(), scheme.name(), values.name());
        println!("{kind:<7} {scheme:<10} {fill:>4} values{values:<9} {own:>8.1} ns, {ratio:>6.2} of {name}");
    }
}

fn main() {
    for kind in Kind::ALL {
        for scheme in Scheme::ALL {
            fills(kind).iter().for_each(|(fill, values)| measure(kind, scheme, *fill, *values));
        }
    }
}
