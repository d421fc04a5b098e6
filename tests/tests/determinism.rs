//! The same scenario and seed give the same bytes, and the same findings on any number of threads.

use schedlab_lab::Workspace;
use schedlab_tests::draw::{with_overheads, Scale};
use schedlab_tests::features::{draw, Wish};
use schedlab_tests::run;
use schedlab_tests::soundness::{examine_many, Power};
use schedlab_trace::Encoder;
use schedlab_workload::Random;

#[test]
fn the_same_system_gives_the_same_bytes() {
    let mut total = 0;
    for case in 0..300 {
        let bytes = || {
            let system = with_overheads(21, case, Scale::Large);
            let mut encoder = Encoder::new();
            run::run_into(&system, &mut encoder);
            encoder.bytes
        };
        let first = bytes();
        assert_eq!(first, bytes(), "case {case}");
        total += first.len();
    }
    assert!(total > 100_000, "only {total} bytes were compared");
}

/// Whole scenarios: locks, Pfair, budgets, servers, joins and suspensions.
#[test]
fn parts_behind_pointers_and_used_memory_give_the_same_bytes() {
    let (mut total, mut used) = (0, Workspace::default());
    for case in 0..150 {
        let scene = draw(&Wish::default(), &mut Random::new(22, *b"Features", case));
        let Ok(prepared) = scene.prepared() else { continue };
        let [mut compiled, mut by_pointers, mut in_used] = core::array::from_fn(|_| Encoder::new());
        prepared
            .simulate_within(&mut Workspace::default(), &mut compiled, &mut |_| true)
            .expect("it is prepared");
        prepared.simulate(&mut by_pointers, &mut |_| true).expect("it is prepared");
        prepared.simulate_within(&mut used, &mut in_used, &mut |_| true).expect("it is prepared");
        assert_eq!(compiled.bytes, by_pointers.bytes, "case {case}");
        assert_eq!(compiled.bytes, in_used.bytes, "case {case}, in memory that the cases before it left");
        total += compiled.bytes.len();
    }
    assert!(total > 100_000, "only {total} bytes were compared");
}

#[test]
fn threads_change_nothing() {
    let alone = examine_many::<Power>(7, 0..60, 1);
    assert_eq!(alone, examine_many::<Power>(7, 0..60, 2));
    assert_eq!(alone, examine_many::<Power>(7, 0..60, 3));
    assert_eq!((alone.0.systems, alone.1.len()), (60, 0));
}
