//! The small schedules that the headers of the protocols draw.

use crate::locks;
use crate::support;

use locks::draw::*;
// Not the lookup of the same name.
use locks::draw::at;
use locks::*;
use schedlab_lock::*;
use schedlab_model::*;

#[track_caller]
fn check(tasks: Vec<Task>, platform: Platform, scheduler: &str, protocol: Make, expected: &str) {
    check_units(tasks, platform, scheduler, protocol, 1, expected);
}

#[track_caller]
fn check_units(
    tasks: Vec<Task>,
    platform: Platform,
    scheduler: &str,
    protocol: Make,
    units: u32,
    expected: &str,
) {
    let until = expected.split(" / ").next().expect("a row").len() as u64;
    assert_eq!(drawn(tasks, platform, scheduler, protocol, until, units), expected);
}

#[test]
fn pip() {
    let tasks = vec![
        at(2, 1, 0, &[execute(1), section(0, 1), execute(1)]),
        at(4, 2, 0, &[execute(2)]),
        at(0, 3, 0, &[execute(1), section(0, 3), execute(1)]),
    ];
    check(tasks, Platform::partitioned(1), "P-FP", make!("pip"), "CCACCAABBC");
}

#[test]
fn by_schedule() {
    let tasks = vec![
        at(3, 1, 0, &[section(0, 2)]),
        at(1, 2, 0, &[execute(1), section(0, 2)]),
        at(0, 3, 0, &[section(0, 5)]),
    ];
    check(tasks, Platform::partitioned(1), "P-FP", make!("by-schedule"), "CBCCCCAABB");
}

#[test]
fn task_fair() {
    let tasks =
        vec![at(0, 3, 0, &[section(0, 4)]), at(1, 2, 1, &[section(0, 2)]), at(2, 1, 2, &[section(0, 2)])];
    check(
        tasks,
        Platform::partitioned(3),
        "P-FP",
        make!("task-fair"),
        "AAAA...... / .BBBBB.... / ..CCCCCC..",
    );
}

#[test]
fn spin_priority() {
    let tasks =
        vec![at(2, 1, 0, &[section(0, 2)]), at(1, 2, 1, &[section(0, 2)]), at(0, 3, 2, &[section(0, 4)])];
    let make = find_protocol("spin-priority").unwrap().make;
    check(tasks, Platform::partitioned(3), "P-FP", make, "..AAAA.... / .BBBBBBB.. / CCCC......");
}

#[test]
fn spin_unordered() {
    let tasks =
        vec![at(0, 3, 0, &[section(0, 4)]), at(1, 2, 1, &[section(0, 2)]), at(2, 1, 2, &[section(0, 2)])];
    let make = find_protocol("spin-unordered").unwrap().make;
    check(tasks, Platform::partitioned(3), "P-FP", make, "AAAA...... / .BBBBBBB.. / ..CCCC....");
}

/// The same jobs in each order: by priority B, who is back at 4, goes before D; last come, first served too.
#[test]
fn spin_preemptable() {
    let tasks = || {
        vec![
            at(2, 1, 0, &[execute(2)]),
            at(1, 2, 0, &[section(0, 2)]),
            at(0, 4, 1, &[section(0, 5)]),
            at(2, 3, 2, &[section(0, 2)]),
        ]
    };
    for (name, drawing) in [
        ("spin-fifo-preemptable", ".BAABBBBB. / CCCCC..... / ..DDDDD..."),
        ("spin-priority-preemptable", ".BAABBB... / CCCCC..... / ..DDDDDDD."),
        ("spin-unordered-preemptable", ".BAABBB... / CCCCC..... / ..DDDDDDD."),
    ] {
        check(tasks(), Platform::partitioned(3), "P-FP", find_protocol(name).unwrap().make, drawing);
    }
}

/// E and the four others on one cluster each ask in the order A, E, D, C, B.
#[test]
fn omlp() {
    let asks = |offset, priority| at(offset, priority, 0, &[section(0, 5)]);
    let tasks = vec![asks(0, 5), asks(4, 1), asks(3, 2), asks(2, 3), asks(1, 4)];
    let drawing = "AAAAA.................... / .....EEEEEBBBBBCCCCCDDDDD";
    check(tasks, Platform::global(2), "G-FP", make!("omlp"), drawing);
}

#[test]
fn omlp_partitioned() {
    let tasks = vec![
        at(2, 1, 0, &[execute(1), section(1, 2)]),
        at(50, 9, 1, &[section(1, 1)]),
        at(0, 3, 0, &[execute(1), section(0, 2)]),
        at(0, 4, 1, &[section(0, 4)]),
    ];
    check(tasks, Platform::partitioned(2), "P-FP", make!("omlp-partitioned"), "C.A.CCAA.. / DDDD......");
}

#[test]
fn omlp_clustered() {
    let tasks = vec![
        at(1, 1, 0, &[execute(2)]),
        at(0, 2, 0, &[section(0, 3), execute(1)]),
        at(1, 3, 1, &[execute(1), section(0, 2)]),
    ];
    check(tasks, Platform::partitioned(2), "P-FP", make!("omlp-clustered"), "BBBAAB.... / .C.CC.....");
}

#[test]
fn fmlp_plus() {
    let tasks = vec![
        at(2, 1, 0, &[section(0, 2)]),
        at(1, 2, 0, &[section(1, 2)]),
        at(0, 3, 2, &[section(0, 3)]),
        at(0, 4, 1, &[section(1, 3)]),
    ];
    check(tasks, Platform::partitioned(3), "P-FP", make!("fmlp+"), "...BBAA... / DDD....... / CCC.......");
}

#[test]
fn dpcp() {
    let tasks = vec![
        at(2, 1, 2, &[section(0, 3), execute(1)]),
        at(0, 2, 0, &[execute(4)]),
        at(0, 3, 1, &[execute(1), section(0, 2), execute(2)]),
    ];
    check(tasks, Platform::partitioned(3), "P-FP", make!("dpcp"), "BCCAAABBB. / C..CC..... / ......A...");
}

#[test]
fn dflp() {
    let tasks = vec![
        at(0, 1, 2, &[execute(2), section(0, 2), execute(1)]),
        at(0, 2, 1, &[execute(1), section(3, 3), execute(1)]),
        at(90, 3, 1, &[section(0, 1)]),
        at(90, 4, 2, &[section(3, 1)]),
    ];
    let timeline = run_locked(
        support::ideal(tasks, Platform::partitioned(3), 1_000),
        &[Resource { units: 1 }; 4],
        "P-FP",
        make!("dflp"),
    );
    assert_eq!(support::draw(&timeline, 3, 10), ".BBBAA.... / B...B..... / AA....A...");
}

#[test]
fn gpip() {
    let tasks = || {
        vec![
            at(2, 1, 0, &[section(0, 2)]),
            at(3, 2, 0, &[execute(6)]),
            at(0, 4, 0, &[section(0, 4)]),
            at(3, 3, 0, &[execute(4)]),
        ]
    };
    check(tasks(), Platform::global(2), "G-FP", make!("gpip"), "CCCCAADDDD / ...BBBBBB.");
}

#[test]
fn ppcp() {
    let tasks = vec![
        at(2, 1, 0, &[section(0, 1), section(1, 1)]),
        at(0, 2, 0, &[execute(1), section(1, 2)]),
        at(0, 3, 0, &[section(0, 3)]),
    ];
    let limit_one: Make = |setup| Ok(Box::new(ParallelPcp::with_limit(setup, 1)?));
    check(tasks.clone(), Platform::global(2), "G-FP", limit_one, "B..A.A.... / CCCBB.....");
    check(tasks, Platform::global(2), "G-FP", make!("ppcp"), "BBB....... / CCCAA.....");
}

/// A limit of one: C waits for A's R0, and from 3 on for F, which holds R1 that B uses as well. F inherits anew, and
/// goes before E, though it did not while C waited for A.
#[test]
fn ppcp_waiters_inherit_anew_when_they_have_to_wait_for_another() {
    let tasks = vec![
        at(0, 1, 0, &[section(0, 3)]),
        at(20, 2, 0, &[section(0, 1), section(1, 1)]),
        at(1, 3, 0, &[section(0, 1)]),
        at(2, 4, 0, &[execute(6)]),
        at(3, 5, 0, &[execute(6)]),
        at(0, 6, 0, &[section(1, 4)]),
    ];
    let limit_one: Make = |setup| Ok(Box::new(ParallelPcp::with_limit(setup, 1)?));
    check(tasks, Platform::global(2), "G-FP", limit_one, "AAAFFCEEEEEE / FFDDDDDD....");
}

#[test]
fn mrsp() {
    let tasks = vec![
        at(2, 1, 0, &[execute(4)]),
        at(0, 2, 0, &[section(0, 4), execute(1)]),
        at(1, 3, 1, &[section(0, 2), execute(1)]),
    ];
    check(tasks, Platform::partitioned(2), "P-FP", make!("mrsp"), "BBAAAAB... / .CBBCCC...");
}

/// As above, but A completes at 4, when B is still on P1: B goes home before D, below the ceiling there, executes and
/// asks.
#[test]
fn mrsp_holders_go_home_before_others_of_their_processor_ask() {
    let tasks = vec![
        at(2, 1, 0, &[execute(2)]),
        at(0, 2, 0, &[section(0, 6), execute(1)]),
        at(1, 3, 1, &[section(0, 2), execute(1)]),
        at(3, 4, 0, &[section(0, 1)]),
    ];
    check(tasks, Platform::partitioned(2), "P-FP", make!("mrsp"), "BBAABBBDD. / .CBBCCCCC.");
}

fn readers_and_writers() -> Vec<Task> {
    let on = |cluster: u16, count| at(cluster.into(), 1, cluster, &[units(0, count, 4)]);
    vec![on(0, 1), on(1, 3), on(2, 1), on(3, 3), on(4, 1)]
}

fn completed(protocol: Make) -> Vec<u64> {
    let setup = support::ideal(readers_and_writers(), Platform::partitioned(5), 1_000);
    let timeline = run_locked(setup, &[Resource { units: 3 }], "P-FP", protocol);
    finish(&timeline).into_iter().map(|row| row[2]).collect()
}

#[test]
fn readers_writers() {
    assert_eq!(completed(make!("rw-task-fair")), [4, 8, 12, 16, 20]);
    assert_eq!(completed(make!("rw-phase-fair")), [4, 8, 12, 16, 12]);
}

/// D holds R0, for which A waits, and releases R1 within at 4: it still inherits from A, and goes before B.
#[test]
fn pip_keeps_what_it_inherits_by_other_sections() {
    let inner = [execute(1), section(1, 3), execute(2)].concat();
    let tasks = vec![
        at(3, 1, 0, &[section(0, 1)]),
        at(4, 2, 0, &[execute(3)]),
        at(2, 3, 0, &[section(1, 1)]),
        at(0, 4, 0, &[around(0, 1, inner)]),
    ];
    check(tasks, Platform::partitioned(1), "P-FP", make!("pip"), "DDDDDDABBBC");
}

/// C waits for D. B, then A displace it and donate in turn; A completes at 5, so B donates again, and at 6 C goes
/// first, until its request is complete at 8.
#[test]
fn who_takes_a_completed_donors_place_donates() {
    let tasks = vec![
        at(3, 1, 0, &[execute(2)]),
        at(2, 2, 0, &[execute(8)]),
        at(0, 3, 0, &[execute(1), section(0, 2), execute(1)]),
        at(0, 4, 1, &[section(0, 6)]),
    ];
    check(
        tasks,
        Platform::partitioned(2),
        "P-FP",
        make!("omlp-clustered"),
        "C.BAABCCBBBBBBC / DDDDDD.........",
    );
}
