//! Scaled scenarios: the same tasks with other costs.

use crate::convert::executed;
use crate::error::Errors;
use crate::scenario::{Scenario, TaskSpec};
use crate::words::CostModel;
use schedlab_model::{Step, Work};

impl Scenario {
    /// Multiplies the costs of all jobs by `numerator / denominator`, rounded up. A task may then need more than its
    /// deadline allows. Budgets of pieces grow with the costs. Suspensions and abort handlers stay as they are.
    pub fn with_costs_times(mut self, numerator: u64, denominator: u64) -> Result<Scenario, Errors> {
        if numerator == 0 || denominator == 0 {
            let given = format!("{numerator}/{denominator}");
            return Err(Errors::refused(None, "costs", given, "is no factor", "a positive number"));
        }
        for task in &mut self.tasks {
            scale(task, |work| times(work, numerator, denominator));
        }
        self.checked()
    }
}

fn scale(task: &mut TaskSpec, times: impl Fn(Work) -> Work) {
    task.wcet = times(task.wcet);
    for step in &mut task.program {
        if let Step::Execute(work) = step {
            *work = times(*work);
        }
    }
    if !task.program.is_empty() {
        task.wcet = executed(&task.program);
    }
    for piece in &mut task.pieces {
        piece.budget = times(piece.budget);
    }
    match &mut task.cost {
        CostModel::Wcet | CostModel::Fraction(_) => {}
        CostModel::Uniform(least, most) => (*least, *most) = (times(*least), times(*most)),
        CostModel::Listed(costs) => costs.iter_mut().for_each(|cost| *cost = times(*cost)),
        CostModel::Quantiles { least, points } => {
            *least = times(*least);
            points.iter_mut().for_each(|(_, cost)| *cost = times(*cost));
        }
    }
    task.wcet_may_exceed_deadline |= task.wcet.at_unit_speed() > task.relative_deadline;
}

/// Multiplies, rounded up. A product that exceeds 64 bits is as large as can be, which a check refuses.
fn times(work: Work, numerator: u64, denominator: u64) -> Work {
    let ns = (u128::from(work.as_ns()) * u128::from(numerator)).div_ceil(denominator.into());
    Work::from_ns(u64::try_from(ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Scenario {
        let head = "schedlab = 1\nscheduler = \"G-EDF\"\n[platform]\nprocessors = 1\n";
        Scenario::parse("test", &format!("{head}{text}")).unwrap()
    }

    #[test]
    fn costs_grow_and_programs_with_them() {
        let task = "[[task]]\nname = \"a\"\nwcet = \"3 ns\"\nperiod = \"8 ns\"\n";
        let program = "[[task]]\nname = \"b\"\nprogram = [\"execute 2ns\", \"suspend 1ns\", \"execute 3ns\"]\nperiod = \"9 ns\"\n";
        let given = read(&format!("{task}{program}"));
        let more = given.clone().with_costs_times(3, 2).unwrap();
        assert_eq!(more.tasks.iter().map(|task| task.wcet.as_ns()).collect::<Vec<_>>(), [5, 8]);
        assert_eq!(given.clone().with_costs_times(1, 1).unwrap().to_toml(), given.to_toml());
        let beyond = given.clone().with_costs_times(3, 1).unwrap();
        assert_eq!(beyond.tasks[0].wcet.as_ns(), 9);
        assert!(beyond.tasks[0].wcet_may_exceed_deadline && !more.tasks[0].wcet_may_exceed_deadline);
        assert!(given.clone().with_costs_times(0, 1).is_err());
        assert!(given.with_costs_times(u64::MAX, 1).is_err());
    }
}
