//! Common parts of SVG and TikZ: lanes, and the boxes, lines and arrows on them.

mod budgets;
mod locks;

use super::sections::Sections;
use super::{Schedule, Segment, Window};
use crate::context::Context;
use schedlab_model::{Instant, JobId, ResourceId, TaskId};

/// Meaning of the lanes of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lanes {
    /// One lane for each processor.
    Processors,
    /// One lane for each task, with arrivals, deadlines and completions.
    #[default]
    Tasks,
}

/// Filling of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// A colour of the palette.
    Colour(usize),
    /// A colour of the palette, for a job that executes while it holds a resource.
    Section(usize),
    /// A colour of the palette, for a job that spins.
    Spinning(usize),
    /// The filling of overheads.
    Overhead,
    /// The filling of wasted quanta, for which a task is charged.
    Wasted,
    /// The filling below the line of a server's budget.
    Budget,
}

/// A stretch of a lane.
pub(super) struct Block {
    pub lane: usize,
    pub from: Instant,
    pub to: Instant,
    pub fill: Fill,
    pub label: String,
    pub tip: String,
}

/// A thin line along a lane.
pub(super) struct Strip {
    pub lane: usize,
    pub from: Instant,
    pub to: Instant,
    pub kind: StripKind,
    pub tip: String,
    /// Label of the strip, in a word; or empty.
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StripKind {
    /// The job waits for a resource.
    Blocked,
    /// The job suspends itself.
    Suspended,
    /// A protocol does not let the job start.
    HeldBack,
    /// The job holds a resource, and is on a processor.
    CriticalSection,
    /// The job holds a resource, and waits: it was preempted, or is suspended.
    Stalled,
    /// The window of a subtask, below the lane: on the second level if true, since windows overlap.
    Window(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrowKind {
    Arrival,
    Deadline,
    Miss,
    Completion,
    Handler,
    Abort,
    /// A server is given budget back.
    Replenishment,
}

/// Something at an instant.
pub(super) struct Arrow {
    pub lane: usize,
    pub at: Instant,
    pub kind: ArrowKind,
    pub tip: String,
}

/// A link at `at`, when the job of lane `from` begins to wait for that of lane `to`.
pub(super) struct Link {
    pub from: usize,
    pub to: usize,
    pub at: Instant,
    pub tip: String,
}

/// A stretch of a server's budget over time, in shares of the height of a box.
pub(super) struct Slope {
    pub lane: usize,
    pub from: Instant,
    pub to: Instant,
    pub begins: f64,
    pub ends: f64,
    pub tip: String,
}

/// A drawing without coordinates.
pub(super) struct Picture {
    pub window: Window,
    pub labels: Vec<String>,
    pub blocks: Vec<Block>,
    pub slopes: Vec<Slope>,
    pub strips: Vec<Strip>,
    pub arrows: Vec<Arrow>,
    pub links: Vec<Link>,
    /// Fills and signs that need an explanation.
    pub legend: Vec<Sign>,
    /// Title of the drawing, in a sentence.
    pub title: String,
    /// Unit for which a nanosecond of the window stands, if not for a nanosecond.
    pub unit: Option<&'static str>,
}

/// An entry of the legend.
pub(super) enum Sign {
    Fill(Fill, String),
    Strip(StripKind, &'static str),
    Arrow(ArrowKind, &'static str),
    Link(&'static str),
}

impl Sign {
    pub(super) fn name(&self) -> &str {
        match self {
            Sign::Fill(_, name) => name,
            Sign::Strip(_, name) | Sign::Arrow(_, name) | Sign::Link(name) => name,
        }
    }
}

impl Schedule {
    pub(super) fn picture(&self, context: &Context, lanes: Lanes) -> Picture {
        let (labels, what) = match lanes {
            Lanes::Processors => ((0..self.processors).map(|cpu| format!("P{cpu}")).collect(), "processors"),
            Lanes::Tasks => ((0..self.tasks).map(|task| task_name(context, task)).collect(), "tasks"),
        };
        let (from, to) = (self.window.from, self.window.to);
        let mut picture = Picture {
            window: self.window,
            labels,
            blocks: self.blocks(context, lanes),
            slopes: Vec::new(),
            strips: Vec::new(),
            arrows: Vec::new(),
            links: Vec::new(),
            legend: Vec::new(),
            unit: None,
            title: format!(
                "Schedule of {} on {} from {from} to {to}, one lane for each of its {what}; {}",
                count(self.tasks, "task"),
                count(self.processors, "processor"),
                match self.misses.len() {
                    0 => "no deadline is missed".to_string(),
                    1 => "one deadline is missed".to_string(),
                    n => format!("{n} deadlines are missed"),
                }
            ),
        };
        match lanes {
            Lanes::Tasks => self.add_task_signs(context, &mut picture),
            Lanes::Processors => self.add_misses(context, &mut picture),
        }
        self.add_budgets(&mut picture);
        self.add_legend(context, lanes, &mut picture);
        picture
    }

    fn blocks(&self, context: &Context, lanes: Lanes) -> Vec<Block> {
        let sections = Sections::new(&self.critical_sections, &self.waits);
        let pieces = |segment| Self::pieces(context, lanes, &sections, segment);
        let mut blocks: Vec<Block> = self.segments.iter().flat_map(pieces).collect();
        let overheads = self.overheads.iter().filter(|_| lanes == Lanes::Processors);
        for overhead in overheads {
            let (from, to, kind) = (overhead.from, overhead.to, overhead.kind.name().replace('_', " "));
            let tip = format!("overhead {kind} on {}, {from} to {to}", overhead.cpu);
            let (lane, fill) = (overhead.cpu.index(), Fill::Overhead);
            blocks.push(Block { lane, from, to, fill, label: String::new(), tip });
        }
        for waste in self.wastes.iter().filter(|_| lanes == Lanes::Processors) {
            let (lane, from, to) = (waste.cpu.index(), waste.from, waste.to);
            let tip = format!("wasted on {}, {from} to {to}", waste.cpu);
            blocks.push(Block { lane, from, to, fill: Fill::Wasted, label: String::new(), tip });
        }
        blocks
    }

    /// The boxes of a segment: one for each stretch with the same resources held.
    fn pieces(context: &Context, lanes: Lanes, sections: &Sections<'_>, segment: &Segment) -> Vec<Block> {
        let (job, cpu) = (segment.job, segment.cpu);
        let (lane, index, whose) = match lanes {
            Lanes::Processors => (cpu.index(), job.task.index(), job.to_string()),
            Lanes::Tasks => (job.task.index(), cpu.index(), cpu.to_string()),
        };
        let pieces = sections.pieces(segment).into_iter();
        let block = |((from, to), held): ((Instant, Instant), Vec<ResourceId>)| {
            let names: Vec<String> = held.iter().map(|held| context.resource_name(*held)).collect();
            let mut tip = format!("{} on {cpu}, {from} to {to}", named(context, job));
            if let Some(resource) = segment.spinning {
                tip += &format!(", spinning for {}", context.resource_name(resource));
            }
            if !names.is_empty() {
                tip += &format!(", holding {}", names.join(" and "));
            }
            let fill = match (segment.spinning, names.is_empty()) {
                (Some(_), _) => Fill::Spinning(index),
                (None, false) => Fill::Section(index),
                (None, true) => Fill::Colour(index),
            };
            // By task, the colour tells the processor; what is held is news.
            let label = match lanes {
                Lanes::Tasks if fill == Fill::Section(index) => names.join("+"),
                Lanes::Tasks | Lanes::Processors => whose.clone(),
            };
            Block { lane, from, to, fill, label, tip }
        };
        pieces.map(block).collect()
    }

    /// Adds the windows of subtasks, below their tasks' lanes, alternating between two levels.
    fn add_windows(&self, context: &Context, picture: &mut Picture) {
        let mut counts = vec![0usize; self.tasks];
        for subtask in &self.subtasks {
            let lane = subtask.job.task.index();
            // A trace that contradicts itself may name a task that no other record knows.
            let Some(count) = counts.get_mut(lane) else { continue };
            *count += 1;
            let (release, deadline) = (subtask.release, subtask.deadline);
            let job = named(context, subtask.job);
            picture.strips.push(Strip {
                lane,
                from: release.max(self.window.from),
                to: deadline.min(self.window.to),
                kind: StripKind::Window(*count % 2 == 0),
                tip: format!("subtask of {job}: window from {release} to {deadline}"),
                label: String::new(),
            });
        }
    }

    fn add_task_signs(&self, context: &Context, picture: &mut Picture) {
        self.add_windows(context, picture);
        self.add_locks(context, picture);
        let kinds = [
            (&self.completions, ArrowKind::Completion, "completes"),
            (&self.arrivals, ArrowKind::Arrival, "arrives"),
            (&self.handlers, ArrowKind::Handler, "begins its abort handler"),
            (&self.aborts, ArrowKind::Abort, "is given up"),
        ];
        for (marks, kind, does) in kinds {
            for mark in marks {
                let tip = format!("{} {does} at {}", named(context, mark.job), mark.at);
                picture.arrows.push(Arrow { lane: mark.job.task.index(), at: mark.at, kind, tip });
            }
        }
        for mark in &self.deadlines {
            let missed =
                self.misses.binary_search_by_key(&(mark.at, mark.job), |miss| (miss.at, miss.job)).is_ok();
            let (kind, what) = if missed {
                (ArrowKind::Miss, "misses its deadline")
            } else {
                (ArrowKind::Deadline, "has its deadline")
            };
            let tip = format!("{} {what} at {}", named(context, mark.job), mark.at);
            picture.arrows.push(Arrow { lane: mark.job.task.index(), at: mark.at, kind, tip });
        }
    }

    /// Adds the misses; in a drawing by processor, they have a lane of their own.
    fn add_misses(&self, context: &Context, picture: &mut Picture) {
        if self.misses.is_empty() {
            return;
        }
        let lane = picture.labels.len();
        picture.labels.push("missed".into());
        for miss in &self.misses {
            let tip = format!("{} misses its deadline at {}", named(context, miss.job), miss.at);
            picture.arrows.push(Arrow { lane, at: miss.at, kind: ArrowKind::Miss, tip });
        }
    }

    fn add_legend(&self, context: &Context, lanes: Lanes, picture: &mut Picture) {
        let colours = match lanes {
            Lanes::Processors => self.tasks,
            Lanes::Tasks => self.processors,
        };
        let shown = |index: &usize| {
            picture.blocks.iter().any(
                |b| matches!(b.fill, Fill::Colour(i) | Fill::Section(i) | Fill::Spinning(i) if i == *index),
            )
        };
        let used: Vec<usize> = (0..colours).filter(shown).collect();
        // One colour needs no explanation, and a long list explains nothing: boxes have labels and tips.
        if (2..=12).contains(&used.len()) {
            picture.legend.extend(used.into_iter().map(|index| {
                let name = match lanes {
                    Lanes::Processors => task_name(context, index),
                    Lanes::Tasks => format!("P{index}"),
                };
                Sign::Fill(Fill::Colour(index), name)
            }));
        }
        let fills = [
            (Fill::Section(usize::MAX), "in a critical section"),
            (Fill::Spinning(usize::MAX), "spinning"),
            (Fill::Overhead, "overhead"),
            (Fill::Wasted, "wasted"),
        ];
        for (fill, name) in fills {
            let same = |block: &Block| core::mem::discriminant(&block.fill) == core::mem::discriminant(&fill);
            if picture.blocks.iter().any(same) {
                picture.legend.push(Sign::Fill(fill, name.into()));
            }
        }
        if !picture.slopes.is_empty() {
            picture.legend.push(Sign::Fill(Fill::Budget, "budget of a server".into()));
        }
        let strips = [
            (StripKind::CriticalSection, "holds a resource"),
            (StripKind::Stalled, "holds one and waits itself"),
            (StripKind::Blocked, "waits for a resource"),
            (StripKind::HeldBack, "held back by a protocol"),
            (StripKind::Suspended, "suspends itself"),
            (StripKind::Window(false), "window of a subtask"),
        ];
        let strips =
            strips.into_iter().filter(|(kind, _)| picture.strips.iter().any(|one| one.kind == *kind));
        picture.legend.extend(strips.map(|(kind, name)| Sign::Strip(kind, name)));
        if !picture.links.is_empty() {
            picture.legend.push(Sign::Link("whom it waits for"));
        }
        let arrows = [
            (ArrowKind::Arrival, "arrival"),
            (ArrowKind::Deadline, "deadline"),
            (ArrowKind::Miss, "missed deadline"),
            (ArrowKind::Completion, "completion"),
            (ArrowKind::Handler, "abort handler begins"),
            (ArrowKind::Abort, "given up"),
            (ArrowKind::Replenishment, "replenishment"),
        ];
        let arrows =
            arrows.into_iter().filter(|(kind, _)| picture.arrows.iter().any(|one| one.kind == *kind));
        picture.legend.extend(arrows.map(|(kind, name)| Sign::Arrow(kind, name)));
    }
}

fn task_name(context: &Context, task: usize) -> String {
    context.task_name(TaskId(task as u32))
}

/// A job with its task's name, if that has one.
pub(super) fn named(context: &Context, job: JobId) -> String {
    let name = context.task_name(job.task);
    if name == job.task.to_string() {
        job.to_string()
    } else {
        format!("{name} ({job})")
    }
}

/// Writes a count with its noun: "1 processor", "2 processors".
fn count(many: usize, noun: &str) -> String {
    match many {
        1 => format!("1 {noun}"),
        many => format!("{many} {noun}s"),
    }
}
