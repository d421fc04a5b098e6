//! What records are about.

use schedlab_model::{CpuId, JobId, ResourceId, TaskId, Work};
use schedlab_trace::{about, Record, RunRecord};

const JOB: JobId = JobId { task: TaskId(1), number: 2 };

/// The first thing, in this order, that the record is about. It compiles: each kind is about some thing.
fn first(record: &Record) -> &'static str {
    match record {
        about![lives] => "lives",
        about![places] => "places",
        about![urgencies] => "urgencies",
        about![requests] => "requests",
        about![attempts] => "attempts",
        about![quanta] => "quanta",
        about![overheads] => "overheads",
        about![servers] => "servers",
        about![tasks] => "tasks",
        about![trace] => "trace",
    }
}

/// The first in the other order.
fn last(record: &Record) -> &'static str {
    match record {
        about![trace] => "trace",
        about![tasks] => "tasks",
        about![servers] => "servers",
        about![overheads] => "overheads",
        about![quanta] => "quanta",
        about![attempts] => "attempts",
        about![requests] => "requests",
        about![urgencies] => "urgencies",
        about![places] => "places",
        about![lives] => "lives",
    }
}

#[test]
fn a_record_is_about_one_thing() {
    let (job, cpu, resource, task) = (JOB, CpuId(3), ResourceId(4), TaskId(5));
    let records = [
        (Record::Miss { job }, "lives", Some(job.task)),
        (Record::Dispatch { cpu, job }, "places", Some(job.task)),
        (Record::Link { cpu, job: None }, "places", None),
        (Record::NpEnter { job }, "urgencies", Some(job.task)),
        (Record::Delay { job, resource }, "requests", Some(job.task)),
        (Record::Retry { job, resource }, "attempts", Some(job.task)),
        (Record::Quantum { cpu }, "quanta", None),
        (Record::OverheadEnd { cpu, kind: schedlab_model::OverheadKind::Tick }, "overheads", None),
        (Record::ServerUse { server: 1, used: Work::from_ns(1) }, "servers", None),
        (Record::Join { task }, "tasks", Some(task)),
        (Record::Run(RunRecord::Preempt { cpu, job }), "trace", Some(job.task)),
        (Record::End, "trace", None),
    ];
    for (record, thing, task) in records {
        assert_eq!((first(&record), last(&record), record.task()), (thing, thing, task), "{record:?}");
    }
}
