//! The stack of a task's thread. These runs need no real-time priorities.

mod support;

use schedlab_runtime::{each_job, Body, Options};
use std::hint::black_box;
use support::*;

/// Each job of one task uses so many KiB of its stack, and says so.
fn uses(kib: usize) -> Body {
    fn deeper(kib: usize) -> usize {
        let kept = black_box([1u8; 1024]);
        if kib == 0 {
            0
        } else {
            deeper(kib - 1) + usize::from(kept[kib % 1024])
        }
    }
    each_job(move |_| assert_eq!(deeper(kib), kib))
}

fn with_stack(stack: usize, body: Body) -> Run {
    let options = Options { stack, unprivileged: true, backend: Some(GATES), ..Options::default() };
    Run { options, ..Run::of(vec![task(5, 20, 20)], "P-EDF", 1, 60, vec![body]) }
}

#[test]
fn a_larger_stack_is_there() {
    let outcome = with_stack(24 << 20, uses(8 << 10)).go().expect("no priority is needed");
    assert!(outcome.summary.jobs_completed > 0, "{:?}", outcome.summary);
}

#[test]
fn a_stack_of_no_use_is_refused() {
    for stack in [0, (64 << 10) - 1, (1 << 30) + 1, usize::MAX] {
        assert!(with_stack(stack, uses(1)).attempt().is_err(), "{stack}");
    }
}
