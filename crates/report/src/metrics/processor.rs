//! Time that one processor spent in each of its states.

/// States, as places of a table; idle is 0.
const BUSY: u8 = 1;
const OVERHEAD: u8 = 2;
const WASTED: usize = 3;

/// Time of one processor by state, in ns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuMetrics {
    spent: [u64; 4],
}

/// State of a processor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CpuState {
    since: u64,
    /// Zero or [`BUSY`]: the state of the processor apart from overheads.
    occupied: u8,
    /// Zero or [`OVERHEAD`].
    held: u8,
    /// Time until which idling wastes a quantum.
    waste_until: u64,
}

impl CpuMetrics {
    /// Counts the time since the last change.
    #[inline(always)]
    pub(super) fn settle(&mut self, state: &mut CpuState, now: u64) {
        if now != state.since {
            self.add_until(state, now);
        }
    }

    #[inline(always)]
    fn add_until(&mut self, state: &mut CpuState, now: u64) {
        let doing = if state.held > 0 { state.held } else { state.occupied };
        let spent = now.saturating_sub(state.since);
        if doing == 0 && state.waste_until > state.since {
            let wasted = (state.waste_until - state.since).min(spent);
            self.spent[WASTED] += wasted;
            self.spent[0] += spent - wasted;
        } else {
            self.spent[usize::from(doing) % 4] += spent;
        }
        state.since = now;
    }

    /// Sets whether a job occupies the processor.
    #[inline]
    pub(super) fn occupy(&mut self, state: &mut CpuState, now: u64, occupied: bool) {
        self.settle(state, now);
        state.occupied = u8::from(occupied) * BUSY;
    }

    /// Sets whether the processor does something for the system.
    #[inline]
    pub(super) fn hold(&mut self, state: &mut CpuState, now: u64, held: bool) {
        self.settle(state, now);
        state.held = u8::from(held) * OVERHEAD;
    }

    /// Makes idling count as waste, from now on up to `until`.
    pub(super) fn waste(&mut self, state: &mut CpuState, now: u64, until: u64) {
        self.settle(state, now);
        state.waste_until = until;
    }

    /// Time in which no job occupied the processor, nothing was done for the system, and no task was charged for it.
    pub fn idle(&self) -> u64 {
        self.spent[0]
    }

    /// Time in which a job occupied the processor, perhaps to spin, and nothing was done for the system.
    pub fn occupied(&self) -> u64 {
        self.spent[usize::from(BUSY)]
    }

    /// Time in which the processor idled although a task was charged for the quantum (Pfair).
    pub fn wasted(&self) -> u64 {
        self.spent[WASTED]
    }

    /// Time that overheads took.
    pub fn overheads(&self) -> u64 {
        self.spent[usize::from(OVERHEAD)]
    }

    /// All time that was counted.
    pub fn total(&self) -> u64 {
        self.spent.iter().fold(0, |sum: u64, spent| sum.saturating_add(*spent))
    }

    /// The share of time in which the processor did something, for people.
    pub fn load(&self) -> f64 {
        match self.total() {
            0 => 0.0,
            total => total.saturating_sub(self.idle()).saturating_sub(self.wasted()) as f64 / total as f64,
        }
    }

    /// Adds the time of `other`.
    pub(crate) fn merge(&mut self, other: &CpuMetrics) {
        self.spent.iter_mut().zip(other.spent).for_each(|(mine, theirs)| *mine = mine.saturating_add(theirs));
    }
}
