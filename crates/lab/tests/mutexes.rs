//! POSIX mutexes, each with a protocol of its own: simulated, analysed, refused.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Prepared};
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};

/// The scenario of the Mars Pathfinder (M. Jones, *What really happened on Mars*, 1997), as small as it gets: the bus
/// task A and the weather task C share a mutex of `protocol`, and B, which communicates, goes between them.
fn pathfinder(protocol: &str) -> String {
    format!(
        "schedlab = 1\nscheduler = \"P-SCHED_FIFO\"\nhorizon = \"400 ms\"\n\
         [[resource]]\nname = \"bus\"\nprotocol = \"{protocol}\"\n\
         [[task]]\nname = \"A\"\nperiod = \"125 ms\"\ndeadline = \"30 ms\"\noffset = \"3 ms\"\npriority = 1\n\
         program = [\"request bus\", \"execute 5 ms\", \"release bus\"]\n\
         [[task]]\nname = \"B\"\nperiod = \"200 ms\"\nwcet = \"40 ms\"\noffset = \"4 ms\"\npriority = 2\n\
         [[task]]\nname = \"C\"\nperiod = \"400 ms\"\npriority = 3\n\
         program = [\"execute 1 ms\", \"request bus\", \"execute 6 ms\", \"release bus\", \"execute 2 ms\"]\n"
    )
}

fn prepared(text: &str) -> Prepared {
    let scenario = Scenario::parse("a.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    Prepared::new(&scenario).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns how many jobs of a simulation are late.
fn late(prepared: &Prepared) -> u64 {
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).unwrap().jobs_missed
}

/// Returns the answer of the test of mutexes, and its bounds in ms.
fn bounds(prepared: &Prepared) -> (Answer, Option<Vec<u64>>) {
    let found = findings(prepared, &analyze(prepared).unwrap());
    let found = found.into_iter().find(|finding| finding.test == "posix_response_time").expect("it speaks");
    let in_ms = |bounds: Vec<Option<schedlab_model::Duration>>| {
        bounds.into_iter().map(|bound| bound.unwrap().as_ns() / 1_000_000).collect()
    };
    (found.answer, found.response_times.map(in_ms))
}

#[test]
fn only_a_protocol_saves_the_pathfinder() {
    let none = prepared(&pathfinder("none"));
    assert_eq!(late(&none), 1, "B goes before C, for which A waits");
    assert_eq!(bounds(&none).0, Answer::Unknown);
    for protocol in ["inherit", "protect"] {
        let saved = prepared(&pathfinder(protocol));
        assert_eq!(late(&saved), 0, "{protocol}");
        // A: 5 and C's section; B: 40, A and the section; C: 9, A and B.
        let expected = (Answer::Schedulable, Some(vec![11, 51, 54]));
        assert_eq!(bounds(&saved), expected, "{protocol}");
    }
}

/// Draws the task that executes in each of the first 9 ns.
fn drawn(timeline: &Timeline) -> String {
    let (mut text, mut letter) = (String::new(), '.');
    for (at, record) in &timeline.records {
        while (text.len() as u64) < at.as_ns().min(9) {
            text.push(letter);
        }
        match record {
            Record::Dispatch { job, .. } => letter = ['A', 'B', 'C'][job.task.index()],
            Record::Preempt { .. } | Record::Suspend { .. } | Record::Complete { .. } => letter = '.',
            _ => {}
        }
    }
    text
}

/// The schedule in the header of the protocol's file.
#[test]
fn the_protocol_is_drawn() {
    let text = "schedlab = 1\nscheduler = \"P-SCHED_FIFO\"\nhorizon = \"9 ns\"\n\
        [[resource]]\nname = \"r\"\nprotocol = \"none\"\n\
        [[task]]\nname = \"A\"\nperiod = \"100 ns\"\noffset = \"3 ns\"\npriority = 1\n\
        program = [\"request r\", \"execute 1 ns\", \"release r\", \"execute 1 ns\"]\n\
        [[task]]\nname = \"B\"\nperiod = \"100 ns\"\nwcet = \"2 ns\"\noffset = \"4 ns\"\npriority = 2\n\
        [[task]]\nname = \"C\"\nperiod = \"100 ns\"\npriority = 3\n\
        program = [\"execute 1 ns\", \"request r\", \"execute 4 ns\", \"release r\"]\n";
    let of = |text: &str| {
        let prepared = prepared(text);
        let mut timeline = Timeline::default();
        prepared.simulate(&mut timeline, &mut |_| true).unwrap();
        drawn(&timeline)
    };
    assert_eq!(of(text), "CCCCBBCAA");
    assert_eq!(of(&text.replace("none", "inherit")), "CCCCCAABB");
    assert_eq!(of(&text.replace("none", "protect")), "CCCCCAABB");
}

/// A's mutex with C inherits, and its mutex with D has a ceiling; B's with D has no protocol.
#[test]
fn each_resource_has_its_own_protocol() {
    let text = "schedlab = 1\nscheduler = \"SCHED_FIFO\"\nprotocol = \"pip\"\nhorizon = \"1 s\"\n\
        [[resource]]\nname = \"inherits\"\n\
        [[resource]]\nname = \"ceiling\"\nprotocol = \"protect\"\n\
        [[resource]]\nname = \"plain\"\nprotocol = \"none\"\n\
        [[task]]\nname = \"A\"\nperiod = \"50 ms\"\npriority = 1\n\
        program = [\"request inherits\", \"execute 1 ms\", \"release inherits\", \"request ceiling\", \
        \"execute 1 ms\", \"release ceiling\"]\n\
        [[task]]\nname = \"B\"\nperiod = \"80 ms\"\npriority = 2\n\
        program = [\"request plain\", \"execute 3 ms\", \"release plain\"]\n\
        [[task]]\nname = \"C\"\nperiod = \"100 ms\"\npriority = 3\n\
        program = [\"request inherits\", \"execute 4 ms\", \"release inherits\", \"execute 1 ms\"]\n\
        [[task]]\nname = \"D\"\nperiod = \"100 ms\"\npriority = 4\n\
        program = [\"request ceiling\", \"execute 2 ms\", \"release ceiling\", \"request plain\", \
        \"execute 5 ms\", \"release plain\"]\n";
    let found = prepared(text);
    assert_eq!(late(&found), 0);
    // A: 2 + 4 + 2. B: 3 and twice 4 + 2, for it waits once for D's 5; C goes meanwhile (5), and A (2).
    // C: 5 + 2 (D under the ceiling), A and B. D: 7, and A, B and C.
    assert_eq!(bounds(&found), (Answer::Schedulable, Some(vec![8, 27, 12, 17])));
}

/// No bound is known for mutexes that nest, and for those of several processors.
#[test]
fn what_no_bound_covers_is_unknown() {
    let nested = pathfinder("inherit")
        .replace("\"execute 6 ms\"", "\"request other\", \"execute 6 ms\", \"release other\"");
    let other = "[[resource]]\nname = \"other\"\nprotocol = \"protect\"\n[[task]]\nname = \"A\"";
    let nested = nested.replacen("[[task]]\nname = \"A\"", other, 1).replacen(
        "wcet = \"40 ms\"",
        "program = [\"request other\", \"execute 40 ms\", \"release other\"]",
        1,
    );
    let apart = pathfinder("inherit").replace("name = \"C\"\n", "name = \"C\"\nprocessor = 1\n");
    let apart = apart.replace("name = \"A\"\n", "name = \"A\"\nprocessor = 0\n");
    let apart = apart.replacen("[[resource]]", "platform = { processors = 2 }\n[[resource]]", 1);
    for (text, why) in [(nested, "while it holds"), (apart, "is used on several processors")] {
        let prepared = prepared(&text);
        let found = analyze(&prepared).unwrap();
        let said = findings(&prepared, &found);
        assert!(said.iter().all(|one| one.answer == Answer::Unknown), "{text}");
        assert!(said.iter().any(|one| one.reason.in_words(&prepared.scenario).contains(why)), "{text}");
    }
}

#[test]
fn a_mutex_is_refused_elsewhere() {
    let text = pathfinder("inherit");
    let refused = |text: &str| Scenario::parse("a.toml", text).unwrap_err().to_string();
    let said = refused(&text.replace("P-SCHED_FIFO", "P-FP"));
    assert!(said.contains("a.toml:6:") && said.contains("the kernel's fixed priorities"), "{said}");
    let said = refused(&text.replace("\"inherit\"\n", "\"inherit\"\nunits = 2\n"));
    assert!(said.contains("a.toml:7:") && said.contains("is not for a mutex"), "{said}");
    let said =
        refused(&text.replace("\"inherit\"\n", "\"inherit\"\nkind = \"queue\"\nscheme = \"locked\"\n"));
    assert!(said.contains("is not for an object"), "{said}");
    let said = refused(&text.replace("\"inherit\"", "\"inherits\""));
    assert!(said.contains("inherit"), "{said}");
    let beside =
        text.replacen("[[resource]]", "protocol = \"msrp\"\n[[resource]]\nname = \"other\"\n[[resource]]", 1);
    let said = refused(&beside);
    assert!(said.contains("a.toml:4:") && said.contains("not one of POSIX"), "{said}");
    let scenario = Scenario::parse("a.toml", &text).unwrap();
    let said = scenario.clone().with_protocol("pip").unwrap_err().to_string();
    assert!(said.contains("stands beside the protocol of resource \"bus\""), "{said}");
    let said = scenario.with_scheduler("G-EDF").unwrap_err().to_string();
    assert!(said.contains("the kernel's fixed priorities"), "{said}");
}

/// The scenario's own way keeps its mutexes; others share by one protocol for all.
#[test]
fn advice_knows_mutexes() {
    use schedlab_lab::advise::Plan;
    let text = pathfinder("inherit").replace("P-SCHED_FIFO", "SCHED_FIFO");
    let scenario = Scenario::parse("a.toml", &text).unwrap();
    let catalog = schedlab_lab::Catalog::shipped();
    let plan = Plan::of(&scenario, &catalog);
    let outlines = (0..plan.ways()).filter_map(|index| plan.outline(index)).count();
    assert!(outlines > 10, "{outlines}");
    let own = schedlab_lab::advise::CandidateSystem {
        scheduler: "SCHED_FIFO".into(),
        protocol: "none".into(),
        ..Default::default()
    };
    assert_eq!(own.apply(&scenario, &catalog).unwrap().resources, scenario.resources);
    let other =
        schedlab_lab::advise::CandidateSystem { scheduler: "P-RM".into(), protocol: "pcp".into(), ..own };
    assert!(other.apply(&scenario, &catalog).unwrap().resources.iter().all(|spec| spec.protocol.is_none()));
}

/// Of the other resources, each mutex has the scenario's protocol, in analyses and in simulations: A waits for C's
/// section on `map` only, although B, between them, has a mutex of another protocol.
#[test]
fn other_resources_have_the_scenarios_protocol() {
    let text = |protocol: &str| {
        format!(
            "schedlab = 1\nscheduler = \"P-SCHED_FIFO\"\nprotocol = \"{protocol}\"\nhorizon = \"100 ms\"\n\
             [[resource]]\nname = \"map\"\n[[resource]]\nname = \"log\"\nprotocol = \"protect\"\n\
             [[task]]\nname = \"A\"\nperiod = \"20 ms\"\ndeadline = \"10 ms\"\noffset = \"2 ms\"\npriority = 1\n\
             program = [\"execute 1 ms\", \"request map\", \"execute 1 ms\", \"release map\"]\n\
             [[task]]\nname = \"B\"\nperiod = \"50 ms\"\noffset = \"2 ms\"\npriority = 2\n\
             program = [\"execute 7 ms\", \"request log\", \"execute 1 ms\", \"release log\"]\n\
             [[task]]\nname = \"C\"\nperiod = \"50 ms\"\npriority = 3\n\
             program = [\"execute 1 ms\", \"request map\", \"execute 3 ms\", \"release map\", \"request log\", \
             \"execute 1 ms\", \"release log\"]\n"
        )
    };
    for protocol in ["pip", "ipcp"] {
        let found = prepared(&text(protocol));
        assert_eq!((bounds(&found).0, late(&found)), (Answer::Schedulable, 0), "{protocol}");
    }
    assert!(late(&prepared(&text("none"))) > 0, "B goes before C, for which A waits");
}

/// A thread that is woken finds what it waits for free, or not: one that arrives just then may have been there first.
#[test]
fn a_ceiling_of_the_kernel_does_not_keep_an_arrival_out_at_once() {
    let found = prepared(
        "schedlab = 1\nscheduler = \"P-SCHED_FIFO\"\nprotocol = \"ipcp\"\nhorizon = \"100 ms\"\n\
         [[resource]]\nname = \"r\"\n\
         [[task]]\nname = \"A\"\nperiod = \"20 ms\"\noffset = \"1 ms\"\npriority = 1\n\
         program = [\"execute 1 ms\", \"request r\", \"execute 2 ms\", \"release r\"]\n\
         [[task]]\nname = \"B\"\nperiod = \"30 ms\"\npriority = 2\n\
         program = [\"execute 1 ms\", \"request r\", \"execute 5 ms\", \"release r\"]\n",
    );
    assert_eq!((bounds(&found).0, late(&found)), (Answer::Schedulable, 0));
}
