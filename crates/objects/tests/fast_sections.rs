//! The sections of a biased thread: when they begin by a plain write.

use schedlab_objects::{Entry, FastSections};

fn sections(fast_sections: &FastSections, thread: usize, count: usize) {
    for _ in 0..count {
        assert_eq!(fast_sections.enter(thread, || true), Entry::Entered);
        assert!(fast_sections.exit(thread), "no decision has noticed it");
    }
}

#[test]
fn a_thread_is_biased_after_many_sections_until_that_is_revoked() {
    let fast_sections = FastSections::new(2, 0, false);
    for _ in 0..3 {
        sections(&fast_sections, 0, 255);
        assert!(!fast_sections.revoke(0), "each began with an exchange");
        sections(&fast_sections, 0, 2);
        assert!(fast_sections.revoke(0), "the last one began with a plain write");
        assert!(!fast_sections.revoke(0), "once is enough");
        assert!(!fast_sections.revoke(1), "it had no section");
    }
}

#[test]
fn nobody_is_doubted_where_all_execute_on_one_processor() {
    let fast_sections = FastSections::new(1, 0, true);
    sections(&fast_sections, 0, 1_000);
    assert!(!fast_sections.revoke(0));
}
