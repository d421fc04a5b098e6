//! Advice on objects: one scheme for all of them, and mixes where that is not enough.

use crate::advice::advise;
use crate::schemes::draws;
use schedlab_analysis::Answer;
use schedlab_lab::advise::{Advice, Way, MOST_OBJECTS};
use schedlab_lab::sensitivity::{critical_scaling, Factor};
use schedlab_lab::{analyze, Catalog, Prepared};
use schedlab_model::Scheme;
use schedlab_scenario::Scenario;
use std::collections::BTreeSet;
use std::fmt::Write;

fn parse(text: &str) -> Scenario {
    Scenario::parse("test", text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn object(name: &str, kind: &str, scheme: &str) -> String {
    format!("[[resource]]\nname = \"{name}\"\nkind = \"{kind}\"\nscheme = \"{scheme}\"\n")
}

/// One processor; a task that is due early operates on everything. Others operate on each buffer for long: under a lock
/// they block it, lock-free it fails their attempts for ever. An operation on a wait-free queue costs more time than it
/// has. So buffers have to be wait-free, and queues must not.
fn only_mixes(buffers: usize, queues: usize, scheme: &str) -> String {
    let mut text = "schedlab = 1\nscheduler = \"P-EDF\"\noverheads = { object = [{ kind = \"queue\", scheme = \
                    \"wait-free\", access = \"6 ms\" }, { kind = \"buffer\", scheme = \"wait-free\", access = \"20 us\" }] }\n"
        .to_owned();
    (0..buffers).for_each(|number| text += &object(&format!("b{number}"), "buffer", scheme));
    (0..queues).for_each(|number| text += &object(&format!("q{number}"), "queue", scheme));
    let operation = |name: &str, number, length: &str| {
        format!("\"request {name}{number}\", \"execute {length}\", \"release {name}{number}\"")
    };
    let of = |name: &str, count, length: &str| -> Vec<String> {
        (0..count).map(|number| operation(name, number, length)).collect()
    };
    let all = [of("b", buffers, "10 us"), of("q", queues, "10 us")].concat().join(", ");
    let task = |name: &str, rest: &str, program: &str| {
        format!("[[task]]\nname = \"{name}\"\n{rest}\nprogram = [{program}]\n")
    };
    text += &task("urgent", "period = \"10 ms\"\ndeadline = \"4 ms\"", &all);
    for number in 0..buffers {
        text += &task(
            &format!("long{number}"),
            "period = \"100 ms\"",
            &of("b", buffers, "10 ms")[number].replace("10 ms", "11 ms"),
        );
    }
    let queued = of("q", queues, "10 us").join(", ");
    text + &task("other", "period = \"100 ms\"", &queued)
}

fn is_uniform(way: &Way, own: &str) -> bool {
    let of = |scheme: &str| {
        way.candidate.schemes.as_ref().map_or(own == scheme, |schemes| {
            let words = schemes.to_string();
            !words.contains(';') && words.ends_with(&format!(" {scheme}"))
        })
    };
    Scheme::ALL.into_iter().any(|scheme| of(scheme.name()))
}

fn proved(advice: &Advice) -> impl Iterator<Item = &Way> {
    advice.ways.iter().filter(|way| way.proved)
}

/// What advice says of a way is what an analysis says of the scenario that is written so.
fn is_as_written(scenario: &Scenario, way: &Way) {
    let shared = way.candidate.apply(scenario, &Catalog::shipped()).unwrap();
    let Ok(prepared) = Prepared::new(&parse(&shared.to_toml())) else {
        // Its tasks fit nowhere.
        return assert_eq!((way.proved, way.margin), (false, Factor(0)), "{way:?}");
    };
    let hard = analyze(&prepared).unwrap().analysis.unwrap().hard;
    assert_eq!(hard == Answer::Schedulable, way.proved, "{way:?}");
    assert_eq!(critical_scaling(&prepared), way.margin, "{way:?}");
}

#[test]
fn a_mix_is_advised_where_no_scheme_for_all_holds() {
    for own in Scheme::ALL.map(Scheme::name) {
        let scenario = parse(&only_mixes(1, 1, own));
        let alone = analyze(&Prepared::new(&scenario).unwrap()).unwrap().analysis.unwrap();
        assert_ne!(alone.hard, Answer::Schedulable, "{own}");
        let advice = advise(&scenario);
        assert!(!advice.as_it_is);
        assert!(!advice.ways.iter().any(|way| way.proved && is_uniform(way, own)), "{own}");
        let mixes: BTreeSet<String> =
            proved(&advice).map(|way| way.candidate.schemes.as_ref().unwrap().to_string()).collect();
        assert!(!mixes.is_empty(), "{own}");
        assert!(
            mixes.iter().all(|mix| mix.contains("b0 wait-free") && !mix.contains("q0 wait-free")),
            "{mixes:?}"
        );
        let best = &advice.ways[0];
        assert!(best.proved && best.changes > 0);
        advice
            .ways
            .iter()
            .filter(|way| way.candidate.scheduler == "P-EDF")
            .for_each(|way| is_as_written(&scenario, way));
        let how = advice.mixes.clone().unwrap();
        assert!(how.is_exhaustive && how.objects == 2, "{how:?}");
        assert_eq!(advise(&scenario), advice);
    }
}

/// Wait-free buffers and a locked or lock-free queue are one change from wait-free objects, and two from the others:
/// a single change says what alone changes.
#[test]
fn a_single_change_names_what_it_changes() {
    let changes = |own: &str| -> Vec<String> {
        let found = advise(&parse(&only_mixes(1, 1, own))).single_changes;
        found.into_iter().map(|change| change.what).filter(|what| what.starts_with("objects:")).collect()
    };
    assert_eq!(changes("wait-free"), ["objects: q0 locked", "objects: q0 lock-free"]);
    assert_eq!(changes("locked"), ["objects: b0 wait-free"]);
}

/// Where another placement does better with one scheme for all, mixes are tried with the scenario's own, too: what they
/// alone mend is a single change.
#[test]
fn mixes_are_tried_with_all_else_as_it_is() {
    let text = only_mixes(1, 2, "wait-free").replace(
        "scheduler = \"P-EDF\"\n",
        "scheduler = { name = \"P-EDF\", placement = { fit = \"worst\" } }\nplatform = { processors = 2 }\n",
    );
    let advice = advise(&parse(&text));
    let is_alone =
        |way: &&Way| way.proved && way.candidate.scheduler == "P-EDF" && way.candidate.placement.is_none();
    let way = advice.ways.iter().find(is_alone).expect("a mix is enough");
    assert_eq!(way.changes, 1);
    let what = format!("objects: {}", "q0, q1 locked");
    assert!(advice.single_changes.iter().any(|change| change.what == what), "{:?}", advice.single_changes);
}

/// Seven objects: one change from the scenario's own schemes is found under every scheduler, two are not looked for.
#[test]
fn each_of_many_objects_is_changed_alone() {
    let scenario = parse(&only_mixes(1, 6, "locked"));
    let advice = advise(&scenario);
    assert!(!advice.ways.iter().any(|way| way.proved && is_uniform(way, "locked")));
    let how = advice.mixes.clone().unwrap();
    assert!(
        !how.is_exhaustive && how.objects == 7 && how.objects > MOST_OBJECTS && how.better > 0,
        "{how:?}"
    );
    let best = &advice.ways[0];
    let mix = |way: &Way| way.candidate.schemes.as_ref().unwrap().to_string();
    assert!(best.proved && mix(best).ends_with("locked; b0 wait-free"), "{best:?}");
    is_as_written(&scenario, best);
    let other = proved(&advice).find(|way| way.candidate.scheduler != "P-EDF").unwrap();
    assert!(mix(other).ends_with("b0 wait-free"), "{other:?}");
    assert_eq!(advise(&scenario), advice);
    let two = advise(&parse(&only_mixes(2, 5, "locked")));
    assert_eq!(proved(&two).count(), 0);
}

/// Three objects on one processor, where all placements are one.
fn random_text(seed: u64) -> String {
    let mut below = draws(seed);
    let mut text =
        format!("schedlab = 1\nscheduler = \"{}\"\n", ["P-EDF", "P-RM", "G-EDF"][below(3) as usize]);
    text += "[overheads]\nobject = [\n";
    for kind in ["buffer", "queue", "heap"] {
        for (scheme, most) in [("locked", 5), ("lock-free", 12), ("wait-free", 60)] {
            let access = 1 + below(most);
            writeln!(text, "{{ kind = \"{kind}\", scheme = \"{scheme}\", access = \"{access} us\" }},")
                .unwrap();
        }
    }
    text += "]\n";
    for (name, kind) in [("b", "buffer"), ("q", "queue"), ("h", "heap")] {
        text += &object(name, kind, Scheme::ALL[below(3) as usize].name());
    }
    for index in 0..3 {
        let (period, before) = (400 + below(500), 1 + below(60));
        let steps: Vec<String> = ["b", "q", "h"]
            .iter()
            .map(|name| format!("\"request {name}\", \"execute {} us\", \"release {name}\"", 1 + below(30)))
            .collect();
        let program = steps[..1 + below(3) as usize].join(", ");
        writeln!(text, "[[task]]\nname = \"t{index}\"\nperiod = \"{period} us\"\nprogram = [\"execute {before} us\", {program}]")
            .unwrap();
    }
    text
}

/// The margin of the best of all combinations, each written and asked for.
fn best_by_hand(scenario: &Scenario) -> Factor {
    let mut best = Factor(0);
    let objects = scenario.resources.len();
    for mut number in 0..3_usize.pow(objects as u32) {
        let mut shared = scenario.clone();
        for spec in &mut shared.resources {
            spec.object.as_mut().unwrap().scheme = Scheme::ALL[number % 3];
            number /= 3;
        }
        let prepared = Prepared::new(&parse(&shared.to_toml())).unwrap();
        best = best.max(critical_scaling(&prepared));
    }
    best
}

/// No combination is better than the best that is advised, under the scenario's scheduler; some mixes are better than
/// one scheme for all.
#[test]
fn the_best_of_all_combinations_is_advised() {
    let mut mixed = 0;
    for seed in 0..40 {
        let scenario = parse(&random_text(seed));
        let own = scenario.scheduler_name().to_owned();
        let advice = advise(&scenario);
        let mut ways = advice.ways.iter().filter(|way| way.candidate.scheduler == own);
        let best = ways.next().unwrap();
        assert_eq!(best.margin, best_by_hand(&scenario), "seed {seed}: {best:?}");
        let words = best.candidate.schemes.as_ref().map(|schemes| schemes.to_string());
        mixed += usize::from(words.is_some_and(|words| words.contains(';')));
    }
    assert!((5..40).contains(&mixed), "{mixed}");
}

/// Two tasks that share a heap; wait-free is best as long as it costs no more, and that is known.
fn of_heap(costs: &[(&str, &str)]) -> Scenario {
    let of = |(scheme, access): &(&str, &str)| {
        format!("{{ kind = \"heap\", scheme = \"{scheme}\", access = \"{access}\" }}")
    };
    let costs: Vec<String> = costs.iter().map(of).collect();
    let task = |name: &str, period: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\nperiod = \"{period}\"\nprogram = [\"execute 100 us\", \"request h\", \"execute 60 us\", \
             \"release h\"]\n"
        )
    };
    parse(&format!(
        "schedlab = 1\nscheduler = \"P-EDF\"\noverheads = {{ object = [{}] }}\n{}{}{}",
        costs.join(", "),
        object("h", "heap", "locked"),
        task("a", "1 ms"),
        task("b", "3 ms")
    ))
}

#[test]
fn costs_of_operations_decide() {
    let best = |advice: &Advice| {
        let way = advice.ways.iter().find(|way| way.candidate.scheduler == "P-EDF").unwrap();
        (way.candidate.schemes.as_ref().map(|schemes| schemes.to_string()), way.margin)
    };
    let unknown = |advice: &Advice| -> Vec<Vec<&str>> {
        advice.unknown_costs.iter().map(|unknown| unknown.schemes.clone()).collect()
    };
    // Nothing is known: wait-free costs no more than the others, and delays nothing.
    let blind = advise(&of_heap(&[]));
    assert_eq!(unknown(&blind), [["locked", "lock-free", "wait-free"]]);
    assert_eq!(blind.unknown_costs[0].objects, ["h"]);
    assert_eq!(blind.unknown_costs[0].kind, Some("heap"));
    assert_eq!(best(&blind).0.as_deref(), Some("h wait-free"));
    // It costs 300 us, and the lock blocks a job for 60 us once.
    let all = [("locked", "1 us"), ("lock-free", "2 us"), ("wait-free", "300 us")];
    let known = advise(&of_heap(&all));
    assert_eq!(unknown(&known), Vec::<Vec<&str>>::new());
    assert_eq!(best(&known).0, None);
    assert!(best(&known).1 > Factor(30_000), "{:?}", best(&known));
    // Of 4 jobs in 3 ms each takes 800 us.
    let dear = advise(&of_heap(&[("locked", "1 us"), ("wait-free", "700 us")]));
    assert_eq!(unknown(&dear), [["lock-free"]]);
    let of = |words: &str| {
        let is_it = |way: &&Way| {
            way.candidate.scheduler == "P-EDF"
                && way.candidate.schemes.as_ref().is_some_and(|schemes| schemes.to_string() == words)
        };
        dear.ways.iter().find(is_it).unwrap().proved
    };
    assert!(!of("h wait-free") && of("h lock-free"));
}

/// Sections on resources without a kind have no known costs, where they are attempts.
#[test]
fn operations_on_nothing_in_particular_have_no_known_cost() {
    let of = |protocol: &str| {
        advise(&parse(&format!(
            "schedlab = 1\nscheduler = \"P-EDF\"\nprotocol = \"{protocol}\"\nresource = [{{ name = \"r\" }}]\ntask = [{{ name = \
             \"t\", period = \"10 ms\", program = [\"request r\", \"execute 1 ms\", \"release r\"] }}]\n"
        )))
        .unknown_costs
    };
    assert!(of("msrp").is_empty());
    let [found] = <[_; 1]>::try_from(of("lock-free")).unwrap();
    assert_eq!(
        (found.kind, found.objects, found.schemes),
        (None, vec!["r".to_owned()], vec!["lock-free", "wait-free"])
    );
}
