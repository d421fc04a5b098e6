//! Real-time throttling: how much of its runtime each processor has used in this period, and whether it is stopped.

use super::queues::LocalCpu;
use crate::setup::Throttling;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// Account of one processor.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// Runtime that was used in this period, or in earlier ones and not replenished, in ns (`rt_time`).
    used: u64,
    is_throttled: bool,
    /// True if a job that uses runtime occupies the processor: a job in a non-preemptive section outlasts its link.
    is_occupied: bool,
    /// Time to which the policy's timer is set.
    armed: Option<Instant>,
}

/// The accounts of a cluster's processors.
#[derive(Clone, Debug)]
pub(super) struct Throttle {
    runtime: u64,
    period: u64,
    accounts: Vec<Account>,
    /// Time up to which the accounts are kept.
    kept_until: u64,
}

impl Throttle {
    /// Accounts of `places` processors; `None` if no processor ever stops.
    pub(super) fn new(throttling: Option<Throttling>, places: usize) -> Option<Self> {
        let throttling = throttling.filter(Throttling::ever_stops)?;
        Some(Throttle {
            runtime: throttling.runtime.as_ns(),
            period: throttling.period.as_ns(),
            accounts: vec![Account::default(); places],
            kept_until: 0,
        })
    }

    fn places(&self) -> impl Iterator<Item = LocalCpu> {
        0..self.accounts.len() as LocalCpu
    }

    pub(super) fn is_throttled(&self, place: LocalCpu) -> bool {
        self.accounts[usize::from(place)].is_throttled
    }

    /// Updates the accounts up to `now`. Since the last update, those processors ran for which `runs` is true or that
    /// are occupied.
    pub(super) fn keep(&mut self, now: Instant, runs: impl Fn(LocalCpu) -> bool) {
        let (from, now) = (self.kept_until, now.as_ns());
        if from == now {
            return;
        }
        self.kept_until = now;
        let (runtime, period) = (self.runtime, self.period);
        for place in self.places() {
            let account = &mut self.accounts[usize::from(place)];
            let is_busy = runs(place) || account.is_occupied;
            let mut at = from;
            while at / period < now / period && (is_busy || account.used > 0) {
                let end = (at / period + 1) * period;
                account.used += if is_busy { end - at } else { 0 };
                account.used -= account.used.min(runtime);
                at = end;
            }
            account.used += if is_busy { now - at } else { 0 };
        }
    }

    /// Takes the first processor whose account requires another state than it has. True if the processor is to stop,
    /// false if it goes on.
    pub(super) fn take_changed(&mut self) -> Option<(LocalCpu, bool)> {
        let runtime = self.runtime;
        let place = self.places().find(|place| {
            let account = &self.accounts[usize::from(*place)];
            account.is_throttled != (account.used >= runtime)
        })?;
        let account = &mut self.accounts[usize::from(place)];
        account.is_throttled = !account.is_throttled;
        Some((place, account.is_throttled))
    }

    /// Notes whether a job that uses runtime occupies the processor.
    pub(super) fn occupy(&mut self, place: LocalCpu, is_occupied: bool) {
        self.accounts[usize::from(place)].is_occupied = is_occupied;
    }

    /// Returns when the processor's state may change next, if that differs from the last answer. The inner `None` takes
    /// the timer back.
    pub(super) fn next_timer(
        &mut self,
        place: LocalCpu,
        runs: bool,
        now: Instant,
    ) -> Option<Option<Instant>> {
        let (runtime, period) = (self.runtime, self.period);
        let account = &mut self.accounts[usize::from(place)];
        let boundary = (now.as_ns() / period + 1) * period;
        let due = match (account.is_throttled, runs) {
            (true, _) => Some(boundary),
            (false, true) => Some(boundary.min(now.as_ns() + (runtime - account.used))),
            (false, false) => None,
        };
        let due = due.map(Instant::from_ns);
        (account.armed != due).then(|| {
            account.armed = due;
            due
        })
    }

    /// Notes that the processor's timer came due.
    pub(super) fn rang(&mut self, place: LocalCpu) {
        self.accounts[usize::from(place)].armed = None;
    }
}
