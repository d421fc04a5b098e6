//! Where does one thread wait for another, or notify it, without a lock?

pub(crate) mod due;
pub(crate) mod fast_sections;
pub(crate) mod latch;
pub(crate) mod ring;
pub(crate) mod stop_the_world;
pub(crate) mod timer_signal;
