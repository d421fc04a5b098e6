//! Tests that hand out their steps.

use crate::multiprocessor::{baker, bcl, bcl_iterative, gfb};
use crate::steps::{Recorder, Show};
use crate::system::System;
use crate::uniprocessor::{
    demand_criterion, edf_response_time, edf_utilization, hyperbolic, liu_layland, nonpreemptive_fp,
    open_ties, qpa, response_time, suspension_aware,
};
use crate::verdict::{Test, Verdict};

/// A test that a recorder can watch.
struct Shown {
    test: &'static Test,
    /// Runs the test: [`Test::run`] is the same function without a watch.
    run: fn(&System, &mut Recorder) -> Verdict,
}

/// The tests that hand out their steps: those that textbooks compute by hand.
static SHOWN: [Shown; 14] = [
    Shown { test: &edf_utilization::TEST, run: edf_utilization::run },
    Shown { test: &liu_layland::TEST, run: liu_layland::run },
    Shown { test: &hyperbolic::TEST, run: hyperbolic::run },
    Shown { test: &response_time::TEST, run: response_time::run },
    Shown { test: &open_ties::TEST, run: open_ties::run },
    Shown { test: &nonpreemptive_fp::TEST, run: nonpreemptive_fp::run },
    Shown { test: &suspension_aware::TEST, run: suspension_aware::run },
    Shown { test: &edf_response_time::TEST, run: edf_response_time::run },
    Shown { test: &qpa::TEST, run: qpa::run },
    Shown { test: &demand_criterion::TEST, run: demand_criterion::run },
    Shown { test: &gfb::TEST, run: gfb::run },
    Shown { test: &baker::TEST, run: baker::run },
    Shown { test: &bcl::TEST, run: bcl::run },
    Shown { test: &bcl_iterative::TEST, run: bcl_iterative::run },
];

impl Test {
    /// Runs the test. Its verdict has the steps that `show` names, if the test hands out any.
    pub fn run_showing(&self, system: &System, show: Show) -> Verdict {
        let shown = SHOWN.iter().find(|shown| shown.test.name == self.name);
        let Some(shown) = shown.filter(|_| show != Show::Nothing) else { return (self.run)(system) };
        let mut recorder = Recorder::of(show);
        let verdict = (shown.run)(system, &mut recorder);
        Verdict { steps: Some(Box::new(recorder.into_steps())), ..verdict }
    }
}
