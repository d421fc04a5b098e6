//! What the live engine calls local, the end of a section that concerns no other processor, changes nothing on any other.

mod locks;
mod support;

use locks::random::Random;
use locks::*;
use schedlab_lock::*;
use schedlab_model::*;
use schedlab_policy::{find, Policy};
use schedlab_sim::{Input, Live};
use schedlab_trace::Timeline;
use schedlab_workload::arrivals::PeriodicSource;
use support::*;

const R: ResourceId = ResourceId(0);
const HORIZON: u64 = 100_000;

type Engine = Live<Box<dyn Policy>, Box<dyn LockProtocol>, PeriodicSource, Timeline>;

/// A machine on which scheduled jobs do what they may, at random.
struct Machine {
    live: Engine,
    processors: u16,
    now: u64,
    holds: Vec<bool>,
    depth: Vec<u32>,
    /// Ends of sections that were local, and those of them that gave a processor to another job.
    local: [u32; 2],
}

impl Machine {
    fn new(scheduler: &str, make: Make, processors: u16, random: &mut Random) -> Self {
        let section = vec![Step::Request(R, 1), Step::Execute(Work::from_ns(9)), Step::Release(R, 1)];
        let tasks: Vec<Task> = (0..3 * processors)
            .map(|at| Task {
                program: section.clone(),
                cluster: ClusterId(if scheduler.starts_with('P') { at % processors } else { 0 }),
                offset: Instant::from_ns(random.below(100)),
                ..task(9, 900 + random.below(4_000), 9 + random.below(800))
            })
            .collect();
        let setup = ideal(tasks, platform(find(scheduler).unwrap().scope, processors, 1), HORIZON);
        let locks = locks(&setup, &[Resource { units: 1 }], scheduler, make);
        let policies = policies(scheduler, &setup.platform, &setup.tasks);
        let (source, count) = (periodic(&setup.tasks), setup.tasks.len());
        let live = Live::new(setup, policies, locks, source, Timeline::default());
        Machine { live, processors, now: 0, holds: vec![false; count], depth: vec![0; count], local: [0; 2] }
    }

    /// By processor: who executes, who is to, and whether it spins.
    fn all(&self) -> Vec<(Option<JobId>, Option<JobId>, bool)> {
        let spins = |job: Option<JobId>| job.is_some_and(|job| self.live.is_spinning(job));
        let on = |cpu| (self.live.scheduled(cpu), self.live.linked(cpu), spins(self.live.scheduled(cpu)));
        (0..self.processors).map(CpuId).map(on).collect()
    }

    fn choose(&self, task: usize, random: &mut Random) -> Option<Input> {
        let (holds, depth) = (self.holds[task], self.depth[task]);
        match random.below(9) {
            0 | 1 if depth < 2 => Some(Input::NpEnter),
            2..5 if depth > 0 => Some(Input::NpExit),
            5 if holds => Some(Input::Release(R, 1)),
            6 if !holds && depth == 0 => Some(Input::Request(R, 1)),
            7 | 8 if !holds && depth == 0 => Some(Input::Complete),
            _ => None,
        }
    }

    fn act(&mut self, random: &mut Random) {
        self.now += 1 + random.below(6);
        let now = Instant::from_ns(self.now);
        if random.below(4) == 0 {
            // A timer thread tells of the time.
            return self.live.advance(now);
        }
        let cpu = CpuId(random.below(self.processors.into()) as u16);
        let Some(job) = self.live.scheduled(cpu).filter(|job| !self.live.is_spinning(*job)) else { return };
        let task = job.task.index();
        let Some(input) = self.choose(task, random) else { return };
        let (local, before) = (self.live.is_local(now, job, input), self.all());
        if !self.live.tell(now, job, input) {
            assert!(!local, "{job} is not heard");
            return;
        }
        match input {
            Input::NpEnter => self.depth[task] += 1,
            Input::NpExit => self.depth[task] -= 1,
            Input::Request(..) => self.holds[task] = true,
            Input::Release(..) => self.holds[task] = false,
            _ => {}
        }
        if local {
            let after = self.all();
            let elsewhere = |at: &usize| *at != cpu.index() && before[*at] != after[*at];
            assert_eq!(
                (0..before.len()).find(elsewhere),
                None,
                "at {now} {job} {input:?}: {before:?} {after:?}"
            );
            self.local[usize::from(before[cpu.index()].0 != after[cpu.index()].0)] += 1;
        }
    }
}

#[test]
fn what_is_local_changes_nothing_elsewhere() {
    let cases: [(&str, Make, u16); 8] = [
        ("P-EDF", make!(Msrp), 2),
        ("P-RM", make!(Mrsp), 3),
        ("P-EDF", make!(PreemptableSpin<Fifo>), 3),
        ("P-RM", make!(Mpcp), 2),
        ("G-EDF", make!(Pip), 2),
        ("G-EDF", |setup| Ok(Box::new(Fmlp::new(setup, &[Length::Short])?)), 3),
        ("G-EDF", |setup| Ok(Box::new(Fmlp::new(setup, &[Length::Long])?)), 3),
        ("G-RM", make!(Pip), 3),
    ];
    for (scheduler, make, processors) in cases {
        let mut local = [0; 2];
        for seed in 0..150 {
            let random = &mut Random(seed);
            let mut machine = Machine::new(scheduler, make, processors, random);
            while machine.now < 50_000 {
                machine.act(random);
            }
            local = [local[0] + machine.local[0], local[1] + machine.local[1]];
        }
        println!("{scheduler} {processors}: {local:?}");
        assert!(local[0] > 500 && local[1] > 40, "{scheduler}: {local:?} ends of sections are local");
    }
}
