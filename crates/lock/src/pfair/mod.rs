//! Sharing under Pfair scheduling: P. Holman and J. H. Anderson, "Adapting Pfair scheduling for symmetric
//! multiprocessors", 2005, sections II.B and IV, and the papers on sharing that it builds on (its references 8, 10,
//! 11).

pub(crate) mod sections;
pub(crate) mod server;
pub(crate) mod zones;
