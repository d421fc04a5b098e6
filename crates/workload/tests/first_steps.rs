//! The use of this crate in a few lines.

use schedlab_workload::generate::{Generator, Spec};
use schedlab_workload::placement::Packing;

#[test]
fn task_sets_are_drawn_and_placed() -> Result<(), Box<dyn std::error::Error>> {
    let generator = Generator::parse(&Spec {
        utilization: "uniform-medium".into(),
        periods: "uniform 10ms 100ms".into(),
        deadlines: "implicit".into(),
        stop: "trim 3.5".into(),
    })?;
    let tasks = generator.generate(2006, 0)?;
    let placement = "first_fit_decreasing".parse::<Packing>()?.place(&tasks, 4)?;
    assert!(placement.fits());
    Ok(())
}
