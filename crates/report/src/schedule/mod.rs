//! A schedule as data and as pictures: which job executed where and when.
//!
//! [`Schedule`] is made from records, over a window of time; text, SVG, TikZ and plain values are drawn from it
//! alone. Its segments of one processor do not overlap each other nor its overheads.

mod axis;
mod difference;
mod drawing;
mod letters;
mod palette;
mod picture;
mod printed;
mod recorder;
mod sections;
mod servers;
mod svg;
mod svg_shapes;
mod text;
mod tikz;
mod windows;

pub use difference::{FirstDifference, OtherOccupants, OtherRecord, TraceDifference};
pub use drawing::Drawing;
pub use picture::Lanes;
pub use recorder::ScheduleRecorder;
pub use servers::{BudgetStretch, Budgets, Replenishment, ServerDeadline};
pub use windows::{windows_svg, windows_text, SubtaskWindow};

use schedlab_model::{CpuId, Duration, Instant, JobId, OverheadKind, ResourceId};

/// A stretch of time: from `from`, up to `to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Begin of the window.
    pub from: Instant,
    /// End of the window; not before its begin.
    pub to: Instant,
}

impl Window {
    /// From `from` to `to`; `None` if `to` is not later.
    pub fn new(from: Instant, to: Instant) -> Option<Self> {
        (from < to).then_some(Window { from, to })
    }

    /// All of time.
    pub const ALL: Window = Window { from: Instant::ZERO, to: Instant::NEVER };

    /// Length of the window.
    pub(crate) fn length(&self) -> Duration {
        self.to - self.from
    }

    /// Returns the part of the stretch from `from` to `to` that is inside, if there is one.
    fn cut(&self, from: Instant, to: Instant) -> Option<(Instant, Instant)> {
        let (from, to) = (from.max(self.from), to.min(self.to));
        (from < to).then_some((from, to))
    }

    fn holds(&self, at: Instant) -> bool {
        self.from <= at && at <= self.to
    }
}

/// A job on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Id of the processor.
    pub cpu: CpuId,
    /// Id of the job.
    pub job: JobId,
    /// Begin of the segment.
    pub from: Instant,
    /// End of the segment.
    pub to: Instant,
    /// Resource for which the job spins, if it does.
    pub spinning: Option<ResourceId>,
}

/// A processor that does something for the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverheadSegment {
    /// Id of the processor.
    pub cpu: CpuId,
    /// Kind of overhead.
    pub kind: OverheadKind,
    /// Begin of the overhead.
    pub from: Instant,
    /// End of the overhead.
    pub to: Instant,
}

/// Reason why a job that has arrived is not on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum WaitReason {
    /// The job is not ready: it is not released, or its predecessor has not ended.
    NotReady,
    /// The job is ready and waits for a processor.
    Processor,
    /// The job is suspended until it gets a resource.
    Resource(ResourceId),
    /// The job suspended itself.
    Itself,
    /// A locking protocol does not let the job start.
    #[strum(serialize = "gate")]
    HeldBack,
}

/// A job that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Id of the job.
    pub job: JobId,
    /// Begin of the wait.
    pub from: Instant,
    /// End of the wait.
    pub to: Instant,
    /// Reason of the wait.
    pub reason: WaitReason,
}

/// A job that holds a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalSection {
    /// Id of the job.
    pub job: JobId,
    /// Id of the resource.
    pub resource: ResourceId,
    /// Begin of the section.
    pub from: Instant,
    /// End of the section.
    pub to: Instant,
}

/// A job that waits, suspended or spinning, because another job holds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedJob {
    /// Job that waits.
    pub waiter: JobId,
    /// Job for which it waits: the holder that was granted first, if there are several.
    pub holder: JobId,
    /// Begin of the wait.
    pub from: Instant,
    /// End of the wait.
    pub to: Instant,
}

/// The window of a subtask that was granted a quantum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subtask {
    /// Job of the subtask.
    pub job: JobId,
    /// Begin of the window.
    pub release: Instant,
    /// End of the window.
    pub deadline: Instant,
}

/// A stretch of a quantum that no job uses, though a task is charged for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waste {
    /// Id of the processor.
    pub cpu: CpuId,
    /// Begin of the stretch.
    pub from: Instant,
    /// End of the stretch.
    pub to: Instant,
}

/// Something that happened to a job at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Id of the job.
    pub job: JobId,
    /// Time of the mark.
    pub at: Instant,
}

/// Schedule in a window of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The window, which ends no later than the trace.
    pub window: Window,
    /// Number of processors.
    pub processors: usize,
    /// Number of tasks.
    pub tasks: usize,
    /// Jobs on processors.
    pub segments: Vec<Segment>,
    /// Overheads on processors.
    pub overheads: Vec<OverheadSegment>,
    /// Waits of jobs.
    pub waits: Vec<Wait>,
    /// Critical sections of jobs.
    pub critical_sections: Vec<CriticalSection>,
    /// Waits of jobs for holders.
    pub blockings: Vec<BlockedJob>,
    /// Arrivals of jobs.
    pub arrivals: Vec<Mark>,
    /// Absolute deadlines of jobs: all in the window, met or not.
    pub deadlines: Vec<Mark>,
    /// Completions of jobs.
    pub completions: Vec<Mark>,
    /// Begins of jobs' abort handlers.
    pub handlers: Vec<Mark>,
    /// Aborts of jobs.
    pub aborts: Vec<Mark>,
    /// Absolute deadlines at which jobs were not complete.
    pub misses: Vec<Mark>,
    /// Times at which jobs used up the budgets that their policy set.
    pub budgets: Vec<Mark>,
    /// The windows of subtasks that ran (Pfair), in the order in which they ran.
    pub subtasks: Vec<Subtask>,
    /// Wasted parts of quanta.
    pub wastes: Vec<Waste>,
    /// Budgets of servers.
    pub servers: Budgets,
}

impl Schedule {
    /// Returns the number of things to draw: each box, line and arrow counts.
    pub fn size(&self) -> usize {
        let marks = [
            &self.arrivals,
            &self.deadlines,
            &self.completions,
            &self.handlers,
            &self.aborts,
            &self.misses,
            &self.budgets,
        ];
        let lines = self.waits.len() + self.critical_sections.len() + self.subtasks.len();
        let boxes = self.segments.len() + self.overheads.len() + self.wastes.len();
        marks.iter().map(|marks| marks.len()).sum::<usize>() + lines + boxes + self.servers.size()
    }
}
