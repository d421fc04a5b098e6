//! The list of methods: which protocol's blocking goes into which test, under which scheduler. To add one, write its
//! bound's file and its entry here.

mod lock_free;
mod reader_writer;
mod uniprocessor;

pub(crate) use uniprocessor::watched;

use crate::assumption::Assumption;
use crate::blocking::feed::{self, demand, global_fixed_priority, oblivious, response_times};
use crate::blocking::method::{
    partitioned_edf, partitioned_fp, test, Method, AWARE, DEMAND, FREE, GROUPS, HOME, OBLIVIOUS, ONCE, ONE,
    PLAIN, SPIN,
};
use crate::blocking::response::Waiting;
use crate::blocking::{
    clustered_omlp, dflp, dpcp, edf, fmlp, fmlp_oblivious, fmlp_plus, global_omlp, global_pip, mpcp, mrsp,
    msrp_classic, posix, ppcp, retry, task_fair_mutex, Case, Judged, Sections, Sharer, Sharing,
};
use crate::verdict::Test;
use schedlab_model::LockingClass;

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

/// The bounds on the tardiness of jobs that share resources.
pub static TARDINESS: &[&Test] = &[&fmlp_oblivious::TARDINESS, &retry::tardiness::TARDINESS];

/// Every method. Several may be for one protocol, under different schedulers.
pub static METHODS: &[Method] = &[
    uniprocessor::PIP,
    Method {
        test: test(
            "posix_response_time",
            "Sha, Rajkumar and Lehoczky, IEEE TC 39(9), 1990; proved in this crate's blocking/uniprocessor/posix.rs",
            &[ONE, PLAIN, HOME, Assumption::MutexesTogether, FREE],
        ),
        classes: &[LockingClass::Posix],
        applies: |case| case.is_partitioned() && (case.is_fixed_priority() || case.has_open_ties()),
        sections: Sections::Flat,
        judge: posix::of_case,
    },
    uniprocessor::PCP,
    uniprocessor::SRP,
    uniprocessor::NPCS,
    Method {
        test: test(
            "msrp_response_time",
            "Gai, Lipari and Di Natale, RTSS 2001; Brandenburg 2011, section 5.4.5",
            &[ONE, PLAIN, SPIN, ONCE, FREE],
        ),
        classes: &[LockingClass::Msrp],
        applies: partitioned_fp,
        sections: Sections::FlatBetweenClusters,
        judge: |_, sharing| feed::msrp_response_times(sharing),
    },
    Method {
        test: test(
            "mpcp_response_time",
            "Lakshmanan, de Niz and Rajkumar, RTSS 2009; Chen et al., RTS 55(1), 2019",
            &[ONE, PLAIN, AWARE, Assumption::LocalCeilings, FREE],
        ),
        classes: &[LockingClass::Mpcp, LockingClass::MpcpAllUsers],
        applies: partitioned_fp,
        sections: Sections::FlatBetweenClusters,
        judge: |case, sharing| {
            let users = mpcp::Users::of(case.locking.class);
            feed::suspension_aware(sharing, |global, responses| {
                mpcp::bounds_boosted_by(users, global, responses, false)
            })
        },
    },
    Method {
        test: test(
            "fmlp_plus_response_time",
            "Brandenburg 2011, section 6.4.2; Chen et al., RTS 55(1), 2019",
            &[ONE, PLAIN, AWARE, FREE],
        ),
        classes: &[LockingClass::FmlpPlus],
        applies: partitioned_fp,
        sections: Sections::Flat,
        judge: |_, sharing| {
            feed::all_global(sharing, |global, responses| fmlp_plus::bounds(global, responses, true))
        },
    },
    Method {
        test: test(
            "dpcp_response_time",
            "Rajkumar 1991; Chen et al., RTS 55(1), 2019",
            &[ONE, PLAIN, AWARE, Assumption::ResourcesInTurn, FREE],
        ),
        classes: &[LockingClass::Dpcp],
        applies: partitioned_fp,
        sections: Sections::FlatBetweenClusters,
        judge: |_, sharing| {
            feed::suspension_aware(sharing, |global, responses| {
                dpcp::bounds(global, responses, &home(global))
            })
        },
    },
    Method {
        test: test(
            "dflp_response_time",
            "Brandenburg, RTAS 2013; Chen et al., RTS 55(1), 2019",
            &[ONE, PLAIN, AWARE, Assumption::SharedResourcesInTurn, FREE],
        ),
        classes: &[LockingClass::Dflp],
        applies: partitioned_fp,
        sections: Sections::Flat,
        judge: |_, sharing| {
            feed::all_global(sharing, |all, responses| dflp::bounds(all, responses, &sites(all)))
        },
    },
    Method {
        test: test("mrsp_response_time", "Burns and Wellings, ECRTS 2013", &[ONE, PLAIN, SPIN, ONCE, FREE]),
        classes: &[LockingClass::Mrsp],
        applies: partitioned_fp,
        sections: Sections::Flat,
        judge: |_, sharing| response_times(sharing, Waiting::Spins, &mrsp::bounds(sharing)),
    },
    Method {
        test: test(
            "task_fair_response_time",
            "Block et al., RTCSA 2007; Brandenburg 2011, section 5.4",
            &[ONE, PLAIN, SPIN, ONCE, GROUPS, FREE],
        ),
        classes: &[LockingClass::TaskFair, LockingClass::FmlpShort],
        applies: partitioned_fp,
        sections: Sections::Groups,
        judge: |_, sharing| {
            feed::iterate(sharing, Waiting::Spins, |responses| task_fair_mutex::bounds(sharing, responses, 1))
        },
    },
    uniprocessor::SRP_DEMAND,
    uniprocessor::NPCS_DEMAND,
    Method {
        test: test(
            "msrp_demand",
            "Gai, Lipari and Di Natale, RTSS 2001; Baruah, RTSS 2006",
            &[DEMAND, PLAIN, SPIN, ONCE, FREE],
        ),
        classes: &[LockingClass::Msrp],
        applies: partitioned_edf,
        sections: Sections::FlatBetweenClusters,
        judge: |_, sharing| demand(sharing, msrp_classic::bounds(sharing), edf::Blockers::Ceilings),
    },
    Method {
        test: test(
            "task_fair_demand",
            "Block et al., RTCSA 2007; Baruah, RTSS 2006",
            &[DEMAND, PLAIN, SPIN, ONCE, GROUPS, FREE],
        ),
        classes: &[LockingClass::TaskFair, LockingClass::FmlpShort],
        applies: partitioned_edf,
        sections: Sections::Groups,
        judge: |_, sharing| {
            demand(sharing, msrp_classic::without_ceilings(sharing), edf::Blockers::NonPreemptive)
        },
    },
    Method {
        test: test(
            "task_fair_oblivious",
            "Block et al., RTCSA 2007; Brandenburg 2011, section 5.4",
            &[PLAIN, SPIN, GROUPS, Assumption::DelayedOnArrival, FREE],
        ),
        classes: &[LockingClass::TaskFair, LockingClass::FmlpShort],
        applies: |case| case.is_by_level() && !case.is_partitioned(),
        sections: Sections::Groups,
        judge: |case, sharing| {
            oblivious(case, sharing, |responses| {
                task_fair_mutex::bounds(sharing, responses, case.processors())
            })
        },
    },
    reader_writer::TASK_FAIR,
    reader_writer::TASK_FAIR_OBLIVIOUS,
    reader_writer::PHASE_FAIR,
    reader_writer::PHASE_FAIR_OBLIVIOUS,
    lock_free::RESPONSE_TIME,
    lock_free::DEMANDED,
    lock_free::OBLIVIOUS,
    Method {
        test: test(
            "fmlp_long_oblivious",
            "Block et al., RTCSA 2007; Brandenburg et al., RTAS 2008",
            &[PLAIN, OBLIVIOUS, GROUPS, FREE],
        ),
        classes: &[LockingClass::FmlpLong],
        applies: |case| case.is_by_level() && case.is_global(),
        sections: Sections::Groups,
        judge: fmlp_oblivious,
    },
    Method {
        test: test(
            "fmlp_oblivious",
            "Block et al., RTCSA 2007; Brandenburg et al., RTAS 2008",
            &[PLAIN, OBLIVIOUS, GROUPS, Assumption::ShortInLongSpins, FREE],
        ),
        classes: &[LockingClass::Fmlp],
        applies: |case| case.is_by_level() && case.is_global(),
        sections: Sections::Groups,
        judge: fmlp_oblivious,
    },
    Method {
        test: test(
            "fmlp_demand",
            "Block et al., RTCSA 2007; Baruah, RTSS 2006; proved in this crate's blocking/fmlp.rs",
            &[
                DEMAND,
                PLAIN,
                OBLIVIOUS,
                GROUPS,
                Assumption::LocalLongStack,
                Assumption::HolderWaitsOnResuming,
                Assumption::ShortInLongSpins,
                FREE,
            ],
        ),
        classes: &[LockingClass::FmlpLong, LockingClass::Fmlp],
        applies: partitioned_edf,
        sections: Sections::Groups,
        judge: fmlp::partitioned,
    },
    Method {
        test: test(
            "fmlp_plus_oblivious",
            "Brandenburg 2011, section 6.4.2",
            &[DEMAND, PLAIN, OBLIVIOUS, Assumption::AnyLaterDeadline, FREE],
        ),
        classes: &[LockingClass::FmlpPlus],
        applies: partitioned_edf,
        sections: Sections::Flat,
        judge: |case, sharing| {
            // The levels in `sharing` are no priorities of jobs.
            let mut equal = Sharing::new(sharing.clusters(), sharing.units().to_vec());
            for (index, task) in sharing.tasks().iter().enumerate() {
                let pushed = equal.push(Sharer { level: 0, ..*task }, sharing.requests(index));
                assert!(pushed.is_ok(), "they were accepted before");
            }
            oblivious(case, sharing, |responses| fmlp_plus::bounds(&equal, responses, true))
        },
    },
    Method {
        test: test("omlp_oblivious", "Brandenburg and Anderson, RTSS 2010", &[PLAIN, OBLIVIOUS, FREE]),
        classes: &[LockingClass::Omlp],
        applies: |case| case.is_by_level() && case.is_global(),
        sections: Sections::Flat,
        judge: |case, sharing| {
            oblivious(case, sharing, |responses| global_omlp::bounds(sharing, responses, case.processors()))
        },
    },
    Method {
        test: test(
            "omlp_partitioned_oblivious",
            "Brandenburg and Anderson, RTSS 2010",
            &[PLAIN, OBLIVIOUS, FREE],
        ),
        classes: &[LockingClass::OmlpPartitioned],
        applies: |case| case.is_partitioned() && case.is_by_level(),
        sections: Sections::Flat,
        judge: |case, sharing| {
            oblivious(case, sharing, |responses| clustered_omlp::bounds(sharing, responses, 1))
        },
    },
    Method {
        test: test(
            "omlp_clustered_oblivious",
            "Brandenburg and Anderson, EMSOFT 2011",
            &[PLAIN, OBLIVIOUS, FREE],
        ),
        classes: &[LockingClass::OmlpClustered],
        applies: |case| case.is_by_level(),
        sections: Sections::Flat,
        judge: |case, sharing| {
            oblivious(case, sharing, |responses| {
                clustered_omlp::bounds(sharing, responses, case.processors())
            })
        },
    },
    Method {
        test: test(
            "pip_global_response_time",
            "Easwaran and Andersson, RTSS 2009, equation 11",
            &[Assumption::GlobalFixedPrioritiesWithLocks, PLAIN, Assumption::NoNesting, FREE],
        ),
        classes: &[LockingClass::GlobalInheritance],
        applies: |case| case.is_global() && case.is_fixed_priority(),
        sections: Sections::Flat,
        judge: |case, sharing| global_fixed_priority(sharing, case.processors(), global_pip::bounds),
    },
    Method {
        test: test(
            "ppcp_global_response_time",
            "Easwaran and Andersson, RTSS 2009, equation 17",
            &[Assumption::GlobalFixedPrioritiesWithLocks, PLAIN, Assumption::NoNesting, FREE],
        ),
        classes: &[LockingClass::ParallelCeilings],
        applies: |case| case.is_global() && case.is_fixed_priority(),
        sections: Sections::Flat,
        judge: |case, sharing| global_fixed_priority(sharing, case.processors(), ppcp::bounds),
    },
];

/// Waiting as execution under the FMLP, on one cluster.
fn fmlp_oblivious(case: &Case<'_>, sharing: &Sharing) -> Judged {
    oblivious(case, sharing, |responses| match case.is_partitioned() {
        true => fmlp::on_one_processor(case, sharing),
        false => fmlp::global(case, sharing, responses),
    })
}

/// True if the method is for this case.
pub(crate) fn fits(method: &Method, case: &Case<'_>) -> bool {
    method.classes.contains(&case.locking.class) && (method.applies)(case)
}

/// The method for this case, if one is known.
pub(crate) fn find(case: &Case<'_>) -> Option<&'static Method> {
    METHODS.iter().find(|method| fits(method, case))
}

/// Returns the method for this case, if one is known, then the methods of `more` that fit it.
pub fn heard<'c, 'm: 'c>(case: &'c Case<'c>, more: &'m [Method]) -> impl Iterator<Item = &'m Method> + 'c {
    find(case).into_iter().chain(more.iter().filter(|method| fits(method, case)))
}
