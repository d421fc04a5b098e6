//! Workloads of rt-app, in JSON: threads that execute for a while in each period. The reader accepts what
//! [`crate::launch`] writes.
//!
//! Read of a task: its `run` events (together its WCET) or `dl-runtime`, the period of its `timer` or `dl-period`,
//! `dl-deadline`, `delay` (the offset), `priority` under `SCHED_FIFO` (the largest is the most urgent), `cpus`,
//! `instance`; times in whole microseconds. Of `global` only `duration` and `default_policy` mean something here. With
//! one processor for each task, scheduling is partitioned. Where threads of one priority
//! may meet, the scheduler is `SCHED_FIFO` itself, which takes them first come, first served. It is, too, where some
//! threads are of `SCHED_DEADLINE` or ordinary, as rt-app's are that state no policy: tasks then state their class.
//! Nothing is promised of ordinary threads, and their nice values are lost. Threads of `SCHED_DEADLINE` that the kernel
//! does not admit are refused. Other events, phases and locks are programs that this reader does not take
//! over: such tasks are refused by the key. Format as in rt-app's doc/tutorial.txt and src/rt-app_parse_config.c.

mod admission;
mod json;
mod keys;
mod task;

use super::kernel_fifo::{has_ties, ABOVE_ALL};
use super::{checked, Imported};
use crate::error::{Errors, Location, Problem};
use crate::loss::{Ignored, LossKind};
use crate::scenario::{Scenario, TaskSpec};
use crate::words::UrgentPriority;
use json::{Fields, Reader};
use schedlab_model::Instant;
use schedlab_policy::{class_name, KernelClass, Scheduler, Scope, EDF, FP};
use task::{task, Policy, Stated};

/// Settings of rt-app that describe no task: logs, calibration, memory.
const SETTINGS: [&str; 14] = [
    "gnuplot",
    "calibration",
    "log_size",
    "logdir",
    "log_basename",
    "ftrace",
    "lock_pages",
    "pi_enabled",
    "io_device",
    "mem_buffer_size",
    "cumulative_slack",
    "frag",
    "fragment",
    "spacing",
];

/// Reads a workload.
pub(crate) fn read(file: &str, text: &str, ignored: &Ignored) -> Result<Imported<Scenario>, Errors> {
    let mut reader = Reader::new(file, text);
    let document = reader.parse()?;
    let members = document.as_object().ok_or_else(|| unknown_json(file))?;
    let root = reader.fields("", members);
    let tasks = match (root.get("tasks"), root.get("global")) {
        (Some(value), _) => reader.object("tasks", value)?,
        (None, Some(_)) => return Err(Errors::missing(file, "tasks", "an object of tasks by name")),
        (None, None) => return Err(unknown_json(file)),
    };
    let (policy, horizon) = settings(&mut reader, &root)?;
    let mut stated: Vec<Stated> =
        tasks.all().filter_map(|(name, value)| task(&mut reader, name, value, policy.as_deref())).collect();
    state_classes(&mut stated);
    shared_timers(&mut reader, &stated);
    admission::admission(&mut reader, &stated, is_bound(&stated), processors(&stated));
    unbound(&mut reader, &mut stated, ignored);
    let mut scenario = of_tasks(&stated);
    let names_any = |one: &Stated| one.cpus.is_some();
    if let Some(first) = stated.first().filter(|_| !stated.iter().any(names_any)) {
        let what =
            "number of processors: no task has cpus, so that one is assumed (--processors states another)";
        reader.losses.harmless(LossKind::Affinity, first.place.clone(), what);
    }
    scenario.horizon = horizon.unwrap_or(scenario.horizon);
    let places: Vec<_> =
        stated.iter().flat_map(|one| std::iter::repeat_n(one.place.clone(), one.instances)).collect();
    let losses = reader.losses.judged(reader.errors, ignored)?;
    Ok(Imported { value: checked(scenario, &places)?, losses })
}

/// Error: JSON that is no workload, because it has neither tasks nor global settings.
fn unknown_json(file: &str) -> Errors {
    let sentence = "this is JSON, but no workload of rt-app, which has tasks";
    let allowed = "{\"tasks\": {...}, \"global\": {...}} as rt-app reads it, or task sets of one line each with --jsonl";
    Errors::one(Some(Location::line(file, 1)), "", Problem::rule(sentence, allowed))
}

/// Reads the default policy and the horizon, and notes all other surroundings of the tasks.
fn settings(reader: &mut Reader<'_>, root: &Fields<'_>) -> Result<(Option<String>, Option<Instant>), Errors> {
    for (key, _) in root.all().filter(|(key, _)| !["tasks", "global", "resources"].contains(key)) {
        let what = format!("{key} beside the tasks");
        reader.losses.flatters(LossKind::UnknownFields, reader.place_of_key(root, key), what);
    }
    // Resources are there for events, which are refused; old files have their number.
    if let Some(value) = root.get("resources") {
        let what = format!("resources {}, which no task uses", reader.written(value));
        reader.losses.harmless(LossKind::Settings, reader.place(value), what);
    }
    let Some(value) = root.get("global") else { return Ok((None, None)) };
    let global = reader.object("global", value)?;
    let mut found = (None, None);
    for (key, value) in global.all() {
        let place = reader.place_of_key(&global, key);
        match key {
            "default_policy" => match value.as_string_lit() {
                Some(policy) => found.0 = Some(policy.value.to_string()),
                None => reader.refuse("global.default_policy", value, "is no policy", task::POLICIES),
            },
            "duration" => match json::whole(value) {
                Some(seconds) if seconds > 0 => {
                    found.1 = Some(Instant::from_ns(seconds.unsigned_abs().saturating_mul(1_000_000_000)));
                }
                Some(_) => {}
                None => reader.refuse("global.duration", value, "is no time", "whole seconds, or -1"),
            },
            _ if SETTINGS.contains(&key) => {
                reader.losses.harmless(LossKind::Settings, place, format!("global {key}"));
            }
            _ => reader.losses.flatters(LossKind::UnknownFields, place, format!("global {key}")),
        }
    }
    Ok(found)
}

/// States the classes of threads where they differ, or are ordinary.
fn state_classes(stated: &mut [Stated]) {
    if !is_mixed(stated) {
        return;
    }
    for one in stated.iter_mut() {
        one.spec.class = one.policy.class();
        if one.policy == Policy::Deadline {
            one.spec.priority = Some(ABOVE_ALL);
        }
    }
}

/// True if the classes of threads differ, or if any is ordinary.
fn is_mixed(stated: &[Stated]) -> bool {
    let has = |policy| stated.iter().any(|one| one.policy == policy);
    has(Policy::Deadline) && has(Policy::Fifo) || has(Policy::Ordinary)
}

/// Refuses a timer that several threads use, because it gives each of them only some of its periods.
fn shared_timers(reader: &mut Reader<'_>, stated: &[Stated]) {
    for (index, one) in stated.iter().enumerate() {
        let Some((name, place)) = &one.timer else { continue };
        let users = stated.iter().filter(|other| other.timer.as_ref().is_some_and(|(used, _)| used == name));
        let threads: usize = users.map(|other| other.instances).sum();
        let is_first =
            stated[..index].iter().all(|other| other.timer.as_ref().is_none_or(|(used, _)| used != name));
        if threads > 1 && is_first {
            let what = format!("timer {name:?}, which {threads} threads share,");
            reader.losses.flatters(LossKind::Timers, place.clone(), what);
        }
    }
}

/// Returns the scenario of the tasks, each as often as its file states.
fn of_tasks(stated: &[Stated]) -> Scenario {
    let is_deadline = stated.iter().all(|one| one.policy == Policy::Deadline);
    let instances: Vec<TaskSpec> =
        stated.iter().flat_map(|one| crate::copies::copies_of(&one.spec, one.instances)).collect();
    let mut scenario = Scenario::new(instances);
    scenario.scheduler.urgent_priority =
        if is_deadline { UrgentPriority::Smallest } else { UrgentPriority::Largest };
    scenario.scheduler.name = scheduler(stated);
    scenario.platform.processors = processors(stated);
    scenario
}

/// Handles a workload in which not every task is bound to one processor: all are scheduled globally, and the binding of
/// some to fewer processors than there are is lost. A caller that ignores this loss may want more processors than the
/// file names, so that all affinities are left out then.
fn unbound(reader: &mut Reader<'_>, stated: &mut [Stated], ignored: &Ignored) {
    if is_bound(stated) {
        return;
    }
    let processors = processors(stated);
    for one in stated {
        let mut cpus: Vec<u16> = one.spec.processor.iter().chain(&one.spec.affinity).copied().collect();
        cpus.sort_unstable();
        cpus.dedup();
        let is_lost = ignored.has(LossKind::Affinity) || cpus.len() < usize::from(processors);
        if let Some(place) = one.cpus.clone().filter(|_| is_lost) {
            let what = format!("cpus {cpus:?} of {}", one.spec.name);
            reader.losses.flatters(LossKind::Affinity, place, what);
            (one.spec.processor, one.spec.affinity) = (None, Vec::new());
        }
    }
}

/// True if each thread has one processor of its own choice.
fn is_bound(stated: &[Stated]) -> bool {
    !stated.is_empty() && stated.iter().all(|one| one.spec.processor.is_some())
}

/// Number of processors that the file names; one if it names none.
fn processors(stated: &[Stated]) -> u16 {
    let named = stated.iter().flat_map(|one| one.spec.processor.iter().chain(&one.spec.affinity)).max();
    named.map_or(1, |largest| largest.saturating_add(1))
}

/// Returns a scheduler for fixed priorities or for deadlines. Linux takes threads of equal priority first come, first
/// served, and fixed priorities by the order of the file: then the scheduler is the class of Linux. Where classes
/// of threads differ it is, too.
fn scheduler(stated: &[Stated]) -> String {
    let is_deadline = stated.iter().all(|one| one.policy == Policy::Deadline);
    let scope = if is_bound(stated) { Scope::Partitioned } else { Scope::Global };
    let threads = stated
        .iter()
        .flat_map(|one| std::iter::repeat_n((one.spec.processor, one.spec.priority), one.instances));
    match (is_deadline, scope) {
        (false, _) if is_mixed(stated) || has_ties(threads, scope) => class_name(KernelClass::Fifo, scope),
        (false, _) => Scheduler::of_order(FP, true, scope).name,
        (true, _) => Scheduler::of_order(EDF, true, scope).name,
    }
}

#[cfg(test)]
mod tests {
    use crate::interchange::Format;
    use crate::loss::{Ignored, Imported, Loss};
    use crate::{Errors, Scenario, TaskSpec};
    use schedlab_model::ThreadClass;

    fn read(text: &str) -> Result<Imported<Scenario>, Errors> {
        super::read("w", text, &Ignored::default())
    }

    fn lost(read: &Imported<Scenario>) -> Vec<String> {
        read.losses.iter().map(Loss::line).collect()
    }

    /// Threads of both classes: Linux orders them, and tasks state theirs.
    #[test]
    fn servers_beside_fixed_priorities_have_their_class() {
        let text = r#"{"tasks": {
            "a": {"policy": "SCHED_FIFO", "priority": 20, "run": 1000, "timer": {"ref": "x", "period": 10000}},
            "b": {"policy": "SCHED_DEADLINE", "dl-runtime": 2000, "dl-period": 20000, "run": 2000,
                  "timer": {"ref": "y", "period": 20000}}}}"#;
        let found = read(text).unwrap().value;
        let classes: Vec<_> = found.tasks.iter().map(|task| (task.class, task.priority)).collect();
        assert_eq!(classes, [(ThreadClass::Fifo, Some(20)), (ThreadClass::Deadline, Some(99))]);
        assert_eq!(found.scheduler.name, "SCHED_FIFO");
        assert_eq!(Scenario::parse("again", &found.to_toml()).unwrap().tasks, found.tasks);
    }

    /// Exported workloads read back: under partitioned fixed priorities, and under global EDF.
    #[test]
    fn exported_workloads_read_back() {
        let rows = "[[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\npriority = 98\nprocessor = 1\noffset = \"3 ms\"\n\
            [[task]]\nname = \"b\"\nwcet = \"2 ms\"\nperiod = \"20 ms\"\npriority = 97\nprocessor = 1\n";
        for scheduler in ["P-FP", "G-EDF"] {
            let text = format!(
                "schedlab = 1\nplatform.processors = 2\nhorizon = \"5 s\"\n\
                 scheduler = {{ name = \"{scheduler}\", urgent_priority = \"largest\" }}\n{rows}"
            );
            let given = Scenario::parse("given", &text).unwrap();
            let written = Format::RtApp.write(&given).unwrap().value;
            let read = read(&written).unwrap().value;
            assert_eq!((&read.scheduler.name, read.horizon), (&given.scheduler.name, given.horizon));
            for (task, was) in read.tasks.iter().zip(&given.tasks) {
                let key = |task: &TaskSpec| {
                    (task.name.clone(), task.wcet, task.period, task.relative_deadline, task.offset)
                };
                assert_eq!(key(task), key(was));
                if scheduler == "P-FP" {
                    assert_eq!((task.priority, task.processor), (was.priority, was.processor));
                }
            }
        }
    }

    /// Losses that change no answer are listed; losses that may make it too good are refused, until they are ignored.
    #[test]
    fn what_is_not_taken_over_is_lost() {
        let task = "{\"policy\": \"SCHED_FIFO\", \"run\": 1, \"loop\": 5, \"timer\": {\"ref\": \"unique\", \"period\": 9}";
        let text = |more: &str| {
            format!("{{\"tasks\": {{\n\"t\": {task}{more}}}}}, \"global\": {{\"ftrace\": true}}}}")
        };
        let found = read(&text("")).unwrap();
        let assumed =
            "w: number of processors: no task has cpus, so that one is assumed (--processors states another) (line 2)";
        assert_eq!(
            lost(&found),
            [assumed, "w: loop 5 of t, whose jobs go on here (line 2)", "w: global ftrace (line 2)"]
        );
        for (more, wanted) in [
            (", \"util_max\": 9", "w:2:93: util_max 9 of t has no place in a scenario"),
            (", \"slack\": 9", "w:2:93: slack of t, which is no key of rt-app's, has no place"),
        ] {
            let refused = read(&text(more)).unwrap_err().to_string();
            assert!(refused.starts_with(wanted), "{refused}\nwanted {wanted}");
            assert!(super::read("w", &text(more), &Ignored::everything()).is_ok());
        }
    }

    /// Comments, a comma before a closing bracket, a default policy and a default priority, as rt-app reads them.
    #[test]
    fn the_dialect_of_rt_app_is_read() {
        let text =
            "/* one thread */\n{ \"tasks\": { \"t\": { // a tenth\n \"run\": 10000,\n \"run1\": 5000,\n\
            \"timer\": { \"ref\": \"unique\", \"period\": 100000, }, \"cpus\": [0,], } },\n\
            \"global\": { \"default_policy\": \"SCHED_FIFO\", \"duration\": 2, } }\n";
        let found = read(text).unwrap().value;
        assert_eq!((found.tasks[0].wcet.as_ns(), found.tasks[0].period.as_ns()), (15_000_000, 100_000_000));
        assert_eq!((found.tasks[0].priority, found.horizon.as_ns()), (Some(10), 2_000_000_000));
        let reserved = "{\"tasks\": {\"t\": {\"run\": 10000, \"timer\": {\"ref\": \"unique\", \"period\": 100000}, \
            \"dl-runtime\": 12000, \"dl-period\": 80000}}, \"global\": {\"default_policy\": \"SCHED_DEADLINE\"}}";
        let found = read(reserved).unwrap().value;
        let task = &found.tasks[0];
        assert_eq!((task.wcet.as_ns(), task.period.as_ns()), (10_000_000, 100_000_000));
        assert_eq!((task.relative_deadline.as_ns(), found.scheduler.name.as_str()), (80_000_000, "G-EDF"));
    }

    /// rt-app takes the last of two equal keys. Its script workgen takes both, so that a second event is refused.
    #[test]
    fn of_equal_keys_the_last_holds() {
        let of = |fields: &str| {
            format!(
                "{{\"tasks\": {{\"t\": {{\"policy\": \"SCHED_FIFO\", \"cpus\": [0], \"timer\": {{\"ref\": \"unique\", \"period\": 90}},\n{fields}}}}}}}"
            )
        };
        let found = read(&of("\"priority\": 3, \"priority\": 4, \"run\": 1")).unwrap();
        assert_eq!(found.value.tasks[0].priority, Some(4));
        assert_eq!(
            lost(&found),
            ["w: priority 3 of tasks.t, of which rt-app takes the last priority alone (line 2)"]
        );
        let twice = of("\"run\": 8,\n\"run\": 2");
        let refused = read(&twice).unwrap_err().to_string();
        assert!(
            refused.starts_with("w:2:8: run 8 of tasks.t, of which rt-app takes the last run alone, has no"),
            "{refused}"
        );
        let found = super::read("w", &twice, &Ignored::of(["repeated-keys"]).unwrap()).unwrap();
        assert_eq!(found.value.tasks[0].wcet.as_ns(), 2_000);
        // Neither reader would run the tasks of both objects.
        let tasks = of("\"run\": 1").trim_matches(['{', '}']).to_owned() + "}}";
        let refused = read(&format!("{{{tasks},\n{tasks}}}")).unwrap_err().to_string();
        assert!(
            refused.starts_with("w:1:11: tasks {") && refused.contains("takes the last tasks alone"),
            "{refused}"
        );
    }

    /// Workloads that would make an answer too good are refused: a reservation that is smaller than what its jobs need,
    /// a timer of several threads, and threads that are bound to fewer processors than others may use.
    #[test]
    fn what_would_flatter_is_refused() {
        let deadline = |run: u64, period: u64| {
            format!("\"policy\": \"SCHED_DEADLINE\", \"run\": {run}, \"dl-runtime\": 10, \"dl-period\": 90, \"timer\": {{\"ref\": \"unique\", \"period\": {period}}}")
        };
        let fifo = |timer: &str, more: &str| {
            format!("\"policy\": \"SCHED_FIFO\", \"run\": 1, \"timer\": {{\"ref\": \"{timer}\", \"period\": 90}}{more}")
        };
        for (tasks, wanted) in [
            (vec![deadline(11, 90)], "dl-runtime 10 of t0, which its run of 11 exceeds"),
            (vec![deadline(9, 80)], "dl-period 90 of t0, which its timer's period of 80 undercuts"),
            (vec![fifo("tick", ""), fifo("tick", "")], "timer \"tick\", which 2 threads share"),
            (vec![fifo("tick", ", \"instance\": 2")], "timer \"tick\", which 2 threads share"),
            (vec![fifo("unique", ", \"cpus\": [1]"), fifo("unique", "")], "cpus [1] of t0"),
            (
                vec![fifo("unique", ", \"cpus\": [0, 1]"), fifo("unique", ", \"cpus\": [2]")],
                "cpus [0, 1] of t0",
            ),
        ] {
            let tasks: Vec<String> =
                tasks.iter().enumerate().map(|(index, task)| format!("\"t{index}\": {{{task}}}")).collect();
            let text = format!("{{\"tasks\": {{{}}}}}", tasks.join(",\n"));
            let refused = read(&text).unwrap_err().to_string();
            assert!(refused.contains(wanted) && refused.contains("--ignore"), "{refused}\nwanted {wanted}");
            assert!(super::read("w", &text, &Ignored::everything()).is_ok());
        }
        let fine = format!("{{\"tasks\": {{\"t\": {{{}}}}}}}", fifo("tick", ", \"cpus\": [0]"));
        assert_eq!(lost(&read(&fine).unwrap()), Vec::<String>::new());
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let of = |task: &str| read(&format!("{{\"tasks\": {{\n\"t\": {task}}}}}")).unwrap_err().to_string();
        for (task, wanted) in [
            (
                "{\"policy\": \"SCHED_IDLE\", \"run\": 1}",
                "w:2:17: tasks.t.policy: \"SCHED_IDLE\" goes behind ordinary threads",
            ),
            ("{\"run\": 1}", "w:2:6: tasks.t: \"t\" has no run or no period"),
            (
                "{\"policy\": \"SCHED_RR\", \"run\": 1}",
                "w:2:17: tasks.t.policy: \"SCHED_RR\" shares a priority by turns",
            ),
            ("{\"policy\": \"SCHED_FIFO\", \"run\": 1}", "w:2:6: tasks.t: \"t\" has no run or no period"),
            (
                "{\"policy\": \"SCHED_FIFO\", \"run\": -1, \"timer\": {\"period\": 9}}",
                "w:2:38: tasks.t.run: -1 is no time",
            ),
            (
                "{\"policy\": \"SCHED_FIFO\", \"run\": 1, \"timer\": {\"period\": 9},\n \"sleep\": 5}",
                "w:3:2: tasks.t.sleep: \"sleep\" is a pause, which is not read",
            ),
            (
                "{\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": 1, \"dl-period\": 9, \"cpus\": []}",
                "w:2:76: tasks.t.cpus: [] is no list of processors",
            ),
            ("{\"policy\": \"SCHED_DEADLINE\", \"exec\": 1}", "w:2:6: tasks.t.dl-runtime: missing"),
            ("7", "w:2:6: tasks.t: 7 is no task"),
        ] {
            let found = of(task);
            assert!(found.starts_with(wanted), "{found}\nwanted {wanted}");
        }
        for (key, wanted) in [
            ("exec", "\"exec\" is a legacy key, and no key of rt-app's any more"),
            ("deadline", "\"deadline\" is a legacy key; allowed: dl-deadline"),
            ("period", "\"period\" is a legacy key; allowed: dl-period, or a timer"),
            ("runtime", "\"runtime\" is a legacy key for dl-runtime"),
            ("phases", "\"phases\" is a program of several phases"),
            ("lock1", "\"lock1\" is an event of a lock"),
            ("barrier", "\"barrier\" is an event at which threads wait for each other"),
        ] {
            let found = of(&format!("{{\"policy\": \"SCHED_FIFO\", \"run\": 1, \"{key}\": 5}}"));
            assert!(found.contains(wanted), "{found}\nwanted {wanted}");
        }
        assert!(read("{").unwrap_err().to_string().starts_with("w:1:1: not valid JSON"));
        assert!(read("{\"global\": {}}").unwrap_err().to_string().starts_with("w:1:1: tasks: missing"));
        for other in ["{}", "[1, 2]", "7", "{\"name\": 5}"] {
            let found = read(other).unwrap_err().to_string();
            assert!(found.starts_with("w:1:1: this is JSON, but no workload of rt-app"), "{found}");
        }
        assert!(read("").unwrap_err().to_string().contains("not valid JSON: the file is empty"));
        assert!(read(&"[".repeat(100_000)).unwrap_err().to_string().contains("brackets within more than 64"));
    }
}
