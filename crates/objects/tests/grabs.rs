//! When the beginning of a section is a plain write.

use schedlab_objects::{Entry, Grabs};

fn sections(grabs: &Grabs, thread: usize, count: usize) {
    for _ in 0..count {
        assert_eq!(grabs.enter(thread, || true), Entry::Entered);
        assert!(grabs.exit(thread), "it has not been heard of");
    }
}

#[test]
fn a_thread_is_trusted_after_many_sections_until_it_is_doubted() {
    let grabs = Grabs::new(2, 0, false);
    for _ in 0..3 {
        sections(&grabs, 0, 255);
        assert!(!grabs.doubt(0), "each began with an exchange");
        sections(&grabs, 0, 2);
        assert!(grabs.doubt(0), "the last one began with a plain write");
        assert!(!grabs.doubt(0), "once is enough");
        assert!(!grabs.doubt(1), "it had no section");
    }
}

#[test]
fn nobody_is_doubted_where_all_execute_on_one_processor() {
    let grabs = Grabs::new(1, 0, true);
    sections(&grabs, 0, 1_000);
    assert!(!grabs.doubt(0));
}
