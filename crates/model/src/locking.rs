//! Classes of locking protocols, as analyses know them.

/// Class of a locking protocol, which determines the published bounds that hold for it. A protocol chooses a class, a
/// blocking analysis accepts classes: a protocol of one's own that keeps the rules of another may choose its class, any
/// other is [`LockingClass::Unanalysed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockingClass {
    /// No bound is known.
    Unanalysed,
    /// Non-preemptive sections of one processor.
    NonPreemptive,
    /// Priority inheritance on one processor.
    Inheritance,
    /// The priority ceiling protocol of one processor.
    Ceilings,
    /// The immediate priority ceiling protocol.
    ImmediateCeilings,
    /// The stack resource policy.
    Stack,
    /// FIFO spinning between processors, the stack resource policy within.
    Msrp,
    /// The multiprocessor PCP: holders as urgent as the most urgent user elsewhere.
    Mpcp,
    /// The multiprocessor PCP with holders as urgent as the most urgent user anywhere.
    MpcpAllUsers,
    /// Task-fair spin locks.
    TaskFair,
    /// The FMLP with short and long resources.
    Fmlp,
    /// The FMLP, all resources short.
    FmlpShort,
    /// The FMLP, all resources long.
    FmlpLong,
    /// The partitioned FMLP+.
    FmlpPlus,
    /// The distributed PCP.
    Dpcp,
    /// The distributed FIFO locking protocol.
    Dflp,
    /// The global OMLP.
    Omlp,
    /// The partitioned OMLP.
    OmlpPartitioned,
    /// The clustered OMLP.
    OmlpClustered,
    /// The multiprocessor resource sharing protocol.
    Mrsp,
    /// Priority inheritance under global scheduling.
    GlobalInheritance,
    /// The parallel PCP.
    ParallelCeilings,
    /// Task-fair reader-writer locks.
    RwTaskFair,
    /// Phase-fair reader-writer locks.
    RwPhaseFair,
    /// Spinning without preemption, granted by priority.
    SpinPriority,
    /// Spinning without preemption, granted in any order.
    SpinUnordered,
    /// Preemptable spinning, first come first served.
    SpinFifoPreemptable,
    /// Preemptable spinning, granted by priority.
    SpinPriorityPreemptable,
    /// Preemptable spinning, granted in any order.
    SpinUnorderedPreemptable,
    /// POSIX mutexes, each with a protocol of its own.
    Posix,
    /// Zones at the end of Pfair quanta.
    Zones,
    /// Servers under Pfair.
    Server,
    /// Lock-free retry loops.
    LockFree,
    /// Wait-free operations.
    WaitFree,
}
