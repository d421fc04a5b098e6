//! Random systems: the closed form of spin locks is the program's optimum; prices never prove too little.

use schedlab_analysis::blocking::{fmlp_plus, Request, Sharer, Sharing};
use schedlab_lp_blocking::spin::greedy::Greedy;
use schedlab_lp_blocking::spin::{program, response_time, Spinning};
use schedlab_lp_blocking::{maximum, semaphore};

struct Mixer(u64);

impl Mixer {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Up to eight tasks, four resources, three processors; response times anywhere up to a little above the period.
fn draw(random: &mut Mixer) -> (Sharing, Vec<u64>) {
    let clusters = 1 + random.below(3);
    let resources = 1 + random.below(4);
    let mut sharing = Sharing::new(clusters as u32, vec![1; resources as usize]);
    let mut responses = Vec::new();
    for level in 0..2 + random.below(7) {
        let period = 20 + random.below(200);
        let cost = 1 + random.below(period / 4);
        let cluster = random.below(clusters) as u32;
        let task = Sharer { cost, period, relative_deadline: period, cluster, level: level as u32 };
        let mut requests = Vec::new();
        for resource in 0..resources {
            if random.below(2) == 0 {
                let (count, length) = (1 + random.below(3), 1 + random.below(9));
                requests.push(Request::mutex(resource as u32, count as u32, length));
            }
        }
        sharing.push(task, &requests).unwrap();
        responses.push(cost + random.below(period));
    }
    (sharing, responses)
}

#[test]
fn the_closed_form_is_the_optimum() {
    let (mut random, mut greedy, mut positive) = (Mixer(7), Greedy::default(), 0);
    for _ in 0..400 {
        let (sharing, responses) = draw(&mut random);
        greedy.read(&sharing);
        for at in 0..sharing.tasks().len() {
            for spinning in [Spinning::NonPreemptive, Spinning::Preemptable] {
                let closed = greedy.bound(&sharing, &responses, at, spinning);
                let solved = maximum(&program::program(&sharing, &responses, at, spinning));
                assert_eq!(Some(closed), solved, "task {at}, {spinning:?}, {sharing:?} {responses:?}");
                positive += usize::from(closed > 0);
            }
        }
    }
    assert!(positive > 2_000, "only {positive} positive bounds");
}

#[test]
fn the_program_of_the_fmlp_plus_is_not_above_the_classic_bound() {
    let (mut random, mut below) = (Mixer(11), 0);
    for _ in 0..300 {
        let (sharing, responses) = draw(&mut random);
        let classic = fmlp_plus::bounds(&sharing, &responses, true);
        for (at, classic) in classic.iter().enumerate() {
            let bound = maximum(&semaphore::fmlp_plus::program(&sharing, &responses, at)).unwrap();
            assert!(bound <= classic.total().unwrap(), "task {at} {sharing:?} {responses:?}");
            below += usize::from(bound < classic.total().unwrap());
        }
    }
    assert!(below > 100, "the program is better in only {below} cases");
}

#[test]
fn response_times_are_a_fixed_point_from_below() {
    let (mut random, mut greedy, mut found) = (Mixer(13), Greedy::default(), 0);
    for _ in 0..300 {
        let (sharing, _) = draw(&mut random);
        let Some(responses) = response_time::bounds(&sharing, Spinning::NonPreemptive, &mut greedy) else {
            continue;
        };
        found += 1;
        let tasks = sharing.tasks();
        for (at, own) in tasks.iter().enumerate() {
            let above = tasks.iter().filter(|task| task.cluster == own.cluster && task.level < own.level);
            let demand: u64 = above.map(|task| responses[at].div_ceil(task.period) * task.cost).sum();
            let blocking = greedy.bound(&sharing, &responses, at, Spinning::NonPreemptive);
            assert_eq!(responses[at], own.cost + blocking + demand);
            assert!(responses[at] <= own.relative_deadline);
        }
    }
    assert!(found > 30, "only {found} systems are schedulable");
}
