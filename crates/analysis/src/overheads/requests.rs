//! Published costs of requests for locks: each request lengthens its section and its job.
//!
//! B. Brandenburg, *Scheduling and locking in multiprocessor real-time operating systems*, dissertation, Chapel Hill
//! 2011, section 7.4, and *Improved analysis and evaluation of real-time semaphore protocols for P-FP scheduling*, RTAS
//! 2013, for the DPCP. With lock = acquire + release, kernel = entry + exit, switch = scheduling + context switch:
//!
//! ```text
//!              section                         cost                                  suspension
//! spinning     lock                            lock + kernel
//! semaphore    ipi + switch + kernel + release 3 switch + 2 kernel + lock + 2 cache  ipi
//!              (+ switch: preemptable holders, or seen from the holder's own processor)
//! distributed  lock + kernel + 3 switch        kernel + 2 switch + 2 cache           2 ipi + what the section gains
//! ```
//!
//! Where suspension counts as execution, a semaphore's ipi is part of the cost. A reader of a spin lock pays for its
//! own lock operations.
//!
//! Assumes that nothing interrupts. Verdicts therefore use [`super::locks`], which covers interrupts and is nowhere
//! smaller.

use crate::blocking::Requests;

/// Time of each operation, in any one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Time to take a lock.
    pub acquire: u64,
    /// Time to give a lock back.
    pub release: u64,
    /// Time to take a lock to read.
    pub read_acquire: u64,
    /// Time to give back a lock that was taken to read.
    pub read_release: u64,
    /// Time to enter the kernel and leave it.
    pub kernel: u64,
    /// Time to choose another job and switch to it.
    pub switch: u64,
    /// Time to load a working set again.
    pub cache: u64,
    /// Time to send an interrupt to another processor.
    pub ipi: u64,
}

/// Way in which jobs wait, and place where sections execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Jobs spin without preemption.
    Spinning,
    /// Jobs suspend themselves and execute sections where they are.
    Semaphore {
        /// True if other holders may preempt a holder.
        preemptable: bool,
        /// True if tests distinguish suspension from execution.
        aware: bool,
    },
    /// Jobs suspend themselves while sections execute on the resource's processor.
    Distributed,
}

/// Time that requests of one kind add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Added {
    section: u64,
    cost: u64,
    suspension: u64,
}

/// A job with its requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargedRequests {
    /// Cost of a job, with all of its requests.
    pub cost: u64,
    /// Time that a job suspends itself besides waiting for others.
    pub suspension: u64,
    /// Requests of a job with longer sections.
    pub requests: Vec<Requests>,
    /// By request: the length of its section for jobs of the same processor, where that differs.
    pub local_lengths: Vec<Option<u64>>,
}

impl Operations {
    fn read(self) -> Self {
        Operations { acquire: self.read_acquire, release: self.read_release, ..self }
    }

    fn added(self, waiting: Waiting) -> Added {
        let lock = self.acquire + self.release;
        match waiting {
            Waiting::Spinning => Added { section: lock, cost: lock + self.kernel, suspension: 0 },
            Waiting::Semaphore { preemptable, aware } => {
                let back = if preemptable { 2 * self.switch } else { self.switch };
                let cost = 3 * self.switch + 2 * self.kernel + lock + 2 * self.cache;
                let (cost, suspension) = if aware { (cost, self.ipi) } else { (cost + self.ipi, 0) };
                Added { section: self.ipi + back + self.kernel + self.release, cost, suspension }
            }
            Waiting::Distributed => {
                let section = lock + self.kernel + 3 * self.switch;
                let cost = self.kernel + 2 * self.switch + 2 * self.cache;
                Added { section, cost, suspension: 2 * self.ipi + section }
            }
        }
    }
}

/// A job of this cost with its requests; all sums are rounded up to multiples of `unit`. Saturates.
pub fn charge(
    cost: u64,
    requests: &[Requests],
    operations: &Operations,
    waiting: Waiting,
    unit: u64,
) -> ChargedRequests {
    let up = |time: u64| time.div_ceil(unit).saturating_mul(unit);
    let (write, read) = (operations.added(waiting), operations.read().added(waiting));
    let (mut costs, mut suspensions) = (0u64, 0u64);
    let mut charged =
        ChargedRequests { cost, suspension: 0, requests: requests.to_vec(), local_lengths: Vec::new() };
    for request in &mut charged.requests {
        let before = request.write_length;
        for (added, count, length) in [
            (write, request.writes, &mut request.write_length),
            (read, request.reads, &mut request.read_length),
        ] {
            if count > 0 {
                *length = up(length.saturating_add(added.section));
                costs = costs.saturating_add(added.cost.saturating_mul(count.into()));
                suspensions = suspensions.saturating_add(added.suspension.saturating_mul(count.into()));
            }
        }
        let differs = matches!(waiting, Waiting::Semaphore { preemptable: false, .. }) && request.writes > 0;
        let local = before.saturating_add(write.section).saturating_add(operations.switch);
        charged.local_lengths.push(differs.then(|| up(local)));
    }
    charged.cost = cost.saturating_add(up(costs));
    charged.suspension = up(suspensions);
    charged
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers of ten: each digit of a sum counts one kind of operation.
    const TEN: Operations = Operations {
        acquire: 1,
        release: 10,
        read_acquire: 100,
        read_release: 1_000,
        kernel: 10_000,
        switch: 100_000,
        cache: 1_000_000,
        ipi: 10_000_000,
    };

    fn sums(waiting: Waiting) -> (u64, u64, u64, u64, Option<u64>) {
        let request = Requests { reads: 3, ..Requests::mutex(0, 2, 0) };
        let charged = charge(0, &[request], &TEN, waiting, 1);
        let lengths = (charged.requests[0].write_length, charged.requests[0].read_length);
        (charged.cost, charged.suspension, lengths.0, lengths.1, charged.local_lengths[0])
    }

    #[test]
    fn each_operation_counts_as_often_as_published() {
        // Two writes and three reads of two operations of the kernel each.
        assert_eq!(sums(Waiting::Spinning), (53_322, 0, 11, 1_100, None));
        let semaphore = |preemptable, aware| sums(Waiting::Semaphore { preemptable, aware });
        let cost = 5 * 2_320_000 + 2 * 11 + 3 * 1_100;
        assert_eq!(semaphore(true, true), (cost, 50_000_000, 10_210_010, 10_211_000, None));
        let local = Some(10_210_010);
        assert_eq!(semaphore(false, true), (cost, 50_000_000, 10_110_010, 10_111_000, local));
        assert_eq!(semaphore(false, false), (cost + 50_000_000, 0, 10_110_010, 10_111_000, local));
        let (write, read) = (310_011, 311_100);
        let suspension = 5 * 20_000_000 + 2 * write + 3 * read;
        assert_eq!(sums(Waiting::Distributed), (5 * 2_210_000, suspension, write, read, None));
    }

    #[test]
    fn sums_round_up_and_no_task_pays_for_requests_that_are_not_issued() {
        let request = Requests { read_length: 7, ..Requests::mutex(0, 1, 1_000) };
        let operations = Operations { acquire: 1, kernel: 1_000, ..Operations::default() };
        let charged = charge(5_000, &[request], &operations, Waiting::Spinning, 1_000);
        assert_eq!((charged.cost, charged.requests[0].write_length), (7_000, 2_000));
        assert_eq!(charged.requests[0].read_length, 7);
    }
}
