//! Every registered protocol has a row, and its numbers make sense.
//!
//! One test in the file: the allocator counts what all threads use.

use schedlab_footprint::{counting::Counting, data::kept, table};
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_model::LockingClass;

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn every_protocol_has_a_row_with_sensible_numbers() {
    let rows = table::measure().expect("the programs build");
    let text = table::print(&rows);
    assert_eq!(rows.len(), ALL_PROTOCOLS.len());
    for (row, protocol) in rows.iter().zip(ALL_PROTOCOLS) {
        let name = protocol.name;
        assert_eq!(row.name, name);
        assert!(text.lines().any(|line| line.split(' ').next() == Some(name)), "{name} is not in\n{text}");
        for goal in 0..2 {
            let (adds, program) = (row.adds[goal], row.program[goal]);
            assert!(adds.code > 0 && adds.code < program.code, "{name}: {row:?}");
            assert!(row.sum(goal) > program.code + row.data.least as u64, "{name}: {row:?}");
            assert_eq!(adds.statics, 0, "{name} has a static variable: protocols are values");
        }
        let sizes: Vec<usize> = (1..6).map(|locks| kept(protocol, locks, 2)).collect();
        // Wait-free operations always succeed: there is nothing to remember.
        let remembers = protocol.class != LockingClass::WaitFree;
        assert!(sizes.is_sorted() && (sizes[0] > 0) == remembers, "{name}: {sizes:?} for one to five locks");
        assert_eq!(row.data.least, sizes[0], "{name}: the same system takes the same bytes");
        assert!(row.data.per_lock > 0 || sizes[0] == sizes[4], "{name}: {sizes:?}");
    }
    let csv = table::csv(&rows);
    let columns: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(columns, vec![10; rows.len() + 1], "{csv}");
    assert_eq!(
        csv.lines().nth(1).and_then(|line| line.split(',').nth(3)),
        Some(&*rows[0].sum(0).to_string())
    );
    let all = |goal: usize| rows.iter().map(|row| row.adds[goal].code).sum::<u64>();
    assert!(all(0) < all(1), "built for size, the protocols are smaller in all: {text}");
}
