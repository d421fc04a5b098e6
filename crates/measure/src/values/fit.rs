//! Least squares: does an overhead grow with the number of tasks, and is a line justified?
//!
//! Block-or-not-2008, appendix A: an overhead whose graph shows a clear linear trend is given as a line in N, any other
//! as a constant. Here a trend is clear if the slope is more than three of its standard errors above zero and the line
//! rises by a tenth of the mean over the range of N.

/// `base + slope * N`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    /// Value at N = 0.
    pub(crate) base: f64,
    /// Growth for each task.
    pub(crate) slope: f64,
    /// Standard error of the slope.
    pub(crate) error: f64,
    /// Share of the variance that the line explains.
    pub(crate) explained: f64,
}

/// Least slope of a clear trend, in standard errors.
const CLEAR: f64 = 3.0;
/// Least rise of a line over the range, as a part of its mean.
const WORTH: f64 = 0.1;

/// The line of least squares through at least three points with different N.
pub(crate) fn line(points: &[(f64, f64)]) -> Option<Line> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (n, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - n).powi(2)).sum();
    if points.len() < 3 || spread == 0.0 {
        return None;
    }
    let slope = points.iter().map(|point| (point.0 - n) * (point.1 - y)).sum::<f64>() / spread;
    let base = y - slope * n;
    let rest: f64 = points.iter().map(|point| (point.1 - base - slope * point.0).powi(2)).sum();
    let all: f64 = points.iter().map(|point| (point.1 - y).powi(2)).sum();
    let error = (rest / (count - 2.0) / spread).sqrt();
    Some(Line { base, slope, error, explained: 1.0 - rest / all })
}

/// The line, if there is a clear trend.
pub(crate) fn trend(points: &[(f64, f64)]) -> Option<Line> {
    let line = line(points)?;
    let (least, most) =
        points.iter().fold((f64::MAX, f64::MIN), |(least, most), (n, _)| (n.min(least), n.max(most)));
    let mean = line.base + line.slope * (least + most) / 2.0;
    let rises = line.slope * (most - least) > WORTH * mean;
    (line.slope > CLEAR * line.error && rises).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five points by hand: mean N 3, mean 6; slope 20/10, base 0, nothing left over.
    #[test]
    fn a_line_by_hand() {
        let points = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0), (4.0, 8.0), (5.0, 10.0)];
        assert_eq!(line(&points), Some(Line { base: 0.0, slope: 2.0, error: 0.0, explained: 1.0 }));
        // One point off by 2: slope 2 + 2*2/10, rest = 0.4+0.16*... as the formula says.
        let off = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0), (4.0, 8.0), (5.0, 12.0)];
        let line = line(&off).unwrap();
        assert!((line.slope - 2.4).abs() < 1e-12 && (line.base + 0.8).abs() < 1e-12, "{line:?}");
        // Residuals 0.4, 0, -0.4, -0.8, 0.8: squares 1.6, over 3, over 10.
        assert!((line.error - (1.6f64 / 3.0 / 10.0).sqrt()).abs() < 1e-12, "{line:?}");
    }

    #[test]
    fn a_line_says_what_it_explains() {
        assert!(line(&[(0.0, 1.0), (1.0, 0.0), (2.0, 1.0)]).unwrap().explained.abs() < 1e-9);
    }

    #[test]
    fn noise_falls_and_flat_lines_are_no_trend() {
        assert_eq!(trend(&[(10.0, 5.0), (20.0, 4.0), (30.0, 5.5), (40.0, 4.9)]), None);
        assert_eq!(trend(&[(10.0, 9.0), (20.0, 8.0), (30.0, 7.0)]), None, "what falls is taken for constant");
        assert_eq!(trend(&[(10.0, 100.0), (20.0, 100.1), (30.0, 100.2)]), None, "not worth a line");
        assert!(trend(&[(10.0, 100.0), (20.0, 151.0), (30.0, 200.0)]).is_some());
        assert_eq!(line(&[(1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(line(&[(1.0, 1.0); 4]), None);
    }
}
