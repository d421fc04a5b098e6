//! Writes computations of tests as plain values.

use super::{
    BlockingRuleName, BlockingTerm, BusyWindow, ComparedSum, ComparedWork, DemandResult, DemandingTask,
    EarlierTask, ExaminedDemand, IteratedResponse, JobsTerm, SumKind, SumTerm, SummedBlocking, TestSteps,
    VisitedDemand, WindowIterate, WorkTerm,
};
use crate::reason::in_words;
use schedlab_analysis::steps::{
    BlockingRule, BlockingSum, CandidateSection, CappedWork, Computation, DemandEnd, DemandSteps, DueTask,
    GoesBefore, Iterate, JobsOf, RatioKind, RatioSum, RatioTerm, ResponseSteps, Steps, VisitedDeadline,
    WindowSteps, WorkSum,
};
use schedlab_analysis::{Quantity, Share};
use schedlab_model::{ClusterId, TaskId};
use schedlab_scenario::Scenario;

impl TestSteps {
    /// Writes the steps of a test by cluster; `None` if the test has none.
    pub(in crate::results) fn of(steps: &[(ClusterId, Steps)], scenario: &Scenario) -> Option<TestSteps> {
        let mut all = TestSteps { is_cut: steps.iter().any(|(_, one)| one.is_cut), ..TestSteps::default() };
        for (cluster, steps) in steps {
            let names = Names { scenario, cluster: cluster.0 };
            for computation in &steps.computations {
                match computation {
                    Computation::Ratio(sum) => all.sums.push(names.sum(sum)),
                    Computation::Work(sum) => all.works.push(names.work(sum)),
                    Computation::Response(steps) => all.responses.push(names.response(steps)),
                    Computation::Demand(steps) => all.demands.push(names.demand(steps)),
                    Computation::Blocking(sum) => all.blocking.push(names.blocking(sum)),
                }
            }
        }
        (!steps.is_empty()).then_some(all)
    }
}

/// Most digits of an exact fraction that is written.
const MOST_DIGITS: usize = 60;

/// Writer of one cluster's steps.
struct Names<'a> {
    scenario: &'a Scenario,
    cluster: u16,
}

impl Names<'_> {
    fn task(&self, id: TaskId) -> String {
        self.scenario.tasks[id.index()].name.clone()
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
                exact: term.value.exact().filter(|text| text.len() <= MOST_DIGITS),
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
                RatioKind::Loads => SumKind::Loads,
            },
            task: sum.of.map(|task| task.0),
            name: sum.of.map(|task| self.task(task)),
            terms: sum.terms.iter().map(term).collect(),
            sum: sum.sides.left().rounded(),
            sum_text,
            bound: sum.sides.right().rounded(),
            bound_text,
            bound_formula: formula(sum.kind, sum.sides.right()),
            holds: sum.sides.holds(),
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
        let before = |task: &GoesBefore| EarlierTask {
            task: task.task.0,
            name: self.task(task.task),
            cost_ns: task.cost,
            period_ns: task.period,
            jitter_ns: task.jitter,
        };
        IteratedResponse {
            cluster: self.cluster,
            task: steps.task.0,
            name: self.task(steps.task),
            cost_ns: steps.cost,
            blocking_ns: steps.blocking,
            period_ns: steps.period,
            jitter_ns: steps.jitter,
            relative_deadline_ns: steps.relative_deadline,
            before: steps.higher.iter().map(before).collect(),
            windows: steps.windows().iter().map(window).collect(),
            left_out: steps.left_out(),
            bound_ns: steps.bound.map(capped),
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
}

fn window(steps: &WindowSteps) -> BusyWindow {
    let iterate = |one: &Iterate| WindowIterate {
        window_ns: capped(one.window),
        terms: one.jobs.iter().map(jobs).collect(),
        next_ns: capped(one.next),
    };
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
fn formula(kind: RatioKind, bound: &Quantity) -> String {
    match (kind, bound) {
        (_, Quantity::LiuLayland(tasks)) => format!("n (2^(1/n) - 1), n = {tasks}"),
        (RatioKind::Loads, Quantity::Rest { processors, .. }) => {
            format!("m (1 - C_k/D_k) + C_k/D_k, m = {processors}")
        }
        (_, Quantity::Rest { processors, .. }) => format!("m - (m - 1) times the largest, m = {processors}"),
        (
            _,
            Quantity::Fraction(_)
            | Quantity::Quotient(..)
            | Quantity::Sum(_)
            | Quantity::ProductOfSuccessors(_),
        ) => bound.exact().unwrap_or_default(),
    }
}

/// A time in ns, at most the largest that 64 bits hold.
fn capped(ns: u128) -> u64 {
    u64::try_from(ns).unwrap_or(u64::MAX)
}
