//! The integration tests of this crate as one program: they are linked once.

mod brute_force;
mod circles;
mod determinism;
mod documents;
mod house;
mod invariants;
mod messages;
mod mutants;
mod names;
mod registered_names;
mod result_schema;
mod soundness;
mod supertasks;
