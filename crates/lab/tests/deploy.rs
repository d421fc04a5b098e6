//! Settings of Linux: what is proved of them, and what is refused.

use schedlab_lab::deploy::{deploy, DeployError};
use schedlab_lab::{Catalog, Prepared};
use schedlab_scenario::launch::Launcher;
use schedlab_scenario::Scenario;

/// Three tasks under P-RM, two of which share; the second is on processor `second`.
fn scenario(protocol: &str, second: u16) -> Scenario {
    let row = |name: &str, cpu: u16, period: u32, program: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\nwcet = \"2 ms\"\nperiod = \"{period} ms\"\nprocessor = {cpu}\n{program}\n"
        )
    };
    let section = "program = [\"request r\", \"execute 2 ms\", \"release r\"]";
    let text = format!(
        "schedlab = 1\nhorizon = \"1 s\"\nprotocol = \"{protocol}\"\nscheduler.name = \"P-RM\"\n\
         platform.processors = 2\nresource = [{{ name = \"r\" }}]\n{}{}{}",
        row("a", 0, 10, section),
        row("b", second, 20, section),
        row("c", 0, 15, "")
    );
    Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn of(scenario: &Scenario, unproved: bool) -> Result<String, DeployError> {
    let found = deploy(scenario, &Catalog::shipped(), Launcher::Systemd, unproved);
    found.map(|deployment| deployment.text)
}

/// The tasks are proved under MPCP, and PTHREAD_PRIO_INHERIT is another protocol.
#[test]
fn what_was_proved_is_what_runs() {
    for (protocol, second) in [("mpcp", 0), ("mpcp", 1), ("msrp", 1)] {
        let given = scenario(protocol, second);
        let prepared = Prepared::for_analysis(&given, &Catalog::shipped()).unwrap();
        assert!(schedlab_lab::sensitivity::is_proved(&prepared), "{protocol}");
        for unproved in [false, true] {
            let error = of(&given, unproved).unwrap_err();
            assert!(matches!(error, DeployError::OtherMeaning { .. }), "{error}");
            let ways =
                "P-RM under pip, which is PTHREAD_PRIO_INHERIT: schedulable; P-RM under ipcp, which is \
                        PTHREAD_PRIO_PROTECT: schedulable";
            assert_eq!(error.to_string().contains(ways), second == 0, "{error}");
        }
    }
    for protocol in ["pip", "ipcp"] {
        assert!(of(&scenario(protocol, 0), false).is_ok(), "{protocol}");
    }
    // The reader refuses the other one between processors.
    let error = of(&scenario("pip", 1), true).unwrap_err();
    assert!(error.to_string().contains("resource \"r\" has users on several"), "{error}");
}

/// Ordinary mutexes: nothing is proved of tasks that share them.
#[test]
fn what_is_not_proved_says_so() {
    let error = of(&scenario("none", 0), false).unwrap_err();
    assert!(matches!(error, DeployError::Unproved { .. }), "{error}");
    let text = of(&scenario("none", 0), true).unwrap();
    assert_eq!(text.matches("# NOT PROVED: deadlines may be missed. ").count(), 3, "{text}");
    assert_eq!(text.matches(": an ordinary mutex\n").count(), 2, "{text}");
}

/// 1.5 + 1.5 of 3 us are all of a processor; in whole microseconds they are 4 of 3.
#[test]
fn what_is_proved_is_what_a_rounding_file_says() {
    let text = "schedlab = 1\nhorizon = \"1 s\"\nscheduler = \"P-RM\"\n\
                [[task]]\nname = \"a\"\nwcet = \"1500 ns\"\nperiod = \"3 us\"\n\
                [[task]]\nname = \"b\"\nwcet = \"1500 ns\"\nperiod = \"3 us\"\n";
    let given = Scenario::parse("test", text).unwrap();
    let of = |launcher| deploy(&given, &Catalog::shipped(), launcher, false);
    assert!(of(Launcher::Systemd).is_ok());
    assert!(matches!(of(Launcher::RtApp).unwrap_err(), DeployError::Unproved { .. }));
    let unproved = deploy(&given, &Catalog::shipped(), Launcher::RtApp, true).unwrap();
    assert!(unproved.lost[0].starts_with("a, b: rt-app counts in microseconds"), "{:?}", unproved.lost);
    assert!(unproved.text.contains("a, b: rt-app counts in microseconds"), "{}", unproved.text);
}
