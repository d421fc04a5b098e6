//! What one processor did with its time.

use schedlab_model::OverheadKind;

/// Idle, executing, spinning, wasted, and one state per kind of overhead: a power of two that has room for them.
const STATES: usize = (4 + OverheadKind::ALL.len()).next_power_of_two();
const WASTED: usize = 3;
const OVERHEADS: usize = 4;

/// How long a processor did what, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuMetrics {
    spent: [u64; STATES],
    /// How many inter-processor interrupts were sent here.
    pub interrupts: u64,
    /// How long they took to arrive in all. The processor worked on meanwhile.
    pub interrupt_delay: u64,
}

/// What a processor is doing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CpuState {
    since: u64,
    /// 0 idle, 1 executing, 2 spinning: what it would do if nothing was done for the system.
    occupied: u8,
    /// Zero, or the state of the overhead that holds it.
    overhead: u8,
    /// Until when idling is a waste of a quantum.
    waste_until: u64,
    /// Interrupts on their way.
    interrupts: u64,
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
        let doing = if state.overhead > 0 { state.overhead } else { state.occupied };
        let spent = now.saturating_sub(state.since);
        if doing == 0 && state.waste_until > state.since {
            let wasted = (state.waste_until - state.since).min(spent);
            self.spent[WASTED] += wasted;
            self.spent[0] += spent - wasted;
        } else {
            self.spent[usize::from(doing) % STATES] += spent;
        }
        state.since = now;
    }

    #[inline]
    pub(super) fn occupy(&mut self, state: &mut CpuState, now: u64, occupied: u8) {
        self.settle(state, now);
        state.occupied = occupied;
    }

    #[inline]
    pub(super) fn hold(&mut self, state: &mut CpuState, now: u64, kind: Option<OverheadKind>) {
        self.settle(state, now);
        state.overhead = kind.map_or(0, |kind| OVERHEADS as u8 + kind as u8);
    }

    /// From now on idling is wasting, up to `until`.
    pub(super) fn waste(&mut self, state: &mut CpuState, now: u64, until: u64) {
        self.settle(state, now);
        state.waste_until = until;
    }

    /// An interrupt is sent here. Several may be on their way: their delays are all ends less all begins,
    /// modulo 2^64 until the last has arrived.
    pub(super) fn interrupt(&mut self, state: &mut CpuState, now: u64) {
        self.interrupts += 1;
        state.interrupts += 1;
        self.interrupt_delay = self.interrupt_delay.wrapping_sub(now);
    }

    /// An interrupt arrives.
    pub(super) fn interrupted(&mut self, state: &mut CpuState, now: u64) {
        if state.interrupts > 0 {
            state.interrupts -= 1;
            self.interrupt_delay = self.interrupt_delay.wrapping_add(now);
        }
    }

    /// The measurement ends.
    pub(super) fn finish(&mut self, state: &mut CpuState, now: u64) {
        self.settle(state, now);
        while state.interrupts > 0 {
            self.interrupted(state, now);
        }
    }

    /// Time in which no job occupied it, nothing was done for the system, and no task was charged for it.
    pub fn idle(&self) -> u64 {
        self.spent[0]
    }

    /// Time in which a job received service.
    pub fn executing(&self) -> u64 {
        self.spent[1]
    }

    /// Time in which it idled although a task was charged for the quantum (Pfair).
    pub fn wasted(&self) -> u64 {
        self.spent[WASTED]
    }

    /// Time in which a job span.
    pub fn spinning(&self) -> u64 {
        self.spent[2]
    }

    /// Time that one kind of overhead took.
    pub fn overhead(&self, kind: OverheadKind) -> u64 {
        self.spent[OVERHEADS + kind as usize]
    }

    /// Time that all overheads took.
    pub fn overheads(&self) -> u64 {
        self.spent[OVERHEADS..].iter().fold(0, |sum: u64, spent| sum.saturating_add(*spent))
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
    pub fn merge(&mut self, other: &CpuMetrics) {
        self.spent.iter_mut().zip(other.spent).for_each(|(mine, theirs)| *mine = mine.saturating_add(theirs));
        self.interrupts += other.interrupts;
        self.interrupt_delay = self.interrupt_delay.saturating_add(other.interrupt_delay);
    }
}
