//! The integration tests of this crate as one program: they are linked once.

mod refused;
mod withdrawn;
mod zones;
