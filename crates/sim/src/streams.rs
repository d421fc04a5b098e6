//! The jobs to come of all tasks, and the tasks whose jobs become ready at this instant.

use crate::arrivals::Arrivals;
use crate::setup::Setup;
use crate::stream::Stream;
use schedlab_model::{Instant, JobSource, TaskId};

/// A stream of jobs for each task.
pub(crate) struct Streams<J> {
    source: J,
    streams: Vec<Stream>,
    arrivals: Arrivals,
    /// Tasks whose next job becomes ready at this instant.
    becoming_ready: Vec<TaskId>,
}

impl<J: JobSource> Streams<J> {
    /// The jobs of `source`; none was fetched.
    pub(crate) fn new(setup: &Setup, source: J) -> Self {
        let stream =
            |task: &schedlab_model::Task| Stream::new(setup.horizon.min(task.leave), task.relative_deadline);
        Streams {
            source,
            streams: setup.tasks.iter().map(stream).collect(),
            arrivals: Arrivals::new(&setup.tasks),
            becoming_ready: Vec::with_capacity(setup.tasks.len()),
        }
    }

    #[inline(always)]
    pub(crate) fn of(&self, task: TaskId) -> &Stream {
        &self.streams[task.index()]
    }

    #[inline(always)]
    pub(crate) fn of_mut(&mut self, task: TaskId) -> &mut Stream {
        &mut self.streams[task.index()]
    }

    /// Asks the source for the next job of `task`; none arrives from the task's leave or the horizon on.
    #[inline(always)]
    pub(crate) fn fetch(&mut self, task: TaskId) {
        if let Some(arrival) = self.streams[task.index()].fetch(task, &mut self.source) {
            self.arrivals.insert(task, arrival);
        }
    }

    /// When the first job arrives; never if there is none.
    #[inline(always)]
    pub(crate) fn first_arrival(&self) -> Instant {
        self.arrivals.first()
    }

    /// Whose job that is.
    pub(crate) fn first_to_arrive(&self) -> Option<TaskId> {
        self.arrivals.first_task()
    }

    /// The next task, by task, whose job arrives now.
    #[inline(always)]
    pub(crate) fn take_arrival(&mut self, now: Instant) -> Option<TaskId> {
        self.arrivals.take(now)
    }

    /// No job of `task` arrives from then on.
    pub(crate) fn end(&mut self, task: TaskId, at: Instant) {
        self.streams[task.index()].end(at);
        self.arrivals.remove(task);
    }

    /// A job of `task` becomes ready at this instant.
    #[inline(always)]
    pub(crate) fn become_ready(&mut self, task: TaskId) {
        self.becoming_ready.push(task);
    }

    /// True if jobs become ready at this instant.
    #[inline(always)]
    pub(crate) fn are_becoming_ready(&self) -> bool {
        !self.becoming_ready.is_empty()
    }

    /// Jobs become ready by task.
    #[inline(always)]
    pub(crate) fn sort_ready(&mut self) {
        if self.becoming_ready.len() > 1 && !self.becoming_ready.is_sorted() {
            self.becoming_ready.sort_unstable();
        }
    }

    /// The first tasks whose jobs become ready, if there are so many.
    #[inline(always)]
    pub(crate) fn ready(&self, at: usize) -> Option<TaskId> {
        self.becoming_ready.get(at).copied()
    }

    /// All have become ready.
    #[inline(always)]
    pub(crate) fn clear_ready(&mut self) {
        self.becoming_ready.clear();
    }
}
