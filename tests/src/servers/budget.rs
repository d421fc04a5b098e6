//! Budgets of servers from nanosecond to nanosecond, from the published rules alone.

use super::mix::{Mix, MixServer};
use schedlab_model::{JobId, TaskId};
use schedlab_policy::servers::ServerKind;

/// Parts of a processor in which bandwidths are counted: a multiple of all numbers up to 16, and by 3 and 2 of such.
pub(super) const WHOLE: u64 = 6 * 720_720;

/// Budget of a server.
pub(super) enum Budget {
    Polling {
        left: u64,
    },
    Deferrable {
        left: u64,
    },
    /// Since when the server is active, what it has used since, and what comes back when.
    Sporadic {
        left: u64,
        since: Option<u64>,
        used: u64,
        back: Vec<(u64, u64)>,
    },
    Posix {
        left: u64,
        activation: u64,
        used: u64,
        back: Vec<(u64, u64)>,
    },
    /// From when on each nanosecond of the budget may be used.
    Corrected {
        units: Vec<u64>,
    },
    /// The deadline of the interval, what it has used, and what comes back when.
    Dynamic {
        left: u64,
        deadline: Option<u64>,
        used: u64,
        back: Vec<(u64, u64)>,
    },
    Bandwidth {
        hard: bool,
        left: u64,
        deadline: u64,
    },
    /// Greedy reclamation: the deadline, the rest of the budget in parts of which `whole` are a nanosecond, and the job
    /// for which the deadline is.
    Reclaiming {
        state: State,
        deadline: u64,
        rest: u64,
        of: Option<JobId>,
    },
    /// Reclaiming as Linux has it: the deadline, and the rest of the budget in parts of which `whole` are a nanosecond.
    Linux {
        state: State,
        deadline: u64,
        rest: u64,
    },
    /// The server's deadline, and whether a job is pending.
    Periodic {
        left: u64,
        deadline: u64,
        is_pending: bool,
    },
    /// The job that has the deadline, and from when on it may begin.
    Job {
        waits: bool,
        of: Option<JobId>,
        begins: u64,
        deadline: u64,
    },
}

/// State of a server that reclaims.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Inactive,
    Contending,
    NonContending,
}

/// A job that is not complete: arrival, task, number, and what is left of its cost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Open {
    pub(super) arrival: u64,
    pub(super) task: usize,
    pub(super) number: u32,
    pub(super) left: u64,
}

impl Open {
    pub(super) fn id(self) -> JobId {
        JobId::new(TaskId(self.task as u32), self.number)
    }
}

/// Urgency: of the background or not, the point, and the job. Smaller is more urgent.
pub(super) type Urgency = (bool, u64, usize, u32);

/// The budget at time zero.
pub(super) fn initial(server: &MixServer) -> Budget {
    let left = server.budget;
    match server.kind {
        ServerKind::Polling => Budget::Polling { left: 0 },
        ServerKind::Deferrable => Budget::Deferrable { left },
        ServerKind::Sporadic => Budget::Sporadic { left, since: None, used: 0, back: Vec::new() },
        ServerKind::PosixSporadic => Budget::Posix { left, activation: 0, used: 0, back: Vec::new() },
        ServerKind::CorrectedSporadic => Budget::Corrected { units: vec![0; left as usize] },
        ServerKind::DynamicSporadic => Budget::Dynamic { left, deadline: None, used: 0, back: Vec::new() },
        ServerKind::SoftConstantBandwidth => Budget::Bandwidth { hard: false, left: 0, deadline: 0 },
        ServerKind::HardConstantBandwidth => Budget::Bandwidth { hard: true, left: 0, deadline: 0 },
        ServerKind::Reclaiming => {
            Budget::Reclaiming { state: State::Inactive, deadline: 0, rest: 0, of: None }
        }
        ServerKind::LinuxReclaiming => Budget::Linux { state: State::Inactive, deadline: 0, rest: 0 },
        ServerKind::ConstantUtilization => Budget::Job { waits: true, of: None, begins: 0, deadline: 0 },
        ServerKind::TotalBandwidth => Budget::Job { waits: false, of: None, begins: 0, deadline: 0 },
        ServerKind::Periodic => Budget::Periodic { left, deadline: server.deadline, is_pending: false },
    }
}

/// The last pending job has completed.
pub(super) fn idle(budget: &mut Budget, server: &MixServer) {
    match budget {
        Budget::Polling { left } => *left = 0,
        Budget::Posix { activation, used, back, .. } => {
            back.push((*activation + server.period, std::mem::take(used)));
        }
        Budget::Reclaiming { state, .. } | Budget::Linux { state, .. } => *state = State::NonContending,
        Budget::Dynamic { deadline, used, back, .. } => {
            back.extend(deadline.take().map(|at| (at, std::mem::take(used))));
        }
        Budget::Deferrable { .. }
        | Budget::Sporadic { .. }
        | Budget::Corrected { .. }
        | Budget::Bandwidth { .. }
        | Budget::Periodic { .. }
        | Budget::Job { .. } => {}
    }
}

/// A job arrives while none is pending.
pub(super) fn wake(budget: &mut Budget, server: &MixServer, now: u64) {
    match budget {
        Budget::Posix { activation, .. } => *activation = now,
        Budget::Corrected { units } => {
            units.iter_mut().filter(|since| **since <= now).for_each(|since| *since = now);
        }
        Budget::Bandwidth { left, deadline, .. }
            if *left * server.period >= deadline.saturating_sub(now) * server.budget =>
        {
            (*left, *deadline) = (server.budget, now + server.period);
        }
        Budget::Reclaiming { state, deadline, rest, .. } => {
            let is_late = *state == State::NonContending && virtual_time(*deadline, *rest, server) > now;
            if !is_late {
                (*deadline, *rest) = (now + server.period, server.budget * WHOLE);
            }
            *state = State::Contending;
        }
        Budget::Linux { state, deadline, rest } => {
            if *state == State::Inactive || virtual_time(*deadline, *rest, server) < now {
                (*deadline, *rest) = (now + server.period, server.budget * WHOLE);
            }
            *state = State::Contending;
        }
        Budget::Polling { .. }
        | Budget::Deferrable { .. }
        | Budget::Sporadic { .. }
        | Budget::Bandwidth { .. }
        | Budget::Periodic { .. }
        | Budget::Dynamic { .. }
        | Budget::Job { .. } => {}
    }
}

/// The job is the first of the pending ones at `now`.
pub(super) fn begin(budget: &mut Budget, server: &MixServer, now: u64, job: Open, wcet: u64) {
    match budget {
        Budget::Job { waits, of, begins, deadline } if *of != Some(job.id()) => {
            *of = Some(job.id());
            let from = job.arrival.max(*deadline);
            *begins = if *waits { from } else { now };
            *deadline = from + (wcet * server.period).div_ceil(server.budget);
        }
        Budget::Reclaiming { deadline, rest, of, .. } if *of != Some(job.id()) => {
            *of = Some(job.id());
            let from = virtual_time(*deadline, *rest, server);
            (*deadline, *rest) = (from + server.period, server.budget * WHOLE);
        }
        Budget::Polling { .. }
        | Budget::Deferrable { .. }
        | Budget::Sporadic { .. }
        | Budget::Posix { .. }
        | Budget::Corrected { .. }
        | Budget::Bandwidth { .. }
        | Budget::Job { .. }
        | Budget::Periodic { .. }
        | Budget::Linux { .. }
        | Budget::Dynamic { .. }
        | Budget::Reclaiming { .. } => {}
    }
}

/// What comes back at `now`.
pub(super) fn replenish(budget: &mut Budget, server: &MixServer, now: u64, is_pending: bool) {
    match budget {
        Budget::Polling { left } if now % server.period == 0 => {
            *left = if is_pending { server.budget } else { 0 };
        }
        Budget::Deferrable { left } if now % server.period == 0 => *left = server.budget,
        Budget::Periodic { left, deadline, is_pending: pending } => {
            *pending = is_pending;
            if now % server.period == 0 {
                (*left, *deadline) = (server.budget, now + server.deadline);
            }
        }
        Budget::Sporadic { left, back, .. } => {
            *left += back.iter().filter(|(at, _)| *at <= now).map(|(_, amount)| amount).sum::<u64>();
            back.retain(|(at, _)| *at > now);
        }
        Budget::Dynamic { left, deadline, back, .. } => {
            *left += back.iter().filter(|(at, _)| *at <= now).map(|(_, amount)| amount).sum::<u64>();
            back.retain(|(at, _)| *at > now);
            if deadline.is_none() && is_pending && *left > 0 {
                *deadline = Some(now + server.period);
            }
        }
        Budget::Posix { left, activation, back, .. } => {
            let returned: u64 = back.iter().filter(|(at, _)| *at <= now).map(|(_, amount)| amount).sum();
            back.retain(|(at, _)| *at > now);
            if *left == 0 && returned > 0 && is_pending {
                *activation = now;
            }
            *left = (*left + returned).min(server.budget);
        }
        Budget::Bandwidth { left: left @ 0, deadline, .. } if is_pending && now >= *deadline => {
            (*left, *deadline) = (server.budget, *deadline + server.period);
        }
        Budget::Linux { deadline, rest: rest @ 0, .. } if is_pending && now >= *deadline => {
            (*deadline, *rest) = (*deadline + server.period, server.budget * WHOLE);
        }
        Budget::Reclaiming { state: state @ State::NonContending, deadline, rest, .. }
        | Budget::Linux { state: state @ State::NonContending, deadline, rest }
            if virtual_time(*deadline, *rest, server) <= now =>
        {
            *state = State::Inactive;
        }
        Budget::Polling { .. }
        | Budget::Deferrable { .. }
        | Budget::Corrected { .. }
        | Budget::Bandwidth { .. }
        | Budget::Job { .. }
        | Budget::Linux { .. }
        | Budget::Reclaiming { .. } => {}
    }
}

/// False if the budget of a server as Linux has it lasts for less than a nanosecond at the pace: it is lost then.
pub(super) fn lasts(budget: &mut Budget, pace: u64) -> bool {
    match budget {
        Budget::Linux { rest, .. } if *rest < pace => {
            *rest = 0;
            false
        }
        _ => true,
    }
}

/// True if the bandwidth of the server is not in use.
pub(super) fn is_inactive(budget: &Budget) -> bool {
    let (Budget::Reclaiming { state, .. } | Budget::Linux { state, .. }) = budget else { return false };
    *state == State::Inactive
}

/// Densities of the tasks that are no clients.
pub(super) fn parts_of_tasks(mix: &Mix) -> u64 {
    let plain = mix.tasks.iter().filter(|task| task.server.is_none());
    plain.map(|task| task.wcet * WHOLE / task.deadline.min(task.period)).sum()
}

/// The virtual time of a server that reclaims, rounded up.
fn virtual_time(deadline: u64, rest: u64, server: &MixServer) -> u64 {
    deadline - rest * server.period / (server.budget * WHOLE)
}

/// Parts of the processor that are active. Deadlines of servers move where the rest of their budgets lasts for less
/// than a nanosecond at this rate.
pub(super) fn share(mix: &Mix, budgets: &mut [Budget]) -> u64 {
    let mut active = parts_of_tasks(mix);
    for (budget, server) in budgets.iter().zip(&mix.servers) {
        active += if is_inactive(budget) { 0 } else { server.budget * WHOLE / server.period };
    }
    let active = active.min(WHOLE);
    for (budget, server) in budgets.iter_mut().zip(&mix.servers) {
        postpone(budget, server, active);
    }
    active
}

fn postpone(budget: &mut Budget, server: &MixServer, active: u64) {
    if let Budget::Reclaiming { state: State::Contending, deadline, rest, .. } = budget {
        if *rest < active {
            (*deadline, *rest) = (*deadline + server.period, server.budget * WHOLE);
        }
    }
}

/// How urgent the first client is; `None` if it waits.
pub(super) fn urgency(budget: &Budget, server: &MixServer, now: u64, job: Open) -> Option<Urgency> {
    let (has_budget, point) = match budget {
        Budget::Polling { left }
        | Budget::Deferrable { left }
        | Budget::Sporadic { left, .. }
        | Budget::Posix { left, .. } => (*left > 0, server.period),
        Budget::Corrected { units } => (units.iter().any(|since| *since <= now), server.period),
        Budget::Bandwidth { left, deadline, .. } => (*left > 0, *deadline),
        Budget::Dynamic { deadline, .. } => (deadline.is_some(), deadline.unwrap_or(0)),
        Budget::Reclaiming { deadline, .. } => (true, *deadline),
        Budget::Linux { deadline, rest, .. } => (*rest > 0, *deadline),
        Budget::Periodic { left, deadline, .. } => {
            (*left > 0, if server.has_deadlines { *deadline } else { server.period })
        }
        Budget::Job { begins, deadline, .. } => (*begins <= now, *deadline),
    };
    let has_background = server.background || matches!(budget, Budget::Posix { .. });
    match (has_budget, has_background) {
        (true, _) => Some((false, point, job.task, job.number)),
        (false, true) => Some((true, 0, job.task, job.number)),
        (false, false) => None,
    }
}

/// The processor executes something as urgent as the server from now on, or not.
pub(super) fn observe(budget: &mut Budget, server: &MixServer, now: u64, is_active: bool) {
    if let Budget::Periodic { left, is_pending: false, .. } = budget {
        *left -= u64::from(!is_active && *left > 0);
    }
    let Budget::Sporadic { left, since, used, back } = budget else { return };
    if is_active {
        *since = since.or((*left > 0).then_some(now));
    } else if let Some(begin) = since.take() {
        back.push((begin + server.period, std::mem::take(used)));
    }
}

/// The first client has executed from `now` on for a nanosecond, at the server's urgency, while so many parts of the
/// processor are active, at this pace of Linux.
pub(super) fn charge(budget: &mut Budget, server: &MixServer, now: u64, (active, pace): (u64, u64)) {
    match budget {
        Budget::Polling { left } | Budget::Deferrable { left } | Budget::Periodic { left, .. } => *left -= 1,
        Budget::Sporadic { left, since, used, back } => {
            (*left, *used) = (*left - 1, *used + 1);
            if *left == 0 {
                let begin = since.take().expect("a server that executes is active");
                back.push((begin + server.period, std::mem::take(used)));
            }
        }
        Budget::Posix { left, activation, used, back } => {
            (*left, *used) = (*left - 1, *used + 1);
            if *left == 0 {
                back.push((*activation + server.period, std::mem::take(used)));
            }
        }
        Budget::Dynamic { left, deadline, used, back } => {
            (*left, *used) = (*left - 1, *used + 1);
            if *left == 0 {
                back.extend(deadline.take().map(|at| (at, std::mem::take(used))));
            }
        }
        Budget::Corrected { units } => {
            let earliest = units.iter_mut().filter(|since| **since <= now).min();
            *earliest.expect("a server that executes has budget") += server.period;
        }
        Budget::Bandwidth { hard, left, deadline } => {
            *left -= 1;
            if *left == 0 && !*hard {
                (*left, *deadline) = (server.budget, *deadline + server.period);
            }
        }
        Budget::Reclaiming { rest, .. } => {
            *rest = rest.saturating_sub(active);
            postpone(budget, server, active);
        }
        Budget::Linux { rest, .. } => {
            *rest = rest.saturating_sub(pace);
            *rest = if *rest < pace { 0 } else { *rest };
        }
        Budget::Job { .. } => {}
    }
}
