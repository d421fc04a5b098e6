//! Every kind of record as a line, and back.

use crate::support::lines::parse;
use schedlab_report::lines::Line;

#[test]
fn every_kind_of_line_is_read_back() {
    let text = "\
0 arrival T0J0 10 3
0 ready T0J0 10 0
0 ready T0J0 boosted:4:T1J2 7
0 link P0 T0J0
0 link P0 -
1 dispatch P0 T0J0
2 preempt P0 T0J0
2 suspend T0J0 itself
2 suspend T0J0 gate
2 suspend T0J0 R3
3 resume T0J0
3 priority T0J0 background:0:T0J0
4 np_enter T0J0
4 np_exit T0J0
4 request T0J0 R1 2
4 spin T0J0 R1
5 acquire T0J0 R1 2
5 release T0J0 R1 2
5 quantum P1
5 budget T0J0
6 move T0J0 1
6 overhead_begin P1 tick -
6 overhead_begin P1 release T0J0
6 overhead_end P1 cache_related_migration
7 abort T0J0
7 complete T0J0
7 miss T0J0
8 join T4
8 leave T4
9 lost 17
9 end
";
    let records = parse(text);
    assert_eq!(records.len(), 31);
    let written: String = records.iter().map(|(at, record)| format!("{}\n", Line(*at, *record))).collect();
    assert_eq!(written, text);
}
