//! Block-or-not-2008, section 4.4, table 2: cost of an operation on a shared object by the number of tasks for which it
//! was made.
//!
//! One task of N operates, as there; on a lock-free object each operation is then one iteration of its loop. The
//! sequential object is what a lock protects, without the lock, which the paper charges apart. Reads and writes of the
//! buffer take turns; 60% of the others' operations put. The values that are put come from a generator with a fixed
//! seed. What reading the clock takes is subtracted. Beside ours: what people use ([`peers`]).

mod operations;
mod peers;

use super::values;
use crate::bench::Bench;
use crate::costs::calls::on;
use crate::values::samples::Samples;
use operations::{time, turns, Operations, VALUES, WORDS};
use schedlab_objects::{Alone, BufferUser, ContainerUser, Kind, Placed, Scheme, Shape, Together};
use schedlab_runtime::place_for_good;
use serde_json::{json, Value};
use std::hint::black_box;

/// The object and its tasks.
#[derive(clap::Args)]
pub struct ObjectsArguments {
    /// For so many tasks.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=120))]
    tasks: u16,
    /// So many operations.
    #[arg(long, default_value_t = 10_000)]
    operations: usize,
}

fn size(kind: Kind) -> usize {
    match kind {
        Kind::Buffer => WORDS,
        Kind::Queue | Kind::Heap => VALUES,
    }
}

/// Measures all objects and their peers.
pub(crate) fn measure(arguments: &ObjectsArguments, bench: &Bench) -> Result<Value, String> {
    let operations = Operations::draw(arguments.operations);
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        for scheme in Scheme::ALL {
            let shape = Shape::new(kind, scheme, size(kind), arguments.tasks.into());
            let placed = place_for_good(shape).map_err(|why| format!("memory of an object: {why}"))?;
            let samples = on(bench.processors[0], || operate(&placed, &operations));
            let bound = json!({ "attempts": shape.most_attempts(), "steps": shape.steps() });
            rows.push(json!({
                "object": kind.name(), "scheme": scheme.name(), "peer": peers::named(kind), "bound": bound,
                "ns": values(&samples),
            }));
        }
        let shape = Shape::new(kind, Scheme::Locked, size(kind), arguments.tasks.into());
        let placed = place_for_good(shape).map_err(|why| format!("memory of an object: {why}"))?;
        let samples = on(bench.processors[0], || operate_alone(placed.alone(), kind, &operations));
        rows.push(json!({
            "object": kind.name(), "scheme": SEQUENTIAL, "peer": peers::named(kind), "bound": { "attempts": 1 },
            "ns": values(&samples),
        }));
        for (peer, samples) in on(bench.processors[0], || peers::peers(kind, &operations)) {
            rows.push(json!({ "object": kind.name(), "scheme": peer, "bound": {}, "ns": values(&samples) }));
        }
    }
    Ok(Value::Array(rows))
}

/// Name of the object without its lock, where schemes are named.
const SEQUENTIAL: &str = "sequential";

fn operate_alone(mut object: Alone<'_>, kind: Kind, operations: &Operations) -> Samples {
    match kind {
        Kind::Buffer => {
            let mut value = [0; WORDS];
            time(turns(operations.count()), |writes| match writes {
                true => object.write(black_box(&value)),
                false => object.read(black_box(&mut value)),
            })
        }
        Kind::Queue | Kind::Heap => operations.time(|request| {
            black_box(object.apply(request));
        }),
    }
}

fn operate(placed: &Placed<'_>, operations: &Operations) -> Samples {
    match placed.shape().kind {
        Kind::Buffer => operate_buffer(placed.buffer(0), operations.count()),
        Kind::Queue | Kind::Heap => operate_container(placed.container(0), operations),
    }
}

fn operate_buffer(mut buffer: BufferUser<'_>, count: usize) -> Samples {
    let mut value = [0; WORDS];
    time(turns(count), |writes| {
        let done = if writes {
            buffer.write(black_box(&value), &Together)
        } else {
            buffer.read(black_box(&mut value), &Together)
        };
        done.expect("the only task lives");
    })
}

fn operate_container(mut container: ContainerUser<'_>, operations: &Operations) -> Samples {
    operations.time(|request| {
        black_box(container.apply(request, &Together)).expect("the only task lives");
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_objects::Request;

    /// What a task stores under the lock is there for one that has the object for itself.
    #[test]
    fn the_object_alone_is_the_one_under_the_lock() {
        for kind in [Kind::Queue, Kind::Heap] {
            let placed = place_for_good(Shape::new(kind, Scheme::Locked, size(kind), 4)).unwrap();
            placed.container(3).apply(Request::Put(7), &Together).unwrap();
            let mut alone = placed.alone();
            assert_eq!([alone.apply(Request::Take), alone.apply(Request::Take)], [Some(7), None], "{kind:?}");
        }
        let placed = place_for_good(Shape::new(Kind::Buffer, Scheme::Locked, 2, 4)).unwrap();
        placed.buffer(3).write(&[5, 6], &Together).unwrap();
        let mut found = [0; 2];
        placed.alone().read(&mut found);
        assert_eq!(found, [5, 6]);
        placed.alone().write(&[8, 9]);
        placed.buffer(0).read(&mut found, &Together).unwrap();
        assert_eq!(found, [8, 9]);
    }

    #[test]
    fn each_object_is_measured_as_often_as_asked() {
        let operations = Operations::draw(200);
        for kind in Kind::ALL {
            for scheme in Scheme::ALL {
                let shape = Shape::new(kind, scheme, size(kind), 4);
                let samples = operate(&place_for_good(shape).unwrap(), &operations);
                let kept = samples.kept().unwrap();
                assert!(kept.count == 200 && kept.worst > 0, "{shape:?}: {kept:?}");
            }
            let placed = place_for_good(Shape::new(kind, Scheme::Locked, size(kind), 4)).unwrap();
            let kept = operate_alone(placed.alone(), kind, &operations).kept().unwrap();
            assert_eq!(kept.count, 200, "{kind:?} without its lock");
        }
    }
}
