//! The future jobs of all tasks, and the tasks whose jobs become ready at this instant.

use crate::arrivals::Arrivals;
use crate::behaviour::Behaviour;
use crate::progress::Progress;
use crate::setup::Setup;
use crate::stream::Stream;
use schedlab_model::{at, at_mut, Instant, JobId, JobSource, TaskId, Work};

/// A job that arrives now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub job: JobId,
    pub absolute_deadline: Instant,
    pub release: Instant,
    pub cost: Work,
    /// True if the job is live at once: it is released, and its task has no other job.
    pub is_live: bool,
}

impl Arrived {
    /// Lets the job that `stream` has fetched arrive now.
    #[inline(always)]
    fn of(stream: &mut Stream, task: TaskId, now: Instant, by_timer: bool) -> Self {
        let next = stream.next();
        let arrived = Arrived {
            job: JobId::new(task, stream.count()),
            absolute_deadline: stream.deadline(now),
            release: next.release,
            cost: next.cost,
            is_live: by_timer && next.release == now && stream.is_empty(),
        };
        if arrived.is_live {
            stream.begin_job();
        }
        arrived
    }
}

/// A stream of jobs for each task, with their common source.
#[derive(Default)]
pub(crate) struct Streams<J> {
    source: J,
    streams: Vec<Stream>,
    /// Calendar of the next arrival of each task.
    pub arrivals: Arrivals,
    /// Tasks whose next job becomes ready at this instant.
    becoming_ready: Vec<TaskId>,
    /// True if some of these jobs do not become ready by an arrival, so that the tasks may not be in order.
    are_mixed: bool,
}

impl<J> Streams<J> {
    /// Replaces the source, none of whose jobs was fetched, and resets the streams, in the same memory.
    pub(crate) fn renewed<K>(mut self, setup: &Setup, source: K) -> Streams<K> {
        self.streams.truncate(setup.tasks.len());
        for (task, index) in setup.tasks.iter().zip(0..) {
            match self.streams.get_mut(index) {
                Some(stream) => stream.renew(task, setup.horizon),
                None => self.streams.push(Stream::new(task, setup.horizon)),
            }
        }
        self.arrivals.renew(&setup.tasks);
        self.becoming_ready.clear();
        self.becoming_ready.reserve(setup.tasks.len());
        Streams { are_mixed: false, ..self.with(source) }
    }

    /// Replaces the source, and keeps everything else.
    pub(crate) fn with<K>(self, source: K) -> Streams<K> {
        let Streams { streams, arrivals, becoming_ready, are_mixed, .. } = self;
        Streams { source, streams, arrivals, becoming_ready, are_mixed }
    }
}

impl<J: JobSource> Streams<J> {
    #[inline(always)]
    pub(crate) fn of(&self, task: TaskId) -> &Stream {
        at(&self.streams, task.index())
    }

    #[inline(always)]
    pub(crate) fn of_mut(&mut self, task: TaskId) -> &mut Stream {
        at_mut(&mut self.streams, task.index())
    }

    /// Fetches the next job of `task` from the source; none arrives from the task's leave or the horizon on.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, task: TaskId) {
        if let Some(arrival) = at_mut(&mut self.streams, task.index()).fetch(task, &mut self.source) {
            self.arrivals.insert(task, arrival);
        }
    }

    /// Lets the next job of `task`, which the source does not know, arrive at `at`. Returns it, unless another job of
    /// the task is to arrive, or none does any more by then.
    pub(crate) fn let_arrive(&mut self, task: TaskId, at: Instant) -> Option<JobId> {
        let number = at_mut(&mut self.streams, task.index()).let_arrive(at)?;
        self.arrivals.insert(task, at);
        Some(JobId::new(task, number))
    }

    /// Lets the fetched job of `task`, which has no steps, arrive now, and fetches the next one. If releases are
    /// `by_timer`, released jobs need no tick to be noticed.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, task: TaskId, now: Instant, by_timer: bool) -> Arrived {
        let stream = at_mut(&mut self.streams, task.index());
        let arrived = Arrived::of(stream, task, now, by_timer);
        if let Some(arrival) = stream.fetch(task, &mut self.source) {
            self.arrivals.insert_later(task, arrival);
        }
        arrived
    }

    /// Lets the fetched job of `task`, which may have steps, arrive now. If it is live, its steps become those of
    /// `progress`; if not, the caller queues it. In both cases [`Streams::end_arrival`] follows.
    #[inline(always)]
    pub(crate) fn begin_arrival(
        &mut self,
        task: TaskId,
        now: Instant,
        by_timer: bool,
        progress: &mut Progress<impl Behaviour>,
    ) -> Arrived {
        let stream = at_mut(&mut self.streams, task.index());
        let arrived = Arrived::of(stream, task, now, by_timer);
        if arrived.is_live {
            stream.give_steps(progress, self.source.repeats_steps());
        }
        arrived
    }

    /// Fetches the job after the one that arrived.
    #[inline(always)]
    pub(crate) fn end_arrival(&mut self, task: TaskId) {
        if let Some(arrival) = at_mut(&mut self.streams, task.index()).fetch(task, &mut self.source) {
            self.arrivals.insert_later(task, arrival);
        }
    }

    /// Lets the task leave at that instant: no job of it arrives from then on.
    pub(crate) fn leave_at(&mut self, task: TaskId, at: Instant) {
        self.streams[task.index()].leave_at(at);
        self.arrivals.remove(task);
    }

    /// Notes that a job of `task` becomes ready at this instant. `arrives` is false if it arrived before.
    #[inline(always)]
    pub(crate) fn become_ready(&mut self, task: TaskId, arrives: bool) {
        self.are_mixed |= !arrives;
        self.becoming_ready.push(task);
    }

    /// True if jobs become ready at this instant.
    #[inline(always)]
    pub(crate) fn are_becoming_ready(&self) -> bool {
        !self.becoming_ready.is_empty()
    }

    /// Sorts the tasks whose jobs become ready.
    #[inline(always)]
    pub(crate) fn sort_ready(&mut self) {
        if core::mem::take(&mut self.are_mixed) {
            self.becoming_ready.sort_unstable();
        }
    }

    /// Returns the task at `index` among those whose jobs become ready, if there is one.
    #[inline(always)]
    pub(crate) fn ready(&self, index: usize) -> Option<TaskId> {
        self.becoming_ready.get(index).copied()
    }

    /// Clears the tasks, after all their jobs have become ready.
    #[inline(always)]
    pub(crate) fn clear_ready(&mut self) {
        self.becoming_ready.clear();
    }
}
