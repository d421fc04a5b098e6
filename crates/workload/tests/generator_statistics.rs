//! The generators' distributions: against samples of other generators and against known laws.
//!
//! Tolerances are derived, not tuned. For a quantile of probability p, taken from n1 samples, the share of
//! our n2 samples at or below it deviates from p by a standard error of sqrt(p(1-p)(1/n1 + 1/n2)); means
//! deviate by sigma*sqrt(1/n1 + 1/n2). A deviation beyond 5 standard errors has a probability of 6e-7, and
//! some 300 are compared. Our seeds are fixed, so a test that passes once passes always.

use schedlab_workload::generate::utilization::{Each, RandFixedSumTable};
use schedlab_workload::generate::{periods, Generator, Periods, Spec, Utilization, MAX_PERIOD_NS};
use schedlab_workload::Random;
use serde_json::Value;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/generator_statistics.json");
const SAMPLES: usize = 200_000;
const ERRORS: f64 = 5.0;
const PERCENTILES: [f64; 9] = [0.0, 1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 100.0];

fn golden() -> Value {
    serde_json::from_str(&std::fs::read_to_string(GOLDEN).unwrap()).unwrap()
}

fn random(index: u64) -> Random {
    Random::new(20_060_907, *b"Test....", index)
}

/// Compares samples with published quantiles, mean and number of samples. `rounding` is how far a printed
/// quantile may be from the quantile; `independent` how many of our samples count as independent.
fn compare(name: &str, mut samples: Vec<f64>, published: &Value, rounding: f64, independent: usize) {
    let theirs = published["n"].as_u64().unwrap().min(independent as u64) as f64;
    let spread = (1.0 / theirs + 1.0 / independent as f64).sqrt();
    samples.sort_by(f64::total_cmp);
    let share = |x: f64| samples.partition_point(|s| *s <= x) as f64 / samples.len() as f64;
    for (percentile, quantile) in PERCENTILES.iter().zip(published["q"].as_array().unwrap()) {
        let (p, quantile) = (percentile / 100.0, quantile.as_f64().unwrap());
        // Where values are discrete, all shares between those below and those at the quantile are right.
        let (low, high) = (share(quantile - rounding), share(quantile + rounding));
        // The extremes are those of samples: beyond theirs, one of n lies on average.
        let tolerance = ERRORS * (p * (1.0 - p)).sqrt() * spread + 12.0 / theirs;
        assert!(low - tolerance <= p && p <= high + tolerance, "{name}: {low} {high} at {quantile}, not {p}");
    }
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let (wanted, sigma) = (published["mean"].as_f64().unwrap(), published["std"].as_f64().unwrap());
    assert!((mean - wanted).abs() <= ERRORS * sigma * spread + rounding, "{name}: mean {mean}, not {wanted}");
}

fn each(text: &str) -> Each {
    match text.parse().unwrap() {
        Utilization::Each(each) => each,
        Utilization::Together(together) => panic!("{together:?} is not drawn one at a time"),
    }
}

/// SchedCAT's named distributions of utilizations, some of which are those of the papers.
#[test]
fn utilizations_agree_with_schedcat() {
    let golden = golden();
    for (index, (theirs, ours)) in [
        ("uni-light", "uniform-light"),
        ("uni-medium", "uniform-medium"),
        ("uni-heavy", "BHU"),
        ("exp-light", "2020-light"),
        ("exp-medium", "2020-medium"),
        ("exp-heavy", "2020-heavy"),
        ("bimo-light", "BLB"),
        ("bimo-medium", "BMB"),
        ("bimo-heavy", "BHB"),
    ]
    .into_iter()
    .enumerate()
    {
        let (each, mut random) = (each(ours), random(index as u64));
        let samples: Vec<f64> = (0..SAMPLES).map(|_| each.draw(&mut random)).collect();
        compare(ours, samples.clone(), &golden["schedcat_named_utilizations"][theirs], 1e-6, SAMPLES);
        let sigma = golden["schedcat_named_utilizations"][theirs]["std"].as_f64().unwrap();
        let analytic = golden["analytic_means"][theirs].as_f64().unwrap();
        let mean = samples.iter().sum::<f64>() / SAMPLES as f64;
        assert!((mean - analytic).abs() < ERRORS * sigma / (SAMPLES as f64).sqrt() + 1e-6, "{ours}: {mean}");
    }
}

/// Means of the distributions of the papers for which no other generator's samples exist.
#[test]
fn utilizations_have_the_means_of_the_papers() {
    let golden = golden();
    let truncated = |name: &str| golden["paper2006_2008_exponential_truncated_means"][name].as_f64().unwrap();
    for (name, mean) in [
        ("exponential-light", truncated("exp mean 0.05 in [0.001,0.1]")),
        ("exponential-medium", truncated("exp mean 0.25 in [0.1,0.4]")),
        ("exponential-heavy", truncated("exp mean 0.7 in [0.5,0.9]")),
        ("bimodal", (8.0 * 0.2505 + 0.7495) / 9.0),
        ("2006-fig9-light", 0.3),
        ("2006-fig9-heavy", 0.7),
        ("2006-fig9-bimodal", 0.2 * 0.3 + 0.8 * 0.7),
    ] {
        let (each, mut random) = (each(name), random(100));
        let samples: Vec<f64> = (0..SAMPLES).map(|_| each.draw(&mut random)).collect();
        let found = samples.iter().sum::<f64>() / SAMPLES as f64;
        let variance = samples.iter().map(|u| (u - found) * (u - found)).sum::<f64>() / SAMPLES as f64;
        let tolerance = ERRORS * (variance / SAMPLES as f64).sqrt() + 1e-6;
        assert!((found - mean).abs() < tolerance, "{name}: mean {found}, not {mean} +- {tolerance}");
    }
}

/// Drawing the conditioned exponential at once is the same as redrawing until a value is in the range.
#[test]
fn truncating_is_redrawing() {
    let (each, mut first, mut second) = (each("exponential 0.25 0.1 0.4"), random(200), random(201));
    let n = 50_000;
    let mut ours: Vec<f64> = (0..n).map(|_| each.draw(&mut first)).collect();
    let mut redrawn = || loop {
        let drawn = second.exponential(0.25);
        if (0.1..=0.4).contains(&drawn) {
            return drawn;
        }
    };
    let mut theirs: Vec<f64> = (0..n).map(|_| redrawn()).collect();
    ours.sort_by(f64::total_cmp);
    theirs.sort_by(f64::total_cmp);
    // Kolmogorov and Smirnov: the largest distance of the two empirical distribution functions exceeds
    // c*sqrt(2/n) with a probability of 2*exp(-2c^2); c = 1.95 is one in a thousand.
    let at_or_below = |x: f64| theirs.partition_point(|t| *t <= x) as f64;
    let distance =
        ours.iter().enumerate().map(|(i, x)| (at_or_below(*x) - i as f64).abs()).fold(0.0, f64::max);
    assert!(distance / n as f64 <= 1.95 * (2.0 / n as f64).sqrt(), "{distance}");
}

/// SchedCAT's named distributions of periods, whole milliseconds.
#[test]
fn periods_agree_with_schedcat() {
    let golden = golden();
    for (index, (name, text)) in [
        ("uni-short", "uniform 3ms 33ms step 1ms"),
        ("uni-moderate", "uniform 10ms 100ms step 1ms"),
        ("uni-long", "uniform 50ms 250ms step 1ms"),
        ("log-uni-short", "log-uniform 3ms 33ms step 1ms"),
        ("log-uni-moderate", "log-uniform 10ms 100ms step 1ms"),
        ("log-uni-long", "log-uniform 50ms 250ms step 1ms"),
    ]
    .into_iter()
    .enumerate()
    {
        let (periods, mut random): (Periods, _) = (text.parse().unwrap(), random(300 + index as u64));
        let samples: Vec<f64> = (0..SAMPLES).map(|_| periods.draw(&mut random) as f64 / 1e6).collect();
        assert!(samples.iter().all(|ms| ms.fract() == 0.0), "{text} gives whole milliseconds");
        compare(text, samples, &golden["schedcat_named_periods_ms"][name], 0.5, SAMPLES);
    }
}

/// Without a step, log-uniform periods have the mean (b-a)/ln(b/a), and each decade gets the same share.
#[test]
fn periods_are_log_uniform_to_the_nanosecond() {
    let (periods, mut random): (Periods, _) = ("2020-heterogeneous".parse().unwrap(), random(310));
    let samples: Vec<f64> = (0..SAMPLES).map(|_| periods.draw(&mut random) as f64 / 1e6).collect();
    for (low, high) in [(1.0, 10.0), (10.0, 100.0), (100.0, 1_000.0)] {
        let share = samples.iter().filter(|ms| (low..high).contains(*ms)).count() as f64 / SAMPLES as f64;
        let tolerance = ERRORS * (2.0 / 9.0 / SAMPLES as f64).sqrt();
        assert!((share - 1.0 / 3.0).abs() < tolerance, "{share} in {low}..{high}");
    }
    assert!(samples.iter().any(|ms| ms.fract() != 0.0));
}

/// WATERS 2015: chi-squared over the nine periods, with the angle-synchronous share left out or kept.
#[test]
fn automotive_periods_have_their_shares() {
    for (text, extra) in [("automotive angle-dropped", None), ("automotive angle-at 20ms", Some(20_000_000))]
    {
        let (periods, mut random): (Periods, _) = (text.parse().unwrap(), random(320));
        let drawn: Vec<u64> = (0..SAMPLES).map(|_| periods.draw(&mut random)).collect();
        let total = if extra.is_some() { 100.0 } else { 85.0 };
        let mut chi = 0.0;
        for (period, share) in periods::PERIOD_SHARES {
            let share = share + if extra == Some(period) { periods::ANGLE_SYNCHRONOUS_SHARE } else { 0 };
            let expected = f64::from(share) / total * SAMPLES as f64;
            let count = drawn.iter().filter(|p| **p == period).count() as f64;
            chi += (count - expected) * (count - expected) / expected;
        }
        // 8 degrees of freedom: 26.12 is exceeded once in a thousand.
        assert!(chi < 26.12, "{text}: {chi}");
    }
}

/// RandFixedSum: components, smallest and largest, against the reference implementation, whose marginals
/// were confirmed by rejection sampling.
#[test]
fn randfixedsum_agrees_with_stafford() {
    let sets = 30_000;
    for (index, published) in golden()["stafford"].as_array().unwrap().iter().enumerate() {
        let (n, total) = (published["n"].as_u64().unwrap() as u32, published["u"].as_f64().unwrap());
        let (table, mut random) = (RandFixedSumTable::new(n, total, 0.0, 1.0), random(400 + index as u64));
        let (mut all, mut min, mut max) = (vec![], vec![], vec![]);
        for _ in 0..sets {
            let drawn = table.draw(&mut random);
            min.push(drawn.iter().copied().fold(f64::INFINITY, f64::min));
            max.push(drawn.iter().copied().fold(0.0, f64::max));
            all.extend(drawn);
        }
        let name = format!("{n} tasks of total {total}");
        // The components of a set depend on each other, so only the sets count as independent.
        compare(&name, all, &published["component"], 1e-6, sets);
        compare(&name, min, &published["min_component"], 1e-6, sets);
        compare(&name, max, &published["max_component"], 1e-6, sets);
    }
}

fn together(utilization: &str, tasks: usize, total: &str, sets: u64) -> Vec<Vec<f64>> {
    let generator = Generator::parse(&Spec {
        utilization: utilization.into(),
        periods: "choice 1000000s".into(),
        deadlines: "implicit".into(),
        stop: format!("tasks {tasks} total {total}"),
    });
    let generator = generator.unwrap();
    let set = |index| {
        let tasks = generator.generate(77, index).unwrap();
        tasks.iter().map(|task| task.wcet.as_ns() as f64 / MAX_PERIOD_NS as f64).collect()
    };
    (0..sets).map(set).collect()
}

/// Uniform on the simplex of n utilizations of sum U <= 1: each has the distribution function
/// 1-(1-x/U)^(n-1), whatever its place in the set.
#[test]
fn sets_of_a_small_total_are_uniform_on_the_simplex() {
    let (n, sets) = (5, 40_000);
    for utilization in ["uunifast-discard", "randfixedsum", "bounded-sum 2 0 1 3 0 0.9"] {
        let drawn = together(utilization, n, "0.8", sets);
        for place in 0..n {
            for x in [0.01, 0.05, 0.1, 0.2, 0.4, 0.6] {
                let p = 1.0 - (1.0 - x / 0.8f64).powi(n as i32 - 1);
                let share = drawn.iter().filter(|set| set[place] <= x).count() as f64 / sets as f64;
                let tolerance = ERRORS * (p * (1.0 - p) / sets as f64).sqrt();
                assert!(
                    (share - p).abs() <= tolerance,
                    "{utilization}, task {place}: {share} at {x}, not {p}"
                );
            }
        }
    }
}

/// Beyond a total of one both are uniform over the same polytope, so they agree with each other.
#[test]
fn discarding_and_stafford_agree() {
    let (n, sets) = (6, 40_000);
    let (a, b) = (together("uunifast-discard", n, "2.5", sets), together("randfixedsum", n, "2.5", sets));
    for place in 0..n {
        for x in [0.05, 0.2, 0.4, 0.6, 0.8, 0.95] {
            let share = |sets: &[Vec<f64>]| {
                sets.iter().filter(|set| set[place] <= x).count() as f64 / sets.len() as f64
            };
            let (p, q) = (share(&a), share(&b));
            let tolerance = ERRORS * (p * (1.0 - p) * 2.0 / sets as f64).sqrt();
            assert!((p - q).abs() <= tolerance, "task {place}: {p} and {q} at {x}");
        }
    }
}
