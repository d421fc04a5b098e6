//! The few messages of Perfetto that hold events of the scheduler, with the numbers of their fields. Names are bytes,
//! since Linux keeps them so. See `protos/perfetto/trace/ftrace` of Perfetto.

use prost::bytes::Bytes;
use prost::Message;

/// `TracePacket`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Packet {
    #[prost(message, repeated, tag = "1")]
    pub(super) ftrace_events: Vec<Bundle>,
    #[prost(bytes = "bytes", optional, tag = "50")]
    pub(super) compressed_packets: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "133")]
    pub(super) zstd_compressed_packets: Option<Bytes>,
}

/// `FtraceEventBundle`: events of one processor. Each event stays in its bytes until its turn.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Bundle {
    #[prost(uint32, optional, tag = "1")]
    pub(super) cpu: Option<u32>,
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub(super) event: Vec<Bytes>,
    #[prost(bool, optional, tag = "3")]
    pub(super) lost_events: Option<bool>,
    #[prost(message, optional, tag = "4")]
    pub(super) compact_sched: Option<CompactSched>,
}

/// `FtraceEventBundle.CompactSched`: arrays with an element for each event. Stamps are differences from the one before,
/// in a chain for each of the two events; names are places in the bundle's own table.
#[derive(Clone, PartialEq, Message)]
pub(super) struct CompactSched {
    #[prost(uint64, repeated, packed = "true", tag = "1")]
    pub(super) switch_timestamp: Vec<u64>,
    #[prost(int64, repeated, packed = "true", tag = "2")]
    pub(super) switch_prev_state: Vec<i64>,
    #[prost(int32, repeated, packed = "true", tag = "3")]
    pub(super) switch_next_pid: Vec<i32>,
    #[prost(int32, repeated, packed = "true", tag = "4")]
    pub(super) switch_next_prio: Vec<i32>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub(super) intern_table: Vec<Vec<u8>>,
    #[prost(uint32, repeated, packed = "true", tag = "6")]
    pub(super) switch_next_comm_index: Vec<u32>,
    #[prost(uint64, repeated, packed = "true", tag = "7")]
    pub(super) waking_timestamp: Vec<u64>,
    #[prost(int32, repeated, packed = "true", tag = "8")]
    pub(super) waking_pid: Vec<i32>,
    #[prost(int32, repeated, packed = "true", tag = "9")]
    pub(super) waking_target_cpu: Vec<i32>,
    #[prost(int32, repeated, packed = "true", tag = "10")]
    pub(super) waking_prio: Vec<i32>,
    #[prost(uint32, repeated, packed = "true", tag = "11")]
    pub(super) waking_comm_index: Vec<u32>,
}

/// `FtraceEvent`, with the kinds of events that are read.
#[derive(Clone, PartialEq, Message)]
pub(super) struct FtraceEvent {
    #[prost(uint64, optional, tag = "1")]
    pub(super) timestamp: Option<u64>,
    /// Number of the thread on the processor.
    #[prost(uint32, optional, tag = "2")]
    pub(super) pid: Option<u32>,
    #[prost(message, optional, tag = "4")]
    pub(super) sched_switch: Option<SchedSwitch>,
    #[prost(message, optional, tag = "17")]
    pub(super) sched_wakeup: Option<SchedWakeup>,
    #[prost(message, optional, tag = "20")]
    pub(super) sched_waking: Option<SchedWakeup>,
    #[prost(message, optional, tag = "114")]
    pub(super) sched_wakeup_new: Option<SchedWakeup>,
    #[prost(message, optional, tag = "353")]
    pub(super) sched_pi_setprio: Option<SchedPiSetprio>,
    #[prost(message, optional, tag = "491")]
    pub(super) sched_migrate_task: Option<SchedMigrateTask>,
}

/// `SchedSwitchFtraceEvent`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SchedSwitch {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(super) prev_comm: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "2")]
    pub(super) prev_pid: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub(super) prev_prio: Option<i32>,
    #[prost(int64, optional, tag = "4")]
    pub(super) prev_state: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "5")]
    pub(super) next_comm: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "6")]
    pub(super) next_pid: Option<i32>,
    #[prost(int32, optional, tag = "7")]
    pub(super) next_prio: Option<i32>,
}

/// `SchedWakeupFtraceEvent`, `SchedWakingFtraceEvent` and `SchedWakeupNewFtraceEvent`, which have the same fields.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SchedWakeup {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(super) comm: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "2")]
    pub(super) pid: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub(super) prio: Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub(super) target_cpu: Option<i32>,
}

/// `SchedPiSetprioFtraceEvent`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SchedPiSetprio {
    #[prost(int32, optional, tag = "2")]
    pub(super) newprio: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub(super) oldprio: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub(super) pid: Option<i32>,
}

/// `SchedMigrateTaskFtraceEvent`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SchedMigrateTask {
    #[prost(int32, optional, tag = "2")]
    pub(super) pid: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub(super) orig_cpu: Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub(super) dest_cpu: Option<i32>,
}
