//! Whatever goes wrong, the scheduler goes away, no thread is lost, and the end has a name.

use crate::support::{
    adopted, alone, become_fifo, limit, load, processors, settings, sleep_ms, state, until, Counter,
};
use schedlab_scx::{Follower, SchedulerEnd, Settings};
use std::io::Read;
use std::process::{Child, Command, Stdio};

/// Waits for the end that the kernel reports.
pub fn ending(reported: impl Fn() -> Option<SchedulerEnd>, limit_ms: u64) -> SchedulerEnd {
    assert!(until(limit_ms, || reported().is_some()), "the scheduler ends");
    assert!(until(limit(1_000), || state() == "disabled"), "no scheduler is loaded");
    reported().expect("it has just been there")
}

/// The file by which a processor is taken away and given back.
pub const ONLINE: &str = "/sys/devices/system/cpu/cpu1/online";
/// The file that stands for the kernel's keys.
pub const KEYS: &str = "/proc/sysrq-trigger";

/// True if the kernel has this file; else the test that needs it says so.
pub fn can_try(file: &str) -> bool {
    let has = std::path::Path::new(file).exists();
    if !has {
        println!("not tried: this kernel has no {file}");
    }
    has
}

/// Presses the kernel's key that ends all schedulers, which the scheduler has to report.
pub fn press_key(reported: impl Fn() -> Option<SchedulerEnd>) {
    std::fs::write(KEYS, "S").unwrap();
    assert_eq!(ending(reported, 20_000).name(), "unloaded by SysRq-S");
}

/// Takes a processor away until the scheduler has ended, and returns the end.
pub fn without_a_processor(reported: impl Fn() -> Option<SchedulerEnd>) -> SchedulerEnd {
    let all = processors();
    std::fs::write(ONLINE, "0").unwrap();
    let found = ending(reported, 20_000);
    std::fs::write(ONLINE, "1").unwrap();
    assert!(until(20_000, || processors() == all), "the processor is back");
    found
}

/// Loads the scheduler with a time-out of two seconds and this reserve, and adopts a thread that never sleeps.
fn short(reserve_ns: u64) -> (Follower, Counter) {
    become_fifo(60);
    let follower = Follower::load(&Settings { timeout_ms: 2_000, reserve_ns, ..settings() }).unwrap();
    let task = Counter::start(None);
    follower.adopt(task.thread, 1).unwrap();
    (follower, task)
}

/// Waits until the kernel ends the scheduler because a ready thread starves; afterwards all threads are ordinary again.
fn stalls(follower: Follower, threads: &[&Counter]) {
    let ending = ending(|| follower.ending(), 8_000);
    assert_eq!(ending.name(), "a ready thread got no processor in time", "{ending:?}");
    assert!(!ending.is_regular());
    drop(follower);
    assert!(threads.iter().all(|thread| thread.counts_within(2_000)), "no thread is lost");
}

/// Not a test: the process that `kill` ends. Its tasks never stop.
#[test]
#[ignore = "the process that other tests kill"]
fn hold_until_killed() {
    become_fifo(60);
    let follower = load();
    let _counters = adopted(&follower, 3);
    follower.relink([(0, 1), (1, 2)]);
    println!("holding");
    sleep_ms(600_000);
}

/// Starts this program again, where it holds a scheduler in the test of this name, and waits until it does.
pub fn holding(test: &str) -> Child {
    for _ in 0..20 {
        let mut child = started(test);
        if state() == "enabled" {
            return child;
        }
        // The host kept it from giving signs of life, and its scheduler is gone.
        child.kill().expect("it is there");
        child.wait().expect("it ends");
    }
    panic!("no scheduler stays in {test}");
}

/// Starts this program again in the test of this name, and waits until that says that it holds a scheduler.
fn started(test: &str) -> Child {
    let program = std::env::current_exe().expect("it is known");
    let mut child = Command::new(program)
        .args(["--ignored", "--exact", "--nocapture", test])
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program can be started");
    let mut said = String::new();
    let stdout = child.stdout.as_mut().expect("it is piped");
    let mut byte = [0];
    while !said.contains("holding") {
        assert_eq!(stdout.read(&mut byte).unwrap(), 1, "it ended: {said}");
        said.push(byte[0] as char);
    }
    child
}

#[test]
fn a_killed_process_leaves_no_scheduler_and_no_thread() {
    let _alone = alone();
    become_fifo(70);
    let mut child = holding("faults::hold_until_killed");
    child.kill().unwrap();
    // Sooner than signs of life that are missing would end it.
    assert!(until(500, || state() == "disabled"), "half a second after kill -9");
    child.wait().unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}", child.id())).exists());
    drop(load());
}

/// Not a test: the process whose controlling thread panics while its tasks never stop.
#[test]
#[ignore = "the process of another test, which panics"]
fn hold_and_panic() {
    become_fifo(60);
    let follower = load();
    // As in a run, no thread waits for the tasks' threads then.
    std::mem::forget(adopted(&follower, 3));
    follower.relink([(0, 1), (1, 2)]);
    println!("holding");
    sleep_ms(500);
    panic!("the controlling thread panics on purpose");
}

#[test]
fn a_panic_of_the_controlling_thread_leaves_no_scheduler_and_no_thread() {
    let _alone = alone();
    become_fifo(70);
    let mut child = holding("faults::hold_and_panic");
    assert!(until(limit(1_500), || state() == "disabled"), "a second after the panic");
    assert!(until(limit(2_000), || child.try_wait().unwrap().is_some()), "the process ends");
    assert_eq!(child.wait().unwrap().code(), Some(101));
    drop(load());
}

/// Stopped threads never give their links back; the scheduler goes away all the same, and the process goes on later.
#[test]
fn a_stopped_process_leaves_no_scheduler() {
    let _alone = alone();
    become_fifo(70);
    stop(holding("faults::hold_until_killed"));
    drop(load());
}

/// Stops the process, which holds a scheduler, and ends it.
pub fn stop(mut child: Child) {
    let signal = |number| {
        // SAFETY: it takes no memory; the child is there until it is waited for.
        assert_eq!(unsafe { libc::kill(child.id() as i32, number) }, 0);
    };
    signal(libc::SIGSTOP);
    let outside = Counter::start(None);
    assert!(until(limit(2_000), || state() == "disabled"), "two seconds after SIGSTOP");
    assert!(outside.counts_within(limit(2_000)), "the machine's other threads go on");
    signal(libc::SIGCONT);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_hog_of_a_real_time_class_ends_the_scheduler_in_time() {
    let _alone = alone();
    let (follower, task) = short(settings().reserve_ns);
    follower.relink([(0, 1)]);
    let hog = Counter::doing(Some(0), || become_fifo(50));
    stalls(follower, &[&task]);
    hog.end();
}

#[test]
fn a_ready_thread_that_is_never_linked_ends_the_scheduler_in_time() {
    let _alone = alone();
    let (follower, task) = short(settings().reserve_ns);
    stalls(follower, &[&task]);
}

/// Without a reserve an ordinary thread starves, and the kernel ends the scheduler.
#[test]
fn an_ordinary_thread_that_starves_ends_the_scheduler() {
    let _alone = alone();
    let (follower, task) = short(0);
    follower.relink([(0, 1)]);
    sleep_ms(50);
    let starves = Counter::start(Some(0));
    stalls(follower, &[&starves, &task]);
}

#[test]
fn the_key_of_the_kernel_ends_the_scheduler() {
    let _alone = alone();
    if !can_try(KEYS) {
        return;
    }
    let follower = load();
    press_key(|| follower.ending());
}

#[test]
fn a_processor_that_goes_away_ends_the_scheduler() {
    let _alone = alone();
    if !can_try(ONLINE) {
        return;
    }
    become_fifo(60);
    let follower = load();
    let tasks = adopted(&follower, processors());
    follower.relink((0..processors()).map(|processor| (processor, processor + 1)));
    sleep_ms(200);
    let found = without_a_processor(|| follower.ending());
    assert_eq!(found.name(), "unloaded by the kernel", "{found:?}");
    drop(tasks);
    drop(follower);
    drop(load());
}
