//! The packets of a Perfetto trace, by the field numbers of its `.proto` files.
//!
//! A file is a `Trace`, which is nothing but its packets (field 1) one after another. All packets belong to
//! one sequence and one clock, so neither is named but once.

use crate::export::protobuf::{append, Message};
use schedlab_model::Instant;

/// State of a thread, numbered as in `GenericKernelTaskStateEvent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskState {
    Runnable = 2,
    Running = 3,
    Sleeping = 4,
    /// Blocked on a lock.
    Blocked = 5,
}

/// Kind of a track event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventType {
    Begin = 1,
    End = 2,
    Instant = 3,
    Counter = 4,
}

/// An arrow to or from an event: drawn from the one where it begins to the one where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// `flow_ids`.
    Begins(u64),
    /// `terminating_flow_ids`.
    Ends(u64),
}

/// The value of an argument.
pub(super) enum Arg<'a> {
    Uint(u64),
    Int(i64),
    Text(&'a str),
}

/// Unit of a counter, numbered as in `CounterDescriptor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nanoseconds.
    Time = 1,
    Count = 2,
}

/// The packets so far.
#[derive(Debug, Default)]
pub(super) struct Packets {
    /// Bytes of packets that are not written yet.
    pub(super) bytes: Vec<u8>,
    begun: bool,
}

/// The process whose threads are the tasks.
const PROCESS: u64 = 1;

/// The thread that stands for a task: small, positive, and not the process's own.
pub(super) fn thread(task: u32) -> i64 {
    i64::from(task) + 2
}

impl Packets {
    fn push(&mut self, packet: Message) {
        // trusted_packet_sequence_id, and on the first packet sequence_flags and first_packet_on_sequence.
        let mut packet = packet.uint(10, 1);
        if !core::mem::replace(&mut self.begun, true) {
            packet = packet.uint(13, 1).uint(87, 1);
        }
        append(&mut self.bytes, 1, &packet);
    }

    /// Names the threads of tasks.
    pub(super) fn threads(&mut self, names: &[(u32, String)]) {
        let process = Message::new().uint(1, PROCESS).uint(2, 0).text(3, "tasks");
        let tree = names.iter().fold(Message::new().message(1, process), |tree, (task, name)| {
            tree.message(2, Message::new().int(1, thread(*task)).uint(2, PROCESS).text(3, name))
        });
        self.push(Message::new().uint(8, 0).message(122, tree));
    }

    /// A thread begins to do something else; `cpu` is where it runs, or ran until now.
    pub(super) fn state(&mut self, at: Instant, task: u32, state: TaskState, cpu: Option<u16>) {
        let event = cpu.map_or(Message::new(), |cpu| Message::new().uint(1, cpu.into()));
        let event = event.int(3, thread(task)).uint(4, state as u64);
        self.push(Message::new().uint(8, at.as_ns()).message(117, event));
    }

    /// Describes a track: below `parent`, at the place `rank` among its siblings; a counter, if it has a unit.
    pub(super) fn track(&mut self, uuid: u64, name: &str, place: Option<(u64, u64)>, unit: Option<Unit>) {
        let mut track = Message::new().uint(1, uuid).text(2, name);
        if let Some((parent, rank)) = place {
            track = track.uint(5, parent).int(12, rank as i64);
        }
        if let Some(unit) = unit {
            track = track.message(8, Message::new().uint(3, unit as u64));
        }
        // Children in explicit order, and siblings of one name are not merged.
        let track = track.uint(11, 3).uint(15, 2);
        self.push(Message::new().message(60, track));
    }

    /// An event on a track.
    pub(super) fn event(
        &mut self,
        at: Instant,
        kind: EventType,
        track: u64,
        name: Option<&str>,
        args: &[(&str, Arg)],
    ) {
        self.linked(at, kind, track, name, args, None);
    }

    /// An event on a track, at an end of the arrow `flow` if there is one.
    #[allow(clippy::too_many_arguments, reason = "the fields of one message")]
    pub(super) fn linked(
        &mut self,
        at: Instant,
        kind: EventType,
        track: u64,
        name: Option<&str>,
        args: &[(&str, Arg)],
        flow: Option<Flow>,
    ) {
        let mut event = Message::new().uint(9, kind as u64).uint(11, track);
        if let Some(name) = name {
            event = event.text(23, name);
        }
        for (name, value) in args {
            let arg = Message::new().text(10, name);
            event = event.message(
                4,
                match value {
                    Arg::Uint(value) => arg.uint(3, *value),
                    Arg::Int(value) => arg.int(4, *value),
                    Arg::Text(value) => arg.text(6, value),
                },
            );
        }
        event = match flow {
            Some(Flow::Begins(id)) => event.fixed(47, id),
            Some(Flow::Ends(id)) => event.fixed(48, id),
            None => event,
        };
        self.push(Message::new().uint(8, at.as_ns()).message(11, event));
    }

    /// A counter's value from now on.
    pub(super) fn count(&mut self, at: Instant, track: u64, value: u64) {
        let event = Message::new().uint(9, EventType::Counter as u64).uint(11, track).int(30, value as i64);
        self.push(Message::new().uint(8, at.as_ns()).message(11, event));
    }
}
