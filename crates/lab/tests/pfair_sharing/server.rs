//! How long a request to a static-weight server takes.
//!
//! P. Holman and J. H. Anderson, "Adapting Pfair scheduling for symmetric multiprocessors", 2005, sections IV.A and
//! IV.E, fig. 9. The analysis assumes that every competing task has its section executed before that of the task in
//! question, so the number of processors does not matter (effects E1 and E2 leave it alone). With n quanta for all
//! those sections, the own one included, and a server of weight w = a/b:
//!
//! * A request in slot k makes the server active from slot k+1 on; staggered from k+2 on, since it may come after
//!   slot k+1 was filled.
//! * The last of n subtasks has its deadline at most ceil((n+1)/w) + 1 slots later: the windows of n+1 consecutive
//!   subtasks span no more, and the one before the first of the n was scheduled before now. With weight 1 it is n.
//! * The client is scheduled again in the slot after the response; staggered one later, since the response too may
//!   come when the next slot is filled already.
//!
//! For n = 1 and w = 1 the client that is scheduled in slot k is so again in slot k+2 aligned, k+4 staggered, as in
//! fig. 9(a) and (b), if it has a slot whenever it is ready (weight 1); its own windows come on top.
//!
//! Assumptions: PD2 with a feasible total weight, aligned or staggered; no overheads; each client has one request at
//! a time; the server's sections do not nest.

use schedlab_model::{Alignment, Duration, ResourceId, Step, Task, TaskId, Work};

/// In how many slots after that of its request the client may go on; `None` beyond 64 bits. `quanta` is what the
/// server executes until it is done with the request, its weight is `weight.0 / weight.1`.
///
/// Panics if the weight is zero or above one.
pub(super) fn response_slots(alignment: Alignment, quanta: u64, weight: (u64, u64)) -> Option<u64> {
    let (a, b) = weight;
    assert!(0 < a && a <= b, "a weight of {a}/{b} is above zero and at most one");
    let served =
        if a == b { quanta } else { quanta.checked_add(1)?.checked_mul(b)?.div_ceil(a).checked_add(1)? };
    let commits = match alignment {
        Alignment::Aligned => 1,
        Alignment::Staggered => 3,
    };
    served.checked_add(commits)
}

/// The quanta of this length that the server of `served` executes until it is done with a request of `task` for
/// `resource`: the longest section of each other client, and the longest own one.
pub(super) fn queued_quanta(
    quantum: u64,
    tasks: &[Task],
    served: &[ResourceId],
    task: TaskId,
    resource: ResourceId,
) -> u64 {
    let of = |(index, client): (usize, &Task)| match index == task.index() {
        true => longest(client, &[resource]),
        false => longest(client, served),
    };
    tasks.iter().enumerate().map(of).sum::<u64>().div_ceil(quantum)
}

/// The longest section of `task` for one of the resources, which do not nest.
fn longest(task: &Task, resources: &[ResourceId]) -> u64 {
    let (mut longest, mut open) = (0, None);
    for step in &task.program {
        match *step {
            Step::Request(resource, _) if resources.contains(&resource) => open = Some(0),
            Step::Execute(work) => open = open.map(|sum: u64| sum + work.as_ns()),
            Step::Release(..) => longest = longest.max(open.take().unwrap_or(0)),
            Step::Request(..) | Step::Suspend(_) | Step::Serve(_) | Step::NpEnter | Step::NpExit => {}
        }
    }
    longest
}

/// 2005, fig. 9: T requests in slot 0, and is scheduled in slot 2 aligned, in slot 4 staggered.
#[test]
fn figure_9() {
    assert_eq!(response_slots(Alignment::Aligned, 1, (1, 1)), Some(2));
    assert_eq!(response_slots(Alignment::Staggered, 1, (1, 1)), Some(4));
}

/// By hand: two quanta of a server of weight 1/2 are within the windows of three subtasks, 7 slots.
#[test]
fn lighter_servers_take_their_windows() {
    assert_eq!(response_slots(Alignment::Aligned, 2, (1, 2)), Some(6 + 1 + 1));
    assert_eq!(response_slots(Alignment::Aligned, 1, (2, 3)), Some(3 + 1 + 1));
    assert_eq!(response_slots(Alignment::Aligned, u64::MAX, (1, 2)), None);
}

#[test]
fn every_other_client_goes_first_once() {
    let (r, s) = (ResourceId(0), ResourceId(1));
    let user = |resource, length| Task {
        program: vec![
            Step::Request(resource, 1),
            Step::Execute(Work::from_ns(length)),
            Step::Release(resource, 1),
        ],
        ..Task::implicit(Work::from_ns(length), Duration::from_ns(900))
    };
    let tasks = [user(r, 4), user(s, 5), user(r, 2)];
    let quanta = |served: &[ResourceId]| queued_quanta(10, &tasks, served, TaskId(0), r);
    assert_eq!((quanta(&[r]), quanta(&[r, s])), (1, 2));
}
