//! Writes computations of tests as plain values.

use super::changed::changed;
use super::delayed::{DelayCauseName, DelayTerm, SummedDelay};
use super::{
    capped, BlockingRuleName, BlockingTerm, BusyWindow, ComparedLoad, ComparedSum, ComparedWork,
    DemandResult, DemandingTask, EarlierTask, EndedWith, ExaminedDemand, FoundSlack, IteratedResponse,
    JitterCauseName, JobsTerm, LoadTerm, SlackTerm, SumKind, SumTerm, SummedBlocking, SweptDeadline,
    SweptResponses, SweptTask, TestSteps, VisitedDemand, WindowIterate, WindowRuleName, WorkTerm,
};
use crate::reason::in_words;
use schedlab_analysis::blocking::METHODS;
use schedlab_analysis::steps::{
    self, BlockingRule, BlockingSum, CandidateSection, CappedWork, Computation, DelayCause, DelayPart,
    DelaySum, DemandEnd, DemandSteps, DueTask, GoesBefore, Iterate, JitterCause, JobsOf, LoadSum, RatioKind,
    RatioSum, RatioTerm, ResponseSteps, SlackSum, Steps, SweepSteps, VisitedDeadline, WindowRule,
    WindowSteps, WorkSum,
};
use schedlab_analysis::{Quantity, Share};
use schedlab_model::{ClusterId, ReleasePoint, TaskId};
use schedlab_scenario::Scenario;

impl TestSteps {
    /// Writes the steps of `test` by cluster; `None` if the test has none.
    pub(in crate::results) fn of(
        test: &str,
        steps: &[(ClusterId, Steps)],
        scenario: &Scenario,
    ) -> Option<TestSteps> {
        if steps.is_empty() {
            return None;
        }
        let release_delay_ns = match scenario.platform.releases {
            ReleasePoint::Timer => 0,
            ReleasePoint::Tick => scenario.platform.quantum.as_ns(),
        };
        let is_of_locks = METHODS.iter().any(|method| method.test.name == test);
        let is_from_release = is_of_locks && release_delay_ns > 0;
        let mut all = TestSteps {
            is_cut: steps.iter().any(|(_, one)| one.is_cut),
            changed: changed(steps, scenario, is_of_locks, release_delay_ns),
            release_delay_ns,
            is_from_release,
            ..TestSteps::default()
        };
        let delay = if is_from_release { release_delay_ns } else { 0 };
        for (cluster, steps) in steps {
            let names = Names { scenario, cluster: cluster.0, delay };
            all.ended_with.extend(steps.ended_with.map(|task| names.ended(task)));
            for computation in &steps.computations {
                match computation {
                    Computation::Ratio(sum) => all.sums.push(names.sum(sum)),
                    Computation::Load(sum) => all.loads.push(names.load(sum)),
                    Computation::Work(sum) => all.works.push(names.work(sum)),
                    Computation::Slack(sum) => all.slacks.push(names.slack(sum)),
                    Computation::Response(steps) => all.responses.push(names.response(steps)),
                    Computation::Sweep(steps) => all.sweeps.push(names.sweep(steps)),
                    Computation::Demand(steps) => all.demands.push(names.demand(steps)),
                    Computation::Blocking(sum) => all.blocking.push(names.blocking(sum)),
                    Computation::Delays(sum) => all.delays.push(names.delays(sum)),
                }
            }
        }
        Some(all)
    }
}

/// Most digits of an exact fraction that is written.
const MOST_DIGITS: usize = 60;

/// Writer of one cluster's steps.
struct Names<'a> {
    scenario: &'a Scenario,
    cluster: u16,
    /// Time from an arrival to the release from which bounds count.
    delay: u64,
}

impl Names<'_> {
    fn task(&self, id: TaskId) -> String {
        self.scenario.tasks[id.index()].name.clone()
    }

    fn ended(&self, task: TaskId) -> EndedWith {
        EndedWith { cluster: self.cluster, task: task.0, name: self.task(task) }
    }

    fn sum(&self, sum: &RatioSum) -> ComparedSum {
        let term = |term: &RatioTerm| {
            let (cost_ns, over_ns) = match term.value {
                Quantity::Quotient(cost, over) => (Some(capped(cost)), Some(over)),
                Quantity::Fraction(_)
                | Quantity::Rest { .. }
                | Quantity::Sum(_)
                | Quantity::ProductOfSuccessors(_)
                | Quantity::LiuLayland(_) => (None, None),
            };
            SumTerm {
                task: term.task.0,
                name: self.task(term.task),
                cost_ns,
                over_ns,
                exact: exact(&term.value),
                value: term.value.rounded(),
                text: in_words(&Share(term.value.clone()), self.scenario),
            }
        };
        let (sum_text, bound_text) = sum.sides.texts();
        ComparedSum {
            cluster: self.cluster,
            kind: match sum.kind {
                RatioKind::Utilizations => SumKind::Utilizations,
                RatioKind::Densities => SumKind::Densities,
                RatioKind::Successors => SumKind::Successors,
            },
            terms: sum.terms.iter().map(term).collect(),
            sum: sum.sides.left().rounded(),
            sum_text,
            bound: sum.sides.right().rounded(),
            bound_text,
            bound_formula: formula(sum.sides.right()),
            holds: sum.sides.holds(),
        }
    }

    fn load(&self, sum: &LoadSum) -> ComparedLoad {
        let term = |term: &steps::LoadTerm| LoadTerm {
            task: term.task.0,
            name: self.task(term.task),
            cost_ns: term.cost,
            period_ns: term.period,
            relative_deadline_ns: term.relative_deadline,
            exact: exact(&term.value),
            value: term.value.rounded(),
            text: in_words(&Share(term.value.clone()), self.scenario),
        };
        let (sum_text, bound_text) = sum.sides.texts();
        let bound_formula = match sum.sides.right() {
            Quantity::Rest { processors, .. } => format!("m (1 - λ) + λ, m = {processors}"),
            bound @ (Quantity::Fraction(_)
            | Quantity::Quotient(..)
            | Quantity::Sum(_)
            | Quantity::ProductOfSuccessors(_)
            | Quantity::LiuLayland(_)) => formula(bound),
        };
        ComparedLoad {
            cluster: self.cluster,
            task: sum.of.0,
            name: self.task(sum.of),
            cost_ns: sum.cost,
            relative_deadline_ns: sum.relative_deadline,
            terms: sum.terms.iter().map(term).collect(),
            sum: sum.sides.left().rounded(),
            sum_text,
            bound: sum.sides.right().rounded(),
            bound_text,
            bound_formula,
            holds: sum.sides.holds(),
        }
    }

    fn slack(&self, sum: &SlackSum) -> FoundSlack {
        let term = |term: &steps::SlackTerm| SlackTerm {
            task: term.task.0,
            name: self.task(term.task),
            jobs: term.jobs,
            cost_ns: term.cost,
            period_ns: term.period,
            slack_ns: term.slack,
            carried_ns: term.carried,
            counted_ns: term.counted,
        };
        FoundSlack {
            cluster: self.cluster,
            task: sum.of.0,
            name: self.task(sum.of),
            round: sum.round,
            within_ns: sum.within,
            room_ns: sum.room,
            processors: sum.processors,
            terms: sum.terms.iter().map(term).collect(),
            sum_ns: sum.sum,
            delay_ns: sum.delay,
            slack_ns: sum.slack,
        }
    }

    fn work(&self, sum: &WorkSum) -> ComparedWork {
        let term = |term: &CappedWork| WorkTerm {
            task: term.task.0,
            name: self.task(term.task),
            jobs: term.jobs,
            cost_ns: term.cost,
            carried_ns: term.carried,
            work_ns: term.work,
            counted_ns: term.counted,
        };
        ComparedWork {
            cluster: self.cluster,
            task: sum.of.0,
            name: self.task(sum.of),
            within_ns: sum.within,
            cap_ns: sum.cap,
            processors: sum.processors,
            terms: sum.terms.iter().map(term).collect(),
            sum_ns: sum.sum,
            room_ns: sum.room,
            may_be_equal: sum.may_be_equal,
            holds: sum.holds,
        }
    }

    fn response(&self, steps: &ResponseSteps) -> IteratedResponse {
        let before = |task: &GoesBefore| {
            let (jitter_cause, below_ns, carried_ns) = match task.jitter_cause {
                JitterCause::Jitter => (JitterCauseName::Jitter, None, None),
                JitterCause::CarryIn => (JitterCauseName::CarryIn, None, None),
                JitterCause::Suspension { below, carried } => {
                    (JitterCauseName::Suspension, Some(below), Some(carried))
                }
            };
            EarlierTask {
                task: task.task.0,
                name: self.task(task.task),
                cost_ns: task.cost,
                spinning_ns: task.spinning,
                period_ns: task.period,
                jitter_ns: task.jitter,
                jitter_cause,
                below_ns,
                carried_ns,
            }
        };
        IteratedResponse {
            cluster: self.cluster,
            task: steps.task.0,
            name: self.task(steps.task),
            window: match steps.rule {
                WindowRule::UntilCompletion => WindowRuleName::UntilCompletion,
                WindowRule::UntilBegin => WindowRuleName::UntilBegin,
                WindowRule::SuspensionAsJitter => WindowRuleName::SuspensionAsJitter,
                WindowRule::SuspensionByRule => WindowRuleName::SuspensionByRule,
            },
            cost_ns: steps.cost,
            blocking_ns: steps.blocking,
            period_ns: steps.period,
            jitter_ns: steps.jitter,
            relative_deadline_ns: steps.relative_deadline,
            before: steps.higher.iter().map(before).collect(),
            busy: steps.busy_period().iter().map(iterate).collect(),
            busy_left_out: steps.busy_left_out(),
            windows: steps.windows().iter().map(window).collect(),
            left_out: steps.left_out(),
            bound_ns: steps.bound.map(capped),
            from_arrival_ns: steps.bound.map(|bound| capped(bound + u128::from(self.delay))),
        }
    }

    fn sweep(&self, steps: &SweepSteps) -> SweptResponses {
        let task = |task: &steps::SweptTask| SweptTask {
            task: task.task.0,
            name: self.task(task.task),
            cost_ns: task.cost,
            period_ns: task.period,
            relative_deadline_ns: task.relative_deadline,
            jitter_ns: task.jitter,
            bound_ns: task.bound.map(capped),
            due_ns: task.due.map(signed),
        };
        let visited = |one: &steps::SweptDeadline| SweptDeadline {
            due_ns: signed(one.due),
            turns: one.turns,
            terms: one.jobs.iter().map(jobs).collect(),
            done_ns: capped(one.done),
        };
        SweptResponses {
            cluster: self.cluster,
            tasks: steps.tasks.iter().map(task).collect(),
            busy: steps.busy_period().iter().map(iterate).collect(),
            busy_left_out: steps.busy_left_out(),
            visited: steps.visited().iter().map(visited).collect(),
            left_out: steps.left_out(),
        }
    }

    fn demand(&self, steps: &DemandSteps) -> ExaminedDemand {
        let task = |due: &DueTask| DemandingTask {
            task: due.task.0,
            name: self.task(due.task),
            cost_ns: due.cost,
            period_ns: due.period,
            window_ns: due.window,
        };
        let visited = |one: &VisitedDeadline| VisitedDemand {
            within_ns: one.within,
            terms: one.jobs.iter().map(jobs).collect(),
            blocking_ns: one.blocking,
            demand_ns: capped(one.demand),
        };
        ExaminedDemand {
            cluster: self.cluster,
            tasks: steps.tasks.iter().map(task).collect(),
            limit_ns: steps.limit,
            limit_from_slack_ns: steps.known.from_slack,
            busy_period_ns: steps.known.busy_period,
            visited: steps.visited().iter().map(visited).collect(),
            left_out: steps.left_out(),
            result: match steps.end {
                DemandEnd::Fits => DemandResult::Fits,
                DemandEnd::Exceeds => DemandResult::Exceeds,
                DemandEnd::Spent => DemandResult::Spent,
            },
        }
    }

    fn blocking(&self, sum: &BlockingSum) -> SummedBlocking {
        let term = |CandidateSection { section, counts }: &CandidateSection| BlockingTerm {
            task: section.task.0,
            name: self.task(section.task),
            resource: self.scenario.resources[section.resource.index()].name.clone(),
            length_ns: section.length,
            counts: *counts,
        };
        SummedBlocking {
            cluster: self.cluster,
            task: sum.of.0,
            name: self.task(sum.of),
            rule: match sum.rule {
                BlockingRule::Longest => BlockingRuleName::Longest,
                BlockingRule::LongestOfEachTask => BlockingRuleName::LongestOfEachTask,
            },
            terms: sum.candidates.iter().map(term).collect(),
            total_ns: sum.total,
        }
    }

    fn delays(&self, sum: &DelaySum) -> SummedDelay {
        let term = |&DelayPart { section, cause }: &DelayPart| DelayTerm {
            task: section.task.0,
            name: self.task(section.task),
            resource: self.scenario.resources[section.resource.index()].name.clone(),
            cause: match cause {
                DelayCause::Waiting => DelayCauseName::Waiting,
                DelayCause::AheadOfHolder => DelayCauseName::AheadOfHolder,
                DelayCause::HolderKeptOff => DelayCauseName::HolderKeptOff,
                DelayCause::Arrival => DelayCauseName::Arrival,
                DelayCause::ArrivalSpinning => DelayCauseName::ArrivalSpinning,
                DelayCause::KeptOff => DelayCauseName::KeptOff,
            },
            length_ns: section.length,
            count: section.count,
            total_ns: section.total(),
        };
        SummedDelay {
            cluster: self.cluster,
            task: sum.of.0,
            name: self.task(sum.of),
            terms: sum.parts.iter().map(term).collect(),
            total_ns: sum.total,
        }
    }
}

fn iterate(one: &Iterate) -> WindowIterate {
    WindowIterate {
        window_ns: capped(one.window),
        terms: one.jobs.iter().map(jobs).collect(),
        next_ns: capped(one.next),
    }
}

fn window(steps: &WindowSteps) -> BusyWindow {
    BusyWindow {
        own_jobs: steps.own_jobs,
        own_ns: capped(steps.own),
        iterates: steps.iterates().iter().map(iterate).collect(),
        left_out: steps.left_out(),
        response_ns: steps.response.map(capped),
    }
}

fn jobs(of: &JobsOf) -> JobsTerm {
    JobsTerm { jobs: of.jobs, work_ns: capped(of.work) }
}

/// The bound of a sum in letters.
fn formula(bound: &Quantity) -> String {
    match bound {
        Quantity::LiuLayland(tasks) => format!("n (2^(1/n) - 1), n = {tasks}"),
        Quantity::Rest { processors, .. } => format!("m - (m - 1) times the largest, m = {processors}"),
        Quantity::Fraction(_)
        | Quantity::Quotient(..)
        | Quantity::Sum(_)
        | Quantity::ProductOfSuccessors(_) => bound.exact().unwrap_or_default(),
    }
}

/// The exact fraction, if it has few digits.
fn exact(value: &Quantity) -> Option<String> {
    value.exact().filter(|text| text.len() <= MOST_DIGITS)
}

/// An instant in ns, as far as 64 bits go.
fn signed(ns: i128) -> i64 {
    i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX })
}
