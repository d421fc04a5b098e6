//! The integration tests of this crate as one program: they are linked once.

mod advice;
mod blocked_by;
mod bunched_releases;
mod catalog;
mod decisions;
mod documentation;
mod evidence;
mod examples;
mod fair_lateness;
mod horizons;
mod locking;
mod memory;
mod migration_paths;
mod mixes;
mod own_order;
mod pfair;
mod pfair_overheads;
mod pfair_sharing;
mod private_resources;
mod programs;
mod resolve;
mod schemes;
mod supertasks;
mod suspensions;
mod switches_in_progress;
mod ways_out;
