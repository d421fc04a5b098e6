//! Where does one thread wait for another, or tell it something, without a lock?

pub(crate) mod due;
pub(crate) mod fast_sections;
pub(crate) mod latch;
pub(crate) mod ring;
pub(crate) mod stop_the_world;
pub(crate) mod timer_signal;
