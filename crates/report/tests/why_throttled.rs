//! Why jobs wait where processors stop: real-time throttling.

use crate::support::lines::parse;
use schedlab_model::Instant;
use schedlab_report::why::why;
use schedlab_report::{lines::parse_job, Context};

/// It may execute for two of three nanoseconds. A second processor that is idle may have stopped, too.
#[test]
fn an_idle_processor_is_throttled_where_processors_are() {
    let text = "
0 arrival T0J0 90 3
0 ready T0J0 5 0
0 link P0 T0J0
0 dispatch P0 T0J0
2 preempt P0 T0J0
2 link P0 -
3 link P0 T0J0
3 dispatch P0 T0J0
4 complete T0J0
4 link P0 -
4 end
";
    let causes = |context: &Context| {
        let why = why(context, parse_job("T0J0").unwrap(), parse(text)).unwrap();
        let text =
            |from: Instant, to: Instant, cause: &str| format!("{}-{} {cause}", from.as_ns(), to.as_ns());
        why.intervals.iter().map(|one| text(one.from, one.to, one.cause.as_ref())).collect::<Vec<_>>()
    };
    let throttled = |processors| Context { throttles: true, ..Context::global(processors) };
    for context in [throttled(1), throttled(2)] {
        assert_eq!(causes(&context), ["0-2 own_work", "2-3 throttled", "3-4 own_work"]);
    }
    assert_eq!(causes(&Context::global(1))[1], "2-3 idle");
}
