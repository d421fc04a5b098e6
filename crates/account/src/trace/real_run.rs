//! A real run, as read from its trace: the decisions, and what the machine did.

use crate::trace::threads::{Threads, THREADS};
use schedlab_lab::Prepared;
use schedlab_model::{ClusterId, CpuId, Duration, Instant, TaskId};
use schedlab_trace::{about, Backend, Header, Record, RunRecord, Thread};

/// Name of the header's line with the machine's processors: those of the system, in its order.
pub const PROCESSORS: &str = "processors";
/// Name of the header's line with the priorities of the tasks' threads.
pub const PRIORITIES: &str = "priorities";
/// Content of that line for a run without real-time priorities.
pub const WITHOUT_PRIORITIES: &str = "none";

/// Latest time and longest length in a trace: a year, as in scenarios.
const LONGEST: u64 = 365 * 86_400 * 1_000_000_000;

/// A thread got or lost a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Time of the switch.
    pub at: Instant,
    /// Id of the processor.
    pub cpu: CpuId,
    /// The thread.
    pub thread: Thread,
    /// True if the thread got the processor.
    pub to: bool,
    /// True if the thread lost the processor although it was ready to go on.
    pub ready: bool,
}

/// The kernel's context switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Switches by time.
    pub all: Vec<Switch>,
    /// Number of switches that the kernel could not write.
    pub missing: u64,
}

/// Time that the host took from a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stolen {
    /// Id of the processor.
    pub cpu: CpuId,
    /// Begin of the interval in which the time was taken.
    pub from: Instant,
    /// End of the interval in which the time was taken.
    pub to: Instant,
    /// Length of the stolen time.
    pub length: Duration,
}

/// A real run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RealRun {
    /// Backend that decided.
    pub backend: Backend,
    /// Length of a quantum, if a scheduler in the kernel decided by quanta.
    pub quantum: Option<Duration>,
    /// By processor: its cluster, if a scheduler in the kernel itself chose the processors of each cluster's jobs.
    pub cluster_of: Option<Vec<ClusterId>>,
    /// Number of tasks.
    pub tasks: usize,
    /// Decisions and records of jobs, by time. Dispatches and preemptions have the times of the decisions.
    pub decisions: Vec<(Instant, Record)>,
    /// Threads that the kernel ran; `None` if the kernel was not asked, or may not report them.
    pub switches: Option<Switches>,
    /// By task: the time for which its thread went on after the end.
    pub afterwards: Vec<Duration>,
    /// Time that the host took, by time; `None` if the kernel does not count it.
    pub stolen: Option<Vec<Stolen>>,
    /// Intervals in which no thread of the run executed.
    pub standstills: Vec<(Instant, Instant)>,
    /// By processor of the system: the machine's number of it.
    pub processors: Vec<usize>,
    /// Other threads of the machine.
    pub threads: Threads,
    /// False if threads had no real-time priorities: then nothing is promised.
    pub has_priorities: bool,
}

/// Reason why a trace is not one of a real run of its scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceProblem {
    /// A record at this time names something that the scenario does not have.
    #[error("a record at {0} names a task, processor or resource that the scenario does not have")]
    Unknown(Instant),
    /// A record's time, or the length of something, cannot be.
    #[error("a record at {0} has a time or a length that cannot be")]
    Time(Instant),
    /// A line of the header cannot be read.
    #[error("{0} in the trace's header: {1}")]
    Header(&'static str, String),
}

/// Numbers of the things that records name.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Number of tasks.
    pub tasks: usize,
    /// Number of processors.
    pub processors: usize,
    /// Number of resources.
    pub resources: usize,
}

impl RealRun {
    /// The run of `prepared` whose trace has this header and these records.
    pub fn of(
        prepared: &Prepared,
        header: &Header,
        records: impl IntoIterator<Item = (Instant, Record)>,
    ) -> Result<Self, TraceProblem> {
        let sizes = Sizes {
            tasks: prepared.tasks.len(),
            processors: prepared.platform.processors().into(),
            resources: prepared.resources.len(),
        };
        let run = RealRun::read(sizes, header, records)?;
        let (platform, by_quanta) = (&prepared.platform, prepared.scheduler.quanta.is_some());
        let is_native = run.backend == Backend::ScxNative;
        let cluster_of = || (0..platform.processors()).map(|cpu| platform.cluster_of(CpuId(cpu))).collect();
        Ok(RealRun {
            quantum: (is_native && by_quanta).then_some(platform.quantum),
            cluster_of: (is_native && !by_quanta).then(cluster_of),
            ..run
        })
    }

    /// The run of a system of this size.
    pub fn read(
        sizes: Sizes,
        header: &Header,
        records: impl IntoIterator<Item = (Instant, Record)>,
    ) -> Result<Self, TraceProblem> {
        let unknown = || TraceProblem::Header("source", "who decided is not said".to_owned());
        let mut run = RealRun {
            backend: header.backend().ok_or_else(unknown)?,
            tasks: sizes.tasks,
            afterwards: vec![Duration::ZERO; sizes.tasks],
            processors: processors(header, sizes.processors)?,
            threads: Threads::parse(header.get(THREADS).unwrap_or_default())
                .map_err(|line| TraceProblem::Header(THREADS, line))?,
            has_priorities: header.get(PRIORITIES) != Some(WITHOUT_PRIORITIES),
            ..RealRun::default()
        };
        let mut switches = Switches::default();
        for (at, record) in records {
            sizes.allow(at, &record)?;
            match record {
                // These are when threads made them.
                Record::Dispatch { .. } | Record::Preempt { .. } => {}
                Record::Run(record) => run.add(at, record, &mut switches),
                about![
                    Link, Suspend, Resume, Move, Lost, End, lives, urgencies, requests, attempts, quanta,
                    overheads, servers, tasks
                ] => run.decisions.push((at, record)),
            }
        }
        if let Some(known) = &mut run.switches {
            known.all = switches.all;
        }
        Ok(run)
    }

    fn add(&mut self, at: Instant, record: RunRecord, switches: &mut Switches) {
        let mut switch = |cpu, thread, to, ready| switches.all.push(Switch { at, cpu, thread, to, ready });
        match record {
            RunRecord::Dispatch { cpu, job } => self.decisions.push((at, Record::Dispatch { cpu, job })),
            RunRecord::Preempt { cpu, job } => self.decisions.push((at, Record::Preempt { cpu, job })),
            RunRecord::SwitchIn { cpu, thread } => switch(cpu, thread, true, false),
            RunRecord::SwitchOut { cpu, thread } => switch(cpu, thread, false, false),
            RunRecord::SwitchOutReady { cpu, thread } => switch(cpu, thread, false, true),
            RunRecord::Switches { missing } => {
                self.switches.get_or_insert_default().missing = missing;
            }
            RunRecord::Stolen { cpu, since, length } => {
                let stolen = self.stolen.get_or_insert_default();
                if !length.is_zero() {
                    stolen.push(Stolen { cpu, from: since, to: at, length });
                }
            }
            RunRecord::Standstill { since } => self.standstills.push((since, at)),
            RunRecord::Afterwards { task, length } => self.afterwards[task.index()] = length,
        }
    }

    /// Returns the end of the run.
    pub(crate) fn end(&self) -> Instant {
        self.decisions.last().map_or(Instant::ZERO, |(at, _)| *at)
    }

    /// True if the kernel reported every switch.
    pub(crate) fn knows_all_switches(&self) -> bool {
        self.switches.as_ref().is_some_and(|switches| switches.missing == 0)
    }

    /// The switches that are known.
    pub(crate) fn known_switches(&self) -> &[Switch] {
        self.switches.as_ref().map_or(&[], |switches| &switches.all)
    }

    /// All tasks.
    pub(crate) fn task_ids(&self) -> impl Iterator<Item = TaskId> {
        (0..self.tasks as u32).map(TaskId)
    }

    /// Returns the machine's number of a processor.
    pub(crate) fn processor(&self, cpu: CpuId) -> usize {
        self.processors[cpu.index()]
    }
}

impl Sizes {
    /// Refuses records that no run of the scenario can have, because later code has tables by task and processor, and
    /// sums of times.
    fn allow(&self, at: Instant, record: &Record) -> Result<(), TraceProblem> {
        let run = if let Record::Run(run) = record { Some(run) } else { None };
        let cpu = match *record {
            Record::Dispatch { cpu, .. } | Record::Preempt { cpu, .. } => Some(cpu),
            about![Link, Suspend, Resume, Move, lives, urgencies, requests, attempts, machine] => {
                run.and_then(RunRecord::cpu)
            }
        };
        let resource = match *record {
            Record::Request { resource, .. }
            | Record::Acquire { resource, .. }
            | Record::Release { resource, .. } => Some(resource),
            about![Spin, Delay, lives, places, urgencies, attempts, machine] => None,
        };
        let is_known = record.task().is_none_or(|task| task.index() < self.tasks)
            && cpu.is_none_or(|cpu| cpu.index() < self.processors)
            && resource.is_none_or(|resource| resource.index() < self.resources);
        if !is_known {
            return Err(TraceProblem::Unknown(at));
        }
        let (since, length) = match run {
            Some(RunRecord::Stolen { since, length, .. }) => (*since, *length),
            Some(RunRecord::Standstill { since }) => (*since, Duration::ZERO),
            Some(RunRecord::Afterwards { length, .. }) => (at, *length),
            Some(_) | None => (at, Duration::ZERO),
        };
        let can_be = at.as_ns() <= LONGEST && since <= at && length.as_ns() <= LONGEST;
        can_be.then_some(()).ok_or(TraceProblem::Time(at))
    }
}

/// Reads the machine's processors from the header; without them, they are called as in the system.
fn processors(header: &Header, count: usize) -> Result<Vec<usize>, TraceProblem> {
    let Some(text) = header.get(PROCESSORS) else { return Ok((0..count).collect()) };
    let read: Option<Vec<usize>> = text.split_whitespace().map(|number| number.parse().ok()).collect();
    let read = read.filter(|all| all.len() == count);
    read.ok_or_else(|| TraceProblem::Header(PROCESSORS, text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{JobId, ResourceId};
    use schedlab_scenario::Scenario;

    const JOB: JobId = JobId { task: TaskId(0), number: 0 };
    const CPU: CpuId = CpuId(0);

    fn read(header: &Header, records: &[(u64, Record)]) -> Result<RealRun, TraceProblem> {
        let text = "schedlab = 1\nscheduler = \"P-EDF\"\n[platform]\nprocessors = 1\n\
                    [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n";
        let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
        RealRun::of(&prepared, header, records.iter().map(|(at, record)| (Instant::from_ns(*at), *record)))
    }

    #[test]
    fn decisions_and_switches_are_told_apart() {
        let header = Header::new(schedlab_trace::Backend::Threads)
            .with(PROCESSORS, "7")
            .with(PRIORITIES, WITHOUT_PRIORITIES);
        let (thread, other) = (Thread::Task(TaskId(0)), Thread::Other(5));
        let (at, length) = (Instant::from_ns, Duration::from_ns(2));
        let records = [
            (0, Record::Run(RunRecord::SwitchOutReady { cpu: CPU, thread: other })),
            (4, Record::Run(RunRecord::Dispatch { cpu: CPU, job: JOB })),
            (5, Record::Run(RunRecord::SwitchIn { cpu: CPU, thread })),
            (6, Record::Dispatch { cpu: CPU, job: JOB }),
            (8, Record::Run(RunRecord::Preempt { cpu: CPU, job: JOB })),
            (9, Record::Preempt { cpu: CPU, job: JOB }),
            (9, Record::Run(RunRecord::Standstill { since: at(3) })),
            (9, Record::Run(RunRecord::Stolen { cpu: CPU, since: at(2), length })),
            (9, Record::Run(RunRecord::Afterwards { task: TaskId(0), length })),
            (9, Record::Run(RunRecord::Switches { missing: 4 })),
            (9, Record::End),
        ];
        let switch = |at, thread, to, ready| Switch { at, cpu: CPU, thread, to, ready };
        let all = vec![switch(at(0), other, false, true), switch(at(5), thread, true, false)];
        let expected = RealRun {
            backend: Backend::Threads,
            quantum: None,
            cluster_of: None,
            tasks: 1,
            decisions: vec![
                (at(4), Record::Dispatch { cpu: CPU, job: JOB }),
                (at(8), Record::Preempt { cpu: CPU, job: JOB }),
                (at(9), Record::End),
            ],
            switches: Some(Switches { all, missing: 4 }),
            afterwards: vec![length],
            stolen: Some(vec![Stolen { cpu: CPU, from: at(2), to: at(9), length }]),
            standstills: vec![(at(3), at(9))],
            processors: vec![7],
            threads: Threads::default(),
            has_priorities: false,
        };
        assert_eq!(read(&header, &records), Ok(expected));
        let simulated = read(&Header::new(schedlab_trace::Backend::Threads), &[(3, Record::End)]).unwrap();
        assert_eq!((simulated.switches, simulated.stolen, simulated.has_priorities), (None, None, true));
    }

    /// Only a run by quanta in the kernel is judged by their length, and only in one without quanta does the kernel
    /// choose the processors.
    #[test]
    fn what_the_kernel_decided_is_known() {
        for (backend, scheduler, quantum, chose) in [
            (Backend::ScxNative, "PD2", Some(Duration::from_ms(2)), false),
            (Backend::ScxNative, "G-EDF", None, true),
            (Backend::Scx, "PD2", None, false),
            (Backend::Scx, "G-EDF", None, false),
        ] {
            let text = format!(
                "schedlab = 1\nscheduler = \"{scheduler}\"\n[platform]\nprocessors = 1\nquantum = \"2 ms\"\n\
                 [[task]]\nname = \"a\"\nwcet = \"2 ms\"\nperiod = \"10 ms\"\n"
            );
            let prepared = Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap();
            let run = RealRun::of(&prepared, &Header::new(backend), [(Instant::ZERO, Record::End)]).unwrap();
            let clusters = chose.then(|| vec![ClusterId(0)]);
            assert_eq!((run.quantum, run.cluster_of), (quantum, clusters), "{scheduler} by {backend:?}");
        }
    }

    /// Records that no run of the scenario can have are refused, because tables are by task and processor, and times
    /// are summed.
    #[test]
    fn what_no_run_of_the_scenario_has_is_refused() {
        let refused =
            |at, record| read(&Header::new(schedlab_trace::Backend::Threads), &[(at, record)]).unwrap_err();
        let (other, length) = (JobId::new(TaskId(1), 0), Duration::from_ns(u64::MAX));
        let unknown = [
            Record::Complete { job: other },
            Record::Run(RunRecord::Dispatch { cpu: CpuId(1), job: JOB }),
            Record::Run(RunRecord::SwitchIn { cpu: CPU, thread: Thread::Task(TaskId(1)) }),
            Record::Request { job: JOB, resource: ResourceId(0), units: 1 },
        ];
        for record in unknown {
            assert_eq!(refused(5, record), TraceProblem::Unknown(Instant::from_ns(5)), "{record:?}");
        }
        let since = Instant::from_ns(6);
        let cannot_be = [
            RunRecord::Standstill { since },
            RunRecord::Stolen { cpu: CPU, since, length: Duration::ZERO },
            RunRecord::Afterwards { task: TaskId(0), length },
        ];
        for record in cannot_be {
            assert_eq!(
                refused(5, Record::Run(record)),
                TraceProblem::Time(Instant::from_ns(5)),
                "{record:?}"
            );
        }
        assert_eq!(refused(LONGEST + 1, Record::End), TraceProblem::Time(Instant::from_ns(LONGEST + 1)));
        let header = |name, text| {
            read(&Header::new(schedlab_trace::Backend::Threads).with(name, text), &[])
                .unwrap_err()
                .to_string()
        };
        assert_eq!(header(PROCESSORS, "1 2"), "processors in the trace's header: 1 2");
        assert_eq!(header(THREADS, "9"), "threads in the trace's header: 9");
    }
}
