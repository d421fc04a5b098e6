//! Settings of Linux: what is proved of them, and what is refused.

use schedlab_lab::deploy::{deploy, DeployError};
use schedlab_lab::{Catalog, Prepared};
use schedlab_scenario::launch::Launcher;
use schedlab_scenario::Scenario;

/// Three tasks under P-RM, two of which share; the second is on processor `second`.
fn scenario(protocol: &str, second: u16) -> Scenario {
    let row = |name: &str, cpu: u16, period: u32, program: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\nwcet = \"2 ms\"\nperiod = \"{period} ms\"\nprocessor = {cpu}\n{program}\n"
        )
    };
    let section = "program = [\"request r\", \"execute 2 ms\", \"release r\"]";
    let text = format!(
        "schedlab = 1\nhorizon = \"1 s\"\nprotocol = \"{protocol}\"\nscheduler.name = \"P-RM\"\n\
         platform.processors = 2\nresource = [{{ name = \"r\" }}]\n{}{}{}",
        row("a", 0, 10, section),
        row("b", second, 20, section),
        row("c", 0, 15, "")
    );
    Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn of(scenario: &Scenario, unproved: bool) -> Result<String, DeployError> {
    let found = deploy(scenario, &Catalog::shipped(), Launcher::Systemd, unproved);
    found.map(|deployment| deployment.text)
}

/// The tasks are proved under MPCP, and PTHREAD_PRIO_INHERIT is another protocol.
#[test]
fn what_was_proved_is_what_runs() {
    for (protocol, second) in [("mpcp", 0), ("mpcp", 1), ("msrp", 1)] {
        let given = scenario(protocol, second);
        let prepared = Prepared::for_analysis(&given, &Catalog::shipped()).unwrap();
        assert!(schedlab_lab::sensitivity::is_proved(&prepared), "{protocol}");
        for unproved in [false, true] {
            let error = of(&given, unproved).unwrap_err();
            assert!(matches!(error, DeployError::OtherMeaning { .. }), "{error}");
            let ways =
                "P-RM under pip, which is PTHREAD_PRIO_INHERIT: schedulable; P-RM under ipcp, which is \
                        PTHREAD_PRIO_PROTECT: schedulable";
            assert_eq!(error.to_string().contains(ways), second == 0, "{error}");
        }
    }
    for protocol in ["pip", "ipcp"] {
        assert!(of(&scenario(protocol, 0), false).is_ok(), "{protocol}");
    }
    // The reader refuses the other one between processors.
    let error = of(&scenario("pip", 1), true).unwrap_err();
    assert!(error.to_string().contains("resource \"r\" has users on several"), "{error}");
}

/// Ordinary mutexes: nothing is proved of tasks that share them.
#[test]
fn what_is_not_proved_says_so() {
    let error = of(&scenario("none", 0), false).unwrap_err();
    assert!(matches!(error, DeployError::Unproved { .. }), "{error}");
    let text = of(&scenario("none", 0), true).unwrap();
    assert_eq!(text.matches("# NOT PROVED: deadlines may be missed. ").count(), 3, "{text}");
    assert_eq!(text.matches(": an ordinary mutex\n").count(), 2, "{text}");
}

/// One task of `wcet` each 100 ms on one processor.
fn one(head: &str, wcet: &str) -> Scenario {
    let text = format!(
        "schedlab = 1\n{head}\ntask = [{{ name = \"a\", wcet = \"{wcet}\", period = \"100 ms\", priority = 5 }}]\n"
    );
    Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Overheads of the mean are exceeded: what rests on them is no promise.
#[test]
fn a_proof_from_mean_overheads_is_refused() {
    let given = |statistic: &str| {
        let all = "all = { release = { max = \"5 ms\", mean = \"1 us\" } }";
        let own = format!("title = \"t\", statistic = \"{statistic}\", {all}");
        one(&format!("scheduler = \"P-RM\"\noverheads = {{ {own} }}"), "40 ms")
    };
    let condition = "overheads are at most the mean (not the largest) of those of t";
    let error = of(&given("mean"), false).unwrap_err();
    assert!(matches!(error, DeployError::Doubted { .. }), "{error}");
    let said = error.to_string();
    assert!(said.contains(condition) && said.contains("allowed: --statistic max, or --unproved"), "{said}");
    let text = of(&given("mean"), true).unwrap();
    assert!(
        text.contains(&format!("# NOT PROVED: deadlines may be missed. a proof takes it that {condition}")),
        "{text}"
    );
    let largest = of(&given("max"), false).unwrap();
    assert!(largest.contains("* overheads are at most those of t, accounted for"), "{largest}");
}

/// The kernel of the scenario stops the threads, of which no proof under another scheduler knows.
#[test]
fn settings_of_threads_that_the_kernel_stops_are_refused() {
    let given = |runtime: &str| {
        let throttling = format!("throttling = {{ runtime = \"{runtime}\", period = \"1 s\" }}");
        let own = one(&format!("scheduler = {{ name = \"P-SCHED_FIFO\", {throttling} }}"), "60 ms");
        own.with_scheduler("P-RM").unwrap()
    };
    let error = of(&given("500 ms"), false).unwrap_err();
    assert!(matches!(error, DeployError::Doubted { .. }), "{error}");
    let said = error.to_string();
    assert!(
        said.contains(
            "under P-RM threads may take processor 0 for 600 ms of 1 s, and Linux may stop them after 500 ms"
        ),
        "{said}"
    );
    assert!(said.contains("without that, what would be proved: "), "{said}");
    assert!(of(&given("500 ms"), true).unwrap().contains("# NOT PROVED: "));
    assert!(of(&given("1 s"), false).unwrap().contains("# All deadlines are proved"));
    let leaves_enough = of(&given("700 ms"), false).unwrap();
    assert!(
        leaves_enough.contains("real-time threads only where they execute for 700 ms of 1 s"),
        "{leaves_enough}"
    );
}

/// A scenario that states no throttling is about a kernel with its default one, whichever scheduler is proved.
#[test]
fn without_stated_throttling_the_kernels_default_counts() {
    for scheduler in ["P-RM", "P-SCHED_FIFO"] {
        let of = |wcet: &str| of(&one(&format!("scheduler = \"{scheduler}\""), wcet), false);
        let error = of("96 ms").unwrap_err().to_string();
        assert!(error.contains("for 960 ms of 1 s, and Linux may stop them after 950 ms"), "{error}");
        let text = of("90 ms").unwrap();
        assert!(
            text.contains("states no throttling, so the kernel's default is taken: 950 ms of each 1 s"),
            "{text}"
        );
    }
    let deadlines = one("scheduler = \"G-EDF\"", "95 ms");
    let of =
        |given: &Scenario, unproved| deploy(given, &Catalog::shipped(), Launcher::SchedDeadline, unproved);
    let error = of(&deadlines, false).unwrap_err().to_string();
    assert!(error.contains("need 95% of a processor, and the kernel admits 90%"), "{error}");
    assert!(of(&deadlines, true).unwrap().text.contains("NOT PROVED"));
    assert!(of(&one("scheduler = \"G-EDF\"", "90 ms"), false).is_ok());
}

/// 99 is the kernel's: threads get other numbers, which the answer and the file say.
#[test]
fn other_priorities_than_the_stated_ones_are_said() {
    let of = |first: u32, second: u32, scheduler: &str| {
        let text = format!(
            "schedlab = 1\nscheduler = {{ name = \"{scheduler}\", urgent_priority = \"largest\" }}\ntask = [\
             {{ name = \"a\", wcet = \"1 ms\", period = \"10 ms\", priority = {first} }}, \
             {{ name = \"b\", wcet = \"1 ms\", period = \"20 ms\", priority = {second} }}]\n"
        );
        let given = Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"));
        let threads = Launcher::Threads(schedlab_scenario::launch::ThreadsFile::Script);
        let found = deploy(&given, &Catalog::shipped(), threads, false).unwrap();
        let said = found.lost.into_iter().find(|line| line.starts_with("priorities are not those"));
        assert_eq!(said.is_some(), found.text.contains("priorities are not those"));
        said.unwrap_or_default()
    };
    assert_eq!(of(98, 3, "P-SCHED_FIFO"), "");
    let said = of(99, 3, "P-SCHED_FIFO");
    assert!(
        said.contains("a 98 (stated 99), b 97 (stated 3): 99 of a is that of the kernel's own threads"),
        "{said}"
    );
    let said = of(120, 3, "P-FP");
    assert!(said.contains("SCHED_FIFO has 1 to 98 for tasks, and a states another one"), "{said}");
    let said = of(7, 7, "P-FP");
    assert!(said.contains("P-FP takes equal ones by their order"), "{said}");
}

#[test]
fn a_promise_about_observed_costs_says_so() {
    let text = of(&one("scheduler = \"P-RM\"\nwcets = \"observed\"", "6 ms"), false).unwrap();
    assert!(
        text.contains("# All deadlines are proved to be met, if no job costs more than was observed: "),
        "{text}"
    );
    assert!(text.contains("# * execution times are at most those observed"), "{text}");
}

/// 1.5 + 1.5 of 3 us are all of a processor; in whole microseconds they are 4 of 3.
#[test]
fn what_is_proved_is_what_a_rounding_file_says() {
    let text = "schedlab = 1\nhorizon = \"1 s\"\n\
                scheduler = { name = \"P-RM\", throttling = { runtime = \"1 s\", period = \"1 s\" } }\n\
                [[task]]\nname = \"a\"\nwcet = \"1500 ns\"\nperiod = \"3 us\"\n\
                [[task]]\nname = \"b\"\nwcet = \"1500 ns\"\nperiod = \"3 us\"\n";
    let given = Scenario::parse("test", text).unwrap();
    let of = |launcher| deploy(&given, &Catalog::shipped(), launcher, false);
    assert!(of(Launcher::Systemd).is_ok());
    assert!(matches!(of(Launcher::RtApp).unwrap_err(), DeployError::Unproved { .. }));
    let unproved = deploy(&given, &Catalog::shipped(), Launcher::RtApp, true).unwrap();
    assert!(unproved.lost[0].starts_with("a, b: rt-app counts in microseconds"), "{:?}", unproved.lost);
    assert!(unproved.text.contains("a, b: rt-app counts in microseconds"), "{}", unproved.text);
}
