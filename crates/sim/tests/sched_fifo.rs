//! The model of Linux's `SCHED_FIFO`: a drawn example, the kernel's functions taken literally, and what must hold.

mod costs;
mod throttling;

use crate::support;
use schedlab_model::*;
use schedlab_trace::Timeline;
use support::{completions, draw, run, task};

/// The kernel's functions (`kernel/sched/rt.c`), by their names, on plain lists; one nanosecond at a time.
struct Literally<'a> {
    tasks: &'a [Task],
    /// By processor: threads that may run, by priority, then in their order; the current one is among them.
    active: Vec<Vec<usize>>,
    current: Vec<Option<usize>>,
    /// By processor: threads that may be pushed, by priority, then in the order in which they were added.
    pushable: Vec<Vec<usize>>,
    need_resched: Vec<bool>,
    /// By task: the processor of its run queue.
    task_cpu: Vec<usize>,
    left: Vec<u64>,
    backlog: Vec<u64>,
    /// Moves so far: the processor that made each, the thread, and true if it was a pull.
    moves: Vec<(usize, usize, bool)>,
    /// The runtime and the period, if there is throttling.
    rt_bandwidth: Option<(u64, u64)>,
    /// By processor.
    rt_time: Vec<u64>,
    rt_throttled: Vec<bool>,
}

const IDLE: u32 = u32::MAX;

impl<'a> Literally<'a> {
    fn new(tasks: &'a [Task], processors: usize) -> Self {
        Literally {
            tasks,
            active: vec![Vec::new(); processors],
            current: vec![None; processors],
            pushable: vec![Vec::new(); processors],
            need_resched: vec![false; processors],
            task_cpu: (0..tasks.len()).map(|task| task % processors).collect(),
            left: vec![0; tasks.len()],
            backlog: vec![0; tasks.len()],
            moves: Vec::new(),
            rt_bandwidth: None,
            rt_time: vec![0; processors],
            rt_throttled: vec![false; processors],
        }
    }

    fn prio(&self, task: usize) -> u32 {
        self.tasks[task].fixed_priority
    }

    fn curr_prio(&self, cpu: usize) -> u32 {
        self.current[cpu].map_or(IDLE, |task| self.prio(task))
    }

    fn highest_prio(&self, cpu: usize) -> u32 {
        self.active[cpu].first().map_or(IDLE, |task| self.prio(*task))
    }

    fn add(&self, list: &[usize], task: usize) -> usize {
        list.iter().position(|other| self.prio(*other) > self.prio(task)).unwrap_or(list.len())
    }

    fn enqueue_task(&mut self, cpu: usize, task: usize) {
        self.task_cpu[task] = cpu;
        let index = self.add(&self.active[cpu], task);
        self.active[cpu].insert(index, task);
        self.enqueue_pushable_task(cpu, task);
    }

    fn enqueue_pushable_task(&mut self, cpu: usize, task: usize) {
        let index = self.add(&self.pushable[cpu], task);
        self.pushable[cpu].insert(index, task);
    }

    fn dequeue_task(&mut self, cpu: usize, task: usize) {
        self.active[cpu].retain(|other| *other != task);
        self.pushable[cpu].retain(|other| *other != task);
    }

    fn find_lowest_rq(&self, task: usize) -> Option<usize> {
        let processors = 0..self.active.len();
        let lowest = processors.clone().map(|cpu| self.highest_prio(cpu)).max()?;
        let lowest_mask: Vec<usize> = processors.filter(|cpu| self.highest_prio(*cpu) == lowest).collect();
        if lowest <= self.prio(task) {
            None
        } else if lowest_mask.contains(&self.task_cpu[task]) {
            Some(self.task_cpu[task])
        } else {
            lowest_mask.first().copied()
        }
    }

    fn try_to_wake_up(&mut self, task: usize) {
        let mut cpu = self.task_cpu[task];
        if self.current[cpu].is_some() && self.curr_prio(cpu) <= self.prio(task) {
            cpu = self.find_lowest_rq(task).unwrap_or(cpu);
        }
        self.enqueue_task(cpu, task);
        if self.prio(task) < self.curr_prio(cpu) {
            self.need_resched[cpu] = true;
        } else {
            self.push_rt_tasks(cpu);
        }
        self.schedule_all();
    }

    fn push_rt_tasks(&mut self, cpu: usize) {
        while let Some(&next) = self.pushable[cpu].first() {
            if self.prio(next) < self.curr_prio(cpu) {
                self.need_resched[cpu] = true;
                return;
            }
            let Some(lowest) = self.find_lowest_rq(next) else { return };
            self.dequeue_task(cpu, next);
            self.enqueue_task(lowest, next);
            self.moves.push((cpu, next, false));
            self.need_resched[lowest] = true;
        }
    }

    fn pull_rt_task(&mut self, this: usize) {
        for source in 0..self.active.len() {
            let Some(&next) = self.pushable[source].first() else { continue };
            let is_higher = self.prio(next) < self.highest_prio(this);
            if source != this && is_higher && self.prio(next) >= self.curr_prio(source) {
                self.dequeue_task(source, next);
                self.enqueue_task(this, next);
                self.moves.push((this, next, true));
            }
        }
    }

    fn schedule(&mut self, cpu: usize) {
        self.need_resched[cpu] = false;
        let next = self.active[cpu].first().copied().filter(|_| !self.rt_throttled[cpu]);
        if next != self.current[cpu] {
            if let Some(preempted) = self.current[cpu] {
                self.enqueue_pushable_task(cpu, preempted);
            }
            self.current[cpu] = next;
        }
        if let Some(next) = next {
            self.pushable[cpu].retain(|task| *task != next);
            self.push_rt_tasks(cpu);
        }
    }

    fn schedule_all(&mut self) {
        while let Some(cpu) = self.need_resched.iter().position(|needed| *needed) {
            self.schedule(cpu);
        }
    }

    /// The thread's job is complete: it goes on with the next one, or sleeps.
    fn complete(&mut self, task: usize) {
        let cpu = self.task_cpu[task];
        self.backlog[task] -= 1;
        self.left[task] = self.tasks[task].wcet.as_ns();
        if self.backlog[task] == 0 {
            self.dequeue_task(cpu, task);
            if self.current[cpu] != Some(task) {
                return;
            }
            self.current[cpu] = None;
            if self.highest_prio(cpu) > self.prio(task) {
                self.pull_rt_task(cpu);
            }
            self.need_resched[cpu] = true;
            self.schedule_all();
        }
    }

    /// What the last nanosecond used (`update_curr_rt`), and what a period's end gives (`do_sched_rt_period_timer`).
    fn account(&mut self, now: u64) {
        let Some((rt_runtime, rt_period)) = self.rt_bandwidth else { return };
        for cpu in 0..self.active.len() {
            self.rt_time[cpu] += u64::from(self.current[cpu].is_some());
            if now % rt_period == 0 {
                self.rt_time[cpu] -= self.rt_time[cpu].min(rt_runtime);
            }
            // The kernel finds that out later, when it is more than the runtime.
            let exceeded = self.rt_time[cpu] >= rt_runtime && rt_runtime < rt_period;
            self.need_resched[cpu] |= exceeded != self.rt_throttled[cpu];
            self.rt_throttled[cpu] = exceeded;
        }
        self.schedule_all();
    }

    /// Handles what happens at `now`: the threads that are `complete`, and arrivals.
    fn happens(&mut self, now: u64, complete: Vec<usize>) {
        self.account(now);
        complete.into_iter().for_each(|task| self.complete(task));
        for (index, task) in self.tasks.iter().enumerate() {
            let since = now.checked_sub(task.offset.as_ns());
            if since.is_some_and(|since| since % task.period.as_ns() == 0) {
                self.backlog[index] += 1;
                if self.backlog[index] == 1 {
                    self.left[index] = task.wcet.as_ns();
                    self.try_to_wake_up(index);
                }
            }
        }
    }

    /// Until `horizon`, drawn. Without throttling, in every instant the most urgent threads run: as many as there are
    /// processors.
    fn drawn(&mut self, horizon: u64) -> String {
        let mut rows = vec![String::new(); self.active.len()];
        for now in 0..horizon {
            let complete: Vec<usize> =
                self.current.iter().flatten().copied().filter(|task| self.left[*task] == 0).collect();
            self.happens(now, complete);
            let running: Vec<u32> = (0..self.active.len()).map(|cpu| self.curr_prio(cpu)).collect();
            let waiting = self.pushable.iter().flatten().map(|task| self.prio(*task)).min();
            let most_urgent = waiting.unwrap_or(IDLE) >= running.into_iter().max().unwrap();
            assert!(most_urgent || self.rt_bandwidth.is_some(), "{:?}", self.active);
            for (cpu, row) in rows.iter_mut().enumerate() {
                row.push(self.current[cpu].map_or('.', |task| char::from(b'A' + task as u8)));
                self.current[cpu].inspect(|task| self.left[*task] -= 1);
            }
        }
        rows.join(" / ")
    }
}

fn with_priority(cost: u64, period: u64, fixed_priority: u32) -> Task {
    Task { fixed_priority, ..task(cost, period, period) }
}

/// The example of the policy's file, beside G-FP with the same priorities.
#[test]
fn a_thread_wakes_up_where_it_slept() {
    let mut tasks = vec![with_priority(4, 12, 2), with_priority(2, 12, 1), with_priority(2, 12, 1)];
    (tasks[0].offset, tasks[1].offset) = (Instant::from_ns(1), Instant::from_ns(3));
    let drawn = |name| draw(&run(tasks.clone(), name, 2, 6), 2, 6);
    assert_eq!(drawn("SCHED_FIFO"), "CC.AA. / .AABB.");
    assert_eq!(drawn("G-FP"), "CC.BB. / .AAAA.");
}

/// Numbers of a seed.
struct Draw(u32);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u64::from(self.0 >> 8) % limit
    }

    /// Some with distinct priorities, some with few, some with one; of any load.
    fn tasks(&mut self, strict: bool) -> Vec<Task> {
        let (count, costs, priorities) = (1 + self.below(9), 1 + self.below(7), 1 + self.below(4));
        let mut ranks: Vec<u32> = (0..count as u32).collect();
        for index in (1..count).rev() {
            ranks.swap(index as usize, self.below(index + 1) as usize);
        }
        let one = |rank| {
            let period = 3 + self.below(17);
            let given = if strict { rank } else { self.below(priorities) as u32 };
            let mut task = with_priority((1 + self.below(costs)).min(period), period, given);
            task.offset = Instant::from_ns(self.below(8));
            task
        };
        ranks.into_iter().map(one).collect()
    }
}

const HORIZON: u64 = 150;

fn drawn(tasks: &[Task], name: &str, processors: u16) -> (Timeline, String) {
    let timeline = run(tasks.to_vec(), name, processors, HORIZON);
    let row = draw(&timeline, processors, HORIZON);
    (timeline, row)
}

/// Random systems: the model is the kernel's functions taken literally. Where priorities are distinct, jobs complete
/// as under G-FP, though on other processors.
#[test]
fn as_the_kernel_does() {
    let (mut pulls, mut elsewhere, mut strict) = (0, 0, 0);
    for seed in 0..3_000 {
        let mut random = Draw(seed);
        let processors = 1 + random.below(4) as u16;
        let is_strict = seed % 3 == 0;
        let tasks = random.tasks(is_strict);
        let (timeline, found) = drawn(&tasks, "SCHED_FIFO", processors);
        let mut literally = Literally::new(&tasks, processors.into());
        assert_eq!(found, literally.drawn(HORIZON), "seed {seed}: {tasks:?}");
        pulls += literally.moves.iter().filter(|(.., is_pull)| *is_pull).count();
        if is_strict {
            let (global, other) = drawn(&tasks, "G-FP", processors);
            assert_eq!(completions(&timeline), completions(&global), "seed {seed}");
            elsewhere += usize::from(found != other);
            strict += 1;
        }
    }
    println!("{pulls} pulls; in {elsewhere} of {strict} systems jobs run elsewhere than under G-FP");
    assert!(pulls > 10_000 && elsewhere > strict / 4, "{pulls} {elsewhere} {strict}");
}

/// Threads that are bound to processors: with distinct priorities this is P-FP; equal ones go first come, first served.
#[test]
fn bound_threads_are_those_of_fixed_priorities() {
    let mut differ = 0;
    for seed in 0..1_000 {
        let mut random = Draw(seed);
        let is_strict = seed % 2 == 0;
        let mut tasks = random.tasks(is_strict);
        tasks.iter_mut().enumerate().for_each(|(index, task)| task.cluster = ClusterId(index as u16 % 2));
        let [(_, bound), (_, ours)] = ["P-SCHED_FIFO", "P-FP"].map(|name| drawn(&tasks, name, 2));
        assert!(!is_strict || bound == ours, "seed {seed}: {bound} and {ours}");
        differ += usize::from(bound != ours);
    }
    assert!(differ > 100, "equal priorities: {differ}");
}
