//! Windows, b-bits and group deadlines: published, golden, and against their definitions.

use schedlab_policy::pfair::{Stream, Weight, Window};
use serde_json::Value;

fn weight(e: u64, p: u64) -> Weight {
    Weight::new(e, p).unwrap()
}

fn golden(name: &str) -> Value {
    let path = format!("{}/../../tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn row(window: Window) -> [u64; 4] {
    [window.release, window.deadline, window.overlaps.into(), window.group_deadline]
}

/// staggered-pfair-2005, fig. 4(a): T2 is released at time 3 and has a deadline at time 7.
#[test]
fn windows_of_three_tenths() {
    let rows: Vec<_> = (1..=6).map(|i| row(weight(3, 10).window(i).unwrap())).collect();
    let expected =
        [[0, 4, 1, 0], [3, 7, 1, 0], [6, 10, 0, 0], [10, 14, 1, 0], [13, 17, 1, 0], [16, 20, 0, 0]];
    assert_eq!(rows, expected);
}

/// Anderson and Srinivasan 2004, fig. 1.
#[test]
fn windows_of_eight_elevenths() {
    let all: Vec<_> = (1..=8).map(|i| weight(8, 11).window(i).unwrap()).collect();
    let deadlines: Vec<_> = all.iter().map(|w| w.deadline).collect();
    let groups: Vec<_> = all.iter().map(|w| w.group_deadline).collect();
    assert_eq!(deadlines, [2, 3, 5, 6, 7, 9, 10, 11]);
    assert_eq!(groups, [4, 4, 8, 8, 8, 11, 11, 11]);
}

#[test]
fn golden_windows() {
    let all = golden("pfair_windows.json");
    let mut compared = 0;
    for (name, rows) in all.as_object().unwrap() {
        let (e, p) = name.split_once('/').unwrap();
        let weight = weight(e.parse().unwrap(), p.parse().unwrap());
        for (place, expected) in rows.as_array().unwrap().iter().enumerate() {
            let expected: Vec<u64> =
                expected.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
            let index = place as u64 + 1;
            assert_eq!(row(weight.window(index).unwrap()).to_vec(), expected, "{name}, subtask {index}");
            compared += 1;
        }
    }
    assert_eq!(all.as_object().unwrap().len(), 300);
    assert!(compared > 2_000, "{compared}");
}

/// The window is where the subtask can run with a lag in (-1, 1) before and after: found slot by slot, from the
/// lag's definition alone. Lags are in units of 1/p.
#[test]
fn windows_are_what_lags_allow() {
    for p in 1..=24_i64 {
        for e in 1..=p {
            for index in 1..=3 * e {
                // Received index - 1 before it runs in slot t, index after.
                let allowed = |t: i64| e * (t + 1) - index * p > -p && e * t - (index - 1) * p < p;
                let slots: Vec<i64> = (0..=4 * p).filter(|&t| allowed(t)).collect();
                let window = weight(e as u64, p as u64).window(index as u64).unwrap();
                assert_eq!(window.release as i64, slots[0], "{e}/{p} {index}");
                assert_eq!(window.deadline as i64, slots[slots.len() - 1] + 1, "{e}/{p} {index}");
                let next = weight(e as u64, p as u64).window(index as u64 + 1).unwrap();
                assert_eq!(window.overlaps, next.release < window.deadline);
            }
        }
    }
}

/// The group deadline is the first time t from the deadline on at which a cascade ends: t = d_j with b_j = 0, or
/// t + 1 = d_j of a window of three slots.
#[test]
fn group_deadlines_are_where_cascades_end() {
    for p in 1..=30_u64 {
        for e in p.div_ceil(2)..=p {
            let weight = weight(e, p);
            let windows: Vec<Window> = (1..=4 * e).map(|i| weight.window(i).unwrap()).collect();
            let ends = |t: u64| {
                windows.iter().any(|w| {
                    (w.deadline == t && !w.overlaps) || (w.deadline == t + 1 && w.deadline - w.release == 3)
                })
            };
            for window in &windows[..2 * e as usize] {
                let first = (window.deadline..).find(|&t| ends(t)).unwrap();
                assert_eq!(window.group_deadline, first, "{e}/{p} {window:?}");
            }
        }
    }
    assert_eq!(weight(2, 5).window(1).unwrap().group_deadline, 0, "light tasks have none");
}

#[test]
fn reducing_a_weight_changes_no_window() {
    for (e, p) in [(1, 2), (2, 3), (8, 11), (3, 10), (1, 1)] {
        for scale in [2, 7] {
            for index in 1..100 {
                assert_eq!(weight(e, p).window(index), weight(scale * e, scale * p).window(index));
            }
        }
    }
}

/// Against wide arithmetic at the bounds.
#[test]
fn the_largest_weights_do_not_overflow() {
    let big = Weight::MAX_SLOTS;
    for (e, p) in [(1, big), (big - 1, big), (big, big), (big / 2 + 1, big), (big / 3, big - 1)] {
        for index in [1, 2, 3, e.div_ceil(2), e - 1, e, e + 1, 3 * e + 2].into_iter().filter(|&i| i > 0) {
            let (e, p, i) = (u128::from(e), u128::from(p), u128::from(index));
            let window = weight(e as u64, p as u64).window(index);
            let deadline = (i * p).div_ceil(e);
            if deadline > 1 << 62 {
                continue;
            }
            let window = window.unwrap();
            assert_eq!(u128::from(window.release), (i - 1) * p / e);
            assert_eq!(u128::from(window.deadline), deadline);
            assert_eq!(window.overlaps, (i * p) % e != 0);
            if 2 * e >= p && e < p {
                let inner = (deadline * (p - e)).div_ceil(p);
                assert_eq!(u128::from(window.group_deadline), (inner * p).div_ceil(p - e));
            }
        }
    }
    assert_eq!(weight(1, big).window(u64::MAX), None);
    assert_eq!(weight(1, 2).window(0), None);
    assert!(weight(1, 1).window(1 << 62).is_some());
}

fn windows(stream: &mut Stream, count: usize) -> Vec<(u64, u64, u64)> {
    let mut all = Vec::new();
    for _ in 0..count {
        let eligible = stream.eligible();
        all.push((eligible, stream.window().release, stream.window().deadline));
        stream.advance(eligible);
    }
    all
}

/// staggered-pfair-2005, fig. 4(a) to (d), with T1, T2 ... of weight 3/10.
#[test]
fn the_four_task_models() {
    let pfair = windows(&mut Stream::new(weight(3, 10), false, 0), 4);
    assert_eq!(pfair, [(0, 0, 4), (3, 3, 7), (6, 6, 10), (10, 10, 14)]);
    let early = windows(&mut Stream::new(weight(3, 10), true, 0), 4);
    assert_eq!(early, [(0, 0, 4), (1, 3, 7), (2, 6, 10), (10, 10, 14)]);
    // T2 is six slots late, and so is everything after it.
    let mut late = Stream::new(weight(3, 10), true, 0);
    late.advance(0);
    late.delay_until(9);
    assert_eq!(windows(&mut late, 3), [(9, 9, 13), (10, 12, 16), (16, 16, 20)]);
    // T3 is absent besides.
    let mut absent = Stream::new(weight(3, 10), true, 0);
    absent.advance(0);
    absent.delay_until(9);
    absent.advance(9);
    absent.advance(9);
    assert_eq!(windows(&mut absent, 1), [(16, 16, 20)]);
}

#[test]
fn a_restart_leaves_out_the_rest_of_a_block() {
    let mut stream = Stream::new(weight(3, 10), false, 0);
    assert_eq!(stream.next_pattern(), 0);
    stream.advance(1);
    assert_eq!(stream.next_pattern(), 10);
    stream.restart(12);
    assert_eq!(windows(&mut stream, 2), [(12, 12, 16), (15, 15, 19)]);
}

#[test]
#[should_panic(expected = "a pattern starts after the one before it")]
fn a_restart_does_not_raise_the_rate() {
    let mut stream = Stream::new(weight(3, 10), false, 0);
    stream.advance(1);
    stream.restart(9);
}
