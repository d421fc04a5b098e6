//! A task that events release, beside a periodic one: a second of it under G-EDF.
//!
//! The periodic task `sensor` looks at a value, and raises an alarm when that is high. A thread of the program, without
//! any priority, raises it too when a user pushes a button. The task `alarm` answers within 5 ms, at most once in 20
//! ms: its jobs are kept that far apart.

use schedlab_runtime::{each_job, App, AppError, Duration, EventSource, Finished, TaskSpec, Work};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

const MS: u64 = 1_000_000;

/// Sets the tasks up. Returns the source of the events, too.
pub fn set_up() -> Result<(App, EventSource), AppError> {
    let mut app = App::new("G-EDF", "none", 2)?;
    let spec =
        |name, wcet, period| TaskSpec::new(name, Work::from_ns(wcet * MS), Duration::from_ns(period * MS));
    let answers = TaskSpec { relative_deadline: Duration::from_ns(5 * MS), ..spec("alarm", 1, 20) };
    let answers = app.task(answers, each_job(|_| { /* ... for at most a millisecond */ }));
    let alarm = app.event_driven(answers)?;
    let raised = alarm.clone();
    let sense = each_job(move |job| {
        let is_high = job.job().number % 7 == 3;
        if is_high {
            raised.release();
        }
    });
    app.task(spec("sensor", 1, 10), sense);
    Ok((app, alarm))
}

/// Runs `app` for a second, while a button is pushed twice in a row, again and again: the second push comes too early.
#[allow(clippy::disallowed_methods, reason = "the button's thread is no task")]
pub fn run(app: App, alarm: &EventSource) -> Result<Finished, AppError> {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(SeqCst) {
                alarm.release();
                alarm.release();
                thread::sleep(std::time::Duration::from_millis(33));
            }
        });
        let finished = app.run(Some(Duration::from_ns(1_000 * MS)));
        over.store(true, SeqCst);
        finished
    })
}

#[allow(dead_code, reason = "a test has this file as a module")]
fn main() -> Result<(), AppError> {
    let (app, alarm) = set_up()?;
    print!("{}", run(app, &alarm)?.findings(true)?);
    Ok(())
}
