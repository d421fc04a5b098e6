//! Block-or-not-2008, section 4.4, table 2: what an operation on a shared object costs by how many tasks it was made
//! for.
//!
//! One task of N operates, as there; on a lock-free object each operation is then one iteration of its loop. Reads and
//! writes of the buffer take turns; 60% of the others' operations put. The values that are put come from a generator
//! with a fixed seed. What reading the clock takes is subtracted. Beside ours: a mutex of the standard library around
//! the same sequential work, as what people use.

use super::values;
use crate::bench::Bench;
use crate::costs::calls::{clock, on};
use crate::values::samples::Samples;
use schedlab_objects::{BufferUser, ContainerUser, Kind, Placed, Request, Scheme, Shape, Together};
use schedlab_runtime::sys;
use schedlab_runtime::SharedObject;
use serde_json::{json, Value};
use std::collections::{BinaryHeap, VecDeque};
use std::hint::black_box;
use std::sync::Mutex;

/// The object and its tasks.
#[derive(clap::Args)]
pub struct ObjectsProbe {
    /// For so many tasks.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=120))]
    tasks: u16,
    /// So many operations.
    #[arg(long, default_value_t = 10_000)]
    operations: usize,
}

/// Words of the buffer, and the most values of the queue and of the heap, as in the paper; it states none for the
/// queue.
const WORDS: usize = 10;
const VALUES: usize = 1_000;

fn size(kind: Kind) -> usize {
    match kind {
        Kind::Buffer => WORDS,
        Kind::Queue | Kind::Heap => VALUES,
    }
}

/// What the task does next: of five operations three put, or write; then a value.
struct Chance(u64);

impl Chance {
    /// Numbers of S. Vigna, *An experimental exploration of Marsaglia's xorshift generators*, 2016: xorshift64*.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn request(&mut self) -> Request {
        if (self.next() >> 32) % 5 < 3 {
            Request::Put(self.next())
        } else {
            Request::Take
        }
    }
}

/// Measures all nine, and what stands beside them.
pub(crate) fn probe(arguments: &ObjectsProbe, bench: &Bench) -> Result<Value, String> {
    let operations = arguments.operations;
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        for scheme in Scheme::ALL {
            let shape = Shape::new(kind, scheme, size(kind), arguments.tasks.into());
            let samples =
                with_object(&shape, |placed| on(bench.processors[0], || operate(placed, operations)))?;
            let bound = json!({ "attempts": shape.most_attempts(), "steps": shape.steps() });
            rows.push(json!({ "object": kind.name(), "scheme": scheme.name(), "bound": bound, "ns": values(&samples) }));
        }
        let samples = on(bench.processors[0], || beside(kind, operations));
        rows.push(
            json!({ "object": kind.name(), "scheme": "std mutex", "bound": {}, "ns": values(&samples) }),
        );
    }
    Ok(Value::Array(rows))
}

/// Calls `work` with an object in memory that processes could share.
fn with_object(shape: &Shape, work: impl FnOnce(&Placed<'_>) -> Samples) -> Result<Samples, String> {
    let name = format!("measure-{}", std::process::id());
    let bytes = Placed::bytes(shape);
    let memory = SharedObject::open(&name, 2 * bytes).map_err(|error| format!("shared memory: {error}"))?;
    SharedObject::unlink(&name).map_err(|error| format!("shared memory: {error}"))?;
    let placed = memory.place(*shape).map_err(|why| why.to_string())?;
    Ok(work(&placed))
}

fn operate(placed: &Placed<'_>, operations: usize) -> Samples {
    match placed.shape().kind {
        Kind::Buffer => operate_buffer(placed.buffer(0), operations),
        Kind::Queue | Kind::Heap => operate_container(placed.container(0), operations),
    }
}

/// The time of each operation. Which it is, is decided before.
fn time(operations: usize, mut each: impl FnMut()) -> Samples {
    let clock = clock();
    let mut samples = Samples::with_room(operations);
    for _ in 0..operations {
        let start = sys::monotonic_ns();
        each();
        samples.add((sys::monotonic_ns() - start).saturating_sub(clock));
    }
    samples
}

fn operate_buffer(mut buffer: BufferUser<'_>, operations: usize) -> Samples {
    let (mut value, mut writes) = ([0; WORDS], false);
    time(operations, || {
        writes = !writes;
        let done = if writes {
            buffer.write(black_box(&value), &Together)
        } else {
            buffer.read(black_box(&mut value), &Together)
        };
        done.expect("the only task lives");
    })
}

fn operate_container(mut container: ContainerUser<'_>, operations: usize) -> Samples {
    let mut chance = Chance(1);
    let requests: Vec<Request> = (0..operations).map(|_| chance.request()).collect();
    let mut next = requests.iter();
    time(operations, || {
        let request = next.next().expect("there are as many");
        black_box(container.apply(*request, &Together)).expect("the only task lives");
    })
}

/// The same operations on what the standard library has.
fn beside(kind: Kind, operations: usize) -> Samples {
    let mut chance = Chance(1);
    let requests: Vec<Request> = (0..operations).map(|_| chance.request()).collect();
    let mut next = requests.iter();
    let (mut value, mut writes) = ([0_u64; WORDS], false);
    let buffer = Mutex::new([0_u64; WORDS]);
    let queue = Mutex::new(VecDeque::with_capacity(VALUES));
    let heap = Mutex::new(BinaryHeap::with_capacity(VALUES));
    const LIVES: &str = "no thread panics";
    time(operations, || {
        let request = *next.next().expect("there are as many");
        match (kind, request) {
            (Kind::Buffer, _) => {
                writes = !writes;
                let mut shared = buffer.lock().expect(LIVES);
                if writes {
                    *shared = black_box(value);
                } else {
                    value = black_box(*shared);
                }
            }
            (Kind::Queue, Request::Put(value)) => {
                let mut queue = queue.lock().expect(LIVES);
                if queue.len() < VALUES {
                    queue.push_back(value);
                }
            }
            (Kind::Queue, Request::Take) => {
                black_box(queue.lock().expect(LIVES).pop_front());
            }
            (Kind::Heap, Request::Put(value)) => {
                let mut heap = heap.lock().expect(LIVES);
                if heap.len() < VALUES {
                    heap.push(value);
                }
            }
            (Kind::Heap, Request::Take) => {
                black_box(heap.lock().expect(LIVES).pop());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_object_is_measured_as_often_as_asked() {
        for kind in Kind::ALL {
            for scheme in Scheme::ALL {
                let shape = Shape::new(kind, scheme, size(kind), 4);
                let samples = with_object(&shape, |placed| operate(placed, 200)).unwrap();
                let kept = samples.kept().unwrap();
                assert!(kept.count == 200 && kept.worst > 0, "{shape:?}: {kept:?}");
            }
            assert_eq!(beside(kind, 200).values().len(), 200);
        }
    }

    /// 60% of the requests put, but for chance: four standard deviations of 10,000.
    #[test]
    fn three_in_five_requests_put() {
        let mut chance = Chance(1);
        let puts = (0..10_000).filter(|_| matches!(chance.request(), Request::Put(_))).count();
        assert!(puts.abs_diff(6_000) < 200, "{puts}");
    }
}
