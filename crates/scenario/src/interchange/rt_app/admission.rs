//! The kernel's admission of `SCHED_DEADLINE` threads: their reserved shares of the processors, and where they may run.
//!
//! `sched_setattr` refuses a thread whose share makes the sum larger than 95% of the processors of its root domain
//! (`sched_rt_runtime_us` of `sched_rt_period_us`), and a thread that may not run on all of these. From Linux 6.12 on,
//! each processor's fair server has 5% of that. Computed as in the kernel's `kernel/sched/deadline.c`, whose shares are
//! rounded down to 20 bits.

use super::json::Reader;
use super::task::{Reservation, Stated};
use crate::loss::LossKind;
use std::collections::BTreeMap;

/// Number of fractional bits of a share.
const BITS: u32 = 20;

/// The share of a processor that a kernel without other settings admits: 950 ms of each second, less 50 ms for the fair
/// server.
const LIMIT: u128 = (900_000 << BITS) / 1_000_000;

/// The share of a processor that a reservation takes.
fn share(reservation: Reservation) -> u128 {
    (u128::from(reservation.runtime_ns) << BITS) / u128::from(reservation.period_ns.max(1))
}

/// Notes the root domains whose threads the kernel does not admit together, and the exclusive cpusets without which it
/// binds no thread. Each processor is a domain of its own if all threads are bound to one.
pub(super) fn admission(reader: &mut Reader<'_>, stated: &[Stated], is_bound: bool, processors: u16) {
    let mut domains: BTreeMap<Option<u16>, Vec<&Stated>> = BTreeMap::new();
    for one in stated.iter().filter(|one| one.reservation.is_some()) {
        domains.entry(one.spec.processor.filter(|_| is_bound)).or_default().push(one);
    }
    let Some(cpus) = domains.values().flatten().find_map(|one| one.cpus.clone()) else {
        return of_any_machine(reader, stated);
    };
    for (domain, threads) in domains {
        let limit = LIMIT * if is_bound { 1 } else { u128::from(processors) };
        let Some(refused) = (1..=threads.len()).find(|count| sum(&threads[..*count]) > limit) else {
            continue;
        };
        let refused = threads[refused - 1];
        let of = match (domain, processors) {
            (Some(processor), _) => format!("processor {processor}"),
            (None, 1) => "one processor".to_owned(),
            (None, count) => format!("{count} processors"),
        };
        let what = format!(
            "SCHED_DEADLINE's admission, which refuses {} (dl-runtime / dl-period sum to {} of {of}, above {}),",
            refused.spec.name,
            percent(sum(&threads)),
            percent(limit)
        );
        reader.losses.flatters(LossKind::Admission, refused.place.clone(), what);
    }
    let parts = if is_bound { "one for each processor" } else { "one for the processors in cpus" };
    let what = format!(
        "exclusive cpusets, {parts}: the kernel binds SCHED_DEADLINE threads by these alone, and answers assume them"
    );
    reader.losses.harmless(LossKind::Cpusets, cpus, what);
}

/// Notes how many processors the kernel needs to admit the threads of a file that names none: a caller may state any
/// number.
fn of_any_machine(reader: &mut Reader<'_>, stated: &[Stated]) {
    let sum = sum(&stated.iter().collect::<Vec<_>>());
    if let Some(first) = stated.first().filter(|_| sum > LIMIT) {
        let what = format!(
            "SCHED_DEADLINE's admission: dl-runtime / dl-period sum to {}, which the kernel admits on {} processors or \
             more",
            percent(sum),
            sum.div_ceil(LIMIT)
        );
        reader.losses.harmless(LossKind::Admission, first.place.clone(), what);
    }
}

/// The shares of all threads of these tasks.
fn sum(stated: &[&Stated]) -> u128 {
    let of_one = |one: &&Stated| one.reservation.map_or(0, share) * one.instances as u128;
    stated.iter().map(of_one).sum()
}

/// A share in percent with two decimals at most, rounded up because shares are rounded down.
fn percent(share: u128) -> String {
    let hundredths = (share * 10_000).div_ceil(1 << BITS);
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_the_one_of_the_kernel() {
        let share = |runtime_ns, period_ns| share(Reservation { runtime_ns, period_ns });
        assert_eq!(LIMIT, 943_718);
        assert_eq!(share(90, 100), LIMIT);
        assert!(share(9_001, 10_000) > LIMIT);
        assert_eq!((percent(LIMIT), percent(share(12, 10))), ("90%".into(), "120%".into()));
    }
}
