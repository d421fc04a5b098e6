//! How many bytes each locking protocol costs, from linked programs and from what it allocates.
//!
//! After table I of resource-protocols-2020, with one difference: that table lists what a class adds to the classes
//! above it and sums them up; here each protocol's program is linked alone, so shared pieces are in its own numbers.

pub mod counting;
pub mod data;
pub mod linked;
pub mod table;
