//! PF, PD and PD2 as orders of subtasks, and PD2 in 62 bits.

use schedlab_model::Priority;
use schedlab_policy::pfair::{pack, Stream, Weight, PD, PD2, PF};
use std::cmp::Ordering;

fn at(e: u64, p: u64, start: u64, advanced: u64) -> Stream {
    let mut stream = Stream::new(Weight::new(e, p).unwrap(), false, start);
    (0..advanced).for_each(|_| stream.advance(stream.eligible()));
    stream
}

/// Every subtask of the first pattern of every weight with a denominator of at most `most`, at several offsets.
fn subtasks(most: u64, starts: &[u64]) -> Vec<Stream> {
    let mut all = Vec::new();
    for p in 1..=most {
        for e in 1..=p {
            for advanced in 0..e {
                all.extend(starts.iter().map(|&start| at(e, p, start, advanced)));
            }
        }
    }
    all
}

/// The definition, word for word: pseudo-deadline, b-bit, group deadline (0 for light tasks), later first.
fn by_definition(a: &Stream, b: &Stream) -> Ordering {
    let (a, b) = (a.window(), b.window());
    let key = |w: schedlab_policy::pfair::Window| (w.deadline, !w.overlaps);
    key(a).cmp(&key(b)).then(b.group_deadline.cmp(&a.group_deadline))
}

fn agree(a: &Stream, b: &Stream, origin: u64) {
    let expected = by_definition(a, b);
    assert_eq!(PD2.compare(a, b), expected, "{a:?} {b:?}");
    let (x, y) = (pack(a, origin).unwrap(), pack(b, origin).unwrap());
    assert!(x <= Priority::MAX_POINT && y <= Priority::MAX_POINT);
    assert_eq!(x.cmp(&y), expected, "packed: {a:?} {b:?}");
}

#[test]
fn packing_keeps_the_order_of_small_weights() {
    let all = subtasks(10, &[0, 1, 2, 5]);
    for a in &all {
        for b in &all {
            agree(a, b, 0);
        }
    }
    assert!(all.len() > 800);
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }
}

#[test]
fn packing_keeps_the_order_of_large_weights() {
    let mut random = Random(1);
    let mut ties = 0;
    for round in 0..200_000 {
        let bits = 2 + round % 19;
        let draw = |random: &mut Random| {
            let p = 1 + random.below(1 << bits);
            // Two in three are heavy: only their cascades differ.
            let e =
                1 + if random.below(3) == 0 { random.below(p) } else { p - 1 - random.below(p.div_ceil(2)) };
            at(e, p, random.below(1 << (39 - round % 40)), random.below(4))
        };
        let a = draw(&mut random);
        let mut b = draw(&mut random);
        if round % 2 == 0 && b.window().deadline < a.window().deadline {
            // Random deadlines rarely tie by themselves.
            b.delay_until(b.window().release + a.window().deadline - b.window().deadline);
            ties += 1;
        }
        agree(&a, &b, 0);
    }
    assert!(ties > 10_000);
}

#[test]
fn packing_refuses_what_it_would_lose() {
    let last = (1 << 40) - 1;
    assert!(pack(&at(1, 1, last - 1, 0), 0).is_some());
    assert_eq!(pack(&at(1, 1, last, 0), 0), None);
    assert!(pack(&at(1, 1, last, 0), 1).is_some());
    assert_eq!(pack(&at(1, 1, 4, 0), 6), None);
    // Cascades of 2^21 slots and longer; weight 1 has none.
    let p = (1 << 21) - 1;
    assert!(pack(&at(p - 1, p, 0, 0), 0).is_some());
    assert_eq!(pack(&at(p + 1, p + 2, 0, 0), 0), None);
    assert!(pack(&at(1 << 40, 1 << 40, 0, 0), 0).is_some());
}

/// PF and PD decide deadline and b-bit as PD2 does, and PD whatever PD2 decides.
#[test]
fn the_orders_differ_in_tie_breaks_alone() {
    let all = subtasks(9, &[0, 3]);
    let (mut pd_decides, mut pf_decides) = (0, 0);
    for a in &all {
        for b in &all {
            let (pf, pd, pd2) = (PF.compare(a, b), PD.compare(a, b), PD2.compare(a, b));
            assert_eq!(pf, PF.compare(b, a).reverse());
            assert_eq!(pd, PD.compare(b, a).reverse());
            let (x, y) = (a.window(), b.window());
            if (x.deadline, x.overlaps) != (y.deadline, y.overlaps) {
                assert_eq!((pf, pd), (pd2, pd2));
            }
            assert!(pd2 == Ordering::Equal || pd == pd2);
            pd_decides += usize::from(pd2 == Ordering::Equal && pd != pd2);
            pf_decides += usize::from(pf != pd2);
        }
    }
    assert!(pd_decides > 0 && pf_decides > 0);
}

/// PF compares the strings of successors' deadlines and b-bits, up to the first b-bit of 0.
#[test]
fn pf_compares_successors() {
    // Windows [0,2) b=1 of 2/3 and of 3/4... the successor of 2/3 is due at 3 with b = 0, that of 3/4 at 3 with b = 1.
    assert_eq!(PF.compare(&at(3, 4, 0, 0), &at(2, 3, 0, 0)), Ordering::Less);
    assert_eq!(PF.compare(&at(2, 3, 0, 0), &at(4, 6, 0, 0)), Ordering::Equal);
    // Both b-bits are 0: nothing is compared further, though PD2 looks at group deadlines.
    assert_eq!(PF.compare(&at(1, 2, 0, 0), &at(1, 2, 0, 0)), Ordering::Equal);
    let (heavy, light) = (at(1, 2, 2, 0), at(1, 4, 0, 0));
    assert_eq!(PF.compare(&heavy, &light), Ordering::Equal);
    assert_eq!(PD2.compare(&heavy, &light), Ordering::Less);
}

/// PF is one way to break the ties that PD2 leaves, in the literature also those of b-bits of 0: so whatever holds of
/// PD2 however ties are broken holds of PF. The proof stands in `order/pf.rs`.
#[test]
fn pf_breaks_no_rule_of_pd2() {
    let (all, mut ruled) = (subtasks(13, &[0, 1, 5]), 0);
    for a in &all {
        for b in all.iter().filter(|b| b.window().deadline == a.window().deadline) {
            let by_pd2 = PD2.compare(a, b);
            if by_pd2 != Ordering::Equal && (a.window().overlaps || b.window().overlaps) {
                assert_eq!(PF.compare(a, b), by_pd2, "{a:?} {b:?}");
                ruled += u32::from(a.window().overlaps && b.window().overlaps);
            }
        }
    }
    assert!(ruled > 10_000, "group deadlines decide {ruled} times");
}
