//! Has the jobs of event-driven tasks arrive for which threads have called.

use super::core::Core;
use crate::record::inputs::EngineInput;
use crate::timers::calls::{Bell, EventSource};
use schedlab_model::{Instant, Task, TaskId};
use std::sync::Arc;

/// The event-driven tasks of a domain.
#[derive(Debug, Default)]
pub(crate) struct EventDriven {
    sources: Vec<(TaskId, EventSource)>,
    /// The bell of all of them.
    bell: Arc<Bell>,
}

impl EventDriven {
    /// The tasks of `all`, by task, that have a source and are `wanted`.
    pub(crate) fn of(all: &[Option<EventSource>], tasks: &[Task], wanted: impl Fn(TaskId) -> bool) -> Self {
        let bell = Arc::default();
        let mut sources = Vec::new();
        for ((source, task), id) in all.iter().zip(tasks).zip((0..).map(TaskId)) {
            if let Some(source) = source.as_ref().filter(|_| wanted(id)) {
                source.prepare(task, &bell);
                sources.push((id, source.clone()));
            }
        }
        EventDriven { sources, bell }
    }

    /// The bell that rings at calls, if any task is event-driven.
    pub(crate) fn bell(&self) -> Option<&Bell> {
        (!self.sources.is_empty()).then_some(&*self.bell)
    }

    /// True if the engine does not know of a call yet.
    pub(super) fn are_waiting(&self) -> bool {
        self.sources.iter().any(|(_, source)| source.is_waiting())
    }
}

impl Core {
    /// Lets those jobs arrive for which threads have called, each at the time of its call, as far as the engine has
    /// decided nothing since. The call after an arrival that is due and was not handled yet has to wait until it is.
    pub(super) fn take_calls(&mut self, tasks: &EventDriven) {
        for (task, source) in &tasks.sources {
            if self.live.next_arrival(*task) != Instant::NEVER {
                continue;
            }
            source.take(|called| {
                let before = self.live.now();
                let (job, arrival) = self.live.let_arrive(*task, called)?;
                self.remember(before, job, EngineInput::Called(arrival));
                Some(arrival)
            });
        }
    }
}
