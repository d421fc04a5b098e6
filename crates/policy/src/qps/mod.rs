//! QPS: quasi-partitioned scheduling. E. Massa, G. Lima, P. Regnier, G. Levin and S. Brandt, *Quasi-partitioned
//! scheduling: optimality and adaptation in multiprocessor real-time systems*, Real-Time Systems 52(5), 2016; first in
//! ECRTS 2014.
//!
//! 1. *Quasi-partition.* Tasks are put into execution sets ([`hierarchy`]). A **minor** set has a rate U of at most 1,
//!    a **major** one exceeds 1 by x = U - 1, and each of its clients has a rate above x: without any one of them, the
//!    others fit on a processor. Each set has a processor of its own.
//! 2. *Masters.* A major set has a **master** of rate x, which is a client of another set, on that set's processor.
//!    Minor sets and masters are partitioned again, until no set is major. What adds up to m needs m processors.
//! 3. *Modes.* A task is active from a job's arrival to its deadline, complete or not. While a client of a major set is
//!    not active, the set is in **EDF mode**: its processor executes the others by EDF, and the master is not active.
//!    While all are, it is in **QPS mode**.
//! 4. *Servers.* At the begin of QPS mode the clients fall into two parts: the client that became active last, and the
//!    others. Four servers have budgets until the earliest deadline of a client, where all are renewed: one for each
//!    part, of its rate less x, the master, and a **slave**, of x each. While another processor executes the master,
//!    the set's processor executes the slave: each serves one of the parts, never the same. Else it executes the server
//!    of a part. A part executes its clients by EDF.
//!
//! **What is ours.** The abstracts, citations and theorem are at hand, the paper's text is not. So these are choices,
//! each of which keeps the proof below: the packing (first fit decreasing; what fits nowhere joins the set of the least
//! rate); the parts of rule 4; the slave takes the part that is on the set's processor already; at first and where
//! budgets allow it, a part whose client is due first; ties by task, tasks before masters; and once a part has no work
//! left, the other one keeps the processor, and the master's budget is given up.
//!
//! **No deadline is missed.** Let W(d), at t, be the work of a set's jobs that are due by d. It is at most the sum of u
//! (d' - t) over the active clients that are due at d' <= d. This holds (a) after time in EDF mode: the processor is
//! never idle while such work is there, and the active clients need at most all of it; (b) in QPS mode at each renewal,
//! for each part by itself: from an earlier one on, a part with work got its rate of the time, by its own server and by
//! master or slave, and all arrivals are at renewals; (c) from EDF mode to QPS mode: what (a) says of all others is
//! what (b) asks of them, and the client that became active last has begun right then; (d) back: two parts' sums add up
//! to the set's. At t = d nothing is left. Up to its deadline the master is a client as a task is, of cost x times the
//! length of its job, so that this holds from the last set down to the first.
//!
//! **Whole nanoseconds** ([`plan`]). A partition needs no budgets. For other sets, budgets are whole if lengths are
//! multiples of a grid g, and rates of 1/g. Sporadic tasks get both: jobs of major sets begin at the next multiple, and
//! are due at the last one, and rates are rounded up for the least time in between; the grid is the one that takes the
//! least, some thousandth of a processor for periods of 10 ms. If tasks do not fit with that, the plan is for periodic
//! arrivals, all of which are multiples of the greatest common divisor of periods and offsets. The masters' budgets
//! are whole then, else rates are rounded up to parts of that divisor, and what does not fit is refused. Budgets of
//! parts may be fractions in that plan; they are rounded down from the begin of the mode on, which is the only one, and
//! work is whole: what is less than a nanosecond is none.
//!
//! A decision takes O(n + s) for s sets. A job that completes early leaves its time to the clients of its set alone.
//!
//! Three tasks of cost 2 and period 3 on two processors, by hand from the rules. A and C are a major set with x = 1/3.
//! C is taken for the last one, since all arrive together; up to 3, each of the four servers has 1. B is due first on
//! P1, by its id, and then the master executes A there, and the slave C:
//!
//! ```text
//! P0  ACC
//! P1  BBA
//! ```

pub mod hierarchy;
mod mode;
pub mod plan;
mod policy;

pub(crate) use policy::Qps;
