//! Batches against figure 1 of litmus-rt-2006, hand-made sets and brute force.

use super::*;
use crate::batch::{Measure, Memory, Question, Sets};
use schedlab_model::Work;
use schedlab_policy::{Needs, ALL_ORDERS};
use schedlab_scenario::OverheadProfile;
use schedlab_workload::generate::{Accesses, Generator, Spec};

fn tasks(parameters: &[(u64, u64)]) -> Vec<Task> {
    let implicit = |&(cost, period)| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
    parameters.iter().map(implicit).collect()
}

fn proved(question: &str, parameters: &[(u64, u64)], processors: u16) -> bool {
    let (question, tasks): (Question, _) = (question.parse().unwrap(), tasks(parameters));
    question.judge(Set::independent(&tasks, processors), &mut Workspace::default()).unwrap().is_some()
}

/// X, Y and Z of litmus-rt-2006, figure 1: no two fit on one processor, yet tardiness is bounded on two.
#[test]
fn three_tasks_that_cannot_be_partitioned_have_bounded_tardiness() {
    let xyz = [(1500, 3000), (2000, 3000), (4000, 6000)];
    assert!(!proved("P-EDF hard", &xyz, 2));
    assert!(proved("P-EDF hard", &xyz, 3));
    assert!(!proved("G-EDF hard", &xyz, 2));
    assert!(proved("G-EDF soft", &xyz, 2));
    assert!(proved("NG-EDF soft", &xyz, 2));
    assert!(!proved("NG-EDF hard", &xyz, 2));
}

/// Equal tasks of utilization 1/2: GFB holds with equality for three of them on two processors.
#[test]
fn a_named_test_answers_alone() {
    let three = [(1000, 2000); 3];
    assert!(proved("G-EDF hard gfb", &three, 2));
    assert!(!proved("G-EDF hard one_processor_each", &three, 2));
    assert!(proved("G-EDF hard one_processor_each gfb", &three, 2));
}

/// Two processors of tasks that RM schedules only because the periods are harmonic.
#[test]
fn partitioned_rate_monotonic_ranks_by_period() {
    assert!(proved("P-RM hard", &[(1, 2), (2, 4), (4, 8), (4, 8)], 2));
    assert!(!proved("P-RM hard", &[(2, 5), (4, 7)], 1));
    assert!(proved("P-EDF hard", &[(2, 5), (4, 7)], 1));
}

/// Two clusters of two processors: each takes two of the tasks of utilization 2/3, and neither takes three. One cluster
/// of all processors is the global scheduler, and clusters of one are the partitioned one.
#[test]
fn clusters_are_scheduled_globally_each() {
    let heavy = |count| vec![(2_000, 3_000); count];
    assert!(proved("C-EDF hard cluster=2", &heavy(4), 4));
    assert!(!proved("C-EDF hard cluster=2", &heavy(5), 4) && proved("C-EDF soft cluster=2", &heavy(6), 4));
    assert!(!proved("P-EDF soft", &heavy(6), 4), "two do not fit on one processor");
    assert!(!proved("C-EDF soft cluster=2", &heavy(7), 4));
    assert!(proved("C-EDF hard cluster=2 one_processor_each", &heavy(4), 4));
    let mut random = schedlab_workload::Random::new(1, *b"Clusters", 0);
    let (mut all, mut some) = (0, 0);
    for _ in 0..500 {
        let task = |_| {
            let period = random.between(2, 30);
            (random.between(1, period), period)
        };
        let tasks: Vec<_> = (0..8).map(task).collect();
        for (scheduler, words) in [("EDF", "hard"), ("RM", "hard"), ("FL", "soft"), ("FIFO", "soft")] {
            let found = |scope: &str, cluster: &str| {
                proved(&format!("{scope}-{scheduler} {words} {cluster}"), &tasks, 4)
            };
            assert_eq!(found("C", "cluster=4"), found("G", ""), "{scheduler}: {tasks:?}");
            let (alone, apart) = (found("C", "cluster=1"), found("P", ""));
            assert_eq!(alone, apart, "{scheduler}: {tasks:?}");
            all += 1;
            some += u32::from(alone);
        }
    }
    assert!(some > all / 20, "{some} of {all} are proved");
}

/// Clusters that leave processors out are refused, and RNP looks at the numbers that clusters share out.
#[test]
fn clusters_share_out_the_processors() {
    let question: Question = "C-EDF hard cluster=2".parse().unwrap();
    let tasks = tasks(&[(2_000, 3_000); 5]);
    let judged = question.judge(Set::independent(&tasks, 5), &mut Workspace::default());
    let message = judged.unwrap_err().to_string();
    assert!(message.starts_with("clusters of 2 on 5 processors: they leave some out"), "{message}");
    assert!(question.judge(Set::independent(&tasks, 4), &mut Workspace::default()).unwrap().is_none());
    let needed = Measure::Processors(9).of(&question, Set::independent(&tasks, 3), &mut Workspace::default());
    assert_eq!(needed.unwrap(), Some(6));
}

const MS: u64 = 1_000_000;

/// Figure 1(c, d): every weight is 2/3 once X's cost of one and a half quanta is rounded up.
#[test]
fn pfair_questions_round_costs_up_to_quanta() {
    let xyz = [(3 * MS / 2, 3 * MS), (2 * MS, 3 * MS), (4 * MS, 6 * MS)];
    assert!(proved("PD2 hard", &xyz, 2));
    assert!(proved("PD2 hard pfair", &xyz, 2));
    assert!(proved("PF hard", &xyz, 2));
    assert!(!proved("S-PD2 hard", &xyz, 2), "jobs miss by half a quantum");
    assert!(proved("S-PD2 soft", &xyz, 2));
    let more = [(2 * MS + 1, 3 * MS), (2 * MS, 3 * MS), (4 * MS, 6 * MS)];
    assert!(!proved("PD2 hard", &more, 2) && !proved("PD2 soft", &more, 2) && proved("PD2 hard", &more, 3));
}

/// Litmus-rt-2006, section 4.2, by hand: weights of 1/2, 2/5 and 1/10 of a processor become 1/1, 2/4 and 1/9 when each
/// period is shorter by a quantum of 1 ms. That is more than one processor. Ours takes what staggering costs alone:
/// nothing on one processor, and 1/2 of a quantum on two.
#[test]
fn the_published_rule_takes_a_quantum_from_each_period() {
    let three = [(MS, 2 * MS), (2 * MS, 5 * MS), (MS, 10 * MS)];
    assert!(proved("S-PD2 hard", &three, 1) && !proved("S-PD2 hard less-a-quantum", &three, 1));
    assert!(proved("S-PD2 hard less-a-quantum", &three, 2));
    // 2/2 and 1/1 after it, which fit, where a longer quantum would leave no room.
    let two = [(2 * MS, 3 * MS), (MS, 2 * MS)];
    assert!(proved("S-PD2 hard less-a-quantum", &two, 2) && !proved("S-PD2 hard less-a-quantum", &two, 1));
    assert!(!proved("S-PD2 hard quantum=2ms less-a-quantum", &two, 2));
}

/// X's cost of 1.5 ms is three quanta of 0.5 ms: nothing is rounded up. One ns more is four of six.
#[test]
fn quanta_may_have_another_length() {
    let xyz = |cost| [(cost, 3 * MS), (3 * MS, 3 * MS), (3 * MS, 6 * MS)];
    let (three, four) = (3 * MS / 2, 3 * MS / 2 + 1);
    assert!(!proved("PD2 hard", &xyz(three), 2) && proved("PD2 hard quantum=500us", &xyz(three), 2));
    assert!(
        !proved("PD2 hard quantum=500us", &xyz(four), 2) && proved("PD2 hard quantum=500us", &xyz(four), 3)
    );
    // Each of the quanta of 0.5 ms has a tick, of 8.231 us with three tasks under G-EDF (table 1 of block-or-not-2008).
    let one = |cost| [(cost, MS), (1, MS), (1, MS)];
    let fits = |question: &str, cost| proved(question, &one(cost), 3);
    let most = |question: &str| (1..MS).rev().find(|cost| fits(question, *cost)).unwrap();
    let charged = "PD2 hard paper-2008-4k:G-EDF";
    assert!(most(&format!("{charged} quantum=500us")) + 8_231 <= most(charged));
}

/// Each task of one quantum in four loses a slot under staggered quanta; two processors end half a quantum late.
#[test]
fn staggered_weights_are_larger_only_for_hard_guarantees() {
    let light = |count| vec![(MS, 4 * MS); count];
    assert!(proved("PD2 hard", &light(8), 2) && proved("S-PD2 soft", &light(8), 2));
    assert!(!proved("S-PD2 hard", &light(8), 2));
    assert!(proved("S-PD2 hard", &light(6), 2), "6 tasks of weight 1/3");
    assert!(!proved("S-PD2 hard", &light(7), 2));
    let half = vec![(MS / 2, 4 * MS); 8];
    assert!(proved("S-PD2 hard", &half, 2), "half a quantum is left of the last one");
}

/// Table 1 of block-or-not-2008 charges all schedulers 42 us for a reload. With three tasks it charges G-EDF 8.231 us
/// for a tick, 23.185 us for the scheduler, 9.03 us for a switch, 44 us for a reload. Two of three quanta may be parted
/// once: one reload, and two of all else. The published accounting has the same then.
#[test]
fn overheads_are_included_before_costs_are_rounded() {
    let three = |cost| vec![(cost, 3 * MS); 3];
    let (useful, borrowed) = (2 * MS - 42_000, 2 * MS - 124_892);
    for (question, most) in [
        ("PD2 hard paper-2008-4k", useful),
        ("PD2 hard paper-2008-4k:G-EDF", borrowed),
        ("PD2 hard paper-2008-4k:G-EDF published", borrowed),
    ] {
        assert!(proved(question, &three(most), 2), "{question}: two quanta each");
        assert!(!proved(question, &three(most + 1), 2), "{question}: a third quantum");
        assert!(proved("PD2 hard", &three(most + 1), 2));
    }
    for reload in [0, 300_000] {
        let most = borrowed + 44_000 - reload;
        let question = format!("PD2 hard paper-2008-4k:G-EDF reload={reload}ns");
        assert!(proved(&question, &three(most), 2) && !proved(&question, &three(most + 1), 2), "{question}");
    }
    let full = [(2 * MS, 2 * MS)];
    assert!(proved("P-EDF hard", &full, 1) && !proved("P-EDF hard paper-2008-4k", &full, 1));
    assert!(proved("PD2 soft none", &full, 1));
}

/// A job of 2 ms in 3 ms is preempted at most once, and reloads what its working set takes: 10 us of 4 KiB, 90 us of 64
/// KiB, between them in proportion. More was not measured.
#[test]
fn reloads_are_those_of_the_working_set_named() {
    let text = "schedlab-overheads = 1\ntitle = \"t\"\nmachine = \"m\"\nsource = \"s\"\n[all]\n\
        cache_related_preemption = { max = { working_set = [[\"4 KiB\", \"10 us\"], [\"64 KiB\", \"90 us\"]] } }\n";
    let given = OverheadProfile::parse_with("f", text.into(), &|_| Err(String::new())).unwrap();
    let catalog = Catalog::shipped().with_overheads("given", given).unwrap();
    let parse = |text: &str| Question::parse(text, &catalog);
    for (size, reload) in [("4KiB", 10_000), ("34KiB", 50_000), ("64KiB", 90_000)] {
        let question = parse(&format!("P-EDF hard given wss={size}")).unwrap();
        let fits = |cost| {
            let tasks = tasks(&[(cost, 3 * MS), (MS, 3 * MS)]);
            question.judge(Set::independent(&tasks, 1), &mut Workspace::default()).unwrap().is_some()
        };
        assert!(fits(2 * MS - 2 * reload) && !fits(2 * MS - 2 * reload + 1), "{size}");
    }
    for refused in ["wss=65KiB", "wss=4KiB wss=4KiB", "reload=1us wss=4KiB", "wss=4KiB reload=1us", "wss="] {
        assert!(parse(&format!("P-EDF hard given {refused}")).is_err(), "{refused}");
    }
}

/// The paper's rule, a quantum off every period, is never better than a task's own numbers.
#[test]
fn tasks_lose_no_more_slots_than_by_the_papers_rule() {
    let mut random = schedlab_workload::Random::new(1, *b"BatchPd2", 0);
    let (mut papers, mut ours) = (0, 0);
    for _ in 0..2_000 {
        let count = random.between(2, 8) as usize;
        let task = |_| {
            let slots = random.between(2, 30);
            (random.between(1, slots * MS), slots * MS)
        };
        let set: Vec<(u64, u64)> = (0..count).map(task).collect();
        let shorter: Vec<(u64, u64)> = set.iter().map(|&(cost, period)| (cost, period - MS)).collect();
        let fits = set.iter().zip(&shorter).all(|(_, &(cost, period))| cost <= period);
        let by_rule = fits && proved("PD2 hard", &shorter, 4);
        let by_numbers = proved("S-PD2 hard", &set, 4);
        assert!(by_numbers || !by_rule, "{set:?}");
        assert!(proved("PD2 hard", &set, 4) || !by_numbers, "{set:?}");
        (papers, ours) = (papers + u32::from(by_rule), ours + u32::from(by_numbers));
    }
    assert!(papers > 100 && ours > papers, "{papers} {ours}");
}

/// Returns why a question is refused.
fn message(text: &str) -> String {
    text.parse::<Question>().unwrap_err().to_string()
}

#[test]
fn bad_questions_about_quanta_say_what_is_allowed() {
    for question in [
        "G-EDF hard quantum=250us",
        "PD2 hard quantum=0us",
        "PD2 hard quantum=",
        "PD2 hard quantum=1ms quantum=1ms",
    ] {
        assert!(message(question).ends_with("after the guarantee of a Pfair scheduler"), "{question}");
    }
    for question in [
        "S-PD2 soft less-a-quantum",
        "PD2 hard less-a-quantum",
        "G-EDF hard less-a-quantum",
        "S-PD2 hard less-a-quantum less-a-quantum",
    ] {
        assert!(message(question).contains("stands once, after the hard guarantee"), "{question}");
    }
}

#[test]
fn bad_questions_say_what_is_allowed() {
    assert!(message("X-EDF hard").contains("did you mean"));
    let no_protocol = message("P-EDF mcpp hard");
    assert!(no_protocol
        .starts_with("\"mcpp\" is neither a guarantee nor a locking protocol; allowed: hard, soft, or"));
    assert!(message("P-RM msrp-published hard").contains(", mpcp,"), "sums of its own are not published");
    assert!(message("P-EDF hard none as-in-2008").ends_with("after the overheads of a locking protocol"));
    assert!(message("C-EDF hard").contains("allowed: a size after the guarantee, such as cluster=2"));
    for question in ["C-EDF hard cluster=0", "C-EDF hard cluster=", "C-EDF hard cluster=2 cluster=2"] {
        assert!(message(question).contains("such as cluster=2 stands once"), "{question}");
    }
    assert!(message("G-EDF hard cluster=2").ends_with("after the guarantee of a clustered scheduler (C-)"));
    for (question, why) in [
        ("C-RM hard cluster=2 gfb", "gfb does not speak of C-RM on several processors; allowed: "),
        ("C-EDF hard cluster=2 qpa", "qpa does not speak of C-EDF on several processors; allowed: "),
        ("G-EDF hard gfb qpa", "qpa does not speak of G-EDF on several processors; allowed: "),
        ("P-RM hard qpa", "qpa does not speak of P-RM on one processor; allowed: "),
        ("PD2 hard gfb", "gfb does not speak of PD2 on several processors; allowed: "),
    ] {
        assert!(message(question).starts_with(why), "{}", message(question));
    }
    assert!(
        message("P-RM hard qpa").contains("response_time")
            && "C-EDF hard cluster=1 qpa".parse::<Question>().is_ok()
    );
    assert!(message("G-FP hard").contains("allowed are P-, C- and G-"));
    assert_eq!(message("G-EDF"), "unknown guarantee \"\"; allowed: hard, soft");
    assert!(message("G-EDF hard nonsense").starts_with("\"nonsense\" is no test; tests are "));
    assert!(message("").contains("did you mean"));
    let orders: Vec<_> =
        ALL_ORDERS.iter().filter(|one| one.needs == Needs::Nothing).map(|one| one.name).collect();
    let stated = format!("with {}, with N or without, and PD2, S-PD2,", orders.join(", "));
    assert!(message("G-FP hard").contains(&stated), "{stated}");
    assert!(message("PD2 hard paper-2009").contains("overheads are none, paper-2008-4k"));
    assert!(message("PD2 hard paper-2008-4k none").contains("allowed: one name of overheads"));
    for question in
        ["PD2 hard published", "G-EDF hard paper-2008-4k published", "PD2 hard none published published"]
    {
        assert!(message(question).contains("stands once, after the overheads of a Pfair scheduler"));
    }
    for question in [
        "PD2 hard reload=1us",
        "PD2 hard none reload=1",
        "PD2 hard none reload=",
        "PD2 hard none reload=1us reload=1us",
    ] {
        assert!(message(question).ends_with("stands once, after the overheads"), "{question}");
    }
    assert!(message("P-EDF mpcp hard quantum=1ms").contains("\"quantum=1ms\""));
    // The shipped overheads are those of one size.
    assert!(message("G-EDF hard wss=4KiB").contains("stands once, after overheads"));
    for question in ["G-EDF hard none wss=4KiB", "G-EDF hard paper-2008-4k wss=4KiB"] {
        assert!(message(question).contains("do not say by size what reloads"), "{question}");
    }
    assert!(message("PD2 hard paper-2008-4k:X").contains("did you mean"));
    assert!(message("G-EDF hard worst_fit").contains("placements, of P- and C- only"));
    assert!(message("P-EDF hard worst_fit first_fit").contains("placements, of P- and C- only"));
}

#[test]
fn answers_do_not_depend_on_how_the_sets_are_cut() {
    let spec = Spec {
        utilization: "uniform 0.1 0.5".into(),
        periods: "uniform 10ms 100ms".into(),
        deadlines: "implicit".into(),
        stop: "trim 3".into(),
    };
    let generator = Generator::parse(&spec).unwrap();
    let ask: Vec<Question> =
        ["P-EDF hard", "G-EDF hard", "G-EDF soft"].iter().map(|text| text.parse().unwrap()).collect();
    let sets =
        Sets { generator: &generator, accesses: &Accesses::NONE, seed: 7, processors: 4, questions: &ask };
    let mut shared = Memory::default();
    let mut seen = [0; 3];
    for index in 0..20 {
        let (mut one, mut other) = ([None; 3], [None; 3]);
        sets.answer(index, Measure::Proof, &mut shared, &mut one).unwrap();
        let mut fresh = Memory::default();
        sets.answer(index, Measure::Proof, &mut fresh, &mut other).unwrap();
        assert_eq!(shared.size(), fresh.size());
        assert_eq!(one, other, "whatever a workspace served before");
        one.iter().zip(&mut seen).for_each(|(proved, seen)| *seen += u32::from(proved.is_some()));
    }
    assert_eq!(seen[2], 20, "a total of 3 on 4 processors bounds tardiness");
    assert!(seen[0] > 0 && seen[1] < 20, "{seen:?}");
}

/// Fitting proves what the tests prove processor by processor, which placing by density shows, where no shortcut is
/// taken.
#[test]
fn what_fits_is_what_is_proved() {
    let mut random = schedlab_workload::Random::new(2, *b"BatchFit", 0);
    let mut fitting = 0;
    for _ in 0..3_000 {
        let task = |random: &mut schedlab_workload::Random| {
            let period = random.between(2, 12);
            (random.between(1, period), period)
        };
        let count = random.between(1, 8);
        let set: Vec<(u64, u64)> = (0..count).map(|_| task(&mut random)).collect();
        let by_fit = proved("P-EDF hard qpa worst_fit_decreasing", &set, 3);
        assert_eq!(by_fit, proved("P-EDF hard qpa density:worst_fit_decreasing", &set, 3), "{set:?}");
        assert_eq!(by_fit, proved("P-EDF hard edf_response_time worst_fit_decreasing", &set, 3), "{set:?}");
        fitting += u32::from(by_fit);
    }
    assert!(fitting > 300 && fitting < 2_700, "{fitting}");
}

/// A job that nothing takes off its processor reloads no cache, whichever scheduler's overheads it is charged; all else
/// it pays.
#[test]
fn nonpreemptive_jobs_reload_nothing() {
    let cost = |name: &str| {
        let (scheduler, catalog) = (schedlab_policy::find(name).unwrap(), Catalog::shipped());
        let words = ["paper-2008-4k:G-EDF"].into_iter();
        let question = Independent::parse(&scheduler, Ok(Guarantee::Hard), words, &catalog).unwrap();
        let (set, mut inflated) = (tasks(&[(5 * MS, 10 * MS); 3]), Vec::new());
        question.with_overheads(&set, 2, &mut inflated).unwrap()[0].wcet
    };
    assert!(cost("NG-EDF") < cost("G-EDF"), "{} {}", cost("NG-EDF"), cost("G-EDF"));
    assert!(cost("NG-EDF") > Work::from_ns(5 * MS));
}
