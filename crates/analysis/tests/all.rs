//! The integration tests of this crate as one program: they are linked once.

mod blocking_by_hand;
mod blocking_definitions;
mod blocking_golden;
#[path = "support/draw.rs"]
mod draw;
mod examples;
mod explore_brute_force;
mod explore_golden;
mod explore_precision;
mod fmlp_by_hand;
mod global_fp_definitions;
mod golden;
mod golden_global;
mod golden_lock_overheads;
mod golden_overheads;
mod golden_uniprocessor;
mod lengths;
mod limits;
#[path = "support/mixer.rs"]
mod mixer;
mod pfair;
#[path = "support/published.rs"]
mod published;
mod reasons;
mod relations;
mod scale;
#[path = "support/schedules.rs"]
mod schedules;
#[path = "support/sharing.rs"]
mod sharing;
mod soundness;
mod steps_of_delays;
mod steps_of_responses;
mod steps_published;
mod steps_random;
mod sustainability;
