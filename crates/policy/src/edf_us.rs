//! EDF-US\[x\]: heavy tasks first, then EDF. A. Srinivasan and S. Baruah, *Deadline-based scheduling of periodic task
//! systems on multiprocessors*, Information Processing Letters 84(2), 2002.
//!
//! A task of a utilization above x has the highest priority, ties by job id; other jobs go by absolute deadline. Global
//! EDF lets light tasks of short deadlines delay a heavy one (Dhall's effect); here they do not. With x = m/(2m - 1) on
//! m processors, tasks with deadlines equal to their periods meet them where their utilizations add up to at most
//! m^2/(2m - 1), about half of the processors. A decision takes what one of global EDF takes: O(m + log n) for each job
//! that begins, of n ready jobs.
//!
//! Dhall's effect with costs and periods (2, 10) for A and B and (10, 11) for C on two processors, by hand from the
//! rule. Under EDF, C waits for A and B, and is late at 11; x is 2/3, above which C alone is:
//!
//! ```text
//! EDF-US  P0  CCCCCCCCCC     EDF  P0  AACCCCCCCC
//!         P1  AABB......          P1  BB........
//! ```

use crate::clustered::Clustered;
use crate::only_execute;
use crate::order::{Needs, Order, Rule};
use crate::scheduler::{Declared, Scheduler, Scope};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use schedlab_model::{OrderClass, Theorem, Threshold};

const NAME: &str = "EDF-US";

/// EDF-US with this threshold.
fn above(name: &str, threshold: Threshold) -> Scheduler {
    let order = Order {
        name: NAME,
        aliases: &[],
        description: "tasks of a utilization above x go first, then the earliest deadline",
        rule: Rule::HeavyFirst(threshold),
        needs: Needs::Nothing,
    };
    let described: String = match threshold {
        Threshold::OfProcessors => {
            "tasks of a utilization above m/(2m - 1) go first, then the earliest deadline".to_string()
        }
        Threshold::Given { numerator, denominator } => format!(
            "tasks of a utilization above {numerator}/{denominator} go first, then the earliest deadline"
        ),
    };
    let made = Scheduler::of_policy(name, Scope::Global, &described, move |setup| {
        only_execute::plain(setup)?;
        Ok(Box::new(Clustered::new(order, true, setup)))
    });
    let class = OrderClass::Theorem(Theorem::HeavyTasksFirst(threshold));
    made.declaring(Declared { class, preemptive: true })
}

/// `EDF-US`, with the threshold m/(2m - 1).
pub(crate) fn edf_us() -> Scheduler {
    let made = above(NAME, Threshold::OfProcessors);
    Scheduler { aliases: vec!["G-EDF-US".into()], ..made }
}

/// `EDF-US[x]`, with a fraction above 0 and at most 1 as threshold, such as `EDF-US[1/2]`.
pub(crate) fn edf_us_above(parameter: &str) -> Option<Scheduler> {
    let (numerator, denominator) = parameter.split_once('/')?;
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number > 0);
    let (numerator, denominator) = (number(numerator)?, number(denominator)?);
    let name = format!("{NAME}[{numerator}/{denominator}]");
    let threshold = Threshold::Given { numerator, denominator };
    (numerator <= denominator).then(|| above(&name, threshold))
}
