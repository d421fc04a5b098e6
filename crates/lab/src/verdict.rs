//! Guarantees from theory, and refutations from the scenario's own run.
//!
//! | file | question |
//! |---|---|
//! | `analysis` | what do the tests find, with overheads and protocols? |
//! | `findings` | what does each test say of the whole scenario, and what follows? |
//! | `conclusion` | what do all findings say together? |
//! | `evidence` | what does the scenario's own run show? |
//! | `proof` | are deadlines proved? |
//! | `feasibility` | can the processors hold the tasks at all? |

pub(crate) mod analysis;
pub(crate) mod conclusion;
pub(crate) mod evidence;
pub mod feasibility;
pub(crate) mod findings;
pub(crate) mod proof;
