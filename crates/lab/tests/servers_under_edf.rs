//! Servers under EDF: constant bandwidth servers on several processors that share a ready queue, and the dynamic
//! sporadic server: schedules by hand, what is proved beside them, and what is refused.

use crate::servers::simulated;
use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Prepared};
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};

/// A task, or a client of a server: name, server, and arrivals and costs in milliseconds.
type Listed<'a> = (&'a str, &'a str, &'a [(u64, u64)]);

/// Scenario on two processors of servers (name, budget, period) of one kind, periodic tasks (name, cost, period), and
/// clients, in milliseconds.
fn text(
    kind: &str,
    servers: &[(&str, u64, u64)],
    tasks: &[(&str, u64, u64)],
    clients: &[Listed<'_>],
    horizon: u64,
) -> String {
    let mut text =
        format!("schedlab = 1\nhorizon = \"{horizon} ms\"\nscheduler = \"G-EDF\"\nplatform.processors = 2\n");
    for (name, budget, period) in servers {
        text += &format!(
            "[[server]]\nname = \"{name}\"\nkind = \"{kind}\"\nbudget = \"{budget} ms\"\nperiod = \"{period} ms\"\n"
        );
    }
    for (name, wcet, period) in tasks {
        text += &format!("[[task]]\nname = \"{name}\"\nwcet = \"{wcet} ms\"\nperiod = \"{period} ms\"\n");
    }
    for (name, server, jobs) in clients {
        let list = |of: fn(&(u64, u64)) -> u64| {
            jobs.iter().map(|job| format!("\"{} ms\"", of(job))).collect::<Vec<_>>().join(", ")
        };
        let most = jobs.iter().map(|job| job.1).max().expect("a client has jobs");
        text += &format!(
            "[[task]]\nname = \"{name}\"\nserver = \"{server}\"\nwcet = \"{most} ms\"\nperiod = \"1 ms\"\n\
             arrival = {{ at = [{}] }}\ncost = {{ list = [{}] }}\n",
            list(|job| job.0),
            list(|job| job.1)
        );
    }
    text
}

fn prepared(text: &str) -> Prepared {
    let scenario = Scenario::parse("several", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    Prepared::new(&scenario).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The schedule of a scenario, which keeps all invariants: a row for each processor, a letter for each millisecond.
fn drawn(text: &str, length: usize) -> String {
    let prepared = prepared(text);
    let timeline = simulated(&prepared);
    let mut rows = vec![vec!['.'; length]; 2];
    let mut occupants = [None; 2];
    for (at, record) in &timeline.records {
        let place = match record {
            Record::Dispatch { cpu, job } => {
                occupants[cpu.index()] = Some(*job);
                cpu.index()
            }
            Record::Preempt { cpu, .. } => {
                occupants[cpu.index()] = None;
                cpu.index()
            }
            Record::Complete { job } => {
                let place = occupants.iter().position(|known| *known == Some(*job)).expect("it executed");
                occupants[place] = None;
                place
            }
            _ => continue,
        };
        let name = occupants[place].map(|job| prepared.scenario.task_name(job.task));
        let letter = name.and_then(|name| name.chars().next()).unwrap_or('.');
        rows[place][(at.as_ns() / 1_000_000).min(length as u64) as usize..].fill(letter);
    }
    rows.into_iter().map(String::from_iter).collect::<Vec<_>>().join(" / ")
}

/// The example in the header of the rule.
#[test]
fn linux_gives_away_what_is_unused_on_the_processor_where_a_server_sleeps() {
    let servers = [("sa", 2, 8), ("sb", 2, 8), ("sc", 8, 16)];
    let clients: [Listed<'_>; 3] = [("a", "sa", &[(0, 8)]), ("b", "sb", &[(0, 1)]), ("c", "sc", &[(4, 2)])];
    let of = |kind: &str| drawn(&text(kind, &servers, &[], &clients, 12), 12);
    assert_eq!(of("grub-linux"), "aaaaaa..aa.. / b...cc......");
    // Without reclaiming, 2 of each 8 are all, and P0 is idle at 4.
    assert_eq!(of("hard-cbs"), "aa..cc..aa.. / b...........");
    assert_eq!(of("soft-cbs"), "aaaaaaaa.... / b...cc......");
}

/// The example of the kernel's documentation, on one processor.
#[test]
fn linux_reclaims_as_greedy_reclamation_on_one_processor() {
    let servers = [("sa", 4, 8), ("sb", 4, 8)];
    let clients: [Listed<'_>; 2] = [("a", "sa", &[(0, 2), (8, 2)]), ("b", "sb", &[(0, 8)])];
    let text = text("grub-linux", &servers, &[], &clients, 12).replace("platform.processors = 2\n", "");
    assert_eq!(drawn(&text, 12), "aabbbbbbaabb / ............");
}

/// The example in Buttazzo's section 6.3, where the server goes first at ties.
#[test]
fn a_dynamic_sporadic_server_gives_back_what_an_interval_has_used() {
    let clients: [Listed<'_>; 1] = [("s", "server", &[(3, 2), (6, 2)])];
    let tasks = [("a", 2, 8), ("b", 3, 12)];
    let text = text("sporadic-dynamic", &[("server", 3, 6)], &tasks, &clients, 18);
    assert_eq!(drawn(&first_client(&text), 18), "aabssbsbasa.bbb.aa / ..................");
}

/// Moves the client of a scenario before its tasks, and leaves one processor.
fn first_client(text: &str) -> String {
    let (rest, client) = text.rsplit_once("[[task]]").expect("a client is the last task");
    let (head, tasks) = rest.split_once("[[task]]").expect("a task stands before it");
    let head = head.replace("platform.processors = 2\n", "");
    format!("{head}[[task]]{client}[[task]]{tasks}")
}

/// The counterexample in the header of the rule: bandwidths that add up to 1, and a late task.
#[test]
fn the_published_dynamic_sporadic_server_makes_a_task_late() {
    let clients: [Listed<'_>; 1] = [("s", "server", &[(0, 11), (11, 10), (29, 12)])];
    let text = |kind: &str| {
        let text = text(kind, &[("server", 12, 18)], &[("b", 8, 24)], &clients, 49);
        text.replace("platform.processors = 2\n", "")
    };
    let published = text("sporadic-dynamic");
    let expected = "sssssssssssbbbbbbbbssssssssssssssssssssssbbbbbbbb";
    assert_eq!(drawn(&published, 49).split(" / ").next(), Some(expected));
    let late_under = |kind: &str| late(&simulated(&prepared(&text(kind))));
    assert_eq!((late_under("sporadic-dynamic"), late_under("hard-cbs")), (1, 0));
    let prepared = prepared(&published);
    let found = findings(&prepared, &analyze(&prepared).expect("it can be analysed"));
    assert_eq!(found[0].answer, Answer::Unknown, "{}", found[0].reason);
    assert!(found[0].reason.to_string().contains("gives budget back too early"), "{}", found[0].reason);
}

/// Clients of one server wait for each other although a processor is idle: a server is on one at most.
#[test]
fn a_server_executes_one_client_at_a_time() {
    let clients: [Listed<'_>; 2] = [("a", "s", &[(0, 2)]), ("b", "s", &[(0, 2)])];
    assert_eq!(drawn(&text("hard-cbs", &[("s", 4, 5)], &[], &clients, 6), 6), "aabb.. / ......");
}

fn late(timeline: &Timeline) -> usize {
    timeline.records.iter().filter(|(_, record)| matches!(record, Record::Miss { .. })).count()
}

/// Two tasks (1, 2) and a server of half a processor reach the bound of the density test, 2 - 1/2. A client that never
/// stops makes no task late.
#[test]
fn the_density_test_of_edf_counts_servers() {
    let tasks = [("x", 1, 2), ("y", 1, 2)];
    let clients: [Listed<'_>; 1] = [("a", "s", &[(0, 1_000)])];
    let answer = |kind: &str, budget: u64| {
        let text = text(kind, &[("s", budget, 10)], &tasks, &clients, 200);
        let prepared = prepared(&text);
        let found = findings(&prepared, &analyze(&prepared).expect("it can be analysed"));
        (found[0].answer, late(&simulated(&prepared)))
    };
    for kind in ["hard-cbs", "soft-cbs"] {
        assert_eq!(answer(kind, 5), (Answer::Schedulable, 0), "{kind}");
        assert_eq!(answer(kind, 6).0, Answer::Unknown, "{kind}");
    }
    assert_eq!(answer("grub-linux", 1).0, Answer::Unknown, "nothing bounds what it reclaims");
}

/// Each cluster has its servers, which state one of its processors.
#[test]
fn each_cluster_has_its_servers() {
    let clients: [Listed<'_>; 2] = [("a", "sa", &[(0, 9)]), ("b", "sb", &[(0, 9)])];
    let text = text("hard-cbs", &[("sa", 1, 4), ("sb", 2, 4)], &[("x", 3, 4)], &clients, 40);
    let text = text.replace("\"G-EDF\"", "\"C-EDF\"").replace("processors = 2", "processors = 4");
    let text =
        text.replace("platform.processors", "platform.clusters = [[0, 1], [2, 3]]\nplatform.processors");
    let text = text.replace("name = \"sa\"\n", "name = \"sa\"\nprocessor = 1\n");
    let text = text.replace("name = \"sb\"\n", "name = \"sb\"\nprocessor = 2\n");
    let text = text.replace("name = \"x\"\n", "name = \"x\"\ncluster = 0\n");
    let prepared = prepared(&text);
    assert_eq!(prepared.tasks.iter().map(|task| task.cluster.0).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!(late(&simulated(&prepared)), 0);
    let found = findings(&prepared, &analyze(&prepared).expect("it can be analysed"));
    assert_eq!(found[0].answer, Answer::Schedulable, "{}", found[0].reason);
    let said = Scenario::parse("bad", &text.replace("processor = 1\n", "")).expect_err("it is refused");
    assert!(said.to_string().contains("a processor of the cluster"), "{said}");
}

#[test]
fn kinds_for_one_processor_are_refused_on_several() {
    let clients: [Listed<'_>; 1] = [("a", "s", &[(0, 1)])];
    for kind in ["grub", "sporadic-dynamic", "constant-utilization", "total-bandwidth", "periodic"] {
        let text = text(kind, &[("s", 1, 4)], &[], &clients, 8);
        let said = Scenario::parse("bad", &text).expect_err("it is refused").to_string();
        let why = format!("kind \"{kind}\" under G-EDF: its rule knows one processor");
        assert!(said.contains(&why) && said.contains("soft-cbs, hard-cbs, grub-linux"), "{said}");
    }
    let text = text("hard-cbs", &[("s", 1, 4)], &[], &clients, 8);
    let text = text.replace("kind =", "processor = 1\nkind =");
    let said = Scenario::parse("bad", &text).expect_err("it is refused").to_string();
    assert!(said.contains("all processors share one queue under G-EDF"), "{said}");
}
