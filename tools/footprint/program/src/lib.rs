//! Programs without standard library: one entry point for each locking protocol, and one that uses none.
//!
//! The linker keeps what is reachable from one entry point; the symbols left are what the protocol costs.

#![no_std]

extern crate alloc;

use alloc::boxed::Box;
use core::alloc::{GlobalAlloc, Layout};
use schedlab_lock::{
    Effects, LockError, LockProtocol, LockSetup, MakeProtocol, Reply, Section, Turn, ALL_PROTOCOLS,
};
use schedlab_model::{Event, Instant, JobId, Jobs, ResourceId};

/// What the surrounding system passes in.
#[allow(improper_ctypes_definitions, reason = "no program calls it: only its code is measured")]
pub struct System<'a> {
    setup: LockSetup<'a>,
    jobs: &'a Jobs,
    now: Instant,
    job: JobId,
    event: Event,
}

extern "C" {
    /// The system's memory, which is not measured.
    fn take_memory(bytes: usize, align: usize) -> *mut u8;
}

struct Memory;

// SAFETY: the system gives memory of this size and alignment; it is never given back.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size and alignment may be asked for.
        unsafe { take_memory(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static MEMORY: Memory = Memory;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Makes a protocol and calls each of its operations.
#[inline(never)]
fn exercise(make: MakeProtocol, system: &System<'_>) -> u32 {
    let Ok(mut protocol) = make(&system.setup) else { return 1 };
    let mut effects = Effects::default();
    effects.renew(system.setup.tasks.len());
    let System { jobs, now, job, event, .. } = *system;
    let resource = ResourceId(0);
    let turn = &mut Turn { now, jobs, out: &mut effects };
    let section = Section { job, resource, units: 1 };
    protocol.note(event, turn);
    let answer = protocol.request(section, turn);
    protocol.release(section, turn);
    let done = protocol.commit(job, resource);
    u32::from(answer == Reply::Granted) + u32::from(done) + effects.as_slice().len() as u32
}

/// A protocol that does nothing: what remains of a program without one.
struct Nothing;

impl LockProtocol for Nothing {
    fn request(&mut self, _: Section, _: &mut Turn<'_>) -> Reply {
        Reply::Granted
    }

    fn release(&mut self, _: Section, _: &mut Turn<'_>) {}
}

fn make_nothing(setup: &LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError> {
    if setup.tasks.is_empty() {
        return Err(LockError::needs("tasks", "nothing"));
    }
    Ok(Box::new(Nothing))
}

/// Uses no protocol.
#[no_mangle]
pub extern "C" fn use_nothing(system: &System<'_>) -> u32 {
    exercise(make_nothing, system)
}

include!(concat!(env!("OUT_DIR"), "/entries.rs"));
