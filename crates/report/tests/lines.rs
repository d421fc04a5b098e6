//! Every kind of record as a line, and back.

use crate::support::lines::parse;
use schedlab_model::Instant;
use schedlab_report::lines::Line;
use schedlab_trace::Record;

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

/// Points are smaller for more urgent jobs. Where a scenario states larger priorities for them, lines show those.
#[test]
fn a_line_as_stated_has_the_priority_of_the_scenario() {
    let stated_priorities = [(u64::from(u32::MAX) - 6, 6)].into();
    let context = schedlab_report::Context { stated_priorities, ..schedlab_report::Context::global(1) };
    let text = "0 ready T1J0 4294967289 0\n0 ready T2J0 4294967288 0\n1 priority T2J0 base:4294967289:T1J0\n";
    let of = |(at, record): &(Instant, Record)| Line::as_stated(*at, *record, &context).to_string();
    let written: Vec<String> = parse(text).iter().map(of).collect();
    assert_eq!(written, ["0 ready T1J0 6 0", "0 ready T2J0 4294967288 0", "1 priority T2J0 base:6:T1J0"]);
}
