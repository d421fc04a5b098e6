//! A task that executes every 10 ms and locks a resource: five seconds of it under P-EDF and MSRP.

use schedlab_runtime::{each_job, App, AppError, Duration, TaskSpec, Work};

fn main() -> Result<(), AppError> {
    let mut app = App::new("P-EDF", "msrp", 2)?;
    let buffer = app.resource("buffer");
    let ms = 1_000_000;
    let camera = TaskSpec::new("camera", Work::from_ns(2 * ms), Duration::from_ns(10 * ms));
    let camera = app.task(
        camera,
        each_job(move |job| {
            job.lock(buffer);
            // ... for at most 100 microseconds
            job.unlock(buffer);
        }),
    );
    app.uses(camera, buffer, Work::from_ns(100_000))?;
    let finished = app.run(Some(Duration::from_ns(5_000 * ms)))?;
    println!(
        "{} jobs, {} late",
        finished.outcome.summary.jobs_completed, finished.outcome.summary.jobs_missed
    );
    Ok(())
}
