//! Proof that the comparisons can fail: wrong policies, wrong traces and wrong analyses are all found out.

use schedlab_analysis::{Answer, Bounds, Guarantee};
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs as Table, Priority, TaskId};
use schedlab_policy::{find, Clustered, Decisions, Make, Policy};
use schedlab_report::invariants::check;
use schedlab_tests::compare::{difference, schedule_of};
use schedlab_tests::draw::{any, Scale};
use schedlab_tests::soundness::{aim, verdicts, ClusterVerdict, Observed, Power};
use schedlab_tests::source::Jobs;
use schedlab_tests::system::System;
use schedlab_tests::{brute, run};
use schedlab_trace::{Record, Timeline};

/// What is wrong with a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// None: the control.
    None,
    /// Equal points go to the larger job id.
    TieBreak,
    /// Running jobs never give way.
    IgnoresPreemption,
    /// Every decision moves the jobs one processor further.
    InventsMigrations,
    /// The last processor of the cluster is never used.
    LeavesOneIdle,
}

/// The clustered engine with a fault.
struct Faulty {
    inner: Clustered,
    fault: Fault,
    preemptive: bool,
    cpus: Vec<CpuId>,
    turns: usize,
}

impl Faulty {
    fn all(system: &System, fault: Fault) -> Vec<Faulty> {
        let Make::Clustered { order, preemptive } = find(&system.scheduler()).unwrap().make else {
            unreachable!()
        };
        let really = preemptive && fault != Fault::IgnoresPreemption;
        run::each_cluster(system, |setup| Faulty {
            inner: Clustered::new(order, really, setup),
            fault,
            preemptive,
            cpus: setup.cpus.to_vec(),
            turns: 0,
        })
    }
}

impl Policy for Faulty {
    fn priority(&self, job: JobId, jobs: &Table) -> Priority {
        let priority = self.inner.priority(job, jobs);
        match self.fault {
            Fault::TieBreak => {
                Priority::new(priority.point(), JobId::new(TaskId(1_000 - job.task.0), job.number))
            }
            _ => priority,
        }
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Table) {
        self.inner.note(now, event, jobs);
    }

    fn decide(&mut self, now: Instant, jobs: &Table, out: &mut Decisions) {
        self.inner.decide(now, jobs, out);
        if self.fault == Fault::InventsMigrations {
            self.turns += 1;
            self.cpus.iter().for_each(|cpu| out.look(*cpu));
        }
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        let place = self.cpus.iter().position(|known| *known == cpu).unwrap();
        match self.fault {
            Fault::InventsMigrations => self.inner.linked(self.cpus[(place + self.turns) % self.cpus.len()]),
            Fault::LeavesOneIdle if place + 1 == self.cpus.len() => None,
            _ => self.inner.linked(cpu),
        }
    }

    fn promises(&self) -> &'static [Invariant] {
        if self.preemptive {
            &[Invariant::WorkConserving, Invariant::RespectsPriority]
        } else {
            &[Invariant::WorkConserving, Invariant::NonPreemptive]
        }
    }
}

/// In how many of 300 systems brute force and the invariants object.
fn objections(fault: Fault) -> (usize, usize) {
    let (mut by_brute_force, mut by_invariants) = (0, 0);
    for case in 0..300 {
        let mut system = any(9, case, Scale::Small);
        // Without them, a job on its way from one processor to another is not stuck behind a third one.
        system.tasks.iter_mut().for_each(|task| task.program.clear());
        let timeline = run::run_with(&system, Faulty::all(&system, fault));
        let schedule = schedule_of(&timeline, system.platform.processors(), system.horizon);
        let by_hand = brute::schedule(&system, Jobs::new(&system));
        by_brute_force += usize::from(difference(&schedule, &by_hand).is_some());
        by_invariants += usize::from(!check(&run::context(&system), timeline.records).holds());
    }
    (by_brute_force, by_invariants)
}

#[test]
fn wrong_policies_are_found_out() {
    assert_eq!(objections(Fault::None), (0, 0));
    assert!(objections(Fault::TieBreak).0 > 30);
    assert!(objections(Fault::InventsMigrations).0 > 30);
    let (by_brute_force, by_invariants) = objections(Fault::IgnoresPreemption);
    assert!(by_brute_force > 30 && by_invariants > 30, "{by_brute_force} {by_invariants}");
    let (by_brute_force, by_invariants) = objections(Fault::LeavesOneIdle);
    assert!(by_brute_force > 30 && by_invariants > 30, "{by_brute_force} {by_invariants}");
}

/// The names of what a trace violates after `change`, over a few systems on several processors.
fn violated_after(change: impl Fn(&mut Timeline, &System)) -> Vec<&'static str> {
    let mut names = Vec::new();
    for case in 0..200 {
        let system = any(10, case, Scale::Small);
        let mut timeline = run::run(&system);
        change(&mut timeline, &system);
        let verdict = check(&run::context(&system), timeline.records);
        let violated = verdict.outcomes.iter().filter(|outcome| !outcome.holds());
        names.extend(violated.map(|outcome| outcome.invariant.name()));
    }
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn a_job_on_two_processors_is_found_out() {
    let names = violated_after(|timeline, system| {
        let index = timeline.records.iter().position(|(_, record)| matches!(record, Record::Dispatch { .. }));
        let Some(index) = index.filter(|_| system.platform.processors() > 1) else { return };
        let (time, Record::Dispatch { cpu, job }) = timeline.records[index] else { unreachable!() };
        let other = CpuId((cpu.0 + 1) % system.platform.processors());
        timeline.records.insert(index + 1, (time, Record::Dispatch { cpu: other, job }));
    });
    assert!(names.contains(&"one_processor_at_a_time"), "{names:?}");
    assert!(names.contains(&"jobs_stay_in_their_cluster"), "{names:?}");
}

#[test]
fn lost_records_are_found_out() {
    let names = violated_after(|timeline, _| {
        timeline.records.retain(|(_, record)| !matches!(record, Record::Miss { .. }));
    });
    assert_eq!(names, ["misses_are_recorded"]);
    let names = violated_after(|timeline, _| {
        let index = timeline.records.iter().position(|(_, record)| matches!(record, Record::Preempt { .. }));
        if let Some(index) = index {
            timeline.records.remove(index);
        }
    });
    assert!(names.contains(&"one_processor_at_a_time"), "{names:?}");
}

/// In how many of 200 aimed systems a changed verdict is refuted by what happens.
fn refuted_after(change: impl Fn(&mut ClusterVerdict)) -> usize {
    let is_refuted = |case: &u64| {
        let aimed = aim(11, *case);
        let mut observed = Observed::new(&aimed.system);
        run::run_into(&aimed.system, &mut observed);
        verdicts(&aimed.system).into_iter().any(|mut verdict| {
            change(&mut verdict);
            Power::default().add(&aimed, &verdict, &observed).is_err()
        })
    };
    (0..200).filter(is_refuted).count()
}

#[test]
fn wrong_analyses_are_found_out() {
    assert_eq!(refuted_after(|_| {}), 0);
    let accepting_all = refuted_after(|of| {
        if of.verdict.guarantee == Guarantee::Hard {
            of.verdict.answer = Answer::Schedulable;
        }
    });
    let smaller = |bounds: &mut Vec<Option<schedlab_model::Duration>>| {
        for bound in bounds.iter_mut().flatten() {
            *bound = schedlab_model::Duration::from_ns(bound.as_ns() * 9 / 10);
        }
    };
    let too_small = refuted_after(|of| match &mut of.verdict.bounds {
        Bounds::None => {}
        Bounds::ResponseTime(bounds) | Bounds::Tardiness(bounds) => smaller(bounds),
    });
    assert!(accepting_all > 10 && too_small > 20, "{accepting_all} {too_small}");
}
