//! A client whose code never returns, beside a control task: in a budget server, and without one.
//!
//! Each job of `video` is to need at most 3 ms, but its code is wrong: the first one goes on until the run is over. In
//! a hard constant bandwidth server it has 3 ms in each 10 ms and no more, and `control` is in time. Without the server
//! nothing stops it: once its deadline is over, it is the most urgent job, and no job of `control` executes any more.

use schedlab_runtime::{each_job, App, AppError, Duration, Finished, Scenario};

/// The tasks. What follows of the last one is in [`SERVER`].
const TASKS: &str = r#"
schedlab = 1
scheduler = "P-EDF"

[[task]]
name = "control"
wcet = "2 ms"
period = "10 ms"

[[task]]
name = "video"
wcet = "3 ms"
period = "40 ms"
"#;

/// The server of the task `video`.
const SERVER: &str = r#"
server = "media"

[[server]]
name = "media"
kind = "hard-cbs"
budget = "3 ms"
period = "10 ms"
"#;

/// Sets the tasks up, `video` in a server or not.
pub fn set_up(in_server: bool) -> Result<App, AppError> {
    let text = [TASKS, if in_server { SERVER } else { "" }].concat();
    let mut app = App::of(Scenario::parse("overrun.toml", &text).map_err(AppError::Scenario)?);
    app.code("control", each_job(|_| { /* ... for at most 2 ms */ }))?;
    let endless = each_job(|job| {
        while !job.is_over() {
            std::hint::spin_loop();
        }
    });
    app.code("video", endless)?;
    Ok(app)
}

/// Runs the tasks for 400 ms.
pub fn run(app: App) -> Result<Finished, AppError> {
    app.run(Some(Duration::from_ns(400_000_000)))
}

#[allow(dead_code, reason = "a test has this file as a module")]
fn main() -> Result<(), AppError> {
    for in_server in [true, false] {
        println!("{}", if in_server { "video in a budget server" } else { "video without a server" });
        println!("{}", run(set_up(in_server)?)?.findings(true)?);
    }
    Ok(())
}
