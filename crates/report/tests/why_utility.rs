//! What is said of jobs whose completions are worth something, and of schedulers that choose by that.

use crate::support::lines::parse;
use schedlab_model::{AbortHandler, Duration, Task, TimeUtility, Utility, Work};
use schedlab_report::metrics::Worth;
use schedlab_report::why::{why, Why};
use schedlab_report::{lines::parse_job, Context};

/// A job of T0 is worth 10 at its arrival and nothing 8 ns later; its abort handler is worth 1.
fn by_utility() -> Context {
    let utility = |units: u64| Utility::from_millionths(units * 1_000_000);
    let function = TimeUtility::Linear { height: utility(10), last: Utility::ZERO, termination: None };
    let handler = AbortHandler { cost: Work::from_ns(1), utility: utility(1) };
    let task = Task::implicit(Work::from_ns(2), Duration::from_ns(8));
    let task = Task { utility: Some(function), abort_handler: Some(handler), ..task };
    Context { worths: vec![Worth::of(&task)], chooses_by_utility: true, ..Context::global(1) }
}

fn explained(context: &Context, text: &str) -> Why {
    why(context, parse_job("T0J0").unwrap(), parse(text)).unwrap()
}

/// The line that says it, and the two numbers of the data form.
fn said(context: &Context, end: &str) -> (Option<String>, Option<f64>, Option<f64>) {
    let text = format!("0 arrival T0J0 8 2\n0 ready T0J0 8 0\n1 link P0 T0J0\n{end}\n12 end");
    let why = explained(context, &text);
    let result = serde_json::to_value(why.result()).unwrap();
    let text = why.text(context);
    let line = text.lines().find(|line| line.contains("worth")).map(|line| line.trim().to_string());
    (line, result["accrued_utility"].as_f64(), result["largest_utility"].as_f64())
}

/// A completion 3 of 8 ns after the arrival, a handler's end, and the end of a job that had not begun.
#[test]
fn what_an_end_is_worth_is_said() {
    let context = by_utility();
    let line = |text: &str| Some(text.to_string());
    let complete = said(&context, "1 dispatch P0 T0J0\n3 complete T0J0");
    assert_eq!(complete, (line("its end is worth 6.25, of 10 at its arrival"), Some(6.25), Some(10.0)));
    let handled = said(&context, "1 dispatch P0 T0J0\n8 give_up T0J0\n9 abort T0J0");
    assert_eq!(handled, (line("its abort handler is worth 1, of 10 at its arrival"), Some(1.0), Some(10.0)));
    let gone = said(&context, "8 abort T0J0");
    assert_eq!(gone, (line("its end is worth 0, of 10 at its arrival"), Some(0.0), Some(10.0)));
    assert_eq!(said(&context, "1 dispatch P0 T0J0"), (None, None, None), "it has not ended");
    let nothing = said(&Context::global(1), "1 dispatch P0 T0J0\n3 complete T0J0");
    assert_eq!(nothing, (None, None, None), "nobody speaks of utility");
}

/// T1 is due later. A scheduler by utility has chosen it; another one does not preempt it.
#[test]
fn a_job_that_is_due_later_was_chosen_by_its_utility() {
    let text = "0 arrival T1J0 9 2\n0 ready T1J0 9 0\n0 arrival T0J0 8 2\n0 ready T0J0 8 0\n\
        0 link P0 T1J0\n0 dispatch P0 T1J0\n2 complete T1J0\n2 link P0 T0J0\n2 dispatch P0 T0J0\n4 complete T0J0";
    let first = |context: &Context| explained(context, text).intervals[0].cause.as_ref().to_string();
    assert_eq!(first(&by_utility()), "chosen_by_utility");
    assert_eq!(first(&Context::global(1)), "inversion");
    let words = explained(&by_utility(), text).text(&by_utility());
    assert!(words.contains("due later, chosen by utility: T1J0"), "{words}");
}
