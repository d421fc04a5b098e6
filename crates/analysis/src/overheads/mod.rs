//! How overheads become part of the costs that tests look at.

pub mod fp;
pub mod jlfp;
pub mod locks;
pub mod pfair;
pub mod quanta;
pub mod requests;

#[cfg(test)]
mod tests;
