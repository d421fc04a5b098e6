//! Real runs under a scheduling class of Linux: parameters of threads, kinds of locks, and what is refused.

use crate::prepare::error::PrepareError;
use crate::prepare::kernel_refusal::{KernelRefusal, HIGHEST};
use crate::prepare::prepared::Prepared;
use schedlab_lock::{OnLinux, Protocol, ALL_PROTOCOLS};
use schedlab_model::{Duration, MutexProtocol, Overrun, Step, Task, ThreadClass, Work};
use schedlab_policy::{KernelClass, Scheduler, Scope, Throttling};
use schedlab_scenario::launch::{LEAST_RUNTIME, LONGEST_PERIOD};
use schedlab_scenario::{mutex_of, Scenario};

/// The scheduling parameters that a task's thread gets from the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelParameters {
    /// A fixed priority of `SCHED_FIFO`; larger is more urgent.
    Fifo(u8),
    /// A reservation of `SCHED_DEADLINE`: the budget of the thread in each period, and its relative deadline.
    Deadline {
        /// The budget of the task's server, or the task's WCET.
        budget: Work,
        /// The period of the task's server, or the task's relative deadline.
        relative_deadline: Duration,
        /// The period of the task's server, or the task's.
        period: Duration,
    },
    /// None: an ordinary thread.
    Ordinary,
}

/// Returns the protocol of the mutexes that real runs under `class` use for `protocol`; `None` if the kernel has none.
fn lock_of(protocol: &Protocol, class: KernelClass) -> Option<MutexProtocol> {
    match (protocol.on_linux, class) {
        (OnLinux::Inherit, KernelClass::Fifo | KernelClass::Deadline) => Some(MutexProtocol::Inherit),
        // A thread with a deadline has no priority that could be raised to a ceiling.
        (OnLinux::Protect, KernelClass::Fifo) => Some(MutexProtocol::Protect),
        (OnLinux::Plain, KernelClass::Fifo) => Some(MutexProtocol::None),
        (OnLinux::Protect | OnLinux::Plain, KernelClass::Deadline) => None,
        (OnLinux::ByResource | OnLinux::InProgram | OnLinux::Nothing, _) => None,
    }
}

/// Returns the protocol of each resource as a mutex of POSIX: its own, or that of all. Empty if the kernel's fixed
/// priorities do not decide, if no task has requests, or if `given` is no protocol of such mutexes.
pub(super) fn mutexes(scenario: &Scenario, scheduler: &Scheduler, given: &Protocol) -> Vec<MutexProtocol> {
    let is_one = |task: &schedlab_scenario::TaskSpec| task.has_requests();
    if scheduler.kernel_class() != Some(KernelClass::Fifo) || !scenario.tasks.iter().any(is_one) {
        return Vec::new();
    }
    let of_all = || mutex_of(given).map(|all| vec![all; scenario.resources.len()]);
    scenario.mutexes(given).or_else(of_all).unwrap_or_default()
}

impl Prepared {
    /// Returns the protocol of each mutex under `class`, by resource.
    pub fn kernel_locks(&self, class: KernelClass) -> Result<Vec<MutexProtocol>, PrepareError> {
        if !self.tasks.iter().any(Task::has_requests) {
            return Ok(vec![MutexProtocol::None; self.resources.len()]);
        }
        if let Some(index) = self.resources.iter().position(|resource| resource.units != 1) {
            return Err(KernelRefusal::Units(self.scenario.resources[index].name.clone()).into());
        }
        let known = ALL_PROTOCOLS.iter().filter(|known| lock_of(known, class).is_some());
        let allowed: Vec<String> = known.map(|known| format!("\"{}\"", known.name)).collect();
        let refusal = |protocol| KernelRefusal::Protocol {
            protocol,
            scheduler: self.scheduler.name.clone(),
            allowed: allowed.join(", "),
        };
        if !self.mutexes.is_empty() {
            return Ok(self.mutexes.clone());
        }
        let all = lock_of(&self.protocol, class).ok_or_else(|| refusal(self.protocol.name))?;
        Ok(vec![all; self.resources.len()])
    }

    /// Refuses what a simulation models and no run can set: throttling that stops threads, unless it is the kernel's
    /// default, and reservations of one processor's threads.
    pub fn suits_real_run(&self) -> Result<(), PrepareError> {
        let is_reserved = |task: &Task| task.class == ThreadClass::Deadline;
        let is_bound = self.scheduler.scope == Scope::Partitioned;
        if let Some(index) = self.tasks.iter().position(is_reserved).filter(|_| is_bound) {
            return Err(KernelRefusal::Bound(self.scenario.tasks[index].name.clone()).into());
        }
        let is_default = self.scenario.scheduler.throttling == Some(Throttling::default());
        match self.is_throttled() && !is_default {
            false => Ok(()),
            true => Err(KernelRefusal::Throttling.into()),
        }
    }

    /// Returns the parameters of the tasks' threads under `class`, by task.
    pub fn kernel_parameters(&self, class: KernelClass) -> Result<Vec<KernelParameters>, PrepareError> {
        match class {
            KernelClass::Fifo => {
                let priorities = self.fifo_priorities()?;
                let all = self.tasks.iter().enumerate().zip(priorities);
                let of = |((index, task), priority): ((usize, &Task), u8)| match task.class {
                    ThreadClass::Deadline => self.reservation(index, task),
                    ThreadClass::Fifo => Ok(KernelParameters::Fifo(priority)),
                    ThreadClass::Ordinary => Ok(KernelParameters::Ordinary),
                };
                all.map(of).collect()
            }
            KernelClass::Deadline => {
                let all = self.tasks.iter().enumerate();
                all.map(|(index, task)| self.reservation(index, task)).collect::<Result<_, _>>()
            }
        }
    }

    /// Returns the priorities of `SCHED_FIFO` by task; larger is more urgent. Tasks with equal fixed priorities share
    /// one, and the kernel serves them first come, first served.
    fn fifo_priorities(&self) -> Result<Vec<u8>, PrepareError> {
        let mut keys: Vec<u32> = self.tasks.iter().map(|task| task.fixed_priority).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.len() > usize::from(HIGHEST) {
            return Err(KernelRefusal::Priorities { needed: keys.len() }.into());
        }
        let rank = |task: &Task| keys.partition_point(|other| *other < task.fixed_priority);
        Ok(self.tasks.iter().map(|task| HIGHEST - rank(task) as u8).collect())
    }

    fn reservation(&self, index: usize, task: &Task) -> Result<KernelParameters, PrepareError> {
        let (budget, relative_deadline, period) = self.reserved(index, task);
        let is_ordered = budget.as_ns() <= relative_deadline.as_ns() && relative_deadline <= period;
        if !is_ordered || budget.at_unit_speed() < LEAST_RUNTIME || period > LONGEST_PERIOD {
            return Err(KernelRefusal::Lengths(self.scenario.tasks[index].name.clone()).into());
        }
        Ok(KernelParameters::Deadline { budget, relative_deadline, period })
    }

    /// Refuses a scenario that `class` cannot run.
    pub(crate) fn suits_kernel(&self, class: KernelClass) -> Result<(), PrepareError> {
        let has_sections = |task: &Task| task.program.iter().any(|step| matches!(step, Step::NpEnter));
        if let Some(index) = self.tasks.iter().position(has_sections) {
            return Err(KernelRefusal::NonPreemptive(self.scenario.tasks[index].name.clone()).into());
        }
        if self.scenario.overruns != Overrun::Ignore {
            return Err(KernelRefusal::Overruns(self.scheduler.name.clone()).into());
        }
        // A model takes as many priorities as there are tasks; a real run asks for its own.
        if class == KernelClass::Deadline {
            self.kernel_parameters(class)?;
        }
        self.kernel_locks(class).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Invariant;
    use schedlab_scenario::Scenario;
    use schedlab_trace::Record;

    /// Prepares three tasks under `scheduler`. The text has `more` before the tasks, and `of_last` in the last one.
    fn prepare(scheduler: &str, more: &str, of_last: &str) -> Result<Prepared, PrepareError> {
        let text = format!(
            "schedlab = 1\nscheduler = \"{scheduler}\"\n{more}[platform]\nprocessors = 2\n\
             [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"20 ms\"\n\
             [[task]]\nname = \"b\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n\
             [[task]]\nname = \"c\"\nwcet = \"2 ms\"\nperiod = \"20 ms\"\n{of_last}"
        );
        Prepared::new(&Scenario::parse("a.toml", &text).unwrap())
    }

    #[test]
    fn priorities_are_given_or_rate_monotonic() {
        let prepared = prepare("SCHED_FIFO", "", "").unwrap();
        let found = prepared.kernel_parameters(KernelClass::Fifo).unwrap();
        assert_eq!(found, [79, 80, 79].map(KernelParameters::Fifo));
        let mut text = prepared.scenario.to_toml();
        for (name, priority) in [("a", 3), ("b", 2), ("c", 1)] {
            let line = format!("name = \"{name}\"\n");
            assert!(text.contains(&line), "{text}");
            text = text.replace(&line, &format!("{line}priority = {priority}\n"));
        }
        let given = Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap();
        let found = given.kernel_parameters(KernelClass::Fifo).unwrap();
        assert_eq!(found, [78, 79, 80].map(KernelParameters::Fifo));
    }

    #[test]
    fn a_reservation_is_that_of_the_scenario() {
        let prepared = prepare("SCHED_DEADLINE", "", "deadline = \"5 ms\"\n").unwrap();
        let expected = KernelParameters::Deadline {
            budget: Work::from_ns(2_000_000),
            relative_deadline: Duration::from_ms(5),
            period: Duration::from_ms(20),
        };
        assert_eq!(prepared.kernel_parameters(KernelClass::Deadline).unwrap()[2], expected);
        let late = prepare("SCHED_DEADLINE", "", "deadline = \"25 ms\"\n").unwrap_err().to_string();
        assert!(late.starts_with("task \"c\" under SCHED_DEADLINE: the kernel demands budget <= "), "{late}");
    }

    #[test]
    fn locks_are_mutexes_of_the_kernel_or_refused() {
        let section = "program = [\"request r\", \"execute 2 ms\", \"release r\"]\n";
        let of = |scheduler, protocol| {
            let more = format!("protocol = \"{protocol}\"\nresource = [{{ name = \"r\" }}]\n");
            prepare(scheduler, &more, section)
        };
        for (scheduler, class, protocol, lock) in [
            ("SCHED_FIFO", KernelClass::Fifo, "PIP", MutexProtocol::Inherit),
            ("SCHED_FIFO", KernelClass::Fifo, "none", MutexProtocol::None),
            ("P-SCHED_FIFO", KernelClass::Fifo, "IPCP", MutexProtocol::Protect),
            ("SCHED_DEADLINE", KernelClass::Deadline, "PIP", MutexProtocol::Inherit),
        ] {
            assert_eq!(of(scheduler, protocol).unwrap().kernel_locks(class), Ok(vec![lock]));
        }
        let said = of("SCHED_DEADLINE", "IPCP").unwrap_err().to_string();
        assert!(said.contains("under SCHED_DEADLINE: the kernel's mutexes have no such protocol"), "{said}");
        let said = of("SCHED_FIFO", "MSRP").unwrap_err().to_string();
        assert!(said.contains("IPCP") || said.contains("ipcp"), "{said}");
    }

    /// A model stands for `SCHED_FIFO` in simulations, but none for `SCHED_DEADLINE`. Neither promises anything of real
    /// runs.
    #[test]
    fn what_no_model_knows_is_not_simulated() {
        let simulated = |prepared: &Prepared| {
            let mut timeline = schedlab_trace::Timeline::default();
            prepared.simulate(&mut timeline, &mut |_| true).map(|found| found.jobs_completed)
        };
        let fifo = prepare("SCHED_FIFO", "", "").unwrap();
        assert!(simulated(&fifo).unwrap() > 3);
        assert_eq!(fifo.context().promises, [Invariant::WorkConserving], "two tasks share a priority");
        let deadline = prepare("SCHED_DEADLINE", "", "").unwrap();
        assert!(simulated(&deadline).unwrap_err().to_string().starts_with("not modelled: "));
        for prepared in [&fifo, &deadline] {
            assert!(prepared.context_by(schedlab_trace::Backend::Class).promises.is_empty());
        }
    }
    /// Under the model on one processor, mutexes act as the same protocol does under preemptive fixed priorities.
    #[test]
    fn simulated_mutexes_are_those_of_the_protocols() {
        let of = |scheduler, protocol| {
            let text = format!(
                "schedlab = 1\nscheduler = \"{scheduler}\"\nprotocol = \"{protocol}\"\nhorizon = \"400 ms\"\n\
                 resource = [{{ name = \"r\" }}]\ntask = [\
                 {{ name = \"high\", wcet = \"2 ms\", period = \"40 ms\", offset = \"3 ms\", priority = 1, \
                 program = [\"request r\", \"execute 2 ms\", \"release r\"] }},\
                 {{ name = \"middle\", wcet = \"6 ms\", period = \"80 ms\", offset = \"4 ms\", priority = 2 }},\
                 {{ name = \"low\", wcet = \"8 ms\", period = \"100 ms\", priority = 3, \
                 program = [\"request r\", \"execute 8 ms\", \"release r\"] }}]\n"
            );
            let prepared = Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap();
            let mut timeline = schedlab_trace::Timeline::default();
            prepared.simulate(&mut timeline, &mut |_| true).unwrap();
            let dispatched = timeline.records.into_iter().filter(|(_, record)| {
                matches!(record, Record::Dispatch { .. } | Record::Preempt { .. } | Record::Complete { .. })
            });
            dispatched.collect::<Vec<_>>()
        };
        assert_eq!(of("P-SCHED_FIFO", "PIP"), of("P-FP", "PIP"));
        assert_ne!(of("P-FP", "IPCP"), of("P-FP", "PIP"), "the protocol makes a difference");
    }
}
