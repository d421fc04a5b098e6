//! The objects of a scenario when it runs for real: tasks operate on buffers, queues and heaps that are there.
//!
//! A task's operations on an object take turns: it writes and reads a buffer, it puts into a queue or heap and takes.
//! Each operation is the end of its section, whose execution comes before it. On a lock-free object, each attempt that
//! failed is recorded.

use super::MOST_DATA;
use crate::machine::shared_object::place_for_good;
use crate::task::context::Context;
use schedlab_lab::Prepared;
use schedlab_model::{ObjectKind, ResourceId, Scheme, Step, TaskId};
use schedlab_objects::{BufferUser, ContainerUser, Placed, Request, Shape, Together};
use schedlab_scenario::ResourceSpec;

/// The objects of a run, by resource. They stay until the process ends.
pub(crate) struct Objects(Vec<Option<Placed<'static>>>);

impl Objects {
    /// Makes the objects of `prepared`, empty, or buffers of zeros.
    pub(crate) fn of(prepared: &Prepared) -> Result<Self, String> {
        let mut bytes = 0;
        let make = |(index, spec): (usize, &ResourceSpec)| {
            shape(spec, users(prepared, index).count())
                .map(|shape| place(&spec.name, shape, &mut bytes))
                .transpose()
        };
        prepared.scenario.resources.iter().enumerate().map(make).collect::<Result<_, _>>().map(Objects)
    }

    /// By resource: the access of `task`, if it makes any.
    pub(crate) fn accesses(&self, prepared: &Prepared, task: TaskId) -> Vec<Option<Access>> {
        let of = |(index, placed): (usize, &Option<Placed<'static>>)| {
            let me = users(prepared, index).position(|user| user == task)?;
            placed.as_ref().map(|placed| Access::new(placed, me))
        };
        self.0.iter().enumerate().map(of).collect()
    }
}

/// The tasks that access the resource number `index`.
fn users(prepared: &Prepared, index: usize) -> impl Iterator<Item = TaskId> + '_ {
    let requests =
        move |step: &Step| matches!(step, Step::Request(ResourceId(asked), _) if *asked as usize == index);
    let tasks = prepared.tasks.iter().enumerate();
    tasks.filter(move |(_, task)| task.program.iter().any(requests)).map(|(user, _)| TaskId(user as u32))
}

/// The shape of the object that this many tasks access; none if no task does, or the resource is no object.
fn shape(spec: &ResourceSpec, users: usize) -> Option<Shape> {
    let object = spec.object.filter(|_| users > 0)?;
    let tasks = object.tasks.map_or(users, |tasks| tasks as usize);
    Some(Shape::new(object.kind, object.scheme, object.size as usize, tasks))
}

/// Makes the object of this name, beside others of `bytes` bytes.
fn place(name: &str, shape: Shape, bytes: &mut u64) -> Result<Placed<'static>, String> {
    let Shape { kind, scheme, size, tasks, .. } = shape;
    *bytes += Placed::bytes(&shape) as u64;
    if *bytes > MOST_DATA {
        return Err(format!(
            "resource \"{name}\": objects up to this {} {} of size {size} for {tasks} tasks take {bytes} bytes; \
             allowed: at most {MOST_DATA} together",
            scheme.name(),
            kind.name()
        ));
    }
    place_for_good(shape).map_err(|why| format!("resource \"{name}\": {why}"))
}

/// The access to an object, by its kind.
enum User {
    Buffer(BufferUser<'static>, Vec<u64>),
    Container(ContainerUser<'static>),
}

/// The access of one task to one object.
pub(crate) struct Access {
    user: User,
    scheme: Scheme,
    /// Number of operations so far.
    count: u64,
}

impl Access {
    fn new(placed: &Placed<'static>, me: usize) -> Self {
        let Shape { kind, scheme, size, .. } = *placed.shape();
        let user = match kind {
            ObjectKind::Buffer => User::Buffer(placed.buffer(me), vec![0; size]),
            ObjectKind::Queue | ObjectKind::Heap => User::Container(placed.container(me)),
        };
        Access { user, scheme, count: 0 }
    }

    /// Executes the task's next operation. Returns how many attempts on a lock-free object failed.
    pub(crate) fn operate(&mut self) -> u64 {
        let puts = self.count % 2 == 0;
        self.count += 1;
        const LIVES: &str = "no task of the run is killed alone";
        let attempts = match &mut self.user {
            User::Buffer(buffer, value) => {
                if puts {
                    value.fill(self.count);
                    buffer.write(value, &Together).expect(LIVES);
                } else {
                    buffer.read(value, &Together).expect(LIVES);
                    // A value is written as a whole, so that it is read as one.
                    assert!(value.windows(2).all(|pair| pair[0] == pair[1]), "a buffer was read in part");
                }
                buffer.attempts()
            }
            User::Container(container) => {
                let request = if puts { Request::Put(self.count) } else { Request::Take };
                // That it is full or empty is an answer, too.
                let _ = container.apply(request, &Together).expect(LIVES);
                container.attempts()
            }
        };
        match self.scheme {
            Scheme::LockFree => attempts - 1,
            Scheme::Locked | Scheme::WaitFree => 0,
        }
    }

    /// Executes the next operation as [`Access::operate`] does, at the end of a section of `context`'s job on
    /// `resource`.
    pub(crate) fn operate_in(&mut self, context: &mut Context<'_>, resource: ResourceId) {
        for _ in 0..self.operate() {
            context.retry(resource);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_scenario::Scenario;

    fn prepared(kind: &str, scheme: &str) -> Prepared {
        made_for(kind, scheme, "size = 2")
    }

    fn made_for(kind: &str, scheme: &str, limits: &str) -> Prepared {
        let task = |name: &str| {
            format!(
                "[[task]]\nname = \"{name}\"\nperiod = \"10 ms\"\nprogram = [\"request r\", \"execute 10 us\", \
                 \"release r\"]\n"
            )
        };
        let head = format!(
            "schedlab = 1\nscheduler = \"G-EDF\"\nplatform = {{ processors = 2 }}\n[[resource]]\nname = \"r\"\n\
             kind = \"{kind}\"\nscheme = \"{scheme}\"\n{limits}\n"
        );
        let text = format!("{head}{}{}", task("a"), task("b"));
        Prepared::new(&Scenario::parse("test", &text).unwrap()).unwrap()
    }

    /// Each of the nine: two tasks take turns, one attempt each since none comes between.
    #[test]
    fn tasks_operate_on_each_object() {
        for kind in ObjectKind::ALL {
            for scheme in Scheme::ALL {
                let prepared = prepared(kind.name(), scheme.name());
                let objects = Objects::of(&prepared).unwrap();
                let mut tasks = [0, 1].map(|task| objects.accesses(&prepared, TaskId(task)));
                for _ in 0..10 {
                    for accesses in &mut tasks {
                        assert_eq!(accesses[0].as_mut().unwrap().operate(), 0, "{kind:?} {scheme:?}");
                    }
                }
            }
        }
    }
    #[test]
    fn objects_that_take_too_much_memory_are_named() {
        let prepared = made_for("buffer", "wait-free", "size = 60000\ntasks = 120");
        let text = Objects::of(&prepared).err().expect("it takes 7 GB");
        let begins =
            "resource \"r\": objects up to this wait-free buffer of size 60000 for 120 tasks take 69";
        assert!(text.starts_with(begins) && text.contains("allowed: at most 1073741824"), "{text}");
    }
}
