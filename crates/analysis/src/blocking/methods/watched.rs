//! Methods of several processors that can be watched: they show the sections of others that add to a bound, and the
//! response times or the demand with that blocking.

use crate::blocking::edf::Blockers;
use crate::blocking::feed::{
    all_global, demand_watched, iterate_watched, oblivious, show_parts, suspension_aware,
};
use crate::blocking::response::Waiting;
use crate::blocking::{
    clustered_omlp, dflp, dpcp, fmlp, fmlp_plus, global_omlp, mpcp, msrp_classic, task_fair_mutex, Case,
    Judged, Sharer, Sharing,
};
use crate::steps::Watch;

fn home(sharing: &Sharing) -> Vec<u32> {
    dpcp::in_turn(sharing.units().len(), sharing.clusters())
}

/// By resource: the processor of its users if they all run on one, else a processor assigned round-robin.
pub fn sites(sharing: &Sharing) -> Vec<u32> {
    let mut sites = home(sharing);
    let local = sharing.is_local();
    for (index, task) in sharing.tasks().iter().enumerate() {
        for request in sharing.requests(index).iter().filter(|request| local[request.resource as usize]) {
            sites[request.resource as usize] = task.cluster;
        }
    }
    sites
}

pub(super) fn msrp_demand<W: Watch>(sharing: &Sharing, watch: &mut W) -> Judged {
    let terms = show_parts(msrp_classic::with_parts(sharing), watch);
    demand_watched(sharing, terms, Blockers::Ceilings, watch)
}

pub(super) fn task_fair_demand<W: Watch>(sharing: &Sharing, watch: &mut W) -> Judged {
    let terms = show_parts(msrp_classic::without_ceilings(sharing), watch);
    demand_watched(sharing, terms, Blockers::NonPreemptive, watch)
}

pub(super) fn mpcp_response_times<W: Watch>(case: &Case<'_>, sharing: &Sharing, watch: &mut W) -> Judged {
    let users = mpcp::Users::of(case.locking.class);
    suspension_aware(sharing, |global, responses| mpcp::with_parts(users, global, responses, false), watch)
}

pub(super) fn dpcp_response_times<W: Watch>(sharing: &Sharing, watch: &mut W) -> Judged {
    suspension_aware(sharing, |global, responses| dpcp::with_parts(global, responses, &home(global)), watch)
}

pub(super) fn dflp_response_times<W: Watch>(sharing: &Sharing, watch: &mut W) -> Judged {
    all_global(sharing, |all, responses| dflp::with_parts(all, responses, &sites(all)), watch)
}

pub(super) fn fmlp_plus_response_times<W: Watch>(sharing: &Sharing, watch: &mut W) -> Judged {
    all_global(sharing, |global, responses| fmlp_plus::with_parts(global, responses, true), watch)
}

pub(super) fn task_fair_response_times<W: Watch>(sharing: &Sharing, watch: &mut W) -> Judged {
    let shown = |responses: &[u64], watch: &mut W| {
        show_parts(task_fair_mutex::with_parts(sharing, responses, 1), watch)
    };
    iterate_watched(sharing, Waiting::Spins, shown, watch)
}

/// Waiting in queues first come, first served, as execution, with `processors` in each cluster.
pub(super) fn queued_oblivious<W: Watch>(
    case: &Case<'_>,
    sharing: &Sharing,
    processors: u32,
    watch: &mut W,
) -> Judged {
    oblivious(case, sharing, |responses| {
        show_parts(clustered_omlp::with_parts(sharing, responses, processors), watch)
    })
}

pub(super) fn omlp_oblivious<W: Watch>(case: &Case<'_>, sharing: &Sharing, watch: &mut W) -> Judged {
    oblivious(case, sharing, |responses| {
        show_parts(global_omlp::with_parts(sharing, responses, case.processors()), watch)
    })
}

/// Waiting as execution under the FMLP, on one cluster.
pub(super) fn fmlp_oblivious<W: Watch>(case: &Case<'_>, sharing: &Sharing, watch: &mut W) -> Judged {
    oblivious(case, sharing, |responses| {
        let found = match case.is_partitioned() {
            true => fmlp::on_one_processor(case, sharing),
            false => fmlp::global_with_parts(case, sharing, responses),
        };
        show_parts(found, watch)
    })
}

pub(super) fn fmlp_plus_oblivious<W: Watch>(case: &Case<'_>, sharing: &Sharing, watch: &mut W) -> Judged {
    // The levels in `sharing` are no priorities of jobs.
    let mut equal = Sharing::new(sharing.clusters(), sharing.units().to_vec());
    for (index, task) in sharing.tasks().iter().enumerate() {
        let pushed = equal.push(Sharer { level: 0, ..*task }, sharing.requests(index));
        assert!(pushed.is_ok(), "they were accepted before");
    }
    oblivious(case, sharing, |responses| show_parts(fmlp_plus::with_parts(&equal, responses, true), watch))
}
