//! What the live engine calls local, the end of a section that concerns no other processor, changes nothing on any
//! other, and no fast section there has to begin before.

use crate::locks;
use crate::support;

use locks::random::Random;
use locks::*;
use schedlab_lock::{LockProtocol, Protocol, ALL_PROTOCOLS};
use schedlab_model::*;
use schedlab_policy::{find, Policy};
use schedlab_sim::{Input, Live};
use schedlab_trace::Timeline;
use schedlab_workload::arrivals::PeriodicSource;
use support::*;

const R: ResourceId = ResourceId(0);
const HORIZON: u64 = 100_000;
const QUANTUM: u64 = 20;

type Engine = Live<Box<dyn Policy>, Box<dyn LockProtocol>, PeriodicSource, Timeline>;

/// A machine on which scheduled jobs do what they may, at random.
struct Machine {
    live: Engine,
    /// Gets the same inputs, but begins fast sections of others before the local end of a section instead of after it.
    strict: Engine,
    processors: u16,
    now: u64,
    /// By task: whether it may ask for the resource, and whether it holds or wants it.
    shares: Vec<bool>,
    holds: Vec<bool>,
    depth: Vec<u32>,
    /// Ends of sections that were local, those of them that gave a processor to another job, and those beside fast
    /// sections.
    local: [u32; 3],
}

impl Machine {
    /// Two thirds of its tasks share a resource; none if the protocol does not take them.
    fn new(scheduler: &str, make: Make, processors: u16, random: &mut Random) -> Option<Self> {
        let section = vec![Step::Request(R, 1), Step::Execute(Work::from_ns(9)), Step::Release(R, 1)];
        let tasks: Vec<Task> = (0..3 * processors)
            .map(|at| Task {
                program: if (at / processors) % 3 == 1 { Vec::new() } else { section.clone() },
                cluster: ClusterId(if scheduler.starts_with("P-") { at % processors } else { 0 }),
                offset: Instant::from_ns(random.below(100)),
                ..task(9, QUANTUM * (45 + random.below(200)), 9 * QUANTUM + random.below(800))
            })
            .collect();
        let mut platform = platform(find(scheduler).unwrap().scope, processors, 1);
        platform.quantum = Duration::from_ns(QUANTUM);
        let setup = ideal(tasks, platform, HORIZON);
        let engine = || {
            let locks = try_locks(&setup, &[Resource { units: 1 }], scheduler, make).ok()?;
            let policies = policies(scheduler, &setup.platform, &setup.tasks);
            Some(Live::new(setup.clone(), policies, locks, periodic(&setup.tasks), Timeline::default()))
        };
        let (live, strict, count) = (engine()?, engine()?, setup.tasks.len());
        let (holds, depth) = (vec![false; count], vec![0; count]);
        let shares = setup.tasks.iter().map(|task| !task.program.is_empty()).collect();
        Some(Machine { live, strict, processors, now: 0, shares, holds, depth, local: [0; 3] })
    }

    /// By processor: who executes, who is to, and whether it spins.
    fn all(&self, engine: &Engine) -> Vec<(Option<JobId>, Option<JobId>, bool)> {
        let spins = |job: Option<JobId>| job.is_some_and(|job| engine.is_spinning(job));
        let on = |cpu| (engine.scheduled(cpu), engine.linked(cpu), spins(engine.scheduled(cpu)));
        (0..self.processors).map(CpuId).map(on).collect()
    }

    /// What jobs on other processors than `cpu` may have begun as fast sections.
    fn fast_sections(&self, cpu: CpuId, random: &mut Random) -> Vec<(JobId, Input)> {
        let mut free = self.live.free_mutex(R).is_some() && !self.holds.contains(&true);
        let mut fast = Vec::new();
        for other in (0..self.processors).map(CpuId).filter(|other| *other != cpu) {
            let Some(job) = self.live.scheduled(other) else { continue };
            let task = job.task.index();
            let input = match random.below(3) {
                _ if self.holds[task] || self.depth[task] > 0 => continue,
                0 => Input::NpEnter,
                1 if self.shares[task] && std::mem::take(&mut free) => Input::Request(R, 1),
                _ => continue,
            };
            fast.push((job, input));
        }
        fast
    }

    /// The end of a section on `cpu` is said now, and is local: whether it is said before or after `fast` makes no
    /// difference.
    fn end_locally(&mut self, cpu: CpuId, job: JobId, fast: &[(JobId, Input)]) {
        let (now, before) = (Instant::from_ns(self.now), self.all(&self.live));
        for (other, input) in fast {
            self.strict.begin_fast_section(Instant::from_ns(self.now - 1), *other, *input);
        }
        assert!(self.live.report(now, job, Input::NpExit), "{job} is not accepted");
        assert!(self.strict.report(now, job, Input::NpExit), "{job} is not accepted beside {fast:?}");
        let after = self.all(&self.live);
        let elsewhere = |index: &usize| *index != cpu.index() && before[*index] != after[*index];
        assert_eq!((0..before.len()).find(elsewhere), None, "at {now} {job}: {before:?} {after:?}");
        for (other, input) in fast {
            self.live.begin_fast_section(now + Duration::from_ns(1), *other, *input);
            self.note(other.task, *input);
        }
        self.local[0] += 1;
        self.local[1] += u32::from(before[cpu.index()].0 != after[cpu.index()].0);
        self.local[2] += u32::from(!fast.is_empty());
    }

    fn note(&mut self, task: TaskId, input: Input) {
        let (holds, depth) = (&mut self.holds[task.index()], &mut self.depth[task.index()]);
        match input {
            Input::NpEnter => *depth += 1,
            Input::NpExit => *depth -= 1,
            Input::Request(..) => *holds = true,
            Input::Release(..) => *holds = false,
            _ => {}
        }
    }

    fn choose(&self, task: usize, random: &mut Random) -> Option<Input> {
        let (shares, holds, depth) = (self.shares[task], self.holds[task], self.depth[task]);
        match random.below(9) {
            0 | 1 if depth < 2 => Some(Input::NpEnter),
            2..5 if depth > 0 => Some(Input::NpExit),
            5 if holds => Some(Input::Release(R, 1)),
            6 if shares && !holds && depth == 0 => Some(Input::Request(R, 1)),
            7 | 8 if !holds && depth == 0 => Some(Input::Complete),
            _ => None,
        }
    }

    fn act(&mut self, random: &mut Random) {
        // Room for a fast section after the last decision and another before this one.
        self.now += 2 + random.below(6);
        let now = Instant::from_ns(self.now);
        if random.below(4) == 0 {
            // A timer thread reports the time.
            self.live.advance(now);
            return self.strict.advance(now);
        }
        let cpu = CpuId(random.below(self.processors.into()) as u16);
        let Some(job) = self.live.scheduled(cpu).filter(|job| !self.live.is_spinning(*job)) else { return };
        let Some(input) = self.choose(job.task.index(), random) else { return };
        if self.live.is_local(now, job, input) {
            self.end_locally(cpu, job, &self.fast_sections(cpu, random));
            self.note(job.task, input);
        } else {
            let accepted = self.live.report(now, job, input);
            assert_eq!(self.strict.report(now, job, input), accepted);
            if accepted {
                self.note(job.task, input);
            }
        }
        assert_eq!(self.all(&self.live), self.all(&self.strict), "at {now} after {job} {input:?}");
    }
}

/// How many systems of each kind are tried.
const SEEDS: u64 = 20;

/// Protocols of which threads tell each step themselves: no task serves others, no attempt is repeated, no quantum
/// ends a section.
fn threads_tell_all(protocol: &&Protocol) -> bool {
    !protocol.attempts() && !matches!(protocol.name, "pfair-server" | "zone-skip" | "zone-rollback")
}

#[test]
fn what_is_local_changes_nothing_elsewhere() {
    let mut tried = 0;
    for protocol in ALL_PROTOCOLS.iter().filter(threads_tell_all) {
        for (scheduler, processors) in [("P-EDF", 2), ("P-RM", 3), ("G-EDF", 2), ("G-RM", 3), ("PD2", 3)] {
            let mut local = [0; 3];
            for seed in 0..SEEDS {
                let random = &mut Random(seed);
                let Some(mut machine) = Machine::new(scheduler, protocol.make, processors, random) else {
                    break;
                };
                while machine.now < 50_000 {
                    machine.act(random);
                }
                local = std::array::from_fn(|index| local[index] + machine.local[index]);
            }
            println!("{} under {scheduler}: {local:?}", protocol.name);
            tried += u32::from(local.iter().all(|count| *count > 10));
        }
    }
    assert!(tried > 30, "{tried} kinds of systems had local ends of sections");
}
