//! What Linux does of a workload of rt-app that a scheduler of ours would not: equal priorities, narrow affinities,
//! deadlines.

use schedlab_model::ThreadClass;
use schedlab_scenario::interchange::{Format, Ignored, Imported};
use schedlab_scenario::{Errors, Scenario};

/// A workload of these tasks.
fn try_read(tasks: &[&str], ignored: &[&str]) -> Result<Imported<Scenario>, Errors> {
    let text = format!("{{\"tasks\": {{{}}}}}", tasks.join(",\n"));
    Format::RtApp.read("w", text.into_bytes(), &Ignored::of(ignored.iter().copied()).unwrap())
}

fn read(tasks: &[&str]) -> Scenario {
    try_read(tasks, &[]).unwrap_or_else(|errors| panic!("{errors}")).value
}

fn fifo(name: &str, priority: u8, more: &str) -> String {
    format!(
        "\"{name}\": {{\"policy\": \"SCHED_FIFO\", \"priority\": {priority}, \"run\": 10000, \
         \"timer\": {{\"ref\": \"unique\", \"period\": 100000}}{more}}}"
    )
}

/// Fixed priorities take equals by the order of the file, Linux first come, first served.
#[test]
fn equal_priorities_that_meet_are_the_class_of_linux() {
    let on = |cpu: u8| format!(", \"cpus\": [{cpu}]");
    for (tasks, scheduler) in [
        ([fifo("a", 9, ""), fifo("b", 8, "")], "G-FP"),
        ([fifo("a", 9, ""), fifo("b", 9, "")], "SCHED_FIFO"),
        ([fifo("a", 9, ", \"instance\": 2"), fifo("b", 8, "")], "SCHED_FIFO"),
        ([fifo("a", 9, &on(0)), fifo("b", 8, &on(0))], "P-FP"),
        ([fifo("a", 9, &on(0)), fifo("b", 9, &on(1))], "P-FP"),
        ([fifo("a", 9, &on(1)), fifo("b", 9, &on(1))], "P-SCHED_FIFO"),
    ] {
        let found = read(&tasks.each_ref().map(String::as_str));
        assert_eq!(found.scheduler.name, scheduler, "{tasks:?}");
    }
}

/// On the one processor that the file names, an affinity says nothing; on two it does.
#[test]
fn an_affinity_that_was_the_whole_machine_is_none_on_a_larger_one() {
    let tasks = [fifo("a", 9, ", \"cpus\": [0]"), fifo("b", 8, "")];
    let tasks = tasks.each_ref().map(String::as_str);
    let found = read(&tasks);
    let larger = found.clone().with_processors(2).unwrap();
    let refused = larger.heeds_places_as_on(found.platform.processors).unwrap_err().to_string();
    assert!(
        refused.starts_with("processors: 2 leave task \"a\" on a part of the machine, which G-FP"),
        "{refused}"
    );
    assert!(
        larger.with_scheduler("P-FP").unwrap().heeds_places_as_on(1).is_ok(),
        "a partitioned one heeds it"
    );
    let free = try_read(&tasks, &["affinity"]).unwrap();
    assert_eq!(free.left_out(), ["w: cpus [0] of a (line 1)"]);
    assert!(free.value.clone().with_processors(2).unwrap().heeds_places_as_on(1).is_ok());
}

/// `SCHED_FIFO` releases a job with each period, whatever is late.
#[test]
fn a_deadline_beyond_the_period_is_none_under_fixed_priorities() {
    let more = ", \"cpus\": [0], \"dl-deadline\": 200000, \"dl-runtime\": 5000";
    let found = try_read(&[&fifo("a", 9, more)], &[]).unwrap();
    assert_eq!(found.value.tasks[0].relative_deadline.as_ns(), 100_000_000);
    let lost: Vec<String> = found.losses.iter().map(|loss| loss.line()).collect();
    assert_eq!(
        lost,
        [
            "w: dl-deadline 200000 of a, of which SCHED_FIFO takes no notice (line 1)",
            "w: dl-runtime 5000 of a, of which SCHED_FIFO takes no notice (line 1)"
        ]
    );
    let shorter = read(&[&fifo("a", 9, ", \"dl-deadline\": 50000")]);
    assert_eq!(shorter.tasks[0].relative_deadline.as_ns(), 50_000_000);
}

/// `sched_setattr` wants runtime <= deadline <= period.
#[test]
fn a_reservation_that_the_kernel_refuses_is_refused() {
    let of = |runtime: u32, deadline: u32, period: u32| {
        let task = format!(
            "\"a\": {{\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": {runtime}, \"dl-deadline\": {deadline}, \
             \"dl-period\": {period}}}"
        );
        try_read(&[&task], &[]).map(|_| ()).map_err(|errors| errors.to_string())
    };
    assert_eq!(of(10_000, 20_000, 20_000), Ok(()));
    for (runtime, deadline, period) in [(10_000, 30_000, 20_000), (10_000, 9_000, 20_000)] {
        let refused = of(runtime, deadline, period).unwrap_err();
        assert!(refused.contains(&format!("tasks.a.dl-deadline: {deadline} is out of order")), "{refused}");
    }
}

fn reserving(name: &str, runtime: u32, more: &str) -> String {
    format!(
        "\"{name}\": {{\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": {runtime}, \"dl-period\": 10000, \
         \"run\": 100, \"timer\": {{\"ref\": \"unique\", \"period\": 10000}}{more}}}"
    )
}

/// The kernel admits 90% of the processors of a root domain.
#[test]
fn threads_that_the_kernel_does_not_admit_are_refused_with_the_sum_and_the_limit() {
    let on = |cpu: u8| format!(", \"cpus\": [{cpu}]");
    let both = || ", \"cpus\": [0, 1]".to_owned();
    for (first, second, more, refused) in [
        (
            6000,
            6000,
            [on(0), on(0)],
            Some("b (dl-runtime / dl-period sum to 120% of processor 0, above 90%)"),
        ),
        (6000, 6000, [on(0), on(1)], None),
        (5000, 4000, [on(0), on(0)], None),
        (5000, 4001, [on(1), on(1)], Some("b (dl-runtime / dl-period sum to 90.01% of processor 1")),
        (9000, 9000, [both(), both()], None),
        (
            9500,
            9900,
            [both(), both()],
            Some("b (dl-runtime / dl-period sum to 194% of 2 processors, above 180%)"),
        ),
        (5000, 500, [on(0), on(0) + ", \"instance\": 10"], Some("b (dl-runtime / dl-period sum to 100% of")),
    ] {
        let tasks = [reserving("a", first, &more[0]), reserving("b", second, &more[1])];
        let tasks = tasks.each_ref().map(String::as_str);
        let found = try_read(&tasks, &[]).map(|_| ()).map_err(|errors| errors.to_string());
        match refused {
            None => assert_eq!(found, Ok(()), "{tasks:?}"),
            Some(why) => {
                let found = found.unwrap_err();
                assert!(found.starts_with("w:2:6: SCHED_DEADLINE's admission, which refuses "), "{found}");
                assert!(found.contains(why) && found.contains("--ignore admission"), "{found}\nwanted {why}");
                let ignored = try_read(&tasks, &["admission"]).unwrap().left_out();
                assert!(ignored.iter().any(|line| line.contains(why)), "{ignored:?}");
            }
        }
    }
}

/// Without exclusive cpusets `sched_setattr` refuses threads that are bound to a part of the machine.
#[test]
fn bound_threads_of_sched_deadline_assume_exclusive_cpusets() {
    let bound = [reserving("a", 5000, ", \"cpus\": [0]"), reserving("b", 5000, ", \"cpus\": [1]")];
    let found = try_read(&bound.each_ref().map(String::as_str), &[]).unwrap();
    let wanted = "w: exclusive cpusets, one for each processor: the kernel binds SCHED_DEADLINE threads by these alone, \
        and answers assume them (line 1)";
    assert_eq!(found.left_out(), [wanted]);
    assert!(try_read(&[&reserving("a", 5000, "")], &[]).unwrap().left_out().is_empty());
    // Without cpus, the file does not say how many processors there are.
    let free = [reserving("a", 9000, ""), reserving("b", 9000, "")];
    let found = try_read(&free.each_ref().map(String::as_str), &[]).unwrap();
    let wanted =
        "w: SCHED_DEADLINE's admission: dl-runtime / dl-period sum to 180%, which the kernel admits on 2 \
        processors or more (line 1)";
    assert_eq!(found.left_out(), [wanted]);
}

/// Threads that state no policy are ordinary. Beside others, and alone, the class of Linux schedules them.
#[test]
fn ordinary_threads_state_their_class() {
    let timer = |period: u32| format!("\"timer\": {{\"ref\": \"unique\", \"period\": {period}}}");
    let of = |others: &[&str]| {
        let ordinary = format!("\"o\": {{\"run\": 1000, \"priority\": 5, {}}}", timer(20_000));
        try_read(&[&[ordinary.as_str()], others].concat(), &[])
    };
    let fifo = format!("\"f\": {{\"policy\": \"SCHED_FIFO\", \"run\": 1000, {}}}", timer(10_000));
    let found = of(&[&fifo]).unwrap();
    let classes: Vec<_> = found.value.tasks.iter().map(|task| (task.class, task.priority)).collect();
    assert_eq!(classes, [(ThreadClass::Ordinary, Some(0)), (ThreadClass::Fifo, Some(10))]);
    assert_eq!(found.value.scheduler.name, "SCHED_FIFO");
    let nice = "w: nice 5 of o: ordinary threads go in the order in which they came here (line 1)";
    assert!(found.losses.iter().any(|loss| loss.line() == nice), "{:?}", found.losses);
    let alone = of(&[]).unwrap().value;
    assert_eq!((alone.scheduler.name.as_str(), alone.tasks[0].class), ("SCHED_FIFO", ThreadClass::Ordinary));
    let wrong = fifo.replace("\"policy\": \"SCHED_FIFO\"", "\"priority\": 20");
    let refused = of(&[&wrong]).unwrap_err().to_string();
    assert!(
        refused.contains("tasks.f.priority: 20 is no priority; allowed: a nice value from -20 to 19"),
        "{refused}"
    );
}
