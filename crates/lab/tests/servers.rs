//! Budget servers: published and hand-made schedules of each rule, what is proved beside them, and what is refused.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Finding, Prepared};
use schedlab_model::{JobId, TaskId};
use schedlab_report::schedule::{ScheduleRecorder, Window};
use schedlab_report::why::why;
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};

/// A scenario of milliseconds: tasks (name, cost, period), a server (kind, budget, period), and jobs of its clients
/// (arrival, cost), of which each is a task of its own.
pub(crate) struct Case<'a> {
    scheduler: &'a str,
    tasks: &'a [(&'a str, u64, u64)],
    server: (&'a str, u64, u64),
    jobs: &'a [(u64, u64)],
    more: &'a str,
}

impl Case<'_> {
    pub(crate) fn text(&self, horizon: u64) -> String {
        let Case { scheduler, tasks, server: (kind, budget, period), jobs, more } = self;
        let mut text = format!(
            "schedlab = 1\nhorizon = \"{horizon} ms\"\nscheduler = \"{scheduler}\"\n[[server]]\nname = \"s\"\n\
             kind = \"{kind}\"\nbudget = \"{budget} ms\"\nperiod = \"{period} ms\"\n{more}\n"
        );
        for (name, wcet, period) in *tasks {
            text += &format!("[[task]]\nname = \"{name}\"\nwcet = \"{wcet} ms\"\nperiod = \"{period} ms\"\n");
        }
        for (number, (arrival, cost)) in jobs.iter().enumerate() {
            text += &format!(
                "[[task]]\nname = \"s{number}\"\nserver = \"s\"\nwcet = \"{cost} ms\"\nperiod = \"1 s\"\n\
                 arrival = {{ at = [\"{arrival} ms\"] }}\n"
            );
        }
        text
    }

    fn prepared(&self, horizon: u64) -> Prepared {
        let text = self.text(horizon);
        let scenario = Scenario::parse("case", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        Prepared::new(&scenario).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// Compares the schedule with a letter for each millisecond: the first of the name of the task that executes.
    #[track_caller]
    fn check(&self, expected: &str) {
        let prepared = self.prepared(expected.len() as u64);
        let timeline = simulated(&prepared);
        assert_eq!(drawn(&prepared, &timeline, expected.len()), expected, "{}", self.server.0);
    }
}

pub(crate) fn simulated(prepared: &Prepared) -> Timeline {
    let (mut timeline, mut checker) = (Timeline::default(), prepared.checker());
    prepared.simulate((&mut timeline, &mut checker), &mut |_| true).expect("the scenario can be simulated");
    for outcome in checker.finish().outcomes {
        let violation = outcome.found.violations.first();
        assert!(violation.is_none(), "{}: {}", outcome.invariant.name(), violation.unwrap());
    }
    timeline
}

fn drawn(prepared: &Prepared, timeline: &Timeline, length: usize) -> String {
    let mut row = vec!['.'; length];
    for (at, record) in &timeline.records {
        let letter = match record {
            Record::Dispatch { job, .. } => {
                prepared.scenario.task_name(job.task).chars().next().expect("a name has a letter")
            }
            Record::Preempt { .. } | Record::Complete { .. } => '.',
            _ => continue,
        };
        row[(at.as_ns() / 1_000_000).min(length as u64) as usize..].fill(letter);
    }
    row.into_iter().collect()
}

/// Times and amounts, in milliseconds, of budget that the server is given.
fn replenished(case: &Case<'_>, horizon: u64) -> Vec<(u64, u64)> {
    let prepared = case.prepared(horizon);
    let mut recorder = ScheduleRecorder::new(&prepared.context(), Window::ALL);
    prepared.simulate(&mut recorder, &mut |_| true).expect("the scenario can be simulated");
    let ms = |ns: u64| ns / 1_000_000;
    let given = recorder.finish().servers.replenishments;
    given.into_iter().map(|one| (ms(one.at.as_ns()), ms(one.amount.as_ns()))).collect()
}

/// The server's deadlines, in milliseconds.
fn deadlines(case: &Case<'_>, horizon: u64) -> Vec<u64> {
    let prepared = case.prepared(horizon);
    let mut recorder = ScheduleRecorder::new(&prepared.context(), Window::ALL);
    prepared.simulate(&mut recorder, &mut |_| true).expect("the scenario can be simulated");
    recorder.finish().servers.deadlines.into_iter().map(|one| one.at.as_ns() / 1_000_000).collect()
}

/// Names and numbers of the late jobs.
fn late(prepared: &Prepared, timeline: &Timeline) -> Vec<(String, u32)> {
    let name = |job: JobId| (prepared.scenario.task_name(job.task).to_owned(), job.number);
    let miss = |(_, record): &(_, Record)| match record {
        Record::Miss { job } => Some(name(*job)),
        _ => None,
    };
    timeline.records.iter().filter_map(miss).collect()
}

/// The task set of Buttazzo's sections 5.3 and 5.4: (1, 4), (2, 6) and a server (2, 5), rate-monotonic.
const BOOK: &[(&str, u64, u64)] = &[("a", 1, 4), ("b", 2, 6)];

#[test]
fn a_polling_server_has_budget_where_its_period_begins_with_pending_jobs() {
    let (server, jobs) = (("polling", 2, 5), &[(2, 2), (8, 1), (12, 2), (19, 1)][..]);
    Case { scheduler: "P-RM", tasks: BOOK, server, jobs, more: "" }.check("abb.assbabs.abbsasbbas..");
}

/// The job of 7 arrives just where the last pending one completes, and waits for the period of 10.
#[test]
fn a_polling_server_loses_its_budget_where_it_is_idle() {
    let (server, jobs) = (("polling", 3, 5), &[(5, 2), (7, 1)][..]);
    Case { scheduler: "P-RM", tasks: &[], server, jobs, more: "" }.check(".....ss...s.");
}

#[test]
fn a_deferrable_server_keeps_its_budget_until_the_period_ends() {
    let (server, jobs) = (("deferrable", 2, 5), &[(2, 2), (8, 1), (12, 2)][..]);
    Case { scheduler: "P-RM", tasks: BOOK, server, jobs, more: "" }.check("abssabbbas..assbabbb");
}

/// In the background the job goes on where no task executes, and its budget is not charged for that.
#[test]
fn a_client_in_the_background_has_what_tasks_leave() {
    let (server, jobs) = (("deferrable", 1, 5), &[(0, 4)][..]);
    let case = Case { scheduler: "P-RM", tasks: &[("a", 2, 6)], server, jobs, more: "" };
    case.check("saa..s");
    Case { more: "background = true", ..case }.check("saasss");
}

/// The task set of Buttazzo's section 5.6 with a server of medium priority: (1, 5), the server (5, 10), and (4, 15).
#[test]
fn a_sporadic_server_executes_while_it_has_budget() {
    let (tasks, jobs) = (&[("a", 1, 5), ("b", 4, 15)][..], &[(4, 2), (8, 2)][..]);
    for kind in ["sporadic", "sporadic-posix", "sporadic-corrected"] {
        Case { scheduler: "P-RM", tasks, server: (kind, 5, 10), jobs, more: "" }
            .check("abbbsasbssa....abbbb");
    }
}

/// The server of section 5.6 gets budget back: what is used in [4, 7] at 14, and what is used in [8, 11] at 18.
#[test]
fn a_sporadic_server_of_medium_priority_is_replenished_a_period_after_its_active_intervals() {
    let (tasks, jobs) = (&[("a", 1, 5), ("b", 4, 15)][..], &[(4, 2), (8, 2)][..]);
    let case = Case { scheduler: "P-RM", tasks, server: ("sporadic", 5, 10), jobs, more: "" };
    assert_eq!(replenished(&case, 22), [(0, 5), (14, 2), (18, 2)]);
}

/// Buttazzo's figure 5.18: the server (2, 8) above (3, 10) and (4, 15). The second request finds no budget, and the
/// server becomes active where the budget comes back: at 10. What it uses then comes back at 18.
#[test]
fn a_sporadic_server_of_high_priority_is_active_again_where_its_budget_comes_back() {
    let (tasks, jobs) = (&[("a", 3, 10), ("b", 4, 15)][..], &[(2, 2), (6, 2)][..]);
    for kind in ["sporadic", "sporadic-corrected"] {
        let case = Case { scheduler: "P-RM", tasks, server: (kind, 2, 8), jobs, more: "" };
        case.check("aassabbbb.ssaaabbbb.");
        assert_eq!(replenished(&case, 20), [(0, 2), (10, 2), (18, 2)], "{kind}");
    }
}

/// Buttazzo's exercises 5.3 and 5.4: a polling and a sporadic server (2, 6) between (1, 5) and (2, 8).
#[test]
fn servers_of_the_largest_bandwidth_serve_an_exercise() {
    let (tasks, jobs) = (&[("a", 1, 5), ("b", 2, 8)][..], &[(2, 3), (7, 1), (17, 1)][..]);
    let case = Case { scheduler: "P-RM", tasks, server: ("polling", 2, 6), jobs, more: "" };
    case.check("abb..assbba.ss.abbs.a...");
    for kind in ["sporadic", "sporadic-corrected"] {
        Case { server: (kind, 2, 6), ..case }.check("abssba..ssabb..absb.a...");
    }
}

/// The tasks and jobs that show why the published rule of sporadic servers was corrected.
pub(crate) fn counterexample(kind: &str) -> Case<'_> {
    let (tasks, jobs) = (&[("a", 2, 5), ("b", 2, 15)][..], &[(0, 2), (5, 3), (5, 3)][..]);
    Case { scheduler: "P-RM", tasks, server: (kind, 3, 7), jobs, more: "" }
}

#[test]
fn the_published_sporadic_server_makes_a_task_late_that_a_periodic_task_would_not() {
    for kind in ["sporadic", "sporadic-posix"] {
        let case = counterexample(kind);
        case.check("aassbaasssaasssaa");
        let prepared = case.prepared(17);
        let late = late(&prepared, &simulated(&prepared));
        assert!(late.contains(&("b".to_owned(), 0)), "{kind}: {late:?}");
    }
}

#[test]
fn the_corrected_sporadic_server_splits_its_replenishment() {
    let case = counterexample("sporadic-corrected");
    case.check("aassbaasssaasbsaa");
    let prepared = case.prepared(17);
    let late = late(&prepared, &simulated(&prepared));
    assert!(late.iter().all(|(name, _)| name != "b"), "{late:?}");
}

/// Buttazzo's section 6.9: the task (4, 7) and a server (3, 8), with requests of 4 at 3 and of 3 at 13.
#[test]
fn a_constant_bandwidth_server_postpones_its_deadline() {
    let (tasks, jobs) = (&[("a", 4, 7)][..], &[(3, 4), (13, 3)][..]);
    for kind in ["soft-cbs", "hard-cbs"] {
        Case { scheduler: "P-EDF", tasks, server: (kind, 3, 8), jobs, more: "" }
            .check("aaaasssaaaas.ssaaaas.aaa");
    }
}

/// The example of Linux's documentation of `SCHED_DEADLINE`: of two servers (4, 8), one needs 2 of its 4 and becomes
/// inactive at 4. The other one's budget then lasts until 8 instead of 6.
#[test]
fn a_reclaiming_server_takes_over_what_another_leaves_unused() {
    let of = |kind: &str| {
        let server = |name: &str| {
            format!(
                "[[server]]\nname = \"{name}\"\nkind = \"{kind}\"\nbudget = \"4 ms\"\nperiod = \"8 ms\"\n"
            )
        };
        let client = |name: &str, wcet, at: &str| {
            format!(
                "[[task]]\nname = \"{name}\"\nserver = \"s{name}\"\nwcet = \"{wcet} ms\"\nperiod = \"8 ms\"\n\
                 arrival = {{ at = [{at}] }}\n"
            )
        };
        let text = format!(
            "schedlab = 1\nhorizon = \"12 ms\"\nscheduler = \"P-EDF\"\n{}{}{}{}",
            server("sa"),
            server("sb"),
            client("a", 2, "\"0 ms\", \"8 ms\""),
            client("b", 8, "\"0 ms\"")
        );
        let prepared = Prepared::new(&Scenario::parse("linux", &text).unwrap()).unwrap();
        let timeline = simulated(&prepared);
        let deadlines = timeline.records.iter().filter_map(|(at, record)| match record {
            Record::ServerBudget { server: 1, absolute_deadline, .. } => {
                Some((at.as_ns() / 1_000_000, absolute_deadline.as_ns() / 1_000_000))
            }
            _ => None,
        });
        let mut deadlines: Vec<(u64, u64)> = deadlines.collect();
        deadlines.dedup_by_key(|(_, deadline)| *deadline);
        (drawn(&prepared, &timeline, 12), deadlines)
    };
    assert_eq!(of("grub"), ("aabbbbbbaabb".to_owned(), vec![(0, 8), (8, 16)]));
    assert_eq!(of("soft-cbs"), ("aabbbbbbaabb".to_owned(), vec![(0, 8), (6, 16)]));
}

/// Alone, a soft server goes on, and a hard one stops until its deadline. The job of 4 arrives while the hard one has
/// no budget, and waits until 5.
#[test]
fn a_hard_constant_bandwidth_server_stops_without_budget() {
    let jobs = &[(0, 3), (4, 1)][..];
    let case = Case { scheduler: "P-EDF", tasks: &[], server: ("soft-cbs", 2, 5), jobs, more: "" };
    case.check("sss.s...");
    Case { server: ("hard-cbs", 2, 5), ..case }.check("ss...ss.");
    let idle = Case {
        scheduler: "P-EDF",
        tasks: &[],
        server: ("hard-cbs", 2, 5),
        jobs: &[(0, 2), (3, 1)],
        more: "",
    };
    idle.check("ss...s..");
}

/// A job that arrives just where the last pending one completes finds an idle server: with 2 of 4 left until 8, at 5,
/// it gets a whole budget until 13. An active server would have used these 2, and gone behind the task that is due at
/// 14.
#[test]
fn a_constant_bandwidth_server_is_idle_between_a_completion_and_an_arrival() {
    let (tasks, jobs) = (&[("a", 3, 7)][..], &[(0, 2), (5, 3)][..]);
    Case { scheduler: "P-EDF", tasks, server: ("soft-cbs", 4, 8), jobs, more: "" }.check("aaasssssaaa");
}

#[test]
fn a_constant_utilization_server_begins_a_job_at_its_last_deadline() {
    let jobs = &[(1, 1), (3, 1)][..];
    Case { scheduler: "P-EDF", tasks: &[], server: ("constant-utilization", 1, 4), jobs, more: "" }
        .check(".s...s..");
}

/// Buttazzo's section 6.4: (3, 6), (2, 8) and a server of bandwidth 1/4, with jobs of 1 at 3, of 2 at 9 and of 1 at 14.
#[test]
fn a_total_bandwidth_server_gives_deadlines_by_costs() {
    let (tasks, jobs) = (&[("a", 3, 6), ("b", 2, 8)][..], &[(3, 1), (9, 2), (14, 1)][..]);
    Case { scheduler: "P-EDF", tasks, server: ("total-bandwidth", 1, 4), jobs, more: "" }
        .check("aaasbbaaabbssaaasb");
}

/// The deadlines in the solution of Buttazzo's exercise 6.3: a server of bandwidth 1/3, with jobs of 3 at 1, of 1 while
/// the first one's deadline is to come, and of 1 at 15.
#[test]
fn deadlines_of_a_total_bandwidth_server_follow_each_other() {
    let (tasks, jobs) = (&[("a", 2, 6), ("b", 3, 9)][..], &[(1, 3), (5, 1), (15, 1)][..]);
    let case = Case { scheduler: "P-EDF", tasks, server: ("total-bandwidth", 1, 3), jobs, more: "" };
    assert_eq!(deadlines(&case, 24), [10, 13, 18]);
    assert_eq!(replenished(&case, 24), []);
}

/// C/U of 1/3 of a millisecond is no whole number of nanoseconds: it is rounded up.
#[test]
fn a_deadline_is_rounded_up_to_the_next_nanosecond() {
    let case =
        Case { scheduler: "P-EDF", tasks: &[], server: ("total-bandwidth", 3, 7), jobs: &[(0, 1)], more: "" };
    let timeline = simulated(&case.prepared(10));
    let point = timeline.records.iter().find_map(|(_, record)| match record {
        Record::Priority { priority, .. } => Some(priority.point()),
        _ => None,
    });
    assert_eq!(point, Some(2_333_334));
}

/// Returns the answer of theory, and the bound of the task at `index` in milliseconds.
fn proved(case: &Case<'_>, index: usize) -> (Answer, Option<u64>) {
    let found = found(case);
    let bound = found[0].response_times.as_ref().and_then(|bounds| bounds[index]);
    (found[0].answer, bound.map(|bound| bound.as_ns() / 1_000_000))
}

fn found(case: &Case<'_>) -> Vec<Finding> {
    let prepared = case.prepared(100);
    findings(&prepared, &analyze(&prepared).expect("it can be analysed"))
}

#[test]
fn a_server_counts_as_a_task_of_its_budget_and_period() {
    let proved_of = |kind| proved(&counterexample(kind), 1);
    assert_eq!(proved_of("sporadic-corrected"), (Answer::Schedulable, Some(14)));
    assert_eq!(proved_of("polling"), (Answer::Schedulable, Some(14)));
    assert_eq!(proved_of("deferrable"), (Answer::Unknown, None));
    assert_eq!(proved_of("sporadic"), (Answer::Unknown, None));
    let [_, own_run] = &found(&counterexample("sporadic"))[..] else { panic!("its own run is late") };
    assert_eq!(own_run.answer, Answer::Unschedulable);
}

#[test]
fn bandwidths_and_utilizations_fit_up_to_one() {
    let tasks = &[("a", 3, 6), ("b", 2, 8)][..];
    let case = Case { scheduler: "P-EDF", tasks, server: ("hard-cbs", 1, 4), jobs: &[(0, 100)], more: "" };
    assert_eq!(proved(&case, 0).0, Answer::Schedulable);
    assert_eq!(proved(&Case { server: ("hard-cbs", 2, 7), ..case }, 0).0, Answer::Unknown);
}

/// The longest deadline that a scenario can state is one: only a client that states none has none.
#[test]
fn a_deadline_of_a_year_is_a_deadline() {
    let case = Case {
        scheduler: "P-EDF",
        tasks: &[("a", 1, 4)],
        server: ("hard-cbs", 1, 4),
        jobs: &[(0, 1)],
        more: "",
    };
    let text = case.text(8).replace("server = \"s\"\n", "server = \"s\"\ndeadline = \"8760 h\"\n");
    let due = |text: &str| {
        let prepared = Prepared::new(&Scenario::parse("year", text).unwrap()).unwrap();
        let records = simulated(&prepared).records;
        let arrival = records.iter().find_map(|(_, record)| match record {
            Record::Arrival { job, absolute_deadline, .. } if job.task == TaskId(1) => {
                Some(*absolute_deadline)
            }
            _ => None,
        });
        arrival.expect("the client's job arrives")
    };
    assert_eq!(due(&text).as_ns(), 8_760 * 3_600 * 1_000_000_000);
    assert_eq!(due(&case.text(8)), schedlab_model::Instant::NEVER);
}

/// A client without limit delays no other task.
#[test]
fn a_client_that_needs_too_much_makes_no_task_late() {
    for (scheduler, kind) in [("P-RM", "sporadic-corrected"), ("P-RM", "polling"), ("P-EDF", "hard-cbs")] {
        let tasks = &[("a", 1, 4), ("b", 2, 8)][..];
        let jobs = &[(0, 400), (3, 400)][..];
        let case = Case { scheduler, tasks, server: (kind, 2, 5), jobs, more: "" };
        assert_eq!(proved(&case, 0).0, Answer::Schedulable, "{kind}");
        let prepared = case.prepared(1_000);
        let late = late(&prepared, &simulated(&prepared));
        assert!(late.iter().all(|(name, _)| name.starts_with('s')), "{kind}: {late:?}");
    }
}

#[test]
fn why_a_client_waits_is_told() {
    let case = counterexample("sporadic-corrected");
    let prepared = case.prepared(30);
    let timeline = simulated(&prepared);
    let of = |task| why(&prepared.context(), JobId::new(TaskId(task), 0), timeline.records.clone()).unwrap();
    let text = of(4).text(&prepared.context());
    assert!(text.contains("its server has no budget"), "{text}");
    assert!(text.contains("interference by T3J0 (s1)"), "{text}");
    let text = of(1).text(&prepared.context());
    assert!(!text.contains("budget"), "{text}");
}

/// Two processors, each with a server of its own.
#[test]
fn each_processor_has_its_servers() {
    let text = "schedlab = 1\nhorizon = \"20 ms\"\nscheduler = \"P-RM\"\nplatform.processors = 2\n\
                [[server]]\nname = \"x\"\nkind = \"deferrable\"\nbudget = \"1 ms\"\nperiod = \"4 ms\"\nprocessor = 0\n\
                [[server]]\nname = \"y\"\nkind = \"polling\"\nbudget = \"2 ms\"\nperiod = \"5 ms\"\nprocessor = 1\n\
                [[task]]\nname = \"a\"\nserver = \"x\"\nwcet = \"3 ms\"\nperiod = \"20 ms\"\n\
                [[task]]\nname = \"b\"\nserver = \"y\"\nwcet = \"3 ms\"\nperiod = \"20 ms\"\n\
                [[task]]\nname = \"c\"\nwcet = \"3 ms\"\nperiod = \"5 ms\"\nprocessor = 1\n";
    let prepared = Prepared::new(&Scenario::parse("two", text).unwrap()).unwrap();
    let timeline = simulated(&prepared);
    let completion = |task: u32| {
        let done = |(at, record): &(schedlab_model::Instant, Record)| {
            (*record == Record::Complete { job: JobId::new(TaskId(task), 0) })
                .then_some(at.as_ns() / 1_000_000)
        };
        timeline.records.iter().find_map(done)
    };
    assert_eq!((completion(0), completion(1)), (Some(9), Some(6)));
    assert_eq!(prepared.tasks.iter().map(|task| task.cluster.0).collect::<Vec<_>>(), [0, 1, 1]);
}

/// The case of a server between two tasks: (1, 4) above it, (2, 6) below it.
#[test]
fn a_list_of_jobs_waits_in_a_sporadic_server() {
    let text = "schedlab = 1\nhorizon = \"24 ms\"\nscheduler.name = \"P-FP\"\nscheduler.urgent_priority = \"largest\"\n\
                [[task]]\nname = \"t1\"\nwcet = \"1 ms\"\nperiod = \"4 ms\"\npriority = 3\n\
                [[task]]\nname = \"t2\"\nwcet = \"2 ms\"\nperiod = \"6 ms\"\npriority = 1\n\
                [[server]]\nname = \"ss\"\nkind = \"sporadic\"\nbudget = \"2 ms\"\nperiod = \"5 ms\"\npriority = 2\n\
                [[task]]\nname = \"j\"\nserver = \"ss\"\narrival = { at = [\"2 ms\", \"5 ms\", \"10 ms\"] }\n\
                cost = { list = [\"2 ms\", \"1 ms\", \"2 ms\"] }\nwcet = \"2 ms\"\nperiod = \"3 ms\"\n";
    let prepared = Prepared::new(&Scenario::parse("case", text).unwrap()).unwrap();
    let timeline = simulated(&prepared);
    let done = |(at, record): &(schedlab_model::Instant, Record)| match record {
        Record::Complete { job } if job.task == TaskId(2) => Some(at.as_ns() / 1_000_000),
        _ => None,
    };
    assert_eq!(timeline.records.iter().filter_map(done).collect::<Vec<_>>(), [4, 8, 14]);
    assert!(prepared.overflow().is_none());
}
