//! RUN: reduction to uniprocessors. P. Regnier, G. Lima, E. Massa, G. Levin and S. Brandt, *RUN: optimal multiprocessor
//! real-time scheduling via reduction to uniprocessor*, RTSS 2011.
//!
//! 1. Off line, tasks are packed into servers of rates up to 1, servers replaced by their duals, and so on
//!    ([`reduction`]). Idle tasks fill up to m. What is left are servers of rate 1, which always run.
//! 2. On line, from there down ([`tree`]): a server that runs executes the client of the earliest deadline that has
//!    budget left; a server runs exactly when its dual does not. On the lowest level m servers run, each of which
//!    executes a task.
//!
//! The job of a server begins at each deadline of a client and ends at the next one; its budget is the server's rate
//! times the length. **Budgets are whole nanoseconds** wherever they matter: a task's is its cost, and that of a
//! server, below the servers of rate 1, is whole if its rate times the greatest common divisor g of its tasks' periods
//! is, since its deadlines are multiples of g apart. If the rates are not of this kind, they are rounded up to
//! multiples of 1/g, with the g of all tasks, which takes less than a nanosecond of each g. The scheduler refuses tasks
//! that then need more than m processors. So EDF on each level is that of integers, and the proofs of the paper are
//! about it as it is.
//!
//! A decision takes O(s + k) for s servers and a server of k clients, one of which arrives or has spent its budget.
//! With p reductions, a job is preempted at most ceil((3p + 1) / 2) times on average; without any, servers are
//! partitions under EDF, where each arrival preempts at most one job. Where U <= m and no utilization is above 1, no
//! job of synchronous periodic tasks with implicit deadlines is late (theorem 1). A job that completes early leaves
//! its budget unused.
//!
//! Three tasks of cost 2 and period 3 on two processors, the paper's example, by hand from the rules. No two fit into a
//! server; the duals, of rate 1/3, fill one, which executes the dual of A first: B and C run.
//!
//! ```text
//! P0  BAA
//! P1  CCB
//! ```

pub mod reduction;
mod tree;

pub(crate) use tree::Run;
