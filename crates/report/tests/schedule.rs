//! Schedules drawn from traces: as letters, as JSON, as SVG, as TikZ.

use crate::support;
use crate::support::lines::parse;

use schedlab_model::*;
use schedlab_report::schedule::{Lanes, Schedule, Window};
use schedlab_report::Context;
use schedlab_sim::Charges;
use support::*;

fn drawn(context: &Context, text: &str, window: Window) -> Schedule {
    schedule_of(context, parse(text), window)
}

fn ns(ns: u64) -> Duration {
    Duration::from_ns(ns)
}

fn window(from: u64, to: u64) -> Window {
    Window::new(Instant::from_ns(from), Instant::from_ns(to)).unwrap()
}

fn simulated_schedule(name: &str, window: Window) -> (Context, Schedule) {
    let tasks = vec![task(2, 12, 5), task(6, 14, 14), task(4, 9, 9)];
    let simulated = simulated(tasks, name, 2, Charges::default(), 40);
    let schedule = schedule_of(&simulated.context, simulated.timeline.records, window);
    (simulated.context, schedule)
}

#[test]
fn processors_and_tasks_are_drawn_with_letters() {
    let (context, schedule) = simulated_schedule("G-EDF", window(0, 14));
    assert_eq!(schedule.exact_unit(), ns(1));
    assert_eq!(schedule.rows(Lanes::Processors, ns(1)), ["AABBBBBB....AA", "CCCC.....CCCC."]);
    assert_eq!(schedule.rows(Lanes::Tasks, ns(1)), ["00..........00", "--000000......", "1111.....1111."]);
    let text = schedule.text(&context, Lanes::Processors, ns(2));
    assert!(text.contains("\n   0 ns to 14 ns, one letter is 2 ns\n   A T0, B T1, C T2\n"), "{text}");
}

const BUSY: &str = "
0 arrival T0J0 6 5
0 arrival T1J0 30 9
0 ready T0J0 6 0
0 ready T1J0 30 0
0 dispatch P0 T0J0
1 dispatch P1 T1J0
2 acquire T1J0 R0 1
3 spin T0J0 R0
5 release T1J0 R0 1
5 acquire T0J0 R0 1
6 overhead_begin P0 tick -
7 overhead_end P0 tick
8 release T0J0 R0 1
9 complete T0J0
9 miss T0J0
9 suspend T1J0 R0
11 resume T1J0
12 dispatch P0 T1J0
12 arrival T1J1 40 1
14 preempt P0 T1J0
14 dispatch P1 T1J0
16 complete T1J0
16 ready T1J1 40 0
16 dispatch P1 T1J1
18 suspend T1J1 itself
19 abort T1J1
20 end
";

#[test]
fn spinning_overheads_and_waiting_have_letters_of_their_own() {
    let schedule = drawn(&Context::global(2), BUSY, window(0, 20));
    assert_eq!(schedule.rows(Lanes::Processors, ns(1)), ["AAA**A~AA...BB......", ".BBBBBBBB.....BBBB.."]);
    assert_eq!(schedule.rows(Lanes::Tasks, ns(1)), ["000**0-00...........", "-11111111---001111-."]);
    assert_eq!(schedule.rows(Lanes::Processors, ns(4)), ["A*.B.", "BB..B"]);
}

#[test]
fn a_window_cuts_what_reaches_beyond_it() {
    let schedule = drawn(&Context::global(2), BUSY, window(4, 8));
    assert_eq!(schedule.rows(Lanes::Processors, ns(1)), ["*A~A", "BBBB"]);
    assert_eq!((schedule.deadlines.len(), schedule.arrivals.len(), schedule.completions.len()), (1, 0, 0));
    assert_eq!(schedule.misses.len(), 1, "complete at 9, beyond the window, but late at 8 already");
    let idle = drawn(
        &Context::global(1),
        "0 arrival T0J0 9 1\n0 ready T0J0 1 0\n0 dispatch P0 T0J0\n99 complete T0J0",
        window(5, 10),
    );
    assert_eq!(idle.rows(Lanes::Processors, ns(1)), ["AAAAA"], "no record within the window");
    assert_eq!(idle.misses.len(), 1);
}

#[test]
fn a_trace_that_ends_at_a_missed_deadline_shows_it() {
    let text = "0 arrival T0J0 9 99\n0 ready T0J0 99 0\n0 dispatch P0 T0J0\n9 miss T0J0\n9 end";
    assert_eq!(drawn(&Context::global(1), text, Window::ALL).misses.len(), 1);
    let met = text.replace("9 miss T0J0\n", "");
    assert_eq!(drawn(&Context::global(1), &met, Window::ALL).misses.len(), 0, "it might be complete at 9");
}

/// A picture's size is known before it is drawn, and while the schedule is still being recorded.
#[test]
fn budgets_that_are_used_up_are_data_and_count() {
    let text = "0 arrival T0J0 9 5\n0 ready T0J0 9 0\n0 dispatch P0 T0J0\n3 budget T0J0\n5 complete T0J0\n";
    let schedule = drawn(&Context::global(1), text, Window::ALL);
    assert_eq!(data(&schedule)["budgets"].to_string(), "[[0,0,3]]");
    // A segment, an arrival, a deadline, a budget and a completion.
    assert_eq!(schedule.size(), 5);
    assert_eq!(drawn(&Context::global(1), text, window(0, 2)).size(), 2);
}

/// A job is given up at 4 and gone at 6: both are marks, and pictures name the first one.
#[test]
fn where_an_abort_handler_begins_is_marked() {
    let text =
        "0 arrival T0J0 4 9\n0 ready T0J0 4 0\n0 dispatch P0 T0J0\n4 give_up T0J0\n6 abort T0J0\n9 end";
    let schedule = drawn(&Context::global(1), text, Window::ALL);
    assert_eq!(data(&schedule)["handlers"].to_string(), "[[0,0,4]]");
    assert_eq!(data(&schedule)["aborts"].to_string(), "[[0,0,6]]");
    let svg = schedule.svg(&Context::global(1), Lanes::Tasks);
    assert!(svg.contains("abort handler begins"), "{svg}");
}

#[test]
fn the_data_form_has_rows_of_numbers() {
    let data = data(&drawn(&Context::global(2), BUSY, Window::ALL));
    assert_eq!(data["window"].to_string(), "[0,20]");
    assert_eq!(
        data["segments"].to_string(),
        "[[0,0,0,0,3],[0,0,0,3,5],[0,0,0,5,6],[0,0,0,7,9],[1,1,0,1,9],[0,1,0,12,14],[1,1,0,14,16],[1,1,1,16,18]]"
    );
    assert_eq!(data["spinning"].to_string(), "[[0,0,0,3,5]]");
    assert_eq!(data["overheads"].to_string(), "[[0,\"tick\",6,7]]");
    assert_eq!(data["misses"].to_string(), "[[0,0,6]]");
    assert_eq!(data["critical_sections"].to_string(), "[[1,0,0,2,5],[0,0,0,5,8]]");
    assert_eq!(data["aborts"].to_string(), "[[1,1,19]]");
    assert!(
        data["waits"].to_string().contains("[1,0,\"resource\",9,11],[1,0,\"processor\",11,12]"),
        "{}",
        data["waits"]
    );
}

fn data(schedule: &Schedule) -> serde_json::Value {
    serde_json::to_value(schedule.drawing()).unwrap()
}

/// Every element that is opened is closed, in order, and no text is left unescaped.
fn well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("a tag ends");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn svg_is_well_formed_and_says_what_it_shows() {
    let mut context = Context::global(2);
    context.tasks = vec!["a<b & \"c\"".into(), "x_1".into()];
    let schedule = drawn(&context, BUSY, window(0, 20));
    for lanes in [Lanes::Tasks, Lanes::Processors] {
        let svg = schedule.svg(&context, lanes);
        well_formed(&svg);
        assert!(svg.contains("one deadline is missed"));
        assert!(svg.contains("<title>a&lt;b &amp; &quot;c&quot; (T0J0) misses its deadline at 6 ns</title>"));
    }
    let svg = schedule.svg(&context, Lanes::Processors);
    assert!(svg.contains("<title>overhead tick on P0, 6 ns to 7 ns</title>"));
}

/// T2 holds R0 when T0 preempts it and waits for R0; T1 is held back; T3 spins for R0 on the other processor.
const BLOCKED: &str = "
0 arrival T2J0 90 9
0 ready T2J0 90 0
0 dispatch P0 T2J0
1 acquire T2J0 R0 1
2 arrival T0J0 30 9
2 ready T0J0 30 0
2 preempt P0 T2J0
2 dispatch P0 T0J0
4 arrival T3J0 95 9
4 ready T3J0 95 1
4 dispatch P1 T3J0
5 spin T3J0 R0
6 suspend T0J0 R0
6 dispatch P0 T2J0
7 arrival T1J0 60 9
7 ready T1J0 60 0
7 suspend T1J0 gate
9 release T2J0 R0 1
9 acquire T0J0 R0 1
9 resume T0J0
9 resume T1J0
9 preempt P0 T2J0
9 dispatch P0 T0J0
12 release T0J0 R0 1
12 acquire T3J0 R0 1
13 complete T0J0
13 dispatch P0 T1J0
14 release T3J0 R0 1
15 complete T3J0
16 complete T1J0
16 dispatch P0 T2J0
17 complete T2J0
20 end
";

#[test]
fn who_waits_for_whom_is_data_and_drawn() {
    let mut context = Context::global(2);
    context.tasks = vec!["high".into(), "mid".into(), "low".into(), "far".into()];
    let schedule = drawn(&context, BLOCKED, window(0, 20));
    assert_eq!(
        data(&schedule)["blockings"].to_string(),
        "[[3,0,2,0,5,9],[0,0,2,0,6,9],[1,0,2,0,7,9],[3,0,0,0,9,12]]"
    );
    let svg = schedule.svg(&context, Lanes::Tasks);
    well_formed(&svg);
    for tip in [
        "low (T2J0) holds R0, 1 ns to 2 ns",
        "low (T2J0) holds R0 and does not execute, 2 ns to 6 ns",
        "low (T2J0) holds R0, 6 ns to 9 ns",
        "low (T2J0) on P0, 1 ns to 2 ns, holding R0",
        "low (T2J0) on P0, 0 ns to 1 ns",
        "high (T0J0) waits for R0, 6 ns to 9 ns",
        "high (T0J0) waits for R0: low (T2J0) is in a section, from 6 ns",
        "mid (T1J0) waits to start: low (T2J0) is in a section, from 7 ns",
        "far (T3J0) waits for R0: low (T2J0) is in a section, from 5 ns",
        "far (T3J0) waits for R0: high (T0J0) is in a section, from 9 ns",
        "far (T3J0) on P1, 5 ns to 12 ns, spinning for R0",
    ] {
        assert!(svg.contains(&format!("<title>{tip}</title>")), "{tip}");
    }
    let words = ["in a critical section", "spinning", "holds a resource", "holds one and waits itself"];
    let more = ["waits for a resource", "held back by a protocol", "whom it waits for"];
    let tikz = schedule.tikz(&context, Lanes::Tasks);
    for word in words.into_iter().chain(more) {
        assert!(svg.contains(&format!(">{word}</text>")), "the legend of SVG says {word}");
        assert!(tikz.contains(&format!("{{{word}}};")), "the legend of TikZ says {word}");
    }
    assert_eq!(
        tikz.matches("\\draw[->,>=latex,schedlabmiss] (").count(),
        4 + 1,
        "a link each, and the legend's"
    );
}

/// The longest names, and the widest, end within the picture.
#[test]
fn labels_are_not_clipped() {
    let mut context = Context::global(2);
    context.tasks = vec!["MMMMWWWWMMMMWWWWMMMMWWWWMMMM".into(), "Weapon_Management_Mode.12".into()];
    let svg = drawn(&context, BUSY, window(0, 20)).svg(&context, Lanes::Tasks);
    // A capital M is 0.83 of the font's size of 12 wide, and labels end at the same place to the right.
    let label = svg.split("text-anchor=\"end\">").find(|part| part.starts_with("MMM")).unwrap();
    let shown = label.chars().take_while(|c| matches!(c, 'M' | 'W')).count() as f64;
    let right: f64 = svg
        .split("<text x=\"")
        .filter(|part| part.contains(">MMM"))
        .map(|part| part.split('"').next().unwrap().parse::<f64>().unwrap())
        .next()
        .unwrap();
    assert!(shown * 0.95 * 12.0 <= right, "{shown} letters before {right}");
    assert!(svg.contains(">Weapon_Management_Mode.12<"));
}

#[test]
fn tikz_is_balanced_and_escapes_names() {
    let mut context = Context::global(2);
    context.tasks = vec!["50% \\_{}".into(), "x_1".into()];
    for lanes in [Lanes::Tasks, Lanes::Processors] {
        let tikz = drawn(&context, BUSY, window(0, 20)).tikz(&context, lanes);
        let depth = tikz.replace("\\{", "").replace("\\}", "").chars().fold(0i32, |depth, c| match c {
            '{' => depth + 1,
            '}' => depth - 1,
            _ => depth,
        });
        assert_eq!(depth, 0);
        let statements = tikz.lines().filter(|line| {
            line.starts_with("\\draw") || line.starts_with("\\node") || line.starts_with("\\fill")
        });
        assert!(statements.into_iter().all(|line| line.ends_with(';')));
    }
    let tikz = drawn(&context, BUSY, window(0, 20)).tikz(&context, Lanes::Tasks);
    assert!(tikz.contains("{50\\% \\textbackslash{}\\_\\{\\}}"), "{tikz}");
    assert!(tikz.contains("\\draw[->,>=latex,thick,schedlabmiss]"));
}

#[test]
fn absurd_windows_and_units_are_survived() {
    let schedule = drawn(&Context::global(1), "0 end", Window::ALL);
    assert!(schedule.rows(Lanes::Processors, ns(0))[0].len() <= 1_000_000);
    assert!(schedule.text(&Context::global(1), Lanes::Tasks, schedule.exact_unit()).len() < 2_000);
    well_formed(&schedule.svg(&Context::global(1), Lanes::Tasks));
}

/// A server with a budget of 3, which its client uses from 1 to 3 and from 6 on. It comes back at 5, and the deadline
/// moves.
#[test]
fn budgets_of_servers_are_shown_over_time() {
    let records = "0 server_budget S0 3 8\n1 arrival T0J0 100 4\n1 ready T0J0 9 0\n1 dispatch P0 T0J0\n\
                   3 server_use S0 2\n3 preempt P0 T0J0\n5 server_budget S0 3 12\n6 dispatch P0 T0J0\n9 end";
    let context =
        Context { servers: vec![Some(0)], server_names: vec!["messages".into()], ..Context::global(1) };
    let schedule = drawn(&context, records, window(0, 20));
    let cells = serde_json::to_value(schedule.drawing()).unwrap();
    let stretches = "[[0,0,1,3,3],[0,1,3,3,1],[0,3,5,1,1],[0,5,6,3,3],[0,6,9,3,0]]";
    assert_eq!(cells["server_budgets"].to_string(), stretches);
    assert_eq!(cells["replenishments"].to_string(), "[[0,0,3],[0,5,2]]");
    assert_eq!(cells["server_deadlines"].to_string(), "[[0,8],[0,12]]");
    assert_eq!(cells["servers"].to_string(), "[\"messages\"]");
    let text = schedule.text(&context, Lanes::Tasks, ns(1));
    assert!(text.contains("messages 332113321 "), "{text}");
    for lanes in [Lanes::Tasks, Lanes::Processors] {
        let svg = schedule.svg(&context, lanes);
        well_formed(&svg);
        for said in [
            ">messages</text>",
            "server messages uses its budget from 3 ns to 1 ns, 1 ns to 3 ns",
            "server messages is given 2 ns of budget at 5 ns",
            "server messages has a deadline at 8 ns",
            ">replenishment</text>",
        ] {
            assert!(svg.contains(said), "{said}: {svg}");
        }
    }
    assert!(schedule.tikz(&context, Lanes::Tasks).contains("\\fill[cyan!20]"));
    // A window that begins and ends within stretches shows their parts.
    let part = drawn(&context, records, window(2, 8)).drawing();
    let cells = serde_json::to_value(part).unwrap();
    assert_eq!(cells["server_budgets"].to_string(), "[[0,2,3,2,1],[0,3,5,1,1],[0,5,6,3,3],[0,6,8,3,1]]");
}
