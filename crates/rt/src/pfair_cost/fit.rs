//! Least squares.

/// Intercept, slope, and the share of the variance that they explain.
pub fn fit(points: &[(f64, f64)]) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>();
    let base = y - slope * x;
    let left: f64 = points.iter().map(|p| (p.1 - base - slope * p.0).powi(2)).sum();
    let all: f64 = points.iter().map(|p| (p.1 - y).powi(2)).sum();
    (base, slope, 1.0 - left / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_noise_is_told() {
        let (base, slope, explained) = fit(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert!((base - 1.0).abs() < 1e-9 && (slope - 2.0).abs() < 1e-9 && (explained - 1.0).abs() < 1e-9);
        assert!(fit(&[(0.0, 1.0), (1.0, 0.0), (2.0, 1.0)]).2.abs() < 1e-9);
    }
}
