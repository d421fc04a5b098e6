//! Decisions of policies, and how they are carried out.

use super::Engine;
use crate::behaviour::Source;
use crate::clusters::Decided;
use schedlab_lock::LockProtocol;
use schedlab_model::{ClusterId, Event, JobId, JobState};
use schedlab_policy::{Annotation, Decision, Policy};
use schedlab_trace::{Record, Sink};

impl<P: Policy, L: LockProtocol, J: Source, S: Sink, const WHOLE: bool> Engine<P, L, J, S, WHOLE> {
    /// Lets each cluster that was notified decide, by cluster. Most often one processor has to look and no other look
    /// is due; it then looks at once.
    #[inline(always)]
    pub(super) fn decide(&mut self) {
        while let Some(cluster) = self.clusters.take_touched() {
            if WHOLE {
                self.stop_world(cluster);
            }
            match self.clusters.decide(cluster, self.now, &self.jobs) {
                Decided::Nothing => {}
                Decided::Look(cpu, link) => {
                    let (look, at_once) = self.record_link(cpu, link);
                    if at_once && !self.clusters.are_touched() && !self.processors.are_looks() {
                        return self.look(look);
                    }
                    self.request_look(cpu, at_once);
                }
                Decided::Several => {
                    self.carry_out_all(cluster);
                    if self.streams.are_becoming_ready() {
                        // The cluster must know the successors of the jobs that it gave up before it starts any.
                        return;
                    }
                }
            }
        }
    }

    fn carry_out_all(&mut self, cluster: ClusterId) {
        for index in 0.. {
            let Some(decision) = self.clusters.decisions.others().get(index).copied() else { break };
            self.carry_out(cluster, decision);
        }
        for index in 0.. {
            let Some(annotation) = self.clusters.decisions.annotations().get(index).copied() else { break };
            self.record(match annotation {
                Annotation::Subtask { cpu, job, release, deadline } => {
                    Record::Subtask { cpu, job, release, deadline }
                }
                Annotation::Waste { cpu, until } => Record::Waste { cpu, until },
                Annotation::ServerUse { server, used } => Record::ServerUse { server, used },
                Annotation::ServerBudget { server, left, absolute_deadline } => {
                    Record::ServerBudget { server, left, absolute_deadline }
                }
            });
        }
        self.owe_moves();
        for index in 0.. {
            let Some(cpu) = self.clusters.decisions.looks().get(index).copied() else { break };
            let link = self.clusters.linked(cluster, cpu).into();
            let (_, at_once) = self.record_link(cpu, link);
            // A processor to which a thread moves is notified when it is there.
            if !self.is_on_its_way(link) {
                self.request_look(cpu, at_once);
            }
        }
        self.clusters.decisions.clear();
    }

    fn carry_out(&mut self, cluster: ClusterId, decision: Decision) {
        match decision {
            Decision::SetPriority(job, priority) => self.set_base_priority(job, priority),
            Decision::Timer(key, at) => self.timers.arm(self.now, cluster, key, at),
            Decision::Budget(job, budget) => self.set_budget(job, budget),
            Decision::Abort(job) => self.abort(job),
            Decision::Move(job, to) => self.move_job(job, to),
        }
    }

    /// Moves the job to another cluster.
    pub(super) fn move_job(&mut self, job: JobId, to: ClusterId) {
        let from = self.cluster_of(job);
        if from == to {
            return;
        }
        if let Some(cpu) = self.jobs.get(job).scheduled_on {
            self.preempt(cpu, job);
            self.processors.look_soon(cpu);
        }
        self.record(Record::Move { job, cluster: to });
        let ready = self.jobs.get(job).state == JobState::Ready;
        if ready {
            self.tell(from, Event::Suspended(job));
        }
        self.jobs.move_to(job, to);
        if ready {
            self.tell(to, Event::Resumed(job));
        }
    }
}
