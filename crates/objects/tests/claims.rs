//! When the beginning of a section is a plain write.

use schedlab_objects::{Claims, Entry};

fn sections(claims: &Claims, thread: usize, count: usize) {
    for _ in 0..count {
        assert_eq!(claims.enter(thread, || true), Entry::Entered);
        assert!(claims.exit(thread), "it has not been heard of");
    }
}

#[test]
fn a_thread_is_trusted_after_many_sections_until_it_is_doubted() {
    let claims = Claims::new(2, 0, false);
    for _ in 0..3 {
        sections(&claims, 0, 255);
        assert!(!claims.doubt(0), "each began with an exchange");
        sections(&claims, 0, 2);
        assert!(claims.doubt(0), "the last one began with a plain write");
        assert!(!claims.doubt(0), "once is enough");
        assert!(!claims.doubt(1), "it had no section");
    }
}

#[test]
fn nobody_is_doubted_where_all_execute_on_one_processor() {
    let claims = Claims::new(1, 0, true);
    sections(&claims, 0, 1_000);
    assert!(!claims.doubt(0));
}
