//! The list of methods: which protocol's blocking goes into which test, under which scheduler. To add one, write its
//! bound's file and its entry here.

mod lock_free;
mod reader_writer;
mod uniprocessor;
mod watched;

pub use watched::sites;

use crate::assumption::Assumption;
use crate::blocking::feed::{self, global_fixed_priority, response_times};
use crate::blocking::method::{
    partitioned_edf, partitioned_fp, test, Method, AWARE, DEMAND, FREE, GROUPS, HOME, OBLIVIOUS, ONCE, ONE,
    PLAIN, SPIN,
};
use crate::blocking::response::Waiting;
use crate::blocking::{fmlp, fmlp_oblivious, global_pip, mrsp, posix, ppcp, retry, Case, Sections};
use crate::steps::Unwatched;
use crate::verdict::Test;
use schedlab_model::LockingClass;

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
        watched: None,
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
        judge: |_, sharing| feed::msrp_response_times(sharing, &mut Unwatched),
        watched: Some(|_, sharing, watch| feed::msrp_response_times(sharing, watch)),
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
        judge: |case, sharing| watched::mpcp_response_times(case, sharing, &mut Unwatched),
        watched: Some(watched::mpcp_response_times),
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
        judge: |_, sharing| watched::fmlp_plus_response_times(sharing, &mut Unwatched),
        watched: Some(|_, sharing, watch| watched::fmlp_plus_response_times(sharing, watch)),
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
        judge: |_, sharing| watched::dpcp_response_times(sharing, &mut Unwatched),
        watched: Some(|_, sharing, watch| watched::dpcp_response_times(sharing, watch)),
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
        judge: |_, sharing| watched::dflp_response_times(sharing, &mut Unwatched),
        watched: Some(|_, sharing, watch| watched::dflp_response_times(sharing, watch)),
    },
    Method {
        test: test("mrsp_response_time", "Burns and Wellings, ECRTS 2013", &[ONE, PLAIN, SPIN, ONCE, FREE]),
        classes: &[LockingClass::Mrsp],
        applies: partitioned_fp,
        sections: Sections::Flat,
        judge: |_, sharing| response_times(sharing, Waiting::Spins, &mrsp::bounds(sharing)),
        watched: None,
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
        judge: |_, sharing| watched::task_fair_response_times(sharing, &mut Unwatched),
        watched: Some(|_, sharing, watch| watched::task_fair_response_times(sharing, watch)),
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
        judge: |_, sharing| watched::msrp_demand(sharing, &mut Unwatched),
        watched: Some(|_, sharing, watch| watched::msrp_demand(sharing, watch)),
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
        judge: |_, sharing| watched::task_fair_demand(sharing, &mut Unwatched),
        watched: Some(|_, sharing, watch| watched::task_fair_demand(sharing, watch)),
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
            watched::queued_oblivious(case, sharing, case.processors(), &mut Unwatched)
        },
        watched: Some(|case, sharing, watch| watched::queued_oblivious(case, sharing, case.processors(), watch)),
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
        judge: |case, sharing| watched::fmlp_oblivious(case, sharing, &mut Unwatched),
        watched: Some(watched::fmlp_oblivious),
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
        judge: |case, sharing| watched::fmlp_oblivious(case, sharing, &mut Unwatched),
        watched: Some(watched::fmlp_oblivious),
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
        watched: Some(fmlp::partitioned_watched),
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
        judge: |case, sharing| watched::fmlp_plus_oblivious(case, sharing, &mut Unwatched),
        watched: Some(watched::fmlp_plus_oblivious),
    },
    Method {
        test: test("omlp_oblivious", "Brandenburg and Anderson, RTSS 2010", &[PLAIN, OBLIVIOUS, FREE]),
        classes: &[LockingClass::Omlp],
        applies: |case| case.is_by_level() && case.is_global(),
        sections: Sections::Flat,
        judge: |case, sharing| watched::omlp_oblivious(case, sharing, &mut Unwatched),
        watched: Some(watched::omlp_oblivious),
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
        judge: |case, sharing| watched::queued_oblivious(case, sharing, 1, &mut Unwatched),
        watched: Some(|case, sharing, watch| watched::queued_oblivious(case, sharing, 1, watch)),
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
            watched::queued_oblivious(case, sharing, case.processors(), &mut Unwatched)
        },
        watched: Some(|case, sharing, watch| watched::queued_oblivious(case, sharing, case.processors(), watch)),
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
        watched: None,
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
        watched: None,
    },
];

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
