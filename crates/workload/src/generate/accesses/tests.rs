use super::*;
use schedlab_model::{Duration, ResourceId, Step, Work};

fn tasks(count: usize) -> Vec<Task> {
    vec![Task::implicit(Work::from_ns(20_000_000), Duration::from_ns(100_000_000)); count]
}

fn drawn(spec: &str, count: usize, index: u64) -> (Vec<Task>, usize) {
    let mut tasks = tasks(count);
    let resources = spec.parse::<Accesses>().unwrap().draw(&mut tasks, 2020, index);
    (tasks, resources.len())
}

/// The outermost sections of a program: the resource, the length, and the depth of their nesting.
fn sections(task: &Task) -> Vec<(ResourceId, u64, usize)> {
    let (mut found, mut held): (Vec<(ResourceId, u64, usize)>, usize) = (Vec::new(), 0);
    for step in &task.program {
        match *step {
            Step::Request(resource, 1) => {
                if held == 0 {
                    found.push((resource, 0, 0));
                }
                held += 1;
                let (_, _, deepest) = found.last_mut().unwrap();
                *deepest = (*deepest).max(held - 1);
            }
            Step::Release(..) => held -= 1,
            Step::Execute(work) if held > 0 => found.last_mut().unwrap().1 += work.as_ns(),
            _ => {}
        }
    }
    assert_eq!(held, 0);
    found
}

fn executed(task: &Task) -> u64 {
    task.program.iter().map(|step| if let Step::Execute(work) = step { work.as_ns() } else { 0 }).sum()
}

/// Resource-protocols-2020: probability of an access, uniform lengths in their range, at most once a job, inside the
/// WCET.
#[test]
fn independent_accesses_have_their_probability_and_lengths() {
    for (range, low, high) in
        [("short", 1_000, 25_000), ("medium", 25_000, 100_000), ("long", 100_000, 500_000)]
    {
        let (tasks, resources) = drawn(&format!("independent 8 0.25 {range}"), 5_000, 0);
        assert_eq!(resources, 8);
        let all: Vec<_> = tasks.iter().map(sections).collect();
        let count: usize = all.iter().map(Vec::len).sum();
        // 40,000 lots of 1/4: the standard deviation is 87.
        assert!((9_600..10_400).contains(&count), "{range}: {count} accesses");
        let lengths: Vec<u64> = all.iter().flatten().map(|(_, length, _)| *length).collect();
        assert!(lengths.iter().all(|length| (low..=high).contains(length)), "{range}");
        let mean = lengths.iter().sum::<u64>() as f64 / count as f64;
        let expected = (low + high) as f64 / 2.0;
        // The deviation of the mean of 10,000 uniform numbers is the range times 0.0029.
        assert!((mean - expected).abs() < (high - low) as f64 * 0.012, "{range}: mean {mean}");
        for (task, found) in tasks.iter().zip(&all) {
            let mut used: Vec<ResourceId> = found.iter().map(|(resource, ..)| *resource).collect();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), found.len(), "once a job");
            assert!(found.iter().all(|(_, _, depth)| *depth == 0));
            assert_eq!(task.wcet.as_ns(), 20_000_000);
            assert!(task.program.is_empty() || executed(task) == 20_000_000);
        }
    }
}

/// Tasks whose sections fit their WCETs, tasks whose sections do not, and some between.
fn mixed(count: u64) -> Vec<Task> {
    let task = |n| Task::implicit(Work::from_ns(1 + n * n * 40), Duration::from_ns(100_000_000));
    (0..count).map(task).collect()
}

/// The reading `keep` changes no WCET and draws the sections of `grow`; `grow` changes only WCETs that are too short.
#[test]
fn both_readings_of_short_wcets_draw_the_same_sections() {
    for spec in ["independent 1 0.5 short", "independent 8 0.75 long", "independent 16 1 medium"] {
        let (mut short, mut long) = (0, 0);
        for index in 0..20 {
            let drawn = |reading: &str| {
                let mut tasks = mixed(300);
                let accesses: Accesses = format!("{spec} {reading}").parse().unwrap();
                accesses.draw(&mut tasks, 11, index);
                tasks
            };
            let (by_default, grown, kept) = (drawn(""), drawn("grow"), drawn("keep"));
            assert_eq!(by_default, grown);
            for ((before, grown), kept) in mixed(300).iter().zip(&grown).zip(&kept) {
                assert_eq!(kept.wcet, before.wcet, "keep never changes a WCET");
                assert_eq!(kept.program, grown.program);
                if grown.program.is_empty() {
                    assert_eq!(grown.wcet, before.wcet);
                    continue;
                }
                assert_eq!(grown.wcet.as_ns(), executed(grown));
                let inside: u64 = sections(grown).iter().map(|(_, length, _)| length).sum();
                assert_eq!(grown.wcet.as_ns(), inside.max(before.wcet.as_ns()));
                let is_short = inside > before.wcet.as_ns();
                short += u32::from(is_short);
                long += u32::from(!is_short);
            }
        }
        assert!(short > 100 && long > 100, "{spec}: {short} short, {long} long");
    }
}

/// A WCET that is shorter than its sections grows to their length.
#[test]
fn sections_are_never_cut() {
    let mut all = vec![Task::implicit(Work::from_ns(10), Duration::from_ns(100_000_000)); 100];
    "independent 4 1 long".parse::<Accesses>().unwrap().draw(&mut all, 1, 0);
    for task in &all {
        let found = sections(task);
        assert_eq!(found.len(), 4);
        assert_eq!(found.iter().map(|(_, length, _)| length).sum::<u64>(), task.wcet.as_ns());
    }
}

/// Block-or-not-2008, section 4.2: K*N/(alpha*m) resources.
#[test]
fn the_number_of_shared_resources_follows_the_formula() {
    assert_eq!(drawn("shared 5 1 4 14us", 40, 0).1, 50);
    assert_eq!(drawn("shared 5 2 4 14us", 40, 0).1, 25);
    assert_eq!(drawn("shared 1 1 4 14us", 5, 0).1, 2, "rounded up");
}

/// Block-or-not-2008, section 4.1: 83% of sections do not nest, 13% nest once; they come on top of the WCET.
#[test]
fn shared_accesses_nest_as_traced() {
    let (tasks, _) = drawn("shared 9 1 4 14us", 4_000, 0);
    let mut depths = [0f64; 7];
    let mut counts = [0f64; 10];
    let (mut total, mut sum) = (0u64, 0u64);
    for task in &tasks {
        let found = sections(task);
        counts[found.len()] += 1.0;
        let mut inside = 0;
        for (_, length, depth) in found {
            assert!((1..=14_000).contains(&length));
            depths[depth] += 1.0;
            inside += length;
            total += 1;
        }
        sum += inside;
        assert_eq!(task.wcet.as_ns(), 20_000_000 + inside);
        assert_eq!(executed(task), task.wcet.as_ns());
    }
    let share = |depth: usize| depths[depth] / total as f64;
    assert!((share(0) - 0.83).abs() < 0.012, "{}", share(0));
    assert!((share(1) - 0.13).abs() < 0.011, "{}", share(1));
    assert!(depths[2..].iter().all(|count| *count > 0.0), "{depths:?}");
    assert!(counts[0] == 0.0 && counts[1..].iter().all(|count| (count - 444.4).abs() < 100.0), "{counts:?}");
    assert!((sum as f64 / total as f64 - 7_000.0).abs() < 120.0);
}

/// Block-or-not-2008, table 2: an access costs a constant and a term for each task that shares the object; no access
/// nests.
#[test]
fn accesses_to_objects_cost_what_the_table_says() {
    let (tasks, count) = drawn("objects 5 1 4 2620ns 10ns", 40, 0);
    assert_eq!(count, 50);
    let found: Vec<_> = tasks.iter().map(sections).collect();
    let mut sharers = [0; 50];
    for of in &found {
        (0..50)
            .filter(|index| of.iter().any(|(resource, ..)| resource.index() == *index))
            .for_each(|index| sharers[index] += 1);
    }
    assert!(sharers.iter().any(|count| *count > 3), "{sharers:?}");
    for (task, of) in tasks.iter().zip(&found) {
        assert!((1..=5).contains(&of.len()));
        for (resource, length, depth) in of {
            assert_eq!((*length, *depth), (2_620 + 10 * sharers[resource.index()], 0));
        }
        let inside: u64 = of.iter().map(|(_, length, _)| length).sum();
        assert_eq!((task.wcet.as_ns(), executed(task)), (20_000_000 + inside, 20_000_000 + inside));
    }
    // The same tasks access the same objects, whatever that costs.
    let accessed = |spec| {
        drawn(spec, 40, 0)
            .0
            .iter()
            .map(sections)
            .map(|of| of.iter().map(|(index, ..)| *index).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    assert_eq!(accessed("objects 5 1 4 1us 0ns"), accessed("objects 5 1 4 9us 3ns"));
}

/// Nested resources are taken in one order, and no job asks for what it holds.
#[test]
fn nested_requests_rise() {
    for task in drawn("shared 9 2 2 14us", 500, 3).0 {
        let mut held: Vec<ResourceId> = Vec::new();
        for step in &task.program {
            match *step {
                Step::Request(resource, _) => {
                    assert!(held.last().is_none_or(|outer| *outer < resource));
                    held.push(resource);
                }
                Step::Release(resource, _) => assert_eq!(held.pop(), Some(resource)),
                Step::Execute(work) => assert!(!work.is_zero()),
                _ => {}
            }
        }
    }
}

#[test]
fn sets_differ_by_index_and_repeat_by_seed() {
    let spec = "independent 4 0.5 medium";
    assert_eq!(drawn(spec, 20, 1), drawn(spec, 20, 1));
    assert_ne!(drawn(spec, 20, 1), drawn(spec, 20, 2));
    assert_eq!(drawn("none", 20, 1), (tasks(20), 0));
}

#[test]
fn bad_specifications_are_named() {
    let says = |text: &str, message: &str| {
        assert_eq!(text.parse::<Accesses>().unwrap_err().to_string(), message);
    };
    says("", "accesses: the name of a rule is missing");
    says("independent 4 0.5 tiny", "accesses: unknown `tiny`; allowed: short, medium, long");
    says("independent 4 0.5 long shrink", "accesses: unknown `shrink`; allowed: grow, keep");
    says("independent 4 0.5 long keep it", "accesses: `it` is too much");
    says("shared 5 1 4 14us keep", "accesses: `keep` is too much");
    says("independent 4 1.5 short", "accesses: the probability is 1.5; allowed: from 0 to 1");
    says("shared 5 0 4 14us", "accesses: `0` is not the degree of sharing; allowed: a whole number from 1");
}
