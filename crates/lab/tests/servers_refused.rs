//! What cannot be beside budget servers, and what is wrong with them: refused with the place, the reason, and what to
//! do.

use crate::servers::{counterexample, simulated};
use schedlab_analysis::Answer;
use schedlab_lab::{analyze, concluded, findings, KernelParameters, Prepared};
use schedlab_model::{Duration, Work};
use schedlab_policy::{all_schedulers, KernelClass};
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};

/// Returns the errors of a scenario.
fn refused(text: &str) -> String {
    Scenario::parse("bad.toml", text).expect_err("it is refused").to_string()
}

#[test]
fn schedulers_and_machines_that_rules_do_not_know_are_refused() {
    let text = counterexample("polling").text(20);
    for (scheduler, why) in [
        ("P-EDF", "kind \"polling\" under P-EDF: the urgency of such a server is a fixed priority"),
        ("NP-RM", "budget servers under NP-RM: their rules are for preemptive fixed priorities"),
        ("PD2", "budget servers under PD2"),
        ("P-FIFO", "budget servers under P-FIFO"),
        ("SCHED_FIFO", "budget servers under SCHED_FIFO"),
    ] {
        let said = refused(&text.replace("\"P-RM\"", &format!("\"{scheduler}\"")));
        assert!(said.contains(why), "{scheduler}: {said}");
    }
    let on_two =
        text.replace("\"P-RM\"", "\"G-RM\"").replace("[[server]]", "platform.processors = 2\n[[server]]");
    assert!(
        refused(&on_two).contains("\"polling\" under G-RM: its rule knows one processor"),
        "{}",
        refused(&on_two)
    );
    let overheads = text.replace("[[server]]", "overheads = \"paper-2008-4k\"\n[[server]]");
    assert!(refused(&overheads).contains("overheads beside budget servers"), "{}", refused(&overheads));
}

/// A scheduler either executes servers or refuses them: none passes them over.
#[test]
fn no_scheduler_passes_servers_over() {
    let mut executed = Vec::new();
    for name in all_schedulers().into_iter().map(|scheduler| scheduler.name) {
        for kind in ["polling", "soft-cbs"] {
            let text = counterexample(kind).text(40).replace("\"P-RM\"", &format!("\"{name}\""));
            // FP needs priorities, which clients have from their server.
            let text = text.replace("[[task]]\n", "[[task]]\npriority = 1\n");
            let text = text.replace("priority = 1\nname = \"s", "name = \"s");
            let text = text.replace("[[server]]\n", "[[server]]\npriority = 0\n");
            match Scenario::parse("any", &text) {
                Ok(scenario) => {
                    let prepared = Prepared::new(&scenario).unwrap_or_else(|error| panic!("{name}: {error}"));
                    let timeline = simulated(&prepared);
                    let told = timeline.records.iter().any(|(_, record)| {
                        matches!(record, Record::ServerBudget { left, .. } if left.as_ns() == 3_000_000)
                    });
                    assert!(told, "{name} {kind}");
                    executed.push((name.clone(), kind));
                }
                Err(errors) => {
                    let said = errors.to_string();
                    let refuses =
                        [format!("budget servers under {name}"), format!("\"{kind}\" under {name}")];
                    assert!(refuses.iter().any(|refusal| said.contains(refusal)), "{name} {kind}: {said}");
                }
            }
        }
    }
    executed.sort();
    let expected = [
        ("C-DM", "polling"),
        ("C-EDF", "soft-cbs"),
        ("C-FP", "polling"),
        ("C-RM", "polling"),
        ("G-DM", "polling"),
        ("G-EDF", "soft-cbs"),
        ("G-FP", "polling"),
        ("G-RM", "polling"),
        ("P-DM", "polling"),
        ("P-EDF", "soft-cbs"),
        ("P-FP", "polling"),
        ("P-RM", "polling"),
    ];
    assert_eq!(executed, expected.map(|(name, kind)| (name.to_owned(), kind)));
}

/// Each change makes the scenario wrong, and is refused in these words.
#[test]
fn wrong_servers_and_clients_are_refused() {
    let text = counterexample("polling").text(20);
    let client = "name = \"s0\"\nserver = \"s\"\n";
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "budget = \"3 ms\"",
            "budget = \"8 ms\"",
            &["server[0].budget: \"8 ms\" is more than the period of 7 ms"],
        ),
        ("budget = \"3 ms\"", "budget = \"0 ms\"", &["server[0].budget", "0 ms"]),
        ("budget = \"3 ms\"\n", "", &["server[0].budget", "missing"]),
        ("\"polling\"", "\"pooling\"", &["server[0].kind", "pooling", "polling, deferrable"]),
        (
            "\"polling\"",
            "\"polling\"\nprocessor = 3",
            &["server[0].processor: 3 does not exist", "from 0 to 0"],
        ),
        ("\"polling\"", "\"polling\"\nsize = 3", &["server[0].size"]),
        (client, "name = \"s0\"\nserver = \"z\"\n", &["task[2].server", "\"z\"", "allowed: s"]),
        (client, &format!("{client}priority = 3\n"), &["task[2].priority", "from the server"]),
        (client, &format!("{client}processor = 0\n"), &["task[2].processor", "from the server"]),
        (client, &format!("{client}jitter = \"1 ms\"\n"), &["task[2].jitter", "only executes"]),
        (
            client,
            &format!("{client}program = [\"execute 1ms\", \"suspend 1ms\"]\n"),
            &["task[2]", "only executes"],
        ),
        (
            "[[server]]\nname = \"s\"",
            &format!("{EMPTY}[[server]]\nname = \"s\""),
            &["\"empty\" has no client"],
        ),
        (
            "[[server]]\nname = \"s\"",
            &format!("{}[[server]]\nname = \"s\"", EMPTY.replace("empty", "s")),
            &["server[1].name", "\"s\""],
        ),
    ];
    for (from, to, words) in cases {
        assert!(text.contains(from), "{from}");
        let said = refused(&text.replacen(from, to, 1));
        words.iter().for_each(|word| assert!(said.contains(word), "{word}: {said}"));
    }
}

/// A server without clients.
const EMPTY: &str =
    "[[server]]\nname = \"empty\"\nkind = \"polling\"\nbudget = \"1 ms\"\nperiod = \"9 ms\"\n";

/// A section of a task beside a server, whatever the protocol.
#[test]
fn sections_beside_servers_are_refused() {
    let text = counterexample("polling").text(20);
    for protocol in ["pip", "srp"] {
        let shared = format!("protocol = \"{protocol}\"\n[[resource]]\nname = \"R\"\n[[server]]\n");
        let program =
            "name = \"a\"\nprogram = [\"request R\", \"execute 1ms\", \"release R\", \"execute 1ms\"]\n";
        let said = refused(&text.replace("[[server]]\n", &shared).replace("name = \"a\"\n", program));
        assert!(said.contains("sections beside budget servers"), "{protocol}: {said}");
    }
}

/// Under Linux's class of reservations, a server is that of its one client's thread. Nothing simulates or proves it.
#[test]
fn a_reservation_of_the_kernel_is_a_hard_server_of_one_client() {
    let text = |of_server: &str| {
        format!(
            "schedlab = 1\nscheduler = \"SCHED_DEADLINE\"\nplatform.processors = 2\n\
             [[server]]\nname = \"s\"\nbudget = \"2 ms\"\nperiod = \"10 ms\"\n{of_server}\
             [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"5 ms\"\n\
             [[task]]\nname = \"c\"\nserver = \"s\"\nwcet = \"9 ms\"\nperiod = \"20 ms\"\n"
        )
    };
    let hard = text("kind = \"hard-cbs\"\n");
    let prepared = Prepared::new(&Scenario::parse("a.toml", &hard).unwrap()).unwrap();
    let reserved = |budget, period| KernelParameters::Deadline {
        budget: Work::from_ns(budget),
        relative_deadline: Duration::from_ms(period),
        period: Duration::from_ms(period),
    };
    let found = prepared.kernel_parameters(KernelClass::Deadline).unwrap();
    assert_eq!(found, [reserved(1_000_000, 5), reserved(2_000_000, 10)]);
    assert!(
        prepared.simulate(&mut Timeline::default(), &mut |_| true).is_err(),
        "the kernel is not modelled"
    );
    let found = findings(&prepared, &analyze(&prepared).unwrap());
    assert_eq!(concluded(&found), [Answer::Unknown; 2]);
    let two = format!("{hard}[[task]]\nname = \"d\"\nserver = \"s\"\nwcet = \"1 ms\"\nperiod = \"9 ms\"\n");
    for (text, why) in [
        (text("kind = \"soft-cbs\"\n"), "a reservation of the kernel is a \"hard-cbs\""),
        (text("kind = \"polling\"\n"), "server[0].kind: kind \"polling\" under SCHED_DEADLINE"),
        (two, "a server of 2 clients under SCHED_DEADLINE"),
        (text("kind = \"hard-cbs\"\nprocessor = 0\n"), "the kernel binds no thread of SCHED_DEADLINE"),
    ] {
        let said = refused(&text);
        assert!(said.contains(why), "{why}: {said}");
    }
}

/// A job in the background by its overrun has no server's urgency any more, and no rule says what its server then does.
#[test]
fn overruns_in_the_background_are_refused() {
    let text = counterexample("polling").text(20);
    let said = refused(&text.replace("[[server]]", "overruns = \"best-effort\"\n[[server]]"));
    assert!(said.contains("\"best-effort\" beside budget servers"), "{said}");
    for overruns in ["ignore", "warn", "cut"] {
        let text = text.replace("[[server]]", &format!("overruns = \"{overruns}\"\n[[server]]"));
        assert!(Scenario::parse("a.toml", &text).is_ok(), "{overruns}");
    }
}
