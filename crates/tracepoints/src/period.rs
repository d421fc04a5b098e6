//! Estimates of periods and of jitter, from the stamps of releases.

/// Fewest distances between releases from which a period is told.
const ENOUGH: usize = 2;

/// Tolerance: how far from a multiple of the period a distance may be, as a part of the period.
const TOLERANCE: u64 = 10;

/// Largest multiple of the period that a distance may be: releases between them were not seen, or did not sleep before.
const LARGEST_MULTIPLE: u64 = 8;

/// Least percentage of distances that make a pattern.
const REGULAR: u64 = 60;

/// Least percentage where a job has several wake-ups.
const VERY_REGULAR: u64 = 85;

/// Steps of the numbers that a person would choose for a period, the roundest first, in nanoseconds.
const ROUND: [u64; 8] = [10_000_000, 5_000_000, 1_000_000, 500_000, 100_000, 50_000, 10_000, 1_000];

/// Most wake-ups that a job is believed to have, where it waits for something in its middle.
const MOST_WAKES: usize = 4;

/// Pattern of the releases of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Releases are this far apart, with this many wake-ups in each job.
    Periodic { period: u64, wakes: usize, jitter: u64 },
    /// Releases have no period; most are at least this far apart.
    Irregular { distance: u64 },
}

/// Releases between which nothing is missing, by time.
pub(crate) type Stretch = Vec<u64>;

/// Returns the pattern of releases, if they are enough. Stamps may be nanoseconds, and then periods are round.
pub(crate) fn pattern(stretches: &[Stretch], is_ns: bool) -> Option<Pattern> {
    let mut distances = distances(stretches, 1);
    if distances.len() < ENOUGH {
        return None;
    }
    let found = (1..=MOST_WAKES).find_map(|wakes| periodic(stretches, wakes, is_ns));
    Some(found.unwrap_or_else(|| {
        distances.sort_unstable();
        Pattern::Irregular { distance: distances[distances.len() / 20] }
    }))
}

/// Returns the median distance of successive releases, if there are enough of them.
pub(crate) fn median_distance(stretches: &[Stretch]) -> Option<u64> {
    let mut distances = distances(stretches, 1);
    (distances.len() >= ENOUGH).then(|| median(&mut distances))
}

/// Distances of releases that are `wakes` apart.
fn distances(stretches: &[Stretch], wakes: usize) -> Vec<u64> {
    let of =
        |stretch: &Stretch| stretch.windows(wakes + 1).map(|some| some[wakes] - some[0]).collect::<Vec<_>>();
    stretches.iter().flat_map(of).collect()
}

/// Returns the median; of two in the middle, the one half way.
pub(crate) fn median(all: &mut [u64]) -> u64 {
    all.sort_unstable();
    let middle = all.len() / 2;
    match all.len() % 2 {
        0 => all[middle - 1] + (all[middle] - all[middle - 1]) / 2,
        _ => all[middle],
    }
}

/// Returns the period of releases with this many wake-ups in each job, if most distances keep it.
fn periodic(stretches: &[Stretch], wakes: usize, is_ns: bool) -> Option<Pattern> {
    let all = distances(stretches, wakes);
    // With more wake-ups than one, chance makes patterns of few.
    if all.len() < if wakes == 1 { ENOUGH } else { 3 * wakes } {
        return None;
    }
    let rough = median(&mut all.clone());
    let kept = all.iter().filter(|distance| multiple(**distance, rough).is_some()).count() as u64;
    let least = if wakes == 1 { REGULAR } else { VERY_REGULAR };
    if rough == 0 || kept * 100 < least * all.len() as u64 {
        return None;
    }
    let firsts: Vec<Stretch> =
        stretches.iter().map(|stretch| stretch.iter().copied().step_by(wakes).collect()).collect();
    let beats: Vec<Vec<(u64, u64)>> = firsts.iter().flat_map(|stretch| beats(stretch, rough)).collect();
    let widest = |period| beats.iter().map(|beats| spread(beats, period)).max().unwrap_or(0);
    let estimate = slope(&beats).unwrap_or(rough);
    let longest = beats.iter().filter_map(|beats| beats.last()).map(|(number, _)| *number).max().unwrap_or(1);
    let period = if is_ns { round(estimate, widest(estimate) / longest.max(1)) } else { estimate };
    let jitter = widest(period);
    Some(Pattern::Periodic { period, wakes, jitter: jitter.min(period) })
}

/// Returns the roundest number within the error of an estimate, which is at most 1% of it.
fn round(estimate: u64, error: u64) -> u64 {
    let error = error.min(estimate / 100);
    let near = |step: &u64| (estimate + step / 2) / step * step;
    ROUND.iter().map(near).find(|round| *round > 0 && round.abs_diff(estimate) <= error).unwrap_or(estimate)
}

/// Returns how many periods a distance is, if it is a whole number of them.
fn multiple(distance: u64, period: u64) -> Option<u64> {
    let count = (distance + period / 2).checked_div(period)?;
    let is_near = distance.abs_diff(count.saturating_mul(period)) <= period / TOLERANCE;
    (is_near && (1..=LARGEST_MULTIPLE).contains(&count)).then_some(count)
}

/// Numbers the releases of a stretch by periods. A distance that is none begins another part.
fn beats(stretch: &[u64], period: u64) -> Vec<Vec<(u64, u64)>> {
    let mut parts = vec![Vec::new()];
    let mut number = 0;
    for (place, at) in stretch.iter().enumerate() {
        if place > 0 {
            match multiple(at - stretch[place - 1], period) {
                Some(count) => number += count,
                None => {
                    parts.push(Vec::new());
                    number = 0;
                }
            }
        }
        parts.last_mut().expect("there is one").push((number, *at));
    }
    parts.retain(|part| part.len() > 1);
    parts
}

/// Returns the slope of the line through the releases of all parts, by least squares: the period.
fn slope(parts: &[Vec<(u64, u64)>]) -> Option<u64> {
    let (mut up, mut down) = (0_i128, 0_i128);
    for part in parts {
        let (count, from) = (part.len() as i128, part[0].1);
        let pairs = || part.iter().map(|(number, at)| (i128::from(*number), i128::from(at - from)));
        let sum_n: i128 = pairs().map(|(number, _)| number).sum();
        let sum_t: i128 = pairs().map(|(_, time)| time).sum();
        let with_t: i128 = pairs().map(|(number, time)| number * time).sum();
        let with_n: i128 = pairs().map(|(number, _)| number * number).sum();
        up = up.checked_add(count.checked_mul(with_t)?.checked_sub(sum_n.checked_mul(sum_t)?)?)?;
        down = down.checked_add(count.checked_mul(with_n)?.checked_sub(sum_n.checked_mul(sum_n)?)?)?;
    }
    (down > 0 && up > 0).then(|| ((up + down / 2) / down) as u64)
}

/// Returns the time within which the releases of a part deviate from their period.
fn spread(part: &[(u64, u64)], period: u64) -> u64 {
    let off =
        |(number, at): &(u64, u64)| i128::from(at - part[0].1) - i128::from(*number) * i128::from(period);
    let (least, most) = part
        .iter()
        .map(off)
        .fold((i128::MAX, i128::MIN), |(least, most), off| (least.min(off), most.max(off)));
    u64::try_from(most - least).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(all: &[&[u64]]) -> Option<Pattern> {
        pattern(&all.iter().map(|stretch| stretch.to_vec()).collect::<Vec<_>>(), true)
    }

    fn period(all: &[&[u64]]) -> Option<(u64, usize)> {
        match of(all)? {
            Pattern::Periodic { period, wakes, .. } => Some((period, wakes)),
            Pattern::Irregular { .. } => None,
        }
    }

    #[test]
    fn releases_that_were_not_seen_are_multiples() {
        assert_eq!(
            of(&[&[0, 100, 200, 400, 500]]),
            Some(Pattern::Periodic { period: 100, wakes: 1, jitter: 0 })
        );
        assert_eq!(
            period(&[&[0, 100, 200], &[1_234, 1_334]]),
            Some((100, 1)),
            "the distance across a hole is none"
        );
        assert_eq!(of(&[&[0, 100], &[1_234]]), None, "one distance is no period");
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn jitter_is_what_the_period_does_not_explain() {
        let releases: Vec<u64> =
            (0..100).map(|number| number * 10_000 + [0, 300, 100, 200][number as usize % 4]).collect();
        assert_eq!(
            pattern(&[releases], true),
            Some(Pattern::Periodic { period: 10_000, wakes: 1, jitter: 300 })
        );
    }

    /// The estimate of ten releases has an error of a tenth of their jitter.
    #[test]
    fn a_period_is_as_round_as_its_error_allows() {
        assert_eq!(round(19_998_300, 5_800), 20_000_000);
        assert_eq!(round(16_666_700, 40), 16_666_700);
        assert_eq!(round(16_666_700, 400), 16_667_000);
        assert_eq!(round(9_871_234, 100_000_000), 9_900_000, "never by more than 1%");
        assert_eq!(round(0, 0), 0);
    }

    #[test]
    fn a_job_that_waits_in_its_middle_is_one() {
        let releases: Vec<u64> =
            (0..20).flat_map(|number| [number * 10_000, number * 10_000 + 1_500]).collect();
        assert_eq!(period(&[&releases]), Some((10_000, 2)));
    }

    #[test]
    fn what_comes_at_random_has_no_period() {
        let mut at = 0;
        let mut state: u64 = 7;
        let releases: Vec<u64> = (0..200)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                at += 1_000 + (state >> 33) % 20_000;
                at
            })
            .collect();
        assert!(matches!(of(&[&releases]), Some(Pattern::Irregular { .. })));
    }
}
