//! Analysis of lock-free objects, under every scheduler but those of Pfair.

use crate::assumption::Assumption;
use crate::blocking::feed::{iterate, oblivious};
use crate::blocking::method::{partitioned_edf, partitioned_fp, test, Method, DEMAND, FREE, ONE, PLAIN};
use crate::blocking::response::Waiting;
use crate::blocking::retry::lock_free::{bounds, OwnProcessor};
use crate::blocking::Sections;
use crate::system::AnalysedOrder;
use schedlab_model::LockingClass;

/// Assumption: failed attempts count as execution.
const RETRIES: Assumption = Assumption::RetriesAsExecution;

/// Response times under partitioned fixed priorities.
pub(crate) const RESPONSE_TIME: Method = Method {
    test: test(
        "lock_free_response_time",
        "Anderson, Ramamurthy and Jeffay, ACM TOCS 15(2), 1997; Devi, Leontyev and Anderson, ECRTS 2006",
        &[ONE, PLAIN, Assumption::NoNesting, RETRIES, FREE],
    ),
    classes: &[LockingClass::LockFree],
    applies: partitioned_fp,
    sections: Sections::Flat,
    judge: |case, sharing| {
        iterate(sharing, Waiting::Spins, |responses| {
            bounds(sharing, case.locking.fails, responses, OwnProcessor::of(case))
        })
    },
    watched: None,
};

/// Processor demand under partitioned EDF.
pub(crate) const DEMANDED: Method = Method {
    test: test(
        "lock_free_demand",
        "Anderson, Ramamurthy and Jeffay, ACM TOCS 15(2), 1997; Devi, Leontyev and Anderson, ECRTS 2006",
        &[DEMAND, PLAIN, Assumption::NoNesting, RETRIES, FREE],
    ),
    applies: partitioned_edf,
    judge: |case, sharing| {
        oblivious(case, sharing, |responses| {
            bounds(sharing, case.locking.fails, responses, OwnProcessor::of(case))
        })
    },
    ..RESPONSE_TIME
};

/// Any test of the scheduler, where a cluster has several processors or jobs are ordered by other points.
pub(crate) const OBLIVIOUS: Method = Method {
    test: test(
        "lock_free_oblivious",
        "Devi, Leontyev and Anderson, ECRTS 2006; Brandenburg et al., RTAS 2008, section 4.2",
        &[PLAIN, Assumption::NoNesting, RETRIES, FREE],
    ),
    applies: |case| match case.scheduler.order {
        AnalysedOrder::Edf | AnalysedOrder::FixedPriority => !case.is_partitioned(),
        AnalysedOrder::AfterArrival => true,
        AnalysedOrder::FixedPriorityOpenTies
        | AnalysedOrder::Pfair(_)
        | AnalysedOrder::Theorem(_)
        | AnalysedOrder::Unanalysed => false,
    },
    judge: DEMANDED.judge,
    ..RESPONSE_TIME
};
