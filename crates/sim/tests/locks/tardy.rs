//! Jobs that are late are pending for longer: what bounds their response times all the same.

use super::*;

#[test]
fn no_run_is_later_than_a_bound_on_tardiness() {
    for protocol in ["lock-free", "fmlp-short", "fmlp-long", "fmlp"] {
        let (mut late, mut bounded, mut waited) = (0, 0, 0);
        for seed in 0..5 * systems() {
            let system = loaded(seed, protocol);
            let analysis = analysis(&system, protocol, "G-EDF");
            if analysis.soft != Answer::Schedulable {
                continue;
            }
            let setup = ideal(system.tasks.clone(), system.platform.clone(), 20_000);
            let seen = seen(&run_locked(setup, &system.resources, "G-EDF", maker(protocol)), &system.tasks);
            for (task, response) in seen.responses.iter().enumerate() {
                let bound = analysis.response_times[task].expect("tardiness is bounded").as_ns();
                assert!(*response <= bound, "{protocol} seed {seed}: T{task} took {response}, bound {bound}");
            }
            bounded += 1;
            late += u64::from(seen.missed);
            waited += u64::from(!seen.waited.is_empty());
        }
        println!("{protocol} G-EDF: {bounded} bounded, {late} with late jobs, {waited} in which jobs waited");
        assert!(late * 20 > systems() && waited * 20 > systems(), "{protocol}: {late} late, {waited} waited");
    }
}

/// The system of this seed with long costs beside its sections, and a load of seven to ten tenths.
fn loaded(seed: u64, protocol: &str) -> System {
    let mut system = drawn(seed, protocol, "G-EDF");
    let mut random = Random(seed ^ 0x1A7E);
    // Hardly more tasks than processors: few light tasks can fill the gaps that heavy ones leave.
    system.tasks.truncate(usize::from(system.platform.processors()) + 1);
    for task in &mut system.tasks {
        let more = random.below(60);
        task.wcet = Work::from_ns(task.wcet.as_ns() + more);
        task.program.push(Step::Execute(Work::from_ns(more)));
    }
    let shares: Vec<u64> = system.tasks.iter().map(|_| 1 + random.below(4)).collect();
    let load = u64::from(system.platform.processors()) * (70 + random.below(30));
    for (task, share) in system.tasks.iter_mut().zip(&shares) {
        // A share of the load: cost / period = load / 100 * share / all.
        let cost = task.wcet.as_ns();
        let period = (cost * 100 * shares.iter().sum::<u64>()).div_ceil(load * share).max(cost);
        (task.period, task.relative_deadline) = (Duration::from_ns(period), Duration::from_ns(period));
    }
    system
}
