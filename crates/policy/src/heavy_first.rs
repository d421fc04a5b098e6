//! Schedulers that let heavy tasks go first, and order the others in a way of their own.
//!
//! Global scheduling delays a heavy task where light ones of short deadlines or periods go before it (Dhall's effect).
//! Each scheduler's file says which tasks are heavy, and how the others go.

use crate::clustered::Clustered;
use crate::only_execute;
use crate::order::{Needs, Order, Rule};
use crate::scheduler::{Declared, Scheduler, Scope};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use schedlab_model::{HeavyFirst, LightOrder, OrderClass, Theorem, Threshold};

/// A kind of such schedulers, with any threshold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeavyKind {
    /// Name without a threshold.
    pub(crate) name: &'static str,
    /// Order of the tasks that are not heavy.
    pub(crate) others: LightOrder,
    /// Threshold where none is given.
    pub(crate) usual: Threshold,
    /// The usual threshold, and the others' order, in words.
    pub(crate) words: (&'static str, &'static str),
}

impl HeavyKind {
    /// The scheduler with its usual threshold.
    pub(crate) fn usual(&self) -> Scheduler {
        let made = self.above(self.name, self.usual, self.words.0);
        Scheduler { aliases: vec![format!("G-{}", self.name)], ..made }
    }

    /// The scheduler with a fraction above 0 and at most 1 as threshold, such as `1/2`.
    pub(crate) fn with(&self, parameter: &str) -> Option<Scheduler> {
        let (numerator, denominator) = parameter.split_once('/')?;
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number > 0);
        let (numerator, denominator) = (number(numerator)?, number(denominator)?);
        let shown = format!("{numerator}/{denominator}");
        let threshold = Threshold::Given { numerator, denominator };
        (numerator <= denominator).then(|| self.above(&format!("{}[{shown}]", self.name), threshold, &shown))
    }

    fn above(&self, name: &str, threshold: Threshold, shown: &str) -> Scheduler {
        let measure = match self.others {
            LightOrder::Deadline | LightOrder::Period => "utilization",
            LightOrder::RelativeDeadline => "density",
        };
        let described: String = format!("tasks of a {measure} above {shown} go first, then {}", self.words.1);
        let heavy = HeavyFirst { threshold, others: self.others };
        let order = Order {
            name: self.name,
            aliases: &[],
            description: "heavy tasks go first",
            rule: Rule::HeavyFirst(heavy),
            needs: Needs::Nothing,
        };
        let made = Scheduler::of_policy(name, Scope::Global, &described, move |setup| {
            only_execute::plain(setup)?;
            Ok(Box::new(Clustered::new(order, true, setup)))
        });
        let class = OrderClass::Theorem(Theorem::HeavyTasksFirst(heavy));
        made.declaring(Declared { class, preemptive: true })
    }
}
