//! Are deadlines met on several processors?

pub mod baker;
pub mod gfb;
pub mod one_each;
