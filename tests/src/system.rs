//! What is tested: tasks, a machine, a scheduler by its parts, and how jobs arrive.

use schedlab_model::{Cost, Instant, OverheadKind, Overheads, Platform, Task};
use std::fmt;

/// How ready jobs are ordered, by name; what the names mean is written down twice, here and in `policy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By absolute deadline.
    Edf,
    /// By period.
    Rm,
    /// By relative deadline.
    Dm,
    /// By given priority.
    Fp,
    /// By arrival.
    Fifo,
    /// By absolute deadline less the WCET's share of all processors but one.
    Fl,
}

impl Order {
    /// All of them.
    pub const ALL: [Order; 6] = [Order::Edf, Order::Rm, Order::Dm, Order::Fp, Order::Fifo, Order::Fl];

    /// As in schedulers' names.
    pub fn name(self) -> &'static str {
        match self {
            Order::Edf => "EDF",
            Order::Rm => "RM",
            Order::Dm => "DM",
            Order::Fp => "FP",
            Order::Fifo => "FIFO",
            Order::Fl => "FL",
        }
    }
}

/// How jobs follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// A period apart, from the task's offset on.
    Periodic,
    /// Often later than that.
    Sporadic,
}

/// How late jobs are released, up to the jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lateness {
    /// Drawn anew for each job.
    Random,
    /// The first job as late as possible, the others at once: the worst case of interference.
    FirstOnly,
}

/// How much jobs need, up to the WCET, and how long they suspend themselves, up to the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Costs {
    /// All that they may.
    Worst,
    /// Some jobs less.
    Below,
}

/// Everything that a test run depends on.
#[derive(Clone, Debug)]
pub struct System {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The machine.
    pub platform: Platform,
    /// `P`, `C` or `G`.
    pub scope: char,
    /// How ready jobs are ordered.
    pub order: Order,
    /// Whether running jobs give way.
    pub preemptive: bool,
    /// What the machine takes for itself.
    pub overheads: Overheads,
    /// How jobs arrive.
    pub arrivals: Arrivals,
    /// How late they are released.
    pub lateness: Lateness,
    /// What they need.
    pub costs: Costs,
    /// Of the jobs.
    pub seed: u64,
    /// When the run ends.
    pub horizon: Instant,
}

impl System {
    /// The scheduler's name.
    pub fn scheduler(&self) -> String {
        format!("{}{}-{}", if self.preemptive { "" } else { "N" }, self.scope, self.order.name())
    }

    /// This system over another time.
    #[must_use]
    pub fn until(&self, horizon: Instant) -> System {
        System { horizon, ..self.clone() }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clusters: Vec<usize> = self.platform.clusters.iter().map(|cluster| cluster.cpus.len()).collect();
        let (arrivals, lateness, costs) = (self.arrivals, self.lateness, self.costs);
        write!(f, "{} on clusters {clusters:?} until {}, ", self.scheduler(), self.horizon)?;
        writeln!(f, "arrivals {arrivals:?}, lateness {lateness:?}, costs {costs:?}")?;
        for (index, task) in self.tasks.iter().enumerate() {
            write!(f, "T{index} {} ({}, {}, ", task.cluster, task.wcet, task.period)?;
            write!(f, "{}) offset {} ", task.relative_deadline, task.offset)?;
            write!(f, "jitter {} rank {} ", task.jitter, task.fixed_priority)?;
            write!(f, "{:?} {:?}", task.suspension, task.program)?;
            match task.leave {
                Instant::NEVER => writeln!(f)?,
                leave => writeln!(f, " from {} until {leave}", task.join)?,
            }
        }
        for kind in OverheadKind::ALL {
            let cost = &self.overheads.get(kind).max;
            if *cost != Cost::default() {
                writeln!(f, "{} {cost:?}", kind.name())?;
            }
        }
        let platform = &self.platform;
        writeln!(f, "quantum {} {:?} {:?}", platform.quantum, platform.alignment, platform.releases)
    }
}
