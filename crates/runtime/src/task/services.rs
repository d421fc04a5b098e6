//! Sections that threads of servers execute for the threads of their clients.
//!
//! The client's thread puts the section's code down, and reports its request; the server's thread takes the code when
//! the engine lets the server execute it. The client's job goes on after that. At the end of the run, when no engine
//! decides any more, a client whose section was not begun takes its code back.

use schedlab_model::TaskId;
use std::sync::{Condvar, Mutex, MutexGuard};

/// The code of a section that another thread may execute.
pub(crate) type SectionCode = Box<dyn FnOnce() + Send>;

/// The state of a client's section.
#[derive(Default)]
enum Section {
    #[default]
    None,
    /// No thread executes the section yet.
    Waits(SectionCode),
    /// The server's thread executes it.
    Executes,
}

/// The section of one client, and the signal that the server's thread is done with it.
#[derive(Default)]
struct Client {
    section: Mutex<Section>,
    done: Condvar,
}

impl Client {
    fn lock(&self) -> MutexGuard<'_, Section> {
        self.section.lock().expect("no thread panics in here")
    }
}

/// By task: the section that a server executes for it. Threads call all this in the runtime's code, where no signal
/// stops them.
pub(crate) struct Services(Vec<Client>);

impl Services {
    /// The sections of `tasks` tasks, none of which is there.
    pub(crate) fn new(tasks: usize) -> Self {
        Services((0..tasks).map(|_| Client::default()).collect())
    }

    /// Puts down the code of the section for which the job of `client` asks next.
    pub(crate) fn put(&self, client: TaskId, code: SectionCode) {
        *self.0[client.index()].lock() = Section::Waits(code);
    }

    /// Takes the section of `client`, which the calling thread of its server executes; none if the client has taken it
    /// back.
    pub(crate) fn take(&self, client: TaskId) -> Option<Service<'_>> {
        let client = &self.0[client.index()];
        let mut section = client.lock();
        match std::mem::replace(&mut *section, Section::Executes) {
            Section::Waits(code) => Some(Service { client, code: Some(code) }),
            before @ (Section::None | Section::Executes) => {
                *section = before;
                None
            }
        }
    }

    /// Takes the section of `client` back if no thread has begun to execute it; waits while one does.
    pub(crate) fn take_back(&self, client: TaskId) -> Option<SectionCode> {
        let client = &self.0[client.index()];
        let mut section = client.lock();
        loop {
            match std::mem::take(&mut *section) {
                Section::None => return None,
                Section::Waits(code) => return Some(code),
                Section::Executes => *section = Section::Executes,
            }
            section = client.done.wait(section).expect("no thread panics in here");
        }
    }
}

/// A client's section that the thread of a server executes. Its end is noted even if the code panics.
pub(crate) struct Service<'a> {
    client: &'a Client,
    code: Option<SectionCode>,
}

impl Service<'_> {
    /// Executes the section's code.
    pub(crate) fn execute(&mut self) {
        if let Some(code) = self.code.take() {
            code();
        }
    }
}

impl Drop for Service<'_> {
    fn drop(&mut self) {
        *self.client.lock() = Section::None;
        self.client.done.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::sync::atomic::Ordering::SeqCst;
    use std::sync::Arc;

    const CLIENT: TaskId = TaskId(1);

    fn counting() -> (Arc<AtomicU32>, SectionCode) {
        let count = Arc::new(AtomicU32::new(0));
        let own = Arc::clone(&count);
        (count, Box::new(move || _ = own.fetch_add(1, SeqCst)))
    }

    #[test]
    fn a_section_is_executed_once_by_the_server_or_by_its_client() {
        let services = Services::new(2);
        assert!(services.take(CLIENT).is_none() && services.take_back(CLIENT).is_none());
        let (count, code) = counting();
        services.put(CLIENT, code);
        let mut service = services.take(CLIENT).unwrap();
        assert!(services.take(CLIENT).is_none(), "it was taken");
        service.execute();
        service.execute();
        drop(service);
        assert!(services.take_back(CLIENT).is_none());
        assert_eq!(count.load(SeqCst), 1);
        let (count, code) = counting();
        services.put(CLIENT, code);
        services.take_back(CLIENT).unwrap()();
        assert!(services.take(CLIENT).is_none(), "it was taken back");
        assert_eq!(count.load(SeqCst), 1);
    }

    /// The client waits while the server's thread is in its section, also if the section's code panics.
    #[test]
    fn a_client_waits_for_the_end_of_a_section_that_was_begun() {
        let services = Services::new(2);
        services.put(CLIENT, Box::new(|| panic!("the section's code crashes")));
        let mut service = services.take(CLIENT).unwrap();
        std::thread::scope(|scope| {
            let client = scope.spawn(|| services.take_back(CLIENT).is_none());
            scope.spawn(move || {
                let crashed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| service.execute()));
                assert!(crashed.is_err());
            });
            assert!(client.join().unwrap());
        });
    }
}
