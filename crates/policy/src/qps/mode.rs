//! A major set in QPS mode: the budgets of its four servers, from one deadline of its clients to the next.

/// One of the two parts into which the clients of a major set fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The client that became active last.
    Last,
    /// All other clients.
    Others,
}

impl Part {
    pub(super) fn other(self) -> Part {
        match self {
            Part::Last => Part::Others,
            Part::Others => Part::Last,
        }
    }
}

/// Rates by which budgets are renewed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    /// Rate of a whole processor.
    pub(super) one: u128,
    /// Rate of the client that became active last.
    pub(super) last: u128,
    /// By how much the rate of the set exceeds `one`.
    pub(super) excess: u128,
}

/// What executes for the clients of the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Serving {
    /// One part has no work left: the other one has the dedicated processor, and budgets do not matter any longer.
    One,
    /// The server of this part has the dedicated processor.
    Part(Part),
    /// The slave has the dedicated processor for this part, and the master another one for the other part.
    Both(Part),
}

/// QPS mode of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    /// Place of the client that became active last among the set's clients.
    pub(super) last: usize,
    /// Begin of the mode.
    since: u64,
    /// When budgets were renewed.
    pub(super) from: u64,
    /// The earliest deadline of a client, at which budgets are renewed.
    pub(super) until: u64,
    left_of_last: u64,
    left_of_others: u64,
    /// Budget of the master and the slave.
    pub(super) left_of_master: u64,
    /// What executes, once that was chosen since `from`.
    pub(super) serving: Option<Serving>,
}

impl Mode {
    /// The mode from now on.
    pub(super) fn new(last: usize, (now, until): (u64, u64), rates: Rates) -> Mode {
        let mut mode = Mode {
            last,
            since: now,
            from: now,
            until,
            left_of_last: 0,
            left_of_others: 0,
            left_of_master: 0,
            serving: None,
        };
        mode.renew((now, until), rates);
        mode
    }

    /// Renews budgets. Those of the three servers that the dedicated processor executes add up to the time until the
    /// next renewal. Fractions of a nanosecond are carried over to the next one.
    pub(super) fn renew(&mut self, (now, until): (u64, u64), rates: Rates) {
        let whole = |rate: u128, at: u64| (rate * u128::from(at - self.since) / rates.one) as u64;
        let share = |rate: u128| whole(rate, until) - whole(rate, now);
        let (of_last, of_master) = (share(rates.last), share(rates.excess));
        self.left_of_last = of_last.saturating_sub(of_master);
        self.left_of_others = (until - now).saturating_sub(of_last);
        self.left_of_master = of_master;
        (self.from, self.until, self.serving) = (now, until, None);
    }

    fn left(&mut self, part: Part) -> &mut u64 {
        match part {
            Part::Last => &mut self.left_of_last,
            Part::Others => &mut self.left_of_others,
        }
    }

    /// Counts what servers executed.
    pub(super) fn count(&mut self, elapsed: u64) {
        let left = match self.serving {
            None | Some(Serving::One) => return,
            Some(Serving::Part(part)) => self.left(part),
            Some(Serving::Both(_)) => &mut self.left_of_master,
        };
        *left = left.saturating_sub(elapsed);
    }

    /// The part that has the dedicated processor while both have work: `first` unless the other one goes on there.
    /// Without the master, a part needs budget; with it, the slave's budget is the master's.
    pub(super) fn on_dedicated(&mut self, first: Part, has_master: bool) -> Part {
        let wanted = match self.serving {
            Some(Serving::Part(part) | Serving::Both(part)) => part,
            None | Some(Serving::One) => first,
        };
        let needs_other = !has_master && *self.left(wanted) == 0 && *self.left(wanted.other()) > 0;
        if needs_other {
            wanted.other()
        } else {
            wanted
        }
    }

    /// When the servers that execute have used up a budget, or budgets are renewed.
    pub(super) fn next(&mut self, counted: u64) -> u64 {
        let left = match self.serving {
            None | Some(Serving::One) => 0,
            Some(Serving::Part(part)) => *self.left(part),
            Some(Serving::Both(_)) => self.left_of_master,
        };
        match left {
            0 => self.until,
            _ => self.until.min(counted.saturating_add(left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of 2/3: each server has a third, and so have the master and the slave.
    #[test]
    fn budgets_add_up_to_the_time_until_the_next_renewal() {
        let rates = Rates { one: 3, last: 2, excess: 1 };
        let mut mode = Mode::new(1, (6, 9), rates);
        let budgets = |mode: &Mode| (mode.left_of_last, mode.left_of_others, mode.left_of_master);
        assert_eq!(budgets(&mode), (1, 1, 1));
        assert_eq!((mode.on_dedicated(Part::Others, false), mode.next(6)), (Part::Others, 9));
        mode.serving = Some(Serving::Part(Part::Others));
        assert_eq!(mode.next(6), 7);
        mode.count(1);
        assert_eq!(mode.on_dedicated(Part::Others, false), Part::Last);
        assert_eq!(mode.on_dedicated(Part::Last, true), Part::Others);
        mode.serving = Some(Serving::Both(Part::Others));
        mode.count(1);
        assert_eq!(budgets(&mode), (1, 0, 0));
        mode.renew((9, 10), rates);
        assert_eq!(budgets(&mode), (0, 1, 0));
        mode.renew((10, 12), rates);
        assert_eq!(budgets(&mode), (1, 0, 1));
    }
}
