//! Grouping of candidates that pose the same question, which is judged once: for example P-RM and P-DM if all deadlines
//! are implicit, or P-FP by a rule that gives the same priorities.

use super::place::Assigned;
use crate::prepare::prepared::Prepared;
use crate::prepare::scheduler::{cluster_size, Ordered};
use schedlab_analysis::AnalysedOrder;
use schedlab_model::{Cluster, ClusterId, LockingClass};

/// A candidate prepared, but not yet judged.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The candidate's index in the plan.
    pub(super) candidate: usize,
    /// Places by task; empty if they are not known.
    pub(super) places: Vec<Assigned>,
    /// The reason why the candidate cannot be judged; `None` if it can.
    pub(super) fails: Option<String>,
    /// The question that analysis has to answer; `None` if no other candidate is known to pose it.
    question: Option<Question>,
}

/// Everything that analysis reads and in which candidates for one scenario may differ.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Question {
    protocol: &'static str,
    classes: Vec<LockingClass>,
    ordered: Ordered,
    preemptive: bool,
    clusters: Vec<Cluster>,
    places: Vec<ClusterId>,
}

impl Outline {
    /// Outlines a candidate that cannot be judged.
    pub(super) fn failing(candidate: usize, reason: String) -> Outline {
        Outline { candidate, places: Vec::new(), fails: Some(reason), question: None }
    }

    /// Outlines a candidate that can be judged.
    pub(super) fn of(candidate: usize, prepared: &Prepared) -> Outline {
        let (places, question) = (Assigned::of_tasks(prepared), Question::of(prepared));
        Outline { candidate, places, fails: None, question }
    }
}

impl Question {
    /// Returns the question of a candidate; `None` if analysis reads more than a question holds: overheads are charged
    /// by scheduler and protocol, a split makes other tasks, and Pfair schedulers get other tasks. Orders that no test
    /// knows are never alike.
    fn of(prepared: &Prepared) -> Option<Question> {
        let scheduler = &prepared.scheduler;
        let ordered = Ordered::new(scheduler.class(), &prepared.tasks, cluster_size(&prepared.platform))?;
        let unknown = ordered.order == AnalysedOrder::Unanalysed;
        if unknown || !prepared.charged.overheads.are_none() || !prepared.pieces.is_empty() {
            return None;
        }
        Some(Question {
            protocol: prepared.protocol.name,
            classes: prepared.classes.clone(),
            ordered,
            preemptive: scheduler.is_preemptive(),
            clusters: prepared.platform.clusters.clone(),
            places: prepared.tasks.iter().map(|task| task.cluster).collect(),
        })
    }
}

/// Groups the outlines with equal questions.
pub(super) fn grouped(outlines: Vec<Outline>) -> Vec<Vec<Outline>> {
    let mut groups: Vec<Vec<Outline>> = Vec::new();
    for outline in outlines {
        let is_alike =
            |group: &&mut Vec<Outline>| outline.question.is_some() && group[0].question == outline.question;
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(outline),
            None => groups.push(vec![outline]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use crate::advise::{Outline, Plan};
    use crate::Catalog;
    use schedlab_scenario::Scenario;

    /// Plans for three tasks that share a resource on two processors; the second one has this relative deadline.
    fn plan(relative_deadline: &str) -> Plan {
        let program = "program = [\"execute 1 ms\", \"request R\", \"execute 100 us\", \"release R\"]\n";
        let task = |name: &str, rest: &str| {
            format!("[[task]]\nname = \"{name}\"\nwcet = \"1100 us\"\n{program}{rest}\n")
        };
        let text = format!(
            "schedlab = 1\nscheduler = \"P-EDF\"\nprotocol = \"msrp\"\nplatform = {{ processors = 2 }}\n[[resource]]\nname = \"R\"\n{}{}{}",
            task("a", "period = \"10 ms\""),
            task("b", &format!("period = \"20 ms\"\ndeadline = \"{relative_deadline}\"")),
            task("c", "period = \"40 ms\""),
        );
        let scenario = Scenario::parse("test", &text).expect("the scenario is well-formed");
        Plan::of(&scenario, &Catalog::shipped())
    }

    fn outlines(plan: &Plan) -> Vec<Outline> {
        (0..plan.ways()).filter_map(|index| plan.outline(index)).collect()
    }

    fn has_both(plan: &Plan, alike: &[Outline]) -> bool {
        let has = |name| alike.iter().any(|outline| plan.candidates[outline.candidate].scheduler == name);
        has("P-RM") && has("P-DM")
    }

    #[test]
    fn what_is_judged_together_is_judged_alike() {
        let plan = plan("20 ms");
        let groups = plan.alike(outlines(&plan));
        let together = groups.iter().filter(|group| has_both(&plan, group)).count();
        assert!(together > 10, "{together} of {}", groups.len());
        for group in groups.iter().filter(|group| group.len() > 1) {
            let alone = |outline: &Outline| plan.judge(std::slice::from_ref(outline)).remove(0).way;
            let found: Vec<_> = plan.judge(group).into_iter().map(|judged| judged.way).collect();
            assert_eq!(found, group.iter().map(alone).collect::<Vec<_>>());
        }
    }

    #[test]
    fn other_ranks_are_another_question() {
        let plan = plan("9 ms");
        assert!(!plan.alike(outlines(&plan)).iter().any(|group| has_both(&plan, group)));
    }
}
