//! Who executed where, when: a schedule as data and as pictures.
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
mod svg;
mod svg_shapes;
mod text;
mod tikz;
mod windows;

pub use difference::{FirstDifference, OtherOccupants, OtherRecord, TraceDifference};
pub use drawing::Drawing;
pub use picture::Lanes;
pub use recorder::ScheduleRecorder;
pub use windows::{windows_svg, windows_text, SubtaskWindow};

use schedlab_model::{CpuId, Duration, Instant, JobId, OverheadKind, ResourceId};

/// A stretch of time: from `from`, up to `to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Its begin.
    pub from: Instant,
    /// Its end; not before its begin.
    pub to: Instant,
}

impl Window {
    /// From `from` to `to`; `None` if `to` is not later.
    pub fn new(from: Instant, to: Instant) -> Option<Self> {
        (from < to).then_some(Window { from, to })
    }

    /// All of time.
    pub const ALL: Window = Window { from: Instant::ZERO, to: Instant::NEVER };

    /// Its length.
    pub(crate) fn length(&self) -> Duration {
        self.to - self.from
    }

    /// What of this stretch of time is inside, if anything.
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
    /// Which processor.
    pub cpu: CpuId,
    /// Which job.
    pub job: JobId,
    /// From when.
    pub from: Instant,
    /// Until when.
    pub to: Instant,
    /// What it spins for, if it does.
    pub spinning: Option<ResourceId>,
}

/// A processor that does something for the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverheadSegment {
    /// Which processor.
    pub cpu: CpuId,
    /// What it does.
    pub kind: OverheadKind,
    /// From when.
    pub from: Instant,
    /// Until when.
    pub to: Instant,
}

/// Why a job that has arrived is not on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum WaitReason {
    /// It is not ready: not released, or its predecessor is not done.
    NotReady,
    /// It is ready and waits for a processor.
    Processor,
    /// It is suspended until it gets a resource.
    Resource(ResourceId),
    /// It suspended itself.
    Itself,
    /// A locking protocol does not let it start.
    #[strum(serialize = "gate")]
    HeldBack,
}

/// A job that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Which job.
    pub job: JobId,
    /// From when.
    pub from: Instant,
    /// Until when.
    pub to: Instant,
    /// What for.
    pub reason: WaitReason,
}

/// A job that holds a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalSection {
    /// Which job.
    pub job: JobId,
    /// Which resource.
    pub resource: ResourceId,
    /// From when.
    pub from: Instant,
    /// Until when.
    pub to: Instant,
}

/// A job that waits, suspended or spinning, because another holds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedJob {
    /// Who waits.
    pub waiter: JobId,
    /// Whom it waits for: the holder that was granted first, if there are several.
    pub holder: JobId,
    /// From when.
    pub from: Instant,
    /// Until when.
    pub to: Instant,
}

/// The window of a subtask that was granted a quantum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subtask {
    /// Whose subtask.
    pub job: JobId,
    /// When its window begins.
    pub release: Instant,
    /// When it ends.
    pub deadline: Instant,
}

/// A stretch of a quantum that no job uses, though a task is charged for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waste {
    /// Which processor.
    pub cpu: CpuId,
    /// From when.
    pub from: Instant,
    /// Until when.
    pub to: Instant,
}

/// Something that happened to a job at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Which job.
    pub job: JobId,
    /// When.
    pub at: Instant,
}

/// What happened in a window of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The window, which ends no later than the trace.
    pub window: Window,
    /// How many processors there are.
    pub processors: usize,
    /// How many tasks there are.
    pub tasks: usize,
    /// Who was on which processor.
    pub segments: Vec<Segment>,
    /// What processors did for the system.
    pub overheads: Vec<OverheadSegment>,
    /// Who waited for what.
    pub waits: Vec<Wait>,
    /// Who held what.
    pub critical_sections: Vec<CriticalSection>,
    /// Who waited for whom.
    pub blockings: Vec<BlockedJob>,
    /// When jobs were triggered.
    pub arrivals: Vec<Mark>,
    /// When they ought to have been complete: all deadlines in the window, met or not.
    pub deadlines: Vec<Mark>,
    /// When they were complete.
    pub completions: Vec<Mark>,
    /// When their abort handlers began.
    pub handlers: Vec<Mark>,
    /// When they were given up.
    pub aborts: Vec<Mark>,
    /// The deadlines at which jobs were not complete.
    pub misses: Vec<Mark>,
    /// When they used up the budgets that their policy armed.
    pub budgets: Vec<Mark>,
    /// The windows of subtasks that ran (Pfair), in the order in which they ran.
    pub subtasks: Vec<Subtask>,
    /// Wasted parts of quanta.
    pub wastes: Vec<Waste>,
}

impl Schedule {
    /// How much there is to draw: each box, line and arrow counts.
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
        marks.iter().map(|marks| marks.len()).sum::<usize>() + lines + boxes
    }
}
