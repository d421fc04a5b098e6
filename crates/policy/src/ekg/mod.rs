//! EKG: EDF with task splitting and k processors in a group. B. Andersson and E. Tovar, *Multiprocessor scheduling with
//! few preemptions*, RTCSA 2006.
//!
//! 1. *Heavy tasks.* With k below the number of processors m, a task of a utilization above k/(k+1) has a processor of
//!    its own. With k = m no task is heavy.
//! 2. *Groups.* The other processors form groups of k, the last of which may have fewer. Tasks fill them one after the
//!    other, in the given order: a task that no longer fits on a processor is split between that one, which is then
//!    full, and the next one ([`assignment`]). No task is split between groups; it then begins the next group whole.
//! 3. *Slices.* Within a group, a slice begins at each arrival of any of its tasks and ends at the next one. A split
//!    task has its share of the slice at the end on one of its processors and at the beginning on the other, so that it
//!    never executes on both. Every other slice is mirrored: it runs backwards in time, so that a split task goes on
//!    where it executed last.
//! 4. *EDF.* Between, and where a split task has nothing to execute, each processor executes its whole tasks by EDF.
//!
//! **Deadlines are met** of what the assignment takes. A split task has its utilization of every slice, and its
//! deadlines end slices. The whole tasks of a processor have at least the rest of each slice, and in a slice none of
//! them arrives, so that EDF has at least as much up to each deadline as a fluid schedule. **What is taken:** with k =
//! m all tasks whose utilizations add up to at most m, none above 1. With k below m, a group that takes no more has
//! more than k less the next task's utilization, so that all sets up to m k/(k+1) are taken.
//!
//! **Shares are whole nanoseconds.** Slices are multiples of the greatest common divisor g of the periods of a group.
//! If the shares of all split tasks are multiples of 1/g, utilizations count as they are; else they are rounded up to
//! multiples of 1/g, with the g of all tasks ([`crate::grid`]), and the scheduler refuses what then does not fit.
//!
//! A decision takes O(n). **At most 2k preemptions a job**, on average. A slice of a group begins with at least one
//! arrival, and its k - 1 split tasks are at most preempted once each, where they leave a processor, and preempt a
//! whole job once each, where they come back; an arriving job preempts at most one. (The paper's own figure, 2k as its
//! readers cite it, was not at hand; the count here needs no more.) The theorem holds for sporadic tasks, too, with
//! slices between arrivals that happen; they are not here, because shares would not be whole.
//!
//! Tasks A of cost 2 and period 4, B and C of cost 6 and period 8, on two processors with k = 2, by hand from the
//! rules. B has half of the first processor and a quarter of the second one, and the second slice is mirrored:
//!
//! ```text
//! P0  AABBBBAA
//! P1  BCCCCCCB
//! ```

pub mod assignment;
mod policy;

pub(crate) use policy::Ekg;
