//! Budgets of servers: each use is recorded, and none is beyond the budget.

use super::{only_rejects, verdict_in};
use schedlab_model::Invariant;
use schedlab_report::Context;

/// A server with a budget of 3 and a client, T0; T1 is none.
const SERVED: &str = "
0 arrival T0J0 100 4
0 ready T0J0 9 0
0 server_budget S0 3 1000
0 link P0 T0J0
0 dispatch P0 T0J0
2 server_use S0 2
2 preempt P0 T0J0
2 link P0 -
4 dispatch P0 T0J0
4 link P0 T0J0
5 server_use S0 1
5 server_budget S0 3 1000
6 server_use S0 1
6 complete T0J0
6 link P0 -
9 end
";

fn served() -> Context {
    let promises = vec![Invariant::ServersKeepTheirBudgets];
    Context { promises, servers: vec![Some(0), None], server_names: vec!["s".into()], ..Context::global(1) }
}

#[test]
fn clients_execute_within_their_servers_budget() {
    assert!(verdict_in(&served(), SERVED).holds());
    let rejects = |from: &str, to: &str, what: &str| {
        assert!(SERVED.contains(from), "{from}");
        only_rejects(&served(), Invariant::ServersKeepTheirBudgets, what, &SERVED.replacen(from, to, 1));
    };
    let what = "at 2 ns: server \"s\" is charged 1 ns, and clients executed 2 ns";
    rejects("2 server_use S0 2\n", "2 server_use S0 1\n", what);
    let what = "at 6 ns: server \"s\" is charged 1 ns, and clients executed 2 ns";
    rejects("5 server_use S0 1\n5 server_budget S0 3 1000\n", "", what);
    let what = "at 5 ns: T0J0 executes, and server \"s\" has no budget";
    rejects("5 server_budget S0 3 1000\n6 server_use S0 1\n", "", what);
    let what = "at 2 ns: server \"s\" is charged 2 ns of a budget of 1 ns";
    let begin = "0 link P0 T0J0\n0 dispatch P0 T0J0\n2 server_use S0 2\n";
    let from = format!("0 server_budget S0 3 1000\n{begin}");
    rejects(&from, &format!("0 server_budget S0 1 1000\n{begin}2 server_budget S0 1 1000\n"), what);
}

/// A server whose rule trusts costs never has budget, and no client lacks it.
#[test]
fn servers_that_trust_costs_are_not_judged() {
    let without: Vec<&str> = SERVED.lines().filter(|line| !line.contains("server_")).collect();
    assert!(verdict_in(&served(), &without.join("\n")).holds());
    let deadlines = without.join("\n").replace("0 link", "0 server_budget S0 0 50\n0 link");
    assert!(verdict_in(&served(), &deadlines).holds());
}
