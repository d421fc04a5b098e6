//! Requests derived from small programs.

use super::*;
use schedlab_model::{ClusterId, Duration, Work};

const LOCK: [Step; 3] =
    [Step::Request(ResourceId(0), 1), Step::Request(ResourceId(1), 1), Step::Request(ResourceId(2), 1)];
const FREE: [Step; 3] =
    [Step::Release(ResourceId(0), 1), Step::Release(ResourceId(1), 1), Step::Release(ResourceId(2), 1)];

fn run(ns: u64) -> Step {
    Step::Execute(Work::from_ns(ns))
}

fn task(cluster: u16, program: &[Step]) -> Task {
    let spec = Task::implicit(Work::from_ns(50), Duration::from_ns(100));
    Task { cluster: ClusterId(cluster), program: program.to_vec(), ..spec }
}

fn read(tasks: &[Task], sections: Sections) -> Result<Sharing, SharingError> {
    let levels: Vec<u32> = (0..tasks.len() as u32).collect();
    derive(tasks, &[Resource { units: 1 }; 3], &Platform::partitioned(2), &levels, sections, Lengths::ALIKE)
}

/// R0 for 7 with R1 for 2 inside, and R1 for 5 alone.
fn nested() -> Vec<Step> {
    vec![LOCK[0], run(5), LOCK[1], run(2), FREE[1], FREE[0], run(1), LOCK[1], run(5), FREE[1]]
}

#[test]
fn counts_and_longest_lengths_by_resource() {
    let sharing = read(&[task(0, &nested())], Sections::Each).unwrap();
    assert_eq!(sharing.requests(0), [Requests::mutex(0, 1, 7), Requests::mutex(1, 2, 5)]);
    let grouped = read(&[task(0, &nested())], Sections::Groups).unwrap();
    assert_eq!(grouped.requests(0), [Requests::mutex(0, 2, 7)]);
}

#[test]
fn groups_join_by_way_of_others() {
    let other = [LOCK[2], run(1), LOCK[1], run(1), FREE[1], FREE[2]];
    let third = [LOCK[2], run(9), FREE[2]];
    let tasks = [task(0, &nested()), task(0, &other), task(1, &third)];
    let grouped = read(&tasks, Sections::Groups).unwrap();
    assert_eq!(grouped.requests(2), [Requests::mutex(0, 1, 9)]);
}

#[test]
fn nesting_is_for_local_resources_only_where_jobs_wait_inside_sections() {
    assert!(read(&[task(0, &nested()), task(1, &[])], Sections::FlatBetweenClusters).is_ok());
    let remote = [LOCK[1], run(1), FREE[1]];
    let error = read(&[task(0, &nested()), task(1, &remote)], Sections::FlatBetweenClusters).unwrap_err();
    let said = "T0 requests R1 while it holds R0, which the bound does not cover";
    assert_eq!(error.to_string(), said);
}

#[test]
fn programs_that_no_bound_covers_are_refused() {
    let says = |program: &[Step], text: &str| {
        assert_eq!(read(&[task(0, program)], Sections::Each).unwrap_err().to_string(), text);
    };
    let nap = Step::Suspend(Duration::from_ns(3));
    let text = "T0 suspends itself while it holds R0, which the bound does not cover";
    says(&[LOCK[0], run(1), nap, run(1), FREE[0]], text);
    says(&[LOCK[0], LOCK[1], FREE[0]], "T0: requests and releases of R0 do not match");
    says(&[LOCK[0]], "T0: requests and releases of R0 do not match");
    says(
        &[Step::NpEnter, run(1), Step::NpExit],
        "T0 has a non-preemptive section, which the bound does not cover",
    );
    assert!(read(&[task(0, &[nap, run(1), LOCK[0], run(1), FREE[0]])], Sections::Each).is_ok());
    let mut dynamic = task(0, &[LOCK[0], run(50), FREE[0]]);
    dynamic.suspension = Suspension::Dynamic(Duration::from_ns(1));
    assert!(read(&[dynamic], Sections::Each).is_err());
}

#[test]
fn a_request_for_all_units_writes() {
    let r = ResourceId(0);
    let section = |units, ns| [Step::Request(r, units), run(ns), Step::Release(r, units)];
    let program = [section(1, 2), section(3, 5), section(1, 4)].concat();
    let derived = |sections| {
        let resources = [Resource { units: 3 }];
        derive(&[task(0, &program)], &resources, &Platform::partitioned(2), &[0], sections, Lengths::ALIKE)
            .unwrap()
    };
    let expected = Requests { writes: 1, write_length: 5, reads: 2, read_length: 4, resource: 0, units: 3 };
    assert_eq!(derived(Sections::ReadsAndWrites).requests(0), [expected]);
    let mutex = Requests { units: 3, ..Requests::mutex(0, 3, 5) };
    assert_eq!(derived(Sections::Flat).requests(0), [mutex]);
    assert!(read(&[task(0, &nested())], Sections::ReadsAndWrites).is_err());
}

#[test]
fn units_add_up_over_nested_requests_of_one_resource() {
    let r = ResourceId(0);
    let program =
        [Step::Request(r, 1), Step::Request(r, 2), run(1), Step::Release(r, 2), Step::Release(r, 1)];
    let spec = [task(0, &program)];
    let sharing = derive(
        &spec,
        &[Resource { units: 3 }],
        &Platform::partitioned(1),
        &[0],
        Sections::Each,
        Lengths::ALIKE,
    )
    .unwrap();
    assert_eq!(sharing.requests(0)[0].units, 3);
}
