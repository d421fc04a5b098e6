//! Finds good prices with a floating-point solver, and uses only the bound that they prove.

use crate::certificate::{bound, UNIT};
use crate::program::LinearProgram;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

/// Returns an upper bound on the program's greatest sum: the least one up to rounding, if the solver works well; a safe
/// one in any case. `None` if it is too large to compute.
pub fn maximum(program: &LinearProgram) -> Option<u64> {
    let nothing = vec![0; program.rows().len()];
    let plain = bound(program, &nothing);
    let Some(prices) = prices(program) else { return plain };
    // The same prices, rounded finely and to integers: where lengths are integers, often the latter are exact.
    let to = |unit: u64| -> Vec<u64> {
        let round = |price: &f64| (price * (UNIT / unit) as f64).round().clamp(0.0, 9e15) as u64 * unit;
        prices.iter().map(round).collect()
    };
    let candidates = [plain, bound(program, &to(1)), bound(program, &to(UNIT))];
    candidates.into_iter().flatten().min()
}

/// Returns the solver's prices, which minimise the bound that follows from them.
fn prices(program: &LinearProgram) -> Option<Vec<f64>> {
    let mut dual = Problem::new(OptimizationDirection::Minimize);
    let unbounded = (0.0, f64::INFINITY);
    let rows: Vec<Variable> =
        program.rows().iter().map(|row| dual.add_var(row.limit as f64, unbounded)).collect();
    let rests: Vec<Variable> =
        program.columns().iter().map(|column| dual.add_var(column.limit as f64, unbounded)).collect();
    let mut covers: Vec<Vec<(Variable, f64)>> = rests.iter().map(|rest| vec![(*rest, 1.0)]).collect();
    for (row, variable) in program.rows().iter().zip(&rows) {
        for &(column, factor) in &row.terms {
            covers[column].push((*variable, factor as f64));
        }
    }
    for (column, cover) in program.columns().iter().zip(&covers) {
        dual.add_constraint(cover.as_slice(), ComparisonOp::Ge, column.gain as f64);
    }
    let solution = dual.solve().ok()?;
    Some(rows.iter().map(|row| solution[*row]).collect())
}
