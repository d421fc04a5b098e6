//! The ring of records by real threads: nothing is torn, out of order, or lost without being counted.

use schedlab_objects::Ring;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

#[test]
fn a_full_ring_loses_the_new_and_counts_it() {
    let ring = Ring::<2>::new(4);
    let written = (0..7).filter(|number| ring.write([*number, number * 2])).count();
    assert_eq!((written, ring.lost()), (4, 3));
    let mut read = Vec::new();
    ring.read(|[a, b]| read.push((a, b)));
    assert_eq!(read, [(0, 0), (1, 2), (2, 4), (3, 6)]);
    assert!(ring.write([9, 18]));
    ring.read(|[a, _]| assert_eq!(a, 9));
    assert_eq!(ring.lost(), 3);
}

#[test]
fn a_thread_writes_while_another_reads() {
    const ALL: u64 = 60_000;
    let (ring, over) = (Ring::<2>::new(256), AtomicBool::new(false));
    let (mut last, mut count) = (0, 0);
    let mut take = |[number, double]: [u64; 2]| {
        assert_eq!(double, 2 * number, "torn");
        assert!(number > last, "{number} after {last}");
        last = number;
        count += 1;
    };
    let mut written = 0;
    thread::scope(|scope| {
        let writer = scope.spawn(|| (1..=ALL).filter(|n| ring.write([*n, 2 * n])).count() as u64);
        let reader = scope.spawn(|| {
            while !over.load(SeqCst) {
                ring.read(&mut take);
            }
        });
        written = writer.join().unwrap();
        over.store(true, SeqCst);
        reader.join().unwrap();
    });
    ring.read(&mut take);
    assert_eq!((count, written + ring.lost()), (written, ALL));
}
