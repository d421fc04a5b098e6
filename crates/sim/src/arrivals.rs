//! Calendar of the next arrival of each task.
//!
//! A calendar queue (R. Brown, CACM 1988) with a bit for each day: jobs of the present day are sorted, those of later
//! days are in a list for each day, and those after the last day in a heap. A day is about as long as the time between
//! two arrivals, so that an arrival is most often put into a list, and later sorted among few.

use schedlab_model::{at_mut, Heap, HeapKey, Instant, Task, TaskId};

const WORDS: usize = 32;
const DAYS: usize = 64 * WORDS;
/// Up to this many arrivals of a day are sorted by insertion.
const FEW: usize = 8;
const NONE: u32 = u32::MAX;
const NEVER: u64 = u64::MAX;

/// The arrival of a task's next job. Arrivals of one instant are ordered by their tasks.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: u64,
    task: u32,
}

impl HeapKey for Arrival {
    #[inline(always)]
    fn goes_before(self, other: Arrival) -> bool {
        (self.at, self.task) < (other.at, other.task)
    }
}

/// The next arrival of one task, and the task that comes after it in the list of its day.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: u64,
    next: u32,
}

/// The calendar, with at most one arrival for each task.
#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    /// Entries by task.
    entries: Vec<Entry>,
    /// Logarithm of the length of a day: a day takes 2 to the power of this in nanoseconds.
    day_bits: u32,
    /// The day after the present one. Earlier arrivals are in `soon`; later ones are in the lists of days, then in
    /// `far`.
    tomorrow: u64,
    /// Arrivals before tomorrow, sorted; the last one in the vector comes first.
    soon: Vec<Arrival>,
    /// First task of the list of each day.
    days: Box<[u32; DAYS]>,
    /// A bit for each day that has a list.
    busy: [u64; WORDS],
    /// Arrivals after the days that have lists.
    far: Heap<Arrival>,
    /// A bit for each task, all unset: working memory for sorting.
    tasks: Vec<u64>,
    /// The instant that was begun last; no arrival lies before it.
    last: u64,
    /// The first arrival; while arrivals of an instant are taken, that instant.
    first: u64,
}

/// Returns the logarithm of the length of a day, such that about one job arrives in a day. If tasks are many, days are
/// so long that those with lists cover two periods.
fn day_bits(tasks: &[Task]) -> u32 {
    let in_a_day = |task: &Task| (1_u128 << 64) / u128::from(task.period.as_ns().max(1));
    let rate: u128 = tasks.iter().map(in_a_day).sum();
    let gap = (1_u128 << 64).checked_div(rate).unwrap_or(0);
    let least = gap * 2 * tasks.len() as u128 / DAYS as u128;
    gap.max(least).max(1).ilog2().min(63)
}

impl Default for Arrivals {
    /// Makes an empty calendar of no task.
    fn default() -> Self {
        let days = vec![NONE; DAYS].into_boxed_slice();
        Arrivals {
            entries: Vec::new(),
            day_bits: 0,
            tomorrow: 0,
            soon: Vec::new(),
            days: days.try_into().expect("it is as long"),
            busy: [0; WORDS],
            far: Heap::with_capacity(0),
            tasks: Vec::new(),
            last: 0,
            first: NEVER,
        }
    }
}

impl Arrivals {
    /// Empties the calendar, for these tasks.
    pub(crate) fn renew(&mut self, tasks: &[Task]) {
        self.renew_with_days(tasks.len(), day_bits(tasks));
    }

    fn renew_with_days(&mut self, tasks: usize, day_bits: u32) {
        self.entries.clear();
        self.entries.resize(tasks, Entry { at: NEVER, next: NONE });
        self.soon.clear();
        self.soon.reserve(tasks);
        self.days.fill(NONE);
        self.far.renew(tasks);
        self.tasks.clear();
        self.tasks.resize(tasks.div_ceil(64), 0);
        self.busy = [0; WORDS];
        (self.day_bits, self.tomorrow, self.last, self.first) = (day_bits, 0, 0, NEVER);
    }

    /// Returns the first arrival; [`Instant::NEVER`] if there is none.
    #[inline(always)]
    pub(crate) fn first(&self) -> Instant {
        Instant::from_ns(self.first)
    }

    /// Returns the task of the first arrival.
    pub(crate) fn first_task(&self) -> Option<TaskId> {
        if let Some(next) = self.soon.last() {
            return Some(TaskId(next.task));
        }
        // The entry of a task whose arrival was taken lies before the first arrival.
        let task = self.entries.iter().position(|entry| entry.at == self.first && entry.at != NEVER)?;
        Some(TaskId(task as u32))
    }

    /// Inserts the next arrival of `task`, which has no other: not before the instant that was begun last.
    #[inline(always)]
    pub(crate) fn insert(&mut self, task: TaskId, at: Instant) {
        self.first = self.first.min(at.as_ns());
        self.insert_later(task, at);
    }

    /// Inserts the next arrival of `task` while arrivals of an instant are taken: that instant stays the first.
    #[inline(always)]
    pub(crate) fn insert_later(&mut self, task: TaskId, at: Instant) {
        let at = at.as_ns();
        assert!(at >= self.last && at != NEVER, "a source's arrivals go forward in time");
        match self.days_ahead(at) < DAYS as u64 {
            true => self.put(task.0, at),
            false => self.insert_apart(task.0, at),
        }
    }

    /// Returns the number of days from tomorrow on; a very large one for arrivals before tomorrow.
    #[inline(always)]
    fn days_ahead(&self, at: u64) -> u64 {
        (at >> (self.day_bits % 64)).wrapping_sub(self.tomorrow)
    }

    /// Adds the arrival to the list of its day.
    #[inline(always)]
    fn put(&mut self, task: u32, at: u64) {
        let day = (at >> (self.day_bits % 64)) as usize % DAYS;
        let next = core::mem::replace(&mut self.days[day], task);
        *at_mut(&mut self.entries, task as usize) = Entry { at, next };
        self.busy[day / 64] |= 1 << (day % 64);
    }

    fn insert_apart(&mut self, task: u32, at: u64) {
        let arrival = Arrival { at, task };
        self.entries[task as usize].at = at;
        if at >> self.day_bits < self.tomorrow {
            let place = self.soon.partition_point(|other| arrival.goes_before(*other));
            self.soon.insert(place, arrival);
        } else {
            self.far.push(arrival);
        }
    }

    /// Begins the instant of the first arrival, whose arrivals are then taken.
    #[inline(always)]
    pub(crate) fn begin_instant(&mut self) {
        self.last = self.first;
        if self.soon.is_empty() {
            self.begin_day();
        }
    }

    /// Takes the next task whose job arrives at the instant that was begun, if any.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<TaskId> {
        let Arrival { at, task } = *self.soon.last()?;
        if at != self.last {
            return None;
        }
        self.soon.pop();
        Some(TaskId(task))
    }

    /// Ends the instant, after all its arrivals were taken.
    #[inline(always)]
    pub(crate) fn end_instant(&mut self) {
        if self.soon.is_empty() {
            self.begin_day();
        }
        self.find_first();
    }

    #[inline]
    fn find_first(&mut self) {
        self.first = self.soon.last().map_or(NEVER, |next| next.at);
    }

    /// Begins the next day with arrivals, if there is one. Nothing is left of the day before.
    fn begin_day(&mut self) {
        let Some(day) = self.next_day() else { return };
        self.tomorrow = day + 1;
        let mut next = self.empty_list(day as usize % DAYS);
        while next != NONE {
            let Entry { at, next: after } = *at_mut(&mut self.entries, next as usize);
            self.soon.push(Arrival { at, task: next });
            next = after;
        }
        while let Some(first) = self.far.peek().filter(|first| self.is_near(first.at)) {
            self.far.pop();
            match first.at >> self.day_bits == day {
                true => self.soon.push(first),
                false => self.put(first.task, first.at),
            }
        }
        self.sort_soon();
    }

    /// Sorts `soon`. Many periods are multiples of one length, so that all jobs of a day may arrive at once; a walk
    /// over bits then sorts their tasks.
    #[inline(always)]
    fn sort_soon(&mut self) {
        let at = self.soon.first().map_or(0, |first| first.at);
        let are_few = self.soon.len() <= self.tasks.len().max(FEW);
        if are_few || self.soon.iter().any(|arrival| arrival.at != at) {
            return sort_falling(&mut self.soon);
        }
        for arrival in &self.soon {
            self.tasks[arrival.task as usize / 64] |= 1 << (arrival.task % 64);
        }
        let mut places = self.soon.iter_mut().rev();
        for (word, first) in self.tasks.iter_mut().zip((0..).step_by(64)) {
            while *word != 0 {
                let task = first + word.trailing_zeros();
                *word &= *word - 1;
                if let Some(place) = places.next() {
                    place.task = task;
                }
            }
        }
    }

    fn is_near(&self, at: u64) -> bool {
        at >> self.day_bits < self.tomorrow || self.days_ahead(at) < DAYS as u64
    }

    /// Returns the first day with arrivals from tomorrow on. Given the length of days, it is most often one of the next
    /// few.
    fn next_day(&self) -> Option<u64> {
        let begin = self.tomorrow as usize % DAYS;
        let rest = self.busy[begin / 64] & u64::MAX << (begin % 64);
        if rest != 0 {
            return Some(self.tomorrow + (rest.trailing_zeros() as usize - begin % 64) as u64);
        }
        // The days before tomorrow are those of the next year; the first of them follows the last day.
        for word in begin / 64 + 1..=begin / 64 + WORDS {
            let days = self.busy[word % WORDS];
            if days != 0 {
                return Some(self.tomorrow + (word * 64 + days.trailing_zeros() as usize - begin) as u64);
            }
        }
        Some(self.far.peek()?.at >> self.day_bits)
    }

    /// Takes the list of the day, and returns its first task, or `NONE`.
    fn empty_list(&mut self, day: usize) -> u32 {
        self.busy[day / 64] &= !(1 << (day % 64));
        core::mem::replace(&mut self.days[day], NONE)
    }

    /// Removes the arrival of the task. Reads many entries.
    pub(crate) fn remove(&mut self, task: TaskId) {
        self.soon.retain(|other| other.task != task.0);
        self.far.remove_where(|other| other.task == task.0);
        let mut next = self.empty_list((self.entries[task.index()].at >> self.day_bits) as usize % DAYS);
        while next != NONE {
            let entry = self.entries[next as usize];
            if next != task.0 {
                self.put(next, entry.at);
            }
            next = entry.next;
        }
        self.entries[task.index()].at = NEVER;
        if self.soon.is_empty() {
            self.begin_day();
        }
        self.find_first();
    }
}

#[inline(always)]
fn sort_falling(arrivals: &mut [Arrival]) {
    if arrivals.len() > FEW {
        return arrivals.sort_unstable_by_key(|arrival| core::cmp::Reverse((arrival.at, arrival.task)));
    }
    for sorted in 1..arrivals.len() {
        let arrival = arrivals[sorted];
        let mut index = sorted;
        while index > 0 && arrivals[index - 1].goes_before(arrival) {
            arrivals[index] = arrivals[index - 1];
            index -= 1;
        }
        arrivals[index] = arrival;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Work};

    /// Compares with a sorted list: arrivals that coincide, that come at once, and that are ages away.
    #[test]
    fn agrees_with_a_sorted_list() {
        for (tasks, bits, day_bits) in [
            (1, 6, 0),
            (3, 2, 3),
            (20, 3, 0),
            (20, 20, 12),
            (100, 40, 33),
            (100, 61, 20),
            (300, 20, 10),
            (300, 4, 0),
        ] {
            let (mut arrivals, mut list) = (Arrivals::default(), Vec::new());
            arrivals.renew_with_days(tasks, day_bits);
            let mut x = 12345_u64;
            let mut random = |most: u32| {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                x >> (64 - most)
            };
            for task in 0..tasks as u32 {
                let at = random(bits);
                arrivals.insert(TaskId(task), Instant::from_ns(at));
                list.push((at, task));
            }
            for _ in 0..5_000 {
                let (now, task) = *list.iter().min().expect("tasks stay");
                if now > u64::MAX / 4 {
                    break;
                }
                assert_eq!(arrivals.first().as_ns(), now);
                assert_eq!(arrivals.first_task(), Some(TaskId(task)));
                arrivals.begin_instant();
                while let Some(taken) = arrivals.take() {
                    let next = *list.iter().min().expect("one was taken");
                    assert_eq!((now, taken.0), next);
                    list.retain(|entry| *entry != next);
                    let at = if random(3) == 0 { now } else { now + random(bits) };
                    arrivals.insert_later(taken, Instant::from_ns(at));
                    list.push((at, taken.0));
                }
                arrivals.end_instant();
                if random(4) == 0 {
                    let (at, other) = list[random(20) as usize % list.len()];
                    arrivals.remove(TaskId(other));
                    arrivals.insert(TaskId(other), Instant::from_ns(at));
                }
            }
        }
    }

    /// After a removal, another task may arrive at the same instant.
    #[test]
    fn who_was_removed_is_not_the_first_to_arrive() {
        let (mut arrivals, at) = (Arrivals::default(), Instant::from_ns(5));
        arrivals.renew_with_days(2, 0);
        arrivals.insert(TaskId(0), at);
        arrivals.remove(TaskId(0));
        assert_eq!(arrivals.first_task(), None);
        arrivals.insert(TaskId(1), at);
        assert_eq!((arrivals.first(), arrivals.first_task()), (at, Some(TaskId(1))));
    }

    #[test]
    fn days_hold_about_one_arrival() {
        let task = |ms| Task::implicit(Work::from_ns(1), Duration::from_ms(ms));
        let of = |n: usize| day_bits(&vec![task(100); n]);
        // 1 ms between arrivals lie between 2^19 and 2^20 ns, and 100 ms between 2^26 and 2^27.
        assert_eq!([of(0), of(1), of(100)], [0, 26, 19]);
        // 100,000 tasks: 2,048 days take 200 ms.
        assert_eq!(of(100_000), 16);
    }
}
