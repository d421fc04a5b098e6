//! Worked examples, the rules of chronos-scalability-2011, and brute force.

use super::*;
use crate::random::{Purpose, Random};
use num_rational::BigRational;
use schedlab_model::{Duration, Work};

fn task(wcet: u64, period: u64) -> Task {
    Task::implicit(Work::from_ns(wcet), Duration::from_ns(period))
}

fn place(name: &str, tasks: &[Task], processors: u16) -> TaskPlaces {
    name.parse::<Packing>().unwrap().place(tasks, processors).unwrap()
}

/// P-EDF's placement in chronos-scalability-2011, section 3.3: first fit by decreasing utilization, below
/// 0.95, with best-effort overflow.
fn chronos_first_fit() -> Packing {
    Packing {
        order: PlacementOrder::Decreasing(PlacementWeight::Utilization),
        fit: Fit::First,
        fit_bound: FitBound { bound: Ratio::new(95, 100).unwrap_or(Ratio::ONE), strictly_below: true },
        overflow: Overflow::LeastLoaded,
        ..Packing::default()
    }
}

/// P-RMS' and C-EDF's placement in the same section: each task, by decreasing utilization, to the
/// processor with the least total utilization, whatever that is.
fn chronos_least_utilization() -> Packing {
    Packing {
        order: PlacementOrder::Decreasing(PlacementWeight::Utilization),
        fit: Fit::Worst,
        overflow: Overflow::LeastLoaded,
        ..Packing::default()
    }
}

fn numbers(bins: &[Vec<TaskId>]) -> Vec<Vec<u32>> {
    bins.iter().map(|bin| bin.iter().map(|task| task.0).collect()).collect()
}

/// chronos-scalability-2011, section 3.3: three tasks of utilization 0.6 do not fit on two processors; best
/// effort sends the third to the one with the lowest total utilization. (Golden example `three-0.6`.)
#[test]
fn three_times_six_tenths_on_a_dual_core() {
    let tasks = [task(6_000, 10_000), task(6_000, 10_000), task(6_000, 10_000)];
    for &fit in Fit::VARIANTS {
        let placement = Packing { fit, ..Packing::default() }.place(&tasks, 2).unwrap();
        assert_eq!(
            (placement.misfits.as_slice(), placement.fits()),
            ([TaskId(2)].as_slice(), false),
            "{fit:?}"
        );
        assert_eq!(placement.cpus(), [Some(CpuId(0)), Some(CpuId(1)), None]);
    }
    let placement = chronos_first_fit().place(&tasks, 2).unwrap();
    assert_eq!(numbers(&placement.bins), [vec![0, 2], vec![1]]);
    assert_eq!(placement.overflowed, [TaskId(2)]);
    assert!(placement.is_complete() && !placement.fits());
}

/// An overflow goes to the least loaded processor, which need not be the first, and counts there.
#[test]
fn overflow_counts_where_it_goes() {
    let tasks = [task(9, 10), task(8, 10), task(7, 10), task(3, 10), task(6, 10)];
    let packing = Packing { overflow: Overflow::LeastLoaded, ..Packing::default() };
    let placement = packing.place(&tasks, 3).unwrap();
    assert_eq!(numbers(&placement.bins), [vec![0], vec![1, 4], vec![2, 3]]);
    assert_eq!(placement.overflowed, [TaskId(4)]);
}

/// Golden example `m-half`: five tasks of utilization 0.51 on four processors.
#[test]
fn more_than_half_each_needs_a_processor_each() {
    let tasks = vec![task(51_000, 100_000); 5];
    for &fit in Fit::VARIANTS {
        let place = |m| Packing { fit, ..Packing::default() }.place(&tasks, m).unwrap().fits();
        assert!(!place(4) && place(5), "{fit:?}");
    }
}

/// J. Lopez, M. Garcia, J. Diaz and D. Garcia, "Worst-case utilization bound for EDF scheduling on real-time
/// multiprocessor systems", ECRTS 2000: with no utilization above 1/beta, first fit places every set of total
/// utilization up to (beta m + 1)/(beta + 1), and some sets just above fit nowhere. (Golden example `lopez-bound`.)
#[test]
fn lopez_bound_is_kept_and_tight() {
    for m in [2u16, 4, 8] {
        for beta in [1u64, 2, 3, 10] {
            let unit = 1_000_000;
            // One task more than m processors take of beta each, all of them just too heavy for beta + 1 on one.
            let heavy = task(unit + 1, unit * (beta + 1));
            let count = beta as usize * usize::from(m) + 1;
            assert!(!place("first_fit_decreasing", &vec![heavy; count], m).fits(), "m {m} beta {beta}");

            let bound = (u128::from(beta) * u128::from(m) + 1) * u128::from(unit) / u128::from(beta + 1);
            let mut random = crate::Random::new(beta, *b"lopez   ", m.into());
            for _ in 0..200 {
                let (mut tasks, mut left) = (Vec::new(), bound as u64);
                while left > 0 {
                    let wcet = random.between(1, unit / beta).min(left);
                    left -= wcet;
                    tasks.push(task(wcet, unit));
                }
                assert!(place("first_fit", &tasks, m).fits(), "m {m} beta {beta}: {tasks:?}");
            }
        }
    }
}

/// Fig. 1 of litmus-rt-2006: X = (1.5, 3), Y = (2, 3), Z = (4, 6) fit on three processors, not on two.
#[test]
fn figure_1_of_2006_needs_three_processors() {
    let tasks = [task(1_500, 3_000), task(2_000, 3_000), task(4_000, 6_000)];
    for name in ["first_fit", "worst_fit", "best_fit", "next_fit"] {
        for name in [name.to_string(), format!("{name}_decreasing")] {
            assert!(!place(&name, &tasks, 2).fits(), "{name}");
            assert!(place(&name, &tasks, 3).fits(), "{name}");
        }
    }
}

/// 3 x 1/3 is one, which sums of floating-point numbers get wrong for other fractions; strictly below is not.
#[test]
fn a_processor_is_filled_exactly_or_stays_below() {
    let tasks = [task(1, 10), task(2, 10), task(7, 10)];
    assert!(place("first_fit", &tasks, 1).fits());
    let below = FitBound { strictly_below: true, ..FitBound::default() };
    let placement = Packing { fit_bound: below, ..Packing::default() }.place(&tasks, 1).unwrap();
    assert_eq!(placement.misfits, [TaskId(2)]);

    let at_the_bound = [task(95, 100)];
    assert_eq!(chronos_first_fit().place(&at_the_bound, 1).unwrap().overflowed, [TaskId(0)]);
    let bound = FitBound { bound: "0.95".parse().unwrap(), strictly_below: false };
    assert!(Packing { fit_bound: bound, ..Packing::default() }.place(&at_the_bound, 1).unwrap().fits());
}

/// Nine equal tasks on the two quad-cores of section 3.3.
#[test]
fn tasks_go_round_the_processors() {
    let mut tasks = vec![task(5, 10); 9];
    let placement = chronos_least_utilization().place(&tasks, 8).unwrap();
    assert_eq!(placement.bins[0], [TaskId(0), TaskId(8)]);
    placement.assign(&mut tasks);
    assert_eq!(tasks[8].cluster, ClusterId(0));
    assert_eq!(tasks[7].cluster, ClusterId(7));
}

/// No core gets a second task before each has one (section 3.3), even beyond a load of one.
#[test]
fn least_utilization_never_refuses() {
    let tasks = vec![task(9, 10); 10];
    let placement = chronos_least_utilization().place(&tasks, 4).unwrap();
    let sizes: Vec<usize> = placement.bins.iter().map(Vec::len).collect();
    assert_eq!(sizes, [3, 3, 2, 2]);
    assert_eq!(placement.overflowed.len(), 6);
}

#[test]
fn names_are_read() {
    use PlacementOrder::{Decreasing, Given, RisingDeadline};
    use PlacementWeight::{Density, Utilization};
    for (name, weight, fit, order) in [
        ("utilization:first_fit", Utilization, Fit::First, Given),
        ("best-fit", Utilization, Fit::Best, Given),
        ("density:worst_fit_decreasing", Density, Fit::Worst, Decreasing(Density)),
        ("utilization:next_fit_decreasing", Utilization, Fit::Next, Decreasing(Utilization)),
        ("utilization:best_fit_decreasing_density", Utilization, Fit::Best, Decreasing(Density)),
        ("density:first_fit_by_deadline", Density, Fit::First, RisingDeadline),
        ("almost_worst_fit_decreasing", Utilization, Fit::AlmostWorst, Decreasing(Utilization)),
    ] {
        assert_eq!(name.parse(), Ok(Packing { weight, order, fit, ..Packing::default() }));
    }
    assert_eq!("least-utilization".parse::<Packing>(), "worst_fit_decreasing".parse());
    for wrong in ["", "fit", "weight:first_fit", "first_fit_increasing", "almost_best_fit"] {
        assert!(wrong.parse::<Packing>().unwrap_err().to_string().contains("allowed: first_fit"), "{wrong}");
    }
}

#[test]
fn refuses_what_has_no_weight() {
    let packing = Packing::default();
    assert_eq!(packing.place(&[], 0), Err(PlacementError::NoProcessors));
    assert_eq!(packing.place(&[task(1, 2), task(1, 0)], 1), Err(PlacementError::NoWeight(TaskId(1))));
    assert!(packing.place(&[task(u64::MAX, 1), task(u64::MAX, 1)], 1).unwrap().misfits.len() == 2);
}

/// Orders other than that of the weight.
#[test]
fn tasks_are_taken_in_the_order_asked_for() {
    let constrained = |wcet, relative_deadline| {
        Task::constrained(Work::from_ns(wcet), Duration::from_ns(10), Duration::from_ns(relative_deadline))
    };
    // Utilizations 0.2, 0.4, 0.3; densities 1, 0.5, 0.6.
    let tasks = [constrained(2, 2), constrained(4, 8), constrained(3, 5)];
    let order = |name: &str| numbers(&place(name, &tasks, 1).bins);
    assert_eq!(order("first_fit"), [[0, 1, 2]]);
    assert_eq!(order("first_fit_decreasing"), [[1, 2, 0]]);
    assert_eq!(order("first_fit_decreasing_density"), [[0, 2, 1]]);
    assert_eq!(order("first_fit_by_deadline"), [[0, 2, 1]]);
    assert_eq!(numbers(&place("density:first_fit_decreasing_utilization", &tasks, 3).bins), [[1], [2], [0]]);
}

/// Pinned tasks are there first, and count; others find what is left, where they may.
#[test]
fn pins_hold() {
    let tasks = [task(6, 10), task(5, 10), task(5, 10), task(9, 10)];
    let pins = [Pin::Free, Pin::On(CpuId(0)), Pin::Among(vec![CpuId(2), CpuId(1)]), Pin::On(CpuId(0))];
    let placement = Packing::default().place_pinned(&tasks, 3, &pins).unwrap();
    assert_eq!(numbers(&placement.bins), [vec![1, 3], vec![0], vec![2]]);
    assert_eq!(placement.overflowed, [TaskId(3)], "pinned where it does not fit");

    let place = |pins: &[Pin]| Packing::default().place_pinned(&tasks, 3, pins).unwrap_err();
    assert_eq!(place(&pins[..2]), PlacementError::WrongNumberOfPins { tasks: 4, pins: 2 });
    let mut wrong = pins.clone();
    wrong[2] = Pin::Among(vec![]);
    assert_eq!(place(&wrong), PlacementError::NoSuchProcessor(TaskId(2), None));
    wrong[2] = Pin::On(CpuId(3));
    assert_eq!(place(&wrong), PlacementError::NoSuchProcessor(TaskId(2), Some(CpuId(3))));
}

/// The rules from their definitions, with big rationals only, on weights that often fit exactly.
fn by_definition(name: &str, weights: &[BigRational], processors: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
    let one = BigRational::new(1.into(), 1.into());
    let mut queue: Vec<u32> = (0..weights.len() as u32).collect();
    if name.ends_with("_decreasing") {
        queue.sort_by_key(|task| core::cmp::Reverse(weights[*task as usize].clone()));
    }
    let (mut bins, mut misfits, mut start) = (vec![vec![]; processors], vec![], 0);
    for task in queue {
        let sum = |bin: &Vec<u32>| bin.iter().map(|t| weights[*t as usize].clone()).sum::<BigRational>();
        let fitting: Vec<usize> =
            (start..processors).filter(|index| sum(&bins[*index]) + &weights[task as usize] <= one).collect();
        let second = || {
            let mut sums: Vec<BigRational> = fitting.iter().map(|index| sum(&bins[*index])).collect();
            sums.sort();
            let wanted = sums.get(1).or(sums.first())?.clone();
            fitting.iter().find(|index| sum(&bins[**index]) == wanted)
        };
        let chosen = match name {
            _ if name.contains("almost") => second(),
            _ if name.contains("worst") => fitting.iter().min_by_key(|index| sum(&bins[**index])),
            _ if name.contains("best") => fitting.iter().rev().max_by_key(|index| sum(&bins[**index])),
            _ => fitting.first(),
        };
        match chosen {
            Some(index) => {
                bins[*index].push(task);
                start = if name.contains("next") { *index } else { 0 };
            }
            None => {
                misfits.push(task);
                if name.contains("next") {
                    break;
                }
            }
        }
    }
    (bins, misfits)
}

#[test]
fn agrees_with_the_definitions() {
    let mut random = Random::stream(21, Purpose::Periods, 0);
    let mut misfitting = 0;
    for _ in 0..400 {
        let tasks: Vec<Task> = (0..random.between(1, 14))
            .map(|_| {
                let period = random.between(2, 12);
                task(random.between(1, period), period)
            })
            .collect();
        let weights: Vec<BigRational> =
            tasks.iter().map(|t| BigRational::new(t.wcet.as_ns().into(), t.period.as_ns().into())).collect();
        let processors = random.between(1, 6) as u16;
        for &fit in Fit::VARIANTS {
            for name in [fit.as_ref().to_string(), format!("{}_decreasing", fit.as_ref())] {
                let placement = place(&name, &tasks, processors);
                let misfits: Vec<u32> = placement.misfits.iter().map(|task| task.0).collect();
                misfitting += u32::from(!misfits.is_empty());
                let expected = by_definition(&name, &weights, processors.into());
                assert_eq!((numbers(&placement.bins), misfits), expected, "{name} {tasks:?} on {processors}");
            }
        }
    }
    assert!(misfitting > 300, "misfits were met {misfitting} times only");
}
