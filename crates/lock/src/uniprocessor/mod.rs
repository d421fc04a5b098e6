//! Protocols for the resources of one processor: no request has to wait, or the most urgent one does once.

pub(crate) mod ipcp;
pub(crate) mod npcs;
pub(crate) mod pcp;
pub(crate) mod srp;
