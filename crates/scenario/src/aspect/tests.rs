//! Each format writes every part of a scenario or lists it as lost.

use super::*;
use crate::export::Export;
use crate::launch::OTHER;
use crate::resource::ObjectSpec;
use crate::scenario::{Clusters, ServerSpec, SupertaskSpec};
use crate::words::{ComponentOrder, DeadlineRule, Priorities, UrgentPriority, Wcets, Weights};
use schedlab_model::{
    AbortHandler, Alignment, CpuId, Duration, MutexProtocol, ObjectKind, Overrun, ReleasePoint, Scheme,
    SharedCache, TaskPiece, ThreadClass, TimeUtility, Utility, Work,
};
use schedlab_policy::pfair::{Affinity, ComponentScheduling};
use schedlab_policy::servers::{ClientOrder, ServerKind};
use schedlab_policy::Throttling;
use schedlab_workload::placement::Fit;

/// Four tasks on four processors, the last two without a place; the first two share a mutex.
fn base(scheduler: &str, protocol: &str) -> Scenario {
    let section = "program = [\"request R1\", \"execute 1 ms\", \"release R1\"]";
    let text = format!(
        "schedlab = 1\nscheduler.name = \"{scheduler}\"\nprotocol = \"{protocol}\"\nplatform.processors = 4\n\
         resource = [{{ name = \"R1\" }}]\n\
         [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\npriority = 2\nprocessor = 1\n{section}\n\
         [[task]]\nname = \"b\"\nwcet = \"1 ms\"\nperiod = \"20 ms\"\npriority = 1\nprocessor = 1\n{section}\n\
         [[task]]\nname = \"c\"\nwcet = \"9 ms\"\nperiod = \"15 ms\"\npriority = 3\n\
         [[task]]\nname = \"d\"\nwcet = \"1 ms\"\nperiod = \"30 ms\"\npriority = 4\n"
    );
    Scenario::parse("base.toml", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn supertask() -> SupertaskSpec {
    let (order, scheduling) = (ComponentOrder::Edf, ComponentScheduling::default());
    SupertaskSpec { name: "s".into(), order, scheduling, weight: None }
}

fn server() -> ServerSpec {
    let (budget, period) = (Work::from_ns(1), Duration::from_ms(1));
    let (name, kind) = ("s".into(), ServerKind::Polling);
    let (relative_deadline, order) = (period, ClientOrder::default());
    let (priority, processor) = (Some(1), Some(1));
    ServerSpec {
        name,
        kind,
        budget,
        period,
        relative_deadline,
        order,
        priority,
        processor,
        background: false,
    }
}

/// Adds a server with this task as its client.
fn serve(scenario: &mut Scenario, client: usize) {
    scenario.servers.push(server());
    scenario.tasks[client].server = Some("s".into());
}

/// Sets the scheduler that heeds what mutexes and threads of POSIX state.
fn fifo(scenario: &mut Scenario) -> &mut Scenario {
    scenario.scheduler.name = "SCHED_FIFO".into();
    scenario
}

/// Changes this part of the scenario.
fn change(aspect: Aspect, scenario: &mut Scenario) {
    let ms = Duration::from_ms;
    let later = Instant::from_ns(1_000_000);
    let (scheduler, platform) = (&mut scenario.scheduler, &mut scenario.platform);
    let (first, last) = (0, 3);
    match aspect {
        Aspect::Title => scenario.title = "other".into(),
        Aspect::Source => scenario.source = "other".into(),
        Aspect::Notes => scenario.notes = "other".into(),
        Aspect::LeftOut => scenario.left_out = vec!["speed 0.2 of processor CPU 2".into()],
        Aspect::Seed => scenario.seed = 7,
        Aspect::DeadlineRule => scenario.deadlines = DeadlineRule::Implicit,
        Aspect::Wcets => scenario.wcets = Wcets::Observed,
        Aspect::Overruns => scenario.overruns = Overrun::Cut,
        Aspect::Scheduler => scheduler.name = "P-RM".into(),
        Aspect::UrgentPriority => scheduler.urgent_priority = UrgentPriority::Largest,
        Aspect::Priorities => scheduler.priorities = Priorities::Audsley,
        Aspect::Weights => scheduler.weights = Weights::Guaranteed,
        Aspect::Placement => scheduler.placement.fit = Some(Fit::First),
        Aspect::PfairAffinity => scheduler.affinity = *Affinity::ALL.last().expect("there are several"),
        Aspect::Throttling => scheduler.throttling = Some(Throttling { runtime: ms(9), period: ms(10) }),
        Aspect::Protocol => scenario.protocol = "ipcp".into(),
        Aspect::Processors => platform.processors = 6,
        Aspect::Clusters => platform.clusters = Clusters::OfSize(1),
        Aspect::Quantum => platform.quantum = ms(2),
        Aspect::Alignment => platform.alignment = Alignment::Staggered,
        Aspect::Releases => platform.releases = ReleasePoint::Tick,
        Aspect::SharedCaches => {
            platform.caches.push(SharedCache { level: 2, cpus: vec![CpuId(0), CpuId(1)] })
        }
        Aspect::Memory => platform.memory.gap += 1,
        Aspect::Overheads => *scenario = scenario.clone().with_overheads("paper-2008-4k").unwrap(),
        Aspect::Resources => scenario.resources[first].name = "other".into(),
        Aspect::Units => scenario.resources[first].units = 3,
        Aspect::Lengths => scenario.resources[first].length = Length::Long,
        Aspect::Mutexes => fifo(scenario).resources[first].protocol = Some(MutexProtocol::Protect),
        Aspect::Objects => {
            scenario.resources[first].object = Some(ObjectSpec::new(ObjectKind::Queue, Scheme::WaitFree))
        }
        Aspect::Supertasks => scenario.supertasks.push(supertask()),
        Aspect::Servers => scenario.servers.push(server()),
        Aspect::Horizon => scenario.horizon = Instant::from_ns(7_777_000_000),
        Aspect::ShortDeadline => scenario.tasks[first].relative_deadline = ms(9),
        Aspect::LongDeadline => scenario.tasks[first].relative_deadline = ms(11),
        Aspect::Offset => scenario.tasks[first].offset = later,
        Aspect::Jitter => scenario.tasks[first].jitter = ms(1),
        Aspect::Suspension => scenario.tasks[last].suspension = Suspension::Dynamic(ms(1)),
        Aspect::WorkingSet => scenario.tasks[first].working_set = 4_096,
        Aspect::Priority => scenario.tasks[first].priority = Some(0),
        Aspect::Class => fifo(scenario).tasks[last].class = ThreadClass::Ordinary,
        Aspect::PriorityPoint => scenario.tasks[first].priority_point = Some(ms(3)),
        Aspect::Utility => {
            scenario.tasks[first].utility =
                Some(TimeUtility::Step { height: Utility::from_millionths(7), termination: None })
        }
        Aspect::AbortHandler => scenario.tasks[first].abort_handler = Some(handler()),
        Aspect::Processor => scenario.tasks[last].processor = Some(3),
        Aspect::Pieces => scenario.tasks[first].pieces = vec![piece()],
        Aspect::Affinity => scenario.tasks[last].affinity = vec![3],
        Aspect::Cluster => scenario.tasks[last].cluster = Some(0),
        Aspect::Component => scenario.tasks[first].supertask = Some("s".into()),
        Aspect::Client => serve(scenario, last),
        Aspect::Sporadic => scenario.tasks[first].arrival = Arrival::Sporadic { delay: ms(1), like: None },
        Aspect::Listed => scenario.tasks[first].arrival = Arrival::Listed(vec![later]),
        Aspect::Cost => scenario.tasks[first].cost = CostModel::Listed(vec![Work::from_ns(5)]),
        Aspect::Presence => scenario.tasks[first].leave = Instant::from_ns(999_000_000),
        Aspect::Program => scenario.tasks[last].program = scenario.tasks[first].program.clone(),
        Aspect::Workload => scenario.tasks[first].workload = Workload::Reads,
    }
}

fn handler() -> AbortHandler {
    AbortHandler { cost: Work::from_ns(9), utility: Utility::ZERO }
}

fn piece() -> TaskPiece {
    let (budget, length) = (Work::from_ns(2_000_000), Duration::from_ms(8));
    TaskPiece { cpu: CpuId(0), budget, begin: Duration::ZERO, relative_deadline: length }
}

const FORMATS: [&str; 6] = ["csv", "schedcat", "simso", "rt-app", "sched_deadline", "systemd"];

/// Returns the text and what is lost; a refusal loses everything.
fn written(scenario: &Scenario, format: &str) -> (String, Vec<String>) {
    let found = match Export::named(format).unwrap() {
        Export::Toml => return (scenario.to_toml(), Vec::new()),
        Export::Format(format) => format.write(scenario),
        Export::Launcher(launcher) => {
            let protocol = scenario.composed(scenario.known_protocol().unwrap());
            launcher.write(scenario, &protocol, &[])
        }
    };
    found.map_or_else(|errors| (String::new(), vec![errors.to_string()]), |found| (found.value, found.lost))
}

/// Each part that changes shows in the text, in the list of what is lost, or in a refusal: under partitioned or
/// clustered scheduling, or by deadlines. A part that no list names shows in the text itself. Files that launch threads
/// are silent about what says nothing of threads.
#[test]
fn each_part_is_written_or_listed() {
    let bases = [("P-FP", "pip"), ("C-FP", "none"), ("G-EDF", "none")]
        .map(|(scheduler, protocol)| base(scheduler, protocol));
    for format in FORMATS {
        let launches = matches!(Export::named(format).unwrap(), Export::Launcher(_));
        let is_due = |aspect: &&Aspect| !(launches && OTHER.contains(aspect));
        for aspect in Aspect::ALL.iter().filter(is_due) {
            let shows = bases.iter().any(|base| {
                let mut changed = base.clone();
                change(*aspect, &mut changed);
                let ((text, lost), (other, more)) = (written(base, format), written(&changed, format));
                let name =
                    |line: &String| line.trim_start_matches("not written: ").starts_with(aspect.text());
                let is_listed = more.iter().any(|line| name(line) || !lost.contains(line));
                // Comments of files for Linux list what is lost, too.
                text != other || is_listed
            });
            assert!(shows, "{format} says nothing of {aspect:?}");
        }
    }
}

/// Each part that can be written as text is one that a scenario can have: the canonical file has it.
#[test]
fn the_scenario_file_holds_each_part() {
    for aspect in Aspect::ALL {
        let (plain, mut changed) = (base("P-FP", "pip"), base("P-FP", "pip"));
        change(*aspect, &mut changed);
        assert_ne!(plain.to_toml(), changed.to_toml(), "{aspect:?}");
        let parts = |scenario: &Scenario| said(scenario).iter().map(Said::line).collect::<Vec<_>>();
        assert!(parts(&changed).len() >= parts(&plain).len(), "{aspect:?}");
    }
}

/// Losses after which tasks look easier are marked as such.
#[test]
fn what_eases_is_said() {
    for (aspect, eases) in [
        (Aspect::Jitter, true),
        (Aspect::Suspension, true),
        (Aspect::ShortDeadline, true),
        (Aspect::LongDeadline, false),
        (Aspect::Overheads, true),
        (Aspect::Offset, false),
    ] {
        let mut changed = base("P-FP", "pip");
        change(aspect, &mut changed);
        let found = lost(&changed, &[]);
        let line = found.iter().find(|line| line.starts_with(aspect.text())).expect("it is listed");
        assert_eq!(line.ends_with("easier than they are"), eases, "{line}");
    }
}

/// A long list of tasks is cut, with the number of those left out.
#[test]
fn long_lists_are_cut() {
    let names: Vec<String> = (1..=7).map(|id| format!("t{id}")).collect();
    assert_eq!(shortened(&names), "t1, t2, t3, t4, t5 and 2 more");
    assert_eq!(loss("jitter", &names[..2], false).unwrap(), "jitter of t1, t2");
    assert_eq!(loss("jitter", &names[..0], true), None);
}
