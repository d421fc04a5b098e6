//! What is refused of objects once a scheduler is chosen, or a run is real: with file, line and field.

use schedlab_policy::find;
use schedlab_scenario::Scenario;

fn scenario(protocol: &str, object: &str) -> Scenario {
    let text = format!(
        "schedlab = 1\nprotocol = \"{protocol}\"\n[[resource]]\nname = \"idle\"\n[[resource]]\nname = \"q\"\n{object}\
         [[task]]\nname = \"t\"\nperiod = \"10 ms\"\nprogram = [\"request q\", \"execute 1 ms\", \"release q\"]\n"
    );
    Scenario::parse("own.toml", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn a_real_run_has_to_know_what_operations_are_attempted_on() {
    let said = |protocol: &str, object: &str| scenario(protocol, object).check_real_objects();
    for protocol in ["lock-free", "wait-free"] {
        let found = said(protocol, "").unwrap_err().to_string();
        let expected = format!(
            "own.toml:5:1: resource[1].kind: \"q\" has no kind, and under \"{protocol}\" jobs attempt operations on it: a \
             real run needs an object; allowed: such as kind = \"queue\" and scheme = \"lock-free\", or a protocol under \
             which jobs hold it"
        );
        assert_eq!(found, expected);
        assert_eq!(said(protocol, "kind = \"queue\"\nscheme = \"wait-free\"\n"), Ok(()));
    }
    assert_eq!(said("msrp", ""), Ok(()));
    // What stands in no file has a field all the same.
    let mut made = scenario("lock-free", "");
    made.resources[1].name = "other".to_owned();
    let found = made.check_real_objects().unwrap_err().to_string();
    assert!(found.starts_with("resource[1].kind: \"other\" has no kind"), "{found}");
}

#[test]
fn schemes_are_refused_under_schedulers_that_cannot_follow_them() {
    let said = |scheduler: &str, scheme: &str| {
        let object = format!("kind = \"heap\"\nscheme = \"{scheme}\"\n");
        let found = scenario("none", &object).check_objects(&find(scheduler).unwrap());
        found.err().map(|errors| errors.to_string())
    };
    for scheme in ["locked", "lock-free", "wait-free"] {
        assert_eq!(said("G-EDF", scheme), None);
        let found = said("SCHED_FIFO", scheme).unwrap();
        let expected = format!(
            "own.toml:8:10: resource[1].scheme: \"q\" is {scheme} under SCHED_FIFO, where the kernel's"
        );
        assert!(found.starts_with(&expected), "{found}");
    }
    // A real run asks before it writes the scenario anew: the user's own file is named.
    let object = "kind = \"heap\"\nscheme = \"locked\"\n";
    let real = scenario("none", object).with_scheduler("SCHED_FIFO").unwrap().check_real_objects();
    assert_eq!(real.unwrap_err().to_string(), said("SCHED_FIFO", "locked").unwrap());
    assert_eq!(said("P-DASA-ND", "locked"), None);
    let found = said("gMUA", "lock-free").unwrap();
    assert!(found.starts_with("own.toml:8:10: resource[1].scheme: \"q\" is lock-free under gMUA"), "{found}");
    assert!(found.ends_with("allowed: scheme = \"locked\""), "{found}");
}

#[test]
fn a_scheme_is_given_to_an_object() {
    let given = |name: &str, scheme: &str| {
        scenario("none", "kind = \"heap\"\nscheme = \"locked\"\n").with_scheme(name, scheme)
    };
    assert_eq!(given("q", "wait-free"), Ok(scenario("none", "kind = \"heap\"\nscheme = \"wait-free\"\n")));
    for (name, scheme, expected) in [
        ("p", "locked", "schemes.p: there is no object \"p\"; allowed: q"),
        ("idle", "locked", "schemes.idle: \"idle\" has no kind; allowed: resources with a kind and a scheme"),
        ("q", "lockfree", "schemes.q: there is no scheme \"lockfree\"; did you mean lock-free? allowed: locked, lock-free, wait-free"),
    ] {
        assert_eq!(given(name, scheme).unwrap_err().to_string(), expected);
    }
}
