//! Stored traces come from anywhere: records in any order and of any content are an account or a problem, not a panic.

use schedlab_account::{Account, RealRun};
use schedlab_lab::Prepared;
use schedlab_model::{CpuId, Duration, Instant, JobId, ResourceId, TaskId, Work};
use schedlab_scenario::Scenario;
use schedlab_trace::{Header, Record, RunRecord, SuspendReason, Thread};

/// A fixed generator of numbers below `bound` (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) % bound
    }
}

fn any_record(dice: &mut Dice, now: u64) -> Record {
    let job = JobId::new(TaskId(dice.roll(2) as u32), dice.roll(3) as u32);
    let (cpu, resource, units) = (CpuId(dice.roll(2) as u16), ResourceId(0), 1);
    let thread = if dice.roll(2) == 0 { Thread::Task(job.task) } else { Thread::Other(dice.roll(3) as u32) };
    let since = Instant::from_ns(dice.roll(now + 1));
    let length = Duration::from_ns(dice.roll(90_000));
    match dice.roll(24) {
        0..=2 => Record::Arrival { job, absolute_deadline: since + length, cost: Work::ZERO },
        3..=5 => Record::Run(RunRecord::Dispatch { cpu, job }),
        6 => Record::Run(RunRecord::Preempt { cpu, job }),
        7..=9 => Record::Run(RunRecord::SwitchIn { cpu, thread }),
        10..=11 => Record::Run(RunRecord::SwitchOut { cpu, thread }),
        12 => Record::Run(RunRecord::SwitchOutReady { cpu, thread }),
        13 => Record::Run(RunRecord::Stolen { cpu, since, length }),
        14 => Record::Run(RunRecord::Standstill { since }),
        15 => Record::Run(RunRecord::Afterwards { task: job.task, length }),
        16 => Record::Request { job, resource, units },
        17 => Record::Acquire { job, resource, units },
        18 => Record::Release { job, resource, units },
        19 => Record::Suspend { job, reason: SuspendReason::Itself },
        20 => Record::Resume { job },
        21 => [Record::NpEnter { job }, Record::NpExit { job }][dice.roll(2) as usize],
        22 => Record::Complete { job },
        _ => Record::Miss { job },
    }
}

#[test]
fn any_records_have_an_account_or_a_problem() {
    let text = |scheduler: &str, protocol: &str| {
        format!(
            "schedlab = 1\nscheduler = \"{scheduler}\"\nprotocol = \"{protocol}\"\nhorizon = \"300 us\"\n\
             [platform]\nprocessors = 2\nquantum = \"10 us\"\n[[resource]]\nname = \"r\"\n\
             [[task]]\nname = \"a\"\nwcet = \"20 us\"\nperiod = \"80 us\"\n\
             program = [\"execute 5 us\", \"request r\", \"execute 5 us\", \"release r\", \"execute 10 us\"]\n\
             [[task]]\nname = \"b\"\nwcet = \"30 us\"\nperiod = \"90 us\"\n"
        )
    };
    let systems = [("P-EDF", "msrp"), ("G-EDF", "fmlp-long"), ("PD2", "zone-skip")]
        .map(|(of, under)| Prepared::new(&Scenario::parse("a.toml", &text(of, under)).unwrap()).unwrap());
    let (mut dice, mut explained) = (Dice(0x9E37_79B9_7F4A_7C15), 0);
    for round in 0..3_000 {
        let mut now = 0;
        let mut records = vec![(Instant::ZERO, Record::Run(RunRecord::Switches { missing: dice.roll(2) }))];
        for _ in 0..dice.roll(80) {
            now += dice.roll(4_000);
            records.push((Instant::from_ns(now), any_record(&mut dice, now)));
        }
        records.push((Instant::from_ns(now), Record::End));
        let prepared = &systems[round % systems.len()];
        let run = RealRun::of(prepared, &Header::new(schedlab_trace::Backend::Threads), records)
            .expect("all that is named is there");
        let account = Account::of(prepared, &run, true, &mut |_| {}).expect("it can be prepared");
        let _ = (account.to_string(), account.check().to_string(), account.result());
        explained += account.judgements().len();
    }
    assert!(explained > 3_000, "{explained}");
}
