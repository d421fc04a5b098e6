//! Delays that a test counts as execution, named in its reason: a utilization that includes them is no utilization of
//! the processors.

use crate::reason::Reason;
use crate::system::System;

impl System {
    /// Returns `reason`, said of costs with self-suspension.
    pub(crate) fn with_suspension(&self, reason: Reason) -> Reason {
        counting(self.has_suspension().then_some("suspension"), reason)
    }

    /// Returns `reason`, said of costs with self-suspension and jitter.
    pub(crate) fn with_delays(&self, reason: Reason) -> Reason {
        let delays = match (self.has_jitter(), self.has_suspension()) {
            (true, true) => Some("jitter and suspension"),
            (true, false) => Some("jitter"),
            (false, true) => Some("suspension"),
            (false, false) => None,
        };
        counting(delays, reason)
    }
}

fn counting(delays: Option<&'static str>, reason: Reason) -> Reason {
    match delays {
        Some(delays) => Reason::Counting { delays, reason: Box::new(reason) },
        None => reason,
    }
}
