//! The list of linear programs that analyses use besides the inflating bounds: which program, for which protocol.
//!
//! All blocking that they find is in the remote term.

use crate::program::{LinearProgram, WHOLE};
use crate::semaphore::{dflp, fmlp_plus, mpcp::Mpcp};
use crate::solve::maximum;
use crate::spin::methods as spin;
use schedlab_analysis::blocking::feed::{iterate_above_none, local_by_ceilings};
use schedlab_analysis::blocking::method::{partitioned_fp, test, AWARE, FREE, ONE, PLAIN};
use schedlab_analysis::blocking::methods::sites;
use schedlab_analysis::blocking::mpcp::Users;
use schedlab_analysis::blocking::response::Waiting;
use schedlab_analysis::blocking::{Case, Judged, Method, Sections, Sharing, Terms};
use schedlab_analysis::{Assumption, Reason};
use schedlab_model::LockingClass;

/// All programs that analyses use.
pub static PROGRAMS: &[Method] = &[
    spin::MSRP,
    spin::PRIORITY,
    spin::UNORDERED,
    spin::FIFO_PREEMPTABLE,
    spin::PRIORITY_PREEMPTABLE,
    spin::UNORDERED_PREEMPTABLE,
    Method {
        test: test(
            "mpcp_program",
            "Brandenburg, RTAS 2013",
            &[ONE, PLAIN, WHOLE, AWARE, Assumption::LocalCeilings, FREE],
        ),
        classes: &[LockingClass::Mpcp, LockingClass::MpcpAllUsers],
        applies: partitioned_fp,
        sections: Sections::FlatBetweenClusters,
        judge: mpcp,
        watched: None,
    },
    Method {
        test: test("fmlp_plus_program", "Brandenburg, RTAS 2013", &[ONE, PLAIN, WHOLE, AWARE, FREE]),
        classes: &[LockingClass::FmlpPlus],
        applies: partitioned_fp,
        sections: Sections::Flat,
        judge: |_, sharing| semaphores(sharing, |times, task| fmlp_plus::program(sharing, times, task)),
        watched: None,
    },
    Method {
        test: test(
            "dflp_program",
            "Brandenburg, RTAS 2013",
            &[ONE, PLAIN, WHOLE, AWARE, Assumption::SharedResourcesInTurn, FREE],
        ),
        classes: &[LockingClass::Dflp],
        applies: partitioned_fp,
        sections: Sections::Flat,
        judge: |_, sharing| {
            let homes = sites(sharing);
            semaphores(sharing, |responses, task| dflp::program(sharing, responses, task, &homes))
        },
        watched: None,
    },
];

/// Most tasks times their requested resources for which a program is solved. One round over all tasks takes the solver
/// about 0.4 s there (100 tasks with two resources each, or 70 with four), and a fixed point takes several rounds.
const MOST_WORK: usize = 20_000;

/// Returns the reason why no program is solved, if the system is too large.
fn too_many(sharing: &Sharing) -> Option<Judged> {
    let tasks = sharing.tasks().len();
    let requested: usize = (0..tasks).map(|task| sharing.requests(task).len()).sum();
    (tasks * requested > MOST_WORK).then(|| {
        let reason = Reason::TooManyPrograms { tasks, requests: requested };
        Judged { terms: vec![Terms { remote: None, local: 0 }; tasks], met: Err(reason) }
    })
}

fn mpcp(case: &Case<'_>, sharing: &Sharing) -> Judged {
    too_many(sharing).unwrap_or_else(|| {
        let (global, local) = local_by_ceilings(sharing);
        let programs = Mpcp::boosted_by(Users::of(case.locking.class), &global);
        let mut solved = Solved::of(sharing);
        iterate_above_none(sharing, Waiting::Suspends, |task, responses| Terms {
            remote: solved.maximum(task, programs.program(responses, task)),
            local: local[task],
        })
    })
}

fn semaphores(sharing: &Sharing, program: impl Fn(&[u64], usize) -> LinearProgram) -> Judged {
    if let Some(refused) = too_many(sharing) {
        return refused;
    }
    let mut solved = Solved::of(sharing);
    iterate_above_none(sharing, Waiting::Suspends, |task, responses| Terms {
        remote: solved.maximum(task, program(responses, task)),
        local: 0,
    })
}

/// By task: its last program and the bound that it proved. Most response times that rise change no count of requests.
struct Solved(Vec<(LinearProgram, Option<u64>)>);

impl Solved {
    fn of(sharing: &Sharing) -> Solved {
        // A program without columns proves 0.
        Solved(vec![(LinearProgram::default(), Some(0)); sharing.tasks().len()])
    }

    fn maximum(&mut self, task: usize, program: LinearProgram) -> Option<u64> {
        let (known, proved) = &mut self.0[task];
        if *known != program {
            *proved = maximum(&program);
            *known = program;
        }
        *proved
    }
}
