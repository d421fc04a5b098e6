//! Accounting for overheads: they become part of the costs that tests read.

pub mod fp;
pub mod jlfp;
pub mod locks;
pub mod pfair;
pub mod quanta;
pub mod requests;

#[cfg(test)]
mod tests;
