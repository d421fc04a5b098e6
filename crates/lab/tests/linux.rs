//! Advice for stock Linux: what is ranked as schedulable is proved, simulates without misses, and can be deployed.

use schedlab_analysis::Answer;
use schedlab_lab::advise::linux::{refusal_of, LinuxAdvice, LinuxPlan, LinuxWay};
use schedlab_lab::deploy::deploy;
use schedlab_lab::{analyze, findings, Catalog, Prepared};
use schedlab_model::Duration;
use schedlab_policy::Throttling;
use schedlab_scenario::launch::Launcher;
use schedlab_scenario::Scenario;
use schedlab_trace::Timeline;
use std::fmt::Write as _;

fn example() -> Scenario {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/linux.toml");
    Scenario::parse("linux.toml", &std::fs::read_to_string(path).unwrap()).unwrap()
}

fn advise(scenario: &Scenario) -> LinuxAdvice {
    let plan = LinuxPlan::of(scenario, &Catalog::shipped());
    plan.conclude((0..plan.ways()).map(|index| plan.judge(index)).collect())
}

fn late(scenario: &Scenario) -> u64 {
    let prepared = Prepared::new(scenario).unwrap_or_else(|error| panic!("{error}\n{}", scenario.to_toml()));
    prepared.simulate(&mut Timeline::default(), &mut |_| true).unwrap().jobs_missed
}

/// Returns the answer of `analyze` about deadlines.
fn answer(scenario: &Scenario) -> Answer {
    let prepared = Prepared::new(scenario).unwrap_or_else(|error| panic!("{error}"));
    schedlab_lab::concluded(&findings(&prepared, &analyze(&prepared).unwrap()))[0]
}

fn protocols(way: &LinuxWay) -> Vec<&str> {
    way.mutexes.iter().map(|mutex| mutex.protocol).collect()
}

/// Without a protocol a middle thread goes before the holder, on whom a more urgent one waits.
#[test]
fn only_a_protocol_of_the_mutex_keeps_the_deadlines() {
    let given = example();
    assert!(late(&given) > 0, "the scenario's own run shows it");
    let advice = advise(&given);
    assert!(advice.proved > 10, "{}", advice.proved);
    let own = advice.ways.iter().find(|way| way.is_own).expect("it is of Linux");
    assert!(!own.proved && protocols(own) == ["none", "none"], "{own:?}");
    let best = &advice.ways[0];
    assert!(best.proved && best.rank == 1 && best.unheeded.is_empty(), "{best:?}");
    assert_eq!(best.mutexes[0].protocol, "inherit", "{best:?}");
    for way in advice.ways.iter().filter(|way| way.proved && way.unheeded.is_empty()) {
        assert_ne!(way.mutexes[0].protocol, "none", "{way:?}");
    }
    let protects = advice.ways.iter().find(|way| way.proved && protocols(way) == ["protect", "protect"]);
    let protects = protects.expect("a ceiling does as well");
    let odometry = protects.threads.iter().find(|thread| thread.name == "odometry").unwrap();
    assert_eq!(protects.mutexes[0].ceiling, odometry.priority, "the most urgent user");
    assert_eq!(odometry.taskset.as_deref(), Some("taskset --cpu-list --pid 0 TID"));
    assert_eq!(odometry.chrt, format!("chrt --fifo --pid {} TID", odometry.priority.unwrap()));
}

/// What is proposed means the same when it is fed back: to `analyze`, to `simulate` and to `export`.
#[test]
fn each_proved_way_is_a_scenario_of_the_same_verdict() {
    let given = example();
    let catalog = Catalog::shipped();
    let plan = LinuxPlan::of(&given, &catalog);
    let mut proved = 0;
    for index in 0..plan.ways() {
        let way = plan.judge(index).way;
        if !way.proved {
            continue;
        }
        proved += 1;
        let text = plan.made(index).unwrap().to_toml();
        let again = Scenario::parse("again.toml", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        assert_eq!(answer(&again), Answer::Schedulable, "{text}");
        assert_eq!(late(&again), 0, "{text}");
        assert!(refusal_of(&again, &catalog).is_none());
        let written = deploy(&again, &catalog, Launcher::Systemd, false);
        assert_eq!(written.is_ok(), way.export_refuses.is_none(), "{way:?}");
        let written = written.unwrap_or_else(|error| panic!("{error}")).text;
        for thread in &way.threads {
            let priority = format!("CPUSchedulingPriority={}", thread.priority.unwrap());
            assert!(written.contains(&priority), "{thread:?}\n{written}");
        }
    }
    assert!(proved > 10, "{proved}");
    let best = advise(&given);
    let told = Scenario::parse("best.toml", best.scenario.as_ref().unwrap()).unwrap();
    assert_eq!(answer(&told), Answer::Schedulable);
}

/// Of more threads than there are levels, neighbours share one, and ties count as more urgent.
#[test]
fn more_threads_than_levels_are_proved_with_ties() {
    let mut text = String::from(
        "schedlab = 1\nscheduler = \"P-FP\"\nhorizon = \"1 s\"\nscheduler.priorities = \"DM\"\n",
    );
    text = text.replace("scheduler = \"P-FP\"\n", "scheduler.name = \"P-FP\"\n");
    for id in 0..150 {
        let period = 100 + id;
        let _ = writeln!(text, "[[task]]\nname = \"t{id}\"\nperiod = \"{period} ms\"\nwcet = \"300 us\"");
    }
    let plan = LinuxPlan::of(&Scenario::parse("a.toml", &text).unwrap(), &Catalog::shipped());
    let is_fifo = |index: &usize| plan.made(*index).is_ok_and(|made| made.scheduler_name() == "P-SCHED_FIFO");
    let index = (0..plan.ways()).filter(is_fifo).find(|index| plan.is_proved(*index)).expect("it fits");
    let best = plan.judge(index).way;
    let priorities: Vec<u32> = best.threads.iter().map(|thread| thread.priority.unwrap()).collect();
    assert_eq!((priorities[0], priorities[149]), (98, 1));
    assert!(priorities.windows(2).all(|pair| pair[0] >= pair[1]), "{priorities:?}");
    let made = Scenario::parse("b.toml", &plan.made(index).unwrap().to_toml()).unwrap();
    assert_eq!((answer(&made), late(&made)), (Answer::Schedulable, 0));
}

/// No test knows `SCHED_FIFO` on several processors, and none knows mutexes of `SCHED_DEADLINE` or throttling.
#[test]
fn what_is_unknown_stays_unknown() {
    let advice = advise(&example());
    for name in ["SCHED_FIFO", "SCHED_DEADLINE"] {
        let way = advice.ways.iter().find(|way| way.scheduler == name).expect("it is tried");
        assert!(!way.proved && way.reason.contains("no test is known"), "{way:?}");
    }
    assert!(advice.not_judged.iter().any(|line| line.contains("clusters")), "{:?}", advice.not_judged);
    // Threads that leave the kernel its 50 ms of a second are proved; of those that are stopped, nothing is.
    let throttled = |runtime_ms: u64| {
        let mut given = example();
        let [runtime, period] = [runtime_ms, 1_000].map(Duration::from_ms);
        given.scheduler.throttling = Some(Throttling { runtime, period });
        advise(&given)
    };
    assert!(throttled(950).proved > 0);
    let advice = throttled(300);
    assert_eq!(advice.proved, 0, "{:?}", advice.ways[0]);
    assert!(advice.ways[0].reason.contains("Linux may stop them after 300 ms"), "{:?}", advice.ways[0]);
    // On one processor without mutexes, servers of implicit deadlines are EDF.
    let alone = "schedlab = 1\nscheduler = \"P-EDF\"\nhorizon = \"1 s\"\n\
        task = [{ name = \"a\", wcet = \"4 ms\", period = \"8 ms\" }, { name = \"b\", wcet = \"5 ms\", period = \"12.9 ms\" }]\n";
    let advice = advise(&Scenario::parse("a.toml", alone).unwrap());
    assert_eq!(advice.ways[0].scheduler, "SCHED_DEADLINE", "{:?}", advice.ways[0]);
    assert!(advice.ways[0].proved && advice.ways[0].assumptions.iter().any(|line| line.contains("95%")));
    let chrt =
        "chrt --deadline --sched-runtime 4000000 --sched-deadline 8000000 --sched-period 8000000 --pid 0 TID";
    assert_eq!(advice.ways[0].threads[0].chrt, chrt);
    assert!(advice.ways.iter().all(|way| way.scheduler == "SCHED_DEADLINE" || !way.proved));
    // The kernel does not admit more than 90% of the processor, and no margin goes beyond: 88.76% may grow to that.
    assert!((1.3..1.4).contains(&advice.ways[0].margin.growth_percent()), "{:?}", advice.ways[0].margin);
    let full = alone.replace("12.9 ms", "10.5 ms");
    let advice = advise(&Scenario::parse("a.toml", &full).unwrap());
    let way = advice.ways.iter().find(|way| way.scheduler == "SCHED_DEADLINE").expect("it is tried");
    assert!(!way.proved && way.reason.contains("of a processor, and the kernel admits 90%"), "{way:?}");
}

/// Conditions on versions of the kernel are named with each proof.
#[test]
fn a_proof_names_what_linux_must_not_do() {
    let best = advise(&example()).ways.remove(0);
    for condition in ["decides at once", "6.12", "sched_rt_runtime_us", "clock_nanosleep"] {
        assert!(best.assumptions.iter().any(|line| line.contains(condition)), "{condition}: {best:?}");
    }
}

/// What stock Linux lacks is refused by place, with what it has instead.
#[test]
fn what_linux_lacks_is_refused() {
    let catalog = Catalog::shipped();
    let refused =
        |text: &str| refusal_of(&Scenario::parse("a.toml", text).unwrap(), &catalog).unwrap_or_default();
    let head = "schedlab = 1\nscheduler = \"P-EDF\"\nprotocol = \"msrp\"\nresource = [{ name = \"r\" }]\n";
    let task = "[[task]]\nname = \"t\"\nperiod = \"10 ms\"\nprogram = [\"request r\", \"execute 1 ms\", \"release r\"]\n";
    let said = refused(&format!("{head}{task}"));
    assert!(said.contains("scheduler.name") && said.contains("SCHED_DEADLINE"), "{said}");
    assert!(said.contains("\"msrp\"") && said.contains("PTHREAD_PRIO_INHERIT"), "{said}");
    let linux = format!("{head}{task}").replace("P-EDF", "P-SCHED_FIFO").replace("msrp", "ipcp");
    assert_eq!(refused(&linux), "");
    let near = refused(&linux.replace("P-SCHED_FIFO", "P-RM"));
    assert!(near.contains("P-SCHED_FIFO, which comes closest"), "{near}");
    let under_deadlines = refused(&linux.replace("P-SCHED_FIFO", "SCHED_DEADLINE"));
    assert!(under_deadlines.contains("\"ipcp\" is no protocol"), "{under_deadlines}");
    let np = linux.replace(
        "\"request r\", \"execute 1 ms\", \"release r\"",
        "\"np_enter\", \"execute 1 ms\", \"np_exit\"",
    );
    let np = refused(&np);
    assert!(np.contains("a.toml:8") && np.contains("without preemption"), "{np}");
}

/// `advise` and `analyze` on Linux give one margin, whether threads are of one class or of several.
#[test]
fn one_margin_for_threads_of_all_classes() {
    for class in ["fifo", "deadline"] {
        let text = format!(
            "schedlab = 1\nscheduler = {{ name = \"P-SCHED_FIFO\", urgent_priority = \"largest\" }}\ntask = [\
             {{ name = \"a\", wcet = \"3 ms\", period = \"10 ms\", priority = 3, class = \"{class}\" }}, \
             {{ name = \"b\", wcet = \"6 ms\", period = \"20 ms\", priority = 1 }}]\n"
        );
        let given = Scenario::parse("a.toml", &text).unwrap();
        let own = advise(&given).ways.into_iter().find(|way| way.is_own).expect("it is of Linux");
        assert!(own.proved, "{own:?}");
        let margin = |scenario: &Scenario| {
            let prepared = Prepared::new(scenario).unwrap();
            schedlab_lab::sensitivity::critical_scaling(&prepared)
        };
        assert_eq!(margin(&given.clone().on_linux()), own.margin, "{class}");
        // 60% may grow to 94.9% with throttling, and on a machine without it to 100%.
        assert!(margin(&given) > own.margin, "{class}");
        let written = made_of(&given, |way| way.is_own);
        assert_eq!(written.scheduler.throttling, Some(Throttling::default()), "{class}");
        assert_eq!(margin(&Scenario::parse("b.toml", &written.to_toml()).unwrap()), own.margin, "{class}");
    }
}

/// Returns the scenario of the first way that is as asked.
fn made_of(given: &Scenario, is_it: impl Fn(&LinuxWay) -> bool) -> Scenario {
    let plan = LinuxPlan::of(given, &Catalog::shipped());
    let index = (0..plan.ways()).find(|index| is_it(&plan.judge(*index).way)).expect("there is one");
    plan.made(index).unwrap().clone()
}

/// Threads that are to keep their priorities get others if one of these is the kernel's.
#[test]
fn stated_priorities_that_are_not_kept_are_said() {
    let text =
        "schedlab = 1\nscheduler = { name = \"P-SCHED_FIFO\", urgent_priority = \"largest\" }\ntask = [\
                { name = \"a\", wcet = \"3 ms\", period = \"10 ms\", priority = 99 }, \
                { name = \"b\", wcet = \"6 ms\", period = \"20 ms\", priority = 50 }]\n";
    let of = |text: &str| {
        let ways = advise(&Scenario::parse("a.toml", text).unwrap()).ways;
        ways.into_iter().find(|way| way.is_own).expect("it is of Linux").caveats.left_out
    };
    let said = of(text);
    assert!(said.iter().any(|line| line.contains("a 98 (stated 99), b 97 (stated 50)")), "{said:?}");
    assert!(of(&text.replace("99", "98")).is_empty());
}
