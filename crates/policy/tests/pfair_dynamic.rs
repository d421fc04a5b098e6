//! Tasks that are late, leave subtasks out, leave and join: the others never notice.

mod pfair_support;
use pfair_support::*;
use schedlab_policy::pfair::{Affinity, Aligned, Stream, Weight, PD2};

/// What a task does after a subtask ran.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Model {
    Periodic,
    IntraSporadic,
    Generalized,
    /// Leaves and joins with another weight besides.
    Dynamic,
}

/// One system that fills all processors as far as its tasks want to.
struct System {
    scheduler: Aligned,
    random: Random,
    model: Model,
    /// By task: when its weight may be used anew, while it is gone.
    gone_until: Vec<Option<u64>>,
    early: Vec<bool>,
    subtasks: u64,
    joins: u64,
}

impl System {
    fn new(seed: u64, model: Model, processors: usize) -> Self {
        let mut random = Random(seed);
        let weights = full_set(&mut random, processors as u64);
        let early: Vec<bool> = weights.iter().map(|_| random.below(2) == 0).collect();
        let stream = |(&(e, p), &early): (&Share, &bool)| Stream::new(Weight::new(e, p).unwrap(), early, 0);
        let streams = weights.iter().zip(&early).map(stream).collect();
        let mut scheduler = Aligned::new(PD2, Affinity::MostRecent, streams, processors);
        (0..weights.len() as u32).for_each(|task| scheduler.add(task));
        let gone_until = vec![None; weights.len()];
        System { scheduler, random, model, gone_until, early, subtasks: 0, joins: 0 }
    }

    fn slot(&mut self) {
        let slot = self.scheduler.next();
        for task in 0..self.gone_until.len() {
            if self.gone_until[task].is_some_and(|until| until <= slot) {
                self.join(task, slot);
            }
        }
        let due: Vec<_> = (0..self.gone_until.len() as u32)
            .map(|task| (self.scheduler.stream(task).window(), *self.scheduler.stream(task)))
            .collect();
        let picked = self.scheduler.fill().to_vec();
        for (task, (window, stream)) in due.iter().enumerate() {
            // Whoever competed and was not picked must not be due yet.
            let runs = picked.contains(&(task as u32));
            let competes = self.gone_until[task].is_none();
            assert!(!competes || window.deadline > slot + u64::from(!runs), "{task} misses {window:?}");
            self.subtasks += u64::from(runs);
            if runs {
                self.after(task, stream, slot);
            }
        }
    }

    fn join(&mut self, task: usize, slot: u64) {
        let old = self.scheduler.stream(task as u32).weight();
        // Never more weight than left.
        let p = old.slots() * (1 + self.random.below(2));
        let e = 1 + self.random.below(old.quanta() * p / old.slots());
        let stream = Stream::new(Weight::new(e, p).unwrap(), self.early[task], slot);
        *self.scheduler.stream_mut(task as u32) = stream;
        self.scheduler.add(task as u32);
        self.gone_until[task] = None;
        self.joins += 1;
    }

    fn after(&mut self, task: usize, ran: &Stream, slot: u64) {
        let dice = self.random.below(8);
        let window = ran.window();
        if self.model == Model::Dynamic && dice == 0 {
            // The published conditions: a light task's weight is free at d + b, a heavy one's at its group deadline.
            let free = match window.group_deadline {
                0 => window.deadline + u64::from(window.overlaps),
                group_deadline => group_deadline,
            };
            self.gone_until[task] = Some(free.max(slot + 1));
            return;
        }
        let stream = self.scheduler.stream_mut(task as u32);
        if dice == 1 && matches!(self.model, Model::Generalized | Model::Dynamic) {
            stream.omit();
        }
        if dice == 2 && self.model != Model::Periodic {
            let late = stream.window().release + 1 + self.random.below(5);
            self.scheduler.stream_mut(task as u32).delay_until(late);
        }
        self.scheduler.add(task as u32);
    }
}

/// Weights that add up to `processors`.
fn full_set(random: &mut Random, processors: u64) -> Vec<Share> {
    let unit = [12, 20, 24, 30, 7][random.below(5) as usize];
    let (mut room, mut set) = (processors * unit, Vec::new());
    let heavy = random.below(3) == 0;
    while room > 0 {
        let least = if heavy { unit / 2 } else { 1 };
        let e = (least + random.below(unit - least) + 1).min(room).min(unit);
        set.push((e, unit));
        room -= e;
    }
    set
}

fn check_models(systems: u64) {
    for model in [Model::Periodic, Model::IntraSporadic, Model::Generalized, Model::Dynamic] {
        let (mut subtasks, mut joins) = (0, 0);
        for seed in 0..systems {
            let mut system = System::new(seed, model, 1 + seed as usize % 16);
            (0..120).for_each(|_| system.slot());
            subtasks += system.subtasks;
            joins += system.joins;
        }
        assert!(subtasks > 200 * systems, "{model:?} ran {subtasks}");
        assert_eq!(joins > 20 * systems, model == Model::Dynamic, "{joins}");
    }
}

#[test]
fn nobody_misses_whatever_the_others_do() {
    check_models(500);
}

#[test]
#[ignore = "takes minutes; `make soak` runs it"]
fn nobody_misses_in_a_hundred_thousand_systems() {
    check_models(25_000);
}

/// The same test sees it if weight is used before it is free.
#[test]
#[should_panic(expected = "misses")]
fn an_overload_is_noticed() {
    let mut system = System::new(1, Model::Periodic, 3);
    let weights = [(1, 1), (1, 1), (5, 6), (1, 5)];
    system.scheduler = aligned(PD2, &weights, false, 3);
    system.gone_until = vec![None; weights.len()];
    system.early = vec![false; weights.len()];
    (0..120).for_each(|_| system.slot());
}
