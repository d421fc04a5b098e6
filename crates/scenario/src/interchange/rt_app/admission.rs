//! The kernel's admission of `SCHED_DEADLINE` threads: their reserved shares of the processors, and where they may run.
//!
//! A kernel without other settings admits [`ReservedShare::admitted`] of the processors of a root domain, and no thread
//! that may not run on all of these.

use super::json::Reader;
use super::task::{Reservation, Stated};
use crate::loss::LossKind;
use crate::reserved::ReservedShare;
use schedlab_model::Duration;
use schedlab_policy::Throttling;
use std::collections::BTreeMap;

/// The share of a processor that a reservation takes.
fn share(reservation: Reservation) -> ReservedShare {
    let [runtime, period] = [reservation.runtime_ns, reservation.period_ns].map(Duration::from_ns);
    ReservedShare::of(runtime, period)
}

/// The share of a processor that a kernel without other settings admits.
fn limit() -> ReservedShare {
    ReservedShare::admitted(Throttling::default()).expect("throttling is on by default")
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
        let limit = limit() * if is_bound { 1 } else { u128::from(processors) };
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
            sum(&threads),
            limit
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
    if let Some(first) = stated.first().filter(|_| sum > limit()) {
        let needed = sum.processors_for(limit()).expect("some is admitted by default");
        let what = format!(
            "SCHED_DEADLINE's admission: dl-runtime / dl-period sum to {sum}, which the kernel admits on {needed} \
             processors or more"
        );
        reader.losses.harmless(LossKind::Admission, first.place.clone(), what);
    }
}

/// The shares of all threads of these tasks.
fn sum(stated: &[&Stated]) -> ReservedShare {
    let of_one =
        |one: &&Stated| one.reservation.map_or(ReservedShare::default(), share) * one.instances as u128;
    stated.iter().map(of_one).sum()
}
