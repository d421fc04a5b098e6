//! The ring of records by real threads: nothing is torn, out of order, or lost without being counted.

use schedlab_objects::Ring;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

#[test]
fn a_full_ring_loses_the_new_and_counts_it() {
    let ring = Ring::<2>::new(4);
    let written = (0..7).filter(|at| ring.write([*at, at * 2])).count();
    assert_eq!((written, ring.lost()), (4, 3));
    let mut read = Vec::new();
    ring.read(|[a, b]| read.push((a, b)));
    assert_eq!(read, [(0, 0), (1, 2), (2, 4), (3, 6)]);
    assert!(ring.write([9, 18]));
    ring.read(|[a, _]| assert_eq!(a, 9));
    assert_eq!(ring.lost(), 3);
}

#[test]
fn threads_write_while_another_reads() {
    const WRITERS: u64 = 3;
    const EACH: u64 = 20_000;
    let (ring, over) = (Ring::<3>::new(256), AtomicBool::new(false));
    let mut last = [0; WRITERS as usize];
    let mut count = 0;
    let mut take = |[who, number, sum]: [u64; 3]| {
        assert_eq!(sum, who + number, "torn");
        assert!(number > last[who as usize], "{who}: {number} after {}", last[who as usize]);
        last[who as usize] = number;
        count += 1;
    };
    let mut written = 0;
    thread::scope(|scope| {
        let writer = |who| {
            let ring = &ring;
            scope.spawn(move || (1..=EACH).filter(|n| ring.write([who, *n, who + n])).count() as u64)
        };
        let writers: Vec<_> = (0..WRITERS).map(writer).collect();
        let over = &over;
        let reader = scope.spawn(|| {
            while !over.load(SeqCst) {
                ring.read(&mut take);
            }
        });
        written = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
        over.store(true, SeqCst);
        reader.join().unwrap();
    });
    ring.read(&mut take);
    assert_eq!((count, written + ring.lost()), (written, WRITERS * EACH));
}
