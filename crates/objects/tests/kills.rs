//! Processes that are killed in the middle of operations: lock-free and wait-free objects go on, a locked one names the
//! dead.

use schedlab_objects::{DeadTask, Kind, NoAccess, Placed, Request, Scheme, Shape, Surroundings};
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

const FILE: &str = "SCHEDLAB_TEST_KILLED_FILE";
const TASK: &str = "SCHEDLAB_TEST_KILLED_TASK";
/// Kills of one object; each dead process keeps its task's number.
const KILLS: usize = 10;
/// More than any test lets a child do.
const ENDLESS: u64 = 1 << 26;

/// Maps the object, behind a count of what the children did.
fn map(path: &Path) -> memmap2::MmapMut {
    let file = OpenOptions::new().read(true).write(true).open(path).expect("the file exists");
    // SAFETY: only these processes map the file, and they change it through the object.
    unsafe { memmap2::MmapMut::map_mut(&file) }.expect("it can be mapped")
}

/// The first `dead` tasks are dead, but for the caller, which is the last.
struct Dead(AtomicUsize);

impl Surroundings for Dead {
    fn is_alive(&self, task: usize) -> bool {
        task >= self.0.load(SeqCst)
    }
}

/// Operates for as long as it lives, as the task of this number.
fn operate(placed: &Placed<'_>, me: usize) {
    placed.join(me, me as u64 + 1).expect("no other has the number");
    let dead = Dead(AtomicUsize::new(0));
    for turn in 0..ENDLESS {
        if placed.shape().kind == Kind::Buffer {
            let mut buffer = placed.buffer(me);
            let mut words = [turn; 10];
            buffer.write(&words, &dead).expect("the others live");
            buffer.read(&mut words, &dead).expect("the others live");
            assert_eq!(words, [words[0]; 10], "torn");
        } else {
            let mut container = placed.container(me);
            container.apply(Request::Put(turn), &dead).expect("the others live");
            container.apply(Request::Put(turn), &dead).expect("the others live");
            container.apply(Request::Take, &dead).expect("the others live");
        }
    }
}

/// Goes on as the survivor: fills a container and takes all out, writes and reads a buffer.
fn go_on(placed: &Placed<'_>, me: usize, dead: &Dead) -> Result<(), DeadTask> {
    let Shape { kind, size, .. } = *placed.shape();
    if kind == Kind::Buffer {
        let (mut buffer, mut words) = (placed.buffer(me), [0; 10]);
        buffer.read(&mut words, dead)?;
        assert_eq!(words, [words[0]; 10], "torn");
        buffer.write(&[7; 10], dead)?;
        buffer.read(&mut words, dead)?;
        assert_eq!(words, [7; 10]);
        return Ok(());
    }
    let mut container = placed.container(me);
    let mut apply = |request| {
        let answer = container.apply(request, dead)?;
        assert!(container.attempts() <= placed.shape().most_attempts().unwrap_or(3 + size as u64));
        Ok(answer)
    };
    // What a dead task had announced may still take effect: by then all tasks were helped.
    let mut left = 0;
    for _ in 0..placed.shape().tasks {
        left += usize::from(apply(Request::Take)?.is_some());
    }
    while apply(Request::Take)?.is_some() {
        left += 1;
    }
    assert!(left <= size + 1, "{left} values of {size}");
    let fits: Vec<u64> =
        (1..=2 * size as u64).map_while(|n| apply(Request::Put(n)).transpose()).collect::<Result<_, _>>()?;
    assert_eq!(fits.len(), size, "{kind:?}: as many as before the kills");
    let mut taken = Vec::new();
    while let Some(value) = apply(Request::Take)? {
        taken.push(value);
    }
    if kind == Kind::Heap {
        taken.reverse();
    }
    assert_eq!(taken, fits);
    Ok(())
}

fn spawn(path: &Path, task: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("a test has a file"));
    command
        .args(["--exact", "killed_processes_leave_objects_usable"])
        .env(FILE, path)
        .env(TASK, task.to_string());
    command.stdout(std::process::Stdio::null()).spawn().expect("a process")
}

/// Kills `KILLS` processes one after the other, and goes on after each. How many operations on a locked object named a
/// dead task.
fn kill_all(shape: Shape) -> usize {
    let path = std::env::temp_dir().join(format!(
        "schedlab-killed-{}-{}-{}",
        std::process::id(),
        shape.kind.name(),
        shape.scheme.name()
    ));
    fs::write(&path, vec![0; Placed::bytes(&shape)]).expect("a temporary file");
    let mut mapped = map(&path);
    // SAFETY: the file is zero, as long as the object, and reached through it only.
    let placed = unsafe { Placed::create(mapped.as_mut_ptr(), shape) }.expect("there is such an object");
    let (me, dead, mut named) = (KILLS, Dead(AtomicUsize::new(0)), 0);
    placed.join(me, u64::MAX).expect("the last number is free");
    for task in 0..KILLS {
        let mut child = spawn(&path, task);
        while placed.owner(task) == 0 {
            thread::yield_now();
        }
        // It is somewhere in an operation, each time elsewhere.
        (0..task * 5).for_each(|_| thread::yield_now());
        child.kill().expect("it lives");
        child.wait().expect("it is gone");
        dead.0.store(task + 1, SeqCst);
        match go_on(&placed, me, &dead) {
            Ok(()) => {}
            Err(DeadTask { task: who }) => {
                assert!(shape.scheme == Scheme::Locked && who <= task, "{shape:?}");
                named += 1;
                // The object is of no use any more: it says so at once, to all.
                assert_eq!(go_on(&placed, me, &dead), Err(DeadTask { task: who }));
                break;
            }
        }
    }
    fs::remove_file(&path).expect("it was made here");
    named
}

/// The test starts itself once more as the processes that it kills.
fn is_child() -> bool {
    let (Some(path), Ok(task)) = (std::env::var_os(FILE), std::env::var(TASK)) else { return false };
    let mut mapped = map(Path::new(&path));
    // SAFETY: the file holds the object, and is reached through it only.
    let placed = unsafe { Placed::open(mapped.as_mut_ptr(), mapped.len()) }.expect("it was made");
    operate(&placed, task.parse().expect("a number"));
    true
}

fn size(kind: Kind) -> usize {
    if kind == Kind::Buffer {
        10
    } else {
        20
    }
}

fn kill_rounds(rounds: usize) {
    for kind in Kind::ALL {
        for scheme in Scheme::ALL {
            let shape = Shape::new(kind, scheme, size(kind), KILLS + 1);
            let named: usize = (0..rounds).map(|_| kill_all(shape)).sum();
            println!(
                "{} {}: {named} of {rounds} objects have a dead task inside",
                kind.name(),
                scheme.name()
            );
            assert!(named == 0 || scheme == Scheme::Locked);
        }
    }
}

#[test]
fn killed_processes_leave_objects_usable() {
    if !is_child() {
        kill_rounds(1);
    }
}

#[test]
#[ignore = "200 kills of each object: each change runs 10, `make soak` these"]
fn many_killed_processes_leave_objects_usable() {
    kill_rounds(20);
}

#[test]
fn numbers_belong_to_one_process_and_memory_to_one_object() {
    let shape = Shape::new(Kind::Queue, Scheme::WaitFree, 5, 2);
    let mut words = vec![0u64; Placed::bytes(&shape) / 8 + 1];
    let (base, length) = (words.as_mut_ptr().cast::<u8>(), 8 * words.len());
    // SAFETY: the bytes are zero, as long as the object, and outlive it; the same below.
    unsafe {
        assert_eq!(Placed::open(base, length).unwrap_err(), NoAccess::NotMade);
        let placed = Placed::create(base, shape).unwrap();
        assert_eq!(Placed::open(base, length).unwrap().shape(), &shape);
        assert_eq!(Placed::open(base, length - 64).unwrap_err(), NoAccess::TooSmall);
        assert_eq!(Placed::open(base, 8).unwrap_err(), NoAccess::TooSmall);
        assert_eq!((placed.join(0, 5), placed.join(0, 6)), (Ok(()), Err(NoAccess::Taken(0))));
        assert_eq!(
            (placed.join(2, 5), placed.owner(0)),
            (Err(NoAccess::NoSuchTask { task: 2, tasks: 2 }), 5)
        );
        placed.leave(0);
        assert_eq!(placed.join(0, 6), Ok(()));
        // The first word has the number of the layout last, at the next multiple of 128.
        let first = base.map_addr(|address| address.next_multiple_of(128)).cast::<u64>();
        *first += 1;
        assert_eq!(Placed::open(base, length).unwrap_err(), NoAccess::OtherLayout(7));
        *first = 0;
        assert_eq!(Placed::open(base, length).unwrap_err(), NoAccess::NotMade);
    }
}
